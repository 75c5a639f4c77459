"""
What we stand on and may lose: graph, embedder, models, disk. Whether each works, and if not, since when and why.

Told in the log once when trouble begins and once when it ends, however many minds and calls it meets meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WELL = "ready"
GRAPH, EMBEDDER, DISK = "graph", "embedder", "disk"
_FRESH_SECONDS = 120.0  # what nobody met again for so long may be over, though nobody tried: no reason to stay away

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Trouble:
    reason: str
    since: float
    seen: float


class Dependency:
    """One of them. Trouble has parts (one mind's file, writing alone), and is over when every part works again."""

    def __init__(self, name: str, *, monotonic: Callable[[], float], recovered: Callable[[], None]) -> None:
        """Call *recovered* when its trouble is over."""
        self.name = name
        self.gate: Callable[[], str] | None = None  # the state of its breaker, where it has one
        self._monotonic = monotonic
        self._recovered = recovered
        self._troubles: dict[str, _Trouble] = {}

    def failed(self, reason: str, *, part: str = "") -> None:
        """Note trouble; *reason* is shown to whoever runs the service: nobody's words, no mind's name in it."""
        now = self._monotonic()
        if not self._troubles:
            log.warning("dependency.failed", dependency=self.name, reason=reason)
        known = self._troubles.get(part)
        self._troubles[part] = _Trouble(reason, now if known is None else known.since, now)

    def worked(self, *, part: str = "", was_missed: bool = False) -> None:
        """Note that it works, in this part; who met it away may wait for that though nothing was told: *was_missed*."""
        ended = self._troubles.pop(part, None)
        is_over = ended is not None and not self._troubles
        if ended is not None and is_over:
            seconds = round(self._monotonic() - ended.since, 1)
            log.warning("dependency.recovered", dependency=self.name, seconds=seconds)
        if is_over or was_missed:
            self._recovered()

    @property
    def trouble(self) -> str | None:
        """Why it does not work, as it was met last; None when it does, as far as anybody knows."""
        now = self._monotonic()
        fresh = [one for one in self._troubles.values() if now - one.seen <= _FRESH_SECONDS]
        return max(fresh, key=lambda one: one.seen).reason if fresh else None


class Dependencies:
    """All of them, by name."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        """Begin with none; each is there from its first mention on."""
        self._monotonic = monotonic
        self._all: dict[str, Dependency] = {}
        self._wake: list[Callable[[], None]] = []

    def named(self, name: str) -> Dependency:
        """The one of this name."""
        if name not in self._all:
            self._all[name] = Dependency(name, monotonic=self._monotonic, recovered=self._recovered)
        return self._all[name]

    def on_recovery(self, wake: Callable[[], None]) -> None:
        """Call *wake* whenever one of them works again."""
        self._wake.append(wake)

    @property
    def all(self) -> Mapping[str, Dependency]:
        """Those that were mentioned, in that order."""
        return self._all

    def _recovered(self) -> None:
        for wake in self._wake:
            wake()
