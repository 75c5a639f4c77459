"""
Asks models in order until an answer passes a check by code: each once, and once more with what was wrong.

An ``AnswerReports`` learns at once how much has come, what it cost and what was refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from consolidation.kernel.errors import (
    DreamRefused,
    InvalidModelOutput,
    ModelFault,
    ModelRefused,
    ModelTruncated,
    StoryRefused,
)
from consolidation.kernel.ports import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import BaseModel

    from consolidation.kernel.errors import MemoryFault
    from consolidation.kernel.ports import Ask, LanguageModel

TRIES = 2  # with the same model: once, and once more with the reason
# The model answers, and writes nothing that can be used; or it can not take in, or end, the smallest question.
UNUSABLE = (StoryRefused, DreamRefused, InvalidModelOutput, ModelRefused, ModelTruncated)


class AnswerReports(Protocol):
    """Learns how asking goes."""

    def receive(self, characters: int) -> None:
        """So many characters of an answer have come."""
        ...

    def answered(self, usage: Usage) -> None:
        """A call has ended, and cost this."""
        ...

    def refuse(self, reason: str) -> None:
        """An answer could not be used."""
        ...


@dataclass(frozen=True, slots=True)
class CheckedAnswer[Answer: BaseModel]:
    """An answer that passed, the model that gave it, and that model's name."""

    content: Answer
    model: LanguageModel
    name: str


async def ask_checked[Answer: BaseModel](
    models: Sequence[LanguageModel],
    ask: Ask[Answer],
    fault: Callable[[Answer, LanguageModel], str],
    *,
    cleaned: Callable[[Answer], Answer],
    refused: Callable[[str], MemoryFault],
    reports: AnswerReports,
    again: Callable[[], Mapping[str, object]] = dict,
) -> CheckedAnswer[Answer]:
    """
    The first answer, *cleaned*, in which *fault* finds nothing.

    The prompt gets what was wrong as ``reason``, and the words that *again* gives after a refused answer.

    Raises the error that *refused* makes of the last reason, or ModelFault when no model answered.
    """
    problem: MemoryFault = ModelFault("no model was asked")
    for model in models:
        reason, more = "", dict[str, object]()
        for _ in range(TRIES):
            words = {**ask.words, "reason": reason, **more}
            try:
                reply = await model.answer(replace(ask, words=words, heard=reports.receive))
            except ModelFault as error:
                reports.answered(error.usage or Usage())
                problem = error
                break
            reports.answered(reply.usage)
            answer = cleaned(reply.content)
            reason = await anyio.to_thread.run_sync(fault, answer, model)
            if not reason:
                return CheckedAnswer(answer, model, reply.model)
            reports.refuse(f"{reply.model}: {reason}" if reply.model else reason)
            problem, more = refused(reason), dict(again())
    raise problem
