"""
Keeps the journals' indexes fresh: files are read as soon as a change is seen or asked past, then chunks are embedded.

Two jobs a mind, one of each at a time: reading, after which words find what is new, and embedding, which takes longer.
Both belong to the background; whoever searches waits for them as long as it can.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import EmbedderFault, HomeFault
from service.journal.refreshing import is_settled, refresh
from service.recall.passages import passages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from datetime import datetime

    from service.background import Background
    from service.journal.refreshing import Ways
    from service.minds import Mind
    from service.ports import Embedder, Identity, Vectors

BEHIND = "journal_behind"
_BATCH = 8  # chunks: a pre-turn call may wait for the same processors

log = structlog.get_logger()


class Keeping:
    """Reads and embeds, for all minds."""

    def __init__(
        self,
        *,
        background: Background,
        embedder: Embedder | None,
        identity: Callable[[], Awaitable[Identity]],
        ways: Ways,
        now: Callable[[], datetime],
    ) -> None:
        """Bind to who embeds, if anybody does, and what it is known by."""
        self._background = background
        self._embedder = embedder
        self._identity = identity
        self._ways = ways
        self._now = now
        self._named: str | None = None
        self._waiting: dict[str, asyncio.Task[bool | None]] = {}
        self._running: dict[str, asyncio.Task[bool | None]] = {}
        self._unfinished: set[str] = set()

    async def fresh(self, mind: Mind, *, seconds: float | None, is_whole: bool) -> tuple[str, ...]:
        """
        Bring the index up to date, its vectors too where it is to be *is_whole*, within *seconds* (None: no limit).

        What is late is named and goes on in the background.
        """
        try:
            async with asyncio.timeout(seconds):
                if not await anyio.to_thread.run_sync(self._is_settled, mind, abandon_on_cancel=True):
                    await asyncio.wait({self.read(mind)})
                if self._embedder is None or mind.journal.is_empty:
                    return ()
                # Before it is known whose vectors there are, none can be compared.
                if mind.journal.embedder is None or (is_whole and await self._lacks_some(mind)):
                    embedding = self._embed(mind)
                    await asyncio.wait({embedding})
                    return () if not embedding.cancelled() and embedding.result() else (BEHIND,)
        except TimeoutError:
            return (BEHIND,)
        if mind.mind_id in self._unfinished:
            self._embed(mind)  # whoever failed to may be there again
        return ()

    def read(self, mind: Mind) -> asyncio.Task[bool | None]:
        """Read what has changed; returns at once. What changes while that goes on is read, too."""
        return self._job(f"journal {mind.mind_id}", mind, lambda: self._read(mind))

    def _embed(self, mind: Mind) -> asyncio.Task[bool | None]:
        return self._job(f"journal vectors {mind.mind_id}", mind, lambda: self._embed_all(mind))

    def _job(
        self, name: str, mind: Mind, step: Callable[[], Coroutine[object, object, bool]]
    ) -> asyncio.Task[bool | None]:
        """The job of this name that has not begun yet, and will see all there is by now: one at most is waiting."""
        if name in self._waiting:
            return self._waiting[name]
        before = self._running.get(name)

        async def run() -> bool:
            if before is not None:
                await asyncio.wait({before})
            self._running[name] = self._waiting.pop(name)
            return await step()

        task = self._waiting[name] = self._background.start(name, run, of=mind.mind_id)
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
        return refresh(mind.journal, mind.workspace.folder, ways=self._ways, now=self._now)

    async def _lacks_some(self, mind: Mind) -> bool:
        try:
            return bool(
                await anyio.to_thread.run_sync(lambda: mind.journal.unembedded(limit=1), abandon_on_cancel=True)
            )
        except HomeFault:
            return True

    def _is_settled(self, mind: Mind) -> bool:
        try:
            return is_settled(mind.journal, mind.workspace.folder, ways=self._ways)
        except (HomeFault, OSError):
            return False  # reading says what is the matter

    async def _embed_all(self, mind: Mind) -> bool:
        """Embed what has no vectors; whether all has some now."""
        if self._embedder is None:
            return True
        self._unfinished.add(mind.mind_id)
        try:
            self._named = self._named or _name(await self._identity())
            await anyio.to_thread.run_sync(mind.journal.adopt, self._named)
            while batch := await anyio.to_thread.run_sync(lambda: mind.journal.unembedded(limit=_BATCH)):
                await self._embed_these(mind, self._embedder, batch)
        except EmbedderFault as error:
            log.info("journal.not_embedded", mind_id=mind.mind_id, reason=str(error))
            return False
        except HomeFault as error:
            mind.disk.failed(f"the journal can not be indexed: {error}", part=f"journal {mind.mind_id}")
            return False
        self._unfinished.discard(mind.mind_id)
        return True

    async def _embed_these(self, mind: Mind, embedder: Embedder, batch: tuple[tuple[str, str, str], ...]) -> None:
        parts = [[f"{above}\n{part}".strip() for part in passages(text)] for _, above, text in batch]
        rows = await embedder.embed([part for each in parts for part in each])
        found: dict[str, Vectors] = {}
        at = 0
        for (digest, _, _), each in zip(batch, parts, strict=True):
            found[digest] = rows[at : at + len(each)]
            at += len(each)
        await anyio.to_thread.run_sync(mind.journal.add_vectors, found)


def _name(identity: Identity) -> str:
    return f"{identity.embedder}/{identity.dimension}"
