"""Turns from other memories' bodies, held to the same rules as the body of `POST …/turns`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from service.http.schemas.turns import TurnIn

if TYPE_CHECKING:
    from collections.abc import Mapping


def turn_in(sent: Mapping[str, Any]) -> TurnIn:
    """*sent* as our own API takes it. Raises RequestValidationError."""
    try:
        return TurnIn.model_validate(sent)
    except ValidationError as error:
        faults = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(faults) from error
