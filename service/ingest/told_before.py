"""
What a mind holds already, or held before it was erased, of the turns of one import.

A turn is recognised by its id. One that has another id now, since it was stored live or its exchange has grown, is
recognised by its words within its session. Each stored and each erased message matches one message of the import.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.actions import in_window
from consolidation.kernel.errors import MindNotFound
from consolidation.transcript.known import KnownMessages
from consolidation.transcript.tombstones import ErasedMessages
from service.importing.ids import IdAssigner
from service.importing.parts import Beginnings, not_stored, rest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consolidation.kernel.turns import Message, StoredTurn, Turn
    from consolidation.transcript.log import Transcript
    from service.importing.results import FoundTurn
    from service.mind.minds import Minds


class ToldBefore:
    """The memory of one import for what was told before it."""

    def __init__(self, minds: Minds, mind_id: str, *, cleaned: Callable[[str], str]) -> None:
        """*cleaned* returns a text as it would be stored."""
        self._minds = minds
        self._mind_id = mind_id
        self._cleaned = cleaned
        self._erased: dict[str, ErasedMessages] = {}
        self._known: dict[str, KnownMessages] = {}
        self._last: int | None = None  # the last sequence before the import
        self._matched: set[int] = set()  # sequences of stored turns that turns of the import have the ids of
        self._ids = IdAssigner(stem="")
        self.beginnings = Beginnings()

    async def stored(self, turn_id: str) -> Turn | None:
        """The stored turn that has an id which a turn of the import has, or had in an earlier export."""
        transcript = await self._transcript()
        sequence = transcript.positions.sequence_of(turn_id) if transcript is not None else None
        if transcript is None or sequence is None:
            return None
        for kept in await transcript.read_many((sequence,)):
            if sequence not in self._matched and kept.turn.session_id in self._known and self._is_before(kept):
                self._known[kept.turn.session_id].leave_out(in_window(kept))
            self._matched.add(sequence)
            return kept.turn
        return None

    async def not_erased(self, run: list[FoundTurn]) -> list[FoundTurn]:
        """
        *run*, which is of one session, without erased messages; a turn of which nothing is left is left out.

        Turns that are stored, or that were erased by the id that they have here, stay as they are.
        """
        transcript = await self._transcript()
        session_id = run[0].turn.session_id if run else ""
        names = (session_id, run[0].alike) if run else ()
        if transcript is None or not any(map(transcript.positions.erased_in, names)):
            return run
        if session_id not in self._erased:
            tombstones = [gone for name in names for gone in await transcript.erased_in(name)]
            self._erased[session_id] = ErasedMessages(tombstones, cleaned=self._cleaned)
        erased = self._erased[session_id]
        erased.leave_out(one.turn.turn_id for one in run)

        def left(turn: Turn) -> Turn | None:
            return rest_of(turn, erased.others(turn.messages), turn_id=self._id_of_rest(turn, transcript))

        return await anyio.to_thread.run_sync(_each, run, left, _taken(run, transcript))

    async def not_stored(self, run: list[FoundTurn]) -> list[FoundTurn]:
        """
        *run*, which is of one session, without messages that are stored in other turns of it, told live for example.

        Turns whose ids are taken stay as they are: who posts one of them is answered by its id.
        """
        transcript = await self._transcript()
        taken = _taken(run, transcript) if transcript is not None else set()
        if transcript is None or all(one.turn.turn_id in taken for one in run):
            return run
        where = run[0].alike or run[0].turn.session_id
        if where not in self._known:
            positions, last = transcript.positions, self._last or 0
            every = positions.in_sessions_like(where) if run[0].alike else positions.in_session(where)
            kept = await transcript.read_many([one for one in every if one <= last])
            self._known[where] = await anyio.to_thread.run_sync(self._messages_of, kept)
        known = self._known[where]

        def left(turn: Turn) -> Turn | None:
            return not_stored(turn, known, turn_id=self._id_of_rest(turn, transcript))

        return await anyio.to_thread.run_sync(_each, run, left, taken)

    async def _transcript(self) -> Transcript | None:
        try:
            transcript = (await self._minds.find(self._mind_id)).transcript
        except MindNotFound:
            self._last = self._last or 0
            return None
        if self._last is None:
            self._last = transcript.positions.last
        return transcript

    def _is_before(self, kept: StoredTurn) -> bool:
        return self._last is not None and kept.sequence <= self._last

    def _messages_of(self, kept: Sequence[StoredTurn]) -> KnownMessages:
        known = KnownMessages((message for one in kept for message in in_window(one)), cleaned=self._cleaned)
        for one in kept:
            if one.sequence in self._matched:
                known.leave_out(in_window(one))
        return known

    def _id_of_rest(self, turn: Turn, transcript: Transcript) -> Callable[[tuple[Message, ...]], str]:
        """Makes an id that no turn has, and that is not made from what is left out."""

        def made(messages: tuple[Message, ...]) -> str:
            stem = f"{turn.session_id}:rest"
            while transcript.positions.is_taken(turn_id := self._ids.turn(stem, messages=messages)):
                pass
            return turn_id

        return made


def _each(run: list[FoundTurn], left: Callable[[Turn], Turn | None], taken: set[str]) -> list[FoundTurn]:
    """What is left of each turn of *run*; those whose ids are taken stay as they are."""
    rests = [(one, one.turn if one.turn.turn_id in taken else left(one.turn)) for one in run]
    return [replace(one, turn=rest) for one, rest in rests if rest is not None]


def _taken(run: list[FoundTurn], transcript: Transcript) -> set[str]:
    """The ids of turns of *run* that are stored, or were erased."""
    return {one.turn.turn_id for one in run if transcript.positions.is_taken(one.turn.turn_id)}
