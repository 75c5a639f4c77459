"""
Between two turns: a model is asked what the next message may touch before it comes, so that the call need not wait.

Only sessions that ask what surfaces are thought about, from their first pre-turn call on. A restart forgets them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.kernel.turns import Speaker, TurnKind
from service.resonance.late_answers import LateStore
from service.resonance.moment_builder import recent_talk
from service.resonance.seeds import ask_for_seeds
from service.retrieval.moment import Moment

if TYPE_CHECKING:
    from datetime import tzinfo

    from consolidation.kernel.ports import Clock, LanguageModel, Reply
    from consolidation.kernel.turns import StoredTurn
    from prompts.responses import Seeds
    from service.mind.minds import Mind
    from service.resonance.late_answers import LateAnswers, ModelQuestion, Pace

_MOST_SESSIONS = 2_000
_TURNS_BEFORE = 10  # of the session are shown to the model with the newest one

type _Key = tuple[str, str]


class _Habit(NamedTuple):
    """How a session asked last."""

    language: str
    timezone: tzinfo


class Thought(NamedTuple):
    """What a model is being asked about a session since *began*, on the monotonic clock."""

    question: ModelQuestion[Reply[Seeds]]
    began: float


class ThinkAhead:
    """Asks for the seeds of a message that has not come yet, once a turn was kept."""

    def __init__(
        self, *, model: LanguageModel, agent: str, late_answers: LateAnswers, pace: Pace, clock: Clock
    ) -> None:
        """*agent* is what the bot is called; *pace* learns how long the model takes."""
        self._model = model
        self._agent = agent
        self._late_answers = late_answers
        self._pace = pace
        self._clock = clock
        self._sessions: LateStore[_Key, _Habit] = LateStore(most=_MOST_SESSIONS)
        self._thinking: dict[_Key, Thought] = {}

    def expect_more(self, moment: Moment) -> None:
        """Think about the session of *moment* from now on; not while it is off the record."""
        key = (moment.mind_id, moment.session_id)
        if moment.is_off_the_record:
            self._sessions.take(key)
        else:
            self._sessions.put(key, _Habit(moment.language, moment.timezone))

    def begin(self, mind: Mind, newest: StoredTurn) -> None:
        """Think about what may follow *newest*, which was just stored; until then, what was thought before it stays."""
        key = (mind.mind_id, newest.turn.session_id)
        habit = self._sessions.get(key)
        if habit is None or not self._model.is_hosted or newest.turn.kind is not TurnKind.TURN:
            return

        async def think() -> Reply[Seeds]:
            try:
                return await self._think(mind, newest, habit)
            finally:
                if self._thinking.get(key) is thought:
                    del self._thinking[key]

        question = self._late_answers.ask(
            mind, "thinking ahead", think, keep=lambda reply: self._late_answers.seeds.put(key, reply)
        )
        thought = self._thinking[key] = Thought(question, self._clock.monotonic())
        question.release()

    def thinking(self, moment: Moment) -> Thought | None:
        """What is being thought about the session of *moment*, if anything."""
        return self._thinking.get((moment.mind_id, moment.session_id))

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind."""
        self._sessions.forget(mind_id)

    async def _think(self, mind: Mind, newest: StoredTurn, habit: _Habit) -> Reply[Seeds]:
        turns = (*await mind.turns_before(newest, limit=_TURNS_BEFORE), newest)
        said = tuple(
            message
            for turn in turns
            for message in turn.turn.messages
            if message.role in {Speaker.USER, Speaker.ASSISTANT}
        )
        moment = Moment(
            mind_id=mind.mind_id,
            session_id=newest.turn.session_id,
            messages=said,
            message="",
            recent=recent_talk(said),
            language=habit.language,
            now=self._clock.now(),
            timezone=habit.timezone,
        )
        with self._pace.timed(self._clock.monotonic):
            return await ask_for_seeds(moment, agent=self._agent, model=self._model, workspace=mind.workspace)
