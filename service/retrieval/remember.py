"""
Recall on purpose: facts, entities, episodes and observations that answer a query.

Each comes with its sources, and facts with the time that they hold for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, Required, TypedDict, Unpack

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.kernel.errors import EmbedderFault, GraphFault, WorkerUnavailable
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.words import stems
from service.index.text_knowledge import instant_of
from service.index.turn_fields import EVERY_TURN
from service.mind.also_read import UNAVAILABLE
from service.mind.foreign_mind import ForeignMind
from service.mind.index_lag import INDEX_BEHIND, until_followed, until_indexed, until_saved
from service.ports.graph import VectorHit, VectorHits
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import as_source
from service.retrieval.fusion import words_and_meaning
from service.retrieval.lead_words import READ_SHARE, is_read
from service.retrieval.mind_of_turns import mind_of_turns
from service.retrieval.put_right import EPISODE, put_right_in, statement_id
from service.retrieval.queries import is_entity, named_in, people_named_in, sanitised
from service.retrieval.relatives import resolved
from service.retrieval.remembered import Remembered, distinct, is_confirmed
from service.retrieval.statements import edits_by_turn, statement_fits
from service.retrieval.tellers import called, called_by_given_name, people_in, told_by_others
from service.retrieval.written import written_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.standing import Statement
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from service.index.turn_fields import TurnFilter
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder, Vector, Vectors
    from service.retrieval.moment import JournalLines, Source
    from service.retrieval.put_right import PutRight
    from service.retrieval.remembered import Kind
    from service.retrieval.time_window import TimeWindow
    from service.retrieval.written import Written

_WITH_ENTITIES: frozenset[Kind] = frozenset({"fact", "entity"})
_TOLD: frozenset[Kind] = frozenset({"fact", "episode"})
_POOL = 100
_INDEXING_SECONDS = 5.0  # for turns that full text lacks
_MENTIONS = 3
# Of what is meant by a query with which it shares no word: in nine lives 66 of 100 wanted turns are as near, and
# 16 of 100 others.
LEAST_COSINE = 0.14


@dataclass(frozen=True, slots=True)
class ObservationHit:
    """An observation that was found: its line (``note``), and the turns that its dream rested on."""

    id: str
    text: str
    occurred_at: datetime
    score: float
    sequences: tuple[int, ...]
    note: JournalLines


class Observations(Protocol):
    """Finds the observations of a mind."""

    async def find(
        self, mind: Mind, query: str, *, vector: Vector | None
    ) -> tuple[tuple[ObservationHit, ...], tuple[str, ...]]:
        """Those that fit *query*, best first, and what was unavailable."""
        ...


class Turns(Protocol):
    """Ranks the turns of a mind."""

    async def find(
        self, mind: Mind, query: str, *, asker: str, most: int, is_compared: bool
    ) -> tuple[tuple[tuple[int, float], ...], tuple[str, ...]]:
        """Those that answer *query*, by sequence, with scores in 0…1, best first, and what was unavailable."""
        ...


class Asked(TypedDict, total=False):
    """What a search on purpose is limited to; see `Recall.remember`."""

    kinds: Required[frozenset[Kind]]
    window: Required[TimeWindow]
    entity_kinds: frozenset[str]
    turns: TurnFilter
    asker: str
    is_compared: bool


class Recall:
    """Searches one mind on purpose: without the filters of a moment, and without a deadline."""

    def __init__(self, *, turns: Turns, embedder: Embedder, observations: Observations, clock: Clock) -> None:
        self._turns = turns
        self._clock = clock
        self._embedder = embedder
        self._observations = observations

    async def remember_in(
        self, minds: Sequence[Mind | ForeignMind], query: str, *, limit: int, **asked: Unpack[Asked]
    ) -> tuple[tuple[Remembered, ...], tuple[str, ...]]:
        """``remember`` for several minds; what is not of the first has its mind's id, also before its own id."""
        asked["is_compared"] = len(minds) > 1
        found = [(mind, *await self._remembered(mind, query, limit=limit, **asked)) for mind in minds]
        own = minds[0].mind_id
        every = (
            one if mind.mind_id == own else replace(one, id=f"{mind.mind_id}/{one.id}", mind_id=mind.mind_id)
            for mind, memories, _ in found
            for one in memories
        )
        best = sorted(every, key=lambda one: (one.is_held_back, one.tells_wrong, -one.score))[:limit]
        return tuple(best), tuple(dict.fromkeys(rung for _, _, degraded in found for rung in degraded))

    async def _remembered(
        self, mind: Mind | ForeignMind, query: str, *, limit: int, **asked: Unpack[Asked]
    ) -> tuple[tuple[Remembered, ...], tuple[str, ...]]:
        if not isinstance(mind, ForeignMind):
            return await self.remember(mind, query, limit=limit, **asked)
        try:
            found: tuple[tuple[Remembered, ...], tuple[str, ...]] = await mind.remember(query, limit=limit, **asked)
        except WorkerUnavailable:
            return (), (UNAVAILABLE,)
        return found

    async def remember(
        self,
        mind: Mind,
        query: str,
        *,
        kinds: frozenset[Kind],
        window: TimeWindow,
        limit: int,
        entity_kinds: frozenset[str] = frozenset(),
        turns: TurnFilter = EVERY_TURN,
        asker: str = "",
        is_compared: bool = False,
    ) -> tuple[tuple[Remembered, ...], tuple[str, ...]]:
        """
        The memories that answer *query*, best first, and the rungs of what did not answer.

        What shares no word with the query and is not near it is left out, so that nothing is found where nothing is
        known. No words find nothing. With *entity_kinds*, only entities of these kinds are found, and facts that join
        one. Only *turns* count, and what rests on them. What only others told counts less where the *asker*, by name,
        asks about somebody who speaks there, or about themselves. The best turn has a score of 1, unless its score *is
        compared* with those of other minds.
        """
        kinds = kinds & _WITH_ENTITIES if entity_kinds else kinds
        bearable = sanitised(query)
        if not bearable:
            return (), ()
        is_up_to_date = await until_indexed(mind, seconds=_INDEXING_SECONDS)
        is_up_to_date = await until_followed(mind, seconds=_INDEXING_SECONDS) and is_up_to_date
        behind = () if is_up_to_date else (INDEX_BEHIND,)
        await until_saved(mind, now=self._clock.now())
        if turns:
            mind, kinds = await mind_of_turns(mind, turns), kinds - {"observation"}
        vectors, unavailable = await self._vectors(bearable)
        near, degraded = await _near(mind, vectors)
        near = _near_enough(near) if near is not None and self._embedder.is_calibrated else near
        put_right = await put_right_in(mind)
        held = partial(put_right.holding_summary, index=mind.text, now=self._clock.now(), window=window)
        find = partial(self._turns.find, mind, bearable, asker=asker, most=_POOL, is_compared=is_compared)
        told, missing = await find() if "episode" in kinds else ((), ())
        degraded = (*degraded, *missing)
        found = await anyio.to_thread.run_sync(_search, mind, query, near, kinds, window, put_right, held, asker, told)
        if "fact" in kinds:
            found = (*found, *await self._statements(mind, bearable, vectors, put_right, found))
        if entity_kinds:
            found = await anyio.to_thread.run_sync(_of_kinds, mind, found, entity_kinds)
        observed, late = await self._observed(mind, query, vectors) if "observation" in kinds else ((), ())
        found, degraded = (*found, *observed), tuple(dict.fromkeys((*behind, *unavailable, *degraded, *late)))
        memories = await _told(mind, query, found, window, put_right)
        if asker:
            memories = await anyio.to_thread.run_sync(_of_whom_is_asked, mind, query, asker, memories, put_right)
        best = distinct(sorted(memories, key=lambda one: (one.is_held_back, one.tells_wrong, -one.score)))[:limit]
        return await _with_outcomes(mind, best, put_right), degraded

    async def _vectors(self, query: str) -> tuple[Vectors | None, tuple[str, ...]]:
        try:
            return await self._embedder.embed_queries([query]), ()
        except EmbedderFault:
            return None, ("embedder_unavailable",)

    async def _statements(
        self, mind: Mind, query: str, vectors: Vectors | None, put_right: PutRight, others: Sequence[_Hit]
    ) -> tuple[_Hit, ...]:
        """
        What people said that shares a word with *query* or another name in it, or is near it, or replaces *others*.

        What was put right since is found as well. It replaces nothing any more.
        """
        statements = put_right.standing.said
        if not statements:
            return ()
        fits = partial(
            statement_fits,
            statements=statements,
            languages=_languages(mind, query),
            embedder=self._embedder,
            seconds=None,
        )
        known = vectors if self._embedder.is_calibrated else None  # of others nobody knows which cosines are near
        near, renamed = await fits((query,), vectors=known), await fits(put_right.variants(query), vectors=None)
        meant = ({key: one for key, one in by.items() if one >= LEAST_COSINE} for by in near.cosines)
        every = (*near.scores, *renamed.scores, *meant)
        best = {one.id: max(by.get(one.id, 0.0) for by in every) for one in statements}
        replaced = _replaced(mind, put_right.standing.statements, best, others)
        best |= {key: max(best[key], score) for key, score in replaced.items()}
        return tuple(_statement(one, best[one.id], put_right) for one in statements if best[one.id])

    async def _observed(
        self, mind: Mind, query: str, vectors: Vectors | None
    ) -> tuple[tuple[_Hit, ...], tuple[str, ...]]:
        vector = vectors[0] if vectors is not None else None
        found, late = await self._observations.find(mind, query, vector=vector)
        hits = (_hit(one.id, "observation", one.text, one.score, one.sequences) for one in found)
        return tuple(
            replace(hit, remembered=replace(hit.remembered, occurred_at=one.occurred_at, notes=(one.note,)))
            for hit, one in zip(hits, found, strict=True)
        ), late


