"""What is known of a mind while it is open: how far its lanes are, why one waits, what is parked, what models cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Usage

if TYPE_CHECKING:
    from service.ports.graph import Parked


class LaneName(StrEnum):
    """The three lanes of a mind, in the order in which a turn goes through them."""

    INDEXING = "indexing"
    SAVING = "saving"
    EXTRACTING = "extracting"


@dataclass(slots=True)
class LaneState:
    """
    How far one lane is.

    ``cursor`` is the sequence of the last turn that the lane is done with, as it was last seen. ``waiting_for`` is why
    the lane waits and tries again; None while nothing fails.
    """

    cursor: int = 0
    waiting_for: str | None = None


@dataclass(slots=True)
class Health:
    """
    The state of each lane, the turns that no model could read, and the cost of the mind's model calls.

    ``awaits_end_of_outage`` says that some were parked only because a provider was away: they are to be tried again.
    ``embedder`` is the stored name of the one that made the vectors of its graph, once that was looked at.
    ``news`` is how often turns came from another machine, and ``followed`` how many of these times a lane has looked
    since what the graph has of them, and made their vectors here.
    """

    lanes: dict[LaneName, LaneState] = field(default_factory=lambda: {name: LaneState() for name in LaneName})
    parked: tuple[Parked, ...] = ()
    awaits_end_of_outage: bool = False
    usage: Usage = field(default_factory=Usage)
    embedder: str | None = None
    news: int = 0
    followed: int = 0

    @property
    def has_news(self) -> bool:
        """Whether turns came from another machine that no lane has looked for in the graph yet."""
        return self.followed < self.news

    @property
    def waiting_for(self) -> str | None:
        """Why the first of the lanes that wait does so; None while nothing fails."""
        return next((lane.waiting_for for lane in self.lanes.values() if lane.waiting_for is not None), None)
