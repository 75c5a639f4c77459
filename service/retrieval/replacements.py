"""
Whether a newer memory tells the very thing that a question asks for anew: another boss, another dose, another home.

How near two memories are says much of the same thing, but not all: "Mein Chef heißt Peter" and "Meine neue Chefin heißt
Nora" are not near enough. Here, their words make it sure.
"""

from __future__ import annotations

import re

from consolidation.text.concepts import concepts
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.relations import REPLACED, relations_asked, relations_named, relations_told
from consolidation.text.subjectless import subject_words
from service.retrieval.answer_types import answer_types, held_types

_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")


def tells_anew(newer: str, older: str, *, question: str, language: str) -> bool:
    """Whether *newer* has another name, number or home than *older* for what *question* asks, in its *language*."""
    ways = (_names_another, _counts_anew, _has_moved)
    return any(is_so(newer, older, question, language) for is_so in ways)


def _names_another(newer: str, older: str, question: str, language: str) -> bool:
    """Whether both say whom one has, of whom one has one alone, and not the same."""
    asked = relations_asked(question, language=language) & REPLACED
    if not asked:
        return False
    now, before = (
        {one.relation: one.name for one in relations_told(text, language=language) if one.how == "called"}
        for text in (newer, older)
    )
    return any(one in now and one in before and now[one].casefold() != before[one].casefold() for one in asked)


def _counts_anew(newer: str, older: str, question: str, language: str) -> bool:
    """Whether *newer* has each word of the question that *older* has, and another number."""
    if "number" not in answer_types(question, language=language):
        return False
    asked, now, before = (_subjects(text, language) for text in (question, newer, older))
    shared = asked & before
    if not shared or not shared <= now:
        return False
    counted, counted_before = (frozenset(_NUMBERS.findall(text)) for text in (newer, older))
    return bool(counted and counted_before) and counted != counted_before


def _has_moved(newer: str, older: str, question: str, language: str) -> bool:
    """Whether the writer, who is asked where they live and said it, has moved to a place."""
    if "home" not in concepts(question, language=language) or not speaks_of_oneself(question, language=language):
        return False
    if relations_named(f"{question}\n{newer}", language=language):  # my brother's home, or his move
        return False
    now, before = concepts(newer, language=language), concepts(older, language=language)
    if not ("moving_house" in now and before & {"home", "moving_house"}):
        return False
    held = (held_types(text, language=language) & {"place", "name"} for text in (newer, older))
    return all(held) and speaks_of_oneself(newer, language=language)


def _subjects(text: str, language: str) -> frozenset[str]:
    return frozenset(subject_words(text, language=language).values())