async def _near(mind: Mind, vectors: Vectors | None) -> tuple[VectorHits | None, tuple[str, ...]]:
    if vectors is None:
        return None, ()
    try:
        found = await mind.graph.nearest(vectors, turns=0, facts=_POOL, entities=_POOL)
    except EmbedderFault:  # the graph's vectors are of another embedder
        return None, ("embedder_unavailable",)
    except GraphFault:
        return None, ("graph_unavailable",)
    return (found[0] if found else None), ()


def _replaced(
    mind: Mind, statements: Sequence[Statement], fits: Mapping[str, float], found: Sequence[_Hit]
) -> Mapping[str, float]:
    """By the id of each edit in *statements*: the best score of a fact or a turn that was *found* and it replaces."""
    hits = [(one.remembered, one.sequences) for one in found]
    turns = {sequence: one.score for one, sequences in hits if one.kind == "episode" for sequence in sequences}
    facts = ((made.id, one.score) for one, _ in hits if one.kind == "fact" for made in one.corrections)
    of_turn = edits_by_turn(statements, fits).items()
    replaced = [(one.id, turns.get(mind.transcript.positions.sequence_of(turn) or 0, 0.0)) for turn, one in of_turn]
    best: dict[str, float] = {}
    for key, score in (*facts, *replaced):
        if key in fits:
            best[key] = max(best.get(key, 0.0), score)
    return best


