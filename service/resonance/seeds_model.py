"""Phase 1 with its question to a model: the message is searched for at once, the model's seeds join when they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ModelFault
from service.mind.trace_document import SeedsTrace
from service.resonance.seeds import ModelQueries, ask_for_seeds, message_seeds, model_queries

if TYPE_CHECKING:
    from consolidation.kernel.ports import LanguageModel, Reply
    from prompts.responses import Seeds
    from service.resonance.call import PreTurnCall
    from service.resonance.late_answers import LateAnswers, ModelQuestion

_SHARE = 0.4  # of the time there is


@dataclass(frozen=True, slots=True)
class CallSeeds:
    """
    What a call searches for: ``queries`` of the message itself, and ``late`` ones of the model, asked a turn before.

    ``question`` is what the model is asked now; None where no model is asked.
    """

    queries: tuple[str, ...]
    late: ModelQueries
    question: ModelQuestion[Reply[Seeds]] | None

    async def from_model(self, call: PreTurnCall) -> ModelQueries:
        """The queries that the model adds, if it answers before its share of the time is over; else none."""
        if self.question is None:
            return ModelQueries()
        trace = call.trace
        with trace.counted_as("seeds"):
            reply = await self.question.answer(seconds=call.deadline.left(share=_SHARE))
        if reply is None or isinstance(reply, ModelFault):
            trace.note(SeedsTrace(model="too late" if reply is None else f"{type(reply).__name__}: {reply}"))
            trace.degrade("seeds_skipped")
            return ModelQueries()
        trace.spend(reply.usage)
        trace.note(SeedsTrace(model=reply.content.model_dump(mode="json")))
        return model_queries(reply.content, message=call.moment.message, known=(*self.queries, *self.late.queries))


class SeedsModel:
    """Asks the subconscious model what the moment touches."""

    def __init__(self, *, model: LanguageModel, agent: str, late_answers: LateAnswers) -> None:
        """*agent* is what the bot is called."""
        self._model = model
        self._agent = agent
        self._late_answers = late_answers

    def sow(self, call: PreTurnCall) -> CallSeeds:
        """What to search for now; the model is asked beside, and not waited for."""
        quick = message_seeds(call.moment)
        last = self._late(call)
        late = model_queries(last, message="", known=quick.queries) if last is not None else ModelQueries()
        call.trace.note(SeedsTrace(queries=quick.queries, names=quick.names, late=late.queries))
        return CallSeeds(quick.queries, late, self._ask(call))

    def _late(self, call: PreTurnCall) -> Seeds | None:
        """What the model answered too late for the session's last turn."""
        moment = call.moment
        return None if moment.is_off_the_record else self._late_answers.seeds.take((moment.mind_id, moment.session_id))

    def _ask(self, call: PreTurnCall) -> ModelQuestion[Reply[Seeds]] | None:
        """Nothing is asked where no model is hosted, nothing was said, or what was said is off the record."""
        moment = call.moment
        if not self._model.is_hosted or not moment.message or moment.is_off_the_record:
            return None
        return self._late_answers.ask(
            call,
            "seeds",
            lambda: ask_for_seeds(moment, agent=self._agent, model=self._model, overrides=call.mind.workspace.prompts),
            keep=lambda reply: self._late_answers.seeds.put((moment.mind_id, moment.session_id), reply.content),
        )
