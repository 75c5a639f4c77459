"""The one place where an error becomes an HTTP answer (RFC 9457), with a pointer and without quoting the input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, cast

import structlog
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from consolidation.kernel import errors, sharing_errors
from consolidation.kernel.files import is_full
from consolidation.secrets.redaction import redact
from consolidation.text.surrogates import encodable
from service.http.middleware.security_headers import SECURITY_HEADERS
from service.http.schemas.fields import BRANCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import FastAPI, Request
    from starlette.requests import HTTPConnection
    from starlette.websockets import WebSocket

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
CLIENT_CLOSED = 499  # nginx's status for a client that closed the request; nobody reads it
_RETRY_SECONDS = "5"
_POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_MOST_ERRORS = 20
_LONGEST_PART = 100
_WHOLE_BODY = "#"
_ITEMS = re.compile(r"(?<!\d)(\d+) items?(?: after validation)?")
_UNREAD = "There was an error parsing the body"  # FastAPI's words for what json refuses otherwise than as not JSON
_RAISED, _SHOULD_BE = "Value error, ", "Input should be "  # as pydantic begins
_NOT_AN_OBJECT = frozenset({"model_attributes_type", "dict_type"})


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """The status, slug and title of a kind of error."""

    status: HTTPStatus
    slug: str
    title: str


_TABLE: dict[type[errors.MemoryFault], tuple[int, str]] = {
    errors.MemoryFault: (500, "The memory service failed"),
    errors.InvalidRequest: (422, "The request is not valid"),
    errors.InvalidMindId: (422, "The mind id is not valid"),
    errors.TurnIdMismatch: (422, "Idempotency-Key and turn_id differ"),
    errors.TranscriptionNotConfigured: (422, "No model transcribes audio"),
    errors.ImportUnreadable: (422, "The file can not be imported"),
    errors.ArchiveUnreadable: (422, "The file is not a complete archive of a mind"),
    errors.JournalPathRefused: (422, "The path is not in the journal"),
    errors.JournalFileTooLarge: (422, "The journal file is too large"),
    errors.NotFound: (404, "Not found"),
    errors.MindNotFound: (404, "The mind does not exist"),
    errors.SessionNotFound: (404, "The session does not exist"),
    errors.TurnNotFound: (404, "The turn does not exist"),
    errors.FactNotFound: (404, "The fact does not exist"),
    errors.EntityNotFound: (404, "The entity does not exist"),
    errors.TraceNotFound: (404, "The trace does not exist"),
    errors.DreamNotFound: (404, "The dream does not exist"),
    errors.VersionNotFound: (404, "The story version does not exist"),
    errors.JournalFileNotFound: (404, "The journal file does not exist"),
    errors.ModelNotFound: (404, "The model does not exist"),
    errors.MemoryNotFound: (404, "The memory does not exist"),
    errors.CorrectionNotFound: (404, "The correction does not exist"),
    errors.KeyNotFound: (404, "The API key does not exist"),
    errors.WebhookNotFound: (404, "The webhook endpoint does not exist"),
    errors.CorrectionConflict: (409, "The correction can not be made"),
    errors.AmbiguousMemory: (409, "More than one memory is meant"),
    errors.TurnConflict: (409, "The turn id was already used with other content"),
    errors.TurnErased: (410, "The turn was erased"),
    errors.MindExists: (409, "The mind exists already"),
    errors.MindErasing: (409, "The mind is being erased"),
    errors.ArchiveTooLarge: (413, "The archive is too large"),
    errors.ChatTooLarge: (413, "The chat is too large"),
    errors.RequestTimedOut: (408, "The request did not arrive in time"),
    errors.Locked: (503, "A file is locked by another process"),
    sharing_errors.ChangedElsewhere: (503, "Another process changed the file in the meantime"),
    sharing_errors.CopyOutdated: (503, "This machine's copy of the mind is being made anew"),
    sharing_errors.NotInCustody: (503, "Another process works on the mind now"),
    errors.SettingsByHand: (409, "The settings file has to be edited by hand"),
    errors.JournalFileNotEditable: (409, "The journal file is not people's"),
    errors.StoryFault: (500, "The story could not be read or written"),
    errors.StoryUnreadable: (409, "The story can not be read"),
    errors.StoryUnwritable: (503, "The story can not be written"),
    errors.StoryRefused: (502, "The model wrote no usable chapter"),
    errors.StoryPreconditionMissing: (428, "If-Match is required"),
    errors.StoryChanged: (412, "The story has changed since it was read"),
    errors.DreamFault: (500, "The dream could not be dreamt or written"),
    errors.DreamRefused: (502, "The model dreamt nothing usable"),
    errors.DreamUnwritable: (503, "The files of the sleep can not be read or written"),
    errors.ProposalConflict: (409, "The proposal can not be accepted"),
    errors.ObservationsChanged: (412, "The observations have changed since they were read"),
    errors.JournalFileChanged: (412, "The file has changed since it was read"),
    errors.SettingsChanged: (412, "The settings have changed since they were read"),
    errors.HomeFault: (503, "The home folder can not be used"),
    errors.HomeLocked: (503, "Another service uses this home folder"),
    errors.TranscriptUnwritable: (503, "The turn could not be stored"),
    errors.DiskFull: (507, "The disk is full"),
    errors.TranscriptUnreadable: (503, "The transcript can not be read from disk"),
    errors.IndexUnusable: (503, "The full-text index can not be used"),
    errors.KeysUnreadable: (503, "The file of API keys can not be read"),
    errors.OutboxDamaged: (503, "The file of events that wait for webhooks is damaged"),
    errors.AccessRefused: (403, "Access denied"),
    errors.Unauthenticated: (401, "A valid API key is required"),
    errors.RateLimited: (429, "Too many requests"),
    errors.HostRefused: (421, "The Host header is not allowed"),
    errors.OriginRefused: (403, "The Origin header is not allowed"),
    errors.NetworkRefused: (403, "Requests from other machines need an API key"),
    errors.ModelFault: (502, "The model gave no usable answer"),
    errors.ModelUnavailable: (502, "The model is unavailable"),
    errors.ModelTimedOut: (504, "The model timed out"),
    errors.ModelCircuitOpen: (503, "The model is paused after repeated failures"),
    errors.InvalidModelOutput: (502, "The model's output is not valid"),
    errors.ModelTruncated: (502, "The model's output was truncated"),
    errors.ModelRefused: (502, "The model's content filter refused"),
    errors.RecordingRefused: (422, "The recording can not be transcribed"),
    errors.UpstreamRefused: (502, "The chat model answered with an error"),
    errors.ExtractionTimedOut: (504, "The extraction of a turn timed out"),
    errors.EmbedderFault: (503, "The embedder gave no usable vectors"),
    errors.EmbedderUnavailable: (503, "The embedder is unavailable"),
    errors.EmbedderCircuitOpen: (503, "The embedder is paused after failures"),
    errors.EmbedderMismatch: (409, "The graph was made with another embedder"),
    errors.GraphFault: (503, "The graph gave no usable answer"),
    errors.GraphUnavailable: (503, "The graph is unavailable"),
    errors.GraphTimedOut: (503, "The graph timed out"),
    errors.GraphCircuitOpen: (503, "The graph is paused after failures"),
    errors.GraphUnwritable: (503, "The graph refuses writes"),
    errors.GraphForbidden: (503, "The graph server denies permission"),
    sharing_errors.Fenced: (503, "Another service has claimed this mind"),
    errors.GraphCorrupt: (500, "The graph holds invalid data"),
    sharing_errors.DatabaseUnavailable: (503, "The database is unavailable"),
    errors.WorkerUnavailable: (503, "A worker process is being started again"),
    errors.ConfigurationFault: (500, "The configuration is not valid"),
    errors.PromptFault: (500, "A prompt template can not be used"),
}


def _slug(fault: type[errors.MemoryFault]) -> str:
    """The class's name in kebab case: ``MindNotFound`` is ``mind-not-found``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", fault.__name__).lower()


