"""
A mind as it is now, set aside so that it can be sent as slowly as it is asked for, while turns go on.

What is derived of turns is read before the transcript's end is noted: so nothing in an archive is ahead of the turns in
it, and what was told, saved or extracted meanwhile is done again where it is imported. Nothing is locked but STORY.md,
for as long as it takes to copy it.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import HomeFault
from consolidation.kernel.files import exclusive
from consolidation.story.exchange import read_settled
from service.moving.as_of import AsOf, rows_of
from service.moving.manifest import FORMAT, VERSION, Counts, Embedding, LeftOut, Manifest, text_of
from service.moving.members import FILES, GRAPH, HISTORY, PEOPLES, SETTINGS, STORY, TORN, TRANSCRIPT, fault_of
from service.moving.packing import Piece, packed
from service.moving.rows import encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.transcript.log import Extent
    from service.minds import Mind
    from service.moving.manifest import Member
    from service.moving.ports import GraphSites
    from service.ports import Identity

_LOCK_SECONDS = 30
_COUNTED = {"Episodic": "episodes", "Entity": "entities", "RELATES_TO": "facts", "RELATED_TO": "facts"}


@dataclass(frozen=True, slots=True)
class Export:
    """A mind set aside; ``close`` it when it was sent."""

    folder: Path
    mind_id: str
    made_at: datetime
    identity: Identity | None
    last_sequence: int
    counts: Counts
    pieces: tuple[Piece, ...]
    left_out: tuple[LeftOut, ...]

    def chunks(self) -> Iterator[bytes]:
        """The archive. Blocks between chunks."""
        return packed(self.pieces, made_at=self.made_at, manifest=self._manifest)

    def close(self) -> None:
        """Let go of what was set aside."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _manifest(self, members: tuple[Member, ...]) -> bytes:
        ours = self.identity
        return text_of(
            Manifest(
                format=FORMAT,
                version=VERSION,
                mind_id=self.mind_id,
                made_at=self.made_at,
                last_sequence=self.last_sequence,
                embedder=Embedding(name=ours.embedder, dimension=ours.dimension) if ours is not None else None,
                counts=self.counts,
                members=members,
                left_out=self.left_out,
            )
        )


class Exporting:
    """Sets minds aside in a folder of the home, which is emptied when the service starts."""

    def __init__(self, folder: Path, *, sites: GraphSites, clock: Clock, settings: bytes) -> None:
        """Bind to the graphs; *settings* is what ``settings.json`` will hold: nothing secret."""
        self._folder = folder
        self._sites = sites
        self._clock = clock
        self._settings = settings
        shutil.rmtree(folder, ignore_errors=True)

    async def export(self, mind: Mind) -> Export:
        """Set *mind* aside. Raises GraphUnavailable, StoryLocked, HomeFault."""
        folder = self._folder / self._clock.fresh_id()
        try:
            return await self._export(mind, folder)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise HomeFault(f"the mind could not be set aside: {error.strerror}") from error
            raise

    async def _export(self, mind: Mind, folder: Path) -> Export:
        await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, mode=0o700))
        identity = await self._sites.identity(mind.mind_id)
        counted = await self._graph_aside(mind, folder / GRAPH)
        pieces, left_out = await anyio.to_thread.run_sync(self._files_aside, mind, folder)
        extent = await mind.transcript.extent()
        turns = await anyio.to_thread.run_sync(_transcript_aside, extent, folder)
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

    async def _graph_aside(self, mind: Mind, file: Path) -> dict[str, int]:
        progress = await self._sites.progress(mind.mind_id)
        as_of = AsOf(progress.extracted)
        counted = dict.fromkeys(_COUNTED.values(), 0)
        with file.open("wb") as to:
            async for page in self._sites.pages(mind.mind_id):
                rows = [row for row in map(as_of.of, page) if row is not None]
                for row in rows:
                    if row.kind in _COUNTED:
                        counted[_COUNTED[row.kind]] += 1
                await anyio.to_thread.run_sync(to.writelines, map(encode, rows))
            to.writelines(map(encode, rows_of(progress)))
        return counted

    def _files_aside(self, mind: Mind, folder: Path) -> tuple[tuple[Piece, ...], tuple[LeftOut, ...]]:
        """What is not the transcript, copied: people's files as they stand, the story with all that belongs to it."""
        root = mind.workspace.folder
        aside = _Aside(root, folder)
        story = mind.workspace.story.resolve()
        with exclusive(story, seconds=_LOCK_SECONDS):
            aside.folder(HISTORY)
            text = read_settled(story, is_expected=mind.workspace.history.is_dir())
        if text is not None:
            aside.bytes(STORY, text)
        for name in FILES:
            aside.file(name)
        for name in PEOPLES:
            aside.folder(name)
        aside.folder(TORN)
        (folder / SETTINGS).write_bytes(self._settings)
        for name in (SETTINGS, GRAPH):
            aside.pieces.append(Piece(name, folder / name, (folder / name).stat().st_size))
        return tuple(aside.pieces), tuple(aside.left_out)


class _Aside:
    """Copies of files of *root* under *folder*, by name."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder / "files"
        self.pieces: list[Piece] = []
        self.left_out: list[LeftOut] = []

    def file(self, name: str) -> None:
        """A file of the mind's own, if it is there; a link is followed, since a person may keep it elsewhere."""
        if (self._root / name).is_file():
            self._copy(name)

    def bytes(self, name: str, content: bytes) -> None:
        """What has been read already."""
        target = self._target(name)
        target.write_bytes(content)
        self.pieces.append(Piece(name, target, len(content)))

    def folder(self, name: str) -> None:
        """All files below a folder; links are not followed."""
        for place, folders, files in os.walk(self._root / name):
            folders.sort()
            for file in sorted(files):
                found = (Path(place) / file).relative_to(self._root).as_posix()
                mode = os.lstat(self._root / found).st_mode
                reason = fault_of(found) or (None if stat.S_ISREG(mode) else "it is a link, or no file")
                if reason is None:
                    self._copy(found)
                else:
                    self.left_out.append(LeftOut(name=ascii(found).strip("'"), reason=reason))

    def _copy(self, name: str) -> None:
        target = self._target(name)
        with suppress(FileNotFoundError):  # a person took it away meanwhile
            shutil.copyfile(self._root / name, target)
            self.pieces.append(Piece(name, target, target.stat().st_size))

    def _target(self, name: str) -> Path:
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return target


def _transcript_aside(extent: Extent, folder: Path) -> tuple[Piece, ...]:
    """The transcript's files under names of our own, so that they can be sent whatever happens to theirs."""
    pieces = []
    (folder / TRANSCRIPT).mkdir(mode=0o700)
    for file, size in extent.files:
        target = folder / TRANSCRIPT / file.name
        try:
            os.link(file, target)
        except OSError:  # a disk without links
            shutil.copyfile(file, target)
        pieces.append(Piece(f"{TRANSCRIPT}/{file.name}", target, size))
    return tuple(pieces)
