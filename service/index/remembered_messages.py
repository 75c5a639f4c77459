"""Which messages of a turn are remembered, and how much of a long one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.content import is_mark

if TYPE_CHECKING:
    from consolidation.kernel.turns import Message, StoredTurn

MOST_CHARACTERS = {Speaker.USER: 16_000, Speaker.ASSISTANT: 16_000, Speaker.THOUGHT: 4_000, Speaker.TOOL: 600}


def remembered(turn: StoredTurn) -> tuple[Message, ...]:
    """
    The messages that are remembered. System messages are left out, and those that are only the mark of a recording or
    an image; tool output and long texts are cut.
    """
    return tuple(
        replace(message, content=_cut(message.content, MOST_CHARACTERS[message.role]))
        for message in turn.turn.messages
        if message.role in MOST_CHARACTERS and not is_mark(message.content)
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"
