"""Reads what a mind's waking is made of. Nothing is written, and a file that can not be read is an empty one."""

from __future__ import annotations

from functools import partial
from itertools import batched, islice, takewhile
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync

from consolidation.corrections.taken_out import as_put_right
from consolidation.dreams.dream_log import Dreams
from consolidation.dreams.evidence import notes_in
from consolidation.dreams.sleep_state import SleepState, read_sleep_state
from consolidation.dreams.waking import UndreamtSession, UnreadMessage, WakingFiles, waking_pack
from consolidation.kernel.turns import Speaker
from service.mind.own_settings import zone_of
from service.sleep.observations import observations_as_put_right

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import tzinfo

    from consolidation.corrections.standing import Standing
    from consolidation.dreams.waking import WakingPack
    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind

_LONGEST_FILE = 400_000  # characters
_MOST_MESSAGES, _LONGEST_MESSAGE = 10, 500  # characters
_MOST_TURNS = 2000  # that are looked through for messages of people
_BLOCK = 50
_CUT = " […]"


async def wake_up_pack(mind: Mind, *, session_id: str | None, max_tokens: int, zone: tzinfo | None) -> WakingPack:
    """
    What the agent of *mind* is handed when it wakes, in at most *max_tokens*, with times in *zone*, or in its own.

    *session_id* is the session that begins, so that it is not told of as the last one. What dreams observed of turns
    that people put right is left out, and messages are as people put them right.

    Raises TranscriptUnreadable, HomeFault.
    """
    dreams = await run_sync(_dreams, mind)
    messages, undreamt = await _since(mind, dreams.cursor, session_id=session_id)
    files = await run_sync(partial(_files, mind, dreams, messages=messages, undreamt=undreamt))
    prompts = mind.workspace.prompts
    return await run_sync(partial(waking_pack, files, max_tokens=max_tokens, zone=zone, prompts=prompts))


def _dreams(mind: Mind) -> Dreams:
    try:
        return mind.dreams.read()
    except OSError:
        return Dreams()


def _files(
    mind: Mind, dreams: Dreams, *, messages: tuple[UnreadMessage, ...], undreamt: UndreamtSession | None
) -> WakingFiles:
    workspace = mind.workspace

    def text(name: str, *, most: int = _LONGEST_FILE) -> str:
        return workspace.read(workspace.writing(name), most_characters=most)

    try:
        state = read_sleep_state(workspace.sleep_state)
    except OSError:
        state = SleepState()
    return WakingFiles(
        state=state,
        dreams=dreams,
        observations=observations_as_put_right(mind, text("observations", most=-1), dreams),  # the newest are last
        priorities=text("priorities"),
        rules=text("rules"),
        briefing=text("briefing"),
        messages=messages,
        undreamt=undreamt,
        own_zone=zone_of(mind),
    )


async def _since(
    mind: Mind, cursor: int, *, session_id: str | None
) -> tuple[tuple[UnreadMessage, ...], UndreamtSession | None]:
    """The newest messages of people behind *cursor*, newest first, and the newest session there that is another."""
    standing = await run_sync(mind.corrections.standing)
    messages: list[UnreadMessage] = []
    last: StoredTurn | None = None
    async for block in _newest(mind, cursor):
        if last is None:
            last = next((one for one in block if one.turn.session_id != session_id), None)
        if len(messages) < _MOST_MESSAGES:
            messages += await run_sync(_messages, block, standing)
        if len(messages) >= _MOST_MESSAGES and last is not None:
            break
    undreamt = None
    if last is not None:
        actions = _tool_calls(mind, last.turn.session_id, cursor)
        undreamt = UndreamtSession(last.turn.session_id, last.accepted_at, actions)
    return tuple(messages[:_MOST_MESSAGES]), undreamt


async def _newest(mind: Mind, cursor: int) -> AsyncIterator[list[StoredTurn]]:
    """The remembered turns behind *cursor* in blocks, newest first, among the newest that there are."""
    positions = mind.transcript.positions
    newest = takewhile(lambda found: found[0] > cursor, positions.backwards(positions.last))
    sequences = (one for one, _ in islice(newest, _MOST_TURNS))
    for block in batched(tuple(sequences), _BLOCK):
        yield [turn for turn in await mind.transcript.read_many(block) if turn.is_remembered]


def _messages(turns: Sequence[StoredTurn], standing: Standing) -> list[UnreadMessage]:
    """What people said in these turns, as many as are handed over, the first turn's first."""
    found: list[UnreadMessage] = []
    for turn in turns:
        if len(found) >= _MOST_MESSAGES:
            break
        found += _messages_of(turn, standing)
    return found


def _messages_of(turn: StoredTurn, standing: Standing) -> list[UnreadMessage]:
    """
    What people said in a turn, the last first, or put in the place of what they said.

    Where nobody spoke, nothing is put right: an agent prints much, and its sentences are many.
    """
    if all(one.role is not Speaker.USER for one in turn.turn.messages):
        return []
    left = as_put_right(turn, standing)
    if left is None:
        return []
    notes = notes_in(left, turn, standing)
    said = [(one, one.who) for one in left.turn.messages if one.role is Speaker.USER and one.content.strip()]
    thoughts = (one for one in left.turn.messages if one.role is Speaker.THOUGHT)
    said += [(one, notes[one.content]) for one in thoughts if one.content in notes]
    session_id = turn.turn.session_id
    return [
        UnreadMessage(one.timestamp or turn.accepted_at, who, session_id, _cut(one.content.strip()))
        for one, who in reversed(said)
    ]


def _tool_calls(mind: Mind, session_id: str, cursor: int) -> int:
    """How many tool calls a session has behind *cursor*."""
    calls = mind.transcript.positions.tool_calls_after
    undreamt = (one for one in mind.transcript.positions.in_session(session_id) if one > cursor)
    return sum(calls(one - 1) - calls(one) for one in undreamt)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - len(_CUT)].rstrip() + _CUT
