"""What the doors ask of audio: a posted turn in words, and a context window in the words that come in time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, MindNotFound
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import NOISE, Speaker
from service.mind.copies import COPY_SECONDS, copy_seconds
from service.voice.spoken import SPOKEN, in_words, is_withheld, mark_of, recordings_of, repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message, StoredTurn, Turn, TurnKind
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.minds import Minds
    from service.ports.transcriber import Recording
    from service.voice.spoken import SpokenMessage
    from service.voice.transcripts import Transcripts

SKIPPED = "transcription_skipped"  # a rung of the ladder of a pre-turn call
SHARE = 0.6  # of a pre-turn call's time, for its words to come; the rest is for the search


@dataclass(frozen=True, slots=True)
class HeardWindow:
    """A context window in words. ``degraded`` says that some are missing."""

    messages: tuple[Message, ...]
    degraded: tuple[str, ...] = ()


class Hearing:
    """Turns what was spoken into what was said."""

    def __init__(self, transcripts: Transcripts, minds: Minds, *, privacy_filter: PrivacyFilter) -> None:
        self._transcripts = transcripts
        self._minds = minds
        self._privacy_filter = privacy_filter

    async def turn(self, mind_id: str, turn: Turn, messages: Sequence[SpokenMessage]) -> Turn:
        """
        *turn* with the words of its *messages*.

        A retry gets the words of the first time, and no model is asked. Raises TranscriptionNotConfigured, ModelFault;
        MindErasing, where the mind or the session was erased meanwhile.
        """
        recordings = recordings_of(messages)
        if not recordings:
            return turn
        turn = replace(turn, metadata={**turn.metadata, SPOKEN: mark_of(messages, model=self._transcripts.model)})
        if await self._is_withheld(mind_id, messages, kind=turn.kind):
            return turn
        stored = await self._stored(mind_id, turn.turn_id)
        again = repeated(stored, turn) if stored is not None else None
        if again is not None:
            return again
        with self._minds.gate.enter(mind_id) as visit:
            async with visit.unless_erased(turn.session_id):
                words = await self._transcripts.all_of(mind_id, recordings)
        return replace(turn, messages=in_words(messages, words))

    async def window(
        self, mind_id: str, messages: Sequence[SpokenMessage], *, kind: TurnKind, seconds: float | None
    ) -> HeardWindow:
        """
        *messages* with the words that come within a share of *seconds*, the time of the whole call.

        Only what was said since the last answer is asked for. Never raises: what is missing leaves a mark.
        """
        recordings, clock = recordings_of(messages), asyncio.get_running_loop().time
        if not recordings:
            return HeardWindow(in_words(messages, {}))
        began = clock()
        try:
            async with asyncio.timeout(None if seconds is None else seconds * SHARE):
                if await self._is_withheld(mind_id, messages, kind=kind, seconds=copy_seconds(seconds)):
                    return HeardWindow(in_words(messages, {}))
        except (TimeoutError, DatabaseUnavailable, HomeFault):  # nobody knows what this mind never keeps
            return HeardWindow(in_words(messages, {}), (SKIPPED,))
        seconds = None if seconds is None else seconds - (clock() - began)
        last = max((at for at, one in enumerate(messages) if one.written.role is Speaker.ASSISTANT), default=-1)
        new = recordings_of(messages[last + 1 :])
        words = await self.words(mind_id, new=new, seen=recordings, seconds=seconds)
        is_whole = all(one.digest in words for one in new)
        said = in_words(messages, words)
        return HeardWindow(said, () if is_whole else (SKIPPED,))

    async def words(
        self, mind_id: str, *, new: Sequence[Recording], seen: Sequence[Recording], seconds: float | None
    ) -> dict[str, str]:
        """
        The words, by digest, that come of *new* recordings within a share of *seconds*; of those *seen* before, what is
        known. Never raises.
        """
        limit = None if seconds is None else seconds * SHARE
        heard = await self._transcripts.within(mind_id, new, seconds=limit)
        return {**self._transcripts.known(mind_id, seen), **heard}

    async def _is_withheld(
        self, mind_id: str, messages: Sequence[SpokenMessage], *, kind: TurnKind, seconds: float = COPY_SECONDS
    ) -> bool:
        """Whether no model may hear it, or need not."""
        privacy = (await self._minds.own_settings(mind_id, seconds=seconds)).privacy(self._privacy_filter)
        return kind in NOISE or is_withheld(messages, kind=kind, privacy=privacy)

    async def _stored(self, mind_id: str, turn_id: str) -> StoredTurn | None:
        """The turn of this id as it was stored before; None where there is none."""
        try:
            mind = await self._minds.find(mind_id)
        except MindNotFound:
            return None
        sequence = mind.transcript.positions.sequence_of(turn_id)
        found = await mind.transcript.read_many((sequence,)) if sequence is not None else ()
        return found[0] if found else None
