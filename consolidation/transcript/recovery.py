"""Reading a transcript's files back: whole turns, and what a power cut or a flipped bit left of others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.transcript.positions import Place
from consolidation.transcript.records import DamagedRecord, decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from consolidation.kernel.turns import Kept

TORN = "torn"


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that is not what was written; a copy of its bytes stands at ``aside``."""

    file: str
    offset: int
    length: int
    reason: str
    aside: str


def scan(file: Path) -> Iterator[tuple[Kept, Place] | Damage]:
    """
    Yield every line of *file* in order, whole or damaged; split on newline bytes only.

    A last line without its newline is sealed with one, so that the next append starts a line of its own.
    Damaged bytes are copied to ``torn/`` beside the file and stay where they are.
    """
    seal_end(file)
    offset = 0
    with file.open("rb") as lines:
        for raw in lines:
            line = raw.rstrip(b"\n")
            if line:
                yield _read(line, Place(file, offset, len(line)))
            offset += len(raw)


def seal_end(file: Path) -> None:
    """Make *file* end with a newline; an empty file is left alone."""
    with file.open("r+b") as handle:
        if handle.seek(0, os.SEEK_END) == 0:
            return
        handle.seek(-1, os.SEEK_END)
        if handle.read(1) != b"\n":
            handle.write(b"\n")
            handle.flush()
            os.fsync(handle.fileno())


def read_line(place: Place) -> Kept:
    """Read the turn at *place*. Raises DamagedRecord when the disk no longer holds it."""
    with place.file.open("rb") as handle:
        return decode(os.pread(handle.fileno(), place.length, place.offset))


def _read(line: bytes, place: Place) -> tuple[Kept, Place] | Damage:
    try:
        return decode(line), place
    except DamagedRecord as error:
        return Damage(place.file.name, place.offset, place.length, str(error), _set_aside(line, place))


def _set_aside(line: bytes, place: Place) -> str:
    folder = place.file.parent / TORN
    folder.mkdir(exist_ok=True, mode=0o700)
    aside = folder / f"{place.file.stem}-{place.offset}.txt"
    if not aside.exists():
        aside.write_bytes(line)
    return f"{TORN}/{aside.name}"
