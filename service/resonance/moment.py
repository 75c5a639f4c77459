"""What flows between the phases of a resonance: frozen values, times aware and in UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, tzinfo

    from consolidation.kernel.turns import Message

type Placement = Literal["tail", "system"]
type FragmentKind = Literal["fact", "entity", "episode", "journal"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A pre-turn call: the context window, newest message last, and what the caller allows."""

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


@dataclass(frozen=True, slots=True)
class Moment:
    """The present: what was just said, what is still visible, and in which language; all of it without secrets."""

    mind_id: str
    session_id: str
    messages: tuple[Message, ...]
    message: str
    recent: tuple[str, ...]
    language: str
    now: datetime
    timezone: tzinfo
    is_off_the_record: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a fragment rests on, with the words that matter."""

    turn_id: str
    session_id: str
    sequence: int
    timestamp: datetime
    excerpt: str


@dataclass(frozen=True, slots=True)
class Note:
    """Lines of the journal that a fragment rests on, and when their file was last written."""

    path: str
    start_line: int
    end_line: int
    written_at: datetime
    excerpt: str


@dataclass(frozen=True, slots=True)
class Fragment:
    """
    A candidate memory; ``score`` is in 0…1, ``arms`` says which searches found it, and at which rank.

    It rests on turns, or, of the journal, on notes; one that ``is_dated`` can be told by its age.
    """

    id: str
    kind: FragmentKind
    text: str
    occurred_at: datetime
    score: float
    sources: tuple[Source, ...]
    is_boosted: bool = False
    arms: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    is_dated: bool = True

    @property
    def sequences(self) -> frozenset[int]:
        """The turns it rests on."""
        return frozenset(source.sequence for source in self.sources)


@dataclass(frozen=True, slots=True)
class Label:
    """The age of a memory as a person would say it, beside its date; of what has none, the words alone."""

    words: str
    date: str

    @property
    def text(self) -> str:
        """Words and date on one line, or the one of them that there is."""
        return " — ".join(part for part in (self.words, self.date) if part)


@dataclass(frozen=True, slots=True)
class Flashback:
    """A fragment that surfaced, with how long ago it feels and how it is told."""

    fragment: Fragment
    label: Label
    text: str
    is_retold: bool = False


@dataclass(frozen=True, slots=True)
class Surfaced:
    """Something came up."""

    flashbacks: tuple[Flashback, ...]


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing came up, and why; a normal answer."""

    reason: str


type Resonance = Surfaced | Silent
