"""The one place where an error becomes an HTTP answer: RFC 9457, with a pointer, without an echo of the input."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from consolidation.kernel import errors
from consolidation.kernel.files import is_full
from consolidation.kernel.secrets import redact
from consolidation.transcript.tombstones import TurnErased
from service.erasing.part import SessionNotFound
from service.fence import MindErasing
from service.importing.found import ImportUnreadable
from service.journal.faults import JournalFileNotFound, JournalFileTooLarge, JournalPathRefused
from service.moving.faults import ArchiveTooLarge, ArchiveUnreadable, MindExists
from service.security_headers import SECURITY_HEADERS
from service.upstream import ChatTooLarge, ModelNotFound, UpstreamRefused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"
_METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
_MOST_ERRORS = 20
_LONGEST_PART = 100


@dataclass(frozen=True, slots=True)
class Kind:
    """What a family of errors looks like from outside."""

    status: HTTPStatus
    slug: str
    title: str


KINDS: dict[type[errors.MemoryFault], Kind] = {
    errors.MemoryFault: Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "memory-fault", "Memory failed"),
    errors.InvalidRequest: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", "The request does not fit"),
    errors.InvalidMindId: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-mind-id", "That is no mind's id"),
    errors.TurnIdMismatch: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "turn-id-mismatch", "Two ids for one turn"),
    ImportUnreadable: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "import-unreadable", "That can not be imported"),
    ArchiveUnreadable: Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY, "archive-unreadable", "That is no whole archive of a mind"
    ),
    JournalPathRefused: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "journal-path-refused", "No path of the journal"),
    JournalFileTooLarge: Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "journal-file-too-large", "The file is too large"),
    errors.NotFound: Kind(HTTPStatus.NOT_FOUND, "not-found", "Not here"),
    errors.MindNotFound: Kind(HTTPStatus.NOT_FOUND, "mind-not-found", "No such mind"),
    SessionNotFound: Kind(HTTPStatus.NOT_FOUND, "session-not-found", "No such session"),
    errors.TraceNotFound: Kind(HTTPStatus.NOT_FOUND, "trace-not-found", "No such trace"),
    errors.TurnNotFound: Kind(HTTPStatus.NOT_FOUND, "turn-not-found", "No such turn"),
    errors.VersionNotFound: Kind(HTTPStatus.NOT_FOUND, "version-not-found", "No such version"),
    JournalFileNotFound: Kind(HTTPStatus.NOT_FOUND, "journal-file-not-found", "No such file in the journal"),
    ModelNotFound: Kind(HTTPStatus.NOT_FOUND, "model-not-found", "No such model"),
    errors.StoryFault: Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "story-fault", "The story failed"),
    errors.StoryLocked: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "story-locked", "The story is being written"),
    errors.StoryUnreadable: Kind(HTTPStatus.CONFLICT, "story-unreadable", "The story can not be read"),
    errors.StoryUnwritable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "story-unwritable", "The story can not be written"),
    errors.StoryRefused: Kind(HTTPStatus.BAD_GATEWAY, "story-refused", "No usable chapter was written"),
    errors.StoryUnguarded: Kind(HTTPStatus.PRECONDITION_REQUIRED, "story-unguarded", "Say which story it replaces"),
    errors.StoryChanged: Kind(HTTPStatus.PRECONDITION_FAILED, "story-changed", "The story has changed meanwhile"),
    errors.TurnConflict: Kind(HTTPStatus.CONFLICT, "turn-conflict", "The turn was accepted with other content"),
    MindExists: Kind(HTTPStatus.CONFLICT, "mind-exists", "There is such a mind already"),
    ArchiveTooLarge: Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "archive-too-large", "The archive is too large"),
    ChatTooLarge: Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "chat-too-large", "The chat is too large"),
    TurnErased: Kind(HTTPStatus.GONE, "turn-erased", "The turn was erased"),
    MindErasing: Kind(HTTPStatus.CONFLICT, "mind-erasing", "The mind is being erased"),
    errors.HomeFault: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "home-fault", "The home folder can not be used"),
    errors.HomeLocked: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "home-locked", "Another service owns this home"),
    errors.TranscriptUnwritable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "transcript-unwritable", "Nothing was stored"),
    errors.DiskFull: Kind(HTTPStatus.INSUFFICIENT_STORAGE, "disk-full", "Nothing was stored: there is no room"),
    errors.TranscriptUnreadable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "transcript-unreadable", "The disk fails"),
    errors.IndexUnusable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "index-unusable", "No full text"),
    errors.KeysUnreadable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "keys-unreadable", "The keys can not be read"),
    errors.AccessRefused: Kind(HTTPStatus.FORBIDDEN, "access-refused", "Not for you"),
    errors.KeyNeeded: Kind(HTTPStatus.UNAUTHORIZED, "key-needed", "A key is needed"),
    errors.TooOften: Kind(HTTPStatus.TOO_MANY_REQUESTS, "too-often", "Too many requests"),
    errors.HostRefused: Kind(HTTPStatus.MISDIRECTED_REQUEST, "host-refused", "No name of this service"),
    errors.OriginRefused: Kind(HTTPStatus.FORBIDDEN, "origin-refused", "Not from another site"),
    errors.NetworkRefused: Kind(HTTPStatus.FORBIDDEN, "network-refused", "Not from another machine"),
    errors.ModelFault: Kind(HTTPStatus.BAD_GATEWAY, "model-fault", "The model did not help"),
    errors.ModelUnavailable: Kind(HTTPStatus.BAD_GATEWAY, "model-unavailable", "The model is silent"),
    errors.ModelResting: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "model-resting", "The model is given a rest"),
    errors.ModelTimedOut: Kind(HTTPStatus.GATEWAY_TIMEOUT, "model-timed-out", "The model was too slow"),
    errors.ModelSpokeNonsense: Kind(HTTPStatus.BAD_GATEWAY, "model-spoke-nonsense", "The model spoke nonsense"),
    errors.ModelTruncated: Kind(HTTPStatus.BAD_GATEWAY, "model-truncated", "The model's answer was cut"),
    errors.ModelRefused: Kind(HTTPStatus.BAD_GATEWAY, "model-refused", "The model refused"),
    UpstreamRefused: Kind(HTTPStatus.BAD_GATEWAY, "upstream-refused", "The model of the chat refused"),
    errors.ExtractionTimedOut: Kind(HTTPStatus.GATEWAY_TIMEOUT, "extraction-timed-out", "Reading a turn took too long"),
    errors.EmbedderFault: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "embedder-fault", "No vectors"),
    errors.EmbedderUnavailable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "embedder-unavailable", "The embedder is silent"),
    errors.EmbedderResting: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "embedder-resting", "The embedder is left alone"),
    errors.EmbedderMismatch: Kind(HTTPStatus.CONFLICT, "embedder-mismatch", "Another embedder made this graph"),
    errors.GraphFault: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-fault", "The graph did not help"),
    errors.GraphUnavailable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-unavailable", "The graph is away"),
    errors.GraphTimedOut: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-timed-out", "The graph was too slow"),
    errors.GraphResting: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-resting", "The graph is left alone"),
    errors.GraphUnwritable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-unwritable", "The graph takes nothing in"),
    errors.GraphForbidden: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-forbidden", "The graph does not let us"),
    errors.GraphCorrupt: Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "graph-corrupt", "The graph holds something foreign"),
    errors.ConfigurationFault: Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "configuration-fault", "Wrongly configured"),
    errors.PromptFault: Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "prompt-fault", "A prompt can not be used"),
}
_MAY_END = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE})
_INVALID = KINDS[errors.InvalidRequest]


def problem(
    kind: Kind, *, detail: str, instance: str, headers: Mapping[str, str] | None = None, **more: object
) -> JSONResponse:
    """One problem document; what it quotes holds no secret."""
    body = {"type": f"/problems/{kind.slug}", "title": kind.title, "status": kind.status}
    content = {**body, "detail": redact(detail).text, "instance": redact(instance).text, **more}
    return JSONResponse(content, kind.status, dict(headers or {}), media_type=MEDIA_TYPE)


def kind_of(error: Exception) -> Kind:
    """The closest ancestor's kind."""
    return next(KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS)


