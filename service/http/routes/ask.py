"""The call that answers a question from memory."""

from anyio.to_thread import run_sync
from fastapi import APIRouter

from consolidation.text.language import primary_subtag
from service.ask.answerer import Answer, Question
from service.ask.evidence import Evidence
from service.http.dependencies import MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.ask import ANSWERED, AnswerLineOut, AskIn, AskOut, ContradictionOut, EvidenceOut
from service.http.schemas.corrections import decision_out
from service.http.schemas.resonance import SourceOut, note_out, said_by
from service.mind.copies import outage
from service.mind.own_settings import own_settings_of
from service.mind.spoken_language import spoken_language
from service.retrieval.time_window import TimeWindow

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["minds"], route_class=KnownQuery)


@router.post("/ask", summary="Ask the memory", responses=answers(ANSWERED, 400, 404, 413, 422))
async def ask(mind_id: MindId, posted: AskIn, memory: MemoryDep) -> AskOut:
    """
    An answer in which each line names its sources, with what is not in memory, and what contradicts what.

    A model words it, and code drops each line whose names, numbers or dates are not in the evidence that it names.
    Without a model, or when it fails or takes longer than 30 seconds, the evidence alone is the answer.
    """
    mind = await memory.minds.find(mind_id)
    lacking = outage(memory.minds.copies)
    tag = posted.language if posted.language is not None else await run_sync(spoken_language, mind, posted.question)
    zone = (await own_settings_of(mind)).zone(posted.timezone)
    window = TimeWindow(posted.since, posted.until, posted.at)
    question = Question(posted.question, primary_subtag(tag), tag, zone, window, posted.limit, asker=posted.asker or "")
    return _answer_out(await memory.answerer.answer(mind, question), lacking=lacking)


def _answer_out(found: Answer, *, lacking: tuple[str, ...]) -> AskOut:
    ids = [one.memory.id for one in found.evidence]
    texts = [one.memory.text for one in found.evidence]
    return AskOut(
        answer=[AnswerLineOut(text=one.text, sources=[ids[place] for place in one.places]) for one in found.lines],
        missing=list(found.missing),
        contradictions=[
            ContradictionOut(texts=[texts[place] for place in places], sources=[ids[place] for place in places])
            for places in found.contradictions
        ],
        evidence=list(map(_evidence_out, found.evidence)),
        by_model=found.by_model,
        dropped=list(found.dropped),
        degraded=[*found.degraded, *lacking],
    )


def _evidence_out(one: Evidence) -> EvidenceOut:
    found = one.memory
    return EvidenceOut(
        id=found.id,
        kind=found.kind,
        text=found.text,
        state=one.state,
        occurred_at=found.occurred_at,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
        sources=[
            *map(SourceOut.model_validate, found.sources),
            *map(note_out, found.notes),
            *said_by(found.statement or found.written),
        ],
        is_contradicted=found.is_contradicted,
        corrections=list(map(decision_out, found.corrections)),
    )
