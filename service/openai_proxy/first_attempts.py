"""
When a chat was sent for the first time, of those that OpenAI's library sends again by itself.

Its retry repeats what that first attempt has stored, and not an older answer to the same chat: that one was delivered,
and a person asks for another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from service.openai_proxy.messages import new_from
from service.voice.spoken import digest_of

if TYPE_CHECKING:
    from datetime import datetime

    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.request import Chat


async def note_first_attempt(chat: Chat, *, context: ProxyContext) -> None:
    """Remember that *chat* came, if it may come again without a key that says so."""
    if chat.may_be_repeated and chat.key is None and not chat.is_retried:
        now = context.clock.now()
        context.first_attempts.note(await anyio.to_thread.run_sync(_key, chat), now=now)


async def first_attempt_at(chat: Chat, *, context: ProxyContext) -> datetime | None:
    """When the first attempt came that *chat* retries; None if this process has not seen it."""
    return context.first_attempts.at(await anyio.to_thread.run_sync(_key, chat))


def _key(chat: Chat) -> str:
    """Equal for a chat and its retry, which has the same body: of its newest messages, and how many there are."""
    return digest_of([chat.mind_id, chat.session_id, len(chat.messages), chat.messages[new_from(chat.messages) :]])