KINDS = {fault: ProblemKind(HTTPStatus(status), _slug(fault), title) for fault, (status, title) in _TABLE.items()}
BODY_TOO_LARGE = ProblemKind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body-too-large", "The body is too large")
BODY_COMPRESSED = ProblemKind(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "body-compressed", "The body is compressed")
BODY_LENGTH_UNCLEAR = ProblemKind(HTTPStatus.BAD_REQUEST, "body-length-unclear", "The length of the body is not clear")
BODY_NOT_UTF_8 = ProblemKind(HTTPStatus.BAD_REQUEST, "body-not-utf-8", "The body is not UTF-8 text")
_TEMPORARY = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE})
_INVALID = KINDS[errors.InvalidRequest]


def problem(
    kind: ProblemKind, *, detail: str, instance: str, headers: Mapping[str, str] | None = None, **more: object
) -> JSONResponse:
    """A problem document. Secrets in what it quotes are masked."""
    body = {"type": f"/problems/{kind.slug}", "title": kind.title, "status": kind.status}
    content = {**body, "detail": redact(detail).text, "instance": redact(instance).text, **more}
    return JSONResponse(content, kind.status, dict(headers or {}), media_type=MEDIA_TYPE)


def kind_of(error: Exception) -> ProblemKind:
    """The kind of the closest ancestor in the table; where the disk is full, that of a full disk."""
    if isinstance(error, errors.MemoryFault) and isinstance(error.__cause__, OSError) and is_full(error.__cause__):
        return KINDS[errors.DiskFull]
    return next(KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS)


