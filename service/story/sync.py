"""
Imports what other places hold, before a story is narrated.

That is a context window that a backend is about to cut, the session files of a chatbot, and older histories in files
dated by their names. All of it becomes turns through the intake. So nothing is stored twice, however often it is read
and however it overlaps.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.actions import in_window
from consolidation.kernel.errors import InvalidRequest, MemoryFault, TurnConflict, TurnErased
from consolidation.kernel.turns import Speaker, Turn, TurnKind
from consolidation.story.chapters import parse
from consolidation.story.ledger import read_ledger
from consolidation.story.run import Gathered
from consolidation.story.triggers import Trigger
from consolidation.transcript.known import unknown
from consolidation.transcript.legacy import Unread, legacy_turns
from consolidation.transcript.tombstones import not_erased
from consolidation.workspace import SESSIONS
from service.importing.exchanges import exchanges
from service.importing.ids import IdAssigner
from service.ingest.intake import OFF_THE_RECORD, DroppedMessage
from service.story.session_files import read_session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Message
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from consolidation.workspace import Workspace
    from service.ingest.intake import Intake
    from service.mind.mind_listing import MindFolder
    from service.mind.minds import Mind, Minds
    from service.runtime.background import Background
    from service.story.scheduler import StoryScheduler
    from service.story.session_files import SessionFolders

_ALL = 1 << 40
_OF_ACTIONS = frozenset({TurnKind.ACTION, TurnKind.OFF_THE_RECORD})
_LONGEST_LOOK = 100_000  # characters of a story, to see whether it has a chapter


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """What became of a context window: the turns made of its new messages, and how many were in the transcript."""

    turn_ids: tuple[str, ...]
    new_messages: int
    known_messages: int
    dropped: tuple[DroppedMessage, ...]


@dataclass(frozen=True, slots=True)
class _NewMessages:
    """The places of messages that a transcript does not hold: those to be stored, and those off the record."""

    places: tuple[int, ...]
    off_the_record: tuple[int, ...]


class StorySync:
    """Imports into all minds. *folders* say where session files are."""

    def __init__(
        self,
        *,
        minds: Minds,
        intake: Intake,
        scheduler: StoryScheduler,
        background: Background,
        clock: Clock,
        privacy_filter: PrivacyFilter,
        folders: SessionFolders,
    ) -> None:
        self._minds = minds
        self._intake = intake
        self._scheduler = scheduler
        self._background = background
        self._clock = clock
        self._privacy_filter = privacy_filter
        self.folders = folders
        self._locks: dict[str, asyncio.Lock] = {}

    async def open_mind(self, mind_id: str, *, trigger: Trigger) -> Mind:
        """
        A mind that exists; for imports from files, also one of which only a person's folder exists.

        Raises InvalidMindId, MindNotFound, HomeFault.
        """
        workspace = self._minds.workspace(mind_id)
        folders = (workspace.folder, self.folders.of(mind_id, workspace))
        if trigger in {Trigger.BOOTSTRAP, Trigger.GLOBAL_SYNC} and await anyio.to_thread.run_sync(_is_any, folders):
            return await self._minds.find_or_create(mind_id)
        return await self._minds.find(mind_id)

    async def privacy_of(self, mind_id: str) -> PrivacyFilter:
        """What a mind withholds, whether it exists or not. Raises InvalidMindId."""
        return await self._intake.privacy_of(mind_id)

    def importer(self, mind: Mind, *, trigger: Trigger) -> Callable[[], Awaitable[Gathered]] | None:
        """What a run of this trigger imports first; None for nothing."""
        match trigger:
            case Trigger.BOOTSTRAP:
                return lambda: self.import_legacy(mind)
            case Trigger.GLOBAL_SYNC:
                return lambda: self.import_sessions(mind)
            case _:
                return None

    async def import_at_start(self) -> None:
        """Import the session files that came while the service was down, and begin runs that narrate them."""

        def has_sessions(folder: MindFolder) -> bool:
            if SESSIONS not in folder.names:
                return False
            return bool(self.folders.newest_of(folder.mind_id, self._minds.workspace(folder.mind_id)))

        found = await self._minds.those_with(has_sessions)
        for mind_id in sorted({*found, self.folders.mind_id}):
            if self._minds.gate.is_closed(mind_id) or not self._minds.share.owns(mind_id):
                continue
            with self._minds.gate.enter(mind_id):
                if await anyio.to_thread.run_sync(self.folders.newest_of, mind_id, self._minds.workspace(mind_id)):
                    mind = await self._minds.find_or_create(mind_id)
                    if (await self.import_sessions(mind)).new:
                        self._scheduler.begin(mind, trigger=Trigger.GLOBAL_SYNC)

    async def bootstrap_each(self, *, every_seconds: float) -> None:
        """
        Look at the files of each mind once, of a new one soon after it begins, and bootstrap those that need it.

        Only these are opened. Never returns.
        """
        seen: set[str] = set()

        def is_new_and_untold(folder: MindFolder) -> bool:
            known.add(folder.mind_id)
            return folder.mind_id not in seen and self._is_untold(self._minds.workspace(folder.mind_id))

        while not self._background.is_stopping:
            known = set[str]()
            for mind_id in await self._minds.those_with(is_new_and_untold):
                with suppress(MemoryFault, OSError):  # the sweep of the stories logs what can not be read
                    await self.bootstrap_if_new(mind_id)
            seen = known
            await self._background.pause(every_seconds)

    async def bootstrap_if_new(self, mind_id: str) -> None:
        """
        Begin to tell the dated files of a mind that has no story yet.

        Raises MindNotFound, MindErasing, HomeFault, StoryFault.
        """
        with self._minds.gate.enter(mind_id):
            mind = await self._minds.find(mind_id)
            if not mind.story.is_running and await anyio.to_thread.run_sync(self._is_untold, mind.workspace):
                first = self.importer(mind, trigger=Trigger.BOOTSTRAP)
                self._scheduler.begin(mind, trigger=Trigger.BOOTSTRAP, first=first)

    def _is_untold(self, workspace: Workspace) -> bool:
        """Whether the mind with this folder has dated files and no chapter."""
        story = workspace.read(workspace.story, most_characters=_LONGEST_LOOK)
        if read_ledger(workspace.published).sequence or parse(story).chapters:
            return False
        return any(isinstance(one, Turn) for one in legacy_turns(workspace.folder, today=self._clock.now()))

    async def compact(
        self, mind: Mind, session_id: str, messages: Sequence[Message], *, without: Container[str] = ()
    ) -> CompactionResult:
        """
        Store those of *messages* that the transcript does not hold, an exchange a turn.

        None of them is one of the turns *without*. Raises InvalidRequest, HomeFault.
        """
        async with self._lock(mind):
            found = await self._new_messages(mind, session_id, messages, without=without)
            turn_ids: list[str] = []
            dropped = [DroppedMessage(at, OFF_THE_RECORD) for at in found.off_the_record]
            ids = IdAssigner(stem=session_id)
            for exchange in exchanges(found.places, opens=lambda _, now: messages[now].role is Speaker.USER):
                said = tuple(messages[at] for at in exchange)
                turn_id = _free_id(mind, ids, session_id, said)
                try:
                    accepted = await self._intake.accept(
                        mind.mind_id, Turn(turn_id, session_id, said, metadata={"source": "compaction"})
                    )
                except InvalidRequest as fault:
                    if "timestamp" in fault.pointer:
                        raise
                    dropped += [DroppedMessage(at, "empty") for at in exchange]
                    continue
                turn_ids.append(accepted.turn_id)
                dropped += [replace(one, index=exchange[one.index or 0]) for one in accepted.dropped]
        new = len(found.places) + len(found.off_the_record)
        lost = {one.index for one in dropped if not one.is_secret}
        dropped.sort(key=lambda one: one.index or 0)
        return CompactionResult(tuple(turn_ids), new - len(lost), len(messages) - new, tuple(dropped))

    async def known_in(self, mind: Mind, session_id: str, messages: Sequence[Message]) -> list[Message]:
        """Those of *messages* that the transcript of a session holds, or held before they were erased."""
        if not messages:
            return []
        new = await self._new_messages(mind, session_id, messages)
        gone = {*new.places, *new.off_the_record}
        return [one for at, one in enumerate(messages) if at not in gone]

    async def acted_in(self, mind: Mind, session_id: str, ids: Iterable[str]) -> frozenset[str]:
        """Those of *ids* under which a session has an action of an agent, or had one before it was erased."""
        positions = mind.transcript.positions
        sequences = {one: positions.sequence_of(one) for one in ids}
        turns = await mind.transcript.read_many(tuple(one for one in sequences.values() if one is not None))
        here = [one.turn for one in turns if one.turn.session_id == session_id and one.turn.kind in _OF_ACTIONS]
        return frozenset({one.turn_id for one in here} | {one for one in sequences if positions.is_erased(one)})

    async def import_sessions(self, mind: Mind) -> Gathered:
        """Store what the newest session files hold and the transcript does not."""
        files = await anyio.to_thread.run_sync(self.folders.newest_of, mind.mind_id, mind.workspace)
        gathered = Gathered()
        for file in files:
            found, skipped = await anyio.to_thread.run_sync(read_session, file)
            gathered = gathered.plus(files=1, turns=len(found), skipped=skipped)
            async with self._lock(mind):
                turns, off_the_record = await self._new_turns(mind, found)
                if off_the_record:
                    gathered = gathered.plus(skipped=[f"{file.name}: {off_the_record} messages off the record"])
                gathered = await self._store(mind, turns, gathered)
        return gathered

    async def import_legacy(self, mind: Mind) -> Gathered:
        """Store what the dated files of the workspace hold, once."""
        folder, today = mind.workspace.folder, self._clock.now()
        found = await anyio.to_thread.run_sync(lambda: list(legacy_turns(folder, today=today)))
        turns = [one for one in found if isinstance(one, Turn)]
        skipped = [f"{one.where}: {one.reason}" for one in found if isinstance(one, Unread)]
        files = len({turn.turn_id.rpartition("#")[0] for turn in turns})
        return await self._store(mind, turns, Gathered().plus(files=files, turns=len(turns), skipped=skipped))

    def _lock(self, mind: Mind) -> asyncio.Lock:
        """What the transcript holds must not change between looking and storing."""
        return self._locks.setdefault(mind.mind_id, asyncio.Lock())

    async def _store(self, mind: Mind, turns: Iterable[Turn], gathered: Gathered) -> Gathered:
        for turn in turns:
            try:
                accepted = await self._intake.accept(mind.mind_id, turn)
            except TurnErased:
                gathered = gathered.plus(skipped=[f"{turn.turn_id}: was erased"])
            except TurnConflict:
                gathered = gathered.plus(skipped=[f"{turn.turn_id}: was imported before, with other words"])
            except InvalidRequest as fault:
                gathered = gathered.plus(skipped=[f"{turn.turn_id}: {fault}"])
            else:
                gathered = gathered.plus(new=int(accepted.is_new))
        return gathered

    async def _new_turns(self, mind: Mind, turns: Sequence[Turn]) -> tuple[list[Turn], int]:
        """
        *turns* without the messages that the transcript holds, and how many messages were new but off the record.

        A turn of which nothing is left is left out.
        """
        new: dict[int, list[Message]] = {}
        off_the_record = 0
        for session_id in dict.fromkeys(turn.session_id for turn in turns):
            said = [
                (at, one) for at, turn in enumerate(turns) if turn.session_id == session_id for one in turn.messages
            ]
            found = await self._new_messages(mind, session_id, [one for _, one in said])
            off_the_record += len(found.off_the_record)
            for place in found.places:
                new.setdefault(said[place][0], []).append(said[place][1])
        ids = IdAssigner(stem="")
        return [_with_messages(mind, turns[at], tuple(said), ids) for at, said in sorted(new.items())], off_the_record

    async def _new_messages(
        self, mind: Mind, session_id: str, messages: Sequence[Message], *, without: Container[str] = ()
    ) -> _NewMessages:
        """Which of the *messages* of a session its transcript neither holds nor held before they were erased."""
        cleaned = self._privacy_filter.cleaned
        there = not_erased(messages, await mind.transcript.erased_in(session_id), cleaned=cleaned)
        left = [messages[at] for at in there]
        stored = await _stored_messages(mind, session_id, without=without)
        new = [there[at] for at in unknown(left, stored, cleaned=cleaned)]
        silenced = (await self.privacy_of(mind.mind_id)).off_the_record(messages)
        return _NewMessages(tuple(at for at in new if at not in silenced), tuple(at for at in new if at in silenced))


def _is_any(folders: Iterable[Path]) -> bool:
    return any(folder.is_dir() for folder in folders)


def _with_messages(mind: Mind, turn: Turn, messages: tuple[Message, ...], ids: IdAssigner) -> Turn:
    if messages == turn.messages:
        return turn
    return replace(turn, messages=messages, turn_id=_free_id(mind, ids, turn.session_id, messages))


def _free_id(mind: Mind, ids: IdAssigner, session_id: str, messages: tuple[Message, ...]) -> str:
    """An id that no turn has: what is said again is another turn, although in the same words."""
    while mind.transcript.positions.is_taken(turn_id := ids.turn(session_id, messages=messages)):
        pass
    return turn_id


async def _stored_messages(mind: Mind, session_id: str, *, without: Container[str]) -> list[Message]:
    turns = await mind.transcript.before_in_session(session_id, mind.transcript.positions.last + 1, limit=_ALL)
    return [message for stored in turns if stored.turn.turn_id not in without for message in in_window(stored)]
