"""A person's Markdown file in a request and in an answer: as text, or in the field ``text`` of JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from consolidation.kernel.errors import InvalidRequest
from service.http.openapi import MARKDOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from fastapi import Request


_JSON = "application/json"
_QUALITY = re.compile(r"q=([01](?:\.\d{0,3})?)", re.IGNORECASE)


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


def wants_markdown(accept: str) -> bool:
    """Whether the header prefers Markdown to JSON (RFC 9110, section 12.5.1); of equals, where it names Markdown."""
    qualities = dict(_qualities(accept))
    markdown, json = (_closest(one, qualities) for one in (MARKDOWN, _JSON))
    return markdown[0] > 0 and (markdown > json or (markdown == json and MARKDOWN in qualities))


def _qualities(accept: str) -> Iterator[tuple[str, float]]:
    for one in accept.split(","):
        name, *parameters = (part.strip() for part in one.split(";"))
        stated = (found[1] for part in parameters if (found := _QUALITY.fullmatch(part)))
        yield name.casefold(), float(next(stated, 1))


def _closest(media_type: str, qualities: Mapping[str, float]) -> tuple[float, int]:
    """The quality of *media_type* by the range that is closest to it, and how close that is."""
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    return next(((qualities[one], -far) for far, one in enumerate(ranges) if one in qualities), (0.0, 0))
