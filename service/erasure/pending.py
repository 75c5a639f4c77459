"""
Erasures that are not finished, on disk: ``<home>/erasing/<mind>.whole.json`` or ``.part.json``.

A plan is written before anything is touched and deleted when nothing is left. An erasure that was killed half-way is
therefore finished at the next start. The plan must name what to search for, so it is the last place that holds the
erased words.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from consolidation.kernel.files import exclusive, remove, replace_text, sync_folder
from consolidation.kernel.shared_files import stamp_of, until_unchanged
from service.erasure.receipt import ErasureRequest
from service.workers.share import WHOLE

if TYPE_CHECKING:
    from pathlib import Path

    from service.workers.share import Share

FOLDER = "erasing"
_LOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class DoomedTurn:
    """A turn that is to be erased; ``episode`` is its uuid in the graph."""

    sequence: int
    turn_id: str
    session_id: str
    episode: str


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """
    What is to be erased, and how its traces are recognised.

    ``words`` are stems that nothing else in the mind contains; ``forms`` are some of them as they were written.
    ``messages`` are the texts of the turns. ``turns`` is empty if the whole mind goes, or a session of which nothing
    but pre-turn calls was kept. ``by`` is who asked for it.
    """

    request: ErasureRequest
    began_at: datetime
    turns: tuple[DoomedTurn, ...] = ()
    words: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    by: str = ""


class PendingErasures:
    """The plans of one home, for the minds of a share of it."""

    def __init__(self, home: Path, *, share: Share = WHOLE) -> None:
        self._folder = home / FOLDER
        self._share = share

    def write(self, plan: ErasurePlan) -> None:
        """Store *plan* durably. Raises OSError."""
        self._folder.mkdir(exist_ok=True, mode=0o700)
        replace_text(self._file(plan), _encoded(plan))

    def drop(self, plan: ErasurePlan) -> None:
        """Delete *plan*: it is finished. Raises OSError."""
        remove(self._file(plan))
        with suppress(FileNotFoundError):
            sync_folder(self._folder)
        if self._share.is_whole:  # else another process may be about to write a plan
            with suppress(OSError):
                self._folder.rmdir()  # succeeds when the last plan has gone

    def all(self) -> tuple[ErasurePlan, ...]:
        """Every plan that was begun and not finished."""
        found = (_decoded(file) for file in sorted(self._folder.glob("*.json")))
        return tuple(plan for plan in found if plan is not None and self._share.owns(plan.request.mind_id))

    def has_whole(self, mind_id: str) -> bool:
        """Whether the erasure of a whole mind is not finished."""
        return (self._folder / f"{mind_id}.whole.json").exists()

    def has_any(self, mind_id: str) -> bool:
        """Whether any erasure of a mind is not finished."""
        return self.has_whole(mind_id) or (self._folder / f"{mind_id}.part.json").exists()

    def is_unfinished(self, plan: ErasurePlan) -> bool:
        """Whether *plan* is there still; a process that shares the home may have dropped it. Raises OSError."""
        file = self._file(plan)
        try:
            file.lstat()
        except FileNotFoundError:
            return False
        found = _decoded(file)
        return found is None or found.began_at == plan.began_at  # one that can not be read now may be this one

    def _file(self, plan: ErasurePlan) -> Path:
        return self._folder / f"{plan.request.mind_id}.{'whole' if plan.request.is_whole else 'part'}.json"


# The keys of the file are those of the first release, so that an erasure outlives an upgrade: "wish" is the request,
# "said" the messages.


def _encoded(plan: ErasurePlan) -> str:
    found = asdict(plan)
    found["wish"], found["said"] = found.pop("request"), found.pop("messages")
    return json.dumps(found, default=datetime.isoformat)


def _decoded(file: Path) -> ErasurePlan | None:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return ErasurePlan(
            ErasureRequest(**found["wish"]),
            datetime.fromisoformat(found["began_at"]),
            tuple(DoomedTurn(**turn) for turn in found["turns"]),
            tuple(found["words"]),
            tuple(found["forms"]),
            tuple(found["said"]),
            str(found.get("by", "")),  # earlier releases did not write it
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


class ErasedMinds:
    """
    When minds were erased whose session files lie elsewhere, so that those files are not read in again.

    Stored in ``<home>/erased.json`` by a digest of the mind's id, since the id itself was erased.
    """

    def __init__(self, home: Path) -> None:
        self._file = home / "erased.json"

    def note(self, mind_id: str, at: datetime) -> None:
        """Remember when a mind was erased. Raises Locked, OSError."""
        until_unchanged(lambda: self._note(mind_id, at))

    def _note(self, mind_id: str, at: datetime) -> None:
        with exclusive(self._file, seconds=_LOCK_SECONDS):  # another worker may note one of its minds
            seen = stamp_of(self._file)
            replace_text(self._file, json.dumps({**self._read(), _digest(mind_id): at.timestamp()}), seen=seen)

    def at(self, mind_id: str) -> float:
        """When a mind was erased, in seconds since 1970; 0 if it never was."""
        return self._read().get(_digest(mind_id), 0.0)

    def _read(self) -> dict[str, float]:
        try:
            return {str(key): float(at) for key, at in json.loads(self._file.read_text(encoding="utf-8")).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def _digest(mind_id: str) -> str:
    return hashlib.blake2b(mind_id.encode(), digest_size=16).hexdigest()
