"""How many minds a caller may begin: each holds files and memory for good, and any name that is posted begins one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import RateLimited
from service.access.principal import OWNER
from service.access.rate_limit import RateLimit

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.access.principal import Principal
    from service.mind.minds import Minds

_SECONDS = 60


class NewMinds:
    """Counts the minds that each caller begins. The command line of this machine is not counted."""

    def __init__(self, minds: Minds, *, most_per_minute: int, clock: Clock) -> None:
        """*most_per_minute* of 0 sets no limit."""
        self._minds = minds
        self._clock = clock
        self._begun: dict[tuple[str, str], float] = {}  # what was counted in the last minute, by caller and mind
        self._rate = RateLimit(most_per_minute, clock=clock, seconds=_SECONDS)

    async def check(self, mind_id: str, *, by: Principal) -> None:
        """Count *mind_id*, if it is new. Raises RateLimited, InvalidMindId."""
        workspace = self._minds.workspace(mind_id)
        if by == OWNER or self._minds.get(mind_id) is not None:
            return
        if await anyio.to_thread.run_sync(lambda: workspace.exists):
            return
        now = self._clock.monotonic()
        self._begun = {known: at for known, at in self._begun.items() if at > now - _SECONDS}
        if (by.name, mind_id) in self._begun:
            return
        seconds = self._rate.wait(by.name)
        if seconds:
            raise RateLimited("this caller begins too many new minds", seconds=seconds)
        self._begun[by.name, mind_id] = now
