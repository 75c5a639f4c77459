"""Phase 6: the block, and its place among the messages. Memories are data: one line each, marks defused. Pure."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from consolidation.kernel.injected import BLOCK_HEADER, BLOCK_RULE, STORY_END, STORY_HEADER, defused, without_injected
from consolidation.kernel.turns import Message, Speaker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.resonance.moment import Flashback, Placement

_LONGEST_LINE = 900
# Line and paragraph separators, and what turns the reading order around: nothing may look like a new line.
_INVISIBLE = {ord(letter): " " for letter in "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e\x1f"} | dict.fromkeys(
    (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF, 0x200E, 0x200F)
)


def one_line(text: str) -> str:
    """*text* as a single line that can neither close our block nor open another."""
    line = " ".join(defused(text).translate(_INVISIBLE).split())
    line = line.replace("---", "—")
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()}…"


def bullet(flashback: Flashback) -> str:
    """One memory as the bot reads it: how long ago, when, what."""
    label = flashback.label.text
    return f"- {label[:1].upper()}{label[1:]}, {one_line(flashback.text)}"


def block(flashbacks: Sequence[Flashback]) -> str:
    """The block for the prompt; empty when nothing surfaced."""
    if not flashbacks:
        return ""
    return "\n".join((BLOCK_RULE, BLOCK_HEADER, *(bullet(flashback) for flashback in flashbacks), BLOCK_RULE))


def fitting(flashbacks: Sequence[Flashback], *, most_tokens: int, count: Callable[[str], int]) -> tuple[Flashback, ...]:
    """The first flashbacks whose block takes at most *most_tokens*."""
    kept = tuple(flashbacks)
    while kept and count(block(kept)) > most_tokens:
        kept = kept[:-1]
    return kept


def stable_text(*, story: str, protocol: str) -> str:
    """What changes only when the story does: the story between its marks, and how to use a memory."""
    told = f"{STORY_HEADER}\n{defused(story).strip()}\n{STORY_END}\n\n" if story.strip() else ""
    return f"{told}{protocol.strip()}"


def etag(text: str) -> str:
    """A strong entity tag of a text, in quotes as HTTP has it."""
    return f'"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"'


def injected(messages: Sequence[Message], *, stable: str, volatile: str, placement: Placement) -> tuple[Message, ...]:
    """
    *messages* with both parts put in, and whatever an earlier turn put in taken out.

    ``tail``: stable in the first system message, volatile in a system message of its own before the last user
    message, so that a provider's cache of everything before it holds. ``system``: both in the first.
    """
    clean = [_without(message) for message in messages]
    head = stable if placement == "tail" else "\n\n".join(part for part in (stable, volatile) if part)
    if head:
        clean = _in_first_system(clean, head)
    if placement == "tail" and volatile:
        place = max((at for at, one in enumerate(clean) if one.role is Speaker.USER), default=len(clean))
        clean.insert(place, Message(Speaker.SYSTEM, volatile))
    return tuple(clean)


def _without(message: Message) -> Message:
    content = without_injected(message.content)
    if content == message.content:
        return message
    return Message(message.role, content, message.timestamp, message.name, message.id)


def _in_first_system(messages: list[Message], text: str) -> list[Message]:
    if messages and messages[0].role is Speaker.SYSTEM:
        first = messages[0]
        content = f"{first.content}\n\n{text}".strip()
        return [Message(first.role, content, first.timestamp, first.name, first.id), *messages[1:]]
    return [Message(Speaker.SYSTEM, text), *messages]
