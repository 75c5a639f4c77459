"""Builds what moves minds in and out, and builds them anew, from settings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role
from service.adapters.graph.naming import episode_uuid
from service.adapters.graph.sites import FalkorSites
from service.moving.arriving import Arriving
from service.moving.exporting import Exporting
from service.moving.incoming import Incoming
from service.moving.planting import Planting
from service.moving.rebuilding import Rebuilding
from service.moving.restoring import Restoring

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from consolidation.kernel.ports import Clock
    from service.adapters.graph.connection import Connection
    from service.background import Background
    from service.digestion.digest import Digestion
    from service.minds import Minds
    from service.ports import Embedder, Identity
    from service.settings import Settings

# Named one by one: a setting that is added later is told nobody before somebody has thought of it.
_SHOWN: dict[str, object] = {
    "agent": True,
    "model": True,
    "models": {str(role): {"model", "fallbacks", "max_tokens", "temperature"} for role in Role},
    "embedder": {"model", "dimension"},
    "resonance": True,
    "story": {"threshold_tokens", "batch_tokens", "idle_seconds", "most_words"},
    "digestion": True,
}


@dataclass(frozen=True, slots=True)
class Moves:
    """Out, in, and anew."""

    exporting: Exporting
    restoring: Restoring
    rebuilding: Rebuilding

    def begin(self, background: Background) -> None:
        """Go on with what a kill cut short."""
        background.start("import litter", lambda: self.restoring.incoming.clear(background))
        background.start("rebuilding", lambda: self.rebuilding.resume(background))


@dataclass(frozen=True, slots=True)
class Sites:
    """The places where graphs are built, and what takes them over."""

    graphs: FalkorSites
    arriving: Arriving


def open_sites(settings: Settings, connection: Connection) -> Sites:
    """Both, on the graph's server."""
    graphs = FalkorSites(connection, prefix=settings.graph_prefix)
    return Sites(graphs, Arriving(graphs))


def build_moves(
    settings: Settings,
    *,
    clock: Clock,
    minds: Minds,
    digestion: Digestion,
    sites: Sites,
    embedder: Embedder,
    identity: Callable[[], Awaitable[Identity]],
) -> Moves:
    """All of it, nothing begun."""
    home = settings.folder
    shown = json.dumps(settings.model_dump(mode="json", include=_SHOWN), indent=1).encode() + b"\n"  # type: ignore[arg-type]
    restoring = Restoring(
        Incoming(home / "incoming", sites=sites.graphs, clock=clock),
        minds=minds,
        sites=sites.graphs,
        planting=Planting(sites.graphs, embedder=embedder, identity=identity),
        arriving=sites.arriving,
        digestion=digestion,
        identity=identity,
        uuid_of=episode_uuid,
        most_unpacked_bytes=settings.archive.max_unpacked_bytes,
    )
    exporting = Exporting(home / "outgoing", sites=sites.graphs, clock=clock, settings=shown)
    rebuilding = Rebuilding(minds=minds, digestion=digestion, sites=sites.graphs, arriving=sites.arriving)
    return Moves(exporting, restoring, rebuilding)
