"""
Who tells what, where several people with names speak in one mind.

What one of them says of themselves is not news of another: Ben's "I just moved to Linz" does not say where Ann lives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.corrections.wording import names_any
from consolidation.kernel.turns import Speaker
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.language import detect
from consolidation.text.names import given_name, key_of, name_key
from consolidation.text.quotation import own_lines, quoted_lines
from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import both_ends

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from consolidation.kernel.turns import Message
    from service.index.text_store import Traits
    from service.mind.minds import Mind
    from service.retrieval.moment import Moment
    from service.retrieval.put_right import PutRight

ROLES = frozenset(name_key(role) for role in Speaker)
_TEXTS = 1024
_LATELY = 20  # turns, in which a bot that has a name speaks under it


@dataclass(frozen=True, slots=True)
class Tellers:
    """
    Who told a memory: the keys of the people with a name, as they are called now, and of all their names.

    ``told`` is what they said, without what they quote of others, and without the middle of what is long; ``quoted`` is
    what they quote.
    """

    people: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()

    def name(self, others: Tellers) -> bool:
        """Whether they name one of *others* in what they said."""
        return any(_names(text, key) or says_given_name(text, key) for text in self.told for key in others.called)

    def quote(self, others: Tellers) -> bool:
        """Whether they quote what *others* said."""
        said, quoted = _joined(others.told), _joined(self.quoted)
        return bool(said and quoted) and (said in quoted or quoted in said)

    @property
    def speak_of_themselves(self) -> bool:
        """Whether what they said is of themselves."""
        return any(map(_is_own, self.told))


NOBODY = Tellers()


def people_in(mind: Mind) -> dict[str, str]:
    """The names of the people who speak in *mind*, by their keys; its bot may have one, too, and is left out."""
    known = {key: name for name in sorted(mind.text.speakers()) if (key := name_key(name)) not in ROLES}
    if len(known) <= 1:
        return known
    positions = mind.transcript.positions
    lately = [sequence for sequence, _ in islice(positions.backwards(positions.last), _LATELY)]
    said = [one for turn in mind.transcript.read_now(lately) for one in turn.turn.messages]
    bots = {name_key(one.who) for one in said if one.role is Speaker.ASSISTANT} - people_of(said)
    return {key: name for key, name in known.items() if key not in bots}


def people_of(messages: Iterable[Message]) -> frozenset[str]:
    """The keys of the names of the people who speak in *messages*."""
    return frozenset(key_of(one.known_as) for one in messages if one.role is Speaker.USER and one.known_as)


def tellers_of(messages: Sequence[Message], sequences: Collection[int], put_right: PutRight) -> Tellers:
    """Who told *messages*, which are of these turns; by the names that people gave them since."""
    said = [one for one in messages if one.role is Speaker.USER and one.known_as]
    if not said:
        return NOBODY
    people = frozenset(put_right.person(one.known_as, sequences) for one in said)
    called = people.union(*(put_right.standing.keys_of(one) for one in people))
    quoted = tuple(filter(None, (both_ends(quoted_lines(one.content)) for one in said)))
    return Tellers(people, called, tuple(both_ends(own_lines(one.content)) for one in said), quoted)


def asker_of(moment: Moment) -> str:
    """The name of who asks; "" where they have none, or where an agent at work asks itself."""
    persons = [one for one in moment.messages if one.role is Speaker.USER]
    return persons[-1].known_as if persons and not moment.acts else ""


def meant_in(query: str, names: Iterable[str]) -> frozenset[str]:
    """Those of *names* that *query* says as names: "will" is seldom Will."""
    return frozenset(one for one in names if not _is_word(query, name_key(one)) or _names(query, name_key(one)))


def says_given_name(text: str, name: str) -> bool:
    """Whether *text* calls the bearer of a full name by the first word of it, and names nobody of another surname."""
    given = given_name(name)
    if not given or not _names(text, name_key(given)):
        return False
    behind = re.search(rf"(?<!\w){re.escape(given)} +((?-i:[A-ZÀ-ÖØ-Þ])[\w-]{{0,40}})", text, re.IGNORECASE)
    surname = name.casefold().split()[1]
    return behind is None or detect(text) == "de" or surname.startswith(behind[1].casefold())


def called_by_given_name(
    queries: Iterable[str], names: Collection[str], put_right: PutRight, *, known: Collection[str] = ()
) -> frozenset[str]:
    """
    Those of *names*, of all who speak, whom a query calls by a given name that nobody else of them has.

    *known* are the keys of all names that are known in the queries: one may be of another with this given name.
    """
    asked = tuple(queries)
    by_given: dict[str, list[str]] = {}
    for name in sorted(names):
        by_given.setdefault(name_key(given_name(name) or name), []).append(name)
    found = set[str]()
    for given, bearers in by_given.items():
        if len({put_right.person(one) for one in bearers}) > 1:
            continue
        keys = {name_key(one) for one in bearers}
        if any(one.startswith(f"{given} ") and one not in keys for one in known):
            continue
        found |= {one for one in bearers[:1] if any(says_given_name(query, one) for query in asked)}
    return frozenset(found)


def about_whom(*, asker: str, named: Collection[str], speaks_of_oneself: bool) -> str:
    """
    The name of the person whom a query is about; "" where that is not known.

    It is who is *named* in it, of those who speak, or the *asker*, where it speaks of oneself. Where who asks has no
    name, nobody is known to be another.
    """
    if not asker or len(named) > 1:
        return ""
    return next(iter(named), asker if speaks_of_oneself else "")


def called(name: str, put_right: PutRight) -> frozenset[str]:
    """How somebody may be written: *name* in small letters, and the keys of all their names."""
    return put_right.standing.keys_of(name) - {""} | {name.casefold()}


def turns_of(name: str, traits: Mapping[int, Traits], put_right: PutRight) -> tuple[frozenset[int], frozenset[int]]:
    """In which turns somebody speaks, and in which only others with a name do; by the names of now."""
    every = {one for found in traits.values() for one in found.speakers if name_key(one) not in ROLES}
    now = {one: put_right.person(one) for one in every}

    def people(sequence: int, speakers: Sequence[str]) -> set[str]:
        named = every.intersection(speakers)
        if put_right.standing.splits:
            return {put_right.person(one, (sequence,)) for one in named}
        return {now[one] for one in named}

    person = put_right.person(name)
    speakers = {sequence: people(sequence, found.speakers) for sequence, found in traits.items()}
    own = frozenset(sequence for sequence, names in speakers.items() if person in names)
    return own, frozenset(sequence for sequence, names in speakers.items() if names) - own


def told_by_others(
    mind: Mind, query: str, *, asker: str, names: Collection[str], sequences: frozenset[int], put_right: PutRight
) -> tuple[str, frozenset[int]]:
    """Whom *query*, with these *names* of people, is about ("": not known), and in which turns only others speak."""
    about = about_whom(
        asker=asker,
        named=meant_in(query, names),
        speaks_of_oneself=speaks_of_oneself(query, language=detect(query)),
    )
    if not about:
        return "", frozenset()
    return about, turns_of(about, mind.text.traits(tuple(sequences)), put_right)[1]


def may_change(newer: Tellers, older: Tellers) -> bool:
    """
    Whether what *newer* told may say what holds now of what *older* did.

    Of other people it does where either names the other, or nobody speaks of themselves: where all meet on Friday. Who
    quotes something else, or what another says of themselves, only remarks on it: "How nice, Ben!".
    """
    if not (newer.people and older.people):
        return True
    is_one = not newer.people.isdisjoint(older.people)
    if newer.quoted and not newer.speak_of_themselves:
        return newer.quote(older) and (is_one or not older.speak_of_themselves)
    if is_one:
        return True
    if newer.name(older) or older.name(newer):
        return True
    return not (older.speak_of_themselves or newer.speak_of_themselves)


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


@lru_cache(maxsize=_TEXTS)
def _is_own(text: str) -> bool:
    return speaks_of_oneself(text, language=detect(text))


def _is_word(text: str, key: str) -> bool:
    """Whether a name is a common word of the text's language: "Ben" is one in Turkish."""
    return key in _common_words(detect(text))


@cache
def _common_words(language: str) -> frozenset[str]:
    return frozenset(STOP_WORDS.get(language, "").split())


def _names(text: str, key: str) -> bool:
    """Whether *text* holds a name; one that is a common word, too ("Will"), with a capital that no beginning gives."""
    if _is_word(text, key):
        return re.search(rf"(?<=[\w,;] ){key.capitalize()}(?!\w)|{key.capitalize()}['’]s", text) is not None
    return names_any(text, (key,))
