"""One pre-turn call: whose memory, what is asked, what is being said, and by when it must be answered."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import structlog

from consolidation.kernel.errors import HomeFault, MemoryFault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.mind.minds import Mind
    from service.resonance.late_answers import ModelQuestion
    from service.resonance.trace_recorder import TraceRecorder
    from service.retrieval.moment import Moment, ResonanceRequest
    from service.runtime.foreground import Foreground

_MARGIN_SECONDS = 0.04  # for what comes after the last phase: the trace, the answer itself

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time limit that began at ``start`` on the *monotonic* clock; ``seconds`` is None where there is none."""

    monotonic: Callable[[], float]
    start: float
    seconds: float | None

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.monotonic() - self.start

    def left(self, *, share: float = 1.0) -> float | None:
        """Seconds until *share* of the whole time is over, never negative; None where there is no limit."""
        if self.seconds is None:
            return None
        whole = max(self.seconds - _MARGIN_SECONDS, 0.0)
        return max(whole * share - self.elapsed(), 0.0)

    def rest(self) -> float | None:
        """Seconds left to write the trace: never none at all, though the phases took too long. None without a limit."""
        return None if self.seconds is None else max(self.seconds - self.elapsed(), _MARGIN_SECONDS)


@dataclass(frozen=True, slots=True)
class PreTurnCall:
    """
    What every phase of one call may read, and where it notes what it did.

    ``questions`` are those that a model was asked beside the call; what it answers too late is kept for the next turn.
    """

    mind: Mind
    request: ResonanceRequest
    moment: Moment
    deadline: Deadline
    trace: TraceRecorder
    questions: list[ModelQuestion[Any]] = field(default_factory=list)

    @property
    def is_noted(self) -> bool:
        """Whether anything of the call is kept: not of one that only asks what would surface."""
        return self.request.what_if is None

    @property
    def may_ask_model(self) -> bool:
        """Whether a model may see the moment."""
        is_left_out = self.request.what_if is not None and "model" in self.request.what_if.without
        return not is_left_out and not self.moment.is_off_the_record

    @asynccontextmanager
    async def failing_open(self, foreground: Foreground) -> AsyncIterator[None]:
        """
        Run the phases inside within the deadline, and let none of their failures out: memory never breaks a turn.

        A failure ends them in silence, named in the trace. So does the end of the service, by *foreground*.
        """
        mind, trace = self.mind, self.trace
        limit = asyncio.timeout(self.deadline.left())
        try:
            async with limit:
                with foreground.cut_short(limit):
                    yield
        except TimeoutError:
            if foreground.was_cut_short(limit):
                trace.degrade("service_stopping")
                trace.silent("the service stops")
            else:
                trace.degrade("deadline")
                trace.silent("the deadline came first")
        except HomeFault as error:
            mind.disk.failed(str(error), part=f"recall {mind.mind_id}")
            trace.degrade("disk_failed")
            trace.silent(f"memory can not be read: {error}")
        except Exception as error:
            # The pipeline's outer edge: whatever it was, the turn goes on.
            log.exception("resonance.failed", mind_id=mind.mind_id, trace_id=trace.trace_id)
            trace.degrade("memory_failed")
            trace.silent(f"memory failed: {error}" if isinstance(error, MemoryFault) else "memory failed; see the log")
        else:
            mind.disk.worked(part=f"recall {mind.mind_id}")
        finally:
            for question in self.questions:
                question.release()
