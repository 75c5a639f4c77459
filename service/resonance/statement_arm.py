"""
Phase 2's arm over what people said to put a memory right: facts that no turn told, or that they told otherwise.

Each is compared with the queries by its words and by its meaning. What a person put in the place of something that a
turn told is found by that turn as well, and fits as well as the turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.wording import Wording, stems_of
from consolidation.kernel.turns import Message, Speaker
from consolidation.text.words import tokens
from service.resonance.arms import FragmentEvidence, FragmentHits
from service.retrieval.moment import Fragment
from service.retrieval.put_right import statement_id
from service.retrieval.statements import edits_by_turn, statement_fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.standing import Statement
    from service.ports.embedder import Embedder
    from service.resonance.arms import SearchTerms
    from service.resonance.search_round import SearchRound
    from service.retrieval.fusion import Ranked

_SHARE = 0.8  # of the time there is
_DEPTH = 12  # as of notes: more than may surface
_OTHER_WORDS = 0.8  # of a share: in the message's own words it counts in full, in others that are looked for less


@dataclass(frozen=True, slots=True)
class StatementHits:
    """What each query of a round found: how well each statement fits it, 0…1, and its cosine, by its id."""

    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cosines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class StatementArm:
    """Compares what people said with what is asked."""

    def __init__(self, *, embedder: Embedder) -> None:
        """*embedder* should remember vectors that it made lately."""
        self._embedder = embedder

    async def search(self, search: SearchRound) -> StatementHits:
        """How well each statement fits each query."""
        every = search.names.put_right.standing.statements
        if not every:
            return StatementHits()
        found = await statement_fits(
            search.queries,
            every,
            languages=(search.language,),
            vectors=await search.vectors(),
            embedder=self._embedder,
            seconds=None if search.seconds is None else search.seconds * _SHARE,
        )
        scores, cosines = (dict(zip(search.queries, by, strict=True)) for by in found)
        return StatementHits(scores, cosines)

    async def fragments(self, found: Sequence[StatementHits], terms: SearchTerms) -> FragmentHits:
        """What people said, as facts, and what speaks for each."""
        if not any(hits.scores for hits in found):
            return FragmentHits()
        best: dict[str, float] = {}
        for query, by in ((query, by) for hits in found for query, by in hits.scores.items()):
            trust = terms.queries[query] * (1.0 if query == terms.call.moment.message else _OTHER_WORDS)
            best |= {key: max(best.get(key, 0.0), trust * share) for key, share in by.items()}
        every = terms.put_right.standing.statements
        replaced = _replaced(every, best, terms)
        best |= {key: max(best.get(key, 0.0), *(turn.score for turn in by)) for key, by in replaced.items()}
        fitting = [one for one in every if best.get(one.id, 0.0) > 0]
        statements = sorted(fitting, key=lambda one: -best[one.id])[:_DEPTH]
        told_at = await _told_at(statements, terms)
        put_right = terms.put_right
        tellers = await anyio.to_thread.run_sync(lambda: {one.id: put_right.may_have_told(one) for one in statements})
        names = [frozenset(tokens(name)) for name in terms.named.values()]
        fragments, evidence = [], {}
        for one in statements:
            fragment = _fragment(one, min(best[one.id], 1.0), told_at.get(one.id, one.at), names, terms)
            names_said = tellers[one.id] if one.told_by or not one.teller else ()
            fragment = replace(fragment, said=tuple(Message(Speaker.USER, one.text, name=name) for name in names_said))
            if turns := replaced.get(one.id):
                in_place_of = frozenset(turn.sequence for turn in turns)
                fragment = replace(fragment, arms=turns[0].ranks, in_place_of=in_place_of)
            fragments.append(fragment)
            stems = stems_of(one.text, terms.call.moment.language) | Wording.of(one.text).stems
            cosines = {query: by[one.id] for hits in found for query, by in hits.cosines.items() if one.id in by}
            evidence[fragment.id] = FragmentEvidence(stems, cosines)
        return FragmentHits(tuple(fragments), evidence)


def _replaced(
    statements: Sequence[Statement], fits: Mapping[str, float], terms: SearchTerms
) -> dict[str, tuple[Ranked, ...]]:
    """By the id of each statement: the turns that were found and whose words it stands in place of, best first."""
    positions = terms.call.mind.transcript.positions
    found: dict[str, list[Ranked]] = {}
    for turn_id, one in edits_by_turn(statements, fits).items():
        turn = terms.ranked.get(positions.sequence_of(turn_id) or 0)
        if turn is not None:
            found.setdefault(one.id, []).append(turn)
    return {key: tuple(sorted(turns, key=lambda turn: -turn.score)) for key, turns in found.items()}


async def _told_at(statements: Sequence[Statement], terms: SearchTerms) -> dict[str, datetime]:
    """When what an edit put right was told, by the statement's id: its words are new, what they tell of is not."""
    transcript = terms.call.mind.transcript
    sequences = {one.id: [transcript.positions.sequence_of(turn) for turn in one.turn_ids] for one in statements}
    known = {one for found in sequences.values() for one in found if one is not None}
    turns = {turn.sequence: turn for turn in await transcript.read_many(sorted(known))}
    times = {key: [turns[one].occurred_at for one in found if one in turns] for key, found in sequences.items()}
    return {key: max(found) for key, found in times.items() if found}


def _fragment(
    one: Statement, score: float, told_at: datetime, names: Sequence[frozenset[str]], terms: SearchTerms
) -> Fragment:
    decided = terms.put_right.standing.of_statement(one)
    words = set(tokens(one.text))
    return Fragment(
        id=statement_id(one),
        kind="fact",
        text=terms.put_right.statement_text(one),
        occurred_at=told_at,
        score=round(score, 4),
        sources=(),
        is_boosted=decided.is_pinned or any(name <= words for name in names),
        decided=decided,
        held_back=terms.put_right.standing.reason_against(one),
        statement=one,
    )
