"""Phase 1 with its question to the world: a model's seeds, in time; or late, and then for the next turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ModelFault
from service.resonance.seeds import ask_for_seeds

if TYPE_CHECKING:
    from consolidation.kernel.ports import LanguageModel, Reply
    from prompts.responses import Seeds
    from service.background import Background
    from service.minds import Mind
    from service.resonance.afterthoughts import Afterthoughts
    from service.resonance.deadline import Deadline
    from service.resonance.moment import Moment
    from service.resonance.trace import Trace

    type Asking = asyncio.Task[Reply[Seeds] | ModelFault | None]

_SHARE = 0.4  # of the time there is


class Wondering:
    """Asks the subconscious model what the moment touches."""

    def __init__(
        self, *, model: LanguageModel, agent: str, background: Background, afterthoughts: Afterthoughts
    ) -> None:
        """Bind to the model; *agent* is what the bot is called."""
        self._model = model
        self._agent = agent
        self._background = background
        self._afterthoughts = afterthoughts

    def late(self, mind: Mind, moment: Moment) -> Seeds | None:
        """What came too late for the session's last turn, once."""
        if moment.is_off_the_record:
            return None
        return self._afterthoughts.take_seeds(mind.mind_id, moment.session_id)

    def begin(self, mind: Mind, moment: Moment) -> Asking | None:
        """Ask, without waiting; None where no model is hosted, nothing was said, or it was off the record."""
        if not self._model.is_hosted or not moment.message or moment.is_off_the_record:
            return None

        async def ask() -> Reply[Seeds] | ModelFault:
            try:
                return await ask_for_seeds(
                    moment, agent=self._agent, model=self._model, overrides=mind.workspace.prompts
                )
            except ModelFault as error:
                return error

        asking = self._background.start(f"seeds {mind.mind_id}", ask, of=mind.mind_id, is_part=True)
        asking.add_done_callback(lambda task: self._keep(mind, moment, task))
        return asking

    async def in_time(
        self, asking: Asking, mind: Mind, moment: Moment, *, deadline: Deadline, trace: Trace
    ) -> Seeds | None:
        """The seeds, if they come before their share of the time is gone; None, and said so, if not."""
        with trace.phase("seeds") as notes:
            done, _ = await asyncio.wait({asking}, timeout=deadline.left(share=_SHARE))
            reply = asking.result() if done else None
            if reply is None or isinstance(reply, ModelFault):
                notes["model"] = f"{type(reply).__name__}: {reply}" if reply is not None else "too late"
                trace.degrade("seeds_skipped")
                return None
            self.late(mind, moment)  # it was kept when it came; it is used now
            trace.spend(reply.usage)
            notes["model"] = reply.content.model_dump(mode="json")
            return reply.content

    def _keep(self, mind: Mind, moment: Moment, asking: Asking) -> None:
        reply = None if asking.cancelled() else asking.result()
        if reply is not None and not isinstance(reply, ModelFault):
            self._afterthoughts.keep_seeds(mind.mind_id, moment.session_id, reply.content)
