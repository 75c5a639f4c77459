"""Make a mind from an archive, or nothing: build folder and graph aside, check them, and move them in by one rename."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable, MindExists
from consolidation.kernel.files import replace_text, sync_folder
from consolidation.workspace import Workspace
from service.archive.layout import GRAPH, is_prompt
from service.archive.turns import turns_in
from service.archive.unpack import MIND, unpack
from service.mind.trace_files import rename_traces, trace_files
from service.ports.embedder import is_other_version
from service.ports.graph import episode_uuid

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from typing import IO

    from service.archive.adopt_graph import GraphAdoption
    from service.archive.graph_import import GraphImporter, ImportedGraph
    from service.archive.manifest import Embedding, Manifest
    from service.archive.ports import ArchivableGraph
    from service.archive.staging import Staging
    from service.ingest.ingestion import Ingestion
    from service.mind.minds import Minds
    from service.ports.embedder import EmbedderIdentity

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Restored:
    """The mind that an archive became."""

    mind_id: str
    manifest: Manifest
    turns: int
    graph: ImportedGraph
    prompts_left_out: int


class Restorer:
    """Imports archives into the home. Each is built in a folder of its own."""

    def __init__(
        self,
        staging: Staging,
        *,
        minds: Minds,
        graph_of: Callable[[str], ArchivableGraph],
        importer: GraphImporter,
        adoption: GraphAdoption,
        ingestion: Ingestion,
        identity: Callable[[], Awaitable[EmbedderIdentity]],
        most_unpacked_bytes: int,
        is_graph_ours: bool,
    ) -> None:
        """Where the graph *is ours*, in the home, one without a mind is of a mind that was lost, and is in the way."""
        self.staging = staging
        self._is_graph_ours = is_graph_ours
        self._minds = minds
        self._graph_of = graph_of
        self._importer = importer
        self._adoption = adoption
        self._ingestion = ingestion
        self._identity = identity
        self._most_unpacked_bytes = most_unpacked_bytes

    async def restore(self, mind_id: str, archive: Path, *, reembeds: bool, takes_prompts: bool) -> Restored:
        """
        Make the mind *mind_id* from *archive*, which lies in a folder of ``Staging.spooled``, or nothing.

        With *reembeds*, the configured embedder makes all vectors again, as it does those of another version of itself.
        The archive's own prompts are left out unless *takes_prompts*. Raises MindErasing, MindExists,
        ArchiveUnreadable, ArchiveTooLarge, EmbedderMismatch, EmbedderUnavailable, GraphUnavailable, HomeFault.
        """
        folder = archive.parent
        await self._check_free(mind_id)
        manifest = await anyio.to_thread.run_sync(
            lambda: unpack(archive, folder=folder, most_bytes=self._most_unpacked_bytes, takes_prompts=takes_prompts)
        )
        ours = await self._identity()
        reembeds = reembeds or _is_of_other_version(manifest.embedder, ours)
        _check_embedder(manifest.embedder, ours, reembeds=reembeds)
        workspace = Workspace(folder / MIND)
        uuids, turns = await anyio.to_thread.run_sync(_read_turns, workspace, manifest.mind_id, mind_id)
        if manifest.mind_id != mind_id:
            await anyio.to_thread.run_sync(_rename_all_traces, workspace, mind_id)
        site = self.staging.site(folder)
        dimension = manifest.embedder.dimension if manifest.embedder is not None else 0
        with _opened(folder / GRAPH) as rows:
            graph = await self._importer.build(
                rows, site=site, mind_id=mind_id, dimension=dimension, uuids=uuids, reembeds=reembeds
            )
        await self._check_free(mind_id)  # a mind that has begun meanwhile keeps its graph
        await self._drop_orphan(mind_id)  # not before what is to take its place is built and checked
        await anyio.to_thread.run_sync(_finish, workspace, site if graph.rows else None)
        mind = await self._minds.admit(mind_id, workspace.folder)
        await self._minds.take_over(mind_id)  # its graph is written to, where several services may do so
        with suppress(GraphUnavailable):  # the saving lane adopts it when the graph is back
            await self._adoption.complete(mind.workspace)
        self._ingestion.wake(mind)
        log.info("mind.imported", mind_id=mind_id, turns=turns)
        left_out = 0 if takes_prompts else sum(is_prompt(member.name) for member in manifest.members)
        return Restored(mind_id, manifest, turns, graph, left_out)

    async def _check_free(self, mind_id: str) -> None:
        self._minds.gate.check_open(mind_id)
        if self._minds.workspace(mind_id).folder.exists():
            raise MindExists(f"there is a mind {mind_id!r} already: import under another id, or erase it first")
        is_there = await self._graph_of(mind_id).exists()
        if is_there and not self._is_graph_ours:
            raise MindExists(
                f"the FalkorDB server has a graph of {mind_id!r}, although this home has no such mind: it is of "
                "another home, or of a mind that was lost. Then delete it there (GRAPH.DELETE), and import again"
            )

    async def _drop_orphan(self, mind_id: str) -> None:
        """Delete what our own server still holds of a mind that was lost."""
        if self._is_graph_ours and await self._graph_of(mind_id).exists():
            log.warning("graph.orphan_deleted", mind_id=mind_id)
            await self._graph_of(mind_id).drop()


def _read_turns(workspace: Workspace, old: str, new: str) -> tuple[dict[str, str], int]:
    """The new uuid of each episode if the mind gets a new id, and the number of turns."""
    uuids, turns = dict[str, str](), 0
    for stored in turns_in(workspace.folder):
        turns += 1
        if old != new:
            uuids[episode_uuid(old, stored.turn.turn_id)] = episode_uuid(new, stored.turn.turn_id)
    return uuids, turns


def _opened(rows: Path) -> IO[bytes]:
    """The rows of an archive's graph; an archive of a mind without a graph has no such file."""
    return rows.open("rb") if rows.exists() else io.BytesIO()


def _is_of_other_version(found: Embedding | None, ours: EmbedderIdentity) -> bool:
    return found is not None and is_other_version(found.name, configured=ours.embedder)


def _check_embedder(found: Embedding | None, ours: EmbedderIdentity, *, reembeds: bool) -> None:
    if found is None or reembeds or (found.name, found.dimension) == (ours.embedder, ours.dimension):
        return
    raise EmbedderMismatch(
        f"the archive's vectors are of {found.name} ({found.dimension} dimensions), configured is {ours.embedder} "
        f"({ours.dimension} dimensions): set the embedder back, or import with `reembed`, which makes them anew"
    )


def _rename_all_traces(workspace: Workspace, mind_id: str) -> None:
    for file in trace_files(workspace.folder):
        rename_traces(file, mind_id=mind_id)


def _finish(workspace: Workspace, site: str | None) -> None:
    """Write down which graph the mind adopts, and sync all folders."""
    workspace.transcript.mkdir(exist_ok=True, mode=0o700)
    if site is not None:
        replace_text(workspace.arriving, site)
    for place, _, _ in workspace.folder.walk():
        sync_folder(place)
