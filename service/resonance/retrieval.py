"""
Phase 2: everything stored that may be meant, best first.

The message's own queries are searched for at once, with those thought of before. The model's join in a second round,
when they come. All rounds are ranked together, and what was found becomes fragments.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread

from consolidation.kernel.turns import Speaker, TurnKind
from consolidation.text.dates import asks_when
from consolidation.text.given_names import small_names
from consolidation.text.names import proper_nouns
from consolidation.text.words import stems, word_count
from service.mind.trace_document import RetrievalTrace
from service.resonance.arms import QueryHits, SearchTerms, Switches
from service.resonance.search_round import KnownNames, SearchRound, known_names
from service.resonance.standing_instructions import applying, with_instructions
from service.resonance.trace_recorder import candidate_trace
from service.resonance.turn_likeness import cosines_between, likeness_to
from service.retrieval.answer_types import answer_types
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import lacks_answer, turn_fragments
from service.retrieval.fusion import ArmHits, Cues, fuse, merged, scaled, with_corrections
from service.retrieval.intent import intent_of
from service.retrieval.periods import period
from service.retrieval.put_right import ANOTHER_SHARE, NOTHING_PUT_RIGHT, put_right_now
from service.retrieval.queries import named_in, people_named_in
from service.retrieval.relatives import resolved
from service.retrieval.successors import MOST_OLDER, with_successors
from service.retrieval.tellers import about_in, called, is_group, meant_in, tellers_of, turns_of, unnamed_turns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, tzinfo

    from consolidation.kernel.turns import StoredTurn
    from service.index.text_index import TextIndex
    from service.index.text_store import Traits
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder
    from service.resonance.arms import FragmentArm, FragmentEvidence
    from service.resonance.call import PreTurnCall
    from service.resonance.seeds import ModelQueries
    from service.resonance.seeds_model import CallSeeds
    from service.resonance.standing_instructions import Applying
    from service.retrieval.fusion import Ranked
    from service.retrieval.moment import Fragment, Moment
    from service.retrieval.periods import Period
    from service.retrieval.put_right import PutRight

_MOST_TURNS = 40  # that are read; each costs as much again as finding it, and what stands behind them seldom surfaces
_SPARE_TURNS = 20  # beside as many as may surface, where that is more: filters leave some out
_SHORT_TURN = 30  # words of a turn that may be but an answer to the one before it
_SHARE = 0.7  # of the time there is
_MESSAGE_TRUST, _MODEL_TRUST, _NAME_TRUST = 1.0, 0.9, 0.5  # in the message's own words, in a model's, in a bare name


@dataclass(frozen=True, slots=True)
class RoundHits:
    """What the queries of one round found; ``beside`` is what each fragment arm did, in their order."""

    queries: tuple[QueryHits, ...] = ()
    names: KnownNames = field(default_factory=KnownNames)
    beside: tuple[Any, ...] = ()
    degraded: tuple[str, ...] = ()


class RankedTurns(NamedTuple):
    """
    The turns of a call, best first; those that were read, and which query found each best, by sequence.

    ``denied`` are those of all that were found that a later turn denies.
    """

    ranking: tuple[Ranked, ...]
    turns: Mapping[int, StoredTurn]
    denied: frozenset[int]
    found_by: Mapping[int, str]


class ToldTurns(NamedTuple):
    """The turns of a call as fragments, best first; they themselves, and which query found each best, by sequence."""

    fragments: tuple[Fragment, ...]
    turns: Mapping[int, StoredTurn]
    found_by: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Candidates:
    """
    All that was found for a moment: fragments best first, the turns they rest on, and what each query found.

    ``people`` are the names of speakers in the queries. ``evidence`` speaks for notes and observations, by id;
    ``searched`` is how many of those there are in the mind. ``denied`` are turns whose answer a person said was wrong;
    ``added`` are the queries that a model added, ``hypotheses`` what it supposes with some of them;
    ``wants_list`` where more than a few answer the message; ``is_present`` where it is about what holds now;
    ``is_asked`` where it asks something about somebody's life.
    ``rounds`` are the searches behind it all. ``instructions`` is why each standing instruction bears on the message,
    by the id of its fragment. ``put_right`` is what people decided.
    """

    fragments: tuple[Fragment, ...] = ()
    turns: Mapping[int, StoredTurn] = field(default_factory=dict)
    queries: tuple[QueryHits, ...] = ()
    people: frozenset[str] = frozenset()
    evidence: Mapping[str, FragmentEvidence] = field(default_factory=dict)
    searched: int = 0
    denied: frozenset[int] = frozenset()
    added: frozenset[str] = frozenset()
    hypotheses: Mapping[str, str] = field(default_factory=dict)
    rounds: tuple[RoundHits, ...] = ()
    names_entities: bool = False
    wants_list: bool = False
    is_present: bool = True
    is_asked: bool = False
    instructions: Mapping[str, str] = field(default_factory=dict)
    put_right: PutRight = NOTHING_PUT_RIGHT


class Retrieval:
    """Asks full text, embedder, graph and journal of one mind."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        switches: Switches,
        fragment_arms: Sequence[FragmentArm[Any]] = (),
    ) -> None:
        self._embedder = embedder
        self._switches = switches
        self._fragment_arms = tuple(fragment_arms)

    async def search(self, call: PreTurnCall, seeds: CallSeeds, *, before: Candidates | None = None) -> Candidates:
        """All that the seeds find, where *before* was found already with some of them. Raises HomeFault."""
        earlier = before.rounds if before is not None else ()
        rounds, terms, queries, found = await self.turns(call, seeds, earlier=earlier)
        put_right, by_model = terms.put_right, seeds.by_model
        is_present = [_is_present(call, hits.query, terms) and not _period(call, hits.query) for hits in queries]
        terms, told, instructing = await anyio.to_thread.run_sync(_told, call, queries, terms, found)
        beside = [
            await arm.fragments([found.beside[at] for found in rounds if found.beside], terms)
            for at, arm in enumerate(self._fragment_arms)
        ]
        fragments = (*told.fragments, *(fragment for found in beside for fragment in found.fragments))
        fragments = with_instructions(fragments, instructing, terms)
        if put_right:
            fragments = await anyio.to_thread.run_sync(_judged, fragments, put_right, call.moment, terms.people)
        best_first = tuple(sorted(fragments, key=lambda one: -one.score))
        hypotheses = {query: supposed for one in by_model for query, supposed in one.hypotheses.items()}
        message = call.moment.message
        intent = intent_of(message, language=call.moment.language, names_known=bool(terms.entities))
        wondered = {sequence for sequence, query in told.found_by.items() if query in hypotheses}
        call.trace.note(
            RetrievalTrace(
                candidates=tuple(map(candidate_trace, best_first)),
                wondered=tuple(one.id for one in best_first if one.sequences & wondered) or None,
            )
        )
        return Candidates(
            best_first,
            {
                **told.turns,
                **{sequence: turn for found in beside for sequence, turn in found.turns.items()},
                **{one.turn.sequence: one.turn for one in instructing if one.turn is not None},
            },
            queries,
            terms.people,
            {key: evidence for found in beside for key, evidence in found.evidence.items()},
            sum(found.searched for found in beside),
            terms.denied,
            added=frozenset(query for one in by_model for query in one.queries),
            hypotheses=hypotheses,
            names_entities=bool(terms.entities),
            is_present=any(is_present),
            rounds=rounds,
            wants_list=intent.wants_list,
            instructions={one.id: one.reason for one in instructing},
            is_asked=intent.is_personal and intent.kind in {"personal question", "request"},
            put_right=put_right,
        )

    async def turns(
        self, call: PreTurnCall, seeds: CallSeeds, *, earlier: tuple[RoundHits, ...] = ()
    ) -> tuple[tuple[RoundHits, ...], SearchTerms, tuple[QueryHits, ...], RankedTurns]:
        """The turns that the seeds find, ranked, where some of them were searched for *earlier*. Raises HomeFault."""
        new, names = await anyio.to_thread.run_sync(_asked, call, seeds.all_queries, earlier)
        rounds = (*earlier, await self._search(call, new, before=earlier, names=names))
        terms = _terms(call, rounds, by_model=seeds.by_model, put_right=names.put_right)
        queries = tuple(hits for found in rounds for hits in found.queries)
        found = await anyio.to_thread.run_sync(self._ranked, call, queries, terms)
        if any(_wants_newest(call, hits.query, terms) for hits in queries):
            questions = _not_of_model(queries, seeds)
            found = await self._with_successors(call, found, questions, terms.put_right)
        return rounds, terms, queries, found

    async def search_round(
        self,
        queries: Sequence[str],
        *,
        mind: Mind,
        language: str,
        now: datetime,
        timezone: tzinfo,
        seconds: float | None,
        names: KnownNames | None = None,
    ) -> RoundHits:
        """
        What *queries* find in every arm, all asked at once, within *seconds* (None: no limit).

        *names* are those in them, where that is known already. Raises HomeFault.
        """
        if not queries:
            return RoundHits()
        if names is None:
            names = await anyio.to_thread.run_sync(known_names, mind.text, tuple(queries), language)
        search = SearchRound(
            queries,
            mind=mind,
            names=names,
            language=language,
            now=now,
            timezone=timezone,
            seconds=seconds,
            embedder=self._embedder,
            switches=self._switches,
        )
        arms = self._switches.arms
        try:
            found = await asyncio.gather(
                *(arm.search(search) for arm in arms), *(arm.search(search) for arm in self._fragment_arms)
            )
            near, facts, replaced = await search.near(), await search.facts(), await search.replaced()
        finally:
            search.close()
        hits = tuple(
            QueryHits(
                query,
                tuple(ArmHits(arm.name, found[row][at], arm.weight, arm.scale) for row, arm in enumerate(arms)),
                {int(one.key): one.own for one in near[at].turns},
                facts[at],
                replaced[at],
            )
            for at, query in enumerate(search.queries)
        )
        return RoundHits(hits, names, tuple(found[len(arms) :]), search.degraded)

    async def _search(
        self, call: PreTurnCall, queries: Sequence[str], *, before: Sequence[RoundHits], names: KnownNames
    ) -> RoundHits:
        moment = call.moment
        found = await self.search_round(
            queries,
            mind=call.mind,
            language=moment.language,
            now=moment.now,
            timezone=moment.timezone,
            seconds=call.deadline.left(share=_SHARE),
            names=names,
        )
        earlier = tuple(hits.query for one in before for hits in one.queries)
        call.trace.note(RetrievalTrace(queries=(*earlier, *queries)))
        call.trace.degrade(*found.degraded)
        return found

    def _ranked(self, call: PreTurnCall, queries: Sequence[QueryHits], terms: SearchTerms) -> RankedTurns:
        """The best turns of all queries."""
        rankings = []
        best: dict[int, tuple[float, str]] = {}
        found = frozenset(sequence for hits in queries for arm in hits.arms for sequence in arm.hits)
        denied = _denied(call.mind.text, found)
        for hits in queries:
            traits = call.mind.text.traits(tuple({sequence for arm in hits.arms for sequence in arm.hits}))
            cues = _cues(call, hits.query, terms)
            ranking = fuse(
                hits.arms,
                cues=_meaning_people(cues, hits.query, call, traits, terms.put_right),
                traits=traits,
                timezone=call.moment.timezone,
                weights=self._switches.weights,
            )
            trust = terms.queries[hits.query]
            for one in ranking:
                best[one.sequence] = max(best.get(one.sequence, (0.0, "")), (trust * one.score, hits.query))
            later = hits.replaced if cues.is_present and cues.period is None else {}
            rankings.append((trust, with_corrections(ranking, {**later, **denied})))
        found_by = {sequence: query for sequence, (_, query) in best.items()}
        first = merged(rankings)[: max(_MOST_TURNS, call.request.max_fragments + _SPARE_TURNS)]
        read = call.mind.transcript.read_now([one.sequence for one in first])
        return RankedTurns(first, {turn.sequence: turn for turn in read}, frozenset(denied), found_by)

    async def _with_successors(
        self, call: PreTurnCall, found: RankedTurns, questions: Sequence[str], put_right: PutRight
    ) -> RankedTurns:
        """*found* with newer turns moved up that are like the best older ones. Raises IndexUnusable."""
        older = [one.sequence for one in found.ranking[:MOST_OLDER] if one.sequence in found.turns]
        if max(found.turns, default=0) <= min(older, default=0):
            return found
        cosines: dict[int, dict[int, float]] = {}
        if self._switches.vectors and self._embedder.is_calibrated:  # else their words are left
            cosines = await cosines_between(call, found.turns, of=older, among=found.turns)
        likeness = await anyio.to_thread.run_sync(likeness_to, call, older, found.turns, cosines, questions, put_right)
        return found._replace(ranking=with_successors(found.ranking, likeness))


