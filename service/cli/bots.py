"""Who answers in `mind-memory chat`: the chat role's model, or, where there is none, an echo that says what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from service.cli.terminal import plain
from service.echo import echo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.ports import LanguageModel


class Bot(Protocol):
    """Answers what was said, with what surfaced."""

    @property
    def name(self) -> str:
        """What it is called on the screen."""
        ...

    @property
    def is_kept(self) -> bool:
        """Whether its answers belong into memory."""
        ...

    async def answer(self, surfaced: Mapping[str, Any], /) -> str:
        """The answer to a resonance, whose messages are ready to be sent. Raises ModelFault."""
        ...


class ModelBot:
    """A language model."""

    is_kept = True

    def __init__(self, model: LanguageModel, *, name: str) -> None:
        self._model = model
        self.name = name

    async def answer(self, surfaced: Mapping[str, Any], /) -> str:
        """What the model says to the messages as memory prepared them."""
        messages = tuple({"role": one["role"], "content": one["content"]} for one in surfaced["messages"])
        return (await self._model.converse(messages)).content


class EchoBot:
    """No model: it tells what it heard and what surfaced. Its words are not kept: memory must not quote itself."""

    name = "echo"
    is_kept = False

    async def answer(self, surfaced: Mapping[str, Any], /) -> str:
        """What was heard and what surfaced."""
        heard = plain(surfaced["messages"][-1]["content"])
        return echo(heard, memories=len(surfaced["flashbacks"]), shown="shown above.")
