"""
What this process knows of its own state, and the same of all processes that serve the home, as one.

The process in front asks each worker. A worker that is away is missing, and readiness says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import batched, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from consolidation.dreams.fatigue import fatigue_level
from consolidation.kernel.errors import MemoryFault, MindNotFound
from consolidation.kernel.release import installed_version
from service.catalog.minds import SUMMARIES, summaries_of
from service.composition.webhooks import IS_ERASED
from service.http.metrics import MetricSeries, metric_series
from service.mind.also_read import UNAVAILABLE
from service.mind.foreign_mind import REMEMBER, SEARCH
from service.observability.dependency_health import GRAPH, NO_TROUBLE, WARM_UP
from service.observability.histograms import Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from service.composition.container import Memory
    from service.mind.summary import MindSummary
    from service.observability.model_usage import ModelCall
    from service.ports.webhooks import EndpointState
    from service.workers.endpoint import Answers

STOPPING = "stopping"
_METRICS, _READINESS, _STATE = "metrics", "readiness", "state"
_AWAY = "it is being started again"
_MOST_CALLS = 20
_MOST_SUMMARIES = 500  # of one question
_WORST_FIRST = ("open", "half_open", "closed")  # states of a circuit breaker
# Gauges that are not added up; all processes of a home have one outbox.
_OF_ALL = frozenset({"build_info", "dependency_up", "webhook_waiting_events", "webhook_given_up_events"})


@dataclass(frozen=True, slots=True)
class DependencyState:
    """A dependency: what is wrong with it, None for nothing, and the state of its circuit breaker, if it has one."""

    name: str
    trouble: str | None
    breaker: str | None


@dataclass(frozen=True, slots=True)
class ProcessState:
    """Dependencies, the model calls that ended last, newest first, and what surfaced and what became of it."""

    dependencies: tuple[DependencyState, ...]
    model_calls: tuple[ModelCall, ...]
    surfaced: int
    outcomes: Mapping[str, int]


async def all_series(memory: Memory) -> tuple[MetricSeries, ...]:
    """The metrics of all processes."""
    found = [await _series(memory)]
    if memory.fleet is not None and memory.minds.share.is_front:
        found += [one for one in await memory.fleet.ask_all(_METRICS) if one is not None]
    return merged_series(found)


async def readiness(memory: Memory) -> tuple[bool, dict[str, str]]:
    """Whether all processes are ready, and of each part what is wrong with it."""
    is_ready, parts = await _own_readiness(memory)
    if memory.fleet is None or not memory.minds.share.is_front:
        return is_ready, parts
    for number, found in enumerate(await memory.fleet.ask_all(_READINESS)):
        theirs_ready, theirs = found or (False, {f"worker {number}": _AWAY})
        is_ready &= theirs_ready
        parts |= {name: state for name, state in theirs.items() if parts.get(name, NO_TROUBLE) == NO_TROUBLE}
    return is_ready, parts


async def state(memory: Memory) -> ProcessState:
    """The state of all processes."""
    found = [_state(memory)]
    if memory.fleet is not None and memory.minds.share.is_front:
        found += [one for one in await memory.fleet.ask_all(_STATE) if one is not None]
    return merged_states(found)


def answers_of_worker(memory: Memory) -> Answers:
    """What a worker answers to the other processes, by question."""

    async def summaries(mind_ids: Sequence[str]) -> dict[str, MindSummary]:
        return await summaries_of(memory.minds, mind_ids)

    async def is_erased(mind_id: str, turn_id: str | None) -> bool:
        return memory.webhooks is not None and memory.webhooks.is_erased(mind_id, turn_id)

    async def search(mind_id: str, *asked: object, seconds: float | None) -> object:
        try:
            with memory.minds.gate.enter(mind_id):
                mind = await memory.minds.find(mind_id)
                return await memory.pipeline.found_for_another(mind, *asked, seconds=seconds)  # type: ignore[arg-type] # as it was sent
        except MindNotFound:
            return (), ()
        except (TimeoutError, MemoryFault, OSError):
            return (), (UNAVAILABLE,)

    async def remember(mind_id: str, query: str, **asked: object) -> object:
        try:
            with memory.minds.gate.enter(mind_id):
                mind = await memory.minds.find(mind_id)
                return await memory.recall.remember(mind, query, **asked)  # type: ignore[arg-type] # as it was sent
        except MindNotFound:
            return (), ()

    async def stopping() -> None:
        memory.events.close()
        memory.pipeline.stop()

    return {
        SUMMARIES: summaries,
        IS_ERASED: is_erased,
        SEARCH: search,
        REMEMBER: remember,
        STOPPING: stopping,
        _METRICS: lambda: _series(memory),
        _READINESS: lambda: _own_readiness(memory),
        _STATE: lambda: _state_soon(memory),
    }


def merged_series(found: Sequence[Iterable[MetricSeries]]) -> tuple[MetricSeries, ...]:
    """The same metrics of several processes as one: counts are added, of states the worst is told."""
    merged: dict[tuple[str, str], MetricSeries] = {}
    for one in (one for series in found for one in series):
        key = one.name, one.kind
        known = merged.get(key)
        merged[key] = one if known is None else replace(known, values=_merged_values(known, one))
    return tuple(_with_one_state(one) if one.name == "breaker" else one for one in merged.values())


def merged_states(found: Sequence[ProcessState]) -> ProcessState:
    """The states of several processes as one."""
    dependencies: dict[str, DependencyState] = {}
    for one in (one for state in found for one in state.dependencies):
        known = dependencies.get(one.name, one)
        breakers = [state for state in _WORST_FIRST if state in {known.breaker, one.breaker}]
        trouble = known.trouble or one.trouble
        dependencies[one.name] = DependencyState(one.name, trouble, breakers[0] if breakers else None)
    calls = sorted((call for state in found for call in state.model_calls), key=attrgetter("at"), reverse=True)
    outcomes: Counter[str] = Counter()
    for state in found:
        outcomes.update(state.outcomes)
    surfaced = sum(state.surfaced for state in found)
    return ProcessState(tuple(dependencies.values()), tuple(islice(calls, _MOST_CALLS)), surfaced, outcomes)


async def _series(memory: Memory) -> tuple[MetricSeries, ...]:
    return tuple(
        metric_series(
            version=installed_version(),
            tally=memory.telemetry.tally,
            spending=memory.telemetry.usage.snapshot(),
            dependencies=memory.telemetry.dependencies,
            minds=await memory.minds.totals(),
            agents=await _agents(memory),
            webhook_states=await _webhook_states(memory),
            webhook_attempts=memory.webhooks.attempts if memory.webhooks is not None else {},
        )
    )


async def _agents(memory: Memory) -> Counter[str]:
    """How many of the agents that acted since the start are how tired now; one that was erased is not among them."""
    found: Counter[str] = Counter()
    for names in batched(sorted(memory.telemetry.tally.agents), _MOST_SUMMARIES):
        summaries = (await memory.minds.summaries(names)).values()
        found.update(fatigue_level(one.agent.actions, memory.sleep.thresholds).value for one in summaries)
    return found


async def _webhook_states(memory: Memory) -> dict[str, EndpointState]:
    """How deliveries stand by endpoint; of none where the outbox can not be read now."""
    sender = memory.webhooks
    if sender is None:
        return {}
    try:
        return {name: await sender.state(name) for name in sender.endpoints}
    except MemoryFault:
        return {}


async def _own_readiness(memory: Memory) -> tuple[bool, dict[str, str]]:
    dependencies = memory.telemetry.dependencies
    graph = dependencies.get(GRAPH)
    parts = {name: one.trouble or NO_TROUBLE for name, one in dependencies.all.items()}
    parts[WARM_UP] = NO_TROUBLE if memory.warmed.is_set() else "loading what the first pre-turn call needs"
    if graph.trouble is None:
        try:
            await memory.graphs.ping()
        except MemoryFault as error:
            parts[GRAPH] = str(error)
    is_ready = all(state == NO_TROUBLE for state in parts.values())
    return is_ready, {name: one.trouble or NO_TROUBLE for name, one in dependencies.with_shards.items()} | parts


def _state(memory: Memory) -> ProcessState:
    telemetry = memory.telemetry
    return ProcessState(
        dependencies=tuple(
            DependencyState(one.name, one.trouble, one.breaker_state() if one.breaker_state is not None else None)
            for one in telemetry.dependencies.with_shards.values()
        ),
        model_calls=telemetry.usage.last_calls,
        surfaced=sum(telemetry.tally.flashbacks.values()),
        outcomes=dict(telemetry.tally.outcomes),
    )


async def _state_soon(memory: Memory) -> ProcessState:
    return _state(memory)


def _merged_values(first: MetricSeries, second: MetricSeries) -> dict[tuple[str, ...], float | Spread]:
    values = dict(first.values)
    for key, value in second.values.items():
        known = values.get(key)
        values[key] = value if known is None else _merged(known, value, is_sum=first.name not in _OF_ALL)
    return values


def _merged(first: float | Spread, second: float | Spread, *, is_sum: bool) -> float | Spread:
    if isinstance(first, Spread):
        assert isinstance(second, Spread)  # noqa: S101 - of the same histogram
        up_to = tuple(one + other for one, other in zip(first.up_to, second.up_to, strict=True))
        return Spread(first.bounds, up_to, first.seconds + second.seconds)
    assert not isinstance(second, Spread)  # noqa: S101 - as above
    return first + second if is_sum else min(first, second)


def _with_one_state(breakers: MetricSeries) -> MetricSeries:
    """Each circuit breaker in the worst of the states that the processes have it in."""
    worst = {
        name: next(state for state in _WORST_FIRST if breakers.values.get((name, state)))
        for name in dict.fromkeys(name for name, _ in breakers.values)
    }
    return replace(breakers, values={(name, state): int(worst[name] == state) for name, state in breakers.values})
