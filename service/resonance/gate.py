"""Phase 3's gate with its questions to the world: how sure is it that something left is meant by the message?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.kernel.words import content_words, stems
from service.recall.dates import date_hint, without_dates
from service.resonance.queries import named_in, proper_nouns, without_names
from service.resonance.relevance import DEPTH, About, Evidence, is_meant, probability, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from consolidation.kernel.turns import Kept
    from service.minds import Mind
    from service.resonance.moment import Fragment, Moment
    from service.resonance.notes import NoteEvidence
    from service.resonance.retrieval import Found


@dataclass(frozen=True, slots=True)
class Candidates:
    """
    All that was found for a moment: fragments best first, the turns they rest on, and what each query found.

    *notes* is what speaks for each fragment of the journal, which has so many *chunks*.
    """

    fragments: tuple[Fragment, ...] = ()
    turns: Mapping[int, Kept] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    people: frozenset[str] = frozenset()
    notes: Mapping[str, NoteEvidence] = field(default_factory=dict)
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Weighed:
    """How likely, in 0…1, something that is left is meant; and the fragments that are not, with the reason."""

    sureness: float
    stray: Mapping[str, str]


class Gate:
    """Weighs the best of what is left against what the message is about."""

    def __init__(self, *, rarity: Callable[[str], float], are_cosines_calibrated: bool) -> None:
        """*rarity* weighs a word; cosines of an embedder that was not measured are not used."""
        self._rarity = rarity
        self._are_cosines_calibrated = are_cosines_calibrated

    def weigh(self, mind: Mind, moment: Moment, candidates: Candidates, kept: Sequence[Fragment]) -> Weighed:
        """How sure it is that something of *kept* is meant by any of the queries, and what can not be. Blocks."""
        rests = {fragment.id: max(fragment.sequences) for fragment in kept if fragment.sequences}
        asked = [(one, self._about(mind, moment, one.query, candidates)) for one in candidates.found]
        wanted = {stem for _, about in asked for stem in about.stems}
        around = mind.text.holding_around(tuple(set(rests.values())), wanted)
        notes = {one.id: candidates.notes[one.id] for one in kept if one.id in candidates.notes}
        weighable = rests.keys() | notes.keys()
        best = [fragment.id for fragment in kept[:DEPTH] if fragment.id in weighable]
        size = len(mind.transcript.positions) + candidates.chunks
        sure, meant = 0.0, set()
        for one, about in asked:
            cosines = one.cosines if self._are_cosines_calibrated else {}
            farthest = min(cosines.values(), default=None)  # what is not among the nearest is at most this near
            evidence = {
                key: Evidence(cosines.get(at, farthest), around.get(at, frozenset())) for key, at in rests.items()
            }
            for key, note in notes.items():
                near = note.cosines.get(one.query) if self._are_cosines_calibrated else None
                evidence[key] = Evidence(near, note.stems)
            sure = max(sure, probability(about, [evidence[key] for key in best], turns=size))
            meant |= {key for key, found in evidence.items() if is_meant(about, found)}
        stray = {key: "relevance: not a word in common" for key in weighable if key not in meant}
        return Weighed(sure, stray)

    def _about(self, mind: Mind, moment: Moment, query: str, candidates: Candidates) -> About:
        language, people = moment.language, candidates.people
        bare = without_dates(without_names(query, people))
        weights = telling(content_words(bare, language=language), rarity=self._rarity)
        proper = [stem for name in proper_nouns(bare, language=language) for stem in stems(name, language=language)]
        known = mind.text.holding(proper)
        noted = frozenset[str]().union(*(note.stems for note in candidates.notes.values()))
        is_anchored = bool(named_in(query, people)) or date_hint(query) is not None
        return About(weights, is_anchored, any(known[stem] == 0 and stem not in noted for stem in proper))
