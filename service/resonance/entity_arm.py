"""Phase 2's arm over entities: what is known of those that a query names, or means without naming them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.wording import Wording, stems_of
from consolidation.kernel.errors import GraphFault
from service.resonance.arms import FragmentEvidence, FragmentHits
from service.retrieval.fragments import entity_fragments
from service.retrieval.put_right import ENTITY
from service.retrieval.queries import is_entity
from service.retrieval.written import written_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import StoredTurn
    from service.index.text_index import TextIndex
    from service.mind.minds import Mind
    from service.ports.graph import StoredEntity
    from service.resonance.arms import SearchTerms
    from service.resonance.search_round import SearchRound
    from service.retrieval.moment import Fragment

_SHARE = 0.8  # of the time there is
_SAME = 0.6  # how near a query must be to an entity's name to mean it
_MOST = 5
_MENTIONS = 3


class EntityArm:
    """Asks the graph what is known of entities."""

    async def search(self, search: SearchRound) -> tuple[tuple[str, str], ...]:
        """Uuid and name of the entities that the queries mean. Raises IndexUnusable."""
        near = await search.near()
        uuids = tuple(dict.fromkeys(one.key for found in near for one in found.entities if one.own >= _SAME))
        meant = await anyio.to_thread.run_sync(_named, search.text, uuids) if uuids else ()
        written = await anyio.to_thread.run_sync(_written, search) if search.names.put_right.written() else ()
        return (*meant, *written)

    async def fragments(self, found: Sequence[tuple[tuple[str, str], ...]], terms: SearchTerms) -> FragmentHits:
        """What is known of the entities that are named, then of those that are meant."""
        meant = dict(pair for pairs in found for pair in pairs)
        wanted = [uuid for uuid, name in {**meant, **terms.entities}.items() if name not in terms.people]
        if not wanted or "graph_unavailable" in terms.degraded:  # a graph that was away is not asked again
            return FragmentHits()
        call = terms.call
        first = sorted(wanted, key=lambda uuid: uuid not in terms.entities)[:_MOST]
        try:
            async with asyncio.timeout(call.deadline.left(share=_SHARE)):
                stored = await call.mind.graph.entities(first)
        except (GraphFault, TimeoutError):
            return FragmentHits()
        fragments = await anyio.to_thread.run_sync(_told, stored, terms)
        written = (one for one in fragments if one.written is not None)
        return FragmentHits(fragments, {one.id: _words_of(one, call.moment.language) for one in written})


def _named(text: TextIndex, uuids: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Uuid and name of entities by uuid."""
    rows = text.entities(tuple(text.entity_numbers(uuids).values()))
    return tuple((str(uuid), str(name)) for uuid, name, *_ in rows.values() if is_entity(str(name)))


def _told(entities: Sequence[StoredEntity], terms: SearchTerms) -> tuple[Fragment, ...]:
    """What is known of the entities; what a person wrote of one has at least the score by which that fits."""
    fragments = entity_fragments(
        entities,
        named=terms.named.keys(),
        turns=_mentions(terms.call.mind, entities),
        source_of=terms.source_of,
        held=partial(terms.put_right.holding_summary, index=terms.call.mind.text, now=terms.call.moment.now),
        put_right=terms.put_right,
    )
    fits = _fits(terms)
    return tuple(replace(one, score=max(one.score, fits.get(one.id, 0.0))) for one in fragments)


def _fits(terms: SearchTerms) -> dict[str, float]:
    """How well what a person wrote of entities fits what is asked, by their ids."""
    call = terms.call
    languages, put_right = (call.moment.language,), terms.put_right
    found = written_of(terms.queries, languages=languages, text=call.mind.text, put_right=put_right)
    return {f"{ENTITY}{uuid}": one.share for uuid, one in found.items()}


def _words_of(fragment: Fragment, language: str) -> FragmentEvidence:
    """What speaks for what a person wrote: its own words, and not those of the turns that mention the entity."""
    return FragmentEvidence(stems_of(fragment.text, language) | Wording.of(fragment.text).stems)


def _written(search: SearchRound) -> tuple[tuple[str, str], ...]:
    """Uuid and name of entities of which a person wrote what a query asks."""
    put_right = search.names.put_right
    found = written_of(search.queries, languages=(search.language,), text=search.text, put_right=put_right)
    return tuple((uuid, one.name) for uuid, one in found.items())


def _mentions(mind: Mind, entities: Sequence[StoredEntity]) -> Mapping[str, StoredTurn]:
    """The newest turns that mention the entities, by the uuids of their episodes."""
    episodes = tuple({uuid for entity in entities for uuid in entity.episodes[:_MENTIONS]})
    sequences = mind.text.sequences(episodes)
    read = {turn.sequence: turn for turn in mind.transcript.read_now(tuple(sequences.values()))}
    return {uuid: read[sequence] for uuid, sequence in sequences.items() if sequence in read}
