"""
The trace of one pre-turn call, as it stands in ``subconscious.jsonl`` and in the answer of ``GET …/traces/{id}``.

One shape for everybody: the pipeline writes it, `TraceLog` keeps it, the API shows it, erasing searches it.

Every text in it counts as somebody's words, and every list of numbers as turns, so that erasing finds them. A field
that holds only what we write ourselves (ids, names of arms, labels) is marked OURS. Whoever forgets the mark makes
erasing take too much, never too little. For the same reason a line with a field that is not declared here is not read.
"""

# Annotations are read at run time, by pydantic and by `_open_fields`: this module does not postpone them.
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime, ConfigDict, PlainSerializer, TypeAdapter, ValidationError

OURS = "written by us: holds nobody's words"

OurText = Annotated[str, OURS]
OurTexts = Annotated[tuple[str, ...], OURS]
Instant = Annotated[AwareDatetime, PlainSerializer(datetime.isoformat, return_type=str, when_used="json")]


class _Strict:
    """A part of the document; a key that it does not declare makes the line unreadable."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class SeedsTrace(_Strict):
    """
    Phase 1: what was looked for, and what a model added.

    ``late`` was thought of before the message came: between two turns, or too late for the last one. ``model`` is the
    model's answer, or why there is none.
    """

    queries: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    late: tuple[str, ...] | None = None
    model: Mapping[str, Any] | str | None = None


@dataclass(frozen=True, slots=True)
class CandidateTrace(_Strict):
    """A fragment that was found; ``arms`` has its rank in each arm that found it, ``notes`` are journal lines."""

    id: OurText
    kind: OurText
    text: str
    score: float
    boosted: bool
    occurred_at: Instant
    sequences: tuple[int, ...]
    arms: Annotated[Mapping[str, int], OURS]
    notes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RetrievalTrace(_Strict):
    """
    Phase 2: every query that was searched for, and all that was found, best first.

    ``wondered`` are the ids of those that a wonder found best. ``turns`` are the values of each field by which turns
    were chosen, where only some of them counted.
    """

    queries: tuple[str, ...] | None = None
    candidates: tuple[CandidateTrace, ...] | None = None
    wondered: OurTexts | None = None
    turns: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class RelevanceTrace(_Strict):
    """
    How likely it was that anything stored is meant, and how likely it had to be, both 0…1.

    ``by_memory``, where the message is a remark, is how likely each of the best fragments changes the answer, by id.
    """

    probability: float
    needed: float
    by_memory: Annotated[Mapping[str, float], OURS] | None = None


@dataclass(frozen=True, slots=True)
class FiltersTrace(_Strict):
    """
    Phase 3: the reason for each fragment that was dropped, and the ids of those that were kept, both by id.

    ``salience`` is by how much the score of a fragment was multiplied for its outcomes, importance and age, by id.
    ``instructions`` is why a standing instruction comes up with this message, by id.
    """

    dropped: Annotated[Mapping[str, str], OURS] | None = None
    relevance: RelevanceTrace | None = None
    salience: Annotated[Mapping[str, float], OURS] | None = None
    kept: OurTexts | None = None
    instructions: Annotated[Mapping[str, str], OURS] | None = None


@dataclass(frozen=True, slots=True)
class LabelsTrace(_Strict):
    """Phase 4: how long ago each fragment feels, by id."""

    labels: Annotated[Mapping[str, str], OURS] | None = None


@dataclass(frozen=True, slots=True)
class NarrationTrace(_Strict):
    """Phase 5: which model answered, or why none did; why a fragment was dropped or its narration refused, by id."""

    model: str | None = None
    reasons: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class InjectionTrace(_Strict):
    """Phase 6: nothing is noted of it but the time it took."""


type PhaseTrace = SeedsTrace | RetrievalTrace | FiltersTrace | LabelsTrace | NarrationTrace | InjectionTrace


@dataclass(frozen=True, slots=True)
class PhasesTrace(_Strict):
    """What each phase noted; None for a phase that was not reached."""

    seeds: SeedsTrace | None = None
    retrieval: RetrievalTrace | None = None
    filters: FiltersTrace | None = None
    labels: LabelsTrace | None = None
    narration: NarrationTrace | None = None
    injection: InjectionTrace | None = None


@dataclass(frozen=True, slots=True)
class ShownTrace(_Strict):
    """
    A fragment that surfaced, and the turns it rests on; the echo filter reads it.

    Of a turn, ``facts`` are those of the graph that came up with it.
    """

    id: OurText
    sequences: tuple[int, ...]
    text: str
    facts: OurTexts | None = None


@dataclass(frozen=True, slots=True)
class UsageTrace(_Strict):
    """What the call's models cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class TraceDocument(_Strict):
    """
    One pre-turn call, phase by phase; of a call off the record, its figures alone.

    A field may be added, with a default: older lines do not have it. None may be renamed or removed. ``thought`` is
    what an answer to an agent's actions says of it; what it shows counts as shown once an answer has said it. Of such
    a call, which nobody made, ``is_wonder`` is true. ``asker`` is the name of who asked, None where they have none.
    """

    trace_id: OurText
    mind_id: OurText
    session_id: OurText
    at: Instant
    message: str = ""
    asker: str | None = None
    off_the_record: bool = False
    language: OurText = ""
    surfaced: bool = False
    silence: str | None = None
    shown: tuple[ShownTrace, ...] = ()
    block: str = ""
    thought: str | None = None
    is_wonder: bool = False
    phases: PhasesTrace = PhasesTrace()
    degraded: OurTexts = ()
    timings_ms: Annotated[Mapping[str, float], OURS] = field(default_factory=dict)
    usage: UsageTrace = UsageTrace()

    def texts(self) -> Iterator[str]:
        """Everything in it that may be somebody's words."""
        return (leaf for leaf in _leaves(self) if isinstance(leaf, str))

    @property
    def sequences(self) -> frozenset[int]:
        """Every turn that it names, wherever."""
        return frozenset(leaf for leaf in _leaves(self) if isinstance(leaf, int))

    def encoded(self) -> str:
        """It as one line of the file, without the newline."""
        return _DOCUMENT.dump_json(self, exclude_none=True).decode()

    def as_json(self) -> dict[str, Any]:
        """It as the API answers it."""
        found = _DOCUMENT.dump_python(self, mode="json", exclude_none=True)
        return {one.name: found.get(one.name) for one in fields(self)}  # what the document itself lacks is null there


