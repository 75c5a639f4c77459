"""
Who said what a memory holds, in every language that labels speak; a native reader edits this file and no other.

The bot reads it: "they" is the person it talks with. ``{name}`` is a speaker who was named. What was ``read`` nobody
said: a tool or a page showed it, and it never ends its quotation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.quotation import quotable
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.turns import Message

READ_SHARE = 0.5  # how much a fact that was only read counts, of one that somebody told

LEADS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "told": "they told me: ",
        "asked": "they asked: ",
        "said": "I said: ",
        "noted": "I noted: ",
        "named": "{name} told me: ",
        "read": "I read: “{text}”",
    },
    "es": {
        "told": "me contó: ",
        "asked": "preguntó: ",
        "said": "yo dije: ",
        "noted": "anoté: ",
        "named": "{name} me contó: ",
        "read": "leí: «{text}»",
    },
    "de": {
        "told": "mir wurde erzählt: ",
        "asked": "gefragt wurde: ",
        "said": "ich sagte: ",
        "noted": "ich notierte: ",
        "named": "{name} hat mir erzählt: ",
        "read": "ich las: „{text}“",
    },
    "fr": {
        "told": "on m'a dit : ",
        "asked": "on m'a demandé : ",
        "said": "j'ai dit : ",
        "noted": "j'ai noté : ",
        "named": "{name} m'a dit : ",
        "read": "j'ai lu : « {text} »",
    },
    "it": {
        "told": "mi ha detto: ",
        "asked": "ha chiesto: ",
        "said": "ho detto: ",
        "noted": "ho annotato: ",
        "named": "{name} mi ha detto: ",
        "read": "ho letto: «{text}»",
    },
    "pt": {
        "told": "me contou: ",
        "asked": "perguntou: ",
        "said": "eu disse: ",
        "noted": "anotei: ",
        "named": "{name} me contou: ",
        "read": "li: “{text}”",
    },
    "zh": {
        "told": "对方告诉我：",
        "asked": "对方问：",
        "said": "我说：",
        "noted": "我记下：",
        "named": "{name}告诉我：",
        "read": "我读到：“{text}”",
    },
    "zh-Hant": {
        "told": "對方告訴我：",
        "asked": "對方問：",
        "said": "我說：",
        "noted": "我記下：",
        "named": "{name}告訴我：",
        "read": "我讀到：「{text}」",
    },
    "ja": {
        "told": "聞いたこと：",
        "asked": "聞かれたこと：",
        "said": "私が言ったこと：",
        "noted": "私の覚え書き：",
        "named": "{name}から聞いたこと：",
        "read": "読んだもの：「{text}」",
    },
    "ar": {
        "told": "قيل لي: ",
        "asked": "سُئلت: ",
        "said": "قلت: ",
        "noted": "دوّنت: ",
        "named": "أخبرني {name}: ",
        "read": "قرأت: «{text}»",
    },
    "ru": {
        "told": "мне рассказали: ",
        "asked": "меня спросили: ",
        "said": "мой ответ: ",
        "noted": "моя заметка: ",
        "named": "{name} (рассказ): ",
        "read": "прочитано: «{text}»",
    },
    "nl": {
        "told": "mij werd verteld: ",
        "asked": "mij werd gevraagd: ",
        "said": "ik zei: ",
        "noted": "ik noteerde: ",
        "named": "{name} vertelde me: ",
        "read": "ik las: “{text}”",
    },
    "pl": {
        "told": "opowiedziano mi: ",
        "asked": "zapytano mnie: ",
        "said": "moje słowa: ",
        "noted": "moja notatka: ",
        "named": "{name} opowiada mi: ",
        "read": "przeczytane: „{text}”",
    },
}


def leads(language: str) -> Mapping[str, str]:
    """The words of *language* (a tag such as "en" or "pt-BR"); English where there are none."""
    tag, *more = language.casefold().replace("_", "-").split("-")
    is_traditional = tag == "zh" and not {"hant", "tw", "hk", "mo"}.isdisjoint(more)
    return LEADS.get("zh-Hant" if is_traditional else tag, LEADS["en"])


_SPEAKER = re.compile(r":\s|：")
_AROUND_READ = tuple(tuple(words["read"].split("{text}")) for words in LEADS.values())
_READ = tuple(before for before, _ in _AROUND_READ)
_LEAD = re.compile(
    "|".join(
        re.escape(lead).replace(r"\{name\}", r"[^:\n]{1,80}").replace(r"\{text\}", "").rstrip("”“»」")
        for words in LEADS.values()
        for kind, lead in words.items()
        if kind != "read"
    )
)
_NO_NAME = tuple(lead for words in LEADS.values() for kind, lead in words.items() if kind not in {"named", "read"})
_NAME = r"((?:(?! / )[^:：\n]){1,80}?)"
_TELLER = re.compile(
    "|".join(
        (
            *map(re.escape, _NO_NAME),  # "they told me" is of nobody called "they"
            *(re.escape(words["named"]).replace(r"\{name\}", _NAME) for words in LEADS.values()),
        )
    )
)
_QUOTATIONS = frozenset({("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("「", "」")})
_READ_PART = r"{lead}[^{closing}]*(?:[{closing}]|$)"
_OWN_PART = r"{lead}(?:“[^”]*(?:”|$)|(?:(?! / )[^“])*)"
_OTHERS_PARTS = "|".join(
    one
    for words in LEADS.values()
    for one in (
        _READ_PART.format(lead=re.escape(words["read"].partition("{")[0]), closing=words["read"].strip()[-1]),
        *(_OWN_PART.format(lead=re.escape(words[kind])) for kind in ("said", "noted")),
    )
)
_OTHERS = re.compile(rf"(?:^|(?<= / ))(?:{_OTHERS_PARTS})")
_LED = re.compile(
    rf"(?:^|(?<= / ))(?:(?P<read>{'|'.join(_READ_PART.format(lead=re.escape(one), closing='”“»」') for one in _READ)})"
    rf"|(?P<lead>{_TELLER.pattern})(?P<quoted>“[^”]*)?)"
)
_LEAD_WORDS = frozenset(
    word for words in LEADS.values() for lead in words.values() for word in tokens(lead.format(name="", text=""))
)


def told_by(message: Message, text: str, *, language: str, kind: str = "told") -> str:
    """
    *text* of a message behind who said it: *kind* is what a person without a name did, ``told`` or ``asked``.

    A text in which another speaker seems to begin is put between quotation marks, which nothing in it can end.
    """
    words = leads(language)
    if message.role in READ:
        return words["read"].format(text=quotable(text))
    if _SPEAKER.search(text):
        text = f"“{quotable(text)}”"
    if message.role is not Speaker.USER:
        return words["noted" if message.role is Speaker.THOUGHT else "said"] + text
    return (words["named"].format(name=message.known_as) if message.known_as else words[kind]) + text


def is_read(text: str) -> bool:
    """Whether a memory's *text* was only read; code puts the mark in front, so that nothing can come before it."""
    return text.startswith(_READ)


