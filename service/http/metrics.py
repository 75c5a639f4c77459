"""
Every metric of the service, as values: counts since the start, and the current state.

The metrics describe the service as a whole. No label contains a mind, a session or anybody's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from consolidation.dreams.fatigue import FatigueLevel
from service.mind.health import LaneName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.mind.summary import Totals
    from service.observability.counters import Tally
    from service.observability.dependency_health import Dependencies
    from service.observability.histograms import Spread
    from service.observability.model_usage import UsageTotals
    from service.ports.webhooks import EndpointState

_BREAKER_STATES = ("closed", "half_open", "open")


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """A metric: its name without prefix and unit suffix, its help text, and its values by label values."""

    name: str
    about: str
    kind: Literal["counter", "gauge", "histogram"]
    labels: tuple[str, ...]
    values: Mapping[tuple[str, ...], float | Spread]


def metric_series(
    *,
    version: str,
    tally: Tally,
    spending: UsageTotals,
    dependencies: Dependencies,
    minds: Totals,
    agents: Mapping[str, int],
    webhook_states: Mapping[str, EndpointState],
    webhook_attempts: Mapping[tuple[str, str], int],
) -> Iterator[MetricSeries]:
    """All metrics at this moment; *agents* by fatigue, webhooks by endpoint, attempts by endpoint and outcome."""
    yield _gauge("build_info", "1, with the version that runs.", {(version,): 1}, "version")
    yield from _dependency_states(dependencies)
    yield from _turns(tally)
    yield from _pre_turn_calls(tally)
    yield from _flashbacks(tally)
    yield from _sleep(tally, agents)
    yield from _digestion(tally, minds)
    yield from _stories(tally, minds)
    yield from _models(spending, tally)
    yield from _audio_streams(tally)
    yield from _webhooks(webhook_attempts, webhook_states)
    yield from _requests(tally)


def _dependency_states(dependencies: Dependencies) -> Iterator[MetricSeries]:
    found = dependencies.with_shards
    up = {(name,): int(one.trouble is None) for name, one in found.items()}
    yield _gauge("dependency_up", "1 if it works, as far as is known.", up, "dependency")
    breaker_states = {
        (name, state): int(one.breaker_state() == state)
        for name, one in found.items()
        if one.breaker_state is not None
        for state in _BREAKER_STATES
    }
    yield _gauge("breaker", "1 for the current state of its circuit breaker.", breaker_states, "dependency", "state")


def _turns(tally: Tally) -> Iterator[MetricSeries]:
    yield _counter("turns", "Posted turns by outcome.", _by_label(tally.turns), "outcome")
    about = "Memories that somebody saved on purpose, by outcome."
    yield _counter("saved_memories", about, _by_label(tally.memories), "outcome")
    about = "Time until a turn was on disk."
    yield _histogram("turn_acceptance", about, tally.acceptances.spreads())
    about = "Writes to a shared home that were refused, by reason."
    yield _counter("shared_writes_refused", about, _by_label(tally.refused_writes), "reason")


def _pre_turn_calls(tally: Tally) -> Iterator[MetricSeries]:
    yield _counter("resonance", "Pre-turn calls by outcome.", _by_label(tally.resonances), "outcome")
    yield _counter("resonance_probes", "Pre-turn calls that asked what would surface.", {(): tally.probes})
    about = "Pre-turn calls that skipped a step, by step."
    yield _counter("resonance_degraded", about, _by_label(tally.rungs), "rung")
    yield _histogram("resonance", "Duration of pre-turn calls.", tally.resonance_durations.spreads())
    about = "Duration of the phases of pre-turn calls."
    yield _histogram("resonance_phase", about, tally.phases.spreads(), "phase")


def _flashbacks(tally: Tally) -> Iterator[MetricSeries]:
    yield _counter("flashbacks", "Memories that surfaced.", _by_label(tally.flashbacks), "kind")
    about = "Memories that had already surfaced within the last 100 pre-turn calls of their session."
    yield _counter("flashbacks_repeated", about, {(): tally.repeats})
    about = "Wonders of the model, those that were new in their session, and memories that surfaced by one."
    yield _counter("wonders", about, _by_label(tally.wonders), "stage")
    yield _counter("outcomes", "What became of memories that surfaced.", _by_label(tally.outcomes), "outcome")
    about = "Candidates that a filter dropped."
    yield _counter("fragments_held_back", about, _by_label(tally.held_back), "filter")
    about = "Pre-turn calls in which a filter dropped something."
    yield _counter("resonance_held_back", about, _by_label(tally.holding), "filter")


def _sleep(tally: Tally, agents: Mapping[str, int]) -> Iterator[MetricSeries]:
    yield _counter("actions", "What agents did, by kind.", _by_label(tally.actions), "kind")
    about = "Agents that acted since the service began, by how tired they are."
    yield _gauge("agents", about, {(level.value,): agents.get(level.value, 0) for level in FatigueLevel}, "fatigue")
    yield _counter("sleeps", "Times that an agent went to sleep.", _by_label(tally.sleeps), "kind")
    yield _counter("forced_sleeps", "Sleeps of agents that had to sleep.", {(): tally.forced_sleeps})
    yield _counter("dreams", "Dreams by kind and outcome.", dict(tally.dreams), "kind", "outcome")
    yield _histogram("dream", "Duration of dreams.", tally.dream_durations.spreads())
    yield _counter("observations", "Facts that dreams observed.", _by_label(tally.observations), "level")


def _digestion(tally: Tally, minds: Totals) -> Iterator[MetricSeries]:
    yield _gauge("minds", "Minds that were opened at least once.", {(): minds.minds})
    lags = {(lane.value,): minds.lags[lane] for lane in LaneName}
    yield _gauge("lag_turns", "Turns that a lane has not processed yet, in all minds.", lags, "lane")
    waiting = {(lane.value,): minds.waiting[lane] for lane in LaneName}
    yield _gauge("waiting_minds", "Minds whose lane waits after a failure.", waiting, "lane")
    yield _gauge("parked_turns", "Turns that are parked because their extraction failed.", {(): minds.parked})
    yield _counter("parked", "How often a turn was parked.", {(): tally.parked})
    yield _counter(
        "facts_dropped", "Facts not kept: too slight, or with names that nobody said.", {(): tally.dropped_facts}
    )
    about = "Writes that a graph refused because another service had claimed the mind."
    yield _counter("fenced_writes", about, {(): tally.fenced_writes})
    yield _counter("digested_turns", "Turns that a lane has processed.", _by_label(tally.digested), "lane")
    about = "Steps of a lane that failed and will be tried again."
    yield _counter("digestion_failures", about, _by_label(tally.lane_failures), "lane")
    about = "Duration of one step of a lane: one turn if a model reads it, otherwise up to 32 turns."
    yield _histogram("digestion", about, tally.lanes.spreads(), "lane")
    about = "Texts to embed: cached (hit) or new (miss)."
    yield _counter("embedded_texts", about, _by_label(tally.texts), "cache")


def _stories(tally: Tally, minds: Totals) -> Iterator[MetricSeries]:
    yield _gauge("story_pending_turns", "Turns that wait for the story.", {(): minds.pending.turns})
    yield _gauge("story_pending_tokens", "Tokens that wait for the story.", {(): minds.pending.tokens})
    yield _gauge("story_failed_minds", "Minds whose last story run stopped early.", {(): minds.failed_stories})
    yield _counter("story_runs", "Story runs by trigger and outcome.", tally.story_runs, *_RUN)
    yield _histogram("story_run", "Duration of story runs.", tally.story_durations.spreads())


_RUN = ("trigger", "outcome")


def _models(spending: UsageTotals, tally: Tally) -> Iterator[MetricSeries]:
    usage_by_key = {(role.value, model): usage for (role, model), usage in spending.by_role_and_model.items()}
    failed_calls = {(role.value, model): count for (role, model), count in spending.failed_calls.items()}
    calls: dict[tuple[str, ...], float] = {}
    tokens: dict[tuple[str, ...], float] = {}
    for key, usage in usage_by_key.items():
        failed = failed_calls.get(key, 0)
        calls |= {(*key, "answered"): usage.calls - failed, (*key, "failed"): failed}
        tokens |= {(*key, "prompt"): usage.prompt_tokens, (*key, "completion"): usage.completion_tokens}
    costs = {key: usage.cost_usd for key, usage in usage_by_key.items()}
    yield _counter("model_calls", "Model calls, with fallbacks and retries.", calls, *_MODEL, "outcome")
    yield _counter("model_tokens", "Tokens that models read and wrote.", tokens, *_MODEL, "kind")
    yield _counter("model_cost_usd", "Cost of model calls, if the price is known.", costs, *_MODEL)
    about = "Duration of model calls until the answer was complete or failed."
    yield _histogram("model_call", about, spending.durations, "role")
    faults = {(role.value, fault): count for (role, fault), count in spending.faults.items()}
    about = "Questions to a role that failed after all fallbacks, by fault."
    yield _counter("model_faults", about, faults, "role", "fault")
    about = "Spans that were exported or lost; none without a collector."
    yield _counter("spans", about, _by_label(tally.spans), "outcome")


_MODEL = ("role", "model")


def _audio_streams(tally: Tally) -> Iterator[MetricSeries]:
    yield _gauge("open_audio_streams", "Audio streams that are connected.", {(): tally.open_audio_streams})
    about = "Audio streams that are over, by outcome."
    yield _counter("audio_streams", about, _by_label(tally.audio_streams), "outcome")
    yield _counter("audio_heard_seconds", "Seconds of audio that came.", {(): tally.heard_seconds})
    yield _counter("utterances", "What was said in audio streams, by outcome.", _by_label(tally.utterances), "outcome")
    about = "Time from the end of an utterance until it was settled: transcribed, and its turn on disk."
    yield _histogram("utterance", about, tally.utterance_durations.spreads())


def _webhooks(attempts: Mapping[tuple[str, str], int], states: Mapping[str, EndpointState]) -> Iterator[MetricSeries]:
    about = "Attempts to send an event, by endpoint and outcome."
    yield _counter("webhook_attempts", about, attempts, "endpoint", "outcome")
    waiting = {(name,): state.waiting for name, state in states.items()}
    yield _gauge("webhook_waiting_events", "Events that wait to be sent.", waiting, "endpoint")
    given_up = {(name,): state.given_up for name, state in states.items()}
    yield _gauge("webhook_given_up_events", "Events that are not sent any more by themselves.", given_up, "endpoint")


def _requests(tally: Tally) -> Iterator[MetricSeries]:
    labels = ("route", "method")
    yield _counter("http_requests", "Requests by status class.", tally.requests, *labels, "status")
    about = "Duration of requests until the last byte was sent."
    yield _histogram("http_request", about, tally.request_durations.spreads(), *labels)


def _by_label(counts: Mapping[str, int]) -> Mapping[tuple[str], int]:
    return {(key,): count for key, count in counts.items()}


def _counter[Key: tuple[str, ...]](name: str, about: str, values: Mapping[Key, float], *labels: str) -> MetricSeries:
    return MetricSeries(name, about, "counter", labels, {tuple(key): value for key, value in values.items()})


def _gauge[Key: tuple[str, ...]](name: str, about: str, values: Mapping[Key, float], *labels: str) -> MetricSeries:
    return MetricSeries(name, about, "gauge", labels, {tuple(key): value for key, value in values.items()})


def _histogram(name: str, about: str, spreads: Mapping[tuple[str, ...], Spread], *labels: str) -> MetricSeries:
    return MetricSeries(f"{name}_seconds", about, "histogram", labels, spreads)
