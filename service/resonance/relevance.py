"""
Phase 3's gate: is anything stored that is meant at all? If not, silence. Pure.

A calibrated probability over five features, measured on LoCoMo at 15 to 2,400 turns (see tests/benchmarks/README.md):
how near the nearest turn is, how much of what the message is about stands in or around the best turns and how much
does not, how many turns there are to be near by chance, and whether it names somebody never heard of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DEPTH = 5
_BIAS, _COSINE, _FOUND, _MISSED, _SIZE, _UNKNOWN = 4.95, 10.9, 1.5, -1.0, -2.6, -1.75
_TYPICAL_COSINE = 0.45  # what stands in for the nearest cosine where vectors say nothing comparable
_FEWEST_TURNS, _MOST_TURNS = 15, 20_000  # outside, the growth of chance cosines was not measured
_NEAR = 0.3  # the cosine from which a turn without a word in common may be meant
# Words that open, close and oil a conversation, and those that only join others: they say nothing of what it is about.
_PHATIC = frozenset(
    """
    absolutely again agree ah alright amazing any anything anyway awesome afternoon back bit bye can care cheers
    congrats congratulations continue cool could course day definitely didn didnt doesn doesnt don dont done enjoy
    evening everything exactly excellent fine forget fun get glad go going good goodbye goodnight got great guess haha
    hahaha happy hello help helpful helps here hey hi hiya hmm hold hope huh idea indeed interesting just kind know
    later let lets like ll lol lot love luck make makes may maybe mean might mind minute moment more morning must need
    never nevermind nice night no nope not now oh ok okay one perfect please problem re really right said say second
    see sense shall should so some something soon sorry sound sounds start stop sure talk tell than thank thanks then
    there thing things think thx time today tomorrow tonight too true try ugh uh um ve very wait want week weekend
    welcome well would worries worry wow wrong yeah yep yes yup im ill ive id youre youve youll thats whats hes shes
    theyre theres heres whos hows wheres lets arent cant couldnt hadnt hasnt havent isnt shouldnt wasnt werent wont
    wouldnt monday tuesday wednesday thursday friday saturday sunday mondays fridays saturdays sundays
    about above across after against along already also although always among around away because before behind below
    beside between beyond both down during each either else enough ever every few further here inside instead into
    less much most near off often once only onto other others out outside over own per quite rather same since still
    such through throughout together toward towards under unless until unto up upon us via whether while whom within
    without yet
    """.split()
)


@dataclass(frozen=True, slots=True)
class About:
    """What a message is about: its content stems with how rare each is, and whether anything else anchors it."""

    stems: Mapping[str, float]
    is_anchored: bool
    has_unknown_name: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """One of the best turns against the message: its own cosine, None without vectors; the stems around it."""

    cosine: float | None
    words: frozenset[str]


def telling(words: Mapping[str, str], *, rarity: Callable[[str], float]) -> dict[str, float]:
    """Stem → rarity of the content words (word → stem) that are neither small talk nor numbers."""
    return {
        stem: rarity(word)
        for word, stem in words.items()
        if not (word in _PHATIC or word.isdigit() or (len(word) == 1 and word.isascii()))
    }


def probability(about: About, best: Sequence[Evidence], *, turns: int) -> float:
    """How likely something stored is meant, in 0…1; *best* are the first turns of the ranking, best first."""
    if not best or (not about.stems and not about.is_anchored):
        return 0.0
    mass = sum(about.stems.values())
    found = max(sum(weight for stem, weight in about.stems.items() if stem in one.words) for one in best[:DEPTH])
    cosines = [one.cosine for one in best[:DEPTH] if one.cosine is not None]
    odds = (
        _BIAS
        + _COSINE * (max(cosines) if cosines else _TYPICAL_COSINE)
        + _FOUND * math.log1p(found)
        + _MISSED * math.log1p(max(mass - found, 0.0))
        + _SIZE * math.sqrt(2 * math.log1p(min(max(turns, _FEWEST_TURNS), _MOST_TURNS)))
        + _UNKNOWN * about.has_unknown_name
    )
    return 1 / (1 + math.exp(-odds))


def is_meant(about: About, evidence: Evidence) -> bool:
    """Whether one turn may be meant at all: it or its neighbours hold a telling word, or it is near."""
    if not about.stems:
        return True
    is_near = evidence.cosine is not None and evidence.cosine >= _NEAR
    return is_near or any(stem in evidence.words for stem in about.stems)
