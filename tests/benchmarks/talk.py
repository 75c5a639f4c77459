"""A made-up conversation with what it says known in advance: recurring people, places, works; always the same. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_SEED = 20261121
_BEGINS = datetime(2026, 1, 5, 18, 0, tzinfo=UTC)
_PEOPLE = """Marta Keller|Tobias Lindqvist|Aisha Rahman|Pavel Novotny|Ines Carvalho|Declan Murphy|Yuki Tanabe|
Grace Okafor|Henrik Dahl|Sofia Brandt|Luca Moretti|Priya Nair|Jonas Weber|Camille Roux|Omar Haddad|Nadia Petrova|
Felix Osei|Hannah Stern|Mateo Vidal|Ruth Abrams|Viktor Horak|Elena Costa|Samuel Adeyemi|Clara Nyman"""
_CITIES = "Lyon|Porto|Gdansk|Leipzig|Bergen|Turin|Ghent|Valencia|Graz|Malmo|Cork|Brno|Utrecht|Trieste"
_PLACES = """Cafe Aurora|the Harbour Library|Linden Park|the Old Mill|Teatro Verde|Museum Halden|Kino Babylon|
Restaurant Sole|Gym Nordlys|the Botanic Hall"""
_WORKS = """the Bluebird cello suite|The Salt Road|a Kestrel road bike|the Meridian camera|Tidewater|
The Glass Orchard|an Orion telescope|the Fennel cookbook|Northern Lines|the Heron kayak"""
_FIRMS = "Arvento|Northwind Labs|Kolibri Press|Stellwerk|Baltic Freight|Verde Studio|Halcyon Clinic|Pixelmühle"
# What is said, the relation, and the fact as a model would put it: {a} and {b} are people, the others things.
_SAID = (
    ("{a} started at {firm} {when}, in a small team that builds tools for hospitals", "WORKS_AT", "firm"),
    ("{a} moved to {city} {when} with two suitcases and an old cat", "LIVES_IN", "city"),
    ("I met {a} at {place} {when} and we stayed until they closed", "MET_AT", "place"),
    ("{a} lent me {work}, and I have hardly put it down since", "LENT", "work"),
    ("{a} and {b} are planning a trip to {city} as soon as the weather turns", "PLANS_TRIP_TO", "city"),
    ("{a} quit {firm} {when} because the commute ate every evening", "LEFT", "firm"),
    ("{a} gave {work} to {b} as a present and was a little sad to see it go", "GAVE", "work"),
    ("{a} is taking evening classes at {place} together with {b}", "LEARNS_AT", "place"),
)
_ASIDES = """I keep thinking about it.|It was one of those long evenings.|Nobody had expected that, least of all me.|
We laughed about it more than we should have.|I wrote it down so that I would not forget.|It rained all day.|
My knee is almost fine again by now.|There is still a lot to sort out before the weekend."""
_ANSWERS = (
    "That is quite some news about {a}. How did {b} take it, and will you see each other again before the month is out?",
    "I am glad that you told me about {a}. It sounds as if {b} had a hand in it; shall I remind you to ask?",
    "So {a} did it after all! You said once that {b} would be the first to know. What happens next?",
)
_WHEN = "last week|on Tuesday|in the spring|two days ago|at the end of March|yesterday|a month ago"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said, as a careful model would note it."""

    source: str
    relation: str
    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One turn: what the user and the bot say, and what is in it."""

    number: int
    at: datetime
    user: str
    bot: str
    names: tuple[str, ...]
    facts: tuple[Fact, ...]

    @property
    def mark(self) -> str:
        """Words by which this turn is recognised in a prompt."""
        return self.user[:60]


def talks(count: int) -> tuple[Talk, ...]:
    """The first *count* turns, two days apart."""
    dice = random.Random(_SEED)
    return tuple(_talk(number, dice) for number in range(1, count + 1))


def short(name: str) -> str:
    """What a friend is called: the first name of a person, anything else as it is."""
    return name.split()[0] if name in _listed(_PEOPLE) else name


def _talk(number: int, dice: random.Random) -> Talk:
    a, b = dice.sample(_listed(_PEOPLE), 2)
    things = {
        "city": dice.choice(_listed(_CITIES)),
        "place": dice.choice(_listed(_PLACES)),
        "work": dice.choice(_listed(_WORKS)),
        "firm": dice.choice(_listed(_FIRMS)),
    }
    is_familiar = dice.random() < 0.3  # then only the first name is said, and a model has to know who that is
    called = {"a": short(a) if is_familiar else a, "b": b}
    said, facts = [], []
    for form, relation, key in dice.sample(_SAID, 3):
        words = {**called, **things, "when": dice.choice(_listed(_WHEN))}
        text = form.format(**words)
        said.append(f"{text[0].upper()}{text[1:]}.")
        facts.append(Fact(called["a"], relation, things[key], form.format(**words).replace("I met", "Nora met")))
    facts.append(Fact(called["a"], "KNOWS", b, f"{called['a']} and {b} know each other"))
    asides = dice.sample(_listed(_ASIDES), 2)
    user = f"Entry {number}: {said[0]} {asides[0]} {said[1]} {said[2]} {asides[1]}"
    bot = dice.choice(_ANSWERS).format(a=called["a"], b=short(b))
    names = ("Nora", called["a"], b, *dict.fromkeys(fact.target for fact in facts[:3]))
    return Talk(number, _BEGINS + timedelta(days=2 * number), user, bot, names, tuple(facts))


def _listed(table: str) -> list[str]:
    return [entry.strip() for entry in table.split("|")]
