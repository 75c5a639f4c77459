"""
A model is asked beside a call. What it answers in time serves this call; what it answers late serves the next turn.

A restart forgets what came late.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from consolidation.kernel.errors import HomeFault, ModelFault, ModelTimedOut
from consolidation.kernel.ports import Usage
from service.runtime.slots import Demand

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from consolidation.kernel.ports import Reply
    from prompts.responses import Seeds
    from service.mind.minds import Mind
    from service.runtime.background import Background

_MOST_MINDS, _MOST_SESSIONS, _MOST_NARRATIONS = 2_000, 2_000, 5_000
_LATEST = 3  # answers, the newest, by which the pace of a model is known
_TRIED_AGAIN = 8  # one in so many questions is asked all the same


class Paid(Protocol):
    """An answer that says what it cost."""

    @property
    def usage(self) -> Usage:
        """What the calls behind it cost."""
        ...


type Asking[Answer] = asyncio.Task[Answer | ModelFault | HomeFault | None]


class ModelQuestion[Answer]:
    """Asked of a model beside a call; once it is released, an answer that no call used is kept."""

    def __init__(self, task: Asking[Answer], *, demand: Demand, keep: Callable[[Answer], None]) -> None:
        self._task = task
        self._demand = demand
        self._keep = keep
        self._is_used = False

    async def answer(self, *, seconds: float | None) -> Answer | ModelFault | None:
        """
        What the model answers within *seconds* (None: no limit), or how it failed; None where that takes longer.

        Raises HomeFault.
        """
        done: set[Asking[Answer]] = set()
        self._is_used = True
        try:
            with self._demand.waiting():
                done, _ = await asyncio.wait({self._task}, timeout=seconds)
        finally:
            self._is_used = bool(done)
        answer = self._task.result() if done else None
        if isinstance(answer, HomeFault):
            raise answer
        return answer

    def release(self) -> None:
        """Nobody waits any longer: keep the answer as soon as there is one, unless it is used after all."""
        self._demand.release()
        if not self._is_used:
            self._task.add_done_callback(self._came_late)

    def _came_late(self, task: Asking[Answer]) -> None:
        answer = None if task.cancelled() or self._is_used else task.result()
        if answer is not None and not isinstance(answer, ModelFault | HomeFault):
            self._keep(answer)


class Pace:
    """How quick a model was lately: where it is sure to come late, it need not be asked."""

    def __init__(self) -> None:
        self._took: deque[float] = deque(maxlen=_LATEST)
        self._answered_at = -math.inf
        self._left_out = 0

    def took(self, seconds: float) -> None:
        """Note that it was of use, or given up, after *seconds*."""
        self._took.append(seconds)

    def answered(self, began: float, now: float) -> None:
        """Note that a question that was asked when it *began* is of use *now*."""
        self._answered_at = now
        self.took(now - began)

    def given_up(self, began: float, now: float) -> None:
        """Note that a question was given up *now*; not where one that was asked later is answered: it is well again."""
        if began >= self._answered_at:
            self.took(now - began)

    @contextmanager
    def timed(self, monotonic: Callable[[], float]) -> Iterator[None]:
        """Note how long it takes to ask inside; not where it fails, unless for want of time."""
        began = monotonic()
        try:
            yield
        except (ModelTimedOut, asyncio.CancelledError):
            self.given_up(began, monotonic())
            raise
        self.answered(began, monotonic())

    def may_come(self, seconds: float | None, *, passed: float = 0.0) -> bool:
        """
        Whether an answer that was asked for *passed* seconds ago may come within *seconds* (None: no limit).

        No, where even the quickest one of the last few took longer.
        """
        return seconds is None or len(self._took) < _LATEST or min(self._took) - passed <= seconds

    def fits(self, seconds: float | None) -> bool:
        """
        Whether the model may answer within *seconds* (None: no limit).

        No, where even its quickest answer of the last few took longer; but now and then it is tried again.
        """
        if self.may_come(seconds):
            return True
        self._left_out += 1
        return self._left_out % _TRIED_AGAIN == 0


class LateStore[Key: tuple[str, ...], Value]:
    """The newest *most* values; the first part of a key is the id of its mind."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def put(self, key: Key, value: Value) -> None:
        """Keep *value*; the oldest one goes where there are too many."""
        self._values[key] = value
        self._values.move_to_end(key)
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
    """
    Asks models beside calls, and keeps what comes late: seeds by session, narrations by what was narrated.

    ``wondered`` is what each session wondered about already. What was asked before a mind was forgotten is not kept.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self.wondered: LateStore[tuple[str, str], frozenset[str]] = LateStore(most=_MOST_SESSIONS)
        self.seeds: LateStore[tuple[str, str], Reply[Seeds]] = LateStore(most=_MOST_SESSIONS)
        self.narrations: LateStore[tuple[str, ...], str] = LateStore(most=_MOST_NARRATIONS)
        self._epochs: LateStore[tuple[str], object] = LateStore(most=_MOST_MINDS)  # of a mind, until it is forgotten

    def ask[Answer: Paid](
        self,
        mind: Mind,
        name: str,
        question: Callable[[], Coroutine[object, object, Answer]],
        *,
        keep: Callable[[Answer], None],
    ) -> ModelQuestion[Answer]:
        """
        Ask *question* for *mind*, without waiting; *keep* is given an answer that no call uses.

        Once nobody waits for it, it is broken off where another question that is waited for needs its slot.
        What the answer, or a refused one, cost is added to the mind's usage, whoever uses it.
        """
        demand = Demand()

        async def answer() -> Answer | ModelFault | HomeFault:
            try:
                async with demand.breakable():
                    found = await question()
            except TimeoutError:
                return ModelTimedOut("broken off: nobody waited for it, and another question needed its slot")
            except HomeFault as fault:
                return fault
            except ModelFault as fault:
                mind.health.usage += fault.usage or Usage()
                return fault
            mind.health.usage += found.usage
            return found

        key = (mind.mind_id,)
        epoch = self._epochs.get(key) or object()
        self._epochs.put(key, epoch)

        def keep_current(found: Answer) -> None:
            if self._epochs.get(key) is epoch:
                keep(found)

        task = self._background.start(f"{name} {mind.mind_id}", answer, owner=mind.mind_id, in_caller_context=True)
        return ModelQuestion(task, demand=demand, keep=keep_current)

    def forget(self, mind_id: str) -> None:
        """Drop all that is of a mind."""
        self.seeds.forget(mind_id)
        self.wondered.forget(mind_id)
        self.narrations.forget(mind_id)
        self._epochs.forget(mind_id)
