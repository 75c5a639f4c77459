"""An answer where no model is configured, in the shape of OpenAI's: a newcomer sees at once what memory does. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consolidation.kernel.tokens import count_tokens
from service.echo import echo
from service.proxy.reading import text_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from datetime import datetime

    from service.proxy.asking import Chat

NAME = "mind-memory-echo"
_SOURCE = {"logprobs": None}


def echoed(chat: Chat, *, block: str, answer_id: str, now: datetime) -> dict[str, Any]:
    """An answer in one piece, with the memories that a model would have been given in *block*. Counting blocks."""
    heard = next((text_of(one.get("content")) for one in reversed(chat.messages) if one["role"] == "user"), "")
    memories = [line for line in block.splitlines() if line.startswith("- ")]
    text = echo(heard, memories=len(memories), shown="\n".join(("shown below.", *memories)))
    said = {"role": "assistant", "content": text, "refusal": None}
    asked, answered = count_tokens(heard), count_tokens(text)
    return {
        "id": f"chatcmpl-{answer_id}",
        "object": "chat.completion",
        "created": int(now.timestamp()),
        "model": NAME,
        "choices": [{"index": 0, "message": said, **_SOURCE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
    }


async def in_chunks(answer: Mapping[str, Any], *, counts: bool) -> AsyncGenerator[dict[str, Any], None]:
    """The same, a word at a time; *counts*: with the tokens in a last chunk of their own."""
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
