"""Whom a query means by "my sister", and who Ines is: the same query in other words, which other turns hold."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from consolidation.text.name_forms import forms_of_name
from consolidation.text.names import given_name, name_key
from consolidation.text.relations import SEVERAL, relation_word, relations_asked, with_names
from service.index.text_store import OF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.index.text_index import TextIndex
    from service.index.text_store import Relation


def resolved(query: str, *, text: TextIndex, language: str, speaker: frozenset[str] | None) -> tuple[str, ...]:
    """
    *query* with the names of those whom its writer means by "my sister" or "the dog", and with "sister" for her name.

    The newest name counts. What the writer told comes before what others told ("Bob's sister Clara"), and what is only
    likely comes last. Of relatives of whom there may be several, up to two names count. Nothing is found where nobody
    was told of. *speaker* says how who asks may be written, as `tellers.called`; None where nobody knows.
    Raises IndexUnusable.
    """
    asked, written = relations_asked(query, language=language), _words_of(query)
    every = [one for one, _ in text.relations(asked, names=written)]
    told = [
        one
        for one in every
        if not one.speaker.startswith(OF)
        and (speaker is None or not speaker.isdisjoint((one.speaker, name_key(one.speaker))))
    ]
    told += _told_by_others(every, speaker or frozenset(), text=text, language=language)
    names = _names([one for one in told if one.relation in asked])
    found = [with_names(query, {one: known[0] for one, known in names.items()}, language=language)]
    several = {one: known[1] for one, known in names.items() if len(known) > 1 and one in SEVERAL}
    found.append(with_names(query, several, language=language))
    by_name = (one for one in told if one.name in written and one.relation not in asked and one.how != "denied")
    named = next(by_name, None)
    if named is not None:
        found.append(_by_relation(query, named, language))
    return tuple(one for one in dict.fromkeys(found) if one != query)


def _told_by_others(
    told: Sequence[Relation], speaker: frozenset[str], *, text: TextIndex, language: str
) -> list[Relation]:
    """Those of *told* that others told of the relatives of a *speaker*, by name, or by a given name of theirs alone."""
    of_others = [one for one in told if one.speaker.startswith(OF)]
    if not of_others or not speaker:
        return []
    bearers = Counter(name_key(given_name(name) or name) for name in {one.casefold() for one in text.speakers()})
    given = {name_key(given_name(key) or key) for key in speaker}
    names = speaker | {one for one in given if bearers[one] <= 1}
    languages = (language, *text.languages())
    forms = {form for name in names for code in languages for form in (f"{name}s", *forms_of_name(name, code))}
    return [one for one in of_others if one.speaker.removeprefix(OF) in forms]


def _names(told: Sequence[Relation]) -> dict[str, list[str]]:
    """The names of each relation, once, in the order of *told* (newest first), those that are only likely last."""
    names: dict[str, list[str]] = {}
    denied: set[tuple[str, str]] = set()
    sure = []
    for one in told:
        key = one.relation, one.name.casefold()
        if one.how == "denied":
            denied.add(key)
        elif key not in denied:
            sure.append(one)
    for one in sorted(sure, key=lambda one: one.how == "likely"):
        known = names.setdefault(one.relation, [])
        if one.name.casefold() not in {name.casefold() for name in known}:
            known.append(one.name)
    return names


def _words_of(query: str) -> frozenset[str]:
    """The words of *query* and its pairs of words, as they are written and with a capital: each may be a name."""
    words = re.findall(r"[^\W\d_][\w-]*", query)
    every = (*words, *(" ".join(pair) for pair in pairwise(words)))
    return frozenset(name for one in every for name in (one, one.title()))


def _by_relation(query: str, told: Relation, language: str) -> str:
    """*query* with "sister" in the place of her name: other turns may call her so."""
    word = relation_word(told.relation, language=language)
    return re.sub(rf"(?<!\w){re.escape(told.name)}(?!\w)", word, query, flags=re.IGNORECASE)
