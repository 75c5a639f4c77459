"""What may fail and is watched while it is used: who stands before the graph and a hosted embedder, from settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.breaker import Breaker
from service.adapters.graph.connection import Connection
from service.dependency import DISK, EMBEDDER, GRAPH

if TYPE_CHECKING:
    from service.background import Background
    from service.dependency import Dependencies
    from service.settings import Settings


class Watched:
    """Makes breakers; from the beginning on, graph, embedder and disk are among the dependencies."""

    def __init__(self, settings: Settings, *, dependencies: Dependencies, background: Background) -> None:
        """Bind to where trouble is told; what asks whether it is over runs in *background*."""
        self._settings = settings
        self._dependencies = dependencies
        self._background = background
        for name in (GRAPH, EMBEDDER, DISK):
            dependencies.named(name)

    def connection(self, url: str) -> Connection:
        """A connection to the graph, with its breaker."""
        knobs = self._settings.graph
        breaker = self._breaker(GRAPH, rest_seconds=knobs.rest_seconds)
        return Connection(url, read_seconds=knobs.read_seconds, write_seconds=knobs.write_seconds, breaker=breaker)

    def embedder(self) -> Breaker:
        """What stands before a hosted embedder."""
        return self._breaker(EMBEDDER, rest_seconds=self._settings.embedder.rest_seconds)

    def _breaker(self, name: str, *, rest_seconds: float) -> Breaker:
        dependency = self._dependencies.named(name)
        return Breaker(dependency, rest_seconds=rest_seconds, background=self._background)
