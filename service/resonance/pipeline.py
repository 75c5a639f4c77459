"""
The six phases, top to bottom: seeds, retrieval, filters, labels, narration, injection.

A pre-turn call never raises for an outside failure and never outlives its deadline. It goes down a ladder (full → the
model's seeds skipped → rewriting skipped → story only) and names each rung in ``degraded``.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog
from structlog.contextvars import bound_contextvars

from consolidation.kernel.errors import IndexUnusable, Locked, MindErasing
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.mind.also_read import UNAVAILABLE
from service.mind.index_lag import INDEX_BEHIND, until_indexed
from service.mind.trace_document import RetrievalTrace
from service.resonance.call import Deadline, PreTurnCall
from service.resonance.injection import as_thought, block, etag, inject
from service.resonance.labels import label_all
from service.resonance.moment_builder import in_its_language, observe, unread
from service.resonance.shown_facts import facts_shown
from service.resonance.supposed_mind import supposed
from service.resonance.trace_recorder import TraceRecorder
from service.retrieval.mind_of_turns import mind_of_turns
from service.retrieval.moment import ResonanceAnswer, Shortlist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.ports import Clock
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.events import Publish
    from service.mind.minds import Mind
    from service.mind.trace_document import TraceDocument
    from service.observability.counters import Tally
    from service.ports.spans import Attribute, Spans
    from service.resonance.filters import Filters
    from service.resonance.injection import Injection
    from service.resonance.narration_model import NarrationModel
    from service.resonance.other_minds import OtherMinds
    from service.resonance.retrieval import Candidates, Retrieval
    from service.resonance.seeds_model import CallSeeds, SeedsModel
    from service.resonance.stable_prompt import StablePrompt
    from service.retrieval.moment import Flashback, Fragment, LabelledFragment, Moment, ResonanceRequest
    from service.runtime.background import Background
    from service.runtime.foreground import Foreground
    from service.runtime.places import Places

_INDEXING_SHARE, _INDEXING_SECONDS = 0.5, 10.0  # of the deadline, and without one, for turns that full text lacks
_REPEAT_TURNS = 100  # of a session: wider than the echo filter, which looks perfect within its own window
_STOPPING_SECONDS = 1.5  # of the two that the server leaves to open calls: the usual deadline
_RELEVANCE = "relevance"  # the filter, as the metrics call it

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class CallTelemetry:
    """Where each call is counted, traced and told."""

    tally: Tally
    spans: Spans
    publish: Publish


@dataclass(frozen=True, slots=True)
class Search:
    """
    Phases 2 and 3: what finds memories, what drops them, and the same for other minds that are also read.

    A call needs one of the *places* for it.
    """

    retrieval: Retrieval
    filters: Filters
    other_minds: OtherMinds
    places: Places


class Pipeline:
    """Runs the phases for one mind and one moment at a time; holds nothing of either."""

    def __init__(
        self,
        *,
        seeds: SeedsModel,
        search: Search,
        narration: NarrationModel,
        stable: StablePrompt,
        privacy_filter: PrivacyFilter,
        clock: Clock,
        telemetry: CallTelemetry,
        foreground: Foreground,
        background: Background,
    ) -> None:
        """
        The phases that ask the world; labels and injection are functions. *foreground* knows who waits.

        In the *background*, traces are written.
        """
        self._background = background
        self._foreground = foreground
        self._seeds = seeds
        self._retrieval = search.retrieval
        self._filters = search.filters
        self._other_minds = search.other_minds
        self._places = search.places
        self._narration = narration
        self._stable = stable
        self._privacy_filter = privacy_filter
        self._clock = clock
        self._tally = telemetry.tally
        self._spans = telemetry.spans
        self._publish = telemetry.publish

    async def resonate(self, mind: Mind, request: ResonanceRequest) -> ResonanceAnswer:
        """What surfaces for *mind* at this moment, within the deadline."""
        ids = {"mind_id": mind.mind_id, "session_id": request.session_id}
        with (
            bound_contextvars(**ids),
            self._foreground.call(),
            self._spans.inside("resonance", **ids) as annotate,
        ):
            call = await self._open(mind, request)
            annotate(trace_id=call.trace.trace_id)
            call, injection = await self._run(call)
            call.trace.finish()
            if not call.is_noted:
                return self._what_if(call, injection)
            annotate(**self._count(call, injection.flashbacks))
            return await self._close(call, injection)

    def stop(self) -> None:
        """The service stops: open calls are answered soon, with what they have, before the server cuts them off."""
        self._foreground.stop(seconds=_STOPPING_SECONDS)

    async def _run(self, call: PreTurnCall) -> tuple[PreTurnCall, Injection]:
        """The six phases. Narration begins with what the message finds, while a model still thinks about seeds."""
        trace = call.trace
        flashbacks: tuple[Flashback, ...] = ()
        async with self._stable.read_beside(call) as stable:
            async with call.failing_open(self._foreground):
                call = await self._observed(call)
                if call.moment.is_noise:
                    trace.silent(f"this is a {call.moment.kind}")
                    return call, inject(call, (), stable=await stable)
                if "flashbacks" not in call.request.include:
                    trace.silent("flashbacks were not asked for")
                    return call, inject(call, (), stable=await stable)
                left = call.deadline.left(share=_INDEXING_SHARE)
                if not await until_indexed(call.mind, seconds=_INDEXING_SECONDS if left is None else left):
                    trace.degrade(INDEX_BEHIND)
                call = await _of_its_turns(await in_its_language(call))
                with trace.phase("seeds"):
                    seeds = self._seeds.sow(call)
                candidates, labelled = await self._find(call, seeds)
                telling = self._narration.begin(call, labelled)
                more = await seeds.joined(call)
                if more.added.queries:
                    _, labelled = await self._find(call, more, before=candidates)
                if labelled.every:
                    with trace.phase("narration"):
                        flashbacks = await self._narration.finish(call, labelled, telling)
            text = await stable
            with trace.phase("injection"):
                return call, inject(call, flashbacks, stable=text)

    async def _find(
        self, call: PreTurnCall, seeds: CallSeeds, *, before: Candidates | None = None
    ) -> tuple[Candidates, Shortlist[LabelledFragment]]:
        """
        Phases 2 to 4: what the seeds find, and what of it may surface, labelled. *before* was found already.

        Other minds that are also read are searched beside it. Calls wait for a place.
        """
        async with self._places.place(seconds=call.deadline.left()):
            return await self._found(call, seeds, before=before)

    async def _found(
        self, call: PreTurnCall, seeds: CallSeeds, *, before: Candidates | None
    ) -> tuple[Candidates, Shortlist[LabelledFragment]]:
        trace = call.trace
        others = asyncio.ensure_future(self._other_minds.search(call, seeds))
        try:
            with trace.phase("retrieval"):
                candidates = await self._retrieval.search(call, seeds, before=before)
            with trace.phase("filters"):
                most_judged = self._narration.most_judged(call)
                shortlist = await self._filters.choose(call, candidates, most_judged=most_judged)
                shortlist = await self._other_minds.join(call, shortlist, await others)
        finally:
            others.cancel()
        if not shortlist.every:
            return candidates, Shortlist()
        with trace.phase("labels"):
            return candidates, label_all(call, shortlist)

    async def found_for_another(
        self, mind: Mind, request: ResonanceRequest, moment: Moment, seeds: CallSeeds, *, seconds: float | None
    ) -> tuple[tuple[Fragment, ...], tuple[str, ...]]:
        """What may surface of *mind* in a call that another worker answers; see ``OtherMinds.found_in``."""
        return await self._other_minds.found_in(mind, request=request, moment=moment, seeds=seeds, seconds=seconds)

    async def stable_text(self, mind: Mind, *, tools: frozenset[str] | None, window: int | None = None) -> str:
        """Story and recall protocol as they are now, for a call that is answered again with what surfaced before."""
        return await self._stable.read(mind, tools, window=window)

    async def _open(self, mind: Mind, request: ResonanceRequest) -> PreTurnCall:
        if request.what_if is not None:
            mind = await supposed(mind, request.what_if)
        began = self._clock.monotonic() if request.began is None else request.began
        deadline = Deadline(self._clock.monotonic, began, request.deadline_seconds)
        trace = TraceRecorder(self._clock.fresh_id(), monotonic=self._clock.monotonic, spans=self._spans)
        trace.degrade(*request.degraded)
        if request.lacks_minds:
            trace.degrade(UNAVAILABLE)
        return PreTurnCall(mind, request, unread(mind.mind_id, request), deadline, trace)

    async def _observed(self, call: PreTurnCall) -> PreTurnCall:
        """*call* with its moment; what its mind never keeps is read first."""

        def observed() -> Moment:
            privacy = call.mind.settings.read().own.privacy(self._privacy_filter)
            if call.request.turns:
                call.trace.note(RetrievalTrace(turns=call.request.turns.noted(cleaned=privacy.note)))
            return observe(call.mind.mind_id, call.request, privacy=privacy)

        moment = await anyio.to_thread.run_sync(observed, abandon_on_cancel=True)
        if moment.is_off_the_record:
            call.trace.degrade("off_the_record")
        return replace(call, moment=moment)

    def _count(self, call: PreTurnCall, flashbacks: tuple[Flashback, ...]) -> dict[str, Attribute]:
        """Add the call to the metrics, before its flashbacks are among what was shown; what its span says of it."""
        trace, tally = call.trace, self._tally
        outcome = "late" if "deadline" in trace.degraded else "surfaced" if flashbacks else "silent"
        tally.resonance(outcome, rungs=trace.degraded, timings=trace.timings)
        held = Counter(reason.partition(":")[0].replace("-", "_") for reason in trace.dropped.values())
        held[_RELEVANCE] += trace.not_meant({one.fragment.id for one in flashbacks})
        tally.held(+held)
        repeats = 0
        if flashbacks:
            echoes = call.mind.trace_log.echoes(
                call.request.session_id, turns=_REPEAT_TURNS, but_for=call.request.again_of
            )
            repeats = sum(echoes.include(one.fragment.id, one.fragment.sequences) for one in flashbacks)
            tally.surfaced((one.fragment.kind for one in flashbacks), repeats=repeats)
            tally.wonder(surfaced=sum(one.fragment.id in trace.wondered for one in flashbacks))
        return {
            "outcome": outcome,
            "degraded": trace.degraded,
            "flashbacks": len(flashbacks),
            "repeats": repeats,
            "model_calls": trace.usage.calls,
            "cost_usd": trace.usage.cost_usd,
        }

    async def _close(self, call: PreTurnCall, injection: Injection) -> ResonanceAnswer:
        """Write the trace, and answer; a disk that is slow to take it goes on in the background."""
        mind, trace = call.mind, call.trace
        document = _document(call, injection, await _facts(call, injection))
        mind.trace_log.remember(document)  # the next call knows of it, whatever the disk does
        writing = self._background.start(
            f"trace {mind.mind_id}", lambda: _write(mind, trace.trace_id), owner=mind.mind_id, in_caller_context=True
        )
        await asyncio.wait({writing}, timeout=call.deadline.rest())
        ids = {"trace_id": trace.trace_id, "session_id": call.request.session_id}
        self._publish(mind.mind_id, "resonance.answered", **ids, surfaced=len(injection.flashbacks))
        log.info(
            "resonance.answered",
            trace_id=trace.trace_id,
            surfaced=len(injection.flashbacks),
            silence=document.silence,
            degraded=trace.degraded,
            ms=trace.timings["total"],
        )
        return _answer(call, injection, document)

    def _what_if(self, call: PreTurnCall, injection: Injection) -> ResonanceAnswer:
        """Answer, and note nothing but that it was asked."""
        self._tally.probes += 1
        log.info("resonance.probed", surfaced=len(injection.flashbacks), ms=call.trace.timings["total"])
        return _answer(call, injection, _document(call, injection, {}))


async def _of_its_turns(call: PreTurnCall) -> PreTurnCall:
    """*call* with only those turns of its mind that it asks for. Raises IndexUnusable."""
    if not call.request.turns:
        return call
    return replace(call, mind=await mind_of_turns(call.mind, call.request.turns))


async def _facts(call: PreTurnCall, injection: Injection) -> Mapping[str, tuple[str, ...]]:
    """The facts that came up with each flashback, by its id; none where the index does not say so in time."""
    fragments = [one.fragment for one in injection.flashbacks if not one.fragment.mind_id]
    if not fragments or call.moment.is_off_the_record:
        return {}
    rest = call.deadline.rest()
    try:
        async with asyncio.timeout(rest / 2 if rest is not None else None):  # the trace is to be written, too
            return await anyio.to_thread.run_sync(facts_shown, call.mind, fragments, abandon_on_cancel=True)
    except (TimeoutError, IndexUnusable):
        return {}


def _document(call: PreTurnCall, injection: Injection, facts: Mapping[str, tuple[str, ...]]) -> TraceDocument:
    """What is kept of the call; no word of another mind."""
    own = tuple(one for one in injection.flashbacks if not one.fragment.mind_id)
    text = injection.block if len(own) == len(injection.flashbacks) else block(own)
    found = call.trace.document(call.moment, flashbacks=injection.flashbacks, block=text, facts=facts)
    is_thought = call.request.is_wonder and own and not call.moment.is_off_the_record
    return replace(found, thought=as_thought(own[0]) if is_thought else None, is_wonder=call.request.is_wonder)


def _answer(call: PreTurnCall, injection: Injection, document: TraceDocument) -> ResonanceAnswer:
    trace = call.trace
    return ResonanceAnswer(
        trace_id=trace.trace_id if call.is_noted else None,
        flashbacks=injection.flashbacks,
        silence=document.silence,
        block=injection.block,
        stable=injection.stable,
        stable_etag=etag(injection.stable),
        messages=injection.messages,
        degraded=trace.degraded,
        timings=trace.timings,
        usage=trace.usage,
        trace=document,
    )


async def _write(mind: Mind, trace_id: str) -> None:
    try:
        await anyio.to_thread.run_sync(mind.trace_log.write)
    except OSError as error:
        mind.disk.failed(f"traces can not be kept: {error.strerror}", part=f"traces {mind.mind_id}")
    except (DatabaseUnavailable, Locked, MindErasing) as error:  # the answer is not held up for it
        log.warning("trace.not_kept", mind_id=mind.mind_id, trace_id=trace_id, reason=str(error))
    else:
        mind.disk.worked(part=f"traces {mind.mind_id}")