def speak_problems(app: FastAPI) -> None:
    """Make *app* answer every failure as a problem document."""
    app.add_exception_handler(errors.MemoryFault, speak_fault)
    app.add_exception_handler(OSError, _disk)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)


async def speak_fault(request: Request, error: Exception) -> JSONResponse:
    """The answer to a fault of ours."""
    kind = kind_of(error)
    headers = _headers(kind, error)
    if isinstance(error, errors.InvalidRequest):
        found = [{"pointer": error.pointer, "detail": redact(str(error)).text}]
        return problem(kind, detail=str(error), instance=_path(request), errors=found)
    if isinstance(error, errors.StoryChanged):
        current = error.current.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return problem(kind, detail=str(error), instance=_path(request), current=current, etag=error.etag)
    return problem(kind, detail=str(error), instance=_path(request), headers=headers)


def _headers(kind: Kind, error: Exception) -> dict[str, str] | None:
    if isinstance(error, errors.TooOften):
        return {"Retry-After": str(error.seconds)}
    if kind.status is HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="mind-memory"'}
    return {"Retry-After": _RETRY_SECONDS} if kind.status in _MAY_END else None


async def _disk(request: Request, error: Exception) -> JSONResponse:
    """A file could not be read or written; its name is nobody's business outside."""
    assert isinstance(error, OSError)  # noqa: S101 - registered for this type only
    kind = KINDS[errors.DiskFull if is_full(error) else errors.HomeFault]
    log.warning("request.failed", path=_path(request), reason=str(error))
    detail = error.strerror or type(error).__name__
    return problem(kind, detail=detail, instance=_path(request), headers={"Retry-After": _RETRY_SECONDS})


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    found = [
        {"pointer": _pointer(one["loc"]), "detail": redact(_plain(one["msg"])).text}
        for one in error.errors()[:_MOST_ERRORS]
    ]
    detail = f"{found[0]['pointer']}: {found[0]['detail']}" if found else "See errors."
    return problem(_INVALID, detail=detail, instance=_path(request), errors=found)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type only
    status = HTTPStatus(error.status_code)
    kind = Kind(status, status.phrase.lower().replace(" ", "-"), status.phrase)
    headers = {"Allow": ", ".join(_methods(request))} if status is HTTPStatus.METHOD_NOT_ALLOWED else error.headers
    return problem(kind, detail=str(error.detail), instance=_path(request), headers=headers)


