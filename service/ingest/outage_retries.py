"""
Has the turns that an outage parked tried again, without anybody asking for it.

The outage is over once any turn of any mind was read: then each of them is tried. As long as none is read, perhaps
since nobody says anything, one of them is tried as a probe after a pause, which grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.ingest.parking import is_for_outage, is_over, is_to_be_probed
from service.mind.health import LaneName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from consolidation.kernel.ports import Clock
    from service.ingest.backoff import Backoff
    from service.ingest.extraction_lane import ExtractionLane
    from service.mind.minds import Mind, Minds
    from service.ports.graph import Parked
    from service.runtime.background import Background


class OutageRetries:
    """Looks at the open minds; one whose turns an outage parked stays open until they were tried again."""

    def __init__(
        self,
        minds: Minds,
        *,
        lane: ExtractionLane,
        try_again: Callable[[Mind, int], None],
        clock: Clock,
        background: Background,
        backoff: Backoff,
        look_seconds: float,
    ) -> None:
        """
        *try_again* begins to try a mind's turns that an outage parked, from a sequence on. *backoff* gives the pauses
        between probes. The minds are looked at every *look_seconds*.
        """
        self._minds = minds
        self._lane = lane
        self._try_again = try_again
        self._clock = clock
        self._background = background
        self._backoff = backoff
        self._look_seconds = look_seconds
        self._probe_at: float | None = None  # None while there is nothing to try
        self._probes = 0

    async def run(self) -> None:
        """Look again and again. Never returns."""
        while await self._background.pause(self._look_seconds):
            self._look()

    def probe_soon(self) -> None:
        """Try a turn at the next look: a dependency works again, and the outage may have been its own."""
        if self._probe_at is not None:
            self._probe_at = 0.0

    def _look(self) -> None:
        waiting = tuple(self._waiting())
        read_at, now = self._lane.read_at, self._clock.now()
        for mind in {mind.mind_id: mind for mind, one in waiting if is_over(one, read_at=read_at)}.values():
            self._try_again(mind, 0)
        self._probe([(mind, one) for mind, one in waiting if is_to_be_probed(one, read_at=read_at, now=now)])

    def _waiting(self) -> Iterator[tuple[Mind, Parked]]:
        """The turns that an outage parked, of minds whose lane does not ask the model anyway."""
        for mind in self._minds.opened():
            if self._minds.custody.holds(mind.mind_id) and not mind.lag(LaneName.EXTRACTING):
                yield from ((mind, one) for one in mind.health.parked if is_for_outage(one))

    def _probe(self, found: list[tuple[Mind, Parked]]) -> None:
        """Try one of the turns that were *found*, each time another one, when the pause is over."""
        if not found:
            self._backoff.reset()
            self._probe_at = None
            return
        now = self._clock.monotonic()
        if self._probe_at is not None and now < self._probe_at:
            return
        if self._probe_at is not None:
            mind, one = found[self._probes % len(found)]
            self._probes += 1
            self._try_again(mind, one.sequence)
        self._probe_at = now + self._backoff.next_seconds()
