"""
The marks around what we put into a conversation, and how it is taken out again.

Both halves are in one place, so that whatever is put in can be taken out. Otherwise memories of memories would pile up.
"""

from __future__ import annotations

import re

from consolidation.text.folding import folded

BLOCK_RULE = "---"
BLOCK_HEADER = "[SUBCONSCIOUS RESONANCE]"
STORY_HEADER = "[MY STORY]"
STORY_END = "[END OF MY STORY]"
PROTOCOL_HEADER = "[MY MEMORY]"
PROTOCOL_END = "[END OF MY MEMORY]"
DIGEST_HEADER = "[SESSION CONTEXT]"
DIGEST_END = "[END OF SESSION CONTEXT]"
WAKING_HEADER = "[MY WAKING]"
WAKING_END = "[END OF MY WAKING]"
PEOPLE_HEADER = "[MY PEOPLE]"
PEOPLE_END = "[END OF MY PEOPLE]"

# Only what can be ours is taken out: bullets after a header, and the text between both marks of a story. A person
# who quotes a header must not lose the rest of what they said. Lines may be quoted; where blank lines part them, only
# the rule behind them says that the bullets are ours.
_EDGE = r"[ \t]{0,8}(?:>[ \t]{0,8}){0,3}"
_BLOCK = re.compile(
    rf"^{_EDGE}(?:---[ \t]*\n(?:{_EDGE}\n)?{_EDGE})?[*_`]{{0,3}}\[SUBCONSCIOUS RESONANCE\][*_`]{{0,3}}[ \t]*$"
    rf"(?:(?:\n{_EDGE}\n{_EDGE}- .*)+\n{_EDGE}\n{_EDGE}---[ \t]*$"
    rf"|(?:\n{_EDGE}- .*)*(?:\n{_EDGE}---[ \t]*$)?)",
    re.MULTILINE,
)
_STORY, _PROTOCOL, _DIGEST, _WAKING, _PEOPLE = (
    re.compile(
        rf"^{_EDGE}{re.escape(first)}[ \t]*$"
        rf"(?:\n(?!{_EDGE}(?:{re.escape(first)}[ \t]*$|{re.escape(last)}(?:[ \t]|$))).*)*"
        rf"\n{_EDGE}{re.escape(last)}(?:[ \t]+|$)",
        re.MULTILINE,
    )
    for first, last in (
        (STORY_HEADER, STORY_END),
        (PROTOCOL_HEADER, PROTOCOL_END),
        (DIGEST_HEADER, DIGEST_END),
        (WAKING_HEADER, WAKING_END),
        (PEOPLE_HEADER, PEOPLE_END),
    )
)
_INJECTED = (
    (BLOCK_HEADER, _BLOCK),
    (STORY_HEADER, _STORY),
    (PROTOCOL_HEADER, _PROTOCOL),
    (DIGEST_HEADER, _DIGEST),
    (WAKING_HEADER, _WAKING),
    (PEOPLE_HEADER, _PEOPLE),
)
_BRACKETS = frozenset("[［【〔⟦")
_IMAGE = re.compile(r"!(\[[^\]\n]{0,200}\])\((?=\s{0,8}<?\s{0,8}(?:https?:)?//)", re.IGNORECASE)
# Letters of other alphabets that look like those of our marks.
_LOOK_ALIKES = str.maketrans("АВЕІЈКМНОРЅСТУХаеіјорѕсухΑΒΕΙΚΜΝΟΡΤΥΧΖο", "ABEIJKMHOPSCTYXaeijopscyxABEIKMNOPTYXZo")
_MARK = re.compile(
    r"[\[［【〔⟦](?=\s*(?:SUBCONSCIOUS\s+RESONANCE"
    r"|(?:END\s+OF\s+)?(?:MY\s+(?:STORY|MEMORY|WAKING|PEOPLE)|SESSION\s+CONTEXT)))",
    re.IGNORECASE,
)
# What chat templates and models take for a change of speaker, a call of a tool, or what it returned: <|im_end|>,
# </system>, <function=send_mail>, <start_of_turn>, <turn|>, [/INST], [TOOL_RESULTS], <<SYS>>, [gMASK].
_OF_TOOLS = (
    r"(?:tool|function)[_ -]?(?:calls?|calling|responses?|results?|outputs?|uses?|inputs?|names?|args?|arguments?"
    r"|parameters?|declarations?|errors?|code)"
)
_TAG = (
    rf"(?:\w{{1,20}}:)?(?:system|user|assistant|developer|human|tools?|functions?|{_OF_TOOLS}|available_tools|invoke"
    r"|parameters?|arg_(?:key|value)|observation|think|thinking|reasoning|scratch_?pad|instructions?"
    r"|(?:start|end|begin)_of_\w{1,20}|(?:start|end)_(?:tool|function)_\w{1,20}|s|bos|eos|sop|eop|eoh|eoa"
    r"|(?:bos|eos|pad|unk|sep|cls)_token|extra_id_\d{1,4}|(?:unused|reserved|special)_?\d{1,5}"
    r"|fim_(?:prefix|middle|suffix|pad)|file_sep|repo_name)"
)
_BRACKETED = (
    r"INST|SYS|SYSTEM(?:_PROMPT)?|MODEL_SETTINGS|AVAILABLE_TOOLS|TOOL_[A-Z_]{1,20}|CALL_ID|[gs]MASK"
    r"|UNUSED_TOKEN_\d{1,5}|[|｜]\w{1,20}[|｜]"
    r"|(?-i:ARGS|THINK|USER|ASSISTANT|IMG(?:_BREAK|_END)?|(?:BEGIN_)?AUDIO|PREFIX|MIDDLE|SUFFIX)"
)
_TURN_MARK = re.compile(
    r"[<＜](?=\s{0,8}(?:[|｜]|[<＜]\s{0,8}/?\s{0,8}SYS\b|/?\w{1,40}[|｜][>＞]"
    rf"|/?\s{{0,8}}{_TAG}\s{{0,8}}(?:[>＞/=＝]|[\w:-]{{1,20}}\s{{0,2}}[=＝])))"
    rf"|\[(?=\s{{0,8}}/?\s{{0,8}}(?:{_BRACKETED})\s{{0,8}}\])",
    re.IGNORECASE,
)
# The same as a heading, "### System:", and as the fence of what Gemma runs, "```tool_code".
_TURN_HEADING = re.compile(
    r"(?<![#＃])[#＃]{1,20}(?=[ \t]{0,8}[*_]{0,3}(?:system|user|assistant|developer|human|tool|function|instructions?|"
    rf"response|input|observation|{_OF_TOOLS})[*_]{{0,3}}[ \t]{{0,8}}[:：])"
    rf"|(?<!`)`{{3,20}}(?=[ \t]{{0,8}}{_OF_TOOLS}\b)",
    re.IGNORECASE,
)
_DEFUSED_HEADING = "·"
_LONGEST_LINE = 900
# Separators and controls, and what turns the reading order around or parts a mark unseen: nothing may look like a new
# line, and no mark may be whole again once something was taken out of it. Joiners stay: Persian and emoji need them.
_INVISIBLE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ") | dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC)),
        *(*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)),  # tags and selectors: letters that only models read
    )
)
_INVISIBLE_IN_LINES = {one: shown for one, shown in _INVISIBLE.items() if chr(one) not in "\t\n"}
_UNSEEN_RUN = re.compile("([\u200c\u200d\ufe00-\ufe0f])[\u200c\u200d\ufe00-\ufe0f]{2,}")  # a message in joiners


