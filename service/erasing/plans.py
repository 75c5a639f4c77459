"""
What is being erased, on disk while that lasts: ``<home>/erasing/<mind>.whole.json`` or ``.part.json``.

Written before anything is touched and deleted when nothing is left, so that an erase that was killed half-way is
finished at the next start. It has to say what is looked for: it is the last place that holds the words.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from consolidation.kernel.files import replace_text, sync_folder
from service.erasing.receipt import Wish

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "erasing"


@dataclass(frozen=True, slots=True)
class Doomed:
    """A turn that is to be erased; ``episode`` is its uuid in the graph."""

    sequence: int
    turn_id: str
    session_id: str
    episode: str


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What is erased, since when, and by what it is known.

    ``words`` are those that nothing else of the mind says, as an index keeps them; ``forms`` some of them as they were
    written; ``said`` what was said; ``turns`` are empty where all of the mind goes.
    """

    wish: Wish
    began_at: datetime
    turns: tuple[Doomed, ...] = ()
    words: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Plans:
    """The plans of one home."""

    def __init__(self, home: Path) -> None:
        """Bind to *home*."""
        self._folder = home / FOLDER

    def write(self, plan: Plan) -> None:
        """Keep *plan*, durably. Raises OSError."""
        self._folder.mkdir(exist_ok=True, mode=0o700)
        replace_text(self._file(plan), json.dumps(asdict(plan), default=datetime.isoformat))
        sync_folder(self._folder)

    def drop(self, plan: Plan) -> None:
        """Forget *plan*: it is done. Raises OSError."""
        self._file(plan).unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            sync_folder(self._folder)
        with suppress(OSError):
            self._folder.rmdir()  # the last one has gone

    def all(self) -> tuple[Plan, ...]:
        """Every plan that was begun and not finished."""
        found = (_read(file) for file in sorted(self._folder.glob("*.json")))
        return tuple(plan for plan in found if plan is not None)

    def _file(self, plan: Plan) -> Path:
        return self._folder / f"{plan.wish.mind_id}.{'whole' if plan.wish.is_whole else 'part'}.json"


def _read(file: Path) -> Plan | None:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return Plan(
            Wish(**found["wish"]),
            datetime.fromisoformat(found["began_at"]),
            tuple(Doomed(**one) for one in found["turns"]),
            tuple(found["words"]),
            tuple(found["forms"]),
            tuple(found["said"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


class Erasures:
    """When minds were erased whose sessions stand elsewhere, too: ``<home>/erased.json``, by a digest of their ids."""

    def __init__(self, home: Path) -> None:
        """Bind to *home*."""
        self._file = home / "erased.json"

    def note(self, mind_id: str, at: datetime) -> None:
        """Remember when a mind was erased. Raises OSError."""
        replace_text(self._file, json.dumps({**self._read(), _digest(mind_id): at.timestamp()}))

    def at(self, mind_id: str) -> float:
        """When a mind was erased, in seconds since 1970; 0 where it never was."""
        return self._read().get(_digest(mind_id), 0.0)

    def _read(self) -> dict[str, float]:
        try:
            return {str(key): float(at) for key, at in json.loads(self._file.read_text(encoding="utf-8")).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def _digest(mind_id: str) -> str:
    return hashlib.blake2b(mind_id.encode(), digest_size=16).hexdigest()
