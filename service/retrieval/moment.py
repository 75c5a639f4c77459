"""The values of a pre-turn call, from its request to its answer. All are frozen; times are aware and in UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from consolidation.corrections.record import What
from consolidation.corrections.standing import UNDECIDED
from consolidation.kernel.turns import NOISE, TurnKind
from service.index.turn_fields import EVERY_TURN, TurnFilter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, tzinfo

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Decided, Statement
    from consolidation.kernel.ports import Usage
    from consolidation.kernel.turns import Message
    from service.mind.foreign_mind import ForeignMind
    from service.mind.minds import Mind
    from service.mind.trace_document import TraceDocument

NO_SESSION = "\n"  # which no session is called
type Placement = Literal["tail", "system"]
type Part = Literal["flashbacks", "story", "protocol"]
type LeftOut = Literal["model", "graph"]
type FragmentKind = Literal["fact", "entity", "episode", "journal", "observation"]

PARTS: frozenset[Part] = frozenset({"flashbacks", "story", "protocol"})


@dataclass(frozen=True, slots=True)
class WhatIf:
    """
    That nothing of a pre-turn call is noted, and how it differs from a real one.

    ``as_of`` is the time up to which the mind is known; None where that is now. ``without`` is what does not take part.
    """

    as_of: datetime | None = None
    without: frozenset[LeftOut] = frozenset()


@dataclass(frozen=True, slots=True)
class ResonanceRequest:
    """
    What a pre-turn call asks: the context window, newest message last, and what the caller allows.

    ``began`` is the instant of the monotonic clock from which on ``deadline_seconds`` count: whatever is waited for
    before the phases is part of them. None is the moment at which the phases begin.

    ``query`` is searched for in place of the newest message. ``include`` are the parts that are wanted in the answer.
    ``tools`` are the names of those that the bot can call; None where that is not known. ``seen_from`` is the sequence
    from which on everything is in sight, whatever session it is of. ``what_if`` is None of a real call. ``degraded``
    names what was skipped before the call. ``turns`` are those whose memories may surface. ``also_read`` are other
    minds whose memories may; ``lacks_minds`` where one that is set can not be read now. ``is_wonder`` is of an agent
    that acts: what surfaces waits as its thought for a later answer, and ``spoken`` are the words by which its
    language is known, since those of the query may be a tool's. ``again_of`` are the traces of the calls that this one
    makes again: what they showed does not count as shown. ``window`` is that of the model that will answer, in tokens,
    where it is known.
    """

    session_id: str
    messages: tuple[Message, ...]
    now: datetime
    timezone: tzinfo
    deadline_seconds: float | None
    max_fragments: int
    max_tokens: int
    relevance: float
    placement: Placement
    is_off_the_record: bool = False
    kind: TurnKind = TurnKind.TURN
    query: str | None = None
    include: frozenset[Part] = PARTS
    tools: frozenset[str] | None = None
    seen_from: int | None = None
    what_if: WhatIf | None = None
    degraded: tuple[str, ...] = ()
    turns: TurnFilter = EVERY_TURN
    also_read: tuple[Mind | ForeignMind, ...] = ()
    lacks_minds: bool = False
    began: float | None = None
    is_wonder: bool = False
    spoken: str = ""
    again_of: frozenset[str] = frozenset()
    window: int | None = None

    @property
    def as_of(self) -> datetime | None:
        """The time up to which the mind is known, where that is not now."""
        return self.what_if.as_of if self.what_if is not None else None


@dataclass(frozen=True, slots=True)
class Moment:
    """
    The present, without secrets: the newest message, the talk before it, what is still visible, and the language.

    ``messages`` is the context window; ``message``, or the query in its place, and ``recent`` are cleaned of envelopes.
    What people shorten is written out in ``message`` once the language is known; ``shortened`` is what was typed then.
    ``acts`` is of an agent at work: the message is its own step. The language is empty until it is known. Flashbacks
    are ``told_in`` it, unless the mind is set to another one.
    """

    mind_id: str
    session_id: str
    messages: tuple[Message, ...]
    message: str
    recent: tuple[Message, ...]
    language: str
    now: datetime
    timezone: tzinfo
    is_off_the_record: bool = False
    kind: TurnKind = TurnKind.TURN
    own_language: str = ""
    acts: bool = False
    shortened: str = ""

    @property
    def typed(self) -> str:
        """The message as it was typed."""
        return self.shortened or self.message

    @property
    def told_in(self) -> str:
        """The language of flashbacks and of their labels."""
        return self.own_language or self.language

    @property
    def local_now(self) -> datetime:
        """The present in the time zone of whoever speaks."""
        return self.now.astimezone(self.timezone)

    @property
    def is_noise(self) -> bool:
        """Whether nobody speaks: a heartbeat or a probe."""
        return self.kind in NOISE


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a fragment rests on, with the words that matter."""

    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


