"""
A model is asked beside a call. What it answers in time serves this call; what it answers late serves the next turn.

A restart forgets what came late.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault, ModelFault

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from prompts.responses import Seeds
    from service.resonance.call import PreTurnCall
    from service.runtime.background import Background

_MOST_SESSIONS, _MOST_NARRATIONS = 2_000, 5_000


type Asking[Answer] = asyncio.Task[Answer | ModelFault | HomeFault | None]


class ModelQuestion[Answer]:
    """Asked of a model beside a call; once the call has released it, an answer that it did not use is kept."""

    def __init__(self, task: Asking[Answer], *, keep: Callable[[Answer], None]) -> None:
        self._task = task
        self._keep = keep
        self._is_used = False

    async def answer(self, *, seconds: float | None) -> Answer | ModelFault | None:
        """
        What the model answers within *seconds* (None: no limit), or how it failed; None where that takes longer.

        Raises HomeFault.
        """
        done, _ = await asyncio.wait({self._task}, timeout=seconds)
        self._is_used = bool(done)
        answer = self._task.result() if done else None
        if isinstance(answer, HomeFault):
            raise answer
        return answer

    def release(self) -> None:
        """The call no longer waits: keep the answer as soon as there is one, if it was not used."""
        if not self._is_used:
            self._task.add_done_callback(self._came_late)

    def _came_late(self, task: Asking[Answer]) -> None:
        answer = None if task.cancelled() else task.result()
        if answer is not None and not isinstance(answer, ModelFault | HomeFault):
            self._keep(answer)


class LateStore[Key: tuple[str, ...], Value]:
    """The newest *most* values; the first part of a key is the id of its mind."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def put(self, key: Key, value: Value) -> None:
        """Keep *value*; the oldest one goes where there are too many."""
        self._values[key] = value
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def get(self, key: Key) -> Value | None:
        """What is kept under *key*."""
        return self._values.get(key)

    def take(self, key: Key) -> Value | None:
        """What is kept under *key*, which is not kept any longer."""
        return self._values.pop(key, None)

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind."""
        for key in [key for key in self._values if key[0] == mind_id]:
            del self._values[key]


class LateAnswers:
    """Asks models beside calls, and keeps what comes late: seeds by session, narrations by fragment and language."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self.seeds: LateStore[tuple[str, str], Seeds] = LateStore(most=_MOST_SESSIONS)
        self.narrations: LateStore[tuple[str, str, str], str] = LateStore(most=_MOST_NARRATIONS)

    def ask[Answer](
        self,
        call: PreTurnCall,
        name: str,
        question: Callable[[], Coroutine[object, object, Answer]],
        *,
        keep: Callable[[Answer], None],
    ) -> ModelQuestion[Answer]:
        """Ask *question* beside *call*, without waiting; *keep* is given an answer that comes too late for it."""

        async def answer() -> Answer | ModelFault | HomeFault:
            try:
                return await question()
            except (ModelFault, HomeFault) as fault:
                return fault

        mind_id = call.mind.mind_id
        task = self._background.start(f"{name} {mind_id}", answer, owner=mind_id, in_caller_context=True)
        asked = ModelQuestion(task, keep=keep)
        call.questions.append(asked)
        return asked

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind."""
        self.seeds.forget(mind_id)
        self.narrations.forget(mind_id)
