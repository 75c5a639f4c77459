"""The upstream where no model is configured: it repeats what it heard and lists what came to mind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.text.content import text_of
from consolidation.text.injected_blocks import memories_in
from consolidation.text.tokens import count_tokens
from service.ports.upstream import USUAL, StreamedAnswer, WholeAnswer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from consolidation.kernel.ports import Clock
    from service.ports.upstream import Json

NAME = "mind-memory-echo"
_NO_MODEL = ""  # nobody answered, so nothing of the answer is stored
_LONGEST_HEARD = 60
_SOURCE = {"logprobs": None}


class EchoUpstream:
    """Answers as OpenAI's API does, so that a newcomer without a model sees what memory does."""

    names = (USUAL, NAME)

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock

    async def warm(self) -> None:
        """Return: there is nothing to import."""

    def window(self, model: str, /) -> int | None:
        """Return None: an echo reads no more than the last message."""
        del model
        return None

    async def ask(self, body: Json, /, *, plainer: Json | None = None) -> WholeAnswer | StreamedAnswer:
        """Answer a chat, whatever model it asks for."""
        del plainer
        # In a thread, because counting tokens takes CPU time.
        answer = await anyio.to_thread.run_sync(self._answered, body)
        if not body.get("stream"):
            return WholeAnswer(answer, _NO_MODEL)
        options = body.get("stream_options")
        counts = isinstance(options, dict) and options.get("include_usage") is True
        return StreamedAnswer(None, _in_chunks(answer, counts=counts), _NO_MODEL)

    async def cost(self, model: str, /, *, asked: int, answered: int) -> float:
        """Return 0: an echo is free."""
        del model, asked, answered
        return 0.0

    def _answered(self, body: Json) -> dict[str, Any]:
        messages = body["messages"]
        heard = next((text_of(one.get("content")) for one in reversed(messages) if one["role"] == "user"), "")
        memories = [line for one in messages for line in memories_in(text_of(one.get("content")))]
        text = echo(heard, memories=len(memories), shown="\n".join(("shown below.", *memories)))
        asked, answered = count_tokens(heard), count_tokens(text)
        said = {"role": "assistant", "content": text, "refusal": None}
        return {
            "id": f"chatcmpl-{self._clock.fresh_id()}",
            "object": "chat.completion",
            "created": int(self._clock.now().timestamp()),
            "model": NAME,
            "choices": [{"index": 0, "message": said, **_SOURCE, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
        }


def echo(heard: str, *, memories: int, shown: str) -> str:
    """Return the answer to *heard* when *memories* memories surfaced; *shown* says where they can be seen."""
    line = " / ".join(part.strip() for part in heard.splitlines() if part.strip())
    line = line if len(line) <= _LONGEST_HEARD else f"{line[: _LONGEST_HEARD - 1].rstrip()}…"
    if not memories:
        return f"I heard “{line}”. Nothing from the past came to mind."
    known = "1 memory" if memories == 1 else f"{memories:,} memories"
    return f"I heard “{line}”. A model would now also know {known}, {shown}"


async def _in_chunks(answer: Mapping[str, Any], *, counts: bool) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the same answer, one word in each chunk. With *counts*, the tokens follow in a last chunk of their own."""
    head = {**answer, "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    told = {"usage": None} if counts else {}
    text = answer["choices"][0]["message"]["content"]
    words = [f"{word} " for word in text.split(" ")]
    words[-1] = words[-1][:-1]
    for delta in ({"role": "assistant", "content": ""}, *({"content": word} for word in words)):
        yield {**head, "choices": [{"index": 0, "delta": delta, **_SOURCE, "finish_reason": None}], **told}
    yield {**head, "choices": [{"index": 0, "delta": {}, **_SOURCE, "finish_reason": "stop"}], **told}
    if counts:
        yield {**head, "choices": [], "usage": usage}
