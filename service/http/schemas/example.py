"""The example life: how far it is loaded."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from service.http.schemas.fields import Answered


class ExampleOut(Answered):
    """How far the example life is loaded."""

    mind_id: str = Field(description="The mind that it is: `example`.")
    state: Literal["loading", "ready"] = Field(description="`ready` once every turn is read and the story is told.")
    turns: int = Field(description="Turns that are stored so far.")
    of: int = Field(description="Turns of the whole life.")
    reads_with_model: bool = Field(
        default=False, description="Always false: a hosted language model is not asked for facts, nor for the story."
    )


EXAMPLE_READY: dict[str, Any] = {
    "mind_id": "example",
    "state": "ready",
    "turns": 295,
    "of": 295,
    "reads_with_model": False,
}
