"""
What of a chat is stored already: messages that were never answered, or whose answer a model is to continue.

A client sends them again with what is said next. They are compared as they are stored: without secrets, or off the
record without words.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Literal

import anyio.to_thread

from consolidation.kernel.errors import InvalidRequest
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.transcript.known import may_be_by_same
from consolidation.transcript.tombstones import ErasedMessages
from service.ingest.intake import filter_turn
from service.openai_proxy.messages import PROMPTING, new_from, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.openai_proxy.context import ProxyContext
    from service.openai_proxy.messages import NewPart
    from service.openai_proxy.request import Chat

    type Parts = tuple[NewPart, ...]
    type Known = Literal["stored", "erased", "new"]

MOST_MESSAGES = 255  # plus the answer: as many messages as a posted turn may have
MOST_LOOKED_AT = 20  # turns of a session, among which is the one that a chat repeats, or goes on from
_MOST_COMPARED = 1_000  # messages of stored turns, the newest, among which are those that a chat repeats
_LONGEST_PREFILL = 100  # characters that a client puts into a model's mouth; what is longer was an answer


async def not_stored(chat: Chat, parts: Parts, *, privacy: PrivacyFilter, context: ProxyContext) -> Parts:
    """The newest *parts* that fit into one turn, without those that were stored when they came, or erased since."""
    parts = _newest(parts)
    if len(parts) == 1:
        return parts
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    tombstones = await transcript.erased_in(chat.session_id)
    if tombstones:
        left = await anyio.to_thread.run_sync(partial(_not_erased, parts[:-1], tombstones, privacy=privacy))
        parts = (*left, parts[-1])
    most = len(parts) + MOST_LOOKED_AT
    turns = await transcript.before_in_session(chat.session_id, transcript.positions.last + 1, limit=most)
    turns = turns[await _end_of_answered(chat, turns, context=context) :]
    stored = [one for turn in turns for one in prompts(turn.turn.messages)]
    if not stored:
        return parts
    return await anyio.to_thread.run_sync(partial(_left, chat.session_id, parts, stored, privacy=privacy))


def _newest(parts: Parts) -> Parts:
    """The newest of *parts*, of which one turn holds all messages; or the last one alone, which may be too much."""
    left = [*(part for part in parts[:-1] if part.messages), parts[-1]]  # the others are of empty messages
    sizes = accumulate(len(part.messages) for part in reversed(left))
    count = sum(1 for _ in takewhile(lambda size: size <= MOST_MESSAGES, sizes))
    return tuple(left[-max(count, 1) :])


def _left(session_id: str, parts: Parts, stored: list[Message], *, privacy: PrivacyFilter) -> Parts:
    """*parts* without as many first ones as stand in a row in what is *stored*; the last one is new."""
    stored, earlier = stored[-_MOST_COMPARED:], parts[:-1]
    on_record = list(takewhile(lambda part: not part.is_off_the_record, earlier))
    if len(on_record) < len(earlier):  # then all of them were stored without their words
        said = [_as_stored(session_id, part, TurnKind.OFF_THE_RECORD, privacy=privacy) for part in earlier]
        if (count := _in_a_row(said, stored)) > len(on_record):
            return parts[count:]
    said = [_as_stored(session_id, part, TurnKind.TURN, privacy=privacy) for part in on_record]
    return parts[_in_a_row(said, stored) :]


def _as_stored(session_id: str, part: NewPart, kind: TurnKind, *, privacy: PrivacyFilter) -> list[Message]:
    try:
        return prompts(filter_turn(Turn("", session_id, part.messages, kind), privacy_filter=privacy)[0].messages)
    except InvalidRequest:  # every message is empty
        return []


def _in_a_row(parts: list[list[Message]], stored: list[Message]) -> int:
    """How many of *parts*, from the first one, stand in a row in what is *stored*."""
    said = [one for part in parts for one in part]
    most = 0
    for at in range(len(stored)):
        if min(len(said), len(stored) - at) <= most:
            break
        most = max(most, _length_of_same(said, stored[at:]))
    return sum(1 for size in accumulate(map(len, parts)) if size <= most)


def _length_of_same(some: list[Message], others: list[Message]) -> int:
    return sum(1 for _ in takewhile(lambda pair: _is_same(*pair), zip(some, others, strict=False)))


def _not_erased(parts: Parts, tombstones: Sequence[StoredTurn], *, privacy: PrivacyFilter) -> Parts:
    """*parts* without erased messages. Of one off the record, nobody knows: it has no words to store."""
    erased = ErasedMessages(tombstones, cleaned=privacy.cleaned)
    left = (replace(one, messages=tuple(one.messages[at] for at in erased.others(one.messages))) for one in parts)
    return tuple(one for one in left if one.messages and not one.is_off_the_record)


async def _end_of_answered(chat: Chat, turns: Sequence[StoredTurn], *, context: ProxyContext) -> int:
    """How many of *turns* are above the chat's new messages: up to the one of its last answer; 0 if that is unknown."""
    start = new_from(chat.messages)
    asked = [one for one in read(chat.messages, end=max(start - 1, 0)) if one.role in PROMPTING]
    last = Turn("", chat.session_id, (*asked[-1:], *read(chat.messages, start=max(start - 1, 0), end=start)))
    try:
        *before, answer = (await context.intake.filtered(chat.mind_id, last)).messages
    except InvalidRequest:  # nothing with words
        return 0
    for at in range(len(turns), 0, -1):
        messages = turns[at - 1].turn.messages
        is_asked = are_same(prompts(messages)[-1:], prompts(before))
        if is_asked and messages[-1].role is answer.role and _is_beginning(messages[-1].content, answer.content):
            return at
    return 0


