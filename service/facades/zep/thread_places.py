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
from service.facades.zep.messages import OURS

if TYPE_CHECKING:
    from pathlib import Path

    from consolidation.kernel.turns import StoredTurn
    from service.access.principal import Principal
    from service.composition.container import Memory

_FOLDER = "zep-threads"
_MOST_MINDS = 100  # that are opened to look for a thread without a file
_MOST_KNOWN = 100_000
_MOST = 100_000  # threads of a mind


class ThreadPlaces:
    """Finds the mind of a thread."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._looked_through: set[str] = set()

    async def mind_of(self, thread_id: str, memory: Memory, *, caller: Principal) -> str:
        """The mind in which *thread_id* was begun. Raises SessionNotFound, also for one that *caller* may not see."""
        found = await self.noted(thread_id, memory, caller=caller)
        if found is None:
            await self._look_through(memory)
            found = await self.noted(thread_id, memory, caller=caller)
        if found is None:
            raise SessionNotFound("no thread or session has this id; create it first")
        return found

    async def noted(self, thread_id: str, memory: Memory, *, caller: Principal) -> str | None:
        """The same for a thread with a file. Of the minds, only that one is opened."""
        known = self._known.get(thread_id)
        holders = [known] if known is not None else await anyio.to_thread.run_sync(_holders, memory, thread_id)
        for mind_id in (one for one in holders if caller.sees(one)):
            if await _has(memory, mind_id, thread_id):
                self._known[thread_id] = mind_id
                return mind_id
        self._known.pop(thread_id, None)
        return None

    async def _look_through(self, memory: Memory) -> None:
        """Note the threads of every mind that was not looked through since the start, as long as they are few."""
        new = [one for one in memory.minds.ids() if one not in self._looked_through]
        for mind_id in new if len(new) <= _MOST_MINDS else ():
            self._looked_through.add(mind_id)
            for thread_id in await _begun_in(memory, mind_id):
                await self.note(thread_id, memory, mind_id=mind_id)

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
            transcript = (await memory.minds.find(mind_id)).transcript
            return any(map(_begins, await transcript.read_many(transcript.positions.in_session(thread_id)[:1])))
    except MindNotFound:
        return False


async def _begun_in(memory: Memory, mind_id: str) -> list[str]:
    """The threads of a mind."""
    try:
        with memory.minds.gate.enter(mind_id):
            transcript = (await memory.minds.find(mind_id)).transcript
            positions = transcript.positions
            sessions = [one for one, _ in positions.sessions_at(positions.last, below=positions.last + 1, limit=_MOST)]
            firsts = await transcript.read_many([positions.in_session(one)[0] for one in sessions])
            return [one.turn.session_id for one in firsts if _begins(one)]
    except MindNotFound:
        return []


def _begins(turn: StoredTurn) -> bool:
    """Whether *turn* begins a thread of Zep. Sessions of other doors have ids that several minds may share."""
    kept = turn.turn.metadata.get(OURS)
    return isinstance(kept, dict) and "thread" in kept


def _holders(memory: Memory, thread_id: str) -> list[str]:
    return [one for one in memory.minds.ids() if _file(memory, one, thread_id).exists()]


def _file(memory: Memory, mind_id: str, thread_id: str) -> Path:
    name = hashlib.blake2b(thread_id.encode(), digest_size=16).hexdigest()
    return memory.minds.workspace(mind_id).folder / "derived" / _FOLDER / name


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
