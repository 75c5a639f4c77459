"""What happened since the service began, counted: no names, no words, nothing that grows with what is remembered."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from service.observability.histograms import INSTANT, PATIENT, REQUEST, TURN, Durations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Tally:
    """Counts; one for the whole service, written from its event loop, but for ``spans``: from their own thread."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.turns: Counter[str] = Counter(accepted=0, duplicate=0, refused=0)
        self.acceptances = Durations(INSTANT)
        self.refused_writes: Counter[str] = Counter(changed_elsewhere=0, not_in_custody=0)
        self.memories: Counter[str] = Counter(saved=0, duplicate=0, dropped=0)
        self.resonances: Counter[str] = Counter(surfaced=0, silent=0, late=0)
        self.probes = 0
        self.rungs: Counter[str] = Counter()
        self.resonance_durations = Durations(TURN)
        self.phases = Durations(INSTANT)
        self.flashbacks: Counter[str] = Counter()
        self.repeats = 0
        self.wonders: Counter[str] = Counter(suggested=0, searched=0, surfaced=0)
        self.outcomes: Counter[str] = Counter(acted=0, used=0, deferred=0, dismissed=0, contradicted=0)
        self.held_back: Counter[str] = Counter()
        self.holding: Counter[str] = Counter()
        self.lanes = Durations(PATIENT)
        self.digested: Counter[str] = Counter(indexing=0, saving=0, extracting=0)
        self.lane_failures: Counter[str] = Counter(indexing=0, saving=0, extracting=0)
        self.parked = 0
        self.dropped_facts = 0
        self.fenced_writes = 0
        self.texts: Counter[str] = Counter(hit=0, miss=0)
        self.actions: Counter[str] = Counter(thought=0, tool_call=0, message=0, error=0)
        self.agents: set[str] = set()
        self.sleeps: Counter[str] = Counter(nap=0, lightweight=0, dream=0, deep_sleep=0)
        self.forced_sleeps = 0
        self.dreams: Counter[tuple[str, str]] = Counter()
        self.dream_durations = Durations(PATIENT)
        self.observations: Counter[str] = Counter(RED=0, YLW=0, GRN=0)
        self.story_runs: Counter[tuple[str, str]] = Counter()
        self.story_durations = Durations(PATIENT)
        self.open_audio_streams = 0
        self.audio_streams: Counter[str] = Counter(ended=0, failed=0)
        self.heard_seconds = 0.0
        self.utterances: Counter[str] = Counter(stored=0, wordless=0, known=0, unread=0)
        self.utterance_durations = Durations(PATIENT)
        self.requests: Counter[tuple[str, str, str]] = Counter()
        self.request_durations = Durations(REQUEST)
        self.spans: Counter[str] = Counter(exported=0, lost=0)

    def turn(self, outcome: str, *, seconds: float | None = None) -> None:
        """A posted turn was ``accepted``, within so many *seconds*, known already (``duplicate``), or ``refused``."""
        self.turns[outcome] += 1
        if seconds is not None:
            self.acceptances.add(seconds=seconds)

    def fenced_write(self) -> None:
        """A graph refused a write of ours: another service had claimed the mind."""
        self.fenced_writes += 1

    def refuse_write(self, reason: str) -> None:
        """A write to a shared home was refused, since its file or the custody of its mind had changed elsewhere."""
        self.refused_writes[reason] += 1

    def memory(self, outcome: str) -> None:
        """A memory was ``saved`` on purpose, known already (``duplicate``), or not worth it (``dropped``)."""
        self.memories[outcome] += 1

    def resonance(self, outcome: str, *, rungs: Iterable[str], timings: Mapping[str, float]) -> None:
        """
        A pre-turn call ``surfaced`` something, was ``silent``, or came to its deadline (``late``).

        *timings* are milliseconds by phase, and ``total``.
        """
        self.resonances[outcome] += 1
        self.rungs.update(rungs)
        for phase, milliseconds in timings.items():
            if phase == "total":
                self.resonance_durations.add(seconds=milliseconds / 1000)
            else:
                self.phases.add(phase, seconds=milliseconds / 1000)

    def surfaced(self, kinds: Iterable[str], *, repeats: int) -> None:
        """Flashbacks of these *kinds* surfaced, *repeats* of them not for the first time in their session."""
        self.flashbacks.update(kinds)
        self.repeats += repeats

    def wonder(self, *, suggested: int = 0, searched: int = 0, surfaced: int = 0) -> None:
        """A model suggested so many wonders; so many were new and searched for; so many memories surfaced by one."""
        self.wonders.update(suggested=suggested, searched=searched, surfaced=surfaced)

    def held(self, filters: Mapping[str, int]) -> None:
        """So many fragments of one call were kept back, by filter."""
        self.held_back.update(filters)
        self.holding.update(filters.keys())

    def digest(self, lane: str, *, turns: int, seconds: float) -> None:
        """A lane is done with so many *turns*."""
        self.digested[lane] += turns
        self.lanes.add(lane, seconds=seconds)

    def acted(self, kinds: Mapping[str, int], *, mind_id: str) -> None:
        """An agent did so much of each kind."""
        self.actions.update(kinds)
        self.agents.add(mind_id)

    def slept(self, kind: str, *, is_forced: bool) -> None:
        """An agent went to sleep: a ``nap``, or to dream; because it had to, where *is_forced*."""
        self.sleeps[kind] += 1
        self.forced_sleeps += is_forced

    def dreamt(self, kind: str, outcome: str, *, seconds: float, levels: Mapping[str, int]) -> None:
        """A dream was ``dreamt``, or ``quoted`` without a model, or ``failed``; it observed so much of each level."""
        self.dreams[kind, outcome] += 1
        self.dream_durations.add(seconds=seconds)
        self.observations.update(levels)

    def story(self, trigger: str, outcome: str, *, seconds: float) -> None:
        """A run of a story ended: it ``told``, found ``nothing`` to tell, ``failed``, or was ``stopped``."""
        self.story_runs[trigger, outcome] += 1
        self.story_durations.add(seconds=seconds)

    def audio_stream_opened(self) -> None:
        """An audio stream was connected."""
        self.open_audio_streams += 1

    def audio_stream_closed(self, outcome: str) -> None:
        """An audio stream ``ended``, by its caller or with the line, or ``failed``."""
        self.open_audio_streams -= 1
        self.audio_streams[outcome] += 1

    def utterance(self, outcome: str, *, seconds: float) -> None:
        """
        An utterance was settled so many *seconds* after it was cut.

        It was ``stored``, ``wordless``, ``known`` (stored before, erased, or without words of its own), or ``unread``.
        """
        self.utterances[outcome] += 1
        self.utterance_durations.add(seconds=seconds)

    def request(self, *, route: str, method: str, status: str, seconds: float) -> None:
        """A request was answered, by the template of its route and the class of its status."""
        self.requests[route, method, status] += 1
        self.request_durations.add(route, method, seconds=seconds)
