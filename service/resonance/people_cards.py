"""
A card of each person a mind knows: at most 20 lines, of what somebody pinned or said, and of what lasts.

People edit a card by corrections: a pin or something said adds a line, an edit changes one, `wrong` and `mute` take one
away. What lasts is what a model called important, and outcomes did not contradict. A card changes when people put
something right, when a memory is contradicted, and once a day, so that a provider's cache of the prompt survives.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from consolidation.corrections.record import What
from consolidation.corrections.wording import names_any, tells_of_any
from consolidation.kernel.turns import Speaker
from consolidation.text.names import name_key
from service.ingest.importance import PRIORITY
from service.retrieval.excerpt import excerpt
from service.retrieval.lead_words import teller_in, told_words, without_lead
from service.retrieval.put_right import EPISODE, FACT, PutRight, statement_id
from service.retrieval.tellers import ROLES, people_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date
    from pathlib import Path

    from consolidation.corrections.record import Correction, Target
    from consolidation.corrections.standing import Statement
    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind

MOST_LINES = 20  # of one person
_MOST_PEOPLE, _MOST_FACTS = 10, 400
_INVALID_AT = 6  # of the row of a fact


@dataclass(frozen=True, slots=True)
class CardLine:
    """
    One thing that is known of a person; ``sequences`` are the turns that told it.

    ``by`` is what a person decided of it: a pin, an edit, or that it is so; None for what lasts by itself.
    """

    id: str
    text: str
    sequences: tuple[int, ...] = ()
    by: Correction | Statement | None = None


@dataclass(frozen=True, slots=True)
class PersonCard:
    """What is known of one person, pinned lines first; ``name`` is "user" for somebody without a name."""

    name: str
    lines: tuple[CardLine, ...]


class _Known(NamedTuple):
    """A line, the names that its fact joins, and who told it; None where that is not known."""

    line: CardLine
    joins: tuple[str, ...] = ()
    teller: str | None = None


class PeopleCards:
    """The cards of every mind, made again only when something on them changed or has ended, or on another day."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, str, tuple[str, ...], date], tuple[PersonCard, ...]]] = {}

    def of(self, mind: Mind, *, now: datetime) -> tuple[PersonCard, ...]:
        """
        The cards of a mind's people; those without a line are left out. It blocks: call it in a worker thread.

        Those of a mind as of an earlier time are as they were then, and are not kept. Raises IndexUnusable, OSError.
        """
        if mind.as_of is not None:
            return _cards(mind, mind.as_of)
        lines = mind.corrections.lines()
        wrong = mind.outcomes.ever_contradicted()
        stamp = (id(mind.corrections), lines[-1].id if lines else "", wrong, now.date())
        known = self._known.get(mind.workspace.folder)
        # Without a card they are made anew at each call: of a new mind, something is known soon.
        if known is None or known[0] != stamp or not known[1] or _has_ended(mind, known[1], now):
            known = self._known[mind.workspace.folder] = (stamp, _cards(mind, now))
        return known[1]

    def forget(self, folder: Path) -> None:
        """Drop what was read of a mind."""
        self._known.pop(folder, None)


def _has_ended(mind: Mind, cards: Sequence[PersonCard], now: datetime) -> bool:
    """Whether a fact that a card shows as one that lasts holds no longer."""
    lasting = [line.id.removeprefix(FACT) for card in cards for line in card.lines if line.by is None]
    rows = mind.text.facts(tuple(mind.text.fact_numbers(lasting).values())) if lasting else {}
    ends = (row[_INVALID_AT] for row in rows.values())
    return any(end is not None and datetime.fromisoformat(str(end)) <= now for end in ends)


def card_text(cards: Sequence[PersonCard]) -> str:
    """The cards as one text, a heading a person and a line each."""
    return "\n\n".join(
        "\n".join((f"{card.name}:", *(f"- {' '.join(line.text.split())}" for line in card.lines))) for card in cards
    )


def _cards(mind: Mind, now: datetime) -> tuple[PersonCard, ...]:
    put_right = PutRight.of(mind.corrections.standing(), mind.transcript, mind.text)
    names = _names(mind, put_right)
    keys = tuple(names)[:_MOST_PEOPLE] or ("user",)
    muted = put_right.standing.muted_names
    every = (*_decided(mind, put_right), *_lasting(mind, put_right, now))
    known = [one for one in every if not tells_of_any(one.line.text, muted)]
    found: dict[str, list[CardLine]] = {key: [] for key in keys}
    told: dict[str, list[frozenset[str]]] = {key: [] for key in keys}
    for one in known:
        for key in _about(one, keys, mind, put_right):
            words = told_words(one.line.text)
            if len(found[key]) < MOST_LINES and not any(words <= other for other in told[key]):
                found[key].append(one.line)
                told[key].append(words)
    silent = set(map(name_key, muted))
    left = {key: lines for key, lines in found.items() if lines and key not in silent}
    return tuple(PersonCard(names.get(key, key), tuple(lines)) for key, lines in left.items())


def _names(mind: Mind, put_right: PutRight) -> dict[str, str]:
    """The people's names by their keys; of one person with several names, the one that was kept."""
    own = people_in(mind)
    if len(own) == 1:
        return own
    return {name_key(now): now for name in own.values() for now in (put_right.standing.name_of(name),)}


