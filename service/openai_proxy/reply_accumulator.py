"""Puts a model's reply together from a whole answer or from its chunks: the first choice, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.content import text_of
from service.openai_proxy.messages import calls_in_words, storable, without_reasoning

if TYPE_CHECKING:
    from collections.abc import Mapping

    type Json = Mapping[str, Any]

_TEXT_FIELDS = ("content", "refusal")


class ReplyAccumulator:
    """Grows with every chunk. It never fails, whatever shape a provider's chunk has."""

    def __init__(self) -> None:
        self.model = ""
        self.finish: str | None = None
        self.prompt_tokens = self.completion_tokens = 0  # tokens, if the provider reports them
        self._words: list[str] = []
        self._calls: list[dict[str, str]] = []
        self._open: dict[str, dict[str, str]] = {}  # the call that more of may come, by its index

    @property
    def text(self) -> str:
        """The text so far, with the reasoning in it."""
        return self._with_calls("".join(self._words))

    @property
    def said(self) -> str:
        """What was said so far: nothing while the model still reasons."""
        return self._with_calls(without_reasoning("".join(self._words)))

    @property
    def message(self) -> Message | None:
        """The reply as a message; None if nothing was said."""
        text = storable(self.said)
        return Message(Speaker.ASSISTANT, text) if text else None

    def add(self, chunk: Json) -> None:
        """Add a chunk, or a whole answer."""
        self.model = _text(chunk.get("model")) or self.model
        self._read_usage(chunk.get("usage"))
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and (choice.get("index") or 0) == 0:
                self.finish = _text(choice.get("finish_reason")) or self.finish
                delta = choice.get("delta") or choice.get("message")
                if isinstance(delta, dict):
                    self._add_words(delta)

    def _with_calls(self, words: str) -> str:
        calls = calls_in_words([{"function": call} for call in self._calls])
        return "\n".join(part for part in (words, calls) if part)

    def _add_words(self, delta: Json) -> None:
        self._words += (text_of(delta.get(name)) for name in _TEXT_FIELDS)
        audio = delta.get("audio")
        if isinstance(audio, dict):
            self._words.append(_text(audio.get("transcript")))
        calls = delta.get("tool_calls")
        for at, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._add_call(
                    str(call.get("index", at)), _text(call.get("id")), call.get("function") or call.get("custom")
                )
        self._add_call("alone", "", delta.get("function_call"))

    def _add_call(self, key: str, own_id: str, function: object) -> None:
        """Add a part of a call. Some servers give every call the same index, or none: another id begins another one."""
        if not isinstance(function, dict):
            return
        name, known = _text(function.get("name")), self._open.get(key)
        if known is None or (name and own_id and known["id"] not in {"", own_id}):
            known = self._open[key] = {"id": own_id, "name": "", "arguments": ""}
            self._calls.append(known)
        known["name"] += name
        known["arguments"] += _text(function.get("arguments")) or _text(function.get("input"))

    def _read_usage(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.prompt_tokens = _number(usage.get("prompt_tokens")) or self.prompt_tokens
            self.completion_tokens = _number(usage.get("completion_tokens")) or self.completion_tokens


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