def add_problem_handlers(app: FastAPI) -> None:
    """Make *app* answer every error with a problem document."""
    app.add_exception_handler(errors.MemoryFault, fault_response)
    app.add_exception_handler(OSError, _disk_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _client_left)
    app.add_exception_handler(Exception, _unexpected_error)


async def fault_response(request: HTTPConnection, error: Exception) -> JSONResponse:
    """The answer to one of our own errors."""
    kind = kind_of(error)
    headers = headers_of(kind, error)
    if isinstance(error, errors.InvalidRequest):
        found = [{"pointer": _sendable(error.pointer), "detail": redact(str(error)).text}]
        return problem(kind, detail=_first_of(found), instance=_path(request), errors=found)
    if isinstance(error, errors.StoryChanged):
        current = encodable(error.current)
        return problem(kind, detail=str(error), instance=_path(request), current=current, etag=error.etag)
    if isinstance(error, errors.AmbiguousMemory):
        meant = [{"id": key, "text": text} for key, text in error.candidates.items()]
        return problem(kind, detail=str(error), instance=_path(request), candidates=meant)
    return problem(kind, detail=str(error), instance=_path(request), headers=headers)


async def refuse_websocket(websocket: WebSocket, error: Exception) -> None:
    """Refuse a connection before it is accepted, by the answer to *error* where the server can send one."""
    try:
        if "websocket.http.response" in websocket.scope.get("extensions", {}):
            await websocket.send_denial_response(await fault_response(websocket, error))
        else:
            await websocket.close(_POLICY_VIOLATION)
    except (WebSocketDisconnect, OSError):
        log.debug("websocket.left", path=_path(websocket))


def of_part(error: errors.MemoryFault, *, within: str) -> dict[str, object]:
    """What a problem document would say of one part of a request; *within* is the JSON pointer to that part."""
    kind, detail = kind_of(error), redact(str(error)).text
    pointer = f"{within}{error.pointer.removeprefix('#')}" if isinstance(error, errors.InvalidRequest) else None
    found = [{"pointer": pointer, "detail": detail}] if pointer is not None else []
    return {
        "type": f"/problems/{kind.slug}",
        "title": kind.title,
        "status": kind.status.value,
        "detail": detail,
        "errors": found,
    }


