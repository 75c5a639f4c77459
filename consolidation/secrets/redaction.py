"""
Finds secrets in what people say by their form, and replaces each by a visible mark, ``[redacted: GitHub token]``.

Deterministic and linear in the text's length, whatever is in it. What is found is what a machine can be sure of:
key formats, private keys, payment cards, passwords that are called so. Nothing outside a mark is changed, and a text
that was redacted stays as it is when it is read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from consolidation.secrets.assignments import find_assigned
from consolidation.secrets.cards import find_cards
from consolidation.secrets.commands import find_in_commands
from consolidation.secrets.key_blocks import find_blocks
from consolidation.secrets.key_formats import find_keys
from consolidation.text.folding import folded
from consolidation.text.redaction_marks import mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

type Ids = Mapping[str, Ids | None]  # where ids stand in a JSON value: None for the text below a key

_FINDERS = (find_blocks, find_keys, find_assigned, find_in_commands, find_cards)
_PASSES = 4  # what a first look hid behind another secret


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and the kinds of these in their order."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str, *, keeps_lines: bool = False) -> Redacted:
    """*text* with each secret replaced by its mark; with every other line where it was, where it *keeps_lines*."""
    kinds: dict[str, None] = {}
    for _ in range(_PASSES):
        spans = _joined(_found(text))
        if not spans:
            break
        kinds.update(dict.fromkeys(kind for _, _, kind in spans))
        text = _marked(text, spans, keeps_lines=keeps_lines)
    return Redacted(text, tuple(kinds))


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    """Secrets as they are written, and as they are read: in letters of another width, or with unseen ones between."""
    for find in _FINDERS:
        yield from find(text)
    seen = folded(text)
    if seen is not None:
        for find in _FINDERS:
            for start, end, kind in find(seen.text):
                yield *seen.span(start, end), kind


def redact_value(value: object, *, ids: Ids | None = None) -> tuple[object, tuple[str, ...]]:
    """
    A JSON value with the secrets in its texts and keys replaced, and their kinds; a key says what its text is.

    A text below the keys of *ids* is an id and stays.
    """
    kinds: dict[str, None] = {}
    return _value(value, kinds, ids or {}), tuple(kinds)


def _value(value: object, kinds: dict[str, None], ids: Ids) -> object:
    if isinstance(value, str):
        found = redact(value)
        kinds.update(dict.fromkeys(found.kinds))
        return found.text
    if isinstance(value, dict):
        return {_value(key, kinds, {}): _named(key, inner, kinds, ids) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_value(inner, kinds, {}) for inner in value]
    return value


def _named(key: object, value: object, kinds: dict[str, None], ids: Ids) -> object:
    """A value below its key: ``{"password": "…"}`` says in two texts what ``password=…`` says in one."""
    below = ids.get(key, {}) if isinstance(key, str) else {}
    if not isinstance(key, str) or not isinstance(value, str):
        return _value(value, kinds, below or {})
    if below is None:
        return value
    lead = f'{key}="'
    for start, end, kind in chain.from_iterable(find(f'{lead}{value}"') for find in (find_assigned, find_cards)):
        if start == len(lead) and end == start + len(value):
            kinds[kind] = None
            return mark(kind)
    return _value(value, kinds, {})


def in_address(url: str) -> tuple[str, ...]:
    """What of an address must not be shown: its password and the values of its query, as written and as meant."""
    try:
        parts = urlsplit(url)
        found = [parts.password or "", *(value for _, value in parse_qsl(parts.query))]
    except ValueError:  # no address
        return ()
    found += [value for pair in parts.query.split("&") for value in (pair.partition("=")[2],)]
    return tuple(dict.fromkeys(one for each in found if each for one in (each, unquote(each))))


def without_secrets_of(url: str) -> str:
    """An address as it may be shown: without its user, password and query."""
    bare = url.partition("?")[0].partition("#")[0]
    scheme, colon, rest = bare.rpartition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{colon}{place.rpartition('@')[2]}{slash}{path}"


def _joined(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans in order, those that overlap as one, called what the first and longest is."""
    joined: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if joined and start < joined[-1][1]:
            first, last, known = joined[-1]
            joined[-1] = (first, max(last, end), known)
        else:
            joined.append((start, end, kind))
    return joined


def _marked(text: str, spans: list[tuple[int, int, str]], *, keeps_lines: bool) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        lines = "\n" * text.count("\n", start, end) if keeps_lines else ""
        parts += [text[at:start], mark(kind), lines]
        at = end
    return "".join((*parts, text[at:]))
