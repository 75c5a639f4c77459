"""An archive becomes a mind: built aside, folder and graph, checked, then moved in with one rename. All or nothing."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import EmbedderMismatch, GraphUnavailable
from consolidation.kernel.files import sync_folder
from consolidation.workspace import Workspace
from service.moving.faults import MindExists
from service.moving.members import GRAPH, TRACES
from service.moving.tracing import rename_traces
from service.moving.turns import turns_in
from service.moving.unpacking import MIND, unpack

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from service.digestion.digest import Digestion
    from service.minds import Minds
    from service.moving.arriving import Arriving
    from service.moving.incoming import Incoming
    from service.moving.manifest import Embedding, Manifest
    from service.moving.planting import Planted, Planting
    from service.moving.ports import GraphSites
    from service.ports import Identity

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Restored:
    """What an archive became."""

    mind_id: str
    manifest: Manifest
    turns: int
    planted: Planted


class Restoring:
    """Imports archives into the home, each built in a folder of its own."""

    def __init__(
        self,
        incoming: Incoming,
        *,
        minds: Minds,
        sites: GraphSites,
        planting: Planting,
        arriving: Arriving,
        digestion: Digestion,
        identity: Callable[[], Awaitable[Identity]],
        uuid_of: Callable[[str, str], str],
        most_unpacked_bytes: int,
    ) -> None:
        """Bind to where minds live; *uuid_of* names an episode by mind and turn."""
        self.incoming = incoming
        self._minds = minds
        self._sites = sites
        self._planting = planting
        self._arriving = arriving
        self._digestion = digestion
        self._identity = identity
        self._uuid_of = uuid_of
        self._most_unpacked_bytes = most_unpacked_bytes

    async def restore(self, mind_id: str, archive: Path, *, reembeds: bool) -> Restored:
        """
        Make of *archive*, in a folder that ``spooled`` lent, the mind *mind_id*, or nothing at all.

        With *reembeds*, its vectors are made anew by our embedder. Raises MindExists, ArchiveUnreadable,
        ArchiveTooLarge, EmbedderMismatch, EmbedderUnavailable, GraphUnavailable, HomeFault.
        """
        folder = archive.parent
        await self._check_free(mind_id)
        manifest = await anyio.to_thread.run_sync(
            lambda: unpack(archive, folder=folder, most_bytes=self._most_unpacked_bytes)
        )
        ours = await self._identity()
        _check_embedder(manifest.embedder, ours, reembeds=reembeds)
        workspace = Workspace(folder / MIND)
        uuids, turns = await anyio.to_thread.run_sync(self._read_turns, workspace, manifest.mind_id, mind_id)
        if manifest.mind_id != mind_id:
            await anyio.to_thread.run_sync(_rename_all_traces, workspace, mind_id)
        site = self.incoming.site(folder)
        planted = await self._planting.plant(
            folder / GRAPH, site=site, mind_id=mind_id, manifest=manifest, uuids=uuids, reembeds=reembeds
        )
        await anyio.to_thread.run_sync(_finish, workspace, site if planted.rows else None)
        mind = await self._minds.admit(mind_id, workspace.folder)
        with suppress(GraphUnavailable):  # the saving lane settles it when the graph is back
            await self._arriving.settle(mind.workspace)
        self._digestion.wake(mind)
        log.info("mind.imported", mind_id=mind_id, turns=turns)
        return Restored(mind_id, manifest, turns, planted)

    async def _check_free(self, mind_id: str) -> None:
        if self._minds.workspace(mind_id).folder.exists():
            raise MindExists(f"there is a mind {mind_id!r} already: import under another id, or erase it first")
        if await self._sites.exists(mind_id):
            raise MindExists(f"a graph of {mind_id!r} stands on the server, although no such mind is in this home")

    def _read_turns(self, workspace: Workspace, old: str, new: str) -> tuple[dict[str, str], int]:
        """What each episode is called under the mind's new id, and how many turns there are."""
        uuids, turns = dict[str, str](), 0
        for kept in turns_in(workspace.folder):
            turns += 1
            if old != new:
                uuids[self._uuid_of(old, kept.turn.turn_id)] = self._uuid_of(new, kept.turn.turn_id)
        return uuids, turns


def _check_embedder(found: Embedding | None, ours: Identity, *, reembeds: bool) -> None:
    if found is None or reembeds or (found.name, found.dimension) == (ours.embedder, ours.dimension):
        return
    raise EmbedderMismatch(
        f"the archive's vectors are of {found.name} ({found.dimension} dimensions), configured is {ours.embedder} "
        f"({ours.dimension} dimensions): set the embedder back, or import with `reembed`, which makes them anew"
    )


def _rename_all_traces(workspace: Workspace, mind_id: str) -> None:
    for name in TRACES:
        rename_traces(workspace.folder / name, mind_id=mind_id)


def _finish(workspace: Workspace, site: str | None) -> None:
    """Name the graph that the mind takes over, and sync what was made."""
    workspace.transcript.mkdir(exist_ok=True, mode=0o700)
    if site is not None:
        workspace.arriving.write_text(site, encoding="utf-8")
        with workspace.arriving.open("rb") as handle:
            os.fsync(handle.fileno())
    for place, _, _ in workspace.folder.walk():
        sync_folder(place)
