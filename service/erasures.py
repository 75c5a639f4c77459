"""Builds what erases, from settings and the parts that everything else is built of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.graph.emptying import Emptying
from service.adapters.graph.erasing import FalkorErasing
from service.adapters.graph.naming import episode_uuid
from service.digestion.patience import Patience
from service.erasing.erasing import Erasing
from service.erasing.part import Part, Tools
from service.erasing.plans import Erasures, Plans
from service.erasing.whole import Whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.adapters.graph.connection import Connection
    from service.digestion.digest import Digestion
    from service.digestion.saving import Saving
    from service.paths import Outside
    from service.settings import Settings
    from service.stories import Stories


def build_erasing(
    settings: Settings,
    outside: Outside,
    *,
    connection: Connection,
    saving: Saving,
    digestion: Digestion,
    stories: Stories,
    forget: Callable[[str], None],
) -> Erasing:
    """All of it, nothing begun; *forget* is told which mind's words are to leave memory."""
    knobs, telling = settings.digestion, stories.telling
    emptying = Emptying(connection, folder=settings.folder / "graph" if settings.falkordb_url is None else None)
    erasable = FalkorErasing(connection, prefix=settings.graph_prefix, emptying=emptying)
    minds, background, clock, graph = outside.minds, outside.background, outside.clock, outside.graph
    tools = Tools(minds, background, clock, saving, telling, graph, erasable, episode_uuid, forget)
    return Erasing(
        tools,
        plans=Plans(settings.folder),
        whole=Whole(tools, erasures=Erasures(settings.folder), outside=stories.syncing.folders.outside),
        part=Part(tools),
        digestion=digestion,
        patience=lambda: Patience(first_seconds=knobs.first_retry_seconds, most_seconds=knobs.most_retry_seconds),
    )
