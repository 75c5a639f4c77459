"""Records one pre-turn call while it runs: what each phase noted, how long it took, what failed, what it cost."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args, get_type_hints

from consolidation.kernel.ports import Usage
from service.mind.trace_document import CandidateTrace, PhasesTrace, ShownTrace, TraceDocument, UsageTrace
from service.retrieval.tellers import asker_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from service.mind.trace_document import PhaseTrace
    from service.ports.spans import Spans
    from service.retrieval.moment import Flashback, Fragment, Moment

_COUNTED = ("queries", "candidates", "dropped", "kept")  # of a phase's notes: a span shows how many, not which
_NOTES = {name: get_args(hint)[0] for name, hint in get_type_hints(PhasesTrace).items()}  # a phase's part, by its name
_SHOWN_CHARACTERS = 300  # of a candidate
_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class TraceRecorder:
    """Collects while a call runs; `document` is what is kept of it."""

    def __init__(self, trace_id: str, *, monotonic: Callable[[], float], spans: Spans) -> None:
        """Begin now; each phase is a span, too."""
        self.trace_id = trace_id
        self.silence: str | None = None
        self.usage = Usage()
        self._monotonic = monotonic
        self._spans = spans
        self._began = monotonic()
        self._phases: dict[str, PhaseTrace] = {}
        self._timings: dict[str, float] = {}
        self._degraded: dict[str, None] = {}
        self._lent = 0.0  # seconds of the open phase that count as another one's

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a phase, and open its span."""
        self._phases.setdefault(name, _NOTES[name]())
        began, self._lent = self._monotonic(), 0.0
        try:
            with self._spans.inside(f"resonance.{name}") as annotate:
                yield
                noted = self._phases[name]
                found = {key: getattr(noted, key, None) for key in _COUNTED}
                annotate(**{key: len(values) for key, values in found.items() if values is not None})
        finally:
            self._add_time(name, self._monotonic() - began - self._lent)

    @contextmanager
    def counted_as(self, name: str) -> Iterator[None]:
        """Count the time in here as that of another phase, whose model the open one waits for."""
        began = self._monotonic()
        try:
            yield
        finally:
            spent = self._monotonic() - began
            self._lent += spent
            self._add_time(name, spent)

    def note(self, part: PhaseTrace) -> None:
        """Note what a phase did; what it noted before stays, unless it is noted anew."""
        name = next(name for name, kind in _NOTES.items() if kind is type(part))
        known = self._phases.get(name)
        if known is not None:
            noted = {one.name: getattr(part, one.name) for one in fields(part)}
            part = replace(known, **{key: value for key, value in noted.items() if value is not None})
        self._phases[name] = part

    def degrade(self, *rungs: str) -> None:
        """Name rungs of the ladder that were taken."""
        self._degraded.update(dict.fromkeys(rungs))

    def silent(self, reason: str) -> tuple[()]:
        """Note why nothing comes up, and return it: nothing."""
        self.silence = reason
        return ()

    def spend(self, usage: Usage) -> None:
        """Add what a model call cost."""
        self.usage += usage

    def finish(self) -> None:
        """Take the time of the whole."""
        self._timings["total"] = _milliseconds(self._monotonic() - self._began)

    @property
    def dropped(self) -> Mapping[str, str]:
        """What the filters dropped, by fragment id, each with its reason."""
        return getattr(self._phases.get("filters"), "dropped", None) or {}

    def not_meant(self, shown: Container[str]) -> int:
        """
        How many candidates stayed back since nothing stored seemed to be meant; 0 where something did.

        These are not those that a filter dropped, nor those *shown*, which a model judged to be meant all the same.
        """
        relevance = getattr(self._phases.get("filters"), "relevance", None)
        if relevance is None or relevance.probability >= relevance.needed:
            return 0
        candidates = getattr(self._phases.get("retrieval"), "candidates", None) or ()
        return sum(one.id not in self.dropped and one.id not in shown for one in candidates)

    @property
    def wondered(self) -> Container[str]:
        """The ids of the candidates that a wonder found best."""
        return getattr(self._phases.get("retrieval"), "wondered", None) or ()

    @property
    def degraded(self) -> tuple[str, ...]:
        """The rungs taken, in order."""
        return tuple(self._degraded)

    @property
    def timings(self) -> Mapping[str, float]:
        """Milliseconds by phase, and ``total`` once it is finished."""
        return self._timings

    def document(
        self,
        moment: Moment,
        *,
        flashbacks: Sequence[Flashback],
        block: str,
        facts: Mapping[str, tuple[str, ...]] = _NOTHING,
    ) -> TraceDocument:
        """
        The trace; of a moment off the record, its figures alone.

        *facts* are those that came up with a flashback, by its id.
        """
        is_off = moment.is_off_the_record
        return TraceDocument(
            trace_id=self.trace_id,
            mind_id=moment.mind_id,
            session_id=moment.session_id,
            at=moment.now,
            message="" if is_off else moment.typed,
            asker=None if is_off else asker_of(moment) or None,
            off_the_record=is_off,
            language=moment.language,
            surfaced=bool(flashbacks),
            silence=None if flashbacks else self.silence,
            shown=tuple(
                ShownTrace(
                    one.fragment.id,
                    tuple(sorted(one.fragment.sequences)),
                    "" if is_off or one.fragment.mind_id else one.text,
                    None if is_off else facts.get(one.fragment.id) or None,
                )
                for one in flashbacks
            ),
            block="" if is_off else block,
            phases=PhasesTrace() if is_off else PhasesTrace(**self._phases),  # type: ignore[arg-type]
            degraded=self.degraded,
            timings_ms=self._timings,
            usage=UsageTrace(
                self.usage.calls, self.usage.prompt_tokens, self.usage.completion_tokens, self.usage.cost_usd
            ),
        )

    def _add_time(self, name: str, seconds: float) -> None:
        self._timings[name] = round(self._timings.get(name, 0.0) + _milliseconds(seconds), 2)


def candidate_trace(fragment: Fragment) -> CandidateTrace:
    """A fragment as a trace shows it."""
    return CandidateTrace(
        id=fragment.id,
        kind=fragment.kind,
        text=fragment.text[:_SHOWN_CHARACTERS],
        score=fragment.score,
        boosted=fragment.is_boosted,
        occurred_at=fragment.occurred_at,
        sequences=tuple(sorted(fragment.sequences)),
        arms=fragment.arms,
        notes=tuple(f"{one.path}:{one.start_line}-{one.end_line}" for one in fragment.notes) or None,
    )


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 2)