def _told(
    call: PreTurnCall, queries: Sequence[QueryHits], terms: SearchTerms, found: RankedTurns
) -> tuple[SearchTerms, ToldTurns, tuple[Applying, ...]]:
    """The best turns of all queries as fragments, *terms* with what telling them needs, and standing instructions."""
    terms = replace(
        terms,
        before=_before(call.mind, tuple(found.turns.values())),
        denied=found.denied,
        ranked={one.sequence: one for one in scaled(found.ranking)},
    )
    moment = call.moment
    fragments = turn_fragments(
        found.ranking,
        turns=found.turns,
        facts={sequence: fact for hits in reversed(queries) for sequence, fact in hits.facts.items()},
        source_of=terms.source_of,
        named=tuple(terms.named.values()),
        wanted=terms.words,
        put_right=terms.put_right,
        is_lacking=lambda fact, said: lacks_answer(fact, of=said, question=moment.message, language=moment.language),
    )
    return terms, ToldTurns(fragments, found.turns, found.found_by), applying(call, terms.put_right)


def _not_of_model(queries: Sequence[QueryHits], seeds: CallSeeds) -> tuple[str, ...]:
    """The message in all the words that it was searched for in, without what a model added."""
    added = {query for one in seeds.by_model for query in one.queries}
    return tuple(hits.query for hits in queries if hits.query not in added)


