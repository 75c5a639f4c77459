"""How far one mind's story is, as far as the service knows without reading a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import StoryUnreadable
from consolidation.story.ledger import StoryLedger, read_ledger

if TYPE_CHECKING:
    from consolidation.story.run import Run
    from consolidation.transcript.positions import Positions
    from consolidation.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PendingTurns:
    """Turns that are not narrated yet, and the tokens in them."""

    turns: int = 0
    tokens: int = 0


@dataclass(slots=True)
class StoryProgress:
    """
    How far the story is, and how its runs went since the service began. Times are of the monotonic clock, in seconds.

    ``sequence`` is the last turn that is narrated. ``owed`` are turns below it that must be narrated again, since
    their chapter went with an erased turn. ``runs`` counts the runs that are under way or wait for another one.
    ``failures`` are those in a row. ``is_checked`` says whether the story on disk follows what was erased and put
    right until now.
    """

    sequence: int
    last_turn_at: float
    owed: PendingTurns = PendingTurns()
    last_run: Run | None = None
    runs: int = 0
    failures: int = 0
    failed_at: float = 0.0
    is_checked: bool = False

    @property
    def is_running(self) -> bool:
        """Whether a run is under way, or waits for another one to end."""
        return self.runs > 0

    def pending(self, positions: Positions) -> PendingTurns:
        """What of the transcript with these *positions* is not narrated yet."""
        return PendingTurns(
            positions.remembered_after(self.sequence) + self.owed.turns,
            positions.tokens_after(self.sequence) + self.owed.tokens,
        )


def read_progress(workspace: Workspace, *, now: float) -> StoryProgress:
    """The progress that was written down beside the story, as far as it can be read; call it in a worker thread."""
    try:
        ledger = read_ledger(workspace.published)
    except StoryUnreadable:  # the next run tells of it
        ledger = StoryLedger()
    return StoryProgress(sequence=ledger.sequence or 0, last_turn_at=now)
