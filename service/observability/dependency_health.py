"""
What the service depends on and may lose: graph, embedder, models, disk. Whether each works, and if not, why.

It is logged once when trouble begins and once when it ends, however many minds and calls meet it meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NO_TROUBLE = "ready"
GRAPH, EMBEDDER, DISK = "graph", "embedder", "disk"
DATABASE = "database"  # only where a home is shared
WARM_UP = "warm-up"  # a part of readiness beside them
_FRESH_SECONDS = 120.0  # trouble that nobody has met for so long may be over, though nobody tried: it counts no more

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Trouble:
    reason: str
    since: float
    seen: float
    stays: bool


class Dependency:
    """
    One dependency. Its trouble may have parts (one mind's file, writing alone) and is over when every part works again.

    It may consist of ``shards``: dependencies of their own, for each of which some minds are served. Trouble of all of
    them is its own. ``breaker_state`` returns the state of its circuit breaker; None where it has none.
    """

    def __init__(self, name: str, *, monotonic: Callable[[], float], recovered: Callable[[], None]) -> None:
        """*recovered* is called when the trouble is over."""
        self.name = name
        self.breaker_state: Callable[[], str] | None = None
        self.shards: Mapping[str, Dependency] = {}
        self._monotonic = monotonic
        self._recovered = recovered
        self._troubles: dict[str, _Trouble] = {}
        self._mended_since: float | None = None  # the start of an outage that goes on elsewhere

    def failed(self, reason: str, *, part: str = "", stays: bool = False, is_logged: bool = False) -> None:
        """
        Report trouble. *reason* is shown to the operator: it must hold nobody's words and no mind's name.

        Trouble that *stays* counts until the part works, although nobody meets it meanwhile: a person has to mend it.
        Trouble that *is_logged* by the caller is not logged here.
        """
        now = self._monotonic()
        known = self._troubles.get(part)
        if known is None and not self._fresh():
            self._mended_since = None
            if not is_logged:
                log.warning("dependency.failed", dependency=self.name, reason=reason)
        self._troubles[part] = _Trouble(reason, now if known is None else known.since, now, stays)

    def worked(self, *, part: str = "", wakes_waiters: bool = False) -> None:
        """
        Report that *part* works.

        Callers that met it while it was away may be waiting although no trouble was reported: *wakes_waiters* calls
        ``recovered`` for them in any case.
        """
        ended = self._troubles.pop(part, None)
        began = [ended.since] if ended is not None else []
        began += [self._mended_since] if self._mended_since is not None else []
        is_over = bool(began) and not self._fresh()
        self._mended_since = min(began) if began and not is_over else None
        if is_over:
            seconds = round(self._monotonic() - min(began), 1)
            log.warning("dependency.recovered", dependency=self.name, seconds=seconds)
        if is_over or wakes_waiters:
            self._recovered()

    def split(self, names: Sequence[str]) -> None:
        """Let it consist of the shards of these names; one that was there before stays as it is."""
        self.shards = {
            name: self.shards.get(name)
            or Dependency(f"{self.name} {name}", monotonic=self._monotonic, recovered=self._recovered)
            for name in names
        }

    @property
    def trouble(self) -> str | None:
        """The reason that was reported last; None while it works, as far as anybody knows."""
        if fresh := self._fresh():
            return max(fresh, key=lambda one: one.seen).reason
        of_shards = [shard.trouble for shard in self.shards.values()]
        return of_shards[0] if all(of_shards) and of_shards else None

    def _fresh(self) -> list[_Trouble]:
        """The trouble that counts: a mind that nobody uses any more hides no later outage, and no end of one."""
        now = self._monotonic()
        return [one for one in self._troubles.values() if one.stays or now - one.seen <= _FRESH_SECONDS]


class Dependencies:
    """All dependencies by name."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._all: dict[str, Dependency] = {}
        self._on_recovery: list[Callable[[], None]] = []

    def get(self, name: str) -> Dependency:
        """The dependency of this name, which is listed from the first call on."""
        if name not in self._all:
            self._all[name] = Dependency(name, monotonic=self._monotonic, recovered=self._recovered)
        return self._all[name]

    def on_recovery(self, callback: Callable[[], None]) -> None:
        """Call *callback* whenever one of them works again."""
        self._on_recovery.append(callback)

    @property
    def all(self) -> Mapping[str, Dependency]:
        """Every dependency that was asked for, in the order of the first calls."""
        return self._all

    @property
    def with_shards(self) -> Mapping[str, Dependency]:
        """Every dependency, each followed by its shards."""
        found = ((one, *one.shards.values()) for one in self._all.values())
        return {one.name: one for family in found for one in family}

    def _recovered(self) -> None:
        for callback in self._on_recovery:
            callback()
