"""One turn around any model call: what surfaces before it, what is kept after it. Sends nothing itself."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mind_memory_client.answers import Flashback, Resonance, TurnKept, silent
from mind_memory_client.calls import OnFailure, Outcome, resonance, store_turn
from mind_memory_client.faults import MemoryFault, TurnUnsaved
from mind_memory_client.placing import Placement, placed
from mind_memory_client.said import Messages, as_messages, said, text_of, unanswered
from mind_memory_client.surroundings import fresh_id
from mind_memory_client.surroundings import now as present
from mind_memory_client.unsaved import Unsaved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from mind_memory_client.call import Call
    from mind_memory_client.unanswered import Unanswered

log = logging.getLogger("mind_memory_client")

_UNANSWERED = "-unanswered"


class Turn:
    """
    What the user said, what surfaced, what was answered.

    ``messages`` is what to send to the model: the caller's own, with memory placed. What is kept is what the user said
    since the last answer in them, and the answer; where there is none, because the model failed, the user's words
    alone: nothing is invented, and they are not stored again when the same conversation is answered later.
    """

    def __init__(
        self,
        mind: str,
        session: str,
        given: list[Any],
        *,
        asking: Call[Resonance] | None,
        placement: Placement,
        posting: Mapping[str, Any],
        on_unsaved: Callable[[Unsaved], object] | None,
    ) -> None:
        """Keep for later what ``begin`` found."""
        self.mind, self.session = mind, session
        self.turn_id: str = posting["turn_id"]
        self.asking = asking
        self.messages: list[Any] = given
        self.resonance = silent(mind, given, why="nothing was said in words")
        self.kept: TurnKept | None = None
        self.unsaved: Unsaved | None = None
        self._given, self._placement = given, placement
        self._posting, self._on_unsaved = posting, on_unsaved
        self._said = _dated(unanswered(given))
        self._answers: list[dict[str, Any]] = []
        self._pieces: list[str] = []
        self._outcomes: dict[str, Outcome] = {}

    @classmethod
    def of(cls, found: Mapping[str, Any], *, on_unsaved: Callable[[Unsaved], object] | None) -> Turn:
        """The turn that ``as_dict`` told of, maybe in another process: to be answered and kept."""
        names = {"mind": found["mind"], "session": found["session"], "given": list(found["said"])}
        return cls(**names, asking=None, placement="tail", posting=found["posting"], on_unsaved=on_unsaved)

    def as_dict(self) -> dict[str, Any]:
        """What it takes to keep this turn later, as JSON: for a framework that may stop on the way."""
        return {"mind": self.mind, "session": self.session, "said": self._said, "posting": dict(self._posting)}

    @property
    def block(self) -> str:
        """What surfaced, as the model reads it; empty in silence."""
        return self.resonance.block

    @property
    def flashbacks(self) -> Sequence[Flashback]:
        """What surfaced, with its sources."""
        return self.resonance.flashbacks

    @property
    def stable(self) -> str:
        """The story and how to use a memory: the same until the story changes."""
        return self.resonance.stable.text or ""

    def recalled(self, found: Resonance) -> None:
        """*found* is what surfaced."""
        self.resonance = found
        self.messages = placed(self._given, stable=self.stable, block=found.block, placement=self._placement)

    def answer(self, answer: object) -> None:
        """The model's answer: a text, a message, or an answer object of an SDK. Several are several messages."""
        message = answer if isinstance(answer, dict) else {"content": text_of(answer)}
        one = said({"role": "assistant", **message})
        if one is not None:
            self._answers += _dated([one])

    def add(self, piece: str | None) -> None:
        """A piece of an answer that streams; what was said is kept, also when the stream breaks off."""
        if piece:
            self._pieces.append(piece)

    def outcome(self, flashback_id: str, outcome: Outcome) -> None:
        """What became of a flashback."""
        self._outcomes[flashback_id] = outcome

    def storing(self, waiting: Unanswered) -> Call[TurnKept] | None:
        """What to store; None where nothing was said."""
        if self._pieces:
            self.answer("".join(self._pieces))
            self._pieces.clear()
        messages = [*waiting.new(self.mind, self.session, self._said), *self._answers]
        if not messages:
            return None
        posting = dict(self._posting)
        if not self._answers:
            posting["turn_id"] += _UNANSWERED  # its answer, if one comes under the same id, is another turn
        if self._outcomes:
            posting |= {"trace_id": self.resonance.trace_id, "outcomes": self._outcomes}
        return store_turn(self.mind, self.session, messages, **posting)

    def stored(self, kept: TurnKept, waiting: Unanswered) -> None:
        """It is on disk."""
        self.kept, self.unsaved = kept, None
        if self._answers:
            waiting.end(self.mind, self.session)
        else:
            waiting.note(self.mind, self.session, waiting.new(self.mind, self.session, self._said))

    def failed(self, call: Call[TurnKept], fault: MemoryFault, *, raises: bool) -> None:
        """It could not be stored: hand it over, or raise it; where another error is on its way, say so."""
        self.unsaved = Unsaved(self.mind, self.turn_id, call, fault)
        if self._on_unsaved is not None:
            self._on_unsaved(self.unsaved)
        elif raises:
            raise TurnUnsaved(self.unsaved) from fault
        else:
            log.error("turn %s of %s is not stored: %s", self.turn_id, self.mind, fault)


def begin(
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
    on_failure: OnFailure = "silent",
    on_unsaved: Callable[[Unsaved], object] | None = None,
    turn_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Turn:
    """
    A turn around any model call: ``with memory.turn(mind, session, messages) as turn:``.

    *messages* is the conversation so far, newest last; *on_failure* says what a memory that fails does to the chat,
    *on_unsaved* takes a turn that can not be stored, which is raised as TurnUnsaved without it.
    """
    given = as_messages(messages)
    asking = resonance(
        mind,
        session,
        given,
        now=now,
        timezone=timezone,
        deadline_ms=deadline_ms,
        max_fragments=max_fragments,
        off_the_record=off_the_record,
        on_failure=on_failure,
    )
    posting = {"turn_id": turn_id or fresh_id(), "off_the_record": off_the_record, "metadata": metadata}
    return Turn(
        mind,
        session,
        given,
        asking=asking if asking.body["messages"] else None,
        placement=placement,
        posting=posting,
        on_unsaved=on_unsaved,
    )


def _dated(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"timestamp": present().isoformat(), **one} for one in messages]