def headers_of(kind: ProblemKind, error: Exception) -> dict[str, str] | None:
    """The headers that belong to an answer of this kind."""
    if isinstance(error, errors.RateLimited):
        return {"Retry-After": str(error.seconds)}
    if kind.status is HTTPStatus.REQUEST_TIMEOUT:
        return {"Connection": "close"}  # what is still coming is not read
    if kind.status is HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="mind-memory"'}
    return {"Retry-After": _RETRY_SECONDS} if kind.status in _TEMPORARY else None


async def _disk_error(request: Request, error: Exception) -> JSONResponse:
    """A file could not be read or written. Its name is not shown outside."""
    assert isinstance(error, OSError)  # noqa: S101 - registered for this type only
    kind = KINDS[errors.DiskFull if is_full(error) else errors.HomeFault]
    log.warning("request.failed", path=_path(request), reason=str(error))
    detail = error.strerror or type(error).__name__
    return problem(kind, detail=detail, instance=_path(request), headers={"Retry-After": _RETRY_SECONDS})


async def _validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    told = [{**one, "msg": _words_of_whole(one, request)} for one in error.errors()]
    found = [{"pointer": where, "detail": words} for where, words in invalid_fields(told, body=error.body).items()]
    found = found[:_MOST_ERRORS]
    return problem(_INVALID, detail=_first_of(found), instance=_path(request), errors=found)


def _first_of(found: Sequence[Mapping[str, str]]) -> str:
    """What is wrong first, with its place; the whole body needs no place."""
    if not found:
        return "See errors."
    pointer, detail = found[0]["pointer"], found[0]["detail"]
    return detail if pointer == _WHOLE_BODY else f"{pointer}: {detail}"


def words_of(error: Mapping[str, Any]) -> str:
    """What is wrong. pydantic counts the items of a text that was checked before its length was."""
    words = str(error["msg"]).removeprefix(_RAISED)
    return _ITEMS.sub(r"\1 characters", words) if isinstance(error.get("input"), str) else words


def _words_of_whole(error: Mapping[str, Any], request: Request) -> str:
    """The same. Of a body that was not read at all: what has to be sent."""
    if error["type"] == "json_invalid":
        at = error["loc"][-1]  # a route that reads its body by itself has the place in the words
        place = f" at character {at + 1}" if isinstance(at, int) else ""
        return f"the body is not JSON: {error['ctx']['error']}{place}"
    if error["loc"] == ("body",) and error["type"] == "missing":
        return "there is no body: send a JSON object, which may be empty: {}"
    if error["loc"] == ("body",) and error["type"] in _NOT_AN_OBJECT:
        is_sent_as_json = "json" in request.headers.get("content-type", "")
        return f"the body must be {'a JSON object' if is_sent_as_json else 'sent as Content-Type: application/json'}"
    return str(error["msg"])


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type only
    status = HTTPStatus(error.status_code)
    if error.detail == _UNREAD and error.__cause__ is not None:
        return await fault_response(request, errors.InvalidRequest(unread(error.__cause__), pointer=_WHOLE_BODY))
    kind = ProblemKind(status, status.phrase.lower().replace(" ", "-"), status.phrase)
    headers, detail, path = error.headers, str(error.detail), _path(request)
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_methods(request))
        headers, detail = {"Allow": allowed}, f"{path} is not called with {request.method}, but with: {allowed}"
        if _is_websocket(request):
            detail = f"{path} is a WebSocket: connect with ws:// or wss://. A proxy on the way must pass `Upgrade` on"
    elif status is HTTPStatus.NOT_FOUND and detail == status.phrase:
        detail = f"there is no route {path}: /docs lists all"
    return problem(kind, detail=detail, instance=path, headers=headers)


def unread(error: BaseException) -> str:
    """Why JSON could not be read, by what was raised."""
    if isinstance(error, RecursionError):
        return "the body is nested too deep to be read"
    if isinstance(error, UnicodeError | JSONDecodeError):
        return "the body must be JSON in UTF-8"
    return "the body is JSON that can not be read: it holds NaN, Infinity, or a number that is too large"