def _is_beginning(stored: str, answer: str) -> bool:
    """Whether one is the beginning of the other: a person heard no more of it, or had it continued."""
    return stored.startswith(answer.rstrip()) or (bool(stored) and answer.startswith(stored.rstrip()))


async def beginning_of(
    chat: Chat, part: NewPart, begun: str, *, privacy: PrivacyFilter, context: ProxyContext
) -> Known:
    """Whether *part* is stored with an answer that was *begun*, and that the model is to continue; or was erased."""
    kind = TurnKind.OFF_THE_RECORD if part.is_off_the_record else TurnKind.TURN
    given = Turn("", chat.session_id, (*part.messages, Message(Speaker.ASSISTANT, begun)), kind)
    try:
        *asked, answer = (await context.intake.filtered(chat.mind_id, given)).messages
    except InvalidRequest:  # no word that can be seen
        return "new"
    transcript = (await context.minds.find_or_create(chat.mind_id)).transcript
    last = transcript.positions.last
    turns = await transcript.before_in_session(chat.session_id, last + 1, limit=MOST_LOOKED_AT)
    turns = turns[await _end_of_answered(chat, turns, context=context) :]
    if any(_is_continued(one.turn.messages, asked, answer.content) for one in turns):
        return "stored"
    tombstones = await transcript.erased_in(chat.session_id)
    is_erased = partial(_is_erased, given.messages, tombstones, privacy=privacy)
    return "erased" if await anyio.to_thread.run_sync(is_erased) else "new"


def _is_continued(stored: Sequence[Message], asked: list[Message], begun: str) -> bool:
    """
    Whether the answer to *asked* that is *stored* goes on below *begun*, which a person may have changed or cut.

    Where only a short beginning of it comes back, the client has put that into the model's mouth, and asks once more.
    """
    said = prompts(stored)
    if not are_same(said[len(said) - len(asked) :], asked):
        return False
    answer = stored[-1].content if stored[-1].role is Speaker.ASSISTANT else ""
    if begun.startswith(answer.rstrip()):
        return bool(asked or answer)
    is_short = 2 * len(begun) < len(answer)
    return not is_short if answer.startswith(begun.rstrip()) else bool(asked)


def _is_erased(posted: Sequence[Message], tombstones: Sequence[StoredTurn], *, privacy: PrivacyFilter) -> bool:
    *asked, begun = posted
    left = set(ErasedMessages(tombstones, cleaned=privacy.cleaned).others(posted))
    is_given_answer = len(asked) not in left or (bool(asked) and len(begun.content) > _LONGEST_PREFILL)
    return is_given_answer and left <= {len(asked)}


def are_same(some: list[Message], others: list[Message]) -> bool:
    """Whether both have the same words, of speakers who may be the same."""
    return len(some) == len(others) and all(map(_is_same, some, others))


def _is_same(one: Message, other: Message) -> bool:
    return one.role is other.role and one.content == other.content and may_be_by_same(one, other)


def prompts(messages: Sequence[Message]) -> list[Message]:
    """What was said to the bot."""
    return [one for one in messages if one.role is not Speaker.ASSISTANT]