@dataclass(frozen=True, slots=True)
class Delivery(_Strict):
    """
    A line of its own behind a thought's trace: the answer to the action of turn ``turn`` said the thought.

    0 is of one that no answer says, since a person put right what it rests on.
    """

    delivered: OurText
    turn: int

    def encoded(self) -> str:
        """It as one line of the file, without the newline."""
        return _DELIVERY.dump_json(self).decode()


_DOCUMENT = TypeAdapter(TraceDocument)
_DELIVERY = TypeAdapter(Delivery)


def decoded(line: bytes) -> TraceDocument | None:
    """One line of the file; None for what is not a trace: it was torn, damaged, or edited into another shape."""
    try:
        return _DOCUMENT.validate_json(line)
    except ValidationError:
        return None


def delivery_of(line: bytes) -> Delivery | None:
    """The same for a line that says that a thought was delivered."""
    try:
        return _DELIVERY.validate_json(line)
    except ValidationError:
        return None


def _leaves(value: object) -> Iterator[str | int]:
    """Every text, and every number of a list, that is not marked OURS."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(key)
            yield from _leaves(one)
    elif isinstance(value, tuple | list):
        for one in value:
            if isinstance(one, int):
                yield one
            else:
                yield from _leaves(one)
    elif is_dataclass(value):
        for name in _open_fields(value.__class__):
            yield from _leaves(getattr(value, name))


@cache
def _open_fields(part: type) -> tuple[str, ...]:
    """The fields of a part that are not marked OURS."""
    hints = get_type_hints(part, include_extras=True)
    return tuple(one.name for one in fields(part) if not _is_ours(hints[one.name]))


def _is_ours(annotation: object) -> bool:
    """Whether a type is marked OURS, or is such a type or None."""
    if get_origin(annotation) in {Union, UnionType}:
        return all(_is_ours(one) for one in get_args(annotation) if one is not NoneType)
    return OURS in getattr(annotation, "__metadata__", ())
