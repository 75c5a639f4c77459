"""What every failure looks like: RFC 9457."""

from __future__ import annotations

from pydantic import Field

from service.wire.fields import Answered


class FieldFault(Answered):
    """One thing that does not fit."""

    pointer: str = Field(description="A JSON pointer into the body, like #/messages/0/content, or query/limit.")
    detail: str


class Problem(Answered):
    """A problem document; `type` says which family of failures it is of."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path that was asked.")
    errors: list[FieldFault] = Field(default_factory=list, description="Where a field is at fault: which, and why.")
    current: str | None = Field(default=None, description="The story as it stands, when it is not the expected one.")
    etag: str | None = Field(default=None, description="Its ETag.")
