"""
Export a mind: copy it as it is now, so that it can be sent as slowly as the client reads, while turns go on.

What is derived from turns is read before the end of the transcript is noted. So nothing in an archive is ahead of its
turns. What was narrated, saved or extracted meanwhile is done again where the archive is imported. Only STORY.md is
locked, for as long as it takes to copy it.

A copy is made anew if a turn was erased meanwhile. Else the archive could hold words of that turn, but not the turn
itself, and nobody could erase them after an import. Where several machines share the home, each of them may erase, so
the plans of all are looked at before and after.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, MindErasing, StoryUnreadable
from consolidation.kernel.files import exclusive
from consolidation.kernel.links import LinkRefused, held_folder, is_secret, open_regular
from consolidation.story.exchange import read_stable
from service.archive.consistency import GraphAsOf, rows_of
from service.archive.graph_rows import encode
from service.archive.layout import FILES, GRAPH, HISTORY, PEOPLES_FOLDERS, SETTINGS, STORY, TORN, TRANSCRIPT, fault_of
from service.archive.manifest import FORMAT, VERSION, Counts, Embedding, LeftOut, Manifest, text_of
from service.archive.pack import Piece, packed
from service.mind.mind_gate import Paused
from service.mind.trace_files import trace_files

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.transcript.log import Extent
    from service.archive.manifest import Member
    from service.archive.ports import ArchivableGraph
    from service.mind.mind_gate import MindGate
    from service.mind.minds import Mind
    from service.ports.embedder import EmbedderIdentity

log = structlog.get_logger()

_LOCK_SECONDS = 30
_LINK = "it is a link or not a regular file"
_COUNTED = {"Episodic": "episodes", "Entity": "entities", "RELATES_TO": "facts", "RELATED_TO": "facts"}


@dataclass(frozen=True, slots=True)
class Export:
    """A copy of a mind; ``close`` it when it was sent."""

    folder: Path
    mind_id: str
    made_at: datetime
    identity: EmbedderIdentity | None
    last_sequence: int
    counts: Counts
    pieces: tuple[Piece, ...]
    left_out: tuple[LeftOut, ...]

    def chunks(self) -> Iterator[bytes]:
        """The bytes of the archive. Each step blocks."""
        return packed(self.pieces, made_at=self.made_at, manifest=self._manifest)

    def close(self) -> None:
        """Delete the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _manifest(self, members: tuple[Member, ...]) -> bytes:
        return text_of(
            Manifest(
                format=FORMAT,
                version=VERSION,
                mind_id=self.mind_id,
                made_at=self.made_at,
                last_sequence=self.last_sequence,
                embedder=_embedding(self.identity),
                counts=self.counts,
                members=members,
                left_out=self.left_out,
            )
        )


class Exporter:
    """Copies minds into a folder of the home, which is emptied when the service starts."""

    def __init__(
        self,
        folder: Path,
        *,
        gate: MindGate,
        find: Callable[[str], Awaitable[Mind]],
        is_erasing: Callable[[str], bool],
        graph_of: Callable[[str], ArchivableGraph],
        clock: Clock,
        settings: bytes,
    ) -> None:
        """
        *find* finds a mind as it is now. *is_erasing* says whether any process that serves the home erases something of
        it, and may block. *settings* is the content of ``settings.json``. It must not contain secrets.
        """
        self._folder = folder
        self._gate = gate
        self._find = find
        self._is_erasing = is_erasing
        self._graph_of = graph_of
        self._clock = clock
        self._settings = settings
        shutil.rmtree(folder, ignore_errors=True)

    async def export(self, mind: Mind) -> Export:
        """Copy *mind*. Raises MindErasing, MindNotFound, GraphUnavailable, DatabaseUnavailable, Locked, HomeFault."""
        while True:
            await self._check(mind.mind_id)
            tombstones = mind.transcript.positions.tombstones
            made = await self._made(mind)
            try:
                await self._check(mind.mind_id)
                found = await self._find(mind.mind_id)  # another one, if something was erased elsewhere
            except BaseException:
                made.close()
                raise
            if found is mind and mind.transcript.positions.tombstones == tombstones:
                return made
            await anyio.to_thread.run_sync(made.close)
            mind = found

    async def _check(self, mind_id: str) -> None:
        """Return unless something of a mind is being erased. Raises MindErasing, DatabaseUnavailable."""
        is_paused = self._gate.paused(mind_id) is not Paused.NOTHING
        if is_paused or await anyio.to_thread.run_sync(self._is_erasing, mind_id):
            raise MindErasing("something of this mind is being erased; export it after that")

    async def _made(self, mind: Mind) -> Export:
        folder = self._folder / self._clock.fresh_id()
        try:
            return await self._export(mind, folder)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise HomeFault(f"the mind could not be copied: {error.strerror}") from error
            raise

    async def _export(self, mind: Mind, folder: Path) -> Export:
        await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, mode=0o700))
        identity = await mind.graph.identity()
        counted = await self._copy_graph(mind, folder / GRAPH)
        pieces, left_out = await anyio.to_thread.run_sync(self._copy_files, mind, folder)
        extent = await mind.transcript.extent()
        turns = await anyio.to_thread.run_sync(_copy_transcript, extent, folder)
        versions = sum(piece.name.startswith(f"{HISTORY}/") and piece.name.endswith(".md") for piece in pieces)
        return Export(
            folder=folder,
            mind_id=mind.mind_id,
            made_at=self._clock.now(),
            identity=identity,
            last_sequence=extent.last,
            counts=Counts(turns=extent.turns, sessions=extent.sessions, story_versions=versions, **counted),
            pieces=(*pieces, *turns),
            left_out=left_out,
        )

    async def _copy_graph(self, mind: Mind, file: Path) -> dict[str, int]:
        progress = await mind.graph.progress()
        as_of = GraphAsOf(progress.extracted)
        counted = dict.fromkeys(_COUNTED.values(), 0)
        with file.open("wb") as to:
            async for page in self._graph_of(mind.mind_id).pages():
                rows = [row for row in map(as_of.of, page) if row is not None]
                for row in rows:
                    if row.kind in _COUNTED:
                        counted[_COUNTED[row.kind]] += 1
                await anyio.to_thread.run_sync(to.writelines, map(encode, rows))
            to.writelines(map(encode, rows_of(progress)))
        return counted

    def _copy_files(self, mind: Mind, folder: Path) -> tuple[tuple[Piece, ...], tuple[LeftOut, ...]]:
        """Copy everything but the transcript: people's files, and the story with its history."""
        workspace = mind.workspace
        copy = _FileCopy(workspace.folder, folder)
        copy.folder(HISTORY)
        with copy.leaving_out(STORY):
            story = workspace.locate(workspace.story)
            with exclusive(story, seconds=_LOCK_SECONDS):
                text = read_stable(story, is_expected=workspace.history.is_dir())
            if text is not None:
                copy.bytes(STORY, text)
        with copy.leaving_out(workspace.soul.name):
            copy.file(workspace.soul.name, place=workspace.locate(workspace.soul))
        for name in FILES:
            if name != workspace.soul.name:
                copy.file(name, place=workspace.folder / name)
        for traces in trace_files(workspace.folder):
            copy.file(traces.name, place=traces)
        for name in PEOPLES_FOLDERS:
            copy.folder(name)
        copy.folder(TORN)
        (folder / SETTINGS).write_bytes(self._settings)
        for name in (SETTINGS, GRAPH):
            copy.pieces.append(Piece(name, folder / name, (folder / name).stat().st_size))
        return tuple(copy.pieces), tuple(copy.left_out)


