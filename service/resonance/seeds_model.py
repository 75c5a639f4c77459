"""Phase 1 with its question to a model: the message is searched for at once, the model's seeds join when they come."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ModelFault
from service.mind.trace_document import SeedsTrace
from service.resonance.seeds import ModelQueries, ask_for_seeds, message_seeds, model_queries, wonder_key
from service.retrieval.intent import intent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.ports import LanguageModel, Reply
    from prompts.responses import Seeds
    from service.observability.counters import Tally
    from service.resonance.call import PreTurnCall
    from service.resonance.late_answers import LateAnswers, LateStore, ModelQuestion, Pace
    from service.resonance.think_ahead import ThinkAhead, Thought
    from service.retrieval.moment import Moment

_MOST_WONDERED = 1_000  # queries of one session
_SHARE = 0.75  # of the time there is; narration is asked beside it


class Wonders:
    """What each session wondered about before, so that it does not wonder twice; and how many wonders there were."""

    def __init__(self, *, known: LateStore[tuple[str, str], frozenset[str]], tally: Tally) -> None:
        self._known = known
        self._tally = tally

    def queries(
        self, moment: Moment, seeds: Seeds, *, message: str, known: Sequence[str], is_noted: bool = True
    ) -> ModelQueries:
        """The queries of ``model_queries``; from now on, the session wondered about those of its wonders, if noted."""
        session = (moment.mind_id, moment.session_id)
        before = self._known.get(session) or frozenset()
        found = model_queries(seeds, message=message, known=known, wondered_before=before)
        if not is_noted:
            return found
        keys = frozenset(map(wonder_key, found.hypotheses))
        if keys:
            self._known.put(session, keys | before if len(before) < _MOST_WONDERED else keys)
        self._tally.wonder(suggested=len(seeds.wonders), searched=len(keys))
        return found


@dataclass(frozen=True, slots=True)
class CallSeeds:
    """
    What a call searches for: ``queries`` of the message itself, and those that a model added. ``wonders`` are its
    session's.

    ``prepared`` were thought of before the message came, None where nothing was. ``question`` is what a model is asked
    for this call, None where there is nothing to wait for; names in its answer are searched for with the words
    ``names_with``.
    """

    queries: tuple[str, ...]
    prepared: ModelQueries | None = None
    added: ModelQueries = field(default_factory=ModelQueries)
    question: ModelQuestion[Reply[Seeds]] | None = None
    names_with: str = ""
    wonders: Wonders | None = None

    @property
    def all_queries(self) -> tuple[str, ...]:
        """What is searched for, the message itself first."""
        return tuple(dict.fromkeys((*self.queries, *(query for one in self.by_model for query in one.queries))))

    @property
    def by_model(self) -> tuple[ModelQueries, ...]:
        """What a model added, before the message came and after it."""
        return (self.added,) if self.prepared is None else (self.prepared, self.added)

    async def joined(self, call: PreTurnCall) -> CallSeeds:
        """These seeds with what the model adds, if it answers within its share of the time; else as they are."""
        if self.question is None or self.wonders is None:
            return self
        trace = call.trace
        with trace.counted_as("seeds"):
            reply = await self.question.answer(seconds=call.deadline.left(share=_SHARE))
        if reply is None or isinstance(reply, ModelFault):
            if self.prepared is None:
                trace.note(SeedsTrace(model="too late" if reply is None else f"{type(reply).__name__}: {reply}"))
                trace.degrade("seeds_skipped")
            return self
        trace.spend(reply.usage)
        trace.note(SeedsTrace(model=reply.content.model_dump(mode="json")))
        added = self.wonders.queries(
            call.moment, reply.content, message=self.names_with, known=self.queries, is_noted=call.is_noted
        )
        return replace(self, added=added)


class SeedsModel:
    """Asks the subconscious model what the moment touches, where that was not thought about before."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        agent: str,
        late_answers: LateAnswers,
        think_ahead: ThinkAhead,
        pace: Pace,
        tally: Tally,
    ) -> None:
        """*agent* is what the bot is called; *pace* is how long the model takes; wonders are counted in *tally*."""
        self._wonders = Wonders(known=late_answers.wondered, tally=tally)
        self._model = model
        self._agent = agent
        self._late_answers = late_answers
        self._think_ahead = think_ahead
        self._pace = pace

    def sow(self, call: PreTurnCall) -> CallSeeds:
        """What to search for now; the model is asked beside, and not waited for."""
        moment = call.moment
        quick = message_seeds(moment)
        call.trace.note(SeedsTrace(queries=quick.queries, names=quick.names, late=()))
        seeds = CallSeeds(quick.queries, wonders=self._wonders)
        if not call.is_noted:
            return self._beside(call, seeds)
        self._think_ahead.expect_more(moment)
        if not self._model.is_hosted or not call.may_ask_model:
            return seeds
        reply = self._late_answers.seeds.take((moment.mind_id, moment.session_id))
        if reply is not None:
            prepared = self._wonders.queries(moment, reply.content, message=_leaning(call), known=quick.queries)
            call.trace.spend(reply.usage)
            call.trace.note(SeedsTrace(late=prepared.queries, model=reply.content.model_dump(mode="json")))
            seeds = replace(seeds, prepared=prepared)
        thought = self._think_ahead.thinking(moment)
        if thought is not None and self._may_come(thought, call):
            seeds = replace(seeds, question=thought.question, names_with=_leaning(call))
        elif reply is None:
            seeds = replace(seeds, question=self._ask(call, is_thinking=thought is not None), names_with=moment.message)
        if seeds.question is not None:
            call.questions.append(seeds.question)
        return seeds

    def _beside(self, call: PreTurnCall, seeds: CallSeeds) -> CallSeeds:
        """With a question of its own, if any: what was thought for the session's next turn is left for that turn."""
        if not self._model.is_hosted or not call.may_ask_model or not call.moment.message:
            return seeds

        async def ask() -> Reply[Seeds]:
            workspace = call.mind.workspace
            return await ask_for_seeds(call.moment, agent=self._agent, model=self._model, workspace=workspace)

        question = self._late_answers.ask(call.mind, "seeds", ask, keep=lambda _: None)
        call.questions.append(question)
        return replace(seeds, question=question, names_with=call.moment.message)

    def _may_come(self, thought: Thought, call: PreTurnCall) -> bool:
        """Whether *thought* may end in time for *call*; one that is sure not to is kept for the next call."""
        passed = call.deadline.monotonic() - thought.began
        return self._pace.may_come(call.deadline.left(share=_SHARE), passed=passed)

    def _ask(self, call: PreTurnCall, *, is_thinking: bool) -> ModelQuestion[Reply[Seeds]] | None:
        """
        Ask about the message itself; not where nothing was said, or where the answer is sure to come late.

        With *is_thinking*, the model is at the session already, and too slow.
        """
        moment, clock = call.moment, call.deadline.monotonic
        if not moment.message:
            return None
        if is_thinking or not self._pace.fits(call.deadline.left(share=_SHARE)):
            call.trace.note(SeedsTrace(model="not asked: the model answers too slowly for this deadline"))
            call.trace.degrade("seeds_skipped")
            return None

        async def ask() -> Reply[Seeds]:
            with self._pace.timed(clock):
                return await ask_for_seeds(moment, agent=self._agent, model=self._model, workspace=call.mind.workspace)

        key = (moment.mind_id, moment.session_id)
        return self._late_answers.ask(
            call.mind, "seeds", ask, keep=lambda reply: self._late_answers.seeds.put(key, reply)
        )


def _leaning(call: PreTurnCall) -> str:
    """The message where it leans on the talk before it ("she"), so that whom it means is searched for with it."""
    moment = call.moment
    leans = intent_of(moment.message, language=moment.language, names_known=False).leans_on_talk
    return moment.message if leans else ""
