"""The example life, which the service loads when it is asked to."""

from __future__ import annotations

from typing import Literal

from mind_memory_client.answers import Answer


class Example(Answer):
    """How far it is loaded: ``turns`` of ``of`` are stored; it is ready once its story is told, too."""

    mind_id: str
    state: Literal["loading", "ready"]
    turns: int
    of: int
    reads_with_model: bool = False
