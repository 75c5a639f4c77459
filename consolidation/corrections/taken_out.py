"""
A turn as it may be told by itself: without the sentences that a person said are wrong, or never to come up.

The transcript stays as it is. What nobody can find in a turn, since the fact was told in other words, takes the whole
turn with it: a wrong memory is worse than none. What other people than the fact's teller said stays. What a bot said
again before the decision goes, whichever turn it is in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.corrections.repeated import only_asks
from consolidation.corrections.standing import Decided, may_be_one
from consolidation.corrections.wording import Wording, carriers, tells_of_any
from consolidation.kernel.turns import READ, Message, Speaker, TurnKind
from consolidation.text.first_person import says_i
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.sentences import whole_sentences
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Standing, Statement
    from consolidation.kernel.turns import StoredTurn
    from consolidation.transcript.log import Transcript

_PAGE = 500  # turns that are read at a time


@dataclass(frozen=True, slots=True)
class Tellable:
    """
    What is left of a turn; ``taken`` are the sentences that went, and ``reason`` says why.

    Where it ``is_spent``, nothing is left that is worth telling.
    """

    turn: StoredTurn
    taken: tuple[str, ...] = ()
    reason: str = ""
    is_spent: bool = False


def tellable(stored: StoredTurn, standing: Standing) -> Tellable:
    """*stored* without what is not to be told by itself, and without what a bot repeated of such a thing before."""
    left = _without_decided(stored, standing)
    return left if left.is_spent else _without_repeated(left, standing)


def repeated_in(stored: StoredTurn, standing: Standing) -> Mapping[str, Correction]:
    """The sentences of a bot in *stored* that repeat what is wrong, each with the decision that says so."""
    turn_id = stored.turn.turn_id
    found = {} if standing.turn(turn_id).is_right else standing.repeats.in_turn(stored)
    right = standing.right_in(turn_id) if found else ()
    return {one: made for one, made in found.items() if not any(known.is_carried_by(one) for known in right)}


def _without_repeated(known: Tellable, standing: Standing) -> Tellable:
    found = repeated_in(known.turn, standing)
    if not found:
        return known
    messages = known.turn.turn.messages
    bots = (_without(one, tuple(found)) if one.role is Speaker.ASSISTANT else one for one in messages)
    told = tuple(one for one in bots if one.content.strip())
    turn = replace(known.turn, turn=replace(known.turn.turn, messages=told))
    reason = Decided(tuple(found.values())[-1]).held_back
    is_spent = only_asks(told) or not _tells(messages, told)
    return Tellable(turn, (*known.taken, *found), reason, is_spent=is_spent)


def _without_decided(stored: StoredTurn, standing: Standing) -> Tellable:
    turn_id = stored.turn.turn_id
    whole = standing.turn(turn_id)
    if whole.held_back:
        return Tellable(stored, reason=whole.held_back, is_spent=True)
    facts = standing.unseen_in(turn_id)
    if not facts:
        return Tellable(stored)
    spoken = [[*whole_sentences(one.content, language=detect(one.content))] for one in stored.turn.messages]
    places = [(number, at) for number, said in enumerate(spoken) for at in range(len(said))]
    every = [spoken[number][at] for number, at in places]
    gone: set[tuple[int, int]] = set()
    reason = ""
    for wording, decided in facts:
        theirs = _messages_of(decided.teller, stored.turn.messages)
        own = [place for place in places if place[0] in theirs]
        found = carriers(wording, [spoken[number][at] for number, at in own], of=[number for number, _ in own])
        reason = decided.held_back
        if not found and len(own) == len(every):
            return Tellable(stored, tuple(every), reason, is_spent=True)
        gone |= {own[one] for one in found} if found else set(own)
    left = [
        _without(message, [said[at] for at in range(len(said)) if (number, at) in gone])
        for number, (message, said) in enumerate(zip(stored.turn.messages, spoken, strict=True))
    ]
    told = tuple(one for one in left if one.content.strip())
    taken = tuple(spoken[number][at] for number, at in sorted(gone))
    turn = replace(stored, turn=replace(stored.turn, messages=told))
    return Tellable(turn, taken, reason, is_spent=not _tells(stored.turn.messages, told))


def _messages_of(teller: str | None, messages: Sequence[Message]) -> frozenset[int]:
    """The places of the *messages* that no other person than *teller* said; all, where *teller* said none of them."""
    names = [one.known_as if one.role is Speaker.USER else "" for one in messages]
    if not any(name and may_be_one(teller, name) for name in names):
        return frozenset(range(len(messages)))
    return frozenset(number for number, name in enumerate(names) if may_be_one(teller, name))


def _without(message: Message, sentences: Sequence[str]) -> Message:
    content = message.content
    for sentence in sentences:
        content = content.replace(sentence, "", 1)
    return replace(message, content=content) if sentences else message


def _tells(before: Sequence[Message], left: Sequence[Message]) -> bool:
    """Whether whoever told something in a turn still does: what only answers to what is gone is worth nothing."""
    tellers = {Speaker.USER} if any(one.role is Speaker.USER for one in before) else set(Speaker) - READ
    return any(one.role in tellers and content_words(one.content, language=detect(one.content)) for one in left)


def as_put_right(stored: StoredTurn, standing: Standing) -> StoredTurn | None:
    """
    *stored* as it is to be told: without what people took out, and with what they put in its place, which its teller
    says, or else a note.

    Sentences that name an entity which is never to come up are left out, and so is what it said itself. None where
    nothing is left to tell.
    """
    left = tellable(stored, standing)
    turn_id = stored.turn.turn_id
    messages = () if left.is_spent else _without_muted(left.turn.turn.messages, standing, turn_id=turn_id)
    told = (*messages, *_without_muted(_notes(stored, standing), standing, turn_id=turn_id))
    return replace(stored, turn=replace(stored.turn, messages=told)) if told else None


def _without_muted(messages: tuple[Message, ...], standing: Standing, *, turn_id: str) -> tuple[Message, ...]:
    """*messages* of a turn without what a muted entity said, or names it; none where what was told is gone."""
    muted = standing.muted_names
    if not muted:
        return messages
    others = [one for one in messages if not is_by_any(one, muted, standing=standing, turn_ids=(turn_id,))]
    spoken = ((one, whole_sentences(one.content, language=detect(one.content))) for one in others)
    left = [_without(one, [said for said in every if tells_of_any(said, muted)]) for one, every in spoken]
    told = tuple(one for one in left if one.content.strip())
    return told if _tells(messages, told) else ()


def is_by_any(
    message: Message, names: Iterable[str], *, standing: Standing | None = None, turn_ids: Collection[str] = ()
) -> bool:
    """Whether a person of one of these *names* said *message*; in these turns they may be split off to another name."""
    if message.role is not Speaker.USER or not message.known_as:
        return False
    name = standing.name_in(message.known_as, turn_ids) if standing is not None else message.known_as
    return name_key(name) in set(map(name_key, names)) - {""}


def with_statements(stored: StoredTurn, standing: Standing) -> StoredTurn:
    """*stored* with what people put in the place of something that it told, behind its messages."""
    notes = _notes(stored, standing)
    return replace(stored, turn=replace(stored.turn, messages=(*stored.turn.messages, *notes))) if notes else stored


def _notes(stored: StoredTurn, standing: Standing) -> tuple[Message, ...]:
    """What people put in the place of something that *stored* told, at the time at which it was told."""
    return tuple(_note(stored, one) for one in standing.statements_of(stored.turn.turn_id))


def _note(stored: StoredTurn, said: Statement) -> Message:
    """
    What a person put in the place of something, as its teller says it.

    Words in the first person are of whoever said what they stand for, whether that person has a name or not. All
    others, and what stands for the bot's own words, are a note.
    """
    is_action = stored.turn.kind is TurnKind.ACTION  # nothing but one message is of its person
    if is_action or said.told_by:
        name = "" if is_action else said.told_by
        return Message(Speaker.USER if name else Speaker.THOUGHT, said.text, stored.occurred_at, name or None)
    carrying = _carrying(Wording.of(said.was), stored.turn.messages)
    theirs = [one for one in carrying if one.role is Speaker.USER]
    languages = {detect(text, fallback=detect(one.content)) for one in theirs for text in (said.text, one.content)}
    if said.teller or not says_i(said.text, languages=languages):
        return Message(Speaker.THOUGHT, said.text, stored.occurred_at)
    names = {one.known_as for one in theirs}
    return Message(Speaker.USER, said.text, stored.occurred_at, names.pop() or None if len(names) == 1 else None)


def _carrying(wording: Wording, messages: Sequence[Message]) -> Sequence[Message]:
    """Those of the *messages* that tell it; all, where none is found to."""
    told = [(one, said) for one in messages for said in whole_sentences(one.content, language=detect(one.content))]
    numbers = [messages.index(one) for one, _ in told]
    found = carriers(wording, [said for _, said in told], of=numbers) if wording.stems else ()
    return [told[place][0] for place in sorted(found)] or messages


async def turns_naming(transcript: Transcript, names: frozenset[str]) -> frozenset[int]:
    """The turns that tell of one of these *names*, or in which one of them speaks. Raises TranscriptUnreadable."""
    return await _turns(transcript, lambda turn: _is_by(turn, names) or _tells_of(turn, names))


async def turns_by(transcript: Transcript, names: frozenset[str]) -> frozenset[int]:
    """The turns in which one of these *names* speaks. Raises TranscriptUnreadable."""
    return await _turns(transcript, lambda turn: _is_by(turn, names))


async def _turns(transcript: Transcript, is_wanted: Callable[[StoredTurn], bool]) -> frozenset[int]:
    found, last = set[int](), 0
    while page := await transcript.after(last, limit=_PAGE):
        last = page[-1].sequence
        found |= {one.sequence for one in page if is_wanted(one)}
    return frozenset(found)


def _tells_of(stored: StoredTurn, names: frozenset[str]) -> bool:
    return tells_of_any("\n".join(one.content for one in stored.turn.messages), names)


def _is_by(stored: StoredTurn, names: frozenset[str]) -> bool:
    return any(is_by_any(one, names) for one in stored.turn.messages)
