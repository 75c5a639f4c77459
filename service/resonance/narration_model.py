"""Phase 5 with its question to a model: it judges and rewrites what surfaces, or the past speaks in its own words."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.kernel.errors import ModelTimedOut
from prompts.responses import Narration
from service.mind.trace_document import FiltersTrace, NarrationTrace
from service.resonance.late_answers import Pace
from service.resonance.narration import ask_for_narration, checked, plain
from service.resonance.stable_prompt import shortened
from service.retrieval.moment import Shortlist
from service.retrieval.queries import named_in
from service.retrieval.tellers import asker_of, people_in

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
_MOST_JUDGED = 16  # what answers a made-up question is among the first 3 for 67 in 100, among 16 for 91
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
    What a model is asked about the fragments ``asked``; ``said`` is what it said of them so far.

    ``question`` is None where it is not asked.
    """

    asked: Shortlist[LabelledFragment] = field(default_factory=Shortlist)
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

    def most_judged(self, call: PreTurnCall) -> int:
        """How many fragments it would choose from; 0 where no model may be asked."""
        return _MOST_JUDGED if self._may_ask(call) else 0

    def begin(self, call: PreTurnCall, shortlist: Shortlist[LabelledFragment]) -> Telling:
        """Ask about *shortlist*, without waiting; not where no model may be asked, or where it is sure to come late."""
        telling = Telling(shortlist)
        left = call.deadline.left(share=_SHARE)
        if not shortlist.every or not self._may_ask(call) or (left is not None and left < _LEAST_SECONDS):
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
        self, call: PreTurnCall, shortlist: Shortlist[LabelledFragment], telling: Telling
    ) -> tuple[Flashback, ...]:
        """
        What surfaces of *shortlist*, as the model puts it; nothing, with the reason in the trace, is silence.

        What is first in it surfaces as it was said where no model is hosted, where none may be asked, where it takes
        too long, and where it was found after the model had been asked. Of an answer that is still coming, what has
        come counts. Raises HomeFault.
        """
        if not shortlist.every or not self._may_ask(call):
            return plain(shortlist.first)
        if not telling.asked.every:  # all was found after the model's seeds had come
            telling = self.begin(call, shortlist)
        if telling.question is None:
            call.trace.degrade("narration_skipped")
            return self._in_plain_words(call, shortlist.first)
        found = await telling.question.answer(seconds=call.deadline.left(share=_SHARE))
        if isinstance(found, Narrated):
            call.trace.spend(found.usage)
            flashbacks, reasons = found.flashbacks, found.reasons
            call.trace.note(NarrationTrace(found.model, reasons))
        elif found is None and telling.said != Narration():
            call.trace.degrade("narration_partial")
            flashbacks, reasons = await self._checked(call, telling, is_partial=True)
            call.trace.note(NarrationTrace("cut off by the deadline", reasons))
        else:
            reason = "too late" if found is None else f"{type(found).__name__}: {found}"
            call.trace.note(NarrationTrace(model=reason))
            call.trace.degrade("narration_skipped")
            return self._in_plain_words(call, shortlist.first)
        return self._joined(call, shortlist, flashbacks, left_out=reasons) or call.trace.silent(
            "nothing would change what is said next"
        )

    def _may_ask(self, call: PreTurnCall) -> bool:
        return self._model.is_hosted and call.may_ask_model

    async def _narrated(self, call: PreTurnCall, telling: Telling) -> Narrated:
        """Ask the model, and check what it answers. Raises ModelFault, HomeFault."""
        mind, clock = call.mind, call.deadline.monotonic
        voice = await anyio.to_thread.run_sync(self._voice, mind)
        began = clock()

        def took() -> None:
            if call.is_noted and telling.said == Narration():
                self._pace.answered(began, clock())

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
        except (ModelTimedOut, asyncio.CancelledError):
            if call.is_noted:
                self._pace.given_up(began, clock())
            raise
        took()
        telling.said = reply.content
        flashbacks, reasons = await self._checked(call, telling)
        return Narrated(flashbacks, reasons, reply.model, reply.usage)

    async def _checked(
        self, call: PreTurnCall, telling: Telling, *, is_partial: bool = False
    ) -> tuple[tuple[Flashback, ...], Mapping[str, str]]:
        """What surfaces by what the model said so far; why a fragment was dropped or left as it is, by id."""
        mind, said, language = call.mind, telling.said, call.moment.told_in

        def known_names(text: str) -> list[str]:
            return [*(name for _, name in mind.text.names_in(text)), *named_in(text, people_in(mind).values())]

        return await anyio.to_thread.run_sync(
            lambda: checked(
                said,
                telling.asked,
                language=language,
                known_names=known_names,
                asker=asker_of(call.moment),
                is_partial=is_partial,
            )
        )

    def _voice(self, mind: Mind) -> dict[str, str]:
        workspace = mind.workspace
        story = shortened(workspace.read(workspace.story, most_characters=_LONGEST_STORY), most_tokens=_STORY_TOKENS)
        return {"agent": self._agent, "soul": workspace.soul_text[:_LONGEST_SOUL], "story": story.strip()}

    def _joined(
        self,
        call: PreTurnCall,
        shortlist: Shortlist[LabelledFragment],
        narrated: Sequence[Flashback],
        *,
        left_out: Mapping[str, str],
    ) -> tuple[Flashback, ...]:
        """What the model chose, as it told it, else in plain words; and what it did not judge, found later for one."""
        judged = left_out.keys() | {one.fragment.id for one in narrated}
        new = [one for one in shortlist.first if one.fragment.id not in judged]
        kept = (*(one.fragment.id for one in new), *sorted(judged))
        dropped = {key: reason for key, reason in call.trace.dropped.items() if key not in judged}
        call.trace.note(FiltersTrace(dropped=dropped, kept=kept))
        told = (one if one.is_rewritten else self._told_late(call, one) for one in narrated)
        every = sorted((*told, *self._in_plain_words(call, new)), key=lambda one: -one.fragment.score)
        return tuple(every[: shortlist.limit])

    def _in_plain_words(self, call: PreTurnCall, labelled: Sequence[LabelledFragment]) -> tuple[Flashback, ...]:
        """Each in words that came too late for an earlier turn, else as it was said."""
        return tuple(self._told_late(call, flashback) for flashback in plain(labelled))

    def _told_late(self, call: PreTurnCall, flashback: Flashback) -> Flashback:
        late = self._late_answers.narrations.get(_key(call, flashback))
        return replace(flashback, text=late, is_rewritten=True) if late else flashback

    def _keep(self, call: PreTurnCall, narrated: Narrated) -> None:
        if not call.is_noted:
            return
        for flashback in narrated.flashbacks:
            if flashback.is_rewritten:
                self._late_answers.narrations.put(_key(call, flashback), flashback.text)


def _key(call: PreTurnCall, flashback: Flashback) -> tuple[str, ...]:
    """The key of a narration. It holds the words: those of a long turn depend on the query, and an entity's change."""
    fragment, label = flashback.fragment, flashback.label
    return (call.mind.mind_id, fragment.id, call.moment.told_in, fragment.text, label.text)
