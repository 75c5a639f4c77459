"""
Which of the facts that a model calls untrue a new fact may end.

A small model may name every number that it was shown. So what shares no name with the new fact is not ended by it, an
answer of all numbers counts for what the new fact bears on, and so does one about somebody's health.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.concepts import concepts
from consolidation.text.language import detect
from consolidation.text.relations import is_relation_word
from consolidation.text.words import content_words, is_dense, tokens
from service.ingest.said_names import begin_alike, capitalised, is_speaker
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from service.ingest.extraction_prompts import KnownItem

_SEVERAL = 2
_HEALTH = frozenset("illness pain_injury medicine allergy diet baby_pregnancy mental_health".split())
# What changes together: who moved has another home.
_MATTERS = (
    _HEALTH | {"doctor", "hospital"},
    frozenset("home moving_house rent household".split()),
    frozenset("job boss colleague hiring leaving_job salary".split()),
    frozenset("partner wedding breakup".split()),
    frozenset("appointment schedule deadline".split()),
)


def believable(
    fact: str,
    contradicted: Collection[int],
    *,
    same_pair: Sequence[KnownItem],
    others: Sequence[KnownItem],
    is_one: Callable[[str, str], bool] = lambda *_: False,
) -> tuple[int, ...]:
    """
    The numbers that are *contradicted* and may be: of the known facts between the same two, and of *others*.

    Two facts that share no name may be of one person all the same: *is_one* says so.
    """
    new = _Matter(fact)
    shown = [*same_pair, *others]
    pair = {known.number for known in same_pair}
    texts = {known.number: known.text for known in shown if known.number in contradicted}
    matters = {number: _Matter(text) for number, text in texts.items()}
    is_all = len(shown) >= _SEVERAL and len(matters) == len(shown) and not _are_one(tuple(matters.values()), new)
    return tuple(
        number
        for number, known in matters.items()
        if (number in pair or new.shares_name(known) or (is_one(fact, texts[number]) and new.bears_on(known)))
        and (new.bears_on(known) or not (is_all or known.concepts & _HEALTH))
    )


class _Matter:
    """What a fact is about."""

    def __init__(self, text: str) -> None:
        bare = without_lead(text)
        language = detect(bare)
        words = content_words(bare, language=language)
        self._all = frozenset(tokens(bare))
        self.names = frozenset(word for one in capitalised(bare) for word in tokens(one) if word in words)
        self.stems = frozenset(stem for word, stem in words.items() if word not in self.names and not is_speaker(word))
        self.concepts = concepts(bare, language=language)

    def shares_name(self, other: _Matter) -> bool:
        """Whether both have a name, a word for who speaks or a relation in common, or two words; or this has none."""
        common = self._all & other._all
        if len(self.stems & other.stems) >= _SEVERAL:  # "the seed library" is a name, too
            return True
        if any(is_speaker(word) or is_dense(word) or is_relation_word(word) for word in common):
            return True
        is_nameless = not self.names and not any(map(is_speaker, self._all))
        return is_nameless or any(word == one or begin_alike(word, one) for word in self.names for one in other.names)

    def bears_on(self, other: _Matter) -> bool:
        """Whether both tell of one matter: by a second name, another word, or by what their words mean."""
        if len(self.names & other.names) + any(map(is_speaker, self._all & other._all)) >= _SEVERAL:
            return True
        if self.stems & other.stems or self.concepts & other.concepts:
            return True
        return any(self.concepts & matter and other.concepts & matter for matter in _MATTERS)


def _are_one(matters: Sequence[_Matter], new: _Matter) -> bool:
    """Whether known facts tell of the same thing, whoever else they name."""
    names = [one.names - new.names for one in matters]
    stems = [one.stems | own for one, own in zip(matters, names, strict=True)]
    first, *rest = stems
    return bool(first.intersection(*rest)) or bool(matters[0].concepts.intersection(*(one.concepts for one in matters)))
