"""One turn around any model call: what surfaces before it, what is stored after it. Sends nothing itself."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mind_memory_client._endpoints import OnFailure, Outcome, Part, PreTurnKind, resonance, store_turn
from mind_memory_client._transport import new_id
from mind_memory_client._transport import now as present
from mind_memory_client.errors import MindMemoryError, TurnUnsaved, UnsavedTurn
from mind_memory_client.messages import (
    Messages,
    Placement,
    answer_of,
    as_list,
    last_answer,
    piece_of,
    place_memory,
    plain_message,
    unanswered,
)
from mind_memory_client.models import Flashback, Resonance, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from mind_memory_client._endpoints import Call
    from mind_memory_client.errors import OnUnsaved
    from mind_memory_client.waiting import UnansweredMessages, UnsavedTurns

log = logging.getLogger("mind_memory_client")

_UNANSWERED = "-unanswered"


class Turn:
    """
    What the user said, what surfaced, and what the model answered.

    Send ``messages`` to the model: they are the caller's own, with memory placed. What the user said since the last
    answer in them is stored together with the answer. Where the model fails, the user's words are stored alone, and
    not again when the same conversation is answered later.
    """

    def __init__(
        self,
        mind: str,
        session: str,
        given: list[Any],
        *,
        recall: Call[Resonance] | None,
        placement: Placement,
        options: Mapping[str, Any],
        on_unsaved: OnUnsaved,
        is_dated: bool = True,
    ) -> None:
        """Without *is_dated*, messages get no times of ours: a turn of the caller's own id is the same sent again."""
        self.mind, self.session = mind, session
        self.turn_id: str = options["turn_id"]
        self.messages: list[Any] = given
        self.resonance = Resonance.silent(mind, given, why="no message holds words")
        self.stored: StoredTurn | None = None
        self.unsaved: UnsavedTurn | None = None
        self.recall_call = recall
        self._given, self._placement = given, placement
        self._options, self._on_unsaved = options, on_unsaved
        self._is_dated = is_dated
        self._user_messages = self._dated(unanswered(given))
        self._last_answer = last_answer(given)
        self._broke_off = False
        self._answers: list[dict[str, Any]] = []
        self._pieces: list[str] = []
        self._outcomes: dict[str, Outcome] = {}

    @property
    def block(self) -> str:
        """What surfaced, as the model reads it; empty when nothing did."""
        return self.resonance.block

    @property
    def flashbacks(self) -> Sequence[Flashback]:
        """What surfaced, with its sources."""
        return self.resonance.flashbacks

    @property
    def stable(self) -> str:
        """The story and how to use a memory; the same text until the story changes."""
        return self.resonance.stable.text or ""

    @property
    def user_words(self) -> tuple[str, ...]:
        """What the user said since the last answer."""
        return tuple(one["content"] for one in self._user_messages)

    def answer(self, answer: object) -> None:
        """
        Take the model's answer: a text, a message, or an answer object of an SDK. Each call adds one message.

        Raises TypeError for what is neither.
        """
        one = plain_message({"role": "assistant", **answer_of(answer)})
        if one is not None:
            self._answers += self._dated([one])

    def add(self, piece: object) -> None:
        """
        Take a piece of an answer that streams: a text, or a chunk of an SDK. What came is stored, also when the stream
        breaks off. Raises TypeError for what is neither.
        """
        self._pieces.append(piece_of(piece))

    def outcome(self, flashback_id: str, outcome: Outcome) -> None:
        """Report what became of a flashback; it is stored with the turn."""
        self._outcomes[flashback_id] = outcome

    def as_dict(self) -> dict[str, Any]:
        """What ``from_dict`` needs, as JSON: for a framework that may go on in another process."""
        return {
            "mind": self.mind,
            "session": self.session,
            "messages": self._user_messages,
            "options": dict(self._options),
            "is_dated": self._is_dated,
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any], *, on_unsaved: OnUnsaved) -> Turn:
        """The turn that ``as_dict`` described, to be answered and stored."""
        names = {"mind": found["mind"], "session": found["session"], "given": list(found["messages"])}
        how = {"options": found["options"], "is_dated": found["is_dated"]}
        return cls(**names, recall=None, placement="tail", on_unsaved=on_unsaved, **how)

    # What a client does with a turn

    def broke_off(self) -> None:
        """Note that the model failed, or the caller left: what the user said still waits for a whole answer."""
        self._broke_off = True

    def recalled(self, found: Resonance) -> None:
        """Take what surfaced, and place it."""
        self.resonance = found
        self.messages = place_memory(self._given, stable=self.stable, block=found.block, placement=self._placement)

    def store_call(self, waiting: UnansweredMessages) -> Call[StoredTurn] | None:
        """The call that stores the turn; None where nobody said a word."""
        if said := "".join(self._pieces):
            self.answer(said)
        self._pieces.clear()
        messages = [*self._new(waiting), *self._answers]
        if not messages:
            return None
        options = dict(self._options)
        if not self._answers:
            options["turn_id"] += _UNANSWERED  # an answer that comes later under the same id is another turn
        options["trace_id"] = self.resonance.trace_id  # so that the service sees what was used of what surfaced
        if self._outcomes and self.resonance.trace_id is not None:
            options["outcomes"] = self._outcomes
        return store_turn(self.mind, self.session, messages, **options)

    def was_stored(self, stored: StoredTurn, waiting: UnansweredMessages) -> None:
        """Note that the turn is on disk."""
        self.stored, self.unsaved = stored, None
        self._note(self._new(waiting), waiting)

    def was_not_stored(
        self,
        call: Call[StoredTurn] | None,
        error: MindMemoryError,
        waiting: UnansweredMessages,
        *,
        raises: bool,
        queue: UnsavedTurns,
    ) -> None:
        """
        Hand the turn to ``on_unsaved``, else put it into *queue*. *call* is None where there was no time to make it.

        Where TurnUnsaved is asked for, it is raised, or logged where another error is already on its way.
        """
        if (call := call or self.store_call(waiting)) is None:
            return
        body = {**(call.body or {})}
        body["messages"] = _dated(body.get("messages", ()))  # it may be sent much later
        self.unsaved = UnsavedTurn(self.mind, self.turn_id, body, error)
        if self._on_unsaved is None:  # words beside a part of an answer are stored with it
            queued_as = None if self._answers else body.get("turn_id")
            said = [one for one in body["messages"] if one["role"] == "user"]
            self._note(said, waiting, queued_as=queued_as)
        elif self._answers and not self._broke_off:
            waiting.forget(self.mind, self.session)
        if self._on_unsaved is None:
            queue(self.unsaved)
        elif self._on_unsaved != "raise":
            self._on_unsaved(self.unsaved)
        elif raises:
            raise TurnUnsaved(self.unsaved) from error
        else:
            log.error("turn %s of %s is not stored: %s", self.turn_id, self.mind, error)

    def _dated(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return _dated(messages) if self._is_dated else messages

    def _new(self, waiting: UnansweredMessages) -> list[dict[str, Any]]:
        """What the user said, without what is stored already."""
        return waiting.without_stored(self.mind, self.session, self._user_messages, after=self._last_answer)

    def _note(self, said: list[dict[str, Any]], waiting: UnansweredMessages, *, queued_as: str | None = None) -> None:
        """Note what still waits for an answer, and nothing of what is off the record."""
        if self._answers and not self._broke_off:
            waiting.forget(self.mind, self.session)
        elif not self._options["off_the_record"]:
            part = self._answers[-1]["content"] if self._answers else None
            waiting.add(self.mind, self.session, said, part=part, queued_as=queued_as)


def begin_turn(
    mind: str,
    session: str,
    messages: Messages,
    *,
    placement: Placement = "tail",
    now: datetime | str | None = None,
    timezone: str | None = None,
    deadline_ms: int | None = None,
    max_fragments: int | None = None,
    off_the_record: bool = False,
    kind: PreTurnKind | None = None,
    query: str | None = None,
    include: Sequence[Part] | None = None,
    filter: Mapping[str, Any] | None = None,  # noqa: A002 - the field of the API
    also_read: Sequence[str] | None = None,
    on_failure: OnFailure = "silent",
    on_unsaved: OnUnsaved = None,
    turn_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Turn:
    """A turn for ``recall`` and ``save`` of a client; see ``MemoryClient.turn``, which calls both."""
    given = as_list(messages)
    recall = resonance(
        mind,
        session,
        given,
        now=now,
        timezone=timezone,
        deadline_ms=deadline_ms,
        max_fragments=max_fragments,
        off_the_record=off_the_record,
        kind=kind,
        query=query,
        include=include,
        filter=filter,
        also_read=also_read,
        on_failure=on_failure,
    )
    has_words = bool(recall.body and recall.body["messages"])
    options = {"turn_id": turn_id or new_id(), "kind": kind, "off_the_record": off_the_record, "metadata": metadata}
    return Turn(
        mind,
        session,
        given,
        recall=recall if has_words else None,
        placement=placement,
        options=options,
        on_unsaved=on_unsaved,
        is_dated=turn_id is None,
    )


def _dated(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"timestamp": present().isoformat(), **one} for one in messages]
