"""
Every figure that is told of the service, as values: what was counted since it began, and how things stand now. Pure.

Of the service as a whole: no label holds a mind, a session or anybody's words. One name is one kind of thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.digestion.backlog import LANES, lag, parked, waiting_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from service.dependency import Dependencies
    from service.durations import Spread
    from service.minds import Mind
    from service.storytelling.runs import Storytelling
    from service.tally import Tally
    from service.usage import Spending

_GATES = ("closed", "half_open", "open")


@dataclass(frozen=True, slots=True)
class Figure:
    """A name without prefix and unit's suffix, what it is, and its values by its labels'."""

    name: str
    about: str
    kind: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...]
    values: Mapping[tuple[str, ...], float | Spread]


def figures(
    *,
    version: str,
    tally: Tally,
    spending: Spending,
    dependencies: Dependencies,
    minds: Sequence[Mind],
    storytelling: Storytelling,
) -> Iterator[Figure]:
    """All of them, at this moment."""
    yield _gauge("build_info", "1, with the version that runs.", {(version,): 1}, "version")
    yield from _standing(dependencies)
    yield from _turns(tally)
    yield from _resonances(tally)
    yield from _usefulness(tally)
    yield from _digestion(tally, minds)
    yield from _stories(tally, minds, storytelling)
    yield from _models(spending, tally)
    yield from _requests(tally)


def _standing(dependencies: Dependencies) -> Iterator[Figure]:
    up = {(name,): int(one.trouble is None) for name, one in dependencies.all.items()}
    yield _gauge("dependency_up", "1 where it works, as far as anybody knows.", up, "dependency")
    gates = {
        (name, gate): int(one.gate() == gate)
        for name, one in dependencies.all.items()
        if one.gate is not None
        for gate in _GATES
    }
    yield _gauge("breaker", "1 at the state its circuit breaker is in.", gates, "dependency", "state")


def _turns(tally: Tally) -> Iterator[Figure]:
    yield _counter("turns", "Posted turns by what became of them.", _keyed(tally.turns), "outcome")
    about = "How long turns took to be accepted: until they were safe on the disk."
    yield _histogram("turn_acceptance", about, tally.acceptances.spreads())


def _resonances(tally: Tally) -> Iterator[Figure]:
    yield _counter("resonance", "Pre-turn calls by outcome.", _keyed(tally.resonances), "outcome")
    about = "Pre-turn calls that took a rung of the ladder."
    yield _counter("resonance_degraded", about, _keyed(tally.rungs), "rung")
    yield _histogram("resonance", "How long pre-turn calls took.", tally.resonance_durations.spreads())
    about = "How long pre-turn calls spent in a phase."
    yield _histogram("resonance_phase", about, tally.phases.spreads(), "phase")


def _usefulness(tally: Tally) -> Iterator[Figure]:
    yield _counter("flashbacks", "Memories that surfaced.", _keyed(tally.flashbacks), "kind")
    about = "Memories that surfaced though they had within the last 100 pre-turn calls of their session."
    yield _counter("flashbacks_repeated", about, {(): tally.repeats})
    about = "Found memories that a filter kept from surfacing."
    yield _counter("fragments_held_back", about, _keyed(tally.held_back), "filter")
    about = "Pre-turn calls in which a filter kept something from surfacing."
    yield _counter("resonance_held_back", about, _keyed(tally.holding), "filter")


def _digestion(tally: Tally, minds: Sequence[Mind]) -> Iterator[Figure]:
    yield _gauge("minds", "Minds that are open.", {(): len(minds)})
    lags = {(lane,): sum(lag(one, lane) for one in minds) for lane in LANES}
    yield _gauge("lag_turns", "Turns that a lane has still before it, in all minds.", lags, "lane")
    waiting = {(lane,): sum(waiting_for(one, lane) is not None for one in minds) for lane in LANES}
    yield _gauge("waiting_minds", "Minds whose lane waits because something fails.", waiting, "lane")
    yield _gauge("parked_turns", "Turns that no model could read.", {(): sum(map(parked, minds))})
    yield _counter("parked", "Turns that were parked, again or for the first time.", {(): tally.parked})
    yield _counter("digested_turns", "Turns that a lane is done with.", _keyed(tally.digested), "lane")
    about = "Steps of a lane that failed and are tried again."
    yield _counter("digestion_failures", about, _keyed(tally.lane_failures), "lane")
    about = "How long a lane was at work on what it does at once: one turn where a model reads, else up to 32."
    yield _histogram("digestion", about, tally.lanes.spreads(), "lane")
    about = "Texts to be embedded: at hand (hit), or new to the embedder (miss)."
    yield _counter("embedded_texts", about, _keyed(tally.texts), "cache")


def _stories(tally: Tally, minds: Sequence[Mind], storytelling: Storytelling) -> Iterator[Figure]:
    turns, tokens = (sum(pending) for pending in zip((0, 0), *map(storytelling.pending, minds), strict=True))
    runs = [run for one in minds if (run := storytelling.last_run(one)) is not None]
    yield _gauge("story_pending_turns", "Turns that wait to be told.", {(): turns})
    yield _gauge("story_pending_tokens", "Tokens that wait to be told.", {(): tokens})
    failed = sum(run.error is not None for run in runs)
    yield _gauge("story_failed_minds", "Minds whose last run stopped early.", {(): failed})
    yield _counter("story_runs", "Runs of stories by why they began and how they ended.", tally.story_runs, *_RUN)
    yield _histogram("story_run", "How long runs of stories took.", tally.story_durations.spreads())


_RUN = ("trigger", "outcome")


def _models(spending: Spending, tally: Tally) -> Iterator[Figure]:
    spent = {(role.value, model): usage for (role, model), usage in spending.by_role_and_model.items()}
    silent = {(role.value, model): count for (role, model), count in spending.unanswered.items()}
    calls: dict[tuple[str, ...], float] = {}
    tokens: dict[tuple[str, ...], float] = {}
    for asked, usage in spent.items():
        failed = silent.get(asked, 0)
        calls |= {(*asked, "answered"): usage.calls - failed, (*asked, "failed"): failed}
        tokens |= {(*asked, "prompt"): usage.prompt_tokens, (*asked, "completion"): usage.completion_tokens}
    costs = {asked: usage.cost_usd for asked, usage in spent.items()}
    yield _counter("model_calls", "Calls to models, fallbacks and second tries too.", calls, *_MODEL, "outcome")
    yield _counter("model_tokens", "Tokens that models read and wrote.", tokens, *_MODEL, "kind")
    yield _counter("model_cost_usd", "What models cost, as far as their price is known.", costs, *_MODEL)
    about = "How long calls to models took, until the last word or until they failed."
    yield _histogram("model_call", about, spending.durations, "role")
    faults = {(role.value, fault): count for (role, fault), count in spending.faults.items()}
    about = "Questions to a role that failed, after its fallbacks, by what they failed of."
    yield _counter("model_faults", about, faults, "role", "fault")
    about = "Spans that a collector took, and such as were lost; none where none is configured."
    yield _counter("spans", about, _keyed(tally.spans), "outcome")


_MODEL = ("role", "model")


def _requests(tally: Tally) -> Iterator[Figure]:
    labels = ("route", "method")
    yield _counter("http_requests", "Requests by the class of their status.", tally.requests, *labels, "status")
    about = "How long requests took, until the last byte was given."
    yield _histogram("http_request", about, tally.request_durations.spreads(), *labels)


def _keyed(counts: Mapping[str, int]) -> Mapping[tuple[str], int]:
    return {(key,): count for key, count in counts.items()}


def _counter[Key: tuple[str, ...]](name: str, about: str, values: Mapping[Key, float], *labels: str) -> Figure:
    return Figure(name, about, "counter", labels, {tuple(key): value for key, value in values.items()})


def _gauge[Key: tuple[str, ...]](name: str, about: str, values: Mapping[Key, float], *labels: str) -> Figure:
    return Figure(name, about, "gauge", labels, {tuple(key): value for key, value in values.items()})


def _histogram(name: str, about: str, spreads: Mapping[tuple[str, ...], Spread], *labels: str) -> Figure:
    return Figure(f"{name}_seconds", about, "histogram", labels, spreads)
