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
UNNAMED = ""  # the key of whoever speaks without a name where others have one


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


def is_group(mind: Mind, put_right: PutRight) -> bool:
    """Whether several people with names speak in *mind*. It reads the transcript: call it in a worker thread."""
    return len({put_right.person(one) for one in people_in(mind).values()}) > 1


def tellers_of(
    messages: Sequence[Message], sequences: Collection[int], put_right: PutRight, *, in_group: bool = False
) -> Tellers:
    """
    Who told *messages*, which are of these turns; by the names that people gave them since.

    In a group, whoever speaks without a name is a person of their own, ``UNNAMED``; else they may be anybody.
    """
    said = [one for one in messages if one.role is Speaker.USER and (one.known_as or in_group)]
    if not said:
        return NOBODY
    people = frozenset(put_right.person(one.known_as, sequences) if one.known_as else UNNAMED for one in said)
    called = people.union(*(put_right.standing.keys_of(one) for one in people)) - {UNNAMED}
    quoted = tuple(filter(None, (both_ends(quoted_lines(one.content)) for one in said)))
    return Tellers(people, called, tuple(both_ends(own_lines(one.content)) for one in said), quoted)


def tellers_in[Key](
    told: Mapping[Key, tuple[Sequence[Message], Collection[int]]], mind: Mind, put_right: PutRight, *, asker: str
) -> dict[Key, Tellers]:
    """
    The same for messages of *mind*, each with their turns, by the keys of *told*; it may read the transcript.

    Whoever asks without a name may be anybody of those who speak without one.
    """
    names = {bool(one.known_as) for messages, _ in told.values() for one in messages if one.role is Speaker.USER}
    in_group = bool(asker) and False in names and is_group(mind, put_right)
    return {key: tellers_of(*of, put_right, in_group=in_group) for key, of in told.items()}


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
    Those of *names*, of all who speak, whom a query calls by their given name: all who have it, of each person a name.

    Not where somebody is called by it alone. *known* are the keys of all names that are known in the queries: one may
    be of another with this given name.
    """
    asked = tuple(queries)
    by_given: dict[str, list[str]] = {}
    for name in sorted(names):
        by_given.setdefault(name_key(given_name(name) or name), []).append(name)
    found = set[str]()
    for given, bearers in by_given.items():
        people: dict[str, str] = {}
        for one in bearers:
            people.setdefault(put_right.person(one), one)
        keys = {name_key(one) for one in bearers}
        if len(people) > 1 and given in keys:
            continue
        if any(one.startswith(f"{given} ") and one not in keys for one in known):
            continue
        found |= {one for one in people.values() if any(says_given_name(query, one) for query in asked)}
    return frozenset(found)


def about_whom(*, asker: str, named: Collection[str], speaks_of_oneself: bool) -> frozenset[str]:
    """
    The name of the person whom a query is about, or the names of all whom its one given name may mean; possibly none.

    It is who is *named* in it, of those who speak, or the *asker*, where it speaks of oneself. Where who asks has no
    name, nobody is known to be another.
    """
    if not asker or len({name_key(given_name(one) or one) for one in named}) > 1:
        return frozenset()
    return frozenset(named) or frozenset({asker} if speaks_of_oneself else ())


def about_in(query: str, moment: Moment, people: Iterable[str]) -> frozenset[str]:
    """Whom a *query* of a moment is about, as `about_whom` has it; *people* are the names of those who speak."""
    return about_whom(
        asker=asker_of(moment),
        named=meant_in(query, people),
        speaks_of_oneself=speaks_of_oneself(moment.message, language=moment.language),
    )


def called(name: str, put_right: PutRight) -> frozenset[str]:
    """How somebody may be written: *name* in small letters, and the keys of all their names."""
    return put_right.standing.keys_of(name) - {""} | {name.casefold()}


def turns_of(
    people: Collection[str], traits: Mapping[int, Traits], put_right: PutRight
) -> tuple[frozenset[int], frozenset[int]]:
    """The turns in which one of *people* speaks, and those in which only others with a name do; by the names of now."""
    every = {one for found in traits.values() for one in found.speakers if name_key(one) not in ROLES}
    now = {one: put_right.person(one) for one in every}

    def spoken_by(sequence: int, speakers: Sequence[str]) -> set[str]:
        named = every.intersection(speakers)
        if put_right.standing.splits:
            return {put_right.person(one, (sequence,)) for one in named}
        return {now[one] for one in named}

    meant = {put_right.person(one) for one in people}
    speakers = {sequence: spoken_by(sequence, found.speakers) for sequence, found in traits.items()}
    own = frozenset(sequence for sequence, names in speakers.items() if not meant.isdisjoint(names))
    return own, frozenset(sequence for sequence, names in speakers.items() if names) - own


def unnamed_turns(traits: Mapping[int, Traits]) -> frozenset[int]:
    """The turns in which somebody speaks without a name, and nobody with one."""
    return frozenset(
        sequence
        for sequence, found in traits.items()
        if Speaker.USER in found.speakers and ROLES.issuperset(map(name_key, found.speakers))
    )


def told_by_others(
    mind: Mind, query: str, *, asker: str, names: Collection[str], sequences: frozenset[int], put_right: PutRight
) -> tuple[frozenset[str], frozenset[int]]:
    """Whom *query*, with these *names* of people, is about, as far as known, and in which turns only others speak."""
    about = about_whom(
        asker=asker,
        named=meant_in(query, names),
        speaks_of_oneself=speaks_of_oneself(query, language=detect(query)),
    )
    if not about:
        return about, frozenset()
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
