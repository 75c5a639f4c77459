"""A telephone stream: μ-law bytes come in, and what was said between silences is stored, a turn each."""

import asyncio
from json import dumps, loads
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from consolidation.kernel.errors import AccessRefused, InvalidRequest, MemoryFault, RateLimited, RequestTimedOut
from consolidation.kernel.turns import Speaker
from service.composition.container import Memory
from service.http.known_query import KnownQuery, check_query
from service.http.problems import fault_response, pointer_of, refuse_websocket, words_of
from service.http.schemas.audio import EndedOut, ReadyOut, SettledOut, StreamIn, UtteranceOut
from service.http.schemas.fields import SESSION_ID
from service.ingest.intake import check_time
from service.voice.g711 import RATE
from service.voice.stream import AudioStream, Ended, Kept, Settled, StreamEvent, StreamSource

_OVER, _REFUSED, _AGAIN = 1000, 1008, 1013  # why a WebSocket is closed (RFC 6455, section 7.4.1)
_IDLE = "no audio came for {seconds:g} s; connect again when there is more"
_CONTROLS = 'send μ-law audio in binary messages, and {"type": "end"} as text when there is no more'

router = APIRouter(prefix="/v1/minds/{mind_id}", tags=["turns"], route_class=KnownQuery)


@router.websocket("/sessions/{session_id:path}/audio")
async def listen(websocket: WebSocket, mind_id: str, session_id: str) -> None:
    """A stream until it ends or breaks off. What has come of it is stored in either case."""
    memory: Memory = websocket.state.memory
    try:
        stream = await _opened(websocket, memory, mind_id=mind_id, session_id=session_id)
    except MemoryFault as fault:
        await refuse_websocket(websocket, fault)
        return
    try:
        await websocket.accept()
        await _tell(websocket, ReadyOut(stream=stream.source.stream_id, offset=stream.position))
        async with asyncio.TaskGroup() as both:
            hearing = both.create_task(_hear(websocket, stream, idle_seconds=memory.settings.voice.idle_seconds))
            await _report(websocket, stream)
            hearing.cancel()
    except* (WebSocketDisconnect, RuntimeError, OSError):  # the client has left: starlette says so in three ways
        pass
    finally:
        stream.finish()


async def _opened(websocket: WebSocket, memory: Memory, *, mind_id: str, session_id: str) -> AudioStream:
    memory.voice.transcripts.check()
    asked = _asked(websocket)
    check_time(asked.started_at, now=memory.clock.now(), pointer="query/started_at")
    await memory.new_minds.check(mind_id, by=websocket.state.caller)
    source = StreamSource(
        mind_id=mind_id,
        session_id=_session(session_id),
        stream_id=asked.stream or memory.clock.fresh_id(),
        role=Speaker(asked.role),
        name=asked.name,
        started_at=asked.started_at,
    )
    return await memory.voice.streams.open(source, offset=asked.offset, authorize=websocket.state.authorize)


def _asked(websocket: WebSocket) -> StreamIn:
    check_query(websocket.query_params, known=tuple(StreamIn.model_fields))
    try:
        return StreamIn.model_validate(dict(websocket.query_params))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise InvalidRequest(words_of(first), pointer=pointer_of(("query", *first["loc"]))) from error


def _session(session_id: str) -> str:
    try:
        return SESSION_ID.validate_python(session_id)
    except ValidationError as error:
        raise InvalidRequest(words_of(error.errors(include_url=False)[0]), pointer="path/session_id") from error


async def _hear(websocket: WebSocket, stream: AudioStream, *, idle_seconds: float) -> None:
    """Feed the stream until its end is said, the client leaves, or nothing comes for too long."""
    try:
        while True:
            async with asyncio.timeout(idle_seconds):
                message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            data = message.get("bytes")
            if data is None:
                _check_end(str(message.get("text")))
                return
            if not await stream.feed(data):
                return
    except TimeoutError:
        stream.fail(RequestTimedOut(_IDLE.format(seconds=idle_seconds)))
    except InvalidRequest as fault:
        stream.fail(fault)
    finally:
        stream.finish()


def _check_end(text: str) -> None:
    """Raise InvalidRequest unless *text* says that there is no more audio."""
    try:
        found = loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(_CONTROLS) from error
    if found != {"type": "end"}:
        raise InvalidRequest(_CONTROLS)


async def _report(websocket: WebSocket, stream: AudioStream) -> None:
    """Tell each event, the last of which closes the connection."""
    while True:
        event = await stream.events.get()
        stream.told()
        if websocket.application_state is not WebSocketState.CONNECTED:
            return
        await _tell(websocket, await _out(websocket, event, source=stream.source))
        if isinstance(event, Ended):
            await websocket.close(_code(event.fault))
            return


async def _out(
    websocket: WebSocket, event: StreamEvent, *, source: StreamSource
) -> UtteranceOut | SettledOut | EndedOut:
    match event:
        case Kept(stored=stored):
            return UtteranceOut(
                turn_id=stored.turn.turn_id,
                sequence=stored.sequence,
                text="\n".join(message.content for message in stored.turn.messages),
                start_ms=source.start_of(stored.turn.turn_id) * 1000 // RATE,
                end_ms=source.end_of(stored.turn.turn_id) * 1000 // RATE,
                duplicate=not event.is_new,
                dropped=[{"index": one.index, "reason": one.reason} for one in event.dropped],
                offset=event.position,
            )
        case Settled():
            return SettledOut(offset=event.position, unread=event.unread or None)
        case Ended():
            return EndedOut(offset=event.position, problem=await _problem(websocket, event.fault))


async def _problem(websocket: WebSocket, fault: MemoryFault | None) -> dict[str, Any] | None:
    if fault is None:
        return None
    found: dict[str, Any] = loads(bytes((await fault_response(websocket, fault)).body))
    return found


def _code(fault: MemoryFault | None) -> int:
    """How a WebSocket is closed: as it should, for good, or for now."""
    if fault is None:
        return _OVER
    is_for_good = isinstance(fault, AccessRefused | InvalidRequest) and not isinstance(fault, RateLimited)
    return _REFUSED if is_for_good else _AGAIN


async def _tell(websocket: WebSocket, out: ReadyOut | UtteranceOut | SettledOut | EndedOut) -> None:
    await websocket.send_text(dumps(out.model_dump(mode="json"), ensure_ascii=False))
