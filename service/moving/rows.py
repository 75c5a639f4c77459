"""
A node or an edge of a mind's graph as one line of ``graph.jsonl``, and back, believed where it is one of ours. Pure.

What names the mind or its server (``group_id``) is left out: it is made anew where the mind is imported.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.ports import Vector

GROUP = "group_id"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_WHOLE = 2**63


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A label or a relation type: what tells one row from another, what each must have, what is a vector.

    *ends* are the labels an edge joins; *is_grouped*, whether its rows name the graph they are in.
    """

    key: str
    needs: Mapping[str, type]
    vectors: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    is_grouped: bool = False


_FACT = {"uuid": str, "fact": str, "name": str, "episodes": list}
_EPISODE = {"uuid": str, "name": str, "content": str, "valid_at": str, "created_at": str}
KINDS: Mapping[str, Kind] = {
    "Episodic": Kind("uuid", _EPISODE, is_grouped=True),
    "Passage": Kind("uuid", {"uuid": str, "episode": str, "sequence": int}, ("embedding", "leaning")),
    "Entity": Kind("uuid", {"uuid": str, "name": str}, ("name_embedding",), is_grouped=True),
    "Attempt": Kind("episode", {"episode": str, "count": int}),
    "Parked": Kind("sequence", {"sequence": int, "turn_id": str, "error": str, "attempts": int, "parked_at": str}),
    "MENTIONS": Kind("uuid", {"uuid": str}, ends=("Episodic", "Entity"), is_grouped=True),
    "RELATES_TO": Kind("uuid", _FACT, ("fact_embedding",), ends=("Entity", "Entity"), is_grouped=True),
    "RELATED_TO": Kind("uuid", _FACT, ("fact_embedding",), ends=("Entity", "Entity"), is_grouped=True),
    "Cursor": Kind("name", {"name": str, "sequence": int}),
}


class NotARow(ValueError):
    """The line is no node or edge that a graph of ours could hold."""


@dataclass(frozen=True, slots=True)
class Row:
    """A node, or, where it has *ends* (uuids), an edge; *kind* is one of KINDS."""

    kind: str
    properties: Mapping[str, Any]
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    ends: tuple[str, str] | None = None

    @property
    def key(self) -> str | int:
        """What tells it from others of its kind."""
        found: str | int = self.properties[KINDS[self.kind].key]
        return found


def row_of(kind: str, stored: Mapping[str, Any], ends: tuple[str, str] | None = None) -> Row:
    """A row as the graph stores it, its vectors among its properties."""
    import numpy as np  # 80 ms that a start has no need of

    named = KINDS[kind].vectors
    vectors = {name: np.asarray(stored[name], dtype=np.float32) for name in named if stored.get(name) is not None}
    properties = {name: value for name, value in stored.items() if name not in named and name != GROUP}
    return Row(kind, properties, vectors, ends)


def encode(row: Row) -> bytes:
    """One line of JSON; vectors as base64 of their little-endian float32."""
    said: dict[str, Any] = {"node": row.kind} if row.ends is None else {"edge": row.kind}
    if row.ends is not None:
        said |= {"from": row.ends[0], "to": row.ends[1]}
    said["properties"] = dict(row.properties)
    if row.vectors:
        said["vectors"] = {
            name: base64.b64encode(vector.astype("<f4").tobytes()).decode() for name, vector in row.vectors.items()
        }
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes, *, dimension: int) -> Row:
    """Read a line; its vectors must have *dimension* numbers. Raises NotARow."""
    try:
        said = json.loads(line, parse_constant=_no_number)
    except NotARow:
        raise
    except (ValueError, RecursionError) as error:
        raise NotARow("it is no JSON") from error
    if not isinstance(said, dict):
        raise NotARow("it is no object")
    kind = said.get("node", said.get("edge"))
    if not isinstance(kind, str) or kind not in KINDS or ("edge" in said) != (KINDS[kind].ends is not None):
        raise NotARow("it is no node or edge of a kind that a graph has")
    row = Row(kind, _properties(said.get("properties")), _vectors(said.get("vectors", {}), kind, dimension))
    for name, needed in KINDS[kind].needs.items():
        if type(row.properties.get(name)) is not needed:
            raise NotARow(f"its {name} is missing, or of another type")
    if not all(isinstance(episode, str) for episode in row.properties.get("episodes") or ()):
        raise NotARow("its episodes are no uuids")
    if KINDS[kind].ends is None:
        return row
    return replace(row, ends=_ends(said))


def _properties(said: object) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise NotARow("it has no properties")
    for name, value in said.items():
        if _NAME.fullmatch(name) is None or name == GROUP:
            raise NotARow("it has a property that can not be called so")
        for one in value if isinstance(value, list) else [value]:
            _check(one)
    return said


def _check(value: object) -> None:
    match value:
        case bool() | float() | None:
            return
        case int():
            if not -_WHOLE <= value < _WHOLE:
                raise NotARow("it holds a number that is too large")
        case str():
            if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
                raise NotARow("it holds text that can not be stored")
        case _:
            raise NotARow("it holds a value that a graph can not")


def _vectors(said: object, kind: str, dimension: int) -> dict[str, Vector]:
    if not isinstance(said, dict) or not said.keys() <= set(KINDS[kind].vectors):
        raise NotARow("it has a vector that its kind does not have")
    return {name: _vector(text, dimension) for name, text in said.items()}


def _vector(text: object, dimension: int) -> Vector:
    import numpy as np  # 80 ms that a start has no need of

    try:
        found = np.frombuffer(base64.b64decode(str(text), validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError) as error:
        raise NotARow("it has a vector that is no base64 of float32") from error
    if len(found) != dimension:
        raise NotARow(f"it has a vector of {len(found)} numbers where the manifest says {dimension}")
    if not np.isfinite(found).all():
        raise NotARow("it has a vector that is no vector")
    return found


def _ends(said: Mapping[str, Any]) -> tuple[str, str]:
    ends = (said.get("from"), said.get("to"))
    if not all(isinstance(end, str) for end in ends):
        raise NotARow("it joins nothing")
    return str(ends[0]), str(ends[1])


def _no_number(text: str) -> float:
    raise NotARow(f"it holds {text}, which is no number")


def renamed(row: Row, uuids: Mapping[str, str]) -> Row:
    """*row* with the episodes it is, or names, called as *uuids* says."""

    def new(old: str) -> str:
        return uuids.get(old, old)

    properties = dict(row.properties)
    match row.kind:
        case "Episodic":
            properties["uuid"] = new(properties["uuid"])
        case "Passage":
            passage, _, number = properties["uuid"].rpartition("/")
            properties |= {"uuid": f"{new(passage)}/{number}", "episode": new(properties["episode"])}
        case "Attempt":
            properties["episode"] = new(properties["episode"])
        case "RELATES_TO" | "RELATED_TO":
            properties["episodes"] = [new(episode) for episode in properties["episodes"]]
        case "MENTIONS":
            assert row.ends is not None  # noqa: S101 - an edge
            return replace(row, ends=(new(row.ends[0]), row.ends[1]))
        case _:
            return row
    return replace(row, properties=properties)
