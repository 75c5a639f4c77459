"""What the doors for other memories' clients share: their bodies as our turns, our times as text, a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from fastapi import HTTPException, status
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from service.http.schemas.turns import TurnIn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


def turn_in(sent: Mapping[str, Any]) -> TurnIn:
    """*sent* as our own API takes it, held to the same rules. Raises RequestValidationError."""
    try:
        return TurnIn.model_validate(sent)
    except ValidationError as error:
        faults = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(faults, body=sent) from error


def iso(instant: datetime | None) -> str | None:
    """A time as text."""
    return instant.isoformat() if instant is not None else None


def refuse(reason: str, *, page: str) -> NoReturn:
    """Say that a call is not served, why, and on which page of the documentation stands what is."""
    raise HTTPException(status.HTTP_501_NOT_IMPLEMENTED, f"{reason}; what is served: docs/{page}")
