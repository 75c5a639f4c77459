"""The values of a run: whose story is told, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, StoryUnwritable
from consolidation.kernel.ports import Usage

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.errors import MemoryFault
    from consolidation.story.narrator import Voice
    from consolidation.story.storyfile import StoryFile
    from consolidation.transcript.log import Transcript


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose story it is: its transcript, its file, the ledger beside it, and who tells."""

    transcript: Transcript
    file: StoryFile
    ledger: Path
    voice: Voice


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was read from files before telling: how many files and turns, how many were new, what gave no turn."""

    files: int = 0
    turns: int = 0
    new: int = 0
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """
    One run: why it ran, how far it came, and why it stopped; ``error`` is None when nothing failed.

    ``turns`` were due, ``told`` of them are told; ``chapters`` were added, ``compressed`` were made shorter;
    ``is_of_disk``: the disk failed.
    """

    trigger: str
    started_at: datetime
    ended_at: datetime | None = None
    turns: int = 0
    told: int = 0
    chapters: int = 0
    compressed: int = 0
    reason: str = ""
    error: str | None = None
    is_of_disk: bool = False
    usage: Usage = field(default_factory=Usage)
    gathered: Gathered | None = None


def failed(run: Run, error: MemoryFault | OSError) -> Run:
    """*run* with what stopped it."""
    reason = f"{type(error).__name__}: {error}"
    return replace(run, error=reason, is_of_disk=isinstance(error, OSError | HomeFault | StoryUnwritable))
