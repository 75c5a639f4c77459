"""A person's Markdown file in a request and in an answer: as text, or in the field ``text`` of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from consolidation.kernel.errors import InvalidRequest

if TYPE_CHECKING:
    from typing import Self

    from fastapi import Request


class Posted(Protocol):
    """A body whose field ``text`` is the file."""

    @property
    def text(self) -> str:
        """The file."""
        ...

    @classmethod
    def model_validate_json(cls, json_data: bytes | str) -> Self:
        """Read it. Raises ValidationError."""
        ...


async def posted_text(request: Request, schema: type[Posted]) -> str:
    """The file in a request's body, which was checked to be UTF-8. Raises InvalidRequest, RequestValidationError."""
    body = (await request.body()).decode()
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (body or media_type):
        raise InvalidRequest("send the new text; an empty one needs a Content-Type", pointer="#")
    if not media_type or media_type.startswith("text/"):
        return body
    if media_type != "application/json":
        raise InvalidRequest("must be sent as Content-Type: text/markdown or application/json", pointer="#")
    try:
        return schema.model_validate_json(body).text
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error


def encodable(text: str) -> str:
    """*text* as JSON can carry it: bytes that are not UTF-8 become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
