"""What the server calls a mind's graph: its id in ``[a-z0-9_]``, since a hyphen silently breaks full text."""

from __future__ import annotations

_CODES = {"_": "__", "-": "_h"}


def graph_name(mind_id: str, *, prefix: str) -> str:
    """Return the name of a mind's graph; no two minds share one."""
    return prefix + "".join(_CODES.get(letter, letter) for letter in mind_id)


def site_prefix(graph: str) -> str:
    """
    Return how the names of the sites of *graph* begin, where a graph is built to take its place.

    No mind's graph is called so, and a cluster stores both on one shard, so that a site can be renamed to *graph*.
    """
    return f"{{{graph}}}"