class _FileCopy:
    """Copies files of *root* into *folder* under the same names."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder / "files"
        self.pieces: list[Piece] = []
        self.left_out: list[LeftOut] = []

    @contextmanager
    def leaving_out(self, name: str) -> Iterator[None]:
        """Note the file *name* as left out if there is a link in its place that is not followed."""
        try:
            yield
        except (LinkRefused, StoryUnreadable) as refused:
            self.left_out.append(LeftOut(name=name, reason=_LINK))
            log.warning("export.link_refused", file=name, error=str(refused))

    def file(self, name: str, *, place: Path) -> None:
        """Copy *place*, if it exists, as the file *name*."""
        if place.is_symlink():
            self.left_out.append(LeftOut(name=name, reason=_LINK))
        elif place.is_file():
            self._copy(name, place)

    def bytes(self, name: str, content: bytes) -> None:
        """Write *content*, which was read already."""
        target = self._target(name)
        target.write_bytes(content)
        self.pieces.append(Piece(name, target, len(content)))

    def folder(self, name: str) -> None:
        """Copy all files below a folder. Links are not followed, also not one in the folder's place."""
        if (self._root / name).is_symlink():
            self.left_out.append(LeftOut(name=name, reason=_LINK))
            return
        top = self._root / name
        with suppress(FileNotFoundError), held_folder(top.parent) as held:
            for place, folders, files, handle in os.fwalk(held / top.name):
                folders.sort()
                for file in sorted(files):
                    member = (top.parent / Path(place).relative_to(held) / file).relative_to(self._root).as_posix()
                    self._member(member, Path(file), within=handle)

    def _member(self, name: str, file: Path, *, within: int) -> None:
        with suppress(FileNotFoundError):
            mode = os.stat(file, dir_fd=within, follow_symlinks=False).st_mode
            reason = fault_of(name) or (None if stat.S_ISREG(mode) else _LINK)
            if reason is None:
                self._copy(name, file, within=within)
            else:
                self.left_out.append(LeftOut(name=ascii(name).strip("'"), reason=reason))

    def _copy(self, name: str, place: Path, *, within: int | None = None) -> None:
        """Copy *place*, a file of the open folder *within* if one is given. It may just have been deleted."""
        with suppress(FileNotFoundError), self.leaving_out(name), open_regular(place, within=within) as source:
            if is_secret(os.fstat(source.fileno()), home=self._root.parents[1]):
                raise LinkRefused(place, "it is another name of a file that guards the home")
            target = self._target(name)
            with target.open("wb") as to:
                shutil.copyfileobj(source, to)
            self.pieces.append(Piece(name, target, target.stat().st_size))

    def _target(self, name: str) -> Path:
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return target


def _embedding(identity: EmbedderIdentity | None) -> Embedding | None:
    return Embedding(name=identity.embedder, dimension=identity.dimension) if identity is not None else None


def _copy_transcript(extent: Extent, folder: Path) -> tuple[Piece, ...]:
    """Link the transcript's files under our own names, so that they can be sent whatever happens to the originals."""
    pieces = []
    (folder / TRANSCRIPT).mkdir(mode=0o700)
    for file, size in extent.files:
        target = folder / TRANSCRIPT / file.name
        try:
            os.link(file, target)
        except OSError:  # a file system without hard links
            shutil.copyfile(file, target)
        pieces.append(Piece(f"{TRANSCRIPT}/{file.name}", target, size))
    return tuple(pieces)
