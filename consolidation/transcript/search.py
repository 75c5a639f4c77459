"""
Looks for words in the lines of a transcript, newest turn first, without a pattern and without regard to case.

An accent typed as a letter of its own is the same as one that is part of its letter; so are the four letters i of
Turkish. A line is JSON that escapes few letters, and folding case changes no escape. So whole blocks of lines are
compared with the words as JSON writes them, and only a line that holds them is read as a turn. Nothing here may run on
the event loop.
"""

from __future__ import annotations

import json
import os
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.links import open_regular
from consolidation.transcript.records import DamagedRecord, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from consolidation.kernel.turns import Speaker, StoredTurn
    from consolidation.transcript.positions import Place

_DOT = "\u0307"  # above; İ in lower case is an i with it
_BLOCK_BYTES = 1 << 18  # other threads wait a few milliseconds for one


def in_blocks(places: Iterable[tuple[int, Place]]) -> Iterator[tuple[tuple[int, Place], ...]]:
    """Sequences with their places, which go backwards, in runs that one read of a file can take."""
    block: list[tuple[int, Place]] = []
    for sequence, place in places:
        newest = block[0][1] if block else place
        if place.file != newest.file or not 0 <= newest.offset - place.offset <= _BLOCK_BYTES:
            yield tuple(block)
            block = []
        block.append((sequence, place))
    if block:
        yield tuple(block)


def turns_holding(words: str, block: Sequence[tuple[int, Place]], *, role: Speaker | None) -> Iterator[StoredTurn]:
    """The whole turns of a block that may hold *words*, and a message of *role*, in its order. Raises OSError."""
    needle = _folded(json.dumps(words, ensure_ascii=False)[1:-1])
    speaks = f'"role":"{role.value}"'.encode() if role is not None else b""
    places = [place for _, place in block]
    start = min(place.offset for place in places)
    end = max(place.offset + place.length for place in places)
    with open_regular(places[0].file) as file:
        read = os.pread(file.fileno(), end - start, start)
    if needle not in _folded(read.decode(errors="replace")):
        return
    for place in places:
        line = read[place.offset - start : place.offset - start + place.length]
        if speaks in line and needle in _folded(line.decode(errors="replace")):
            with suppress(DamagedRecord):  # reported by whoever reads the turn for its own sake
                yield decode(line)


def span_of(words: str, text: str) -> tuple[int, int] | None:
    """Where *words* first stand in *text*, whatever their case; None where they do not."""
    wanted, folded = _folded(words), _folded(text)
    found = folded.find(wanted)
    if found < 0:
        return None
    if len(folded) == len(text) and unicodedata.is_normalized("NFC", text) and _DOT not in text:
        return found, found + len(wanted)
    places, ends, length = [0], list[int](), 0
    for letter in _letters(text):  # may fold into several, or be written as several
        length += len(_folded(letter))
        ends.append(length)
        places.append(places[-1] + len(letter))
    first = next(at for at, end in enumerate(ends) if end > found)
    last = next(at for at, end in enumerate(ends) if end >= found + len(wanted))
    return places[first], places[last + 1]


def _letters(text: str) -> Iterator[str]:
    """The letters of *text*, each with what is written behind it and belongs to it: accents, the parts of a Hangul."""
    letter = ""
    for character in text:
        if letter and not (unicodedata.combining(character) or _composes(letter, character)):
            yield letter
            letter = ""
        letter += character
    if letter:
        yield letter


def _composes(letter: str, character: str) -> bool:
    if letter.isascii():
        return False
    apart = unicodedata.normalize("NFC", letter) + unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", letter + character) != apart


def _folded(text: str) -> str:
    """*text* in one case, accents as parts of their letters, İ, I, ı and i alike."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).casefold().replace(f"i{_DOT}", "i").replace("ı", "i")
