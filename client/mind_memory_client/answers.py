"""What every answer of the service is built from."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """An answer, or a part of one."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)


class DroppedMessage(Answer):
    """A message, or a secret in one, that is not remembered; ``index`` is None for the metadata."""

    index: int | None
    reason: str
