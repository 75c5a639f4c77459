"""
A made-up mind of any size, always the same: turns, what they tell, and questions about it. Pure.

Three facts a turn, an entity every five facts. The hub speaks in every turn and is the source of a third of all
facts; who else is spoken of follows Zipf's law. One fact in seven has ended. Every turn can be made without the
others, also those that come after the mind's last.

No two entities share a thousand facts: FalkorDB 4.22.1 then never ends building its indexes after a restart.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.text.tokens import count_tokens
from tests.benchmarks.vocabulary import ASIDES, CITIES, DEEDS, HUB, MONTHS, TOPICS, kind_of, name_of

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
FACTS_A_TURN, FACTS_AN_ENTITY, TURNS_A_SESSION = 3, 5, 20
_SEED = 20261121
_BEGINS, _ENDS = datetime(2023, 1, 2, 8, tzinfo=UTC), datetime(2026, 9, 28, 20, tzinfo=UTC)
_OF_HUB, _ENDED, _HEAD = 0.3, 0.15, 20
_RELATIONS = {"person": "MET", "place": "WENT_TO", "work": "FOUND"}
_SAID = {
    "person": "{who} {deed} the {a} and the {b} with {target} in {city} {when}",
    "place": "{who} {deed} the {a} at {target} {when} and came home with a {b}",
    "work": "{who} found {target} in {city} {when}, beside a {a} and an old {b}",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """Something told; ``source`` and ``target`` are numbers of entities."""

    uuid: str
    text: str
    relation: str
    source: int
    target: int
    words: tuple[str, ...]
    valid_at: datetime
    invalid_at: datetime | None


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as it is kept, and the facts in it."""

    kept: StoredTurn
    facts: tuple[Fact, ...]

    @property
    def entities(self) -> tuple[int, ...]:
        """Who and what it speaks of, the hub first."""
        return tuple(dict.fromkeys((0, *(number for fact in self.facts for number in (fact.source, fact.target)))))


@dataclass(frozen=True, slots=True)
class Question:
    """A message, and the queries that a turn looks for with a model's seeds: itself, its words, a guess."""

    message: str
    queries: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class SyntheticMind:
    """A mind of about *facts* facts."""

    facts: int

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return max(1, self.facts // FACTS_A_TURN)

    @property
    def entities(self) -> int:
        """How many entities they name, the hub among them."""
        return (self.turns * FACTS_A_TURN - 1) // FACTS_AN_ENTITY + 2

    def told(self, number: int) -> Told:
        """The turn of this number, from 1."""
        dice = random.Random(f"{_SEED} turn {number}")
        at = _BEGINS + (_ENDS - _BEGINS) * (number / self.turns)
        session = (number - 1) // TURNS_A_SESSION
        topics = random.Random(f"{_SEED} session {session}").sample(TOPICS, 3)
        first = (number - 1) * FACTS_A_TURN
        facts = tuple(_fact(place, topics, at, dice) for place in range(first, first + FACTS_A_TURN))
        return Told(_kept(number, session, at, facts, dice), facts)

    def question(self, number: int) -> Question:
        """A question about something that was told; another for every number."""
        dice = random.Random(f"{_SEED} question {number}")
        fact = dice.choice(self.told(dice.randint(1, self.turns)).facts)
        who, target, (a, b) = name_of(fact.source), name_of(fact.target), fact.words
        message = f"Do you remember what {who} said about the {a} and {target}? I was thinking of the {b} today."
        topic = next(words for words in TOPICS if a in words)
        return Question(message, (message, f"{a} {b} {target}", f"{dice.choice(topic)} {b} {dice.choice(CITIES)}"))


def entity_uuid(number: int) -> str:
    """The uuid of an entity."""
    return _uuid(random.Random(f"{_SEED} entity {number}"))


def _fact(place: int, topics: list[tuple[str, ...]], at: datetime, dice: random.Random) -> Fact:
    known = place // FACTS_AN_ENTITY + 1
    target = known if place % FACTS_AN_ENTITY == 0 else _zipf(known, dice)
    source = _person(known, target, dice)
    a, b = dice.sample(dice.choice(topics), 2)
    day = at - timedelta(days=dice.randint(0, 20))
    words = {"who": name_of(source), "deed": dice.choice(DEEDS), "a": a, "b": b, "city": dice.choice(CITIES)}
    text = _SAID[kind_of(target)].format(**words, target=name_of(target), when=_when(day, dice))
    ends = at + timedelta(days=dice.randint(1, 40)) if dice.random() < _ENDED else None
    return Fact(_uuid(dice), text, _RELATIONS[kind_of(target)], source, target, (a, b), at, ends)


def _zipf(known: int, dice: random.Random) -> int:
    """One of 1 to *known*, by Zipf's law with its head cut: the n-th as often as 1 / (n + _HEAD)."""
    return min(known, int(_HEAD * ((known + _HEAD) / _HEAD) ** dice.random()) - _HEAD + 1)


def _person(known: int, other: int, dice: random.Random) -> int:
    if dice.random() >= _OF_HUB:
        for _ in range(8):
            number = _zipf(known, dice)
            if number != other and kind_of(number) == "person":
                return number
    return 0


def _when(day: datetime, dice: random.Random) -> str:
    forms = (f"on {day.day} {MONTHS[day.month - 1]} {day.year}", f"in {MONTHS[day.month - 1]}", f"on {day:%A}")
    return dice.choice(forms)


def _kept(number: int, session: int, at: datetime, facts: tuple[Fact, ...], dice: random.Random) -> StoredTurn:
    said = [_sentence(fact.text.replace(f"{HUB} ", "I ", 1) if fact.source == 0 else fact.text) for fact in facts]
    user = " ".join((*said[:-1], dice.choice(ASIDES)))
    last = facts[-1]
    heard = last.text.replace(f"{HUB} ", "you ", 1) if last.source == 0 else last.text
    bot = f"You told me before that {heard}. What became of the {last.words[0]}?"
    messages = (
        Message(Speaker.USER, user, timestamp=at, name=HUB),
        Message(Speaker.ASSISTANT, bot, timestamp=at),
    )
    turn = Turn(f"turn-{number}", f"session-{session}", messages)
    return StoredTurn(number, at, turn, count_tokens("\n".join(message.line for message in messages)))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _uuid(dice: random.Random) -> str:
    return str(uuid.UUID(int=dice.getrandbits(128), version=4))
