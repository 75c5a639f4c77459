"""Phase 5 with its question to a model: it judges and rewrites what surfaces, or the past speaks in its own words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.kernel.errors import ModelTimedOut
from prompts.responses import Narration
from service.mind.trace_document import NarrationTrace
from service.resonance.late_answers import Pace
from service.resonance.narration import ask_for_narration, checked, plain
from service.resonance.stable_prompt import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.ports import LanguageModel, Usage
    from service.mind.minds import Mind
    from service.resonance.call import PreTurnCall
    from service.resonance.late_answers import LateAnswers, ModelQuestion
    from service.retrieval.moment import Flashback, LabelledFragment

_LONGEST_SOUL, _LONGEST_STORY = 2_000, 200_000  # characters
_STORY_TOKENS = 800
_LEAST_SECONDS = 0.05
_SHARE = 0.92  # of the time: what is not narrated by then still needs a moment to surface in plain words


class Narrated(NamedTuple):
    """What a model made of some fragments, checked; why each was dropped or left as it is, by id; what it cost."""

    flashbacks: tuple[Flashback, ...]
    reasons: Mapping[str, str]
    model: str
    usage: Usage


@dataclass(slots=True)
class Telling:
    """
    What a model is asked about the fragments ``asked``, in that order; ``said`` is what it said of them so far.

    ``question`` is None where it is not asked.
    """

    asked: tuple[LabelledFragment, ...] = ()
    question: ModelQuestion[Narrated] | None = None
    said: Narration = field(default_factory=Narration)


class NarrationModel:
    """Asks the subconscious model for its verdict and its words."""

    def __init__(self, *, model: LanguageModel, agent: str, late_answers: LateAnswers) -> None:
        """*agent* is what the bot is called."""
        self._model = model
        self._agent = agent
        self._late_answers = late_answers
        self._pace = Pace()

    def begin(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> Telling:
        """Ask about *labelled*, without waiting; not where no model may be asked, or where it is sure to come late."""
        telling = Telling(tuple(labelled))
        left = call.deadline.left(share=_SHARE)
        if not labelled or not self._may_ask(call) or (left is not None and left < _LEAST_SECONDS):
            return telling
        if call.is_noted and not self._pace.fits(left):
            call.trace.note(NarrationTrace(model="not asked: the model answers too slowly for this deadline"))
            return telling
        telling.question = self._late_answers.ask(
            call.mind,
            "narration",
            lambda: self._narrated(call, telling),
            keep=lambda narrated: self._keep(call, narrated),
        )
        call.questions.append(telling.question)
        return telling

    async def finish(
        self, call: PreTurnCall, labelled: Sequence[LabelledFragment], telling: Telling
    ) -> tuple[Flashback, ...]:
        """
        What surfaces of *labelled*, as the model puts it; nothing, with the reason in the trace, is silence.

        It surfaces as it was said where no model is hosted, where none may be asked, where it takes too long, and where
        it was found after the model had been asked. Of an answer that is still coming, what has come counts. Raises
        HomeFault.
        """
        if not labelled or not self._may_ask(call):
            return plain(labelled)
        if not telling.asked:  # all was found after the model's seeds had come
            telling = self.begin(call, labelled)
        if telling.question is None:
            call.trace.degrade("narration_skipped")
            return self._in_plain_words(call, labelled)
        found = await telling.question.answer(seconds=call.deadline.left(share=_SHARE))
        if isinstance(found, Narrated):
            call.trace.spend(found.usage)
            call.trace.note(NarrationTrace(found.model, found.reasons))
            flashbacks = found.flashbacks
        elif found is None and telling.said.lines:
            call.trace.degrade("narration_partial")
            flashbacks, reasons = await self._checked(call, telling)
            call.trace.note(NarrationTrace("cut off by the deadline", reasons))
        else:
            reason = "too late" if found is None else f"{type(found).__name__}: {found}"
            call.trace.note(NarrationTrace(model=reason))
            call.trace.degrade("narration_skipped")
            return self._in_plain_words(call, labelled)
        return self._joined(call, labelled, telling, flashbacks) or call.trace.silent(
            "nothing would change what is said next"
        )

    def _may_ask(self, call: PreTurnCall) -> bool:
        return self._model.is_hosted and call.may_ask_model

    async def _narrated(self, call: PreTurnCall, telling: Telling) -> Narrated:
        """Ask the model, and check what it answers. Raises ModelFault, HomeFault."""
        mind, clock = call.mind, call.deadline.elapsed
        voice = await anyio.to_thread.run_sync(self._voice, mind)
        began = clock()

        def took() -> None:
            if call.is_noted and not telling.said.lines:
                self._pace.took(clock() - began)

        def heard(said: Narration) -> None:
            took()  # from here on, the answer is of use
            telling.said = said

        try:
            reply = await ask_for_narration(
                telling.asked,
                moment=call.moment,
                voice=voice,
                model=self._model,
                overrides=mind.workspace.prompts,
                on_part=heard,
            )
        except ModelTimedOut:
            if call.is_noted:
                self._pace.took(clock() - began)
            raise
        took()
        telling.said = reply.content
        flashbacks, reasons = await self._checked(call, telling)
        return Narrated(flashbacks, reasons, reply.model, reply.usage)

    async def _checked(self, call: PreTurnCall, telling: Telling) -> tuple[tuple[Flashback, ...], Mapping[str, str]]:
        """What surfaces by what the model said so far, and why a fragment was dropped or left as it is, by id."""
        mind, said, language = call.mind, telling.said, call.moment.told_in

        def known_names(text: str) -> list[str]:
            return [name for _, name in mind.text.names_in(text)]

        return await anyio.to_thread.run_sync(
            lambda: checked(said, telling.asked, language=language, known_names=known_names)
        )

    def _voice(self, mind: Mind) -> dict[str, str]:
        workspace = mind.workspace
        story = shortened(workspace.read(workspace.story, most_characters=_LONGEST_STORY), most_tokens=_STORY_TOKENS)
        return {"agent": self._agent, "soul": workspace.soul_text[:_LONGEST_SOUL], "story": story.strip()}

    def _joined(
        self,
        call: PreTurnCall,
        labelled: Sequence[LabelledFragment],
        telling: Telling,
        narrated: Sequence[Flashback],
    ) -> tuple[Flashback, ...]:
        """*labelled* without what the model dropped; as it told them, else in plain words."""
        told = {flashback.fragment.id: flashback for flashback in narrated}
        dropped = {fragment.id for fragment, _ in telling.asked} - told.keys()
        return tuple(
            told.get(flashback.fragment.id, flashback)
            for flashback in self._in_plain_words(call, labelled)
            if flashback.fragment.id not in dropped
        )

    def _in_plain_words(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> tuple[Flashback, ...]:
        """Each in words that came too late for an earlier turn, else as it was said."""
        return tuple(
            replace(flashback, text=late, is_rewritten=True)
            if (late := self._late_answers.narrations.get(_key(call, flashback)))
            else flashback
            for flashback in plain(labelled)
        )

    def _keep(self, call: PreTurnCall, narrated: Narrated) -> None:
        if not call.is_noted:
            return
        for flashback in narrated.flashbacks:
            if flashback.is_rewritten:
                self._late_answers.narrations.put(_key(call, flashback), flashback.text)


def _key(call: PreTurnCall, flashback: Flashback) -> tuple[str, str, str]:
    return (call.mind.mind_id, flashback.fragment.id, call.moment.told_in)
