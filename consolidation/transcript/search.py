"""
Looks for words in the lines of a transcript, newest turn first, without a pattern and without regard to case.

A line is JSON that escapes few letters, and folding case changes no escape. So whole blocks of lines are compared with
the words as JSON writes them, and only a line that holds them is read as a turn. Nothing here may run on the event
loop.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.kernel.links import open_regular
from consolidation.transcript.records import DamagedRecord, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from consolidation.kernel.turns import Speaker, StoredTurn
    from consolidation.transcript.positions import Place

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
    needle = json.dumps(words.casefold(), ensure_ascii=False)[1:-1]
    speaks = f'"role":"{role.value}"'.encode() if role is not None else b""
    places = [place for _, place in block]
    start = min(place.offset for place in places)
    end = max(place.offset + place.length for place in places)
    with open_regular(places[0].file) as file:
        read = os.pread(file.fileno(), end - start, start)
    if needle not in _folded(read):
        return
    for place in places:
        line = read[place.offset - start : place.offset - start + place.length]
        if speaks in line and needle in _folded(line):
            with suppress(DamagedRecord):  # reported by whoever reads the turn for its own sake
                yield decode(line)


def span_of(words: str, text: str) -> tuple[int, int] | None:
    """Where *words* first stand in *text*, whatever their case; None where they do not."""
    wanted, folded = words.casefold(), text.casefold()
    found = folded.find(wanted)
    if found < 0:
        return None
    if len(folded) == len(text):
        return found, found + len(wanted)
    ends, length = list[int](), 0  # a letter may fold into several
    for letter in text:
        length += len(letter.casefold())
        ends.append(length)
    first = next(at for at, end in enumerate(ends) if end > found)
    last = next(at for at, end in enumerate(ends) if end >= found + len(wanted))
    return first, last + 1


def _folded(line: bytes) -> str:
    return line.decode(errors="replace").casefold()