def _near_enough(near: VectorHits) -> VectorHits:
    """*near* without what is near by chance alone."""
    facts, entities = (tuple(one for one in found if one.own >= LEAST_COSINE) for found in (near.facts, near.entities))
    return VectorHits(facts=facts, entities=entities)


@dataclass(frozen=True, slots=True)
class _Hit:
    remembered: Remembered
    sequences: tuple[int, ...]


async def _told(
    mind: Mind, query: str, found: Sequence[_Hit], window: TimeWindow, put_right: PutRight
) -> list[Remembered]:
    """What was *found*, with the turns that it rests on and what people decided of it."""
    sequences = tuple({sequence for one in found for sequence in one.sequences})
    turns = {turn.sequence: turn for turn in await mind.transcript.read_many(sequences)}
    source_of = partial(as_source, wanted=query_words((query,)), language=_languages(mind, query)[0])
    memories = [memory for one in found if (memory := _with_sources(one, turns, window, source_of))]
    if not put_right:
        return memories
    return await anyio.to_thread.run_sync(
        lambda: [_weighed(_judged(one, turns, put_right), query, put_right) for one in memories]
    )


async def _with_outcomes(mind: Mind, memories: Sequence[Remembered], put_right: PutRight) -> tuple[Remembered, ...]:
    """*memories*, each with whether outcomes say that it is wrong and no person said that it is right."""
    rests_on = {one.id: [source.sequence for source in one.sources] for one in memories}
    said = frozenset(one.id for one in memories if one.statement is not None or one.written is not None)
    wrong = await anyio.to_thread.run_sync(partial(mind.outcomes.held_back, rests_on, statements=said))
    wrong -= {one.id for one in memories if is_confirmed(one, put_right)}
    return tuple(replace(one, is_contradicted=one.id in wrong) for one in memories)


def _languages(mind: Mind, query: str) -> tuple[str, ...]:
    """The language of *query*, and the mind's main ones."""
    main = mind.text.languages()
    return tuple(dict.fromkeys((detect(query, fallback=next(iter(main), "en")), *main)))


