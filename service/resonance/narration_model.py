"""Phase 5 with its question to a model: it judges and rewrites what surfaces, or the past speaks in its own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.kernel.errors import ModelFault
from service.mind.trace_document import NarrationTrace
from service.resonance.narration import ask_for_narration, checked, plain
from service.resonance.stable_prompt import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.ports import LanguageModel, Usage
    from service.mind.minds import Mind
    from service.resonance.call import PreTurnCall
    from service.resonance.late_answers import LateAnswers
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


class NarrationModel:
    """Asks the subconscious model for its verdict and its words."""

    def __init__(self, *, model: LanguageModel, agent: str, late_answers: LateAnswers) -> None:
        """*agent* is what the bot is called."""
        self._model = model
        self._agent = agent
        self._late_answers = late_answers

    async def narrate(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> tuple[Flashback, ...]:
        """
        What surfaces of *labelled*, as the model puts it; nothing, with the reason in the trace, is silence.

        It surfaces as it was said where no model is hosted, where none may be asked, or where it takes too long.
        Raises HomeFault.
        """
        if not self._model.is_hosted or call.moment.is_off_the_record:
            return plain(labelled)
        left = call.deadline.left(share=_SHARE)
        if left is not None and left < _LEAST_SECONDS:
            return self._skipped(call, labelled)
        question = self._late_answers.ask(
            call,
            "narration",
            lambda: self._narrated(call, labelled),
            keep=lambda narrated: self._keep(call, narrated),
        )
        found = await question.answer(seconds=left)
        if found is None or isinstance(found, ModelFault):
            reason = "too late" if found is None else f"{type(found).__name__}: {found}"
            call.trace.note(NarrationTrace(model=reason))
            return self._skipped(call, labelled)
        call.trace.spend(found.usage)
        call.trace.note(NarrationTrace(found.model, found.reasons))
        return found.flashbacks or call.trace.silent("nothing would change what is said next")

    async def _narrated(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> Narrated:
        """Ask the model, and check what it answers. Raises ModelFault, HomeFault."""
        mind, language = call.mind, call.moment.language
        voice = await anyio.to_thread.run_sync(self._voice, mind)
        reply = await ask_for_narration(
            labelled, moment=call.moment, voice=voice, model=self._model, overrides=mind.workspace.prompts
        )

        def known_names(text: str) -> list[str]:
            return [name for _, name in mind.text.names_in(text)]

        flashbacks, reasons = await anyio.to_thread.run_sync(
            lambda: checked(reply.content, labelled, language=language, known_names=known_names)
        )
        return Narrated(flashbacks, reasons, reply.model, reply.usage)

    def _voice(self, mind: Mind) -> dict[str, str]:
        workspace = mind.workspace
        story = shortened(workspace.read(workspace.story, most_characters=_LONGEST_STORY), most_tokens=_STORY_TOKENS)
        soul = workspace.read(workspace.soul, most_characters=_LONGEST_SOUL)
        return {"agent": self._agent, "soul": soul.strip(), "story": story.strip()}

    def _skipped(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> tuple[Flashback, ...]:
        """What surfaces without an answer: in words that came too late for an earlier turn, else as it was said."""
        call.trace.degrade("narration_skipped")
        return tuple(
            replace(flashback, text=late, is_rewritten=True)
            if (late := self._late_answers.narrations.get(_key(call, flashback)))
            else flashback
            for flashback in plain(labelled)
        )

    def _keep(self, call: PreTurnCall, narrated: Narrated) -> None:
        for flashback in narrated.flashbacks:
            if flashback.is_rewritten:
                self._late_answers.narrations.put(_key(call, flashback), flashback.text)


def _key(call: PreTurnCall, flashback: Flashback) -> tuple[str, str, str]:
    return (call.mind.mind_id, flashback.fragment.id, call.moment.language)