def _judged(
    fragments: Sequence[Fragment], put_right: PutRight, moment: Moment, people: frozenset[str]
) -> tuple[Fragment, ...]:
    judged = [put_right.weighed(put_right.judged(one), moment.message) for one in fragments]
    about = about_in(moment.message, moment, people)
    return _of_whom_is_asked(judged, frozenset(map(put_right.person, about)), put_right) if about else tuple(judged)


def _of_whom_is_asked(
    fragments: Sequence[Fragment], about: frozenset[str], put_right: PutRight
) -> tuple[Fragment, ...]:
    """
    *fragments*, of which an edit, and what is left of a turn that was edited, count less where others tell there of
    themselves: turns count less as a whole, by all who speak in them. *about* are the keys of whom a message is about.
    """
    tellers = {one.id: tellers_of(one.said, one.sequences, put_right) for one in fragments}
    of_others = {
        key for key, one in tellers.items() if one.people and about.isdisjoint(one.people) and one.speak_of_themselves
    }
    own = frozenset[int]().union(*(one.sequences | one.in_place_of for one in fragments if one.id not in of_others))
    return tuple(
        replace(one, score=round(one.score * ANOTHER_SHARE, 4))
        if one.id in of_others and (one.statement is not None or not own.isdisjoint(one.sequences))
        else one
        for one in fragments
    )


