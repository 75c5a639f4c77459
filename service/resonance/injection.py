"""
Phase 6: the block of flashbacks, and its place among the messages.

Memories are data: each is one line, and whatever in it looks like one of our marks is defused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.injected_blocks import (
    BLOCK_HEADER,
    BLOCK_RULE,
    PROTOCOL_END,
    PROTOCOL_HEADER,
    STORY_END,
    STORY_HEADER,
    defused,
    without_injected,
)
from consolidation.text.noise import is_blank
from consolidation.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.resonance.call import PreTurnCall
    from service.retrieval.moment import Flashback, Placement

_LONGEST_LINE = 900
# Separators and controls, and what turns the reading order around or parts a mark unseen: nothing may look like a new
# line, and no mark may be whole again once something was taken out of it. Joiners stay: Persian and emoji need them.
_INVISIBLE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ") | dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC)),
        *(*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)),  # tags and selectors: letters that only models read
    )
)
_UNSEEN_RUN = re.compile("([\u200c\u200d\ufe00-\ufe0f])[\u200c\u200d\ufe00-\ufe0f]{2,}")  # a message in joiners


@dataclass(frozen=True, slots=True)
class Injection:
    """What goes into the prompt: the flashbacks that fit, their block, the stable part, the messages with both in."""

    flashbacks: tuple[Flashback, ...]
    block: str
    stable: str
    messages: tuple[Message, ...]


def inject(call: PreTurnCall, flashbacks: Sequence[Flashback], *, stable: str) -> Injection:
    """Put what surfaced, and the *stable* part, among the messages of the call, within its ``max_tokens``."""
    request = call.request
    shown = fitting(flashbacks, most_tokens=request.max_tokens, count=count_tokens)
    if flashbacks and not shown:
        call.trace.silent("nothing fits into max_tokens")
    text = block(shown)
    messages = injected(request.messages, stable=stable, volatile=text, placement=request.placement)
    return Injection(shown, text, stable, messages)


def one_line(text: str) -> str:
    """*text* as a single line that can neither close our block nor open another."""
    seen = _UNSEEN_RUN.sub(r"\1", text.translate(_INVISIBLE))
    line = defused(" ".join(seen.split())).replace("---", "—")
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
    shown = tuple(flashbacks)
    while shown and count(block(shown)) > most_tokens:
        shown = shown[:-1]
    return shown


def stable_text(*, story: str, protocol: str) -> str:
    """What changes only when the story does: the story between its marks, and how to use a memory."""
    life = f"{STORY_HEADER}\n{defused(story).strip()}\n{STORY_END}" if story.strip() else ""
    how = f"{PROTOCOL_HEADER}\n{protocol.strip()}\n{PROTOCOL_END}" if protocol.strip() else ""
    return "\n\n".join(part for part in (life, how) if part)


def etag(text: str) -> str:
    """A strong entity tag of a text, in quotes as HTTP has it."""
    return f'"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"'


def injected(messages: Sequence[Message], *, stable: str, volatile: str, placement: Placement) -> tuple[Message, ...]:
    """
    *messages* with both parts put in, and whatever an earlier turn put in taken out.

    ``tail``: stable in the first system message, volatile in a system message of its own before the last user
    message, so that a provider's cache of everything before it holds. ``system``: both in the first.
    """
    clean = [one for message in messages if (one := _without(message)) is not None]
    head = stable if placement == "tail" else "\n\n".join(part for part in (stable, volatile) if part)
    if head:
        clean = _in_first_system(clean, head)
    if placement == "tail" and volatile:
        place = max((at for at, one in enumerate(clean) if one.role is Speaker.USER), default=len(clean))
        clean.insert(place, Message(Speaker.SYSTEM, volatile))
    return tuple(clean)


def _without(message: Message) -> Message | None:
    """The message without what an earlier turn put in; None when it held nothing else."""
    content = without_injected(message.content)
    if content == message.content:
        return message
    if is_blank(content):
        return None
    return Message(message.role, content, message.timestamp, message.name, message.id)


def _in_first_system(messages: list[Message], text: str) -> list[Message]:
    if messages and messages[0].role is Speaker.SYSTEM:
        first = messages[0]
        content = f"{first.content}\n\n{text}" if first.content else text
        return [Message(first.role, content, first.timestamp, first.name, first.id), *messages[1:]]
    return [Message(Speaker.SYSTEM, text), *messages]
