"""
A card of each person a mind knows: at most 20 lines, of what somebody pinned or said, and of what lasts.

People edit a card by corrections: a pin or something said adds a line, an edit changes one, `wrong` and `mute` take one
away. What lasts is what a model called important. A card changes when people put something right, and once a day, so
that a provider's cache of the prompt survives.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.corrections.wording import names_any, tells_of_any
from consolidation.kernel.turns import Speaker
from consolidation.text.names import name_key
from service.ingest.importance import PRIORITY
from service.retrieval.lead_words import told_words, without_lead
from service.retrieval.put_right import FACT, PutRight, statement_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from consolidation.corrections.record import Correction, Target
    from consolidation.corrections.standing import Statement
    from service.mind.minds import Mind

MOST_LINES = 20  # of one person
_MOST_PEOPLE, _MOST_FACTS = 10, 400
_ROLES = frozenset(name_key(role) for role in Speaker)


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


class PeopleCards:
    """The cards of every mind, made again only when something was put right, or on another day."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, str, date], tuple[PersonCard, ...]]] = {}

    def of(self, mind: Mind, *, now: datetime) -> tuple[PersonCard, ...]:
        """
        The cards of a mind's people; those without a line are left out. It blocks: call it in a worker thread.

        Raises IndexUnusable, OSError.
        """
        lines = mind.corrections.lines()
        stamp = (id(mind.corrections), lines[-1].id if lines else "", now.date())
        known = self._known.get(mind.workspace.folder)
        if known is None or known[0] != stamp or not known[1]:  # of a new mind, something is known soon
            known = self._known[mind.workspace.folder] = (stamp, _cards(mind, now))
        return known[1]

    def forget(self, folder: Path) -> None:
        """Drop what was read of a mind."""
        self._known.pop(folder, None)


def card_text(cards: Sequence[PersonCard]) -> str:
    """The cards as one text, a heading a person and a line each."""
    return "\n\n".join(
        "\n".join((f"{card.name}:", *(f"- {' '.join(line.text.split())}" for line in card.lines))) for card in cards
    )


def _cards(mind: Mind, now: datetime) -> tuple[PersonCard, ...]:
    put_right = PutRight.of(mind.corrections.standing(), mind.transcript, mind.text)
    people = sorted(mind.text.speakers(), key=lambda name: (name_key(name) in _ROLES, name))
    names = {key: name for name in people if (key := name_key(name)) not in _ROLES}
    keys = tuple(names)[:_MOST_PEOPLE] or ("user",)
    muted = put_right.standing.muted_names
    every = (*_decided(put_right), *_lasting(mind, put_right, now))
    lines = [(line, joins) for line, joins in every if not tells_of_any(line.text, muted)]
    found: dict[str, list[CardLine]] = {key: [] for key in keys}
    told: dict[str, list[frozenset[str]]] = {key: [] for key in keys}
    for line, joins in lines:
        for key in _about(line, joins, keys, put_right):
            words = told_words(line.text)
            if len(found[key]) < MOST_LINES and not any(words <= other for other in told[key]):
                found[key].append(line)
                told[key].append(words)
    return tuple(PersonCard(names.get(key, key), tuple(kept)) for key, kept in found.items() if kept)


def _decided(put_right: PutRight) -> Iterable[tuple[CardLine, tuple[str, ...]]]:
    """What people pinned, then what they said, newest first, each with the names that it joins."""
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
        decided = standing.fact(one.target.text, one.target.turn_ids) if one.target.kind == "fact" else None
        if decided is None or decided.shown is not one or not decided.is_pinned or decided.held_back:
            continue
        if is_told(one.target):
            yield CardLine(one.id, one.target.text, told_in(one.target.turn_ids), one), one.target.joins
    for said in reversed(told):
        yield CardLine(statement_id(said), said.text, told_in(said.turn_ids), said), ()


def _lasting(mind: Mind, put_right: PutRight, now: datetime) -> Iterable[tuple[CardLine, tuple[str, ...]]]:
    """Facts that matter and hold, the most important first, each with the names that it joins."""
    rows = mind.text.important_facts(least=PRIORITY, at=now, limit=_MOST_FACTS)
    every = {number: json.loads(str(row[4])) for number, row in enumerate(rows)}
    sequences = mind.text.sequences(tuple({uuid for found in every.values() for uuid in found}))
    for number, row in enumerate(rows):
        told_in = tuple(sorted(sequences[one] for one in every[number] if one in sequences))
        joins = (str(row[2]), str(row[3]))
        text = without_lead(str(row[1]))
        if not put_right.fact(text, told_in, joins=joins).held_back:
            yield CardLine(f"{FACT}{row[0]}", text, told_in), joins


def _about(line: CardLine, joins: Iterable[str], keys: Sequence[str], put_right: PutRight) -> tuple[str, ...]:
    """The people that a line is about; one that a person decided on, and that names nobody, is about the first."""
    joined = {key for name in joins for key in put_right.standing.keys_of(name)}
    named = tuple(key for key in keys if key in joined or names_any(line.text, put_right.standing.keys_of(key)))
    if named:
        return named
    return tuple(keys[:1]) if line.by is not None or not joined.isdisjoint(_ROLES) else ()