def _asked(
    call: PreTurnCall, queries: Sequence[str], before: Sequence[RoundHits]
) -> tuple[tuple[str, ...], KnownNames]:
    """Those of *queries*, and of their variants, that were not searched for *before*; and the known names in them."""
    put_right = put_right_now(call.mind)
    known = {hits.query for found in before for hits in found.queries}
    persons = [one.who for one in call.moment.messages if one.role is Speaker.USER]
    speaker = called(persons[-1], put_right) if persons else None
    text, language = call.mind.text, call.moment.language
    said = dict.fromkeys(one for query in queries for one in (query, *put_right.variants(query)))
    meant = [one for query in queries for one in resolved(query, text=text, language=language, speaker=speaker)]
    by_relation = [one for one in dict.fromkeys(meant) if one not in said and one not in known]
    new = [one for one in said if one not in known]
    return (*new, *by_relation), known_names(text, new, language, put_right, by_relation=by_relation)


def _denied(text: TextIndex, sequences: frozenset[int]) -> dict[int, int]:
    """Which of *sequences* are denied, and by which turn; and which denials are denied themselves."""
    denied: dict[int, int] = {}
    asked = tuple(sequences)
    while asked:
        more = text.denied_by(asked)
        denied |= more
        asked = tuple(one for one in more.values() if one not in sequences and one not in denied)
    return denied


