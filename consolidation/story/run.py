"""The values of a run: which story is narrated, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from consolidation.kernel.checked_answer import UNUSABLE
from consolidation.kernel.errors import HomeFault, StoryUnwritable
from consolidation.kernel.ports import Usage
from consolidation.kernel.sharing_errors import ChangedElsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime
    from pathlib import Path

    from consolidation.corrections.correction_log import CorrectionLog
    from consolidation.kernel.errors import MemoryFault
    from consolidation.story.storyfile import StoryFile
    from consolidation.transcript.log import Transcript

_MOST_REASONS = 20


@dataclass(frozen=True, slots=True)
class MindStory:
    """One mind's story and what it is made of: transcript, STORY.md, the ledger beside it, what people put right."""

    transcript: Transcript
    file: StoryFile
    ledger: Path
    corrections: CorrectionLog | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was imported before narrating: how many files and turns, how many were new, and what gave no turn."""

    files: int = 0
    turns: int = 0
    new: int = 0
    skipped: tuple[str, ...] = ()

    def plus(self, *, files: int = 0, turns: int = 0, new: int = 0, skipped: Iterable[str] = ()) -> Gathered:
        """This and more of it; of the reasons in *skipped* only the first twenty are kept."""
        reasons = (*self.skipped, *skipped)[:_MOST_REASONS]
        return Gathered(self.files + files, self.turns + turns, self.new + new, reasons)


@dataclass(frozen=True, slots=True)
class Run:
    """
    One run: why it started, how far it came, and why it stopped. ``error`` is None when nothing failed.

    ``turns`` were pending, ``narrated`` is how many of them are done, ``quoted`` how many of these chapters quote since
    no model told them as it should. ``chapters`` were appended, ``compressed`` were made shorter. ``refused`` has the
    newest reasons why an answer of a model was refused, ``refusals`` counts all of them. ``received`` is how many
    characters have come of the answer that is being written; 0 between answers. ``disk_failed``: the error was the
    disk's. ``was_overtaken``: it was that another process wrote meanwhile. ``was_refused``: it was that no model wrote
    what can be used. ``was_quoted``: the same, but the run went on.
    """

    trigger: str
    started_at: datetime
    ended_at: datetime | None = None
    turns: int = 0
    narrated: int = 0
    quoted: int = 0
    chapters: int = 0
    compressed: int = 0
    reason: str = ""
    refused: tuple[str, ...] = ()
    refusals: int = 0
    received: int = 0
    error: str | None = None
    disk_failed: bool = False
    was_overtaken: bool = False
    was_refused: bool = False
    was_quoted: bool = False
    usage: Usage = field(default_factory=Usage)
    gathered: Gathered | None = None


class RunInProgress:
    """A run that goes on: each change makes a new ``Run``, which is *reported* at once."""

    def __init__(self, run: Run, reported: Callable[[Run], None]) -> None:
        self.run = run
        self._reported = reported

    def advance(self, **changes: Any) -> None:  # noqa: ANN401 - the fields of a run
        """Put *changes* into the run."""
        self.run = replace(self.run, **changes)
        self._reported(self.run)

    def receive(self, characters: int) -> None:
        """So much has come of the answer that is being written."""
        self.advance(received=characters)

    def answered(self, usage: Usage) -> None:
        """An answer is there, or will not come; it cost *usage*, whatever becomes of it."""
        self.advance(received=0, usage=self.run.usage + usage)

    def quote(self, turns: Collection[int]) -> None:
        """These turns are quoted, since no model told them as it should: none of a batch where all was small talk."""
        self.advance(quoted=self.run.quoted + len(turns), was_quoted=True)

    def refuse(self, reason: str) -> None:
        """An answer could not be used."""
        self.advance(refused=(*self.run.refused, reason)[-_MOST_REASONS:], refusals=self.run.refusals + 1)


def failed(run: Run, error: MemoryFault | OSError) -> Run:
    """*run* with the error that stopped it."""
    reason = f"{type(error).__name__}: {error}"
    return replace(
        run,
        error=reason,
        disk_failed=isinstance(error, OSError | HomeFault | StoryUnwritable),
        was_overtaken=isinstance(error, ChangedElsewhere),
        was_refused=isinstance(error, UNUSABLE),
    )
