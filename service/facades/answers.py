"""What answers to other memories' clients have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from fastapi import HTTPException, status

if TYPE_CHECKING:
    from datetime import datetime


def refuse(reason: str, *, page: str) -> NoReturn:
    """Say that a call is not served, why, and on which page of the documentation stands what is."""
    raise HTTPException(status.HTTP_501_NOT_IMPLEMENTED, f"{reason}; what is served: docs/{page}")


def iso(instant: datetime | None) -> str | None:
    """A time as text."""
    return instant.isoformat() if instant is not None else None
