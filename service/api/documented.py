"""What OpenAPI tells of a route's answers: a real example, and the problems it may answer with."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI

from service.access.doorkeeper import ALIVE, READY
from service.problems import MEDIA_TYPE
from service.wire.problem import FieldFault, Problem

MARKDOWN = "text/markdown"

EVERYWHERE = (401, 403, 421, 429)  # what any route may answer but those that are open to all
_OPEN = (ALIVE, READY)
_SCHEME = {"type": "http", "scheme": "bearer", "description": "Needed once `mind-memory keys create` has made a key."}

type Answers = dict[int | str, dict[str, Any]]

_PATH = "/v1/minds/global-user-memory/turns"
_FAULT = {"pointer": "#/messages/0/role", "detail": "Field required"}
_PROBLEMS: dict[int, tuple[str, str, str]] = {
    400: ("body-not-utf-8", "The body is no UTF-8 text", "a request is JSON or text in UTF-8, without …"),
    401: ("key-needed", "A key is needed", "send a valid key: `Authorization: Bearer mm_…`; …"),
    403: ("origin-refused", "Not from another site", "a web page of another site may not use this memory"),
    404: ("mind-not-found", "No such mind", "no mind is called 'global-user-memory'; its first turn creates it"),
    409: ("turn-conflict", "The turn was accepted with other content", "a turn of this id was already accepted …"),
    410: ("turn-erased", "The turn was erased", "the turn of this id was erased and is not kept again; …"),
    412: ("story-changed", "The story has changed meanwhile", "the story has changed since it was read; …"),
    413: ("body-too-large", "The body is too large", "a request may have 1048576 bytes"),
    415: ("body-compressed", "The body is compressed", "a request is JSON or text in UTF-8, without NUL and not …"),
    421: ("host-refused", "No name of this service", "the Host header names no service of this machine; …"),
    422: ("invalid-request", "The request does not fit", "#/messages/0/role: Field required"),
    428: ("story-unguarded", "Say which story it replaces", "send If-Match with the ETag of the story that …"),
    429: ("too-often", "Too many requests", "this key asks too often"),
    503: ("transcript-unwritable", "Nothing was stored", "the turn could not be stored: Input/output error"),
    507: ("disk-full", "Nothing was stored: there is no room", "the turn could not be stored: No space left on device"),
}


_OF_ARCHIVES: dict[int, tuple[str, str, str]] = {
    409: (
        "mind-exists",
        "There is such a mind already",
        "there is a mind 'global-user-memory' already: import under …",
    ),
    413: ("archive-too-large", "The archive is too large", "an archive may have 4294967296 bytes"),
    422: (
        "archive-unreadable",
        "That is no whole archive of a mind",
        "'STORY.md' in the archive: its SHA-256 is not …",
    ),
}


def answers(example: object, *problems: int, status: int = 200) -> Answers:
    """The ``responses`` of a route: *example* under *status*, and its *problems* by status."""
    found: Answers = {status: {"content": {"application/json": {"example": example}}}}
    return found | {number: _problem(number) for number in problems}


def answers_to_archive(example: object) -> Answers:
    """The ``responses`` of a route that takes an archive."""
    found = answers(example, 503, status=HTTPStatus.CREATED)
    return found | {number: _problem(number, _OF_ARCHIVES) for number in _OF_ARCHIVES}


def markdown_too(example: object, *problems: int) -> Answers:
    """The ``responses`` of a route that answers Markdown as it is when that is what is accepted."""
    found = answers(example, *problems)
    found[200]["content"][MARKDOWN] = {"schema": {"type": "string"}}
    return found


def archive_of(*problems: int) -> Answers:
    """The ``responses`` of a route that answers an archive."""
    found: Answers = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}
    return found | {number: _problem(number) for number in problems}


def document_access(app: FastAPI) -> None:
    """Tell in *app*'s document what stands in front of its routes: keys, and what they may be refused with."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        if "security" not in document:
            document["security"] = [{"key": []}]
            document.setdefault("components", {})["securitySchemes"] = {"key": _SCHEME}
            for path, operations in document["paths"].items():
                for operation in operations.values():
                    _guard(operation, is_open=path in _OPEN)
        return document

    app.openapi = openapi  # type: ignore[method-assign] # how FastAPI is extended


def _guard(operation: dict[str, Any], *, is_open: bool) -> None:
    refusals = () if is_open else EVERYWHERE
    compressed = (415,) if "requestBody" in operation else ()
    for number in (*refusals, *compressed):
        known, told = operation["responses"].get(str(number), {}), _problem(number)
        told["content"] |= known.get("content", {})  # what the route itself says under this number, in its own words
        operation["responses"][str(number)] = told
    if is_open:
        operation["security"] = []


def _problem(number: int, told: dict[int, tuple[str, str, str]] = _PROBLEMS) -> dict[str, Any]:
    slug, title, detail = told[number]
    example: dict[str, Any] = {"type": f"/problems/{slug}", "title": title, "status": number, "detail": detail}
    example |= {"instance": _PATH} | ({"errors": [_FAULT]} if number == HTTPStatus.UNPROCESSABLE_ENTITY else {})
    return {"description": title, "content": {MEDIA_TYPE: {"schema": _schema(), "example": example}}}


def _schema() -> dict[str, Any]:
    """The problem's schema in one piece: OpenAPI lists a schema only where JSON of it is answered."""
    schema = Problem.model_json_schema()
    schema.pop("$defs")
    schema["properties"]["errors"]["items"] = FieldFault.model_json_schema()
    return schema