def _decided(mind: Mind, put_right: PutRight) -> Iterable[_Known]:
    """What people pinned, then what they said, newest first."""
    standing = put_right.standing
    sequences = {turn_id: sequence for sequence, turn_id in put_right.turn_ids.items()}
    told = [one for one in standing.statements if not standing.reason_against(one)]
    words = {(one.text, one.turn_ids) for one in told}

    def told_in(turn_ids: Iterable[str]) -> tuple[int, ...]:
        return tuple(sequences[one] for one in turn_ids if one in sequences)

    def is_told(pinned: Target) -> bool:
        """Whether a person still says what is pinned, who joins no names; or a turn still tells it."""
        if not pinned.joins:
            return (pinned.text, pinned.turn_ids) in words
        return not all(standing.turn(one).held_back for one in pinned.turn_ids)

    for one in reversed(standing.corrections):
        of, is_fact = one.target, one.target.kind == "fact"
        if of.kind == "turn":
            yield from _pinned_turns(one, mind, put_right)
        decided = standing.fact(of.text, of.turn_ids, teller=of.teller) if is_fact else None
        if decided is None or decided.shown is not one or not decided.is_pinned or decided.held_back:
            continue
        if is_told(of):
            yield _Known(CardLine(one.id, of.text, told_in(of.turn_ids), one), of.joins, of.teller)
    for said in reversed(told):
        yield _Known(CardLine(statement_id(said), said.text, told_in(said.turn_ids), said), teller=said.teller)


def _pinned_turns(pin: Correction, mind: Mind, put_right: PutRight) -> Iterable[_Known]:
    """What the turns of a *pin* tell, as far as nobody put it right."""
    sequences = (mind.transcript.positions.sequence_of(one) for one in pin.target.turn_ids)
    pinned = [one for one in sequences if one is not None and put_right.turn(one).shown is pin]
    main = mind.text.main_language()
    for stored in mind.transcript.read_now(pinned if pin.what is What.PIN else ()):
        left = put_right.tellable(stored)
        for teller, turn in () if left.is_spent else _by_teller(left.turn):
            text = without_lead(excerpt(turn, wanted=frozenset(), language=main))
            line = CardLine(f"{EPISODE}{stored.sequence}", text, (stored.sequence,), pin)
            yield _Known(line, teller=teller or pin.target.teller)


def _by_teller(stored: StoredTurn) -> tuple[tuple[str, StoredTurn], ...]:
    """Where several people speak in a turn, what each of them says there behind their name; else the whole turn."""
    names = dict.fromkeys(one.known_as for one in stored.turn.messages if one.role is Speaker.USER)
    if len(names) <= 1:
        return (("", stored),)
    return tuple((name, _said_by(name, stored)) for name in names)


def _said_by(name: str, stored: StoredTurn) -> StoredTurn:
    own = tuple(one for one in stored.turn.messages if one.role is Speaker.USER and one.known_as == name)
    return replace(stored, turn=replace(stored.turn, messages=own))


def _lasting(mind: Mind, put_right: PutRight, now: datetime) -> Iterable[_Known]:
    """Facts that matter and hold, the most important first."""
    rows = mind.text.important_facts(least=PRIORITY, at=now, limit=_MOST_FACTS)
    every = {number: json.loads(str(row[4])) for number, row in enumerate(rows)}
    sequences = mind.text.sequences(tuple({uuid for found in every.values() for uuid in found}))
    told = [tuple(sorted(sequences[one] for one in every[number] if one in sequences)) for number in every]
    facts = {f"{FACT}{row[0]}": (row, told_in) for row, told_in in zip(rows, told, strict=True)}
    contradicted = mind.outcomes.held_back({key: told_in for key, (_, told_in) in facts.items()})
    for key, (row, told_in) in facts.items():
        text, joins = str(row[1]), (str(row[2]), str(row[3]))
        decided = put_right.fact(text, told_in, joins=joins)
        if not decided.held_back and (key not in contradicted or decided.is_right):
            yield _Known(CardLine(key, without_lead(text), told_in), joins, teller_in(text))


def _about(known: _Known, keys: Sequence[str], mind: Mind, put_right: PutRight) -> tuple[str, ...]:
    """
    The people that a line is about: whoever told it, if it says "I" or "my"; else whom it names, else who told it.

    Where only one person is known, what a person decided on and what names nobody is about that one.
    """
    standing, line = put_right.standing, known.line
    joined = {key for name in known.joins for key in standing.keys_of(name)}
    named = tuple(key for key in keys if key in joined or names_any(line.text, standing.keys_of(key)))
    if len(keys) == 1:
        return named or (tuple(keys) if line.by is not None or not joined.isdisjoint(ROLES) else ())
    teller = known.teller or (_only_person(mind, line.sequences) if line.by is not None else None)
    own = tuple(key for key in keys if teller and key == name_key(standing.name_of(teller)))
    return own if put_right.says_i(line.text) else named or own


def _only_person(mind: Mind, sequences: Sequence[int]) -> str | None:
    """Who said what these turns told; None where several people speak in them, or somebody without a name."""
    persons = {name_key(one): one for turn in mind.transcript.read_now(sequences) for one in turn.turn.persons}
    return next(iter(persons.values())) or None if len(persons) == 1 else None
