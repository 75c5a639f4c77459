"""
Work on one mind by a call that may concern several: each is done in the process that has the mind.

With one process that is this one. The process in front of several workers, or another worker, asks the one that has it.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import TYPE_CHECKING, Any, Concatenate

from consolidation.kernel.errors import MemoryFault

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from service.composition.container import Memory
    from service.workers.endpoint import Answers

WORK = "facade_work"  # the question to a worker
_FOUND, _FAULT = "found", "fault"


def in_worker_of_mind[**P, R](
    work: Callable[Concatenate[Memory, str, P], Coroutine[None, None, R]],
) -> Callable[Concatenate[Memory, str, P], Coroutine[None, None, R]]:
    """
    Have *work*, a function of a module that takes the memory and a mind's id first, done where the mind is.

    What else it takes, and what it returns, goes through a socket. Raises what *work* raises, and WorkerUnavailable.
    """

    @functools.wraps(work)
    async def done(memory: Memory, mind_id: str, /, *args: P.args, **named: P.kwargs) -> R:
        if memory.fleet is None or memory.minds.share.owns(mind_id):
            return await work(memory, mind_id, *args, **named)
        link = memory.fleet.owner(mind_id)
        link.check()
        how, found = await link.ask(WORK, work.__module__, work.__name__, mind_id, *args, **named)
        if how == _FAULT:
            raise found
        result: R = found
        return result

    return done


def answers_of_facades(memory: Memory) -> Answers:
    """What a worker answers to other processes for calls of façades, by question."""

    async def answer(module: str, name: str, mind_id: str, *args: Any, **named: Any) -> tuple[str, Any]:  # noqa: ANN401 - as it was sent
        try:
            return _FOUND, await getattr(import_module(module), name)(memory, mind_id, *args, **named)
        except MemoryFault as fault:
            return _FAULT, fault

    return {WORK: answer}