def _before(mind: Mind, turns: Sequence[StoredTurn]) -> dict[int, StoredTurn]:
    """The turns before those of *turns* that are so short that they may be an answer."""
    positions = mind.transcript.positions
    before = {
        turn.sequence: sequences[-1]
        for turn in turns
        if sum(word_count(message.content) for message in turn.turn.messages) <= _SHORT_TURN
        and (sequences := positions.before_in_session(turn.turn.session_id, turn.sequence, limit=1))
    }
    read = {turn.sequence: turn for turn in mind.transcript.read_now(tuple(before.values()))}
    said = {sequence: turn for sequence, turn in read.items() if turn.turn.kind is not TurnKind.MEMORY}
    return {sequence: said[earlier] for sequence, earlier in before.items() if earlier in said}


def _cues(call: PreTurnCall, query: str, terms: SearchTerms) -> Cues:
    moment = call.moment
    return Cues(
        people_named_in(query, terms.people),
        _period(call, query),
        asks_when(query),
        is_present=_is_present(call, query, terms),
        newest=call.mind.transcript.positions.last,
        names_known=bool(named_in(query, terms.entities.values())) or _names_said(call, query),
        answer_types=answer_types(query, language=moment.language),
        recalls_answer=intent_of(query, language=moment.language, names_known=bool(terms.entities)).recalls_answer,
    )


def _meaning_people(
    cues: Cues, query: str, call: PreTurnCall, traits: Mapping[int, Traits], put_right: PutRight
) -> Cues:
    """*cues* with the turns in which the one speaks whom a query is about, and those in which only others do."""
    about = about_in(query, call.moment, cues.people)
    if not about:
        return cues
    own, others = turns_of(about, traits, put_right)
    unnamed = frozenset[int]() if meant_in(query, cues.people) else unnamed_turns(traits)
    if unnamed and not is_group(call.mind, put_right):
        unnamed = frozenset()
    return replace(cues, own=own, others=others, unnamed=unnamed)


def _period(call: PreTurnCall, query: str) -> Period | None:
    moment = call.moment
    return period(query, today=moment.local_now.date(), language=moment.language, timezone=moment.timezone)


def _names_said(call: PreTurnCall, query: str) -> bool:
    """Whether *query* names something that stands in a turn, though no entity was made of it."""
    language = call.moment.language
    named = (*proper_nouns(query, language=language), *small_names(query))
    proper = [stem for name in named for stem in stems(name, language=language)]
    return any(call.mind.text.turn_counts(proper).values())


def _is_present(call: PreTurnCall, query: str, terms: SearchTerms) -> bool:
    """
    Whether *query* is about what holds now, so that what was said last counts for more.

    A question about what is over is not: "what did the forge cost me". One that asks when it was is: the last word on
    it is the best one.
    """
    intent = intent_of(query, language=call.moment.language, names_known=bool(terms.entities))
    if intent.is_about_now or intent.wants_latest:
        return True
    is_over = intent.is_about_past and not asks_when(query)
    return not (is_over or intent.wants_list or people_named_in(query, terms.people))


def _terms(
    call: PreTurnCall, rounds: Sequence[RoundHits], *, by_model: Sequence[ModelQueries], put_right: PutRight
) -> SearchTerms:
    """What all rounds searched for; a query that is not *by_model* is the message's own."""
    trust = {query: _MODEL_TRUST for one in by_model for query in one.queries}
    trust |= {name: _NAME_TRUST for one in by_model for name in one.names}
    queries = [hits.query for found in rounds for hits in found.queries]
    known = [found.names for found in rounds]
    named = {uuid for names in known for uuid, _ in names.entities if uuid not in names.meant}
    return SearchTerms(
        call,
        {query: trust.get(query, _MESSAGE_TRUST) for query in queries},
        dict(pair for names in known for pair in names.entities),
        frozenset().union(*(names.people for names in known)),
        frozenset(rung for found in rounds for rung in found.degraded),
        query_words(queries),
        put_right=put_right,
        meant=frozenset(uuid for names in known for uuid, _ in names.entities) - named,
    )


def _wants_newest(call: PreTurnCall, query: str, terms: SearchTerms) -> bool:
    """Whether *query* asks what holds now, so that what came of a memory later may answer it."""
    intent = intent_of(query, language=call.moment.language, names_known=bool(terms.entities))
    is_past = (intent.is_about_past or intent.recalls_answer) and not intent.is_about_now
    is_question = intent.kind.endswith("question")
    return is_question and not is_past and _is_present(call, query, terms) and not _period(call, query)
