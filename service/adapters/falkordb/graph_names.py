"""What the server calls a mind's graph: its id in ``[a-z0-9_]``, since a hyphen silently breaks full text."""

from __future__ import annotations

import re

from consolidation.workspace import MIND_ID

_CODES = {"_": "__", "-": "_h"}
_LETTERS = {code: letter for letter, code in _CODES.items()}
_CODE = re.compile("__|_h")


def graph_name(mind_id: str, *, prefix: str) -> str:
    """Return the name of a mind's graph; no two minds share one."""
    return prefix + "".join(_CODES.get(letter, letter) for letter in mind_id)


def mind_of(graph: str, *, prefix: str) -> str | None:
    """Return the id of the mind whose graph is called *graph*; None for a site, and for what is not ours."""
    letters = graph.removeprefix(prefix)
    mind_id = _CODE.sub(lambda code: _LETTERS[code[0]], letters)
    is_ours = graph.startswith(prefix) and graph_name(mind_id, prefix=prefix) == graph
    return mind_id if is_ours and re.fullmatch(MIND_ID, mind_id) else None


def site_prefix(graph: str) -> str:
    """
    Return how the names of the sites of *graph* begin, where a graph is built to take its place.

    No mind's graph is called so, and a cluster stores both on one shard, so that a site can be renamed to *graph*.
    """
    return f"{{{graph}}}"
