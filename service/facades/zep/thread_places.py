"""
Which mind a thread belongs to: Zep's calls name a thread and no user.

The index of threads says where one may be, and the mind's own turns are the proof. The index is derived: a thread
without an entry, as an import leaves it, is looked for in the minds themselves, as long as they are few.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest, MindNotFound, SessionNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.facades.worker_of_mind import in_worker_of_mind
from service.facades.zep.messages import OURS
from service.mind.copies import outage

if TYPE_CHECKING:
    from consolidation.kernel.turns import StoredTurn
    from service.access.principal import Principal
    from service.composition.container import Memory

_MOST_MINDS = 100  # that are opened to look for a thread without an entry
_MOST_KNOWN = 100_000
_MOST = 100_000  # threads of a mind
_SEVERAL = "threads or sessions of several users have this id; call with a key for the minds of one of them"


@dataclass(frozen=True, slots=True)
class _Known:
    """
    What this process knows of the id of a thread, until the id is noted of one more mind.

    ``noted`` are minds with an entry. ``only`` is the one mind with such a thread that a caller sees, by the minds of
    its key.
    """

    noted: set[str] = field(default_factory=set)
    only: dict[tuple[str, ...] | None, str] = field(default_factory=dict)


class ThreadPlaces:
    """
    Finds the mind of a thread.

    Every method raises DatabaseUnavailable where nobody can say, since the home is in a database that does not answer.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._looked_through: set[str] = set()

    async def mind_of(self, thread_id: str, memory: Memory, *, caller: Principal) -> str:
        """
        The mind in which *thread_id* was begun.

        Raises SessionNotFound, also for one that *caller* may not see, and InvalidRequest where it sees several.
        """
        found = await self.noted(thread_id, memory, caller=caller)
        if not found:
            await self._look_through(memory)
            found = await self.noted(thread_id, memory, caller=caller)
        if not found:
            raise SessionNotFound("no thread or session has this id; create it first")
        if len(found) > 1:
            raise InvalidRequest(_SEVERAL, pointer="#/thread_id")
        return found[0]

    async def noted(self, thread_id: str, memory: Memory, *, caller: Principal) -> tuple[str, ...]:
        """
        The minds that *caller* sees in which such a thread was begun, of those with an entry; only these are opened.

        Keys for one mind each may begin threads of the same id, and a key for both of the minds sees both threads.
        """
        known = self._known.get(thread_id) or self._know(thread_id, _Known())
        only = known.only.get(caller.minds)
        if only is not None and await _has(memory, only, thread_id):
            return (only,)
        entries = await anyio.to_thread.run_sync(memory.thread_index.minds_with, thread_id)
        found = tuple([one for one in entries if caller.sees(one) and await _has(memory, one, thread_id)])
        if not found:
            self._known.pop(thread_id, None)
        known.noted.update(found)
        if len(found) == 1:
            known.only[caller.minds] = found[0]
        return found

    async def _look_through(self, memory: Memory) -> None:
        """Note the threads of every mind that was not looked through since the start, as long as they are few."""
        ids = memory.minds.ids()
        self._looked_through.intersection_update(ids)  # one that left and came back is another one
        new = [one for one in ids if one not in self._looked_through]
        for mind_id in new if len(new) <= _MOST_MINDS else ():
            for thread_id in await _begun_in(memory, mind_id):
                await self.note(thread_id, memory, mind_id=mind_id)
            self._looked_through.add(mind_id)

    async def note(self, thread_id: str, memory: Memory, *, mind_id: str, begun_by: Principal | None = None) -> None:
        """*thread_id* belongs to *mind_id*, which exists. Who began it just now has found no other."""
        if mind_id in self._known.get(thread_id, _Known()).noted:
            return
        await anyio.to_thread.run_sync(partial(memory.thread_index.note, thread_id, mind_id=mind_id))
        others = self._known.get(thread_id, _Known()).noted
        is_only = begun_by is not None and not any(map(begun_by.sees, others))
        only = {begun_by.minds: mind_id} if begun_by is not None and is_only else {}
        self._know(thread_id, _Known({*others, mind_id}, only))

    async def forget(self, thread_id: str, memory: Memory, *, mind_id: str) -> None:
        """*thread_id* was erased."""
        self._known.pop(thread_id, None)
        await anyio.to_thread.run_sync(partial(memory.thread_index.forget, thread_id, mind_id=mind_id))

    def _know(self, thread_id: str, known: _Known) -> _Known:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[thread_id] = known
        return known


@in_worker_of_mind
async def _has(memory: Memory, mind_id: str, thread_id: str) -> bool:
    try:
        with memory.minds.gate.enter(mind_id):
            transcript = (await memory.minds.find(mind_id)).transcript
            firsts = await transcript.read_many(transcript.positions.in_session(thread_id)[:1])
    except MindNotFound:
        return False
    is_there = any(map(_begins, firsts))
    if not is_there:
        _check_copy(memory)
    return is_there


@in_worker_of_mind
async def _begun_in(memory: Memory, mind_id: str) -> list[str]:
    """The threads of a mind."""
    try:
        with memory.minds.gate.enter(mind_id):
            transcript = (await memory.minds.find(mind_id)).transcript
            positions = transcript.positions
            sessions = [one for one, _ in positions.sessions_at(positions.last, below=positions.last + 1, limit=_MOST)]
            firsts = await transcript.read_many([positions.in_session(one)[0] for one in sessions])
    except MindNotFound:
        return []
    _check_copy(memory)
    return [one.turn.session_id for one in firsts if _begins(one)]


def _begins(turn: StoredTurn) -> bool:
    """Whether *turn* begins a thread of Zep. Sessions of other doors have ids that several minds may share."""
    kept = turn.turn.metadata.get(OURS)
    return isinstance(kept, dict) and "thread" in kept


def _check_copy(memory: Memory) -> None:
    """Raise DatabaseUnavailable where the mind that was just found may lack what other services wrote."""
    if outage(memory.minds.copies):
        raise DatabaseUnavailable("the database does not answer, or not in time; nothing was changed")
