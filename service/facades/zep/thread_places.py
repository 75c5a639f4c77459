"""
Which mind a thread belongs to: Zep's calls name a thread and no user.

A thread has an empty file in its mind's folder, so whoever erases the mind erases that too. The files are derived: a
thread without one is looked for in the minds themselves, as long as they are few.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import MindNotFound, SessionNotFound

if TYPE_CHECKING:
    from pathlib import Path

    from service.access.principal import Principal
    from service.composition.container import Memory

_FOLDER = "zep-threads"
_MOST_MINDS = 100  # that are opened to look for a thread without a file
_MOST_KNOWN = 100_000


class ThreadPlaces:
    """Finds the mind of a thread."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    async def mind_of(self, thread_id: str, memory: Memory, *, caller: Principal) -> str:
        """The mind in which *thread_id* has turns. Raises SessionNotFound, also for one that *caller* may not see."""
        known = self._known.get(thread_id)
        if known is not None and caller.sees(known) and await _has(memory, known, thread_id):
            return known
        mind_ids = [one for one in memory.minds.ids() if caller.sees(one)]
        with_file: list[str] = await anyio.to_thread.run_sync(_holders, memory, mind_ids, thread_id)
        for mind_id in (*with_file, *(mind_ids if len(mind_ids) <= _MOST_MINDS else [])):
            if await _has(memory, mind_id, thread_id):
                await self.note(thread_id, memory, mind_id=mind_id)
                return mind_id
        raise SessionNotFound("no thread or session has this id; create it first")

    async def note(self, thread_id: str, memory: Memory, *, mind_id: str) -> None:
        """*thread_id* belongs to *mind_id*, which exists."""
        if self._known.get(thread_id) == mind_id:
            return
        await anyio.to_thread.run_sync(_touch, _file(memory, mind_id, thread_id))
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[thread_id] = mind_id

    async def forget(self, thread_id: str, memory: Memory, *, mind_id: str) -> None:
        """*thread_id* was erased."""
        self._known.pop(thread_id, None)
        await anyio.to_thread.run_sync(lambda: _file(memory, mind_id, thread_id).unlink(missing_ok=True))


async def _has(memory: Memory, mind_id: str, thread_id: str) -> bool:
    try:
        with memory.minds.gate.enter(mind_id):
            positions = (await memory.minds.find(mind_id)).transcript.positions
            return any(not positions.is_tombstone(one) for one in positions.in_session(thread_id))
    except MindNotFound:
        return False


def _holders(memory: Memory, mind_ids: list[str], thread_id: str) -> list[str]:
    return [one for one in mind_ids if _file(memory, one, thread_id).exists()]


def _file(memory: Memory, mind_id: str, thread_id: str) -> Path:
    name = hashlib.blake2b(thread_id.encode(), digest_size=16).hexdigest()
    return memory.minds.workspace(mind_id).folder / "derived" / _FOLDER / name


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