def without_lead(text: str) -> str:
    """A memory's *text* without who said it, and without the quotation marks that this put around it."""
    found = _LEAD.match(text)
    if found is None:
        return text
    bare = text[found.end() :]
    return bare[1:-1] if len(bare) > 1 and (bare[0], bare[-1]) in _QUOTATIONS else bare


def teller_in(text: str) -> str | None:
    """The name of who told a memory, as its *text* says it in front; None where it says no name."""
    found = _TELLER.match(text)
    return found[found.lastindex] if found is not None and found.lastindex else None


def led_in(text: str, *, language: str) -> str:
    """A memory's *text* with the words of *language* for who said it, in each of its parts."""
    words = leads(language)
    return _LED.sub(lambda found: _lead_in(found, words), text)


def without_leads(text: str) -> str:
    """A memory's *text* without who said each of its parts."""
    return _LED.sub(_bare, text)


def _lead_in(found: re.Match[str], words: Mapping[str, str]) -> str:
    if found["read"]:
        return words["read"].format(text=_bare(found))
    lead, name = found["lead"], teller_in(found["lead"])
    kind = next((kind for known in LEADS.values() for kind in known if known[kind] == lead), "named")
    return words[kind].format(name=name) + _bare(found)


def _bare(found: re.Match[str]) -> str:
    """What stands behind a lead as far as it is quoted; what was read without its quotation marks."""
    read = found["read"]
    if not read:
        return found["quoted"] or ""
    before, behind = next(pair for pair in _AROUND_READ if read.startswith(pair[0]))
    return read.removeprefix(before).removesuffix(behind)


def is_led(text: str) -> bool:
    """Whether a memory's *text* says in front who said it, or that it was only read."""
    return is_read(text) or _LEAD.match(text) is not None


def others_words(text: str) -> str:
    """What of a memory's *text* no person said: what was read, and the bot's own words."""
    return " ".join(_OTHERS.findall(text))


def persons_words(text: str) -> str:
    """A memory's *text* without what no person said."""
    return _OTHERS.sub("", text).strip(" /")


def told_words(text: str) -> frozenset[str]:
    """The words of a memory's *text* by which it is compared with others: those of all leads are left out."""
    return frozenset(wording(text))


def wording(text: str) -> tuple[str, ...]:
    """``told_words`` in their order: who moved from Lyon to Nice did not move from Nice to Lyon."""
    return tuple(word for word in tokens(text) if word not in _LEAD_WORDS)
