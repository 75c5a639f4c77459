"""How many minds a caller may begin: each holds files and memory for good, and any name that is posted begins one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from consolidation.kernel.errors import RateLimited
from service.access.principal import OWNER
from service.access.rate_limit import RateLimit

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.access.principal import Principal
    from service.mind.minds import Minds

_SECONDS = 60
NEW_MIND = "new_mind"  # the question to the process in front of several workers


class CountElsewhere(Protocol):
    """Counts a new mind in another process, and returns how many seconds the caller has to wait."""

    async def __call__(self, mind_id: str, /, *, by: str) -> int: ...


class NewMinds:
    """Counts the minds that each caller begins. The command line of this machine is not counted."""

    def __init__(
        self, minds: Minds, *, most_per_minute: int, clock: Clock, count_elsewhere: CountElsewhere | None
    ) -> None:
        """*most_per_minute* of 0 sets no limit. *count_elsewhere* counts in place of this process."""
        self._minds = minds
        self._clock = clock
        self._count_elsewhere = count_elsewhere
        self._begun: dict[tuple[str, str], float] = {}  # what was counted in the last minute, by caller and mind
        self._rate = RateLimit(most_per_minute, clock=clock, seconds=_SECONDS)

    async def check(self, mind_id: str, *, by: Principal) -> None:
        """Count *mind_id*, if it is new. Raises RateLimited, InvalidMindId, WorkerUnavailable."""
        workspace = self._minds.workspace(mind_id)
        if by == OWNER or self._minds.get(mind_id) is not None:
            return
        if self._minds.copies is not None:  # a mind that is there has no copy here before its first use
            is_there = mind_id in self._minds.known()
        else:
            is_there = await anyio.to_thread.run_sync(lambda: workspace.exists)
        if is_there:
            return
        count = self._count_elsewhere or self.count
        seconds = await count(mind_id, by=by.name)
        if seconds:
            raise RateLimited("this caller begins too many new minds", seconds=seconds)

    async def count(self, mind_id: str, /, *, by: str) -> int:
        """Count a new mind, unless the caller has too many: then return how many seconds it has to wait."""
        now = self._clock.monotonic()
        self._begun = {known: at for known, at in self._begun.items() if at > now - _SECONDS}
        if (by, mind_id) in self._begun:
            return 0
        seconds = self._rate.wait(by)
        if not seconds:
            self._begun[by, mind_id] = now
        return seconds
