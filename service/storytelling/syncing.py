"""
What is read in before a story is told: a compacted window, session files of a chatbot, histories dated by their names.

All of it becomes turns through the door that posted turns take, so that nothing is kept twice however often it is read.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest, TurnConflict
from consolidation.kernel.turns import Speaker, Turn
from consolidation.legacy import Unread, legacy_turns
from consolidation.story.run import Gathered
from consolidation.story.triggers import Trigger
from consolidation.transcript.known import unknown
from consolidation.transcript.tombstones import TurnErased, not_erased
from service.digestion.accept import OFF_THE_RECORD, DroppedMessage, accept
from service.importing.exchanges import exchanges
from service.importing.naming import Naming
from service.storytelling.session_files import read_session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Message
    from service.digestion.accept import Acceptance
    from service.digestion.digest import Digestion
    from service.minds import Mind, Minds
    from service.storytelling.runs import Storytelling
    from service.storytelling.session_files import SessionFolders
    from service.tally import Tally

_MOST_REASONS = 20
_ALL = 1 << 40


@dataclass(frozen=True, slots=True)
class Synced:
    """What became of a compacted window: the turns made of what was new, how many messages were known."""

    turn_ids: tuple[str, ...]
    new_messages: int
    known_messages: int
    dropped: tuple[DroppedMessage, ...]


class Syncing:
    """Reads in what other places hold."""

    def __init__(
        self,
        *,
        minds: Minds,
        digestion: Digestion,
        storytelling: Storytelling,
        clock: Clock,
        discretion: Discretion,
        tally: Tally,
        folders: SessionFolders,
    ) -> None:
        """Bind to the door of turns; *folders* say where session files are."""
        self._minds = minds
        self._digestion = digestion
        self._storytelling = storytelling
        self._clock = clock
        self._discretion = discretion
        self._tally = tally
        self.folders = folders
        self._turnstiles: dict[str, asyncio.Lock] = {}

    def _turnstile(self, mind: Mind) -> asyncio.Lock:
        """What is known must not change between looking and keeping."""
        return self._turnstiles.setdefault(mind.mind_id, asyncio.Lock())

    async def mind(self, mind_id: str, *, trigger: Trigger) -> Mind:
        """
        A mind that exists; for what is read from files, one whose folder a person has made, too.

        Raises InvalidMindId, MindNotFound.
        """
        workspace = self._minds.workspace(mind_id)
        is_made = workspace.folder.is_dir() or self.folders.of(mind_id, workspace).is_dir()
        if trigger in {Trigger.BOOTSTRAP, Trigger.GLOBAL_SYNC} and is_made:
            return await self._minds.find_or_create(mind_id)
        return await self._minds.find(mind_id)

    def before(self, mind: Mind, *, trigger: Trigger) -> Callable[[], Awaitable[Gathered]] | None:
        """What a run of this trigger reads in first."""
        match trigger:
            case Trigger.BOOTSTRAP:
                return lambda: self.legacy(mind)
            case Trigger.GLOBAL_SYNC:
                return lambda: self.sessions(mind)
            case _:
                return None

    async def at_start(self) -> None:
        """Read in the session files that came while we were away, and tell them."""
        for mind_id in sorted({*self._minds.ids(), self.folders.mind_id}):
            if self._minds.fence.is_closed(mind_id):
                continue
            with self._minds.fence.inside(mind_id):
                await self._read_in(mind_id)

    async def _read_in(self, mind_id: str) -> None:
        if await anyio.to_thread.run_sync(self.folders.newest_of, mind_id, self._minds.workspace(mind_id)):
            mind = await self._minds.find_or_create(mind_id)
            gathered = await self.sessions(mind)
            if gathered.new:
                self._storytelling.begin(mind, trigger=Trigger.GLOBAL_SYNC)

    async def compaction(self, mind: Mind, session_id: str, messages: Sequence[Message]) -> Synced:
        """Keep those of *messages* that the transcript does not hold. Raises InvalidRequest, TranscriptUnwritable."""
        async with self._turnstile(mind):
            return await self._compacted(mind, session_id, messages)

    async def _compacted(self, mind: Mind, session_id: str, messages: Sequence[Message]) -> Synced:
        there = not_erased(messages, await mind.transcript.erased_in(session_id), cleaned=self._discretion.cleaned)
        left = [messages[at] for at in there]
        unkept = [there[at] for at in unknown(left, await _kept(mind, session_id), cleaned=self._discretion.cleaned)]
        silenced = self._discretion.off_the_record(messages)
        new = [at for at in unkept if at not in silenced]
        turn_ids: list[str] = []
        dropped = [DroppedMessage(at, OFF_THE_RECORD) for at in unkept if at in silenced]
        naming = Naming(stem=session_id)
        for exchange in exchanges(new, opens=lambda _, now: messages[now].role is Speaker.USER):
            said = tuple(messages[at] for at in exchange)
            turn = Turn(_fresh_id(mind, naming, session_id, said), session_id, said, metadata={"source": "compaction"})
            try:
                kept = await self._accept(mind, turn)
            except InvalidRequest as fault:
                if "timestamp" in fault.pointer:
                    raise
                dropped += [DroppedMessage(at, "empty") for at in exchange]
                continue
            turn_ids.append(kept.accepted.kept.turn.turn_id)
            dropped += [replace(one, index=exchange[one.index or 0]) for one in kept.dropped]
        lost = {one.index for one in dropped if not one.is_secret}
        dropped.sort(key=lambda one: one.index or 0)
        return Synced(tuple(turn_ids), len(unkept) - len(lost), len(messages) - len(unkept), tuple(dropped))

    async def sessions(self, mind: Mind) -> Gathered:
        """Keep what the newest session files hold and the transcript does not."""
        files = await anyio.to_thread.run_sync(self.folders.newest_of, mind.mind_id, mind.workspace)
        gathered = Gathered()
        for file in files:
            found, skipped = await anyio.to_thread.run_sync(read_session, file)
            gathered = _and(gathered, files=1, turns=len(found), skipped=skipped)
            async with self._turnstile(mind):
                news, silenced = await self._news(mind, found)
                skipped = [f"{file.name}: {silenced} messages off the record"] if silenced else []
                gathered = await self._keep(mind, news, _and(gathered, skipped=skipped))
        return gathered

    async def legacy(self, mind: Mind) -> Gathered:
        """Keep what the workspace's dated files hold, once."""
        folder, today = mind.workspace.folder, self._clock.now()
        found = await anyio.to_thread.run_sync(lambda: list(legacy_turns(folder, today=today)))
        turns = [one for one in found if isinstance(one, Turn)]
        skipped = [f"{one.where}: {one.reason}" for one in found if isinstance(one, Unread)]
        files = len({turn.turn_id.rpartition("#")[0] for turn in turns})
        return await self._keep(mind, turns, _and(Gathered(), files=files, turns=len(turns), skipped=skipped))

    async def _keep(self, mind: Mind, turns: Iterable[Turn], gathered: Gathered) -> Gathered:
        for turn in turns:
            try:
                kept = await self._accept(mind, turn)
            except TurnErased:
                gathered = _and(gathered, skipped=[f"{turn.turn_id}: was erased"])
            except TurnConflict:
                gathered = _and(gathered, skipped=[f"{turn.turn_id}: was read before, with other words"])
            except InvalidRequest as fault:
                gathered = _and(gathered, skipped=[f"{turn.turn_id}: {fault}"])
            else:
                gathered = _and(gathered, new=int(kept.accepted.is_new))
        return gathered

    async def _accept(self, mind: Mind, turn: Turn) -> Acceptance:
        return await accept(
            mind.mind_id,
            turn,
            minds=self._minds,
            digestion=self._digestion,
            storytelling=self._storytelling,
            clock=self._clock,
            discretion=self._discretion,
            tally=self._tally,
        )

    async def _news(self, mind: Mind, turns: Sequence[Turn]) -> tuple[list[Turn], int]:
        """
        *turns* without the messages that the transcript holds, and how many were new but off the record.

        Turns that held nothing else are gone.
        """
        new: dict[int, list[Message]] = {}
        silent = 0
        cleaned = self._discretion.cleaned
        for session_id in dict.fromkeys(turn.session_id for turn in turns):
            said = [
                (at, one) for at, turn in enumerate(turns) if turn.session_id == session_id for one in turn.messages
            ]
            messages = [one for _, one in said]
            silenced = self._discretion.off_the_record(messages)
            there = not_erased(messages, await mind.transcript.erased_in(session_id), cleaned=cleaned)
            left = [messages[at] for at in there]
            for place in (there[at] for at in unknown(left, await _kept(mind, session_id), cleaned=cleaned)):
                if place in silenced:
                    silent += 1
                else:
                    new.setdefault(said[place][0], []).append(said[place][1])
        naming = Naming(stem="")
        return [_with(mind, turns[at], tuple(said), naming) for at, said in sorted(new.items())], silent


def _with(mind: Mind, turn: Turn, messages: tuple[Message, ...], naming: Naming) -> Turn:
    if messages == turn.messages:
        return turn
    return replace(turn, messages=messages, turn_id=_fresh_id(mind, naming, turn.session_id, messages))


def _fresh_id(mind: Mind, naming: Naming, session_id: str, messages: tuple[Message, ...]) -> str:
    """A name that no turn has: what is said again is another turn, though it is the same words."""
    while mind.transcript.positions.is_taken(turn_id := naming.turn(session_id, messages=messages)):
        pass
    return turn_id


async def _kept(mind: Mind, session_id: str) -> list[Message]:
    turns = await mind.transcript.before_in_session(session_id, mind.transcript.positions.last + 1, limit=_ALL)
    return [message for kept in turns for message in kept.turn.messages]


def _and(gathered: Gathered, *, files: int = 0, turns: int = 0, new: int = 0, skipped: Sequence[str] = ()) -> Gathered:
    return Gathered(
        gathered.files + files,
        gathered.turns + turns,
        gathered.new + new,
        (*gathered.skipped, *skipped)[:_MOST_REASONS],
    )
