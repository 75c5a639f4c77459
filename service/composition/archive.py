"""Builds what exports, imports and rebuilds minds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role
from service.archive.adopt_graph import GraphAdoption
from service.archive.export import Exporter
from service.archive.graph_import import GraphImporter
from service.archive.rebuild import Rebuilder
from service.archive.restore import Restorer
from service.archive.staging import Staging
from service.erasure.pending import PendingErasures

if TYPE_CHECKING:
    from pathlib import Path

    from service.composition.resources import Resources
    from service.ingest.ingestion import Ingestion
    from service.runtime.background import Background
    from service.settings.settings import Settings
    from service.workers.share import Share

# The settings that an archive shows, named one by one: a new one is shown to nobody until somebody has thought of it.
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
class Archive:
    """Minds out, minds in, and minds built anew."""

    exporter: Exporter
    restorer: Restorer
    rebuilder: Rebuilder

    def start(self, background: Background) -> None:
        """Finish what a kill interrupted."""
        background.start("import litter", lambda: self.restorer.staging.clear(background))
        background.start("rebuilding", lambda: self.rebuilder.resume(background))


def build_archive(settings: Settings, shared: Resources, *, ingestion: Ingestion) -> Archive:
    """All of it; nothing runs yet."""
    home, embedder = settings.folder, shared.embedder
    graph_of, adoption = shared.graphs.archivable, GraphAdoption(shared.graphs.archivable)
    shown = json.dumps(settings.model_dump(mode="json", include=_SHOWN), indent=1).encode() + b"\n"  # type: ignore[arg-type]
    restorer = Restorer(
        Staging(home / "incoming", graph_of=graph_of, clock=shared.clock, owns=shared.share.owns),
        minds=shared.minds,
        graph_of=graph_of,
        importer=GraphImporter(graph_of, embedder=embedder, identity=embedder.identity),
        adoption=adoption,
        ingestion=ingestion,
        identity=embedder.identity,
        most_unpacked_bytes=settings.archive.max_unpacked_bytes,
        is_graph_ours=settings.falkordb_url is None,
    )
    return Archive(
        Exporter(
            _outgoing(home, shared.share),
            gate=shared.minds.gate,
            find=shared.minds.find,
            is_erasing=partial(_is_erasing, shared, PendingErasures(home, share=shared.share)),
            graph_of=graph_of,
            clock=shared.clock,
            settings=shown,
        ),
        restorer,
        Rebuilder(minds=shared.minds, ingestion=ingestion, graph_of=graph_of, adoption=adoption),
    )


def _is_erasing(shared: Resources, pending: PendingErasures, mind_id: str) -> bool:
    """Whether something of a mind is being erased, here or where the home is shared. It blocks."""
    if shared.several is not None:
        shared.several.home.list_minds()  # plans are files of the home, which come with this
    return pending.has_any(mind_id)


def _outgoing(home: Path, share: Share) -> Path:
    """Where a process makes archives. It empties the folder at its start, the one in front also those of workers."""
    folder = home / "outgoing"
    return folder / str(share.number) if share.is_worker else folder
