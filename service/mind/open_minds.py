"""Which minds a process may open, and how many at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.workers.share import WHOLE

if TYPE_CHECKING:
    from consolidation.story.triggers import TriggerThresholds
    from service.ports.shared_home import SeveralMachines
    from service.workers.share import Share


@dataclass(frozen=True, slots=True)
class OpenMinds:
    """
    Which minds this process may open, how many at once, and for how many seconds one that nobody uses; 0 sets no limit.

    ``story`` says when the story of a closed one is due, for which it is opened again; None for never. Where
    ``several`` machines share the home, what it is made of is stored elsewhere, and this process works on some of its
    minds in the background.
    """

    most: int = 0
    idle_seconds: float = 0
    story: TriggerThresholds | None = None
    share: Share = WHOLE
    several: SeveralMachines | None = None


UNLIMITED = OpenMinds()