def _search(
    mind: Mind,
    query: str,
    near: VectorHits | None,
    kinds: frozenset[Kind],
    window: TimeWindow,
    put_right: PutRight,
    held: Callable[[str, str], str],
    asker: str,
    told: Sequence[tuple[int, float]],
) -> tuple[_Hit, ...]:
    languages = _languages(mind, query)
    wanted = tuple(stem for language in languages for stem in stems(query, language=language))
    hits: list[_Hit] = []
    speaker = called(asker, put_right) if asker else None
    alike = (*put_right.variants(query), *resolved(query, text=mind.text, language=languages[0], speaker=speaker))
    wanted += tuple(stem for variant in alike for language in languages for stem in stems(variant, language=language))
    if "episode" in kinds:
        hits.extend(_episodes(mind, wanted, told))
    if "fact" in kinds:
        hits.extend(_facts(mind, wanted, near, window, put_right))
    if "entity" in kinds:
        written = written_of((query, *alike), languages=languages, text=mind.text, put_right=put_right)
        hits.extend(_entities(mind, wanted, near, put_right, written, held))
    return tuple(hits)


def _of_kinds(mind: Mind, found: Sequence[_Hit], entity_kinds: frozenset[str]) -> tuple[_Hit, ...]:
    """The entities of *found* that are of one of the kinds, and the facts that join one."""
    ends = {name for one in found for name in one.remembered.names}
    named = mind.text.names_of_kinds(ends, kinds=entity_kinds)
    wanted = {kind.casefold() for kind in entity_kinds}
    return tuple(
        one
        for one in found
        if (
            one.remembered.entity_kind.casefold() in wanted
            if one.remembered.kind == "entity"
            else not named.isdisjoint(one.remembered.names)
        )
    )


def _episodes(mind: Mind, wanted: Sequence[str], ranked: Sequence[tuple[int, float]]) -> list[_Hit]:
    """The turns that were *ranked*, and behind them those that hold words of which a moment asks for none ("the")."""
    words = {hit.number: hit.score for hit in mind.text.search("turns", wanted, limit=_POOL)}
    least, top = min((score for _, score in ranked), default=1.0), max(words.values(), default=1.0)
    scores = {one: least * score / top for one, score in words.items()} | dict(ranked)
    return [_hit(f"{EPISODE}{one}", "episode", "", score, (one,)) for one, score in scores.items()]


def _judged(memory: Remembered, turns: Mapping[int, StoredTurn], put_right: PutRight) -> Remembered:
    """*memory* with what people decided of its turn, if it is one, or of what it tells of an entity."""
    sequences = [source.sequence for source in memory.sources]
    if memory.kind == "episode" and sequences:
        stored = turns[sequences[0]]
        decided = (*put_right.of_turn(stored.sequence), *put_right.repeated_in(stored))
        return replace(memory, corrections=decided, is_held_back=put_right.tellable(stored).is_spent)
    if memory.kind in {"entity", "observation"} and memory.written is None:
        told = put_right.told_in(memory.text)
        return replace(memory, corrections=(*memory.corrections, *told))
    return memory


def _weighed(memory: Remembered, query: str, put_right: PutRight) -> Remembered:
    """*memory*, which counts less where it is of another one of the same name than *query* names."""
    told_in = [source.sequence for source in memory.sources]
    return memory.counting_less if put_right.of_another(query, memory.text, told_in) else memory


def _of_whom_is_asked(
    mind: Mind, query: str, asker: str, memories: Sequence[Remembered], put_right: PutRight
) -> list[Remembered]:
    """*memories*; what only others told counts less where *asker* asks of one person, unless it names that one."""
    turns = {one.id: {source.sequence for source in one.sources} for one in memories if one.kind in _TOLD}
    sequences = frozenset().union(*turns.values())
    speakers = people_in(mind).values()
    known = [name_key(name) for _, name in mind.text.names_in(query)]
    people = named_in(query, speakers) | called_by_given_name((query,), speakers, put_right, known=known)
    about, others = told_by_others(mind, query, asker=asker, names=people, sequences=sequences, put_right=put_right)
    names = frozenset[str]().union(*(called(one, put_right) for one in about))
    statements = {one.id: one.statement for one in memories if one.statement is not None}
    of_others = {key for key, told in turns.items() if told and told <= others}
    of_others |= {key for key, one in statements.items() if about and put_right.is_by_others(one, about)}
    return [
        one.counting_less if one.id in of_others and not people_named_in(one.text, names) else one for one in memories
    ]


