"""The ports that consolidation and the service share: the clock and the language model."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path


class Clock(Protocol):
    """Gives the time and makes ids: the two things that differ at each call."""

    def now(self) -> datetime:
        """The present, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never going back: for durations and deadlines."""
        ...

    def fresh_id(self) -> str:
        """An id that is not in use: 32 lower-case hexadecimal digits."""
        ...


class Role(StrEnum):
    """What a model is asked for; each role has its own model, timeout and fallbacks."""

    CHAT = "chat"
    SUBCONSCIOUS = "subconscious"
    NARRATIVE = "narrative"
    EXTRACTION = "extraction"


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost: calls, tokens, US dollars and seconds."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost_usd + other.cost_usd,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Ask[Answer: BaseModel]:
    """
    One question to a model: a prompt template's name, the words that fill it, the shape of the answer.

    A hosted model renders the template and reads prose; the extractive model reads ``words`` as they are.
    ``overrides`` is a folder whose templates win over ours (a mind's ``prompts/``). With ``heard`` or ``on_part``, a
    hosted model's answer is streamed: ``heard`` is called with the number of characters that have come so far, and
    ``on_part`` with the items of the answer's list that are whole, each time there is another one.
    """

    prompt: str
    shape: type[Answer]
    words: Mapping[str, object] = field(default_factory=dict)
    overrides: Path | None = None
    heard: Callable[[int], None] | None = None
    on_part: Callable[[Answer], None] | None = None


@dataclass(frozen=True, slots=True)
class Reply[Content]:
    """What a model said, which model said it (after fallbacks), and what it cost."""

    content: Content
    usage: Usage = field(default_factory=Usage)
    model: str = ""


class LanguageModel(Protocol):
    """
    Answers for one role.

    Raises only ``ModelFault``: ``ModelUnavailable``, ``ModelTimedOut``, ``InvalidModelOutput``,
    ``ModelTruncated``, ``ModelRefused``.
    """

    @property
    def is_hosted(self) -> bool:
        """Whether answers come from a provider: they take seconds and may cost money."""
        ...

    async def warm(self) -> None:
        """Import what the first question would otherwise wait for; nothing where there is nothing to import."""
        ...

    async def answer[Answer: BaseModel](self, ask: Ask[Answer], /) -> Reply[Answer]:
        """Answer in the shape asked for, repaired and checked."""
        ...

    async def converse(self, messages: tuple[Mapping[str, str], ...], /) -> Reply[str]:
        """Answer a chat, each message with ``role`` and ``content``, in free text."""
        ...
