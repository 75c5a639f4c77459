"""The first line of a service's log, what it was started as, and that its end has begun."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog

from service.adapters.graph.address import shown
from service.collector import shown as shown_collector
from service.models import choose

if TYPE_CHECKING:
    from service.container import Memory
    from service.settings import Settings

log = structlog.get_logger()

_NO_MODEL = "none"


def tell_start(memory: Memory) -> None:
    """Say what answers, what reads, what is kept where, and who may call; no secret, no words."""
    settings = memory.settings
    url, collector = settings.falkordb_url, settings.traces_endpoint
    log.info(
        "service.started",
        version=version("mind-memory"),
        home=str(settings.folder),
        minds=len(memory.minds.ids()),
        graph="embedded" if url is None else shown(url.get_secret_value()),
        models=_models(settings),
        embedder=memory.embedder.name,
        keys=memory.doorkeeper.live_keys(),
        spans="none" if collector is None else shown_collector(collector),
    )


def tell_end() -> None:
    """Say that nobody is answered any more."""
    log.info("service.stopping")


def _models(settings: Settings) -> dict[str, str] | str:
    """The first model of each role; one word where all have the same."""
    chosen = {role.value: found[0].model if found else _NO_MODEL for role, found in choose(settings).items()}
    names = set(chosen.values())
    return names.pop() if len(names) == 1 else chosen
