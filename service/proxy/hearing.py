"""What a model said, put together of an answer in one piece or of its chunks: the first choice, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker
from service.proxy.reading import called, storable, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    type Json = Mapping[str, Any]

_SPOKEN = ("content", "refusal")


class Heard:
    """Grows with every chunk; whatever shape a provider's chunk has, hearing it never fails."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.model = ""
        self.finish: str | None = None
        self.asked = self.answered = 0  # tokens, where the provider tells them
        self._words: list[str] = []
        self._calls: dict[str, dict[str, str]] = {}

    @property
    def text(self) -> str:
        """All of it."""
        calls = called([{"function": call} for call in self._calls.values()])
        return "\n".join(part for part in ("".join(self._words), calls) if part)

    @property
    def message(self) -> Message | None:
        """It as a message; None where nothing was said."""
        text = storable(self.text)
        return Message(Speaker.ASSISTANT, text) if text else None

    def hear(self, chunk: Json) -> None:
        """Add a chunk, or an answer in one piece."""
        self.model = _text(chunk.get("model")) or self.model
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                self.finish = _text(choice.get("finish_reason")) or self.finish
                said = choice.get("delta") or choice.get("message")
                if isinstance(said, dict):
                    self._hear(said)

    def _hear(self, said: Json) -> None:
        self._words += (text_of(said.get(name)) for name in _SPOKEN)
        audio = said.get("audio")
        if isinstance(audio, dict):
            self._words.append(_text(audio.get("transcript")))
        calls = said.get("tool_calls")
        for at, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._call(str(call.get("index", at)), call.get("function") or call.get("custom"))
        self._call("alone", said.get("function_call"))

    def _call(self, key: str, function: object) -> None:
        if isinstance(function, dict):
            known = self._calls.setdefault(key, {"name": "", "arguments": ""})
            known["name"] += _text(function.get("name"))
            known["arguments"] += _text(function.get("arguments")) or _text(function.get("input"))

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.asked = _number(usage.get("prompt_tokens")) or self.asked
            self.answered = _number(usage.get("completion_tokens")) or self.answered


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
