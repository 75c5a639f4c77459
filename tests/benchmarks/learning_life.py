"""
A made-up life of 500 turns in which some of what is told goes on mattering and most does not. Pure, always the same.

Nine subjects have three parts each. Of a part, the person tells two lasting things, three states of which the last
holds, and four times chatter; once the bot guesses. All ten say the name of part and subject in the same words, so that
a question is as near to what never helps as to what answers it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

type Role = Literal["lasting", "state", "chatter", "guess", "other", "question"]

_FILE = Path(__file__).with_name("learning_subjects.txt")
_SEED = 20261122
_BEGINS, _DAYS = datetime(2026, 1, 5, 8, 0, tzinfo=UTC), 250
_TURNS, _PARTS, _TOLD_A_PART = 500, 3, 10
_CHATTER_A_PART, _ASKS, _FIRST_ASK = 4, 0.4, 0.08
_NARROW = 0.6  # of all questions are about one part of a subject, the others about all of it
_REPEATED = 0.5  # of all answers of the bot repeat one thing that answers; the others say nothing
_CHATTER = """I kept thinking about {it} on the train home.|My neighbour asked me about {it} again.
Funny, I dreamt of {it} last night.|I told my mother about {it}, and she laughed.
Somebody at the party talked about {it} for an hour.|We talked about {it} over lunch, for far too long.
I have a picture of {it} on my phone now.|I should really do something about {it} one day.
There is nothing new about {it} today.|I had {it} on my mind while I did the dishes.
I wrote half a letter about {it} and tore it up.|A colleague made a joke about {it}.
I nearly wrote a poem about {it}.|It rained, so I looked at {it} and did nothing."""
_PUZZLED = "I am puzzled by {it}.|I do not know what to make of {it}.|What do you make of {it}?"
_OTHERS = """The bus was late again.|We had soup for lunch.|I slept badly.|The film was too long.|My shoes are wet.
Ben called and talked of nothing.|I read until two.|The lift is broken.|It is cold today.|I bought apples.
The neighbours sing.|My tea went cold.|I walked along the canal.|The news made me tired.|I lost an umbrella.
A parcel came for somebody else.|I cleaned the windows.|The shop was closed.|I forgot my lunch.|We played cards.
I had to queue for an hour.|Somebody painted the bridge.|The fair is in town.|I ate too much cake.|My pen leaks.
There was a power cut.|I ran for the train.|We saw a fox.|The radio plays the same song.|I sorted my books."""
_NARROW_QUESTIONS = """What should I keep in mind about {it}?|What did I tell you about {it}?
I want to see to {it} today. What do I need to know?|What do you remember about {it}?
Remind me of what matters when it comes to {it}, please.|My brother takes care of {it} now. What do I tell him?
Before I do anything about {it}: is there something that I forgot?|How do things stand with {it}?"""
_BROAD_QUESTIONS = """What do I have to know about {name} right now?|What do you remember about {name}?
Somebody will look after {name} next week. What do I write down for them?
What did I tell you about {name} that still counts?|What should I keep in mind about {name}?
I worry about {name}. What did I mention lately that I should think of?"""
_THANKS = "Let us see.|Happy to help.|One moment.|All right, let us go through it together.|Good that you ask."


@dataclass(frozen=True, slots=True)
class LifeTurn:
    """
    One turn. For a question, ``useful`` and ``outdated`` are numbers of earlier turns: those whose words answer it, and
    all whose words do not hold any more. ``repeats`` is the turn that the bot's answer repeats.
    """

    number: int
    at: datetime
    role: Role
    user: str
    bot: str
    is_narrow: bool = False
    useful: frozenset[int] = frozenset()
    outdated: frozenset[int] = frozenset()
    repeats: int | None = None

    @property
    def turn_id(self) -> str:
        """What it is called in the mind."""
        return f"turn-{self.number}"


@dataclass(frozen=True, slots=True)
class _Part:
    subject: str
    name: str
    lines: tuple[str, ...]

    def said(self, form: str) -> str:
        it = f"the {self.name} of {self.subject}"
        return form.format(it=it, It=f"T{it[1:]}", name=self.subject)


@dataclass(frozen=True, slots=True)
class _Plan:
    place: float  # 0…1 of the life
    role: Role
    user: str
    bot: str
    part: _Part | None = None


def life(*, turns: int = _TURNS, seed: int = _SEED) -> tuple[LifeTurn, ...]:
    """A life of so many *turns*, of fewer subjects where it is short; not below 60."""
    dice = random.Random(seed)
    parts = _parts()[: max(_PARTS, round(turns * (1 - _ASKS) * 0.9 / _TOLD_A_PART))]
    told = [plan for part in parts for plan in _told(part, dice)]
    asked = round(turns * _ASKS)
    told += [
        _Plan(dice.random(), "other", text, "I see.") for text in _listed(_OTHERS)[: max(0, turns - asked - len(told))]
    ]
    plans = [*told, *(_Plan(dice.uniform(_FIRST_ASK, 1), "question", "", "") for _ in range(asked))]
    return tuple(_lived(sorted(plans, key=lambda plan: plan.place), parts, dice))


def favourites() -> tuple[tuple[str, str, str], ...]:
    """For one part of each subject: a question, and two things to tell, old and new, that answer it equally well."""
    begins = "This is what I should keep in mind about {it}"
    old, new = f"{begins}: Oskar pays for it.", f"{begins}: Ulrike wants to borrow it."
    question = _listed(_NARROW_QUESTIONS)[0]
    return tuple((part.said(question), part.said(old), part.said(new)) for part in _parts()[::_PARTS])


def _told(part: _Part, dice: random.Random) -> Iterator[_Plan]:
    """All that is told of one part."""
    first, second, *states, guess = part.lines
    lasting = ((first, dice.uniform(0, 0.45)), (second, dice.choice((dice.uniform(0, 0.5), dice.uniform(0.5, 0.9)))))
    for line, place in lasting:
        yield _Plan(place, "lasting", part.said(line), "Noted.", part)
    for line, place in zip(states, sorted(dice.random() for _ in states), strict=True):
        yield _Plan(place, "state", part.said(line), "Thanks for telling me.", part)
    for line in dice.sample(_listed(_CHATTER), _CHATTER_A_PART):
        yield _Plan(dice.random(), "chatter", part.said(line), "I see.", part)
    puzzled = dice.choice(_listed(_PUZZLED))
    yield _Plan(dice.random(), "guess", part.said(puzzled), part.said(guess), part)


class _Known:
    """What was told so far, by part: what lasts, the state that holds, and what does not hold any more."""

    def __init__(self) -> None:
        self._lasting: dict[_Part, list[int]] = {}
        self._states: dict[_Part, int] = {}
        self._repeating: dict[int, list[int]] = {}
        self._outdated: set[int] = set()

    def add(self, number: int, plan: _Plan) -> None:
        """Take in what was told in turn *number*."""
        if plan.part is not None and plan.role == "lasting":
            self._lasting.setdefault(plan.part, []).append(number)
        if plan.part is not None and plan.role == "state":
            if plan.part in self._states:
                self._outdated.add(self._states[plan.part])
            self._states[plan.part] = number

    def repeat(self, number: int, told: int) -> None:
        """Take in that the bot's words in turn *number* repeat what was told in another."""
        self._repeating.setdefault(told, []).append(number)

    def holds(self, parts: Sequence[_Part]) -> list[int]:
        """What was told of *parts* and still holds."""
        lasting = [number for part in parts for number in self._lasting.get(part, ())]
        return lasting + [self._states[part] for part in parts if part in self._states]

    def with_repeats(self, numbers: Sequence[int]) -> frozenset[int]:
        """*numbers*, and the turns in which the bot repeated them."""
        return frozenset(numbers).union(*(self._repeating.get(number, ()) for number in numbers))

    @property
    def outdated(self) -> frozenset[int]:
        """All that does not hold any more."""
        return self.with_repeats(tuple(self._outdated))


