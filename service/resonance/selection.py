"""
Near the end of phase 3: which few of the fragments that are left surface.

Too weak a score, an observation beside its turn, near-duplicates, the limit with its spread over days. Each step
names what it drops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from service.retrieval.lead_words import told_words
from service.retrieval.tellers import people_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from datetime import date, tzinfo

    from service.retrieval.moment import Fragment

LEAST_SHARE = 0.3  # of the first's score: measured to drop a fifth of five, and 4 % of the evidence
_SAME_WORDS = 0.8
_DENSER = 0.5  # of the score of a turn, from which an observation that rests on it is shown in its place
_PINNED = 0.8  # of the best score, from which one memory that a person pinned surfaces whatever fits better
_FEWEST_SHOWN, _TURNS_A_MEMORY = 3, 60
_NO_FACTORS: MappingProxyType[str, float] = MappingProxyType({})
_DAY_SHARE = 0.8
_MOST_LETTERS = 2_400  # of what a model judges besides what would surface
_NO_WORDS = frozenset({""})
_LOOKED_AT = 8  # times the limit: so many different fragments are enough to choose from


class _Said(NamedTuple):
    """The words of a memory, and the people with a name who told it."""

    words: frozenset[str]
    people: frozenset[str]


@dataclass(frozen=True, slots=True)
class Filtered:
    """The fragments that are left, best first, and the reason for each that was dropped, by id."""

    fragments: tuple[Fragment, ...]
    dropped: Mapping[str, str] = field(default_factory=dict)

    def without(self, reasons: Mapping[str, str]) -> Filtered:
        """The same without the fragments named in *reasons*."""
        left = tuple(fragment for fragment in self.fragments if fragment.id not in reasons)
        return Filtered(left, {**self.dropped, **reasons})


def select(
    filtered: Filtered,
    *,
    drops_weak: bool,
    limit: int,
    timezone: tzinfo,
    factors: Mapping[str, float] = _NO_FACTORS,
    best: float | None = None,
) -> Filtered:
    """
    The few that surface, best first; *drops_weak* drops what scores far below the first, or below *best*.

    *best* is the highest score of all that was found, dropped or not: what is far below it is not meant.

    *factors* multiply the scores of what outcomes were reported of, by id: they change the order of what is strong
    enough by itself.
    """
    if drops_weak and filtered.fragments:
        least = LEAST_SHARE * (filtered.fragments[0].score if best is None else best)
        weak = {one.id: "relevance: far below the first" for one in filtered.fragments if one.score < least}
        filtered = filtered.without(weak)
    if factors:
        weighed = (replace(one, score=one.score * factors.get(one.id, 1.0)) for one in filtered.fragments)
        filtered = Filtered(tuple(sorted(weighed, key=lambda one: -one.score)), filtered.dropped)
    filtered = _one_a_source(filtered)
    filtered = filtered.without(_near_duplicates(filtered.fragments, enough=_LOOKED_AT * limit))
    ids = {one.id for one in _spread(_pinned_first(filtered.fragments), limit=limit, timezone=timezone)}
    return filtered.without({one.id: "limit" for one in filtered.fragments if one.id not in ids})


def next_best(fragments: Sequence[Fragment], chosen: Sequence[Fragment], *, most: int) -> tuple[Fragment, ...]:
    """
    At most *most* of *fragments* (best first) that say something else than those *chosen*, and than one another.

    Of long ones fewer: a model reads them while somebody waits.
    """
    if most <= 0:
        return ()
    ids = {one.id for one in chosen}
    told: dict[bool, set[int]] = {True: set(), False: set()}  # turns, by whether an observation tells of them
    left: list[Fragment] = []
    for fragment in (*chosen, *(one for one in fragments if one.id not in ids)):
        is_observed = fragment.kind == "observation"
        if fragment.id in ids or told[not is_observed].isdisjoint(fragment.sequences):
            told[is_observed] |= fragment.sequences
            left.append(fragment)
        if len(left) == len(chosen) + _LOOKED_AT * most:
            break
    alike = _near_duplicates(left, enough=len(chosen) + most)
    others = [one for one in left if one.id not in ids and one.id not in alike][:most]
    letters = accumulate(len(one.text) for one in others)
    return tuple(one for one, read in zip(others, letters, strict=True) if read <= _MOST_LETTERS)


def most_shown(limit: int, *, turns: int, is_unlimited: bool) -> int:
    """How many of at most *limit* may surface: of a mind of few turns, few turns are on one subject."""
    if is_unlimited:
        return limit
    return min(limit, max(_FEWEST_SHOWN, turns // _TURNS_A_MEMORY))


def _one_a_source(filtered: Filtered) -> Filtered:
    """
    *filtered* with either an observation or a turn that it rests on, whichever says more of what is meant.

    The observation does: it is one dense sentence, and what a dream made of the turn. It takes the turn's score, too.
    Only where it fits less than half as well, it is about something else in that turn, and the turn is shown.
    """
    if not any(one.kind == "observation" for one in filtered.fragments):
        return Filtered(tuple(sorted(filtered.fragments, key=lambda one: -one.score)), filtered.dropped)
    scores = {one.id: one.score for one in filtered.fragments}
    shown: list[Fragment] = []
    reasons = {}
    for one in sorted(filtered.fragments, key=_claim):
        rival = next((other for other in shown if _rests_on(one, other) or _rests_on(other, one)), None)
        if rival is None:
            shown.append(one)
            continue
        is_observed = one.kind == "observation"
        reasons[one.id] = "near-duplicate: its turn is shown" if is_observed else "near-duplicate: observed"
        scores[rival.id] = max(scores[rival.id], one.score)
    raised = (replace(one, score=scores[one.id]) for one in filtered.fragments if one.id not in reasons)
    return Filtered(tuple(sorted(raised, key=lambda one: -one.score)), {**filtered.dropped, **reasons})


def _claim(fragment: Fragment) -> tuple[float, bool]:
    """Where a fragment stands among those that rest on its turns; an observation is before a turn that is as good."""
    is_observed = fragment.kind == "observation"
    return -fragment.score / (_DENSER if is_observed else 1), not is_observed


def _rests_on(observation: Fragment, turn: Fragment) -> bool:
    is_pair = observation.kind == "observation" and turn.kind in {"fact", "episode"}
    return is_pair and not observation.sequences.isdisjoint(turn.sequences)


def _near_duplicates(fragments: Sequence[Fragment], *, enough: int) -> dict[str, str]:
    """Those that say what one above them says, until *enough* that do not are found: the limit takes no more."""
    holders: dict[str, list[_Said]] = {}  # the wordings that stay, by each of their words
    reasons = {}
    different = 0
    for fragment in fragments:
        if different >= enough:
            break
        said = _Said(told_words(fragment.text) or _NO_WORDS, people_of(fragment.said))
        words = said.words
        # What says the same lacks at most a share of these words. So it has one of any few more than that: the rarest.
        held = sorted([holders.get(word, ()) for word in words], key=len)
        alike = (other for others in held[: len(words) - int(len(words) * _SAME_WORDS) + 1] for other in others)
        if fragment.written is not None:  # the one word that is another is why somebody wrote it
            is_said = all(word in holders for word in words)
        else:
            is_said = _is_sum(fragment, words, holders) or any(_says_the_same(said, other) for other in alike)
        if is_said:
            reasons[fragment.id] = "near-duplicate"
            continue
        different += 1
        for word in words:
            holders.setdefault(word, []).append(said)
    return reasons


def _is_sum(fragment: Fragment, words: frozenset[str], above: Container[str]) -> bool:
    """Whether what is known of an entity was already said, piece by piece, by the words of what ranks above it."""
    return fragment.kind == "entity" and sum(word in above for word in words) >= _SAME_WORDS * len(words)


def _says_the_same(one: _Said, other: _Said) -> bool:
    """Whether all but a few of the words of both are shared, and not told by people of other names."""
    if one.people and other.people and one.people.isdisjoint(other.people):
        return False
    mine, theirs = len(one.words), len(other.words)
    if mine < _SAME_WORDS * theirs or theirs < _SAME_WORDS * mine:
        return False
    shared = len(one.words & other.words)
    return shared >= _SAME_WORDS * (mine + theirs - shared)


def _pinned_first(fragments: Sequence[Fragment]) -> tuple[Fragment, ...]:
    """*fragments*, best first, behind the best that a person pinned, where it fits nearly as well as the best."""
    least = _PINNED * max((one.score for one in fragments), default=0.0)
    first = next((one for one in fragments if one.decided.is_pinned and one.score >= least), None)
    return tuple(sorted(fragments, key=lambda one: one is not first))


def _spread(fragments: Sequence[Fragment], *, limit: int, timezone: tzinfo) -> tuple[Fragment, ...]:
    """The best *limit*, but not more than a share of them of one day while another day has something to say."""
    most = max(1, math.ceil(_DAY_SHARE * limit))
    days: dict[date, int] = {}
    first: list[Fragment] = []
    spare: list[Fragment] = []
    for fragment in fragments:
        day = fragment.occurred_at.astimezone(timezone).date()
        days[day] = days.get(day, 0) + 1
        (first if days[day] <= most else spare).append(fragment)
    return tuple([*first[:limit], *spare][:limit])
