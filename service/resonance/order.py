"""
The last step of phase 3: in which order the chosen memories surface.

What holds now leads what it took the place of, and what a person pinned leads everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from service.retrieval.tellers import NOBODY, may_change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from service.retrieval.moment import Fragment
    from service.retrieval.tellers import Tellers

# A newer one leads an older one where its share of that one's score and the cosine of both reach this together: the
# better it fits, and the more like the older one it is, the surer both are about the same. See the lives' README.
_ABOUT_THE_SAME = 1.03
_LEAST_SHARE = 0.4
_LEAST_ANEW = 0.3  # where its words make it sure that it tells the same anew
# The share that is enough where no cosine is known: where both hold a word of the message, and where not.
_SAME_WORDS, _AS_CLOSE = 0.5, 0.7
_AS_A_DENIAL = 0.9  # where the older one says that something was wrong: it was told for this very question
_STEP = 1e-3
_KINDS = {"fact": 0, "entity": 1, "episode": 1, "journal": 1, "observation": 0}


type Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SameSubject:
    """
    What shows that two fragments are on one subject, by their ids.

    ``words`` are what of the message each is about. ``cosines`` are how near each is to each other one, as far as that
    is known. ``denials`` are those that say that something was wrong. ``tellers`` are who told each.

    ``apart`` are pairs of which the first is about another person or thing than the message asks for, and the second
    tells of that; ``may_be_apart`` are also those of which that is only likely. Of ``anew``, the first has another
    name, number or home than the second for what is asked.
    """

    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    cosines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    denials: frozenset[str] = frozenset()
    tellers: Mapping[str, Tellers] = field(default_factory=dict)
    apart: Pairs = frozenset()
    may_be_apart: Pairs = frozenset()
    anew: Pairs = frozenset()

    def holds_now(self, newer: Fragment, older: Fragment) -> bool:
        """
        Whether *newer* says what holds now of what *older* says.

        A change is told in passing, and seldom in the words of the question: "they want 1620 a month". So what is near
        the older one counts, too, though it shares no word with the message.
        """
        tellers = (self.tellers.get(one.id, NOBODY) for one in (newer, older))
        if _last_said(newer) <= _last_said(older) or not may_change(*tellers):
            return False
        pair, share = (newer.id, older.id), newer.score / older.score if older.score else 1.0
        if pair in self.anew and pair not in self.apart:
            return share >= _LEAST_ANEW
        return pair not in self.may_be_apart and share >= max(_LEAST_SHARE, self._needed_share(newer, older))

    def _needed_share(self, newer: Fragment, older: Fragment) -> float:
        """The share of the score of *older* from which *newer* is sure to be on the same."""
        if older.id in self.denials:
            return _AS_A_DENIAL
        cosine = self.cosines.get(older.id, {}).get(newer.id)
        if cosine is not None:
            return _ABOUT_THE_SAME - cosine
        words = self.words.get(newer.id)
        if not words:
            return _AS_CLOSE
        return math.inf if words.isdisjoint(self.words.get(older.id, ())) else _SAME_WORDS


def _last_said(fragment: Fragment) -> datetime:
    """
    When somebody said last that it is so: what a person edits holds from then on, though it was told long before.

    What they wrote of an entity is as old as that, whenever the entity was mentioned.
    """
    if fragment.written is not None:
        return fragment.written.at
    said = fragment.statement
    return fragment.occurred_at if said is None else max(fragment.occurred_at, said.at)


def in_order(fragments: Sequence[Fragment], same: SameSubject | None = None) -> tuple[Fragment, ...]:
    """
    *fragments* as they surface, with scores of at most 1.

    Where *same* is known, what is about another stands behind what is asked for, and what holds now leads.
    """
    scores = {one.id: one.score for one in fragments}
    if same is not None:
        for other in sorted(fragments, key=lambda one: -one.score):
            for asked in fragments:
                is_close = scores[other.id] >= scores[asked.id] >= _LEAST_SHARE * scores[other.id]
                if is_close and (other.id, asked.id) in same.apart:
                    scores[asked.id] = scores[other.id] + _STEP
        for older in sorted(fragments, key=lambda one: -scores[one.id]):
            for newer in fragments:
                if scores[newer.id] <= scores[older.id] and same.holds_now(newer, older):
                    scores[newer.id] = scores[older.id] + _STEP
    scale = max(1.0, *scores.values()) if scores else 1.0
    return tuple(sorted((replace(one, score=round(scores[one.id] / scale, 4)) for one in fragments), key=_order))


def _order(fragment: Fragment) -> tuple[bool, float, int]:
    """
    What a person pinned first, then the best; of what fits as well, facts.

    A name of the message does not lead by itself: a dinner with Ivy would stand above what she may not eat.
    """
    kind = "episode" if fragment.in_place_of else fragment.kind  # an edit stands where its turn would
    return (not fragment.decided.is_pinned, -fragment.score, _KINDS[kind])
