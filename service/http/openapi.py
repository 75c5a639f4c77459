"""What the OpenAPI document says about answers: a real example, and the problems a route may answer with."""

from functools import cache
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI

from consolidation.kernel import errors
from service.access.authenticator import ALIVE, READY
from service.http.problems import BODY_COMPRESSED, BODY_NOT_UTF_8, BODY_TOO_LARGE, KINDS, MEDIA_TYPE, ProblemKind
from service.http.schemas.problem import FieldFault, Problem

MARKDOWN = "text/markdown"

EVERYWHERE = (401, 403, 421, 429)  # every route may answer these, except the open ones
_OPEN = (ALIVE, READY)
_SCHEME = {"type": "http", "scheme": "bearer", "description": "Needed once `mind-memory keys create` has made a key."}

type Answers = dict[int | str, dict[str, Any]]

_PATH = "/v1/minds/global-user-memory/turns"
_FAULT = {"pointer": "#/messages/0/role", "detail": "Field required"}
_EXAMPLES: dict[int, tuple[ProblemKind, str]] = {
    400: (BODY_NOT_UTF_8, "the body must be JSON or text in UTF-8, without …"),
    401: (KINDS[errors.Unauthenticated], "send a valid key: `Authorization: Bearer mm_…`; …"),
    403: (KINDS[errors.OriginRefused], "a web page of another site may not use this memory"),
    404: (KINDS[errors.MindNotFound], "no mind is called 'global-user-memory'; its first turn creates it"),
    408: (KINDS[errors.RequestTimedOut], "the body, or its next part, did not arrive within 30 seconds"),
    409: (KINDS[errors.TurnConflict], "a turn of the id 'turn-7' was already accepted …"),
    410: (KINDS[errors.TurnErased], "the turn of the id 'turn-7' was erased and is not kept again; …"),
    412: (KINDS[errors.StoryChanged], "the story has changed since it was read; …"),
    413: (BODY_TOO_LARGE, "a request may have 1048576 bytes"),
    415: (BODY_COMPRESSED, "the body must be JSON or text in UTF-8, without NUL and not …"),
    421: (KINDS[errors.HostRefused], "the Host header names no service of this machine; …"),
    422: (KINDS[errors.InvalidRequest], "#/messages/0/role: Field required"),
    428: (KINDS[errors.StoryPreconditionMissing], "send If-Match with the ETag of the story that …"),
    429: (KINDS[errors.RateLimited], "this key asks too often"),
    502: (KINDS[errors.ModelUnavailable], "openai/whisper-1 can not be reached: …"),
    503: (KINDS[errors.TranscriptUnwritable], "the turn could not be stored: Input/output error"),
    504: (KINDS[errors.ModelTimedOut], "openai/whisper-1 did not answer within 60 s"),
    507: (KINDS[errors.DiskFull], "the turn could not be stored: No space left on device"),
}
_ARCHIVE_EXAMPLES: dict[int, tuple[ProblemKind, str]] = {
    409: (KINDS[errors.MindExists], "there is a mind 'global-user-memory' already: import under …"),
    413: (KINDS[errors.ArchiveTooLarge], "an archive may have 4294967296 bytes"),
    422: (KINDS[errors.ArchiveUnreadable], "'STORY.md' in the archive: its SHA-256 is not …"),
}


def answers(example: object, *problems: int, status: int = 200) -> Answers:
    """The ``responses`` of a route: *example* under *status*, and its *problems* by status."""
    found: Answers = {status: {"content": {"application/json": {"example": example}}}}
    return found | {number: _problem(number) for number in problems}


def answers_to_archive(example: object) -> Answers:
    """The ``responses`` of a route that takes an archive."""
    found = answers(example, 503, status=HTTPStatus.CREATED)
    return found | {number: _problem(number, _ARCHIVE_EXAMPLES) for number in _ARCHIVE_EXAMPLES}


def answers_with_markdown(example: object, *problems: int) -> Answers:
    """The ``responses`` of a route that answers Markdown if the client accepts it."""
    found = answers(example, *problems)
    found[200]["content"][MARKDOWN] = {"schema": {"type": "string"}}
    return found


def answers_with_archive(*problems: int) -> Answers:
    """The ``responses`` of a route that answers an archive."""
    found: Answers = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
    return found | {number: _problem(number) for number in problems}


def document_access(app: FastAPI) -> None:
    """Add to *app*'s document how requests are authenticated, and the refusals this can cause."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        if "security" not in document:
            document["security"] = [{"key": []}]
            document.setdefault("components", {})["securitySchemes"] = {"key": _SCHEME}
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    _guard(operation, is_open=path in _OPEN)
                    if method != "get" and MEDIA_TYPE in operation["responses"].get("503", {}).get("content", {}):
                        operation["responses"].setdefault("507", _problem(507))  # what it can not write
        return document

    app.openapi = openapi  # type: ignore[method-assign] # how FastAPI is extended


def _guard(operation: dict[str, Any], *, is_open: bool) -> None:
    refusals = () if is_open else EVERYWHERE
    of_bodies = (408, 415) if "requestBody" in operation else ()
    for number in (*refusals, *of_bodies):
        # What a route says about a status itself stays: the proxy answers in another format.
        operation["responses"].setdefault(str(number), _problem(number))
    if is_open:
        operation["security"] = []


def _problem(number: int, examples: dict[int, tuple[ProblemKind, str]] = _EXAMPLES) -> dict[str, Any]:
    kind, detail = examples[number]
    example: dict[str, Any] = {
        "type": f"/problems/{kind.slug}",
        "title": kind.title,
        "status": number,
        "detail": detail,
    }
    example |= {"instance": _PATH} | ({"errors": [_FAULT]} if number == HTTPStatus.UNPROCESSABLE_ENTITY else {})
    return {"description": kind.title, "content": {MEDIA_TYPE: {"schema": _schema(), "example": example}}}


@cache
def _schema() -> dict[str, Any]:
    """
    The problem's schema in one piece. OpenAPI lists a schema by name only where a JSON answer uses it.

    Made once: routes name it hundreds of times, which cost a fifth of what importing the service takes.
    """
    schema = Problem.model_json_schema()
    schema.pop("$defs")
    schema["properties"]["errors"]["items"] = FieldFault.model_json_schema()
    return schema