def _lived(plans: Sequence[_Plan], parts: Sequence[_Part], dice: random.Random) -> Iterator[LifeTurn]:
    """*plans* as turns; what a question is about, and what answers it, follows from what was told before."""
    known, said = _Known(), dict[int, str]()
    subjects = list(dict.fromkeys(part.subject for part in parts))
    weights = [1 / rank for rank in range(1, len(subjects) + 1)]
    for number, plan in enumerate(plans, start=1):
        at = _BEGINS + timedelta(days=_DAYS * plan.place)
        if plan.role != "question":
            known.add(number, plan)
            said[number] = plan.user
            yield LifeTurn(number, at, plan.role, plan.user, plan.bot)
            continue
        subject = dice.choices(subjects, weights)[0]
        of_subject = [part for part in parts if part.subject == subject]
        part, is_narrow = dice.choice(of_subject), dice.random() < _NARROW
        question = part.said(dice.choice(_listed(_NARROW_QUESTIONS if is_narrow else _BROAD_QUESTIONS)))
        holding = known.holds([part] if is_narrow else of_subject)
        useful, outdated = known.with_repeats(holding), known.outdated
        repeated = dice.choice(holding) if holding and dice.random() < _REPEATED else None
        if repeated is None:
            answer = dice.choice(_listed(_THANKS))
        else:
            known.repeat(number, repeated)
            answer = f"As far as I know: {said[repeated]}"
        yield LifeTurn(number, at, "question", question, answer, is_narrow, useful, outdated, repeated)


def _parts() -> tuple[_Part, ...]:
    parts, subject = [], ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        name, *lines = line.split("|")
        if lines:
            parts.append(_Part(subject, name, tuple(lines)))
        else:
            subject = name
    return tuple(parts)


def _listed(table: str) -> list[str]:
    return [entry.strip() for line in table.splitlines() for entry in line.split("|")]