def _methods(request: Request) -> list[str]:
    """All that a path may be asked with: the router names those of the first route alone."""
    asked = ({**request.scope, "method": method} for method in _METHODS)
    return [one["method"] for one in asked if any(r.matches(one)[0] is Match.FULL for r in request.app.routes)]


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    del error  # the server logs it; a stranger need not see it
    detail = "An unforeseen error; it is logged."  # said outside of all middleware, so the headers are put on here
    return problem(KINDS[errors.MemoryFault], detail=detail, instance=_path(request), headers=SECURITY_HEADERS)


def _path(request: Request) -> str:
    """The path alone: a whole address is built of the Host header, which may be nonsense."""
    return _speakable(str(request.scope["path"]))


def _pointer(location: Sequence[str | int]) -> str:
    """Point at a body field as RFC 9457 does ("#/messages/0/role"), at anything else by its place."""
    place, *path = location
    if place == "body":
        return "#/" + "/".join(_escaped(part) for part in path) if path and isinstance(path[0], str) else "#"
    return "/".join(_escaped(part) for part in location)


def _escaped(part: str | int) -> str:
    """One step of a JSON pointer (RFC 6901); the name of an unknown field is a stranger's text."""
    name = redact(_speakable(str(part))).text.replace("~", "~0").replace("/", "~1")
    return name if len(name) <= _LONGEST_PART else f"{name[:_LONGEST_PART]}…"


def _speakable(text: str) -> str:
    """*text* without lone surrogates, which no answer can carry."""
    return text.encode("utf-8", "replace").decode()


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")
