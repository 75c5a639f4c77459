"""The one place where an error becomes an HTTP answer: RFC 9457, with a pointer, without an echo of the input."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from consolidation.kernel import errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"


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
    errors.NotFound: Kind(HTTPStatus.NOT_FOUND, "not-found", "Not here"),
    errors.MindNotFound: Kind(HTTPStatus.NOT_FOUND, "mind-not-found", "No such mind"),
    errors.TraceNotFound: Kind(HTTPStatus.NOT_FOUND, "trace-not-found", "No such trace"),
    errors.TurnNotFound: Kind(HTTPStatus.NOT_FOUND, "turn-not-found", "No such turn"),
    errors.TurnConflict: Kind(HTTPStatus.CONFLICT, "turn-conflict", "The turn was accepted with other content"),
    errors.TranscriptUnwritable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "transcript-unwritable", "Nothing was stored"),
    errors.ModelFault: Kind(HTTPStatus.BAD_GATEWAY, "model-fault", "The model did not help"),
    errors.ModelUnavailable: Kind(HTTPStatus.BAD_GATEWAY, "model-unavailable", "The model is silent"),
    errors.EmbedderUnavailable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "embedder-unavailable", "No vectors"),
    errors.EmbedderMismatch: Kind(HTTPStatus.CONFLICT, "embedder-mismatch", "Another embedder made this graph"),
    errors.GraphUnavailable: Kind(HTTPStatus.SERVICE_UNAVAILABLE, "graph-unavailable", "The graph is away"),
}
_INVALID = KINDS[errors.InvalidRequest]


def problem(
    kind: Kind, *, detail: str, instance: str, headers: Mapping[str, str] | None = None, **more: object
) -> JSONResponse:
    """One problem document."""
    body = {"type": f"/problems/{kind.slug}", "title": kind.title, "status": kind.status, "detail": detail}
    content = {**body, "instance": instance, **more}
    return JSONResponse(content, kind.status, dict(headers or {}), media_type=MEDIA_TYPE)


def kind_of(error: Exception) -> Kind:
    """The closest ancestor's kind."""
    return next(KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS)


def speak_problems(app: FastAPI) -> None:
    """Make *app* answer every failure as a problem document."""
    app.add_exception_handler(errors.MemoryFault, _fault)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)


async def _fault(request: Request, error: Exception) -> JSONResponse:
    kind = kind_of(error)
    headers = {"Retry-After": _RETRY_SECONDS} if kind.status is HTTPStatus.SERVICE_UNAVAILABLE else None
    if isinstance(error, errors.InvalidRequest):
        found = [{"pointer": error.pointer, "detail": str(error)}]
        return problem(kind, detail=str(error), instance=request.url.path, errors=found)
    return problem(kind, detail=str(error), instance=request.url.path, headers=headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    found = [{"pointer": _pointer(one["loc"]), "detail": _plain(one["msg"])} for one in error.errors()]
    detail = f"{found[0]['pointer']}: {found[0]['detail']}" if found else "See errors."
    return problem(_INVALID, detail=detail, instance=request.url.path, errors=found)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type only
    status = HTTPStatus(error.status_code)
    kind = Kind(status, status.phrase.lower().replace(" ", "-"), status.phrase)
    return problem(kind, detail=str(error.detail), instance=request.url.path, headers=error.headers)


async def _unforeseen(request: Request, error: Exception) -> JSONResponse:
    del error  # the server logs it; a stranger need not see it
    return problem(KINDS[errors.MemoryFault], detail="An unforeseen error; it is logged.", instance=request.url.path)


def _pointer(location: Sequence[str | int]) -> str:
    """Point at a body field as RFC 9457 does ("#/messages/0/role"), at anything else by its place."""
    place, *path = location
    if place == "body":
        return "#/" + "/".join(str(part) for part in path) if path and isinstance(path[0], str) else "#"
    return "/".join(str(part) for part in location)


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")
