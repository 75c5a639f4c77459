"""
Takes the words of some turns out of a transcript's file: the one exception to append-only.

A changed copy replaces the file, whole or not at all. Every line keeps its place and its length, so that a reader that
already knows where a turn is still finds it there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from typing import TYPE_CHECKING

from consolidation.kernel.files import replacing
from consolidation.transcript.recovery import TORN

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn
    from consolidation.transcript.positions import Place, Positions
    from consolidation.transcript.recovery import Damage

_QUOTED = 48  # characters of a message that identify a torn copy of it
_TELLING = 12
_TEXT = rb'("(?:[^"\\]|\\.)*")'
_HEAD = re.compile(rb'\{"sequence":(\d+),"turn_id":' + _TEXT + rb',"session_id":' + _TEXT)


def overwrite(file: Path, parts: Mapping[int, bytes]) -> None:
    """Write *parts* over the bytes at their offsets, atomically and durably."""
    with file.open("rb") as old, replacing(file) as new:
        os.fchmod(new.fileno(), stat.S_IMODE(os.fstat(old.fileno()).st_mode))
        shutil.copyfileobj(old, new)
        for offset, part in parts.items():
            new.seek(offset)
            new.write(part)


def signs_of(turns: Iterable[StoredTurn], *, session_id: str | None) -> tuple[bytes, ...]:
    """The bytes that betray a damaged line as a copy of one of *turns*, or as part of a session."""
    signs = [f'"session_id":{_json(session_id)}'] if session_id is not None else []
    for kept in turns:
        signs.append(f'"turn_id":{_json(kept.turn.turn_id)}')
        quoted = (_json(message.content[:_QUOTED])[1:-1] for message in kept.turn.messages)
        signs += [part for part in quoted if len(part) >= _TELLING]
    return tuple(sign.encode("utf-8", "surrogatepass") for sign in signs)


def damaged_parts(folder: Path, damage: Damage, positions: Positions, signs: Sequence[bytes]) -> dict[int, bytes]:
    """What to write over a damaged line that holds one of *signs*; whole turns inside it stay."""
    file = folder / damage.file
    end = damage.offset + damage.length
    with file.open("rb") as handle:
        line = os.pread(handle.fileno(), damage.length, damage.offset)
    whole = positions.within(file, damage.offset, end)
    gaps = list(_gaps(damage.offset, end, whole))
    torn = b"\n".join(line[start - damage.offset : stop - damage.offset] for start, stop in gaps)
    if not any(sign in torn for sign in signs):
        return {}
    return {start: b"\n" * (stop - start) for start, stop in gaps}  # empty lines, which a reader passes over


def spare_lines(
    file: Path, positions: Positions, turn_ids: Container[str], *, session_id: str | None
) -> dict[int, bytes]:
    """What to write over whole lines of these turns that no position points at: a failed write may have left one."""
    found: dict[int, bytes] = {}
    offset = 0
    with file.open("rb") as lines:
        for raw in lines:
            head = _HEAD.match(raw)
            if head is not None and _is_of(head, turn_ids, session_id):
                place = positions.place(int(head[1]))
                if place is None or (place.file, place.offset) != (file, offset):
                    found[offset] = b"\n" * (len(raw) - 1)
            offset += len(raw)
    return found


def drop_torn(folder: Path, signs: Sequence[bytes]) -> tuple[str, ...]:
    """Delete the copies of damaged lines that hold one of *signs*. Returns their names, as in ``Damage.aside``."""
    gone = []
    for aside in sorted((folder / TORN).glob("*.txt")):
        content = aside.read_bytes()
        if any(sign in content for sign in signs):
            aside.unlink()
            gone.append(f"{TORN}/{aside.name}")
    return tuple(gone)


def _is_of(head: re.Match[bytes], turn_ids: Container[str], session_id: str | None) -> bool:
    """Whether a line that begins with *head* is of one of these turns. A damaged one is not a whole line of any."""
    try:
        return json.loads(head[2]) in turn_ids or json.loads(head[3]) == session_id
    except ValueError:
        return False


def _gaps(start: int, end: int, places: Sequence[Place]) -> Iterable[tuple[int, int]]:
    for place in places:
        if start < place.offset:
            yield start, place.offset
        start = place.offset + place.length
    if start < end:
        yield start, end


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
