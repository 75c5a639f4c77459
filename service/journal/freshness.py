"""
Keeps the journal indexes fresh: changed files are read, then their chunks are embedded.

Each mind has two background jobs, one of each at a time. Reading makes new words findable; embedding takes longer. A
search waits for both as long as it can.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import EmbedderFault, HomeFault
from service.journal.indexing import is_up_to_date, refresh
from service.retrieval.passages import passages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from datetime import datetime

    from service.journal.indexing import ChunkingOptions
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, EmbedderIdentity, Vectors
    from service.runtime.background import Background

BEHIND = "journal_behind"
_BATCH = 8  # chunks per batch: a pre-turn call may wait for the same processors

log = structlog.get_logger()


class JournalFreshness:
    """Reads and embeds the journals of all minds."""

    def __init__(
        self,
        *,
        background: Background,
        embedder: Embedder | None,
        identity: Callable[[], Awaitable[EmbedderIdentity]],
        options: ChunkingOptions,
        now: Callable[[], datetime],
    ) -> None:
        """Without *embedder*, chunks are found by words alone; *identity* names the embedder's vectors."""
        self._background = background
        self._embedder = embedder
        self._identity = identity
        self._options = options
        self._now = now
        self._embedder_name: str | None = None
        self._waiting: dict[str, asyncio.Task[bool | None]] = {}
        self._running: dict[str, asyncio.Task[bool | None]] = {}
        self._unfinished: set[str] = set()

    async def ensure_fresh(self, mind: Mind, *, seconds: float | None, with_vectors: bool) -> tuple[str, ...]:
        """
        Bring the index up to date within *seconds* (None: no limit), and its vectors too if *with_vectors*.

        Returns the names of jobs that were late; they go on in the background.
        """
        try:
            async with asyncio.timeout(seconds):
                if not await anyio.to_thread.run_sync(self._is_up_to_date, mind, abandon_on_cancel=True):
                    await asyncio.wait({self.start_reading(mind)})
                if self._embedder is None or mind.journal.is_empty:
                    return ()
                # Vectors can be compared only once it is known which embedder made them.
                if mind.journal.embedder is None or (with_vectors and await self._lacks_vectors(mind)):
                    embedding = self._embed(mind)
                    await asyncio.wait({embedding})
                    return () if not embedding.cancelled() and embedding.result() else (BEHIND,)
        except TimeoutError:
            return (BEHIND,)
        if mind.mind_id in self._unfinished:
            self._embed(mind)  # the embedder may be available again
        return ()

    def start_reading(self, mind: Mind) -> asyncio.Task[bool | None]:
        """Start to read changed files; returns at once. Files that change meanwhile are read too."""
        return self._job(f"journal {mind.mind_id}", mind, lambda: self._read(mind))

    def _embed(self, mind: Mind) -> asyncio.Task[bool | None]:
        return self._job(f"journal vectors {mind.mind_id}", mind, lambda: self._embed_all(mind))

    def _job(
        self, name: str, mind: Mind, step: Callable[[], Coroutine[object, object, bool]]
    ) -> asyncio.Task[bool | None]:
        """The job of this name that has not begun yet, and will see every change so far. At most one waits."""
        if name in self._waiting:
            return self._waiting[name]
        before = self._running.get(name)

        async def run() -> bool:
            if before is not None:
                await asyncio.wait({before})
            self._running[name] = self._waiting.pop(name)
            return await step()

        task = self._waiting[name] = self._background.start(name, run, owner=mind.mind_id)
        task.add_done_callback(lambda ended: self._forget(name, ended))
        return task

    def _forget(self, name: str, task: asyncio.Task[bool | None]) -> None:
        for jobs in (self._waiting, self._running):
            if jobs.get(name) is task:
                del jobs[name]

    async def _read(self, mind: Mind) -> bool:
        part = f"journal {mind.mind_id}"
        try:
            changed = await anyio.to_thread.run_sync(self._refresh, mind)
        except (HomeFault, OSError) as error:
            mind.disk.failed(f"the journal can not be indexed: {error}", part=part)
            return False
        mind.disk.worked(part=part)
        if changed:
            log.info("journal.read", mind_id=mind.mind_id, files=changed)
        if self._embedder is not None and not mind.journal.is_empty:
            self._embed(mind)
        return True

    def _refresh(self, mind: Mind) -> int:
        return refresh(mind.journal, mind.workspace.folder, options=self._options, now=self._now)

    async def _lacks_vectors(self, mind: Mind) -> bool:
        try:
            return bool(
                await anyio.to_thread.run_sync(lambda: mind.journal.unembedded(limit=1), abandon_on_cancel=True)
            )
        except HomeFault:
            return True

    def _is_up_to_date(self, mind: Mind) -> bool:
        try:
            return is_up_to_date(mind.journal, mind.workspace.folder, options=self._options)
        except (HomeFault, OSError):
            return False  # reading reports what is wrong

    async def _embed_all(self, mind: Mind) -> bool:
        """Embed every chunk without vectors. Returns whether all have vectors now."""
        if self._embedder is None:
            return True
        self._unfinished.add(mind.mind_id)
        try:
            self._embedder_name = self._embedder_name or _name_of(await self._identity())
            await anyio.to_thread.run_sync(mind.journal.set_embedder, self._embedder_name)
            while batch := await anyio.to_thread.run_sync(lambda: mind.journal.unembedded(limit=_BATCH)):
                await self._embed_batch(mind, self._embedder, batch)
        except EmbedderFault as error:
            log.info("journal.not_embedded", mind_id=mind.mind_id, reason=str(error))
            return False
        except HomeFault as error:
            mind.disk.failed(f"the journal can not be indexed: {error}", part=f"journal {mind.mind_id}")
            return False
        self._unfinished.discard(mind.mind_id)
        return True

    async def _embed_batch(self, mind: Mind, embedder: Embedder, batch: tuple[tuple[str, str, str], ...]) -> None:
        parts = [[f"{above}\n{part}".strip() for part in passages(text)] for _, above, text in batch]
        rows = await embedder.embed([part for each in parts for part in each])
        found: dict[str, Vectors] = {}
        at = 0
        for (digest, _, _), each in zip(batch, parts, strict=True):
            found[digest] = rows[at : at + len(each)]
            at += len(each)
        await anyio.to_thread.run_sync(mind.journal.add_vectors, found)


def _name_of(identity: EmbedderIdentity) -> str:
    return f"{identity.embedder}/{identity.dimension}"
