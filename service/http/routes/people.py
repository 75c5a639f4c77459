"""The cards of the people that a mind knows."""

import anyio.to_thread
from fastapi import APIRouter

from consolidation.corrections.record import Correction
from consolidation.corrections.standing import Statement
from consolidation.kernel.turns import StoredTurn
from consolidation.text.language import detect
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.corrections import DecisionOut
from service.http.schemas.people import PEOPLE, CardLineOut, CardOut, PeopleOut
from service.http.schemas.resonance import SourceOut, said_by
from service.resonance.people_cards import CardLine
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import as_source

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["corrections"], route_class=KnownQuery)


@router.get("/people", summary="What is known of each person", responses=answers(PEOPLE, 404, 422, 503))
async def people(mind_id: MindId, memory: MemoryDep) -> PeopleOut:
    """At most 20 lines a person: what somebody pinned or said, and what lasts. Corrections edit them."""
    mind = await memory.minds.find(mind_id)
    cards = await anyio.to_thread.run_sync(lambda: memory.cards.of(mind, now=memory.clock.now()))
    sequences = sorted({one for card in cards for line in card.lines for one in line.sequences})
    turns = {turn.sequence: turn for turn in await mind.transcript.read_many(sequences)}
    return PeopleOut(
        people=[CardOut(name=card.name, lines=[_line(one, turns) for one in card.lines]) for card in cards],
        shown=memory.settings.resonance.people_cards,
    )


def _line(line: CardLine, turns: dict[int, StoredTurn]) -> CardLineOut:
    wanted, language = query_words((line.text,)), detect(line.text)
    told_in = [turns[one] for one in line.sequences if one in turns]
    by = line.by
    return CardLineOut(
        id=line.id,
        text=line.text,
        sources=[
            *(SourceOut.model_validate(as_source(turn, wanted=wanted, language=language)) for turn in told_in),
            *said_by(by if isinstance(by, Statement) else None),
        ],
        decided=_decided(by),
    )


def _decided(by: Correction | Statement | None) -> DecisionOut | None:
    if by is None:
        return None
    to = by.to if isinstance(by, Correction) else by.text
    return DecisionOut(id=by.id, what=by.what.value, to=to, at=by.at, by=by.by)
