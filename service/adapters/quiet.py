"""Keeps Graphiti from calling home, before it is imported: the switches are read at import."""

from __future__ import annotations

import os

_SWITCHES = {"GRAPHITI_TELEMETRY_ENABLED": "false", "SEMAPHORE_LIMIT": "8"}


def hush_graphiti(*, dimension: int) -> None:
    """Turn telemetry off and tell Graphiti how long our vectors are."""
    os.environ.update(_SWITCHES, EMBEDDING_DIM=str(dimension))
