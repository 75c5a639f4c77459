"""Phase 2a: words a search can bear. Envelopes, filler and operators taken out; nothing asked twice."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from consolidation.text.content import AUDIO_MARK
from consolidation.text.filler import says_nothing
from consolidation.text.injected_blocks import without_injected
from consolidation.text.language import detect
from consolidation.text.name_forms import UNKNOWN, forms_of_name
from consolidation.text.names import given_name, name_key
from consolidation.text.words import tokens
from service.retrieval.tellers import ROLES, says_given_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_LONGEST_QUERY = 400
_LONGEST_MESSAGE = 4_000
# What gateways put in front of a person's words: "[Telegram Ann id:42 2026-01-09 10:22]", "[1/9/26, 10:22 PM] Ann:".
# What a person may write stays: "20.11.26, 10:00 - dentist", "From: Berlin", "(10:42) is when it leaves".
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_AT = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_SPEAKER = r"[^:\n]{1,40}:\s"
_SENTENCE = r"(?=[^\W_]|[¿¡\"'“„«])(?![a-zß-öø-ÿа-яё])"
_HEADER = r"(?:from|to|cc|date|sent|reply-to|message-id|von|an|datum|gesendet|de|para|fecha|da|van|od|do|от|дата)"
_ENVELOPES = (
    re.compile(
        r"^\s{0,8}(?:[^\W\d_][\w ]{1,40} \(untrusted metadata\):[ \t]{0,8}\n```(?:json)?\n"
        r"(?:(?!```).{0,500}\n){1,60}```\s{0,8}){1,4}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\s{{0,8}}(?=(?:{_HEADER}:[^\n]{{0,200}}\n){{0,6}}(?:from|von|de|da|van|od|от):[^\n@]{{0,100}}@)"
        rf"(?:{_HEADER}:[^\n]{{0,200}}\n){{2,8}}\s{{0,8}}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\s{0,8}(?:(?:message|chat|user|channel|thread|sender|session|conversation)_id[:=]"
        r"[ \t]{0,4}[^\s]{1,80}[ \t]{0,8}\n\s{0,8}){1,4}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\s{0,8}\[(?:telegram|whatsapp|slack|discord|signal|imessage|matrix|teams)\b[^\]\n]{0,200}\]\s*",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^\s{{0,8}}\[(?:[^\W\d_]{{2,12}}\.?,?\s)?{_DAY},?\s+\d{{1,2}}:\d{{2}}[^\]\n]{{0,20}}\]\s*(?:{_SPEAKER})?"
    ),
    re.compile(rf"^\s{{0,8}}{_DAY},\s+{_AT}\s+-\s+{_SPEAKER}"),
    re.compile(
        rf"^\s{{0,8}}\d{{4}}-\d{{2}}-\d{{2}}T\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?[:,]?\s+{_SENTENCE}"
    ),
    re.compile(rf"^\s{{0,8}}\({_AT}\)\s+{_SENTENCE}"),
    re.compile(
        rf"^\s{{0,8}}[^\W\d_][^:()\n]{{0,39}} \(\d{{1,2}}:\d{{2}}(?::\d{{2}})?\s?[AaPp]\.?[Mm]\.?\):\s+{_SENTENCE}"
    ),
    re.compile(r"^\s{0,8}\[(?:message|chat|user|channel|thread)[_ ]?id[:=][^\]\n]{1,80}\]\s*", re.IGNORECASE),
    re.compile(r"^\s{0,8}<@[A-Z0-9]{5,20}>[:,]?\s*"),
)
_TRAILERS = re.compile(
    r"\s{0,8}\[(?:message|chat|user|channel|thread)[_ ]?id[:=][^\]\n]{1,80}\]\s{0,8}$", re.IGNORECASE
)


def cleaned(text: str) -> str:
    """What a person said: without our own blocks, without the envelope their messenger put around it."""
    text = without_injected(text)[:_LONGEST_MESSAGE]
    for envelope in _ENVELOPES:
        text = envelope.sub("", text, count=1)
    return _TRAILERS.sub("", text).strip()


def is_filler(text: str) -> bool:
    """Whether *text* says nothing that could be looked for; nor does a recording that nobody has heard yet."""
    return text == AUDIO_MARK or says_nothing(text)


def sanitised(text: str) -> str:
    """Letters, marks, digits, spaces, ``-`` and ``_`` only, cut to what a search can bear; may be empty."""
    kept = "".join(letter if letter.isalnum() or _is_mark(letter) or letter in "-_" else " " for letter in text)
    words = (word.strip("-_") for word in kept.split())
    return " ".join(word for word in words if word)[:_LONGEST_QUERY].rstrip(" -_")


def distinct(queries: Iterable[str]) -> tuple[str, ...]:
    """The queries that hold words, each set of words once, in order."""
    seen: dict[frozenset[str], str] = {}
    for query in queries:
        words = frozenset(tokens(query))
        if words:
            seen.setdefault(words, query)
    return tuple(seen.values())


def without_names(text: str, names: Iterable[str]) -> str:
    """*text* without the names given: people's names drown what is said about them in a vector."""
    plain = text
    for name in names:
        genitive = "(?:['’]?s)?" if _has_bare_genitive(name, plain) else "(?:['’]s)?"
        text = re.sub(rf"(?<!\w){re.escape(name)}{genitive}(?!\w)", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def without_people(text: str, people: Collection[str]) -> str:
    """*text* without the names of these people, whole or given alone."""
    return without_names(text, (*people, *filter(None, map(given_name, people))))


def named_in(text: str, names: Iterable[str]) -> frozenset[str]:
    """Which of *names* stand in *text*."""
    plain = " ".join(text.split())
    low = plain.casefold()
    return frozenset(name for name in names if name.casefold() in low and without_names(plain, (name,)) != plain)


def people_named_in(text: str, people: Iterable[str]) -> frozenset[str]:
    """Which of *people* a *text* names, wholly or by their given name."""
    return frozenset(name for name in people if named_in(text, (name,)) or says_given_name(text, name))


def _has_bare_genitive(name: str, text: str) -> bool:
    """Whether "s" without an apostrophe says in *text* whose something is: "Mias Geburtstag"."""
    last = name.casefold().rpartition(" ")[2]
    return f"{last}s" in text.casefold() and f"{last}s" in forms_of_name(last, detect(text, fallback=UNKNOWN))


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter).startswith("M")


def is_entity(name: str) -> bool:
    """Whether a name is not only that of a role ("user", "assistant")."""
    return name_key(name) not in ROLES
