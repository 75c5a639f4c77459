"""The problem document that every error answers with (RFC 9457)."""

from __future__ import annotations

from pydantic import Field

from service.http.schemas.fields import Answered


class FieldFault(Answered):
    """One invalid field."""

    pointer: str = Field(
        description="A JSON pointer into the body, like #/messages/0/content, or a parameter, like query/limit."
    )
    detail: str


class Problem(Answered):
    """A problem document. `type` identifies the kind of error."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path of the request.")
    errors: list[FieldFault] = Field(default_factory=list, description="The invalid fields, and why.")
    current: str | None = Field(default=None, description="The current story, if it is not the expected one.")
    etag: str | None = Field(default=None, description="The ETag of `current`.")