@dataclass(frozen=True, slots=True)
class JournalLines:
    """Lines of the journal that a fragment rests on; ``written_at`` is when their file was last written."""

    path: str
    start_line: int
    end_line: int
    written_at: datetime
    excerpt: str


@dataclass(frozen=True, slots=True)
class Fragment:
    """
    A candidate memory; ``score`` is in 0…1, ``arms`` has its rank in each arm that found it.

    It rests on turns (``sources``) or on lines of the journal (``notes``); an observation on its line, and on the
    turns that were dreamt of, where there are any. Only one that ``is_dated`` has an age. One
    that ``is_read`` was shown by a tool, nobody said it. ``importance`` is in 0…1, where somebody judged it. ``said``
    are the messages of its turns. ``decided`` is what people decided of it, ``held_back`` why it is not to come up by
    itself. A ``statement`` was made by a person to put the memory right, ``in_place_of`` what these turns told.
    ``mind_id`` is of the other mind that it is in, with what it rests on; "" for the one that is asked.
    """

    id: str
    kind: FragmentKind
    text: str
    occurred_at: datetime
    score: float
    sources: tuple[Source, ...]
    is_boosted: bool = False
    arms: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[JournalLines, ...] = ()
    is_dated: bool = True
    is_read: bool = False
    importance: float | None = None
    said: tuple[Message, ...] = ()
    decided: Decided = UNDECIDED
    held_back: str = ""
    statement: Statement | None = None
    in_place_of: frozenset[int] = frozenset()
    mind_id: str = ""

    @property
    def sequences(self) -> frozenset[int]:
        """The turns of the mind that is asked on which it rests."""
        return frozenset() if self.mind_id else frozenset([source.sequence for source in self.sources])

    @property
    def written(self) -> Correction | None:
        """The edit by which a person wrote what is known of this entity; None where nobody did."""
        truth = self.decided.truth
        return truth if self.kind == "entity" and truth is not None and truth.what is What.EDIT else None

    def told(self, text: str) -> str:
        """*text*, which says it, behind the id of the other mind that it is of."""
        return f"[{self.mind_id}] {text}" if self.mind_id else text


@dataclass(frozen=True, slots=True)
class Label:
    """
    The age of a memory as a person would say it, and its date; a memory without a date has words alone.

    ``comma`` is what its language puts between them and the memory.
    """

    words: str
    date: str
    comma: str = ", "

    @property
    def text(self) -> str:
        """Words and date on one line, or the one of them that there is."""
        return " — ".join(part for part in (self.words, self.date) if part)


class LabelledFragment(NamedTuple):
    """A fragment, and how long ago it feels."""

    fragment: Fragment
    label: Label


@dataclass(frozen=True, slots=True)
class Shortlist[Candidate]:
    """
    What may surface, best first: ``first`` where no model judges; of ``more``, the next best, what a model chooses.

    ``first`` is empty where nothing seems to be meant, but a model may find that something is. At most ``limit``
    surface.
    """

    first: tuple[Candidate, ...] = ()
    more: tuple[Candidate, ...] = ()
    limit: int = 0

    @property
    def every(self) -> tuple[Candidate, ...]:
        """All of it, as a model is shown it."""
        return (*self.first, *self.more)


@dataclass(frozen=True, slots=True)
class Flashback:
    """A fragment that surfaced, with its label; ``text`` is what is shown: a model's where it ``is_rewritten``."""

    fragment: Fragment
    label: Label
    text: str
    is_rewritten: bool = False


@dataclass(frozen=True, slots=True)
class ResonanceAnswer:
    """
    What a pre-turn call answers: flashbacks, or the reason for silence.

    ``block`` is the volatile part of what is injected, ``stable`` the other one; ``messages`` has both put in.
    ``degraded`` names each rung of the ladder that was taken; ``timings`` are milliseconds by phase and ``total``.
    ``trace_id`` is None where no trace is kept.
    """

    trace_id: str | None
    flashbacks: tuple[Flashback, ...]
    silence: str | None
    block: str
    stable: str
    stable_etag: str
    messages: tuple[Message, ...]
    degraded: tuple[str, ...]
    timings: Mapping[str, float]
    usage: Usage
    trace: TraceDocument
