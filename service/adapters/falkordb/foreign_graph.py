"""Reads a Graphiti graph of another FalkorDB, as records that an import understands. Nothing is written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from consolidation.kernel.errors import ImportUnreadable
from service.importing.fields import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMES = frozenset({"redis", "rediss", "falkor", "falkors", "unix"})
_PAGE = 500
_CONNECT_SECONDS, _READ_SECONDS = 5, 60
_MOST_NAMES = 20
_EPISODE = ("uuid", "name", "group_id", "source", "source_description", "content", "valid_at", "created_at")
_ENTITY = ("uuid", "name", "group_id", "summary", "created_at")
_FACT = ("uuid", "name", "group_id", "fact", "valid_at", "invalid_at", "expired_at", "created_at")


def is_address(text: str) -> bool:
    """Whether *text* is the address of a graph rather than a path."""
    return "://" in text and urlsplit(text).scheme in SCHEMES


def read_graph(address: str) -> Iterator[dict[str, Any]]:
    """
    Every episode in order of time, then every fact and every entity that something is known of. Blocking.

    *address* is `redis://host:port/graph` or `unix:///path/to/socket#graph`. Raises ImportUnreadable.
    """
    from falkordb import FalkorDB
    from redis.exceptions import RedisError

    server, name = _parts(address)
    where = clean(f"the graph {name!r} of {urlsplit(server).hostname or 'this machine'}")
    try:
        database = FalkorDB.from_url(server, socket_connect_timeout=_CONNECT_SECONDS, socket_timeout=_READ_SECONDS)
        try:
            names = sorted(database.list_graphs())
            if name not in names:
                listed = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
                found = f"no such graph; those of this server: {listed}. Put the name behind it"
                raise ImportUnreadable(where, found=found, known_formats=())
            yield from _records(database.select_graph(name))
        finally:
            database.close()
    except (RedisError, OSError, ValueError) as error:
        found = clean(str(error).rstrip(".") or type(error).__name__)
        raise ImportUnreadable(where, found=found, known_formats=()) from error


def _records(graph: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - falkordb has no types
    yield from _rows(graph, "MATCH (x:Episodic)", _EPISODE)
    ends = {"source_node_name": "a.name", "target_node_name": "b.name"}
    yield from _rows(graph, "MATCH (a:Entity)-[x:RELATES_TO]->(b:Entity)", _FACT, **ends)
    yield from _rows(graph, "MATCH (x:Entity) WHERE x.summary <> ''", _ENTITY)


def _rows(graph: Any, match: str, names: tuple[str, ...], **more: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    columns = {**{name: f"x.{name}" for name in names}, **more}
    by = "x.valid_at" if "valid_at" in names else "x.created_at"
    query = f"{match} RETURN {', '.join(columns.values())} ORDER BY {by}, x.uuid SKIP $skip LIMIT {_PAGE}"
    skip = 0
    while rows := graph.ro_query(query, {"skip": skip}).result_set:
        for row in rows:
            known = {name: value for name, value in zip(columns, row, strict=True) if value is not None}
            yield {name: value if isinstance(value, str) else str(value) for name, value in known.items()}
        skip += len(rows)


def _parts(address: str) -> tuple[str, str]:
    """The server, and the name of the graph behind it."""
    found = urlsplit(address)
    if found.scheme == "unix":
        return f"unix://{found.path}", unquote(found.fragment)
    return f"{found.scheme}://{found.netloc}", unquote(found.path.strip("/") or found.fragment)
