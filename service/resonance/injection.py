"""
Phase 6: the block of flashbacks, and its place among the messages.

Memories are data: each is one line, and whatever in it looks like one of our marks is defused.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.injected_blocks import (
    BLOCK_HEADER,
    BLOCK_RULE,
    PEOPLE_END,
    PEOPLE_HEADER,
    PROTOCOL_END,
    PROTOCOL_HEADER,
    STORY_END,
    STORY_HEADER,
    defused,
    one_line,
    without_injected,
)
from consolidation.text.noise import is_blank
from consolidation.text.tokens import count_tokens
from service.ingest.importance import PRIORITY
from service.mind.trace_document import FiltersTrace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from service.resonance.call import PreTurnCall
    from service.retrieval.moment import Flashback, Fragment, Placement

_NO_ROOM = "limit: no room in max_tokens"
_LONGEST_WORD = 30  # letters, back from where a memory is cut
_FEWEST_LETTERS = 20  # of a memory that is shortened; fewer say nothing
# A protocol may name the block that it speaks of, within a line; alone on a line, the name would open one.
_MENTION = re.compile(rf"(?<=\S ){re.escape(BLOCK_HEADER)}")


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
    if len(shown) < len(flashbacks):
        kept = {one.fragment.id for one in shown}
        left_out = {one.fragment.id: _NO_ROOM for one in flashbacks if one.fragment.id not in kept}
        call.trace.note(FiltersTrace(dropped={**call.trace.dropped, **left_out}))
    text = block(shown)
    messages = injected(request.messages, stable=stable, volatile=text, placement=request.placement)
    return Injection(shown, text, stable, messages)


def bullet(flashback: Flashback) -> str:
    """One memory as the bot reads it: how long ago, when, what."""
    label = flashback.label.text
    return f"- {label[:1].upper()}{label[1:]}{flashback.label.comma}{flashback.fragment.told(one_line(flashback.text))}"


def as_thought(flashback: Flashback) -> str:
    """One memory as an agent is reminded of it while it acts."""
    label = f"{flashback.label.text}: " if flashback.label.text else ""
    return f"(A thought surfaces: {label}{one_line(flashback.text)})"


def block(flashbacks: Sequence[Flashback]) -> str:
    """The block for the prompt; empty when nothing surfaced."""
    if not flashbacks:
        return ""
    return "\n".join((BLOCK_RULE, BLOCK_HEADER, *(bullet(flashback) for flashback in flashbacks), BLOCK_RULE))


def fitting(flashbacks: Sequence[Flashback], *, most_tokens: int, count: Callable[[str], int]) -> tuple[Flashback, ...]:
    """
    The flashbacks, in their order, whose block takes at most *most_tokens*.

    What is important finds room first, then what a person pinned, then what fits the message best. One that does not
    fit is left out, and smaller ones behind it may still come. The very first is shortened rather than left out.
    """

    def fits(shown: Sequence[Flashback]) -> bool:
        return count(block(shown)) <= most_tokens

    if fits(flashbacks):
        return tuple(flashbacks)
    ranked = sorted(enumerate(flashbacks), key=lambda pair: _rank(pair[1].fragment))
    shown: dict[int, Flashback] = {}
    for place, one in ranked:
        found = _within({**shown, place: one}, place, fits, is_first=not shown)
        if found is not None:
            shown[place] = found
    return _ordered(shown)


def _rank(fragment: Fragment) -> tuple[bool, bool, float]:
    """By what fragments are sorted to find room: the important first, then the pinned, then the best."""
    return (fragment.importance or 0.0) < PRIORITY, not fragment.decided.is_pinned, -fragment.score


def _within(
    shown: Mapping[int, Flashback], place: int, fits: Callable[[Sequence[Flashback]], bool], *, is_first: bool
) -> Flashback | None:
    """The flashback at *place*, if all fit with it; the first one in as many letters as fit."""
    if fits(_ordered(shown)):
        return shown[place]
    text = shown[place].text
    low, high = 0, len(text) if is_first else 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits([_cut(shown[place], middle)]) else (low, middle - 1)
    return _cut(shown[place], low) if low >= _FEWEST_LETTERS else None


def _cut(flashback: Flashback, most: int) -> Flashback:
    """*flashback* in at most so many letters, at the end of a word where words are parted."""
    head, _, _ = flashback.text[: most + 1].rpartition(" ")
    is_near = len(head) >= most - _LONGEST_WORD  # a script without spaces may have its last one far before
    return replace(flashback, text=f"{head if is_near and head else flashback.text[:most]} …")


def _ordered(shown: Mapping[int, Flashback]) -> tuple[Flashback, ...]:
    return tuple(shown[place] for place in sorted(shown))


def stable_text(*, story: str, protocol: str, people: str = "") -> str:
    """What changes seldom: story, people's cards and recall protocol, each in a frame that nothing in it closes."""
    life = f"{STORY_HEADER}\n{defused(story).strip()}\n{STORY_END}" if story.strip() else ""
    rules = BLOCK_HEADER.join(map(defused, _MENTION.split(protocol))).strip()
    how = f"{PROTOCOL_HEADER}\n{rules}\n{PROTOCOL_END}" if rules else ""
    known = f"{PEOPLE_HEADER}\n{defused(people).strip()}\n{PEOPLE_END}" if people.strip() else ""
    return "\n\n".join(part for part in (life, known, how) if part)


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