def without_injected(text: str) -> str:
    """*text* without our blocks; a text that holds none is returned unchanged, to the last space."""
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    clean = plain
    for header, pattern in _INJECTED:
        if header in clean:
            clean = pattern.sub("", clean)
    return text if clean == plain else clean.strip("\n")


def memories_in(text: str) -> tuple[str, ...]:
    """Return the bullets of the memory blocks in *text*, each a line."""
    lines = (line.strip() for found in _BLOCK.finditer(text) for line in found[0].splitlines())
    return tuple(line for line in lines if line.startswith("- "))


def digests_in(text: str) -> tuple[str, ...]:
    """Return the lines of the digests of trimmed windows in *text*, without their marks."""
    lines = (line.strip() for found in _DIGEST.finditer(text) for line in found[0].splitlines()[1:-1])
    return tuple(line for line in lines if line.startswith("- "))


def one_line(text: str) -> str:
    """*text* as a single line that can neither close our block nor open another."""
    seen = _UNSEEN_RUN.sub(r"\1", text.translate(_INVISIBLE))
    line = defused(" ".join(seen.split())).replace("---", "—")
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()}…"


def as_data(text: str) -> str:
    """*text* in its lines, as a model may read it: its marks are defused, and letters that nobody sees are left out."""
    return defused(_UNSEEN_RUN.sub(r"\1", text.translate(_INVISIBLE_IN_LINES)))


def defused(text: str) -> str:
    """
    *text* with our marks and a model's made harmless: it closes and opens no block, and changes no speaker.

    Marks are looked for as they are read, also in letters of another width or alphabet, or with invisible ones between.
    """
    text = _without_images(text)
    seen = folded(text)
    read = text if seen is None else seen.text
    read = read.translate(_LOOK_ALIKES)  # one letter for one: places stay
    marks: dict[int, str] = {}
    for found in (*_MARK.finditer(read), *_TURN_MARK.finditer(read)):
        marks[found.start() if seen is None else seen.places[found.start()]] = "(" if found[0] in _BRACKETS else "‹"
    for found in _TURN_HEADING.finditer(read):
        for place in range(*found.span()):
            marks[place if seen is None else seen.places[place]] = _DEFUSED_HEADING
    if not marks:
        return text
    return "".join(marks.get(place, letter) for place, letter in enumerate(text))


def _without_images(text: str) -> str:
    """Remote images as links: whoever shows one asks a server for it, with what a model wrote into the address."""
    return _IMAGE.sub(r"\1(", text) if "!" in text else text
