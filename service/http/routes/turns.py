"""The call after a turn."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Header, status
from pydantic import AfterValidator

from consolidation.kernel.errors import TraceNotFound, TurnIdMismatch
from consolidation.kernel.turns import Message, Turn
from service.composition.container import Memory
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.problems import of_part
from service.http.schemas.batch import BATCH_KEPT, BatchIn, BatchKept, TurnAnswer, TurnProblem
from service.http.schemas.examples import KEPT
from service.http.schemas.fields import addressable
from service.http.schemas.outcomes import OutcomesApplied, by_id
from service.http.schemas.turns import Dropped, SpokenMessageIn, TurnFields, TurnIn, TurnKept, first_audio
from service.ingest.intake import AcceptedTurn, TurnRefusal
from service.resonance.outcome_reports import Applied
from service.voice.spoken import SpokenMessage, in_words

VISIBLE = r"[!-~]([ -~]*[!-~])?"  # ASCII only: readers disagree on other bytes in a header


def _as_id(key: str) -> str:
    """A key that may be the id of a turn or thread. Raises ValueError."""
    if re.fullmatch(VISIBLE, key) is None:
        raise ValueError("must be printable ASCII text")
    return addressable(key)


IdempotencyKey = Annotated[
    Annotated[str, AfterValidator(_as_id)] | None,
    Header(
        max_length=200,
        description="The turn's id, if the body has none.",
        json_schema_extra={"pattern": f"^{VISIBLE}$"},
    ),
]

SPOKEN = r"^/v1/minds/[^/]+/(turns|resonance)$"  # paths that take audio

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["turns"], route_class=KnownQuery)


@router.post(
    "/turns",
    status_code=status.HTTP_202_ACCEPTED,
    summary="Store a turn",
    responses=answers(KEPT, 400, 404, 409, 410, 413, 422, 502, 503, 504, 507, status=202),
)
async def keep(
    mind_id: MindId,
    posted: TurnIn,
    memory: MemoryDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> TurnKept:
    """The turn is on disk when this answers. Posting the same turn again returns the first answer."""
    await memory.new_minds.check(mind_id, by=caller)
    messages = await spoken(posted.messages, memory)
    turn_id = _turn_id(posted, idempotency_key, fresh_id=memory.clock.fresh_id)
    turn = _turn(posted, in_words(messages, {}), turn_id)
    turn = await memory.voice.hearing.turn(mind_id, turn, messages)
    accepted = await memory.intake.accept(mind_id, turn)
    return await _kept(accepted, posted, memory, mind_id=mind_id)


@router.post(
    "/turns/batch",
    status_code=status.HTTP_207_MULTI_STATUS,
    summary="Store turns",
    responses=answers(BATCH_KEPT, 400, 404, 409, 413, 422, 503, 507, status=207),
)
async def keep_batch(mind_id: MindId, posted: BatchIn, memory: MemoryDep, caller: CallerDep) -> BatchKept:
    """
    Store up to 100 turns in order, each once under its `turn_id`, and say of each what became of it.

    Those that are `stored` are on disk when this answers. A body that is not valid, a mind that is being erased or a
    disk that is full is an error of the whole call. Send the same batch again: nothing is stored twice.
    """
    await memory.new_minds.check(mind_id, by=caller)
    turns = [_turn(one, [message.as_message() for message in one.messages], one.turn_id) for one in posted.turns]
    accepted = await memory.intake.accept_each(mind_id, turns)
    found = [
        await _answer(index, turn, posted.turns[index], memory, mind_id=mind_id) for index, turn in enumerate(accepted)
    ]
    stored = sum(one.stored is not None for one in found)
    return BatchKept(mind_id=mind_id, stored=stored, refused=len(found) - stored, turns=found)


async def _answer(
    index: int, turn: AcceptedTurn | TurnRefusal, posted: TurnFields, memory: Memory, *, mind_id: str
) -> TurnAnswer:
    turn_id = str(posted.turn_id)
    if isinstance(turn, AcceptedTurn):
        kept = await _kept(turn, posted, memory, mind_id=mind_id)
        return TurnAnswer(index=index, turn_id=turn_id, status=status.HTTP_202_ACCEPTED, stored=kept, problem=None)
    problem = TurnProblem.model_validate(of_part(turn, within=f"#/turns/{index}"))
    return TurnAnswer(index=index, turn_id=turn_id, status=problem.status, stored=None, problem=problem)


async def _kept(accepted: AcceptedTurn, posted: TurnFields, memory: Memory, *, mind_id: str) -> TurnKept:
    applied = await _outcomes(accepted, posted, memory, mind_id=mind_id)
    return TurnKept(
        mind_id=mind_id,
        turn_id=accepted.turn_id,
        sequence=accepted.sequence,
        accepted_at=accepted.accepted_at,
        pending_tokens=accepted.pending_tokens,
        dropped=[Dropped.model_validate(dropped) for dropped in accepted.dropped],
        duplicate=not accepted.is_new,
        outcomes=OutcomesApplied.model_validate(applied) if applied is not None else None,
    )


async def _outcomes(accepted: AcceptedTurn, posted: TurnFields, memory: Memory, *, mind_id: str) -> Applied | None:
    """Apply the turn's outcomes, and see by itself what else became of what its pre-turn call showed."""
    if posted.trace_id is None and not posted.outcomes:
        return None
    mind = await memory.minds.find(mind_id)
    outcomes = by_id(posted.outcomes)
    try:
        applied = await memory.outcomes.report(mind, trace_id=posted.trace_id, outcomes=outcomes) if outcomes else None
    except TraceNotFound:  # the turn is stored all the same
        return Applied(0, tuple(outcomes))
    if posted.trace_id is not None and accepted.is_new:
        memory.outcomes.notice(mind, accepted.stored, trace_id=posted.trace_id)
    return applied


async def spoken(posted: Sequence[SpokenMessageIn], memory: Memory) -> tuple[SpokenMessage, ...]:
    """*posted* with its recordings. Raises TranscriptionNotConfigured, InvalidRequest."""
    audio = first_audio(posted)
    if audio is None:
        return tuple(message.as_spoken(at) for at, message in enumerate(posted))
    memory.voice.transcripts.check(pointer=audio)
    # In a thread: megabytes of base64 may have to be read.
    return await anyio.to_thread.run_sync(lambda: tuple(one.as_spoken(at) for at, one in enumerate(posted)))


def _turn(posted: TurnFields, messages: Sequence[Message], turn_id: str) -> Turn:
    return Turn(
        turn_id=turn_id,
        session_id=posted.session_id,
        messages=tuple(messages),
        kind=posted.as_kind(),
        metadata=dict(posted.metadata),
    )


def _turn_id(posted: TurnIn, key: str | None, *, fresh_id: Callable[[], str]) -> str:
    if key is not None and posted.turn_id is not None and key != posted.turn_id:
        raise TurnIdMismatch("Idempotency-Key and turn_id differ", pointer="#/turn_id")
    return posted.turn_id or key or fresh_id()
