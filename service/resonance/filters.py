"""
Phase 3: what may surface. Horizon, echo, item cut, near-duplicates, spread over days, limit, order. Pure.

Each filter says what it dropped and why; the trace keeps it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from datetime import date, tzinfo

    from service.resonance.ledger import Echoes
    from service.resonance.moment import Fragment

KEEP_SHARE = 0.6  # of the first's score: measured to let go of a fifth of five, and of 4 % of the evidence
_SAME_WORDS = 0.8
_DAY_SHARE = 0.6
_NO_WORDS = frozenset({""})
_LOOKED_AT = 8  # times the limit: so many different fragments are enough to choose from
_KINDS = {"fact": 0, "entity": 1, "episode": 1, "journal": 1}


@dataclass(frozen=True, slots=True)
class Filtered:
    """The fragments that are left, and for each that is not, by which filter."""

    kept: tuple[Fragment, ...]
    dropped: dict[str, str] = field(default_factory=dict)

    def without(self, reasons: dict[str, str]) -> Filtered:
        """The same without the fragments named in *reasons*."""
        kept = tuple(fragment for fragment in self.kept if fragment.id not in reasons)
        return Filtered(kept, {**self.dropped, **reasons})


def unseen(fragments: Sequence[Fragment], *, is_hidden: Callable[[Fragment], bool], echoes: Echoes) -> Filtered:
    """*fragments* (best first) without what is still in sight (*is_hidden*) or was shown lately."""
    sifted = Filtered(tuple(fragments))
    sifted = sifted.without({one.id: "horizon: still in sight" for one in sifted.kept if is_hidden(one)})
    return sifted.without({one.id: "echo: shown lately" for one in sifted.kept if is_echo(one, echoes)})


def chosen(sifted: Filtered, *, is_gated: bool, limit: int, timezone: tzinfo) -> Filtered:
    """The few that surface, in their order; *is_gated* lets go of what scores far below the first."""
    if is_gated and sifted.kept:
        least = KEEP_SHARE * sifted.kept[0].score
        sifted = sifted.without({one.id: "relevance: far below the first" for one in sifted.kept if one.score < least})
    sifted = sifted.without(_near_duplicates(sifted.kept, enough=_LOOKED_AT * limit))
    ids = {one.id for one in _spread(sifted.kept, limit=limit, timezone=timezone)}
    sifted = sifted.without({one.id: "limit" for one in sifted.kept if one.id not in ids})
    return Filtered(tuple(sorted(sifted.kept, key=_order)), sifted.dropped)


def is_echo(fragment: Fragment, echoes: Echoes) -> bool:
    """Whether *fragment*, or all that it rests on, is among what was shown."""
    return fragment.id in echoes.fragments or (bool(fragment.sequences) and fragment.sequences <= echoes.sequences)


def _near_duplicates(fragments: Sequence[Fragment], *, enough: int) -> dict[str, str]:
    """Those that say what one above them says, until *enough* that do not are found: the limit takes no more."""
    said = [frozenset(tokens(fragment.text)) or _NO_WORDS for fragment in fragments]
    common = Counter(word for words in said for word in words)
    holding: dict[str, list[frozenset[str]]] = {}
    reasons = {}
    kept = 0
    for fragment, words in zip(fragments, said, strict=True):
        if kept >= enough:
            break
        # What says the same lacks but a share of the words: of any few more than that it has one. The rarest tell more.
        some = sorted(words, key=common.__getitem__)[: len(words) - int(len(words) * _SAME_WORDS) + 1]
        alike = (other for word in some for other in holding.get(word, ()))
        if _is_sum(fragment, words, holding) or any(_says_the_same(words, other) for other in alike):
            reasons[fragment.id] = "near-duplicate"
            continue
        kept += 1
        for word in words:
            holding.setdefault(word, []).append(words)
    return reasons


def _is_sum(fragment: Fragment, words: frozenset[str], above: Container[str]) -> bool:
    """Whether what is known of an entity was already said, piece by piece, by the words of what ranks above it."""
    return fragment.kind == "entity" and sum(word in above for word in words) >= _SAME_WORDS * len(words)


def _says_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether all but a few of the words of both are shared."""
    mine, theirs = len(one), len(other)
    if mine < _SAME_WORDS * theirs or theirs < _SAME_WORDS * mine:
        return False
    shared = len(one & other)
    return shared >= _SAME_WORDS * (mine + theirs - shared)


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


def _order(fragment: Fragment) -> tuple[bool, int, float]:
    """What names somebody of the message first, then facts, then the rest, each by score."""
    return (not fragment.is_boosted, _KINDS[fragment.kind], -fragment.score)