def _methods(request: Request) -> list[str]:
    """The methods that a path allows. The router itself names only those of the first matching route."""
    scopes = ({**request.scope, "method": method} for method in _METHODS)
    return [one["method"] for one in scopes if any(r.matches(one)[0] is Match.FULL for r in request.app.routes)]


def _is_websocket(request: Request) -> bool:
    scope = {**request.scope, "type": "websocket"}
    routes = (one for one in request.app.routes if isinstance(one, WebSocketRoute))
    return any(one.matches(scope)[0] is Match.FULL for one in routes)


async def _client_left(request: Request, error: Exception) -> Response:
    """The client went before a body that a route reads by itself had ended."""
    del error
    log.debug("request.left", path=_path(request))
    return Response(status_code=CLIENT_CLOSED)


async def _unexpected_error(request: Request, error: Exception) -> JSONResponse:
    del error  # the server logs it; the caller need not see it
    detail = "An unexpected error; it was logged."  # answered outside all middleware, so the headers are added here
    return problem(KINDS[errors.MemoryFault], detail=detail, instance=_path(request), headers=SECURITY_HEADERS)


def _path(request: HTTPConnection) -> str:
    """The path alone. A whole URL is built from the Host header, which may be anything."""
    return _sendable(str(request.scope["path"]))


def invalid_fields(found: Sequence[Mapping[str, Any]], *, body: object) -> dict[str, str]:
    """
    What is wrong with *body* by pydantic's errors: the pointer to each place, with one sentence.

    pydantic names each branch of a union as a step of the place, and says of each what it would have taken; a step that
    the body does not have is such a name. Where a branch fits but for something inside, only that is wrong.
    """
    told: dict[str, list[str]] = {}
    branched = set()
    for one in found:
        location, ends_in_branch = _within(body, one)
        pointer = pointer_of(location)
        told.setdefault(pointer, []).append(redact(words_of(one)).text)
        if ends_in_branch:
            branched.add(pointer)
    outer = {one for one in branched if any(other.startswith(f"{one}/") for other in told)}
    return {pointer: _in_one_sentence(details) for pointer, details in told.items() if pointer not in outer}


def _within(body: object, error: Mapping[str, Any]) -> tuple[list[str | int], bool]:
    """The place of *error* without the names of branches, and whether it ended in one."""
    place, *path = error["loc"]
    if place != "body" or body is None:
        return [place, *path], False
    found, value, is_branch = [place], cast("Any", body), False
    for at, part in enumerate(path):
        is_known = isinstance(value, Mapping) and part in value
        is_known = is_known or (isinstance(value, list) and part in range(len(value)))
        is_branch = not is_known and (error["type"] != "missing" or at < len(path) - 1)
        if not is_branch:
            found.append(part)
            value = value[part] if is_known else None
    return found, is_branch


def _in_one_sentence(details: Sequence[str]) -> str:
    """What branches of a union would have taken, as one sentence; of other errors, each."""
    several = tuple(dict.fromkeys(details))
    if len(several) == 1 or not all(one.startswith(_SHOULD_BE) for one in several):
        return "; ".join(several)
    *others, last = (one.removeprefix(_SHOULD_BE) for one in several)
    return f"{_SHOULD_BE}{', '.join(others)} or {last}"


def pointer_of(location: Sequence[str | int]) -> str:
    """A pointer to a body field as in RFC 9457 ("#/messages/0/role"), or the place of a parameter."""
    place, *path = (part for part in location if not str(part).startswith(BRANCH))
    if place == "body":
        return "#/" + "/".join(pointer_step(part) for part in path) if path and isinstance(path[0], str) else "#"
    return "/".join(pointer_step(part) for part in location)


def pointer_step(part: str | int) -> str:
    """One step of a JSON pointer (RFC 6901). The name of an unknown field is a stranger's text."""
    name = redact(_sendable(str(part))).text.replace("~", "~0").replace("/", "~1")
    return name if len(name) <= _LONGEST_PART else f"{name[:_LONGEST_PART]}…"


def _sendable(text: str) -> str:
    """*text* without lone surrogates, which no answer can carry."""
    return text.encode("utf-8", "replace").decode()
