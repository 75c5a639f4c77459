"""Reads files of one record a line: whole records, and what a power cut or a flipped bit left of others."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.kernel.files import append_synced, replace_bytes
from consolidation.kernel.links import open_regular
from consolidation.transcript.positions import Place
from consolidation.transcript.records import DamagedRecord, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn

TORN = "torn"
_END = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_MOST_ENDS = 4  # metadata may hold what looks like an end
_REMEMBERED, _LONGEST_REMEMBERED = 4_000, 4_000  # lines of all minds that were read lately, and the bytes of one


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that is not what was written; ``aside`` is the file with a copy of its bytes."""

    file: str
    offset: int
    length: int
    reason: str
    aside: str


@dataclass(frozen=True, slots=True)
class Format[T]:
    """How one record is read from a line, without its newline, or DamagedRecord is raised; how each line begins."""

    decode: Callable[[bytes], T]
    beginning: re.Pattern[bytes]


TURNS = Format(decode, re.compile(rb'\{"sequence":'))


def scan(file: Path) -> Iterator[tuple[StoredTurn, Place] | Damage]:
    """Yield every line of a transcript's *file*, as ``scan_lines`` does."""
    return scan_lines(file, TURNS, torn=file.parent / TORN)


def scan_lines[T](file: Path, form: Format[T], *, torn: Path) -> Iterator[tuple[T, Place] | Damage]:
    """
    Yield every line of *file* in order, whole or damaged; split on newline bytes only.

    A last line without a newline gets one, so that the next append starts a line of its own. Damaged bytes are copied
    to the folder *torn* and stay where they are. Whole records among them follow the damage: sometimes only the
    newline between two of them broke.
    """
    seal_end(file)
    offset = 0
    with open_regular(file) as lines:
        for raw in lines:
            line = raw.rstrip(b"\n")
            if line:
                yield from _read(line, Place(file, offset, len(line)), form, torn)
            offset += len(raw)


def seal_end(file: Path) -> None:
    """Make *file* end with a newline. A file that does already, or is empty, is not written."""
    with open_regular(file) as handle:
        if handle.seek(0, os.SEEK_END) == 0:
            return
        handle.seek(-1, os.SEEK_END)
        if handle.read(1) == b"\n":
            return
    append_synced(file, b"\n")


def read_lines(places: Iterable[Place]) -> list[StoredTurn | Damage]:
    """Read the turns at *places*, in order, or what the disk holds there now."""
    read: list[StoredTurn | Damage] = []
    with ExitStack() as stack:
        handles: dict[Path, int] = {}
        for place in places:
            if place.file not in handles:
                handles[place.file] = stack.enter_context(open_regular(place.file)).fileno()
            line = os.pread(handles[place.file], place.length, place.offset)
            try:
                read.append(_decoded(line) if len(line) <= _LONGEST_REMEMBERED else decode(line))
            except DamagedRecord as error:
                read.append(_damage(line, place, error, torn=place.file.parent / TORN))
    return read


# The same few turns come up again and again. What the disk holds is read each time, and only its meaning remembered.
_decoded = lru_cache(maxsize=_REMEMBERED)(decode)


def forget_lines() -> None:
    """Drop every line that is remembered here: one of them is to be erased."""
    _decoded.cache_clear()


def _read[T](line: bytes, place: Place, form: Format[T], torn: Path) -> Iterator[tuple[T, Place] | Damage]:
    try:
        yield form.decode(line), place
    except DamagedRecord as error:
        yield _damage(line, place, error, torn=torn)
        yield from _whole_among(line, place, form)


def _whole_among[T](line: bytes, place: Place, form: Format[T]) -> Iterator[tuple[T, Place]]:
    after = 0
    for beginning in form.beginning.finditer(line):
        start = beginning.start()
        for end in islice(_END.finditer(line, start), _MOST_ENDS if start >= after else 0):
            try:
                found = form.decode(line[start : end.end()])
            except DamagedRecord:
                continue
            yield found, Place(place.file, place.offset + start, end.end() - start)
            after = end.end()
            break


def _damage(line: bytes, place: Place, error: DamagedRecord, *, torn: Path) -> Damage:
    aside = torn / f"{place.file.stem}-{place.offset}.txt"
    with suppress(OSError):  # a full disk keeps no copy; the bytes stay where they are
        aside.parent.mkdir(exist_ok=True, mode=0o700)
        if not aside.exists():
            replace_bytes(aside, line)
    return Damage(place.file.name, place.offset, place.length, str(error), f"{TORN}/{aside.name}")
