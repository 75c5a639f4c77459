"""What happened in one resonance, phase by phase: the answer to "why did this surface, and that did not?"."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consolidation.kernel.ports import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from service.resonance.moment import Flashback, Fragment, Moment
    from service.spans import Spans

_COUNTED = ("queries", "candidates", "dropped", "kept")  # of a phase's notes: a span is told how many, not which


class Trace:
    """Collects while a resonance runs; ``document`` is what is kept of it."""

    def __init__(self, trace_id: str, moment: Moment, *, monotonic: Callable[[], float], spans: Spans) -> None:
        """Begin a trace of *moment*; each phase is a span, too."""
        self.trace_id = trace_id
        self._spans = spans
        self._monotonic = monotonic
        self._moment = moment
        self._began = monotonic()
        self._phases: dict[str, dict[str, Any]] = {}
        self._degraded: dict[str, None] = {}
        self.timings: dict[str, float] = {}
        self.usage = Usage()

    def observe(self, moment: Moment) -> None:
        """Take the moment as it is known by now."""
        self._moment = moment

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any]]:
        """Time a phase; what it puts into the dict it is given is kept."""
        notes = self._phases.setdefault(name, {})
        began = self._monotonic()
        try:
            with self._spans.inside(f"resonance.{name}") as note:
                yield notes
                note(**{key: len(notes[key]) for key in _COUNTED if key in notes})
        finally:
            spent = (self._monotonic() - began) * 1000
            self.timings[name] = round(self.timings.get(name, 0.0) + spent, 2)

    def degrade(self, *rungs: str) -> None:
        """Name rungs of the ladder that were taken."""
        self._degraded.update(dict.fromkeys(rungs))

    def spend(self, usage: Usage) -> None:
        """Add what a model call cost."""
        self.usage += usage

    @property
    def dropped(self) -> Mapping[str, str]:
        """What the filters let go, by fragment, each with its reason."""
        dropped: Mapping[str, str] = self._phases.get("filters", {}).get("dropped", {})
        return dropped

    @property
    def degraded(self) -> tuple[str, ...]:
        """The rungs taken, in order."""
        return tuple(self._degraded)

    def finish(self) -> None:
        """Take the time of the whole."""
        self.timings["total"] = round((self._monotonic() - self._began) * 1000, 2)

    def document(self, *, flashbacks: tuple[Flashback, ...], silence: str | None, block: str) -> dict[str, Any]:
        """The trace as JSON values; of a moment off the record, its figures alone."""
        moment = self._moment
        if moment.is_off_the_record:
            flashbacks, block = tuple(replace(one, text="") for one in flashbacks), ""
        return {
            "trace_id": self.trace_id,
            "mind_id": moment.mind_id,
            "session_id": moment.session_id,
            "at": moment.now.isoformat(),
            "message": "" if moment.is_off_the_record else moment.message,
            "off_the_record": moment.is_off_the_record,
            "language": moment.language,
            "surfaced": bool(flashbacks),
            "silence": silence,
            "shown": [
                {"id": one.fragment.id, "sequences": sorted(one.fragment.sequences), "text": one.text}
                for one in flashbacks
            ],
            "block": block,
            "phases": {} if moment.is_off_the_record else self._phases,
            "degraded": list(self.degraded),
            "timings_ms": self.timings,
            "usage": {
                "calls": self.usage.calls,
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
                "cost_usd": self.usage.cost_usd,
            },
        }


def noted(fragment: Fragment) -> dict[str, Any]:
    """A fragment as a trace shows it."""
    return {
        "id": fragment.id,
        "kind": fragment.kind,
        "text": fragment.text[:300],
        "score": fragment.score,
        "boosted": fragment.is_boosted,
        "occurred_at": fragment.occurred_at.isoformat(),
        "sequences": sorted(fragment.sequences),
        "arms": dict(fragment.arms),
    } | ({"notes": [f"{one.path}:{one.start_line}-{one.end_line}" for one in fragment.notes]} if fragment.notes else {})
