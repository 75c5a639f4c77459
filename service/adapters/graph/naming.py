"""A mind's graph by name: an injective encoding in ``[a-z0-9_]``, since a hyphen silently breaks full text. Pure."""

from __future__ import annotations

import uuid

_NAMESPACE = uuid.UUID("6f1d3a52-7c1b-5f0e-9a52-0d8a1f6f7b11")
_CODES = {"_": "__", "-": "_h"}


def graph_name(mind_id: str, *, prefix: str) -> str:
    """The graph of a mind; two minds never share one."""
    return prefix + "".join(_CODES.get(letter, letter) for letter in mind_id)


def site_prefix(graph: str) -> str:
    """How the names of graphs begin that are built to take *graph*'s place: on its shard, and no mind's name."""
    return f"{{{graph}}}"


def episode_uuid(mind_id: str, turn_id: str) -> str:
    """The episode of a turn: always the same, so that saving twice saves once."""
    return str(uuid.uuid5(_NAMESPACE, f"{mind_id}\n{turn_id}"))
