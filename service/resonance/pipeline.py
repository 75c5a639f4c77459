"""
The six phases, top to bottom: seeds, retrieval, filters, labels, narration, injection.

A resonance never raises for an outside failure and never outlives its deadline: it goes down a ladder (full →
the model's seeds skipped → rewriting skipped → story only) and names each rung in ``degraded``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import structlog
from structlog.contextvars import bound_contextvars

from consolidation.kernel.errors import HomeFault, MemoryFault
from consolidation.kernel.tokens import count_tokens
from service.resonance.counting import count
from service.resonance.deadline import Deadline
from service.resonance.injection import block, etag, fitting, injected
from service.resonance.labels import label, undated
from service.resonance.moment import Silent, Surfaced
from service.resonance.observing import in_its_language, observe
from service.resonance.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.ports import Clock, Usage
    from consolidation.kernel.turns import Message
    from service.minds import Mind
    from service.resonance.gathering import Gathering
    from service.resonance.moment import Asked, Flashback, Fragment, Label, Moment, Resonance
    from service.resonance.stable import Stable
    from service.resonance.telling import Telling
    from service.spans import Note, Spans
    from service.tally import Tally

_STORY_SECONDS = 0.2  # that the story is given at least, however short the deadline

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Resonated:
    """What a pre-turn call answers."""

    trace_id: str
    flashbacks: tuple[Flashback, ...]
    silence: str | None
    block: str
    stable: str
    stable_etag: str
    messages: tuple[Message, ...]
    degraded: tuple[str, ...]
    timings: Mapping[str, float]
    usage: Usage


class Pipeline:
    """Runs the phases for one mind and one moment at a time; holds nothing of either."""

    def __init__(
        self,
        *,
        clock: Clock,
        discretion: Discretion,
        gathering: Gathering,
        telling: Telling,
        stable: Stable,
        tally: Tally,
        spans: Spans,
    ) -> None:
        """Bind to the phases that speak to the world; the others are pure; each call is counted in *tally*."""
        self._tally = tally
        self._spans = spans
        self._clock = clock
        self._discretion = discretion
        self._gathering = gathering
        self._telling = telling
        self._stable = stable

    async def resonate(self, mind: Mind, asked: Asked) -> Resonated:
        """What surfaces for *mind* at this moment, within the deadline."""
        ids = {"mind_id": mind.mind_id, "session_id": asked.session_id}
        with bound_contextvars(**ids), self._spans.inside("resonance", **ids) as note:
            return await self._resonated(mind, asked, note)

    async def _resonated(self, mind: Mind, asked: Asked, note: Note) -> Resonated:
        deadline = Deadline(self._clock.monotonic, self._clock.monotonic(), asked.deadline_seconds)
        moment = await anyio.to_thread.run_sync(lambda: observe(mind.mind_id, asked, discretion=self._discretion))
        trace = Trace(self._clock.fresh_id(), moment, monotonic=self._clock.monotonic, spans=self._spans)
        note(trace_id=trace.trace_id)
        if moment.is_off_the_record:
            trace.degrade("off_the_record")
        resonance, stable = await asyncio.gather(
            self._in_time(mind, moment, asked, deadline, trace), self._stable_text(mind, deadline, trace)
        )
        with trace.phase("injection"):
            told = resonance.flashbacks if isinstance(resonance, Surfaced) else ()
            flashbacks = fitting(told, most_tokens=asked.max_tokens, count=count_tokens)
            volatile = block(flashbacks)
            messages = injected(asked.messages, stable=stable, volatile=volatile, placement=asked.placement)
        silence = _silence(resonance, flashbacks)
        trace.finish()
        mind.health.usage += trace.usage
        document = trace.document(flashbacks=flashbacks, silence=silence, block=volatile)
        note(**count(self._tally, moment, trace, flashbacks=flashbacks, shown=mind.ledger))
        await _keep(mind, document)
        log.info(
            "resonance.answered",
            trace_id=trace.trace_id,
            surfaced=len(flashbacks),
            silence=silence,
            degraded=trace.degraded,
            ms=trace.timings["total"],
        )
        return Resonated(
            trace_id=trace.trace_id,
            flashbacks=flashbacks,
            silence=silence,
            block=volatile,
            stable=stable,
            stable_etag=etag(stable),
            messages=messages,
            degraded=trace.degraded,
            timings=trace.timings,
            usage=trace.usage,
        )

    async def stable_text(self, mind: Mind) -> str:
        """Story and protocol as they are now, for a call that is shown again what surfaced before."""
        return await anyio.to_thread.run_sync(self._stable.text, mind.workspace, abandon_on_cancel=True)

    async def _in_time(self, mind: Mind, moment: Moment, asked: Asked, deadline: Deadline, trace: Trace) -> Resonance:
        try:
            async with asyncio.timeout(deadline.left()):
                resonance = await self._phases(mind, moment, asked, deadline, trace)
        except TimeoutError:
            trace.degrade("deadline")
            return Silent("the deadline came first")
        except HomeFault as error:
            mind.disk.failed(str(error), part=f"recall {mind.mind_id}")
            trace.degrade("disk_failed")
            return Silent(f"memory can not be read: {error}")
        except Exception as error:
            # The pipeline's outer edge: memory never breaks a turn, whatever it was.
            log.exception("resonance.failed", mind_id=mind.mind_id, trace_id=trace.trace_id)
            trace.degrade("memory_failed")
            return Silent(f"memory failed: {error}" if isinstance(error, MemoryFault) else "memory failed; see the log")
        mind.disk.worked(part=f"recall {mind.mind_id}")
        return resonance

    async def _stable_text(self, mind: Mind, deadline: Deadline, trace: Trace) -> str:
        """Story and protocol, read beside the phases: the last rung. Empty where even they do not come in time."""
        left = deadline.left()
        try:
            async with asyncio.timeout(None if left is None else max(left, _STORY_SECONDS)):
                return await anyio.to_thread.run_sync(self._stable.text, mind.workspace, abandon_on_cancel=True)
        except TimeoutError:
            trace.degrade("story_skipped")
            return ""

    async def _phases(self, mind: Mind, moment: Moment, asked: Asked, deadline: Deadline, trace: Trace) -> Resonance:
        moment = await anyio.to_thread.run_sync(_seen, mind, moment, abandon_on_cancel=True)
        trace.observe(moment)
        candidates = await self._gathering.gather(mind, moment, deadline=deadline, trace=trace)
        with trace.phase("filters") as notes:
            resonance = await self._gathering.sift(
                mind, moment, candidates, limit=asked.max_fragments, relevance=asked.relevance, notes=notes
            )
        if isinstance(resonance, Silent):
            return resonance
        with trace.phase("labels") as notes:
            labelled = _labelled(resonance, moment)
            notes["labels"] = {fragment.id: found.text for fragment, found in labelled}
        with trace.phase("narration") as notes:
            flashbacks = await self._telling.tell(mind, moment, labelled, deadline=deadline, trace=trace, notes=notes)
        if not flashbacks:
            return Silent("nothing would change what is said next")
        return Surfaced(flashbacks)


def _seen(mind: Mind, moment: Moment) -> Moment:
    """The moment in its language; what counts its tokens later, on the loop, is loaded by then. Blocks."""
    count_tokens("")
    return in_its_language(mind, moment)


def _labelled(fragments: tuple[Fragment, ...], moment: Moment) -> tuple[tuple[Fragment, Label], ...]:
    return tuple((fragment, _label(fragment, moment)) for fragment in fragments)


def _label(fragment: Fragment, moment: Moment) -> Label:
    if not fragment.is_dated:
        return undated(language=moment.language)
    return label(fragment.occurred_at, now=moment.now, timezone=moment.timezone, language=moment.language)


def _silence(resonance: Resonance, flashbacks: tuple[Flashback, ...]) -> str | None:
    if flashbacks:
        return None
    return resonance.reason if isinstance(resonance, Silent) else "nothing fits into max_tokens"


async def _keep(mind: Mind, document: Mapping[str, Any]) -> None:
    try:
        await anyio.to_thread.run_sync(mind.ledger.note, document)
    except OSError as error:
        mind.disk.failed(f"traces can not be kept: {error.strerror}", part=f"traces {mind.mind_id}")
    else:
        mind.disk.worked(part=f"traces {mind.mind_id}")
