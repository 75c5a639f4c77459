"""Phase 5 with its question to the world: a model tells what surfaces, or the past speaks in its own words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import ModelFault
from service.resonance.narration import narrate, plain, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.ports import LanguageModel, Reply
    from prompts.responses import Narration
    from service.background import Background
    from service.minds import Mind
    from service.resonance.afterthoughts import Afterthoughts
    from service.resonance.deadline import Deadline
    from service.resonance.moment import Flashback, Fragment, Label, Moment
    from service.resonance.trace import Trace

_SOUL, _STORY = 2_000, 3_000
_LEAST_SECONDS = 0.05
_SHARE = 0.92  # of the time: what is not told by then still needs a moment to surface in plain words

type Labelled = Sequence[tuple[Fragment, Label]]


class Telling:
    """Asks the subconscious model for its verdict and its words."""

    def __init__(
        self, *, model: LanguageModel, agent: str, background: Background, afterthoughts: Afterthoughts
    ) -> None:
        """Bind to the model; *agent* is what the bot is called."""
        self._model = model
        self._agent = agent
        self._background = background
        self._afterthoughts = afterthoughts

    async def tell(
        self,
        mind: Mind,
        moment: Moment,
        labelled: Labelled,
        *,
        deadline: Deadline,
        trace: Trace,
        notes: dict[str, Any],
    ) -> tuple[Flashback, ...]:
        """What surfaces of *labelled*, as it is told; as it was said where no model tells it in time, or may."""
        if not self._model.is_hosted or moment.is_off_the_record:
            return plain(labelled)
        left = deadline.left(share=_SHARE)
        if left is not None and left < _LEAST_SECONDS:
            return self._untold(mind, moment, labelled, trace)
        asking = self._ask(mind, moment, labelled)
        is_late = True
        try:
            done, _ = await asyncio.wait({asking}, timeout=left)
            is_late = not done
        finally:
            if is_late:
                asking.add_done_callback(lambda task: self._keep_late(mind, moment, labelled, task))
        reply = asking.result() if done else None
        if reply is None or isinstance(reply, ModelFault):
            notes["model"] = f"{type(reply).__name__}: {reply}" if reply is not None else "too late"
            return self._untold(mind, moment, labelled, trace)
        trace.spend(reply.usage)
        flashbacks, reasons = await anyio.to_thread.run_sync(_checked, mind, moment, labelled, reply.content)
        notes |= {"model": reply.model, "reasons": dict(reasons)}
        return flashbacks

    def _untold(self, mind: Mind, moment: Moment, labelled: Labelled, trace: Trace) -> tuple[Flashback, ...]:
        trace.degrade("narration_skipped")
        return tuple(
            replace(flashback, text=kept, is_retold=True)
            if (kept := self._afterthoughts.telling(mind.mind_id, flashback.fragment.id, moment.language))
            else flashback
            for flashback in plain(labelled)
        )

    def _ask(
        self, mind: Mind, moment: Moment, labelled: Labelled
    ) -> asyncio.Task[Reply[Narration] | ModelFault | None]:
        async def ask() -> Reply[Narration] | ModelFault:
            voice = await anyio.to_thread.run_sync(self._voice, mind)
            try:
                return await narrate(
                    labelled, moment=moment, voice=voice, model=self._model, overrides=mind.workspace.prompts
                )
            except ModelFault as error:
                return error

        return self._background.start(f"narration {mind.mind_id}", ask, of=mind.mind_id, is_part=True)

    def _voice(self, mind: Mind) -> dict[str, str]:
        workspace = mind.workspace
        story = workspace.read(workspace.story, most_characters=200_000)[-_STORY:]
        soul = workspace.read(workspace.soul, most_characters=_SOUL)
        return {"agent": self._agent, "soul": soul.strip(), "story": story.strip()}

    def _keep_late(
        self, mind: Mind, moment: Moment, labelled: Labelled, task: asyncio.Task[Reply[Narration] | ModelFault | None]
    ) -> None:
        reply = None if task.cancelled() else task.result()
        if reply is None or isinstance(reply, ModelFault):
            return
        for flashback in _checked(mind, moment, labelled, reply.content)[0]:
            if flashback.is_retold:
                self._afterthoughts.keep_telling(mind.mind_id, flashback.fragment.id, moment.language, flashback.text)


def _checked(mind: Mind, moment: Moment, labelled: Labelled, narration: Narration) -> tuple[tuple[Flashback, ...], Any]:
    def known_names(text: str) -> list[str]:
        return [name for _, name in mind.text.named(text)]

    return told(narration, labelled, language=moment.language, known_names=known_names)
