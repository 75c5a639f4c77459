"""
Encode a node or an edge of a mind's graph as one line of ``graph.jsonl``, and decode and check such a line.

``group_id``, which names the mind's graph on its server, is left out. It is set again where the mind is imported.
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

    from service.ports.embedder import Vector

GROUP = "group_id"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class RowKind:
    """
    A label or a relation type.

    *key* is the property that identifies a row, *needs* are the required properties with their types, and *vectors* the
    properties that are vectors. *ends* are the labels that an edge joins. *is_grouped* says whether rows have a
    ``group_id``.
    """

    key: str
    needs: Mapping[str, type]
    vectors: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None
    is_grouped: bool = False


_FACT = {"uuid": str, "fact": str, "name": str, "episodes": list}
_EPISODE = {"uuid": str, "name": str, "content": str, "valid_at": str, "created_at": str}
KINDS: Mapping[str, RowKind] = {
    "Episodic": RowKind("uuid", _EPISODE, is_grouped=True),
    "Passage": RowKind("uuid", {"uuid": str, "episode": str, "sequence": int}, ("embedding", "leaning")),
    "Entity": RowKind("uuid", {"uuid": str, "name": str}, ("name_embedding",), is_grouped=True),
    "Attempt": RowKind("episode", {"episode": str, "count": int}),
    "Parked": RowKind("sequence", {"sequence": int, "turn_id": str, "error": str, "attempts": int, "parked_at": str}),
    "MENTIONS": RowKind("uuid", {"uuid": str}, ends=("Episodic", "Entity"), is_grouped=True),
    "RELATES_TO": RowKind("uuid", _FACT, ("fact_embedding",), ends=("Entity", "Entity"), is_grouped=True),
    "RELATED_TO": RowKind("uuid", _FACT, ("fact_embedding",), ends=("Entity", "Entity"), is_grouped=True),
    "Cursor": RowKind("name", {"name": str, "sequence": int}),
}


class NotARow(ValueError):
    """The line is not a node or an edge that a graph of ours could hold."""


@dataclass(frozen=True, slots=True)
class Row:
    """A node, or an edge if it has *ends* (uuids). *kind* is one of KINDS."""

    kind: str
    properties: Mapping[str, Any]
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    ends: tuple[str, str] | None = None

    @property
    def key(self) -> str | int:
        """What identifies it among rows of its kind."""
        found: str | int = self.properties[KINDS[self.kind].key]
        return found


def row_of(kind: str, stored: Mapping[str, Any], ends: tuple[str, str] | None = None) -> Row:
    """Make a row from what the graph stores, with vectors among the properties."""
    import numpy as np  # takes 80 ms, which a start does not need

    vector_names = KINDS[kind].vectors
    vectors = {
        name: np.asarray(stored[name], dtype=np.float32) for name in vector_names if stored.get(name) is not None
    }
    properties = {name: value for name, value in stored.items() if name not in vector_names and name != GROUP}
    return Row(kind, properties, vectors, ends)


def encode(row: Row) -> bytes:
    """One line of JSON. Vectors are base64 of little-endian float32."""
    encoded: dict[str, Any] = {"node": row.kind} if row.ends is None else {"edge": row.kind}
    if row.ends is not None:
        encoded |= {"from": row.ends[0], "to": row.ends[1]}
    encoded["properties"] = dict(row.properties)
    if row.vectors:
        encoded["vectors"] = {
            name: base64.b64encode(vector.astype("<f4").tobytes()).decode() for name, vector in row.vectors.items()
        }
    return json.dumps(encoded, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes, *, dimension: int) -> Row:
    """Decode and check a line. Its vectors must have *dimension* numbers. Raises NotARow."""
    try:
        decoded = json.loads(line, parse_constant=_refuse_constant)
    except NotARow:
        raise
    except (ValueError, RecursionError) as error:
        raise NotARow("it is not JSON") from error
    if not isinstance(decoded, dict):
        raise NotARow("it is not an object")
    kind = decoded.get("node", decoded.get("edge"))
    if not isinstance(kind, str) or kind not in KINDS or ("edge" in decoded) != (KINDS[kind].ends is not None):
        raise NotARow("it is not a node or an edge of a known kind")
    row = Row(kind, _properties(decoded.get("properties")), _vectors(decoded.get("vectors", {}), kind, dimension))
    for name, needed in KINDS[kind].needs.items():
        if type(row.properties.get(name)) is not needed:
            raise NotARow(f"its {name} is missing or of another type")
    if not all(isinstance(episode, str) for episode in row.properties.get("episodes") or ()):
        raise NotARow("its episodes are not uuids")
    if KINDS[kind].ends is None:
        return row
    return replace(row, ends=_ends(decoded))


def _properties(found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise NotARow("it has no properties")
    for name, value in found.items():
        if _NAME.fullmatch(name) is None or name == GROUP:
            raise NotARow("it has a property with a name that is not allowed")
        for scalar in value if isinstance(value, list) else [value]:
            _check(scalar)
    return found


def _check(value: object) -> None:
    match value:
        case bool() | float() | None:
            return
        case int():
            if not -_INT64 <= value < _INT64:
                raise NotARow("it contains a number that is too large")
        case str():
            if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
                raise NotARow("it contains text that can not be stored")
        case _:
            raise NotARow("it contains a value that a graph can not store")


def _vectors(found: object, kind: str, dimension: int) -> dict[str, Vector]:
    if not isinstance(found, dict) or not found.keys() <= set(KINDS[kind].vectors):
        raise NotARow("it has a vector that its kind does not have")
    return {name: _vector(text, dimension) for name, text in found.items()}


def _vector(text: object, dimension: int) -> Vector:
    import numpy as np  # takes 80 ms, which a start does not need

    try:
        found = np.frombuffer(base64.b64decode(str(text), validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError) as error:
        raise NotARow("it has a vector that is not base64 of float32") from error
    if len(found) != dimension:
        raise NotARow(f"it has a vector of {len(found)} numbers where the manifest says {dimension}")
    if not np.isfinite(found).all():
        raise NotARow("it has a vector with a number that is not finite")
    return found


def _ends(edge: Mapping[str, Any]) -> tuple[str, str]:
    ends = (edge.get("from"), edge.get("to"))
    if not all(isinstance(end, str) for end in ends):
        raise NotARow("it is an edge without two ends")
    return str(ends[0]), str(ends[1])


def _refuse_constant(text: str) -> float:
    raise NotARow(f"it contains {text}, which is not a number of JSON")


def renamed(row: Row, uuids: Mapping[str, str]) -> Row:
    """*row* with new uuids of episodes. *uuids* maps old ones to new ones; others stay."""

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