def _statement(one: Statement, score: float, put_right: PutRight) -> _Hit:
    standing = put_right.standing
    decided, stands = standing.of_statement(one), standing.stands(one)
    whole = () if stands or decided.is_wrong else (standing.turn(turn_id).truth for turn_id in one.turn_ids)
    hit = _hit(statement_id(one), "fact", put_right.statement_text(one), score, ())
    memory = replace(
        hit.remembered,
        occurred_at=one.at,
        statement=one,
        corrections=(*decided.corrections, *dict.fromkeys(made for made in whole if made is not None)),
        is_held_back=not stands or bool(decided.held_back),
    )
    return replace(hit, remembered=memory)


def _facts(
    mind: Mind, wanted: Sequence[str], near: VectorHits | None, window: TimeWindow, put_right: PutRight
) -> list[_Hit]:
    scores = _scores(mind, "facts", wanted, near.facts if near else ())
    hits = []
    for number, row in mind.text.facts(tuple(scores)).items():
        uuid, text, source, target, episodes, valid, invalid, _ = row
        sequences = tuple(mind.text.sequences(json.loads(str(episodes))).values())
        names = (str(source), str(target))
        decided = put_right.fact(str(text), sequences, joins=names)
        valid_at, invalid_at = instant_of(valid), None if decided.is_right else instant_of(invalid)
        if window.is_true(valid_at, invalid_at):
            score = scores[number] * (READ_SHARE if is_read(str(text)) else 1.0)
            hit = _hit(f"fact:{uuid}", "fact", str(text), score, sequences)
            memory = replace(
                hit.remembered,
                valid_at=valid_at,
                invalid_at=invalid_at,
                names=names,
                corrections=decided.corrections,
                is_held_back=bool(decided.held_back),
            )
            hits.append(replace(hit, remembered=memory))
    return hits


def _entities(
    mind: Mind,
    wanted: Sequence[str],
    near: VectorHits | None,
    put_right: PutRight,
    written: Mapping[str, Written],
    held: Callable[[str, str], str],
) -> list[_Hit]:
    scores = _scores(mind, "entities", wanted, near.entities if near else ())
    for key, number in mind.text.entity_numbers(tuple(written)).items():
        scores[number] = max(scores.get(number, 0.0), written[key].share)
    hits = []
    rows = {number: row for number, row in mind.text.entities(tuple(scores)).items() if is_entity(str(row[1]))}
    for number, (uuid, name, _, summary, kind) in rows.items():
        decided = put_right.standing.entity(str(name))
        edit = decided.truth if decided.truth is not None and decided.truth.what is What.EDIT else None
        # What a person wrote rests on no turn: they said it when they wrote it.
        sequences = tuple(mind.text.mentions(str(name), limit=_MENTIONS)) if edit is None else ()
        shown = put_right.standing.name_of(str(name))
        known = put_right.told_summary(str(name), held(str(name), str(summary)), on_purpose=True)
        hit = _hit(f"entity:{uuid}", "entity", f"{shown}: {known}" if known else shown, scores[number], sequences)
        memory = replace(
            hit.remembered,
            occurred_at=edit.at if edit is not None else None,
            names=(str(name),),
            entity_kind=str(kind),
            corrections=decided.corrections,
            is_held_back=bool(put_right.reason_against_summary(str(name))),
        )
        hits.append(replace(hit, remembered=memory))
    return hits


def _scores(
    mind: Mind, of: Literal["facts", "entities"], wanted: Sequence[str], near: Sequence[VectorHit]
) -> dict[int, float]:
    """By number, how well the words and the meaning fit."""
    numbers = (mind.text.fact_numbers if of == "facts" else mind.text.entity_numbers)([one.key for one in near])
    words = {hit.number: hit.score for hit in mind.text.search(of, wanted, limit=_POOL)}
    return words_and_meaning(words, {numbers[one.key]: one.similarity for one in near if one.key in numbers})


def _hit(id_: str, kind: Kind, text: str, score: float, sequences: tuple[int, ...]) -> _Hit:
    return _Hit(Remembered(id_, kind, text, None, None, None, round(min(max(score, 0.0), 1.0), 4), ()), sequences)


def _with_sources(
    hit: _Hit, turns: Mapping[int, StoredTurn], window: TimeWindow, source_of: Callable[[StoredTurn], Source]
) -> Remembered | None:
    rests_on = sorted((turns[one] for one in hit.sequences if one in turns), key=lambda turn: turn.sequence)
    sources = tuple(map(source_of, rests_on))
    occurred_at = hit.remembered.occurred_at or (rests_on[0].occurred_at if rests_on else None)
    text = hit.remembered.text or (sources[0].excerpt if sources else "")
    if not text or not window.holds(occurred_at):
        return None
    return replace(hit.remembered, text=text, occurred_at=occurred_at, sources=sources)
