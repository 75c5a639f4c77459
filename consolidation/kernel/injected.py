"""
The marks around what we put into a conversation, and taking it out again. Pure.

Both halves stand together, so that whatever is put in can be taken out: a memory of a memory must not breed.
"""

from __future__ import annotations

import re

BLOCK_RULE = "---"
BLOCK_HEADER = "[SUBCONSCIOUS RESONANCE]"
STORY_HEADER = "[MY STORY]"
STORY_END = "[END OF MY STORY]"
PROTOCOL_HEADER = "[MY MEMORY]"
PROTOCOL_END = "[END OF MY MEMORY]"

# Only what can be ours is taken out: bullets after a header, and what stands between both marks of a story. A person
# who quotes a header must not lose the rest of what they said.
_BLOCK = re.compile(
    r"^[ \t]{0,8}(?:---[ \t]*\n[ \t]{0,8})?\[SUBCONSCIOUS RESONANCE\][ \t]*$(?:\n[ \t]{0,8}- .*)*"
    r"(?:\n[ \t]{0,8}---[ \t]*$)?",
    re.MULTILINE,
)
_STORY, _PROTOCOL = (
    re.compile(
        rf"^[ \t]{{0,8}}{re.escape(first)}[ \t]*$"
        rf"(?:\n(?![ \t]{{0,8}}(?:{re.escape(first)}|{re.escape(last)})[ \t]*$).*)*"
        rf"\n[ \t]{{0,8}}{re.escape(last)}[ \t]*$",
        re.MULTILINE,
    )
    for first, last in ((STORY_HEADER, STORY_END), (PROTOCOL_HEADER, PROTOCOL_END))
)
_MARK = re.compile(r"[\[［【](?=\s*(?:SUBCONSCIOUS\s+RESONANCE|(?:END\s+OF\s+)?MY\s+(?:STORY|MEMORY)))", re.IGNORECASE)
# What chat templates and models take for a change of speaker: <|im_end|>, </system>, [/INST], <<SYS>>, <start_of_turn>.
_TURN_MARK = re.compile(
    r"[<＜](?=\s{0,8}(?:[|｜]|[<＜]\s{0,8}/?\s{0,8}SYS\b|/?\s{0,8}(?:system|user|assistant|developer|human|tool|function|"
    r"tool_call|function_call|tool_response|instructions?|start_of_turn|end_of_turn|s)\s{0,8}(?:[>＞/]|\w{1,20}=)))"
    r"|\[(?=\s{0,8}/?\s{0,8}(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS)\s{0,8}\])",
    re.IGNORECASE,
)


def without_injected(text: str) -> str:
    """*text* without our blocks; text that holds none is returned as it is, to the last space."""
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    clean = plain
    for header, pattern in ((BLOCK_HEADER, _BLOCK), (STORY_HEADER, _STORY), (PROTOCOL_HEADER, _PROTOCOL)):
        if header in clean:
            clean = pattern.sub("", clean)
    return text if clean == plain else clean.strip("\n")


def defused(text: str) -> str:
    """*text* with our marks and a model's made harmless: no memory closes a block, opens another, or takes a turn."""
    return _TURN_MARK.sub(lambda mark: "(" if mark[0] == "[" else "‹", _MARK.sub("(", text))
