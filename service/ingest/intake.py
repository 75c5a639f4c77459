"""
The one way in for a turn: it is filtered, made durable, and handed to the lanes and to the story.

Accepting a turn needs neither graph nor model nor embedder. It is on disk when ``Intake.accept`` returns.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from structlog.contextvars import bound_contextvars

from consolidation.kernel.errors import InvalidRequest, MemoryFault, TranscriptUnwritable, TurnConflict, TurnErased
from consolidation.kernel.shared_files import stamp_of
from consolidation.kernel.sharing_errors import ChangedElsewhere, CopyOutdated
from consolidation.kernel.turns import NOISE, Turn, TurnKind
from consolidation.secrets.privacy_filter import voided
from consolidation.text.injected_blocks import without_injected
from consolidation.text.noise import is_blank, kind_of
from consolidation.text.tokens import count_tokens
from consolidation.transcript.shared_turns import FileSeen
from service.ingest.lane_telemetry import span_key
from service.mind.own_settings import own_settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from consolidation.transcript.log import Accepted
    from service.mind.minds import Mind, Minds
    from service.observability.counters import Tally
    from service.ports.spans import Annotate, Attribute, Spans

log = structlog.get_logger()

OFF_THE_RECORD = "off_the_record"
_SECRET = "secret: "  # noqa: S105 - how a reason begins
_MOST_AHEAD = timedelta(days=1)  # more than any clock is wrong by
_TRIES = 8  # to store turns of a mind whose settings keep changing

type _Stored = tuple[Mind, list[tuple[Accepted, tuple[DroppedMessage, ...]]]]
type TurnRefusal = InvalidRequest | TurnConflict | TurnErased  # what is wrong with a turn itself


@dataclass(frozen=True, slots=True)
class DroppedMessage:
    """
    A posted message that is not remembered and why, or a secret that was replaced in it.

    ``index`` is the message's place in the posted turn, None for the turn's metadata.
    """

    index: int | None
    reason: str

    @property
    def is_secret(self) -> bool:
        """Whether the message itself is stored, without the secret."""
        return self.reason.startswith(_SECRET)


@dataclass(frozen=True, slots=True)
class AcceptedTurn:
    """
    A turn that is on disk.

    ``is_new`` is False where the same turn was accepted before; the other fields then repeat the first answer.
    ``pending_tokens`` is how many tokens of the mind wait for the story.
    """

    stored: StoredTurn
    is_new: bool
    dropped: tuple[DroppedMessage, ...]
    pending_tokens: int

    @property
    def turn_id(self) -> str:
        """Its id."""
        return self.stored.turn.turn_id

    @property
    def sequence(self) -> int:
        """Its place in the transcript, from 1."""
        return self.stored.sequence

    @property
    def accepted_at(self) -> datetime:
        """When it was stored first."""
        return self.stored.accepted_at


class Intake:
    """Accepts turns for every mind."""

    def __init__(
        self,
        minds: Minds,
        *,
        clock: Clock,
        privacy_filter: PrivacyFilter,
        tally: Tally,
        spans: Spans,
        wake_lanes: Callable[[Mind], None],
        on_stored: Callable[[Mind], int],
        think_ahead: Callable[[Mind, StoredTurn], None],
    ) -> None:
        """
        *on_stored* is called with the mind of each stored turn and returns its tokens that wait for the story.

        *think_ahead* is called with each turn that is new.
        """
        self._minds = minds
        self._clock = clock
        self._privacy_filter = privacy_filter
        self._tally = tally
        self._spans = spans
        self._wake_lanes = wake_lanes
        self._on_stored = on_stored
        self._think_ahead = think_ahead

    async def accept(self, mind_id: str, turn: Turn) -> AcceptedTurn:
        """
        Store *turn* durably in the mind's transcript and wake the mind's lanes. The first turn creates the mind.

        Raises InvalidMindId, InvalidRequest, MindErasing, TurnConflict, TurnErased, HomeFault. Then nothing was stored.
        """
        return (await self.accept_all(mind_id, (turn,)))[0]

    async def accept_all(self, mind_id: str, turns: Sequence[Turn]) -> tuple[AcceptedTurn, ...]:
        """Store *turns*, whose ids differ, as ``accept`` stores one: all of them or none."""
        try:
            return await self._accept(mind_id, turns)
        except MemoryFault as fault:
            self._report_refusal(fault, turns=len(turns))
            raise

    async def accept_notes(self, mind_id: str, turns: Sequence[Turn]) -> tuple[AcceptedTurn, ...]:
        """
        Store *turns* that somebody wrote down on purpose, as ``accept_all`` does.

        One that holds a marker is kept off the record, although its words count as the bot's own.
        """
        privacy = await self.privacy_of(mind_id)
        return await self.accept_all(mind_id, [_unless_marked(turn, privacy) for turn in turns])

    async def accept_parts(self, mind_id: str, turns: Sequence[Turn]) -> tuple[AcceptedTurn, ...]:
        """
        Store *turns*, into which one conversation was parted, as ``accept_all`` does.

        An exchange off the record is off the record in each of them.
        """
        return await self.accept_all(mind_id, _with_whole_exchanges(turns, await self.privacy_of(mind_id)))

    async def accept_each(self, mind_id: str, turns: Sequence[Turn]) -> tuple[AcceptedTurn | TurnRefusal, ...]:
        """
        Store each of *turns* in their order; the refusal of one that is refused stands in its place.

        It is one write, unless one of them is refused or two have one id. Raises MindErasing, HomeFault; what was
        stored by then stays.
        """
        if len({turn.turn_id for turn in turns}) < len(turns):
            return tuple([await self._accepted_or_refused(mind_id, turn) for turn in turns])
        try:
            return await self._accept(mind_id, turns)
        except (InvalidRequest, TurnConflict, TurnErased):
            return tuple([await self._accepted_or_refused(mind_id, turn) for turn in turns])
        except MemoryFault as fault:
            self._report_refusal(fault, turns=len(turns))
            raise

    async def _accepted_or_refused(self, mind_id: str, turn: Turn) -> AcceptedTurn | TurnRefusal:
        try:
            return await self.accept(mind_id, turn)
        except (InvalidRequest, TurnConflict, TurnErased) as refusal:
            return refusal

    async def _accept(self, mind_id: str, turns: Sequence[Turn]) -> tuple[AcceptedTurn, ...]:
        began = self._clock.monotonic()
        ids = {"mind_id": mind_id, "session_id": turns[0].session_id, "turn_id": turns[0].turn_id}
        with bound_contextvars(**ids), self._spans.inside("turn.accept", **ids) as annotate:
            for turn in turns:  # what the lanes do with it is linked to this span
                self._spans.mark(span_key(mind_id, turn.turn_id))
            mind, stored = await self._store(mind_id, turns)
            self._minds.disk.worked(part="transcript")
            for one, dropped in stored:
                self._report(one, dropped, annotate, seconds=self._clock.monotonic() - began)
            self._wake_lanes(mind)
            for one, _ in stored:
                if one.is_new:
                    self._think_ahead(mind, one.kept)
            pending_tokens = self._on_stored(mind)
            return tuple(
                AcceptedTurn(stored=one.kept, is_new=one.is_new, dropped=dropped, pending_tokens=pending_tokens)
                for one, dropped in stored
            )

    async def filtered(self, mind_id: str, turn: Turn) -> Turn:
        """*turn* as ``accept`` would store it. Raises InvalidRequest when no message would be left."""
        return filter_turn(turn, privacy_filter=await self.privacy_of(mind_id))[0]

    async def privacy_of(self, mind_id: str) -> PrivacyFilter:
        """What is withheld of the turns of a mind, which need not exist."""
        return (await self._minds.own_settings(mind_id)).privacy(self._privacy_filter)

    async def _store(self, mind_id: str, turns: Sequence[Turn]) -> _Stored:
        for turn in turns:
            check_times(turn, now=self._clock.now())
        for _ in range(_TRIES - 1):
            with suppress(ChangedElsewhere, CopyOutdated):
                return await self._store_as_set(mind_id, turns)
        return await self._store_as_set(mind_id, turns)

    async def _store_as_set(self, mind_id: str, turns: Sequence[Turn]) -> _Stored:
        """
        Store *turns* as the mind's settings have it. Storing looks whether they are still the same for all machines.

        Raises ChangedElsewhere and CopyOutdated where they are not.
        """
        settings = self._minds.workspace(mind_id).settings
        as_seen = FileSeen(settings.name, await anyio.to_thread.run_sync(stamp_of, settings))
        known = self._minds.get(mind_id)
        own = await (own_settings_of(known) if known is not None else self._minds.own_settings(mind_id))
        privacy = own.privacy(self._privacy_filter)
        measured = await anyio.to_thread.run_sync(lambda: [_measured(turn, privacy) for turn in turns])
        mind = await self._minds.find_or_create(mind_id)
        filtered = [(turn, tokens) for turn, _, tokens in measured]
        stored = await mind.transcript.append_all(filtered, as_seen=as_seen)
        return mind, [(one, dropped) for one, (_, dropped, _) in zip(stored, measured, strict=True)]

    def _report(
        self, stored: Accepted, dropped: tuple[DroppedMessage, ...], annotate: Annotate, *, seconds: float
    ) -> None:
        outcome = "accepted" if stored.is_new else "duplicate"
        self._tally.turn(outcome, seconds=seconds if stored.is_new else None)
        fields: dict[str, Attribute] = {
            "outcome": outcome,
            "sequence": stored.kept.sequence,
            "kind": stored.kept.turn.kind.value,
            "dropped": len(dropped),
        }
        annotate(**fields)
        log.info("turn.accepted", turn_id=stored.kept.turn.turn_id, **fields, ms=round(seconds * 1000, 2))

    def _report_refusal(self, fault: MemoryFault, *, turns: int) -> None:
        for _ in range(turns):
            self._tally.turn("refused")
        if isinstance(fault, TranscriptUnwritable):
            reason = str(fault).rpartition(": ")[2]
            self._minds.disk.failed(f"turns can not be stored: {reason}", part="transcript")


def _measured(turn: Turn, privacy_filter: PrivacyFilter) -> tuple[Turn, tuple[DroppedMessage, ...], int]:
    filtered, dropped = filter_turn(turn, privacy_filter=privacy_filter)
    return filtered, dropped, count_tokens("\n".join(message.line for message in filtered.messages))


def _unless_marked(turn: Turn, privacy_filter: PrivacyFilter) -> Turn:
    is_marked = any(privacy_filter.has_marker(message.content) for message in turn.messages)
    return replace(turn, kind=TurnKind.OFF_THE_RECORD) if is_marked else turn


def _with_whole_exchanges(turns: Sequence[Turn], privacy_filter: PrivacyFilter) -> list[Turn]:
    """*turns*; each that has a message of an exchange off the record is marked as off the record."""
    off = privacy_filter.off_the_record([message for turn in turns for message in turn.messages])
    ends = accumulate(len(turn.messages) for turn in turns)
    return [
        turn if off.isdisjoint(range(end - len(turn.messages), end)) else replace(turn, kind=TurnKind.OFF_THE_RECORD)
        for turn, end in zip(turns, ends, strict=True)
    ]


def filter_turn(turn: Turn, *, privacy_filter: PrivacyFilter) -> tuple[Turn, tuple[DroppedMessage, ...]]:
    """
    *turn* as it is stored, and what of it is not remembered.

    Empty messages go, secrets and text that we injected are taken out, and the turn's kind is decided: a heartbeat or
    a probe is stored but never remembered. Raises InvalidRequest when no message is left.
    """
    if privacy_filter.is_off_the_record(turn):
        return voided(turn), tuple(DroppedMessage(index, OFF_THE_RECORD) for index in range(len(turn.messages)))
    dropped = {index: reason for index, message in enumerate(turn.messages) if (reason := emptiness(message.content))}
    left = [index for index in range(len(turn.messages)) if index not in dropped]
    if not left:
        is_injected = "injected" in dropped.values()
        found = f"every message is empty{', but for text that was injected' if is_injected else ''}"
        raise InvalidRequest(found, pointer="#/messages/0/content")
    messages = (replace(turn.messages[index], content=without_injected(turn.messages[index].content)) for index in left)
    redacted = privacy_filter.without_secrets(replace(turn, messages=tuple(messages)))
    filtered = replace(redacted.turn, kind=kind_of(redacted.turn))
    if filtered.kind in NOISE:
        dropped |= dict.fromkeys(left, filtered.kind.value)
    secrets = [DroppedMessage(left[place], _SECRET + kind) for place, kinds in redacted.kinds.items() for kind in kinds]
    of_messages = [*(DroppedMessage(index, reason) for index, reason in dropped.items()), *secrets]
    of_metadata = (DroppedMessage(None, _SECRET + kind) for kind in redacted.metadata_kinds)
    return filtered, (*sorted(of_messages, key=lambda one: one.index or 0), *of_metadata)


def emptiness(content: str) -> str:
    """Why a message holds nothing of its own; empty when it does."""
    if is_blank(content):
        return "empty"
    return "injected" if is_blank(without_injected(content)) else ""


def check_time(instant: datetime | None, *, now: datetime, pointer: str) -> None:
    """Refuse a time that no clock can be wrong by. Raises InvalidRequest."""
    if instant is not None and instant > now + _MOST_AHEAD:
        raise InvalidRequest("is more than a day in the future", pointer=pointer)


def check_times(turn: Turn, *, now: datetime) -> None:
    """Refuse a turn with a time that no clock can be wrong by. Raises InvalidRequest."""
    for index, message in enumerate(turn.messages):
        check_time(message.timestamp, now=now, pointer=f"#/messages/{index}/timestamp")
