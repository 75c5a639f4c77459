"""
What extraction makes of a saved episode in memory: the rules of Graphiti and of our seams in it, in plain Python.

Two rules of Graphiti's own have no place here: it takes names for one that share nine in ten of their letter triples,
and dates what somebody will do at the day of saying so.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from consolidation.kernel.errors import GraphFault, GraphUnavailable
from service.adapters.memory_graph.content import instant, joined
from service.archive.graph_rows import Row
from service.ingest.extraction_prompts import KnownItem
from service.ingest.provenance import LONGEST_SUMMARY, SHORTENED_SUMMARY, newest_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction, Fact
    from service.adapters.memory_graph.content import Content
    from service.ingest.extraction_prompts import TurnReader
    from service.ports.embedder import Embedder, Vector
    from service.ports.graph import Episode

    type Matrix = NDArray[np.float64]

_NAMESAKES, _IDENTICAL = 6, 0.9999  # names that a new one is compared with; the cosine of a name with itself
_SIMILAR = 0.2  # the least cosine at which names and facts are compared
_COMPARED = 10  # known facts that a new one is compared with: so many between its ends, so many elsewhere


@dataclass(slots=True)
class _Named:
    """An entity as the episode names it: a row of the graph, or one to be added."""

    row: Row
    is_known: bool


@dataclass(slots=True)
class _Told:
    """A fact as the episode tells it, and what it ends: rows with their new properties."""

    row: Row
    is_new: bool
    ended: list[Row] = field(default_factory=list)


async def extract(
    prepared: Callable[[], Content],
    episode: Episode,
    *,
    previous: Sequence[Message],
    reader: TurnReader,
    embedder: Embedder,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Extract one saved episode; the uuids of the facts and of the entities that it touched.

    Nothing is written before everything is known. Raises GraphUnavailable where a known entity has gone meanwhile.
    """
    stored = prepared().rows["Episodic"]
    if episode.uuid not in stored:
        raise GraphFault("there is no such episode to extract")
    at = str(stored[episode.uuid].properties["valid_at"])
    extraction = await reader.read(said=episode.said, previous=previous, occurred_at=at)

    names = _names(extraction)
    named = dict(zip(map(_key, names), await _resolved(prepared(), names, reader, embedder), strict=True))
    facts = [fact for fact in extraction.facts if _is_fact(fact)]
    ends = dict.fromkeys(end.strip() for fact in facts for end in (fact.source, fact.target))
    more = {_key(name): name for name in ends if _key(name) not in named}
    by_own_name = {_key(str(one.row.properties["name"])): one for one in named.values()}
    named |= {key: by_own_name[key] for key in more if key in by_own_name}
    unknown = {key: name for key, name in more.items() if key not in by_own_name}
    resolved = await _resolved(prepared(), tuple(unknown.values()), reader, embedder)
    named |= dict(zip(unknown, resolved, strict=True))

    told = await _told(prepared(), facts, named, episode=episode.uuid, at=at, reader=reader, embedder=embedder)
    return _write(prepared(), episode.uuid, tuple(named.values()), told, kind_of=reader.kind_of)


def _names(extraction: Extraction) -> tuple[str, ...]:
    """The names of entities, each once, the longer spelling of two."""
    found: dict[str, str] = {}
    for name in (entity.name.strip() for entity in extraction.entities):
        if name and len(name) > len(found.get(_key(name), "")):
            found[_key(name)] = name
    return tuple(found.values())


def _is_fact(fact: Fact) -> bool:
    source, target = fact.source.strip(), fact.target.strip()
    return bool(source and target and fact.fact.strip()) and source.casefold() != target.casefold()


async def _resolved(
    content: Content, names: Sequence[str], reader: TurnReader, embedder: Embedder
) -> tuple[_Named, ...]:
    """For each name the entity of that name, or the one that the reader takes for it, or a new one."""
    vectors = await _embedded(embedder, names)
    candidates = [_namesakes(content, name, vector) for name, vector in zip(names, vectors, strict=True)]
    found: list[_Named | None] = []
    for name, rows in zip(names, candidates, strict=True):
        same = [row for row in rows if _key(row.properties["name"]) == _key(name)]
        found.append(_Named(same[0], is_known=True) if len(same) == 1 else None)
    asked = [at for at, one in enumerate(found) if one is None and candidates[at]]
    known = list({row.key: row for at in asked for row in candidates[at]}.values())
    if asked:
        taken = await reader.identify(
            [KnownItem(number, names[at]) for number, at in enumerate(asked)],
            [KnownItem(number, row.properties["name"], _shown(row)) for number, row in enumerate(known)],
        )
        for number, at in enumerate(asked):
            if number in taken:
                found[at] = _Named(known[taken[number]], is_known=True)
    return tuple(
        one or _Named(_entity(name, vector), is_known=False)
        for name, vector, one in zip(names, vectors, found, strict=True)
    )


def _shown(row: Row) -> str:
    return str(row.properties.get("summary") or "")[:120]


def _namesakes(content: Content, name: str, vector: Vector) -> list[Row]:
    """Entities of that very name, then those with the nearest names; one of an identical name alone."""
    rows = [row for row in content.all("Entity") if "name_embedding" in row.vectors]
    nearest = _nearest(rows, "name_embedding", vector)[:_NAMESAKES]
    least = _IDENTICAL if nearest and nearest[0][1] >= _IDENTICAL else _SIMILAR
    exact = [row for row in content.all("Entity") if row.properties["name"] == name]
    return list({row.key: row for row in (*exact, *(row for row, cosine in nearest if cosine > least))}.values())


def _entity(name: str, vector: Vector) -> Row:
    properties = {"uuid": str(uuid4()), "name": name, "summary": "", "created_at": _now()}
    return Row("Entity", properties, {"name_embedding": vector})


async def _told(
    content: Content,
    facts: Sequence[Fact],
    named: dict[str, _Named],
    *,
    episode: str,
    at: str,
    reader: TurnReader,
    embedder: Embedder,
) -> list[_Told]:
    """Each fact compared with known ones: it repeats one, or ends some, or is new."""
    rows = _distinct([_fact(fact, named, episode=episode, at=at) for fact in facts])
    vectors = await _embedded(embedder, [str(row.properties["fact"]) for row in rows])
    rows = [replace(row, vectors={"fact_embedding": vector}) for row, vector in zip(rows, vectors, strict=True)]
    return list(await asyncio.gather(*(_settled(content, row, episode, reader) for row in rows)))


def _fact(fact: Fact, named: dict[str, _Named], *, episode: str, at: str) -> Row:
    source, target = (str(named[_key(end)].row.key) for end in (fact.source, fact.target))
    properties = {
        "uuid": str(uuid4()),
        "name": fact.relation or "RELATES_TO",
        "fact": fact.fact,
        "episodes": [episode],
        "created_at": _now(),
        "valid_at": _date(fact.valid_at) or _date(at),
        "invalid_at": _date(fact.invalid_at),
        "expired_at": None,
        "reference_time": at,
    }
    return Row("RELATES_TO", properties, ends=(source, target))


def _distinct(rows: Iterable[Row]) -> list[Row]:
    """Facts of one episode, each once, in either direction where the relation is the same."""
    found: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        (source, target), text = joined(row), _key(row.properties["fact"])
        back = found.get((target, source, text))
        if back is None or back.properties["name"] != row.properties["name"]:
            found.setdefault((source, target, text), row)
    return list(found.values())


async def _settled(content: Content, row: Row, episode: str, reader: TurnReader) -> _Told:
    ends, vector = set(joined(row)), row.vectors["fact_embedding"]
    known = [one for one in content.all("RELATES_TO") if "fact_embedding" in one.vectors]
    at = instant(row.properties["reference_time"])
    between = [one for one in known if set(joined(one)) == ends and not _is_over(_ends(one), by=at)]
    same_pair = [one for one, _ in _nearest(between, "fact_embedding", vector)[:_COMPARED]]
    near = [one for one, cosine in _nearest(known, "fact_embedding", vector)[:_COMPARED] if cosine > _SIMILAR]
    others = [one for one in near if one not in same_pair]
    if not same_pair and not others:
        return _Told(row, is_new=True)
    verbatim = _key(row.properties["fact"])
    for one in same_pair:
        if joined(one) == joined(row) and _key(one.properties["fact"]) == verbatim:
            return _Told(_told_by(one, episode), is_new=False)
    answer = await reader.settle(
        row.properties["fact"],
        same_pair=[KnownItem(number, one.properties["fact"]) for number, one in enumerate(same_pair)],
        others=[KnownItem(number, one.properties["fact"]) for number, one in enumerate(others, start=len(same_pair))],
    )
    repeated = [same_pair[number] for number in answer.repeats if 0 <= number < len(same_pair)]
    all_of_them = [*same_pair, *others]
    contradicted = [all_of_them[number] for number in answer.contradicts if 0 <= number < len(all_of_them)]
    found = _Told(_told_by(repeated[0], episode) if repeated else row, is_new=not repeated)
    return _ending(found, contradicted)


def _told_by(row: Row, episode: str) -> Row:
    episodes = row.properties["episodes"]
    return _with(row, episodes=episodes if episode in episodes else [*episodes, episode])


def _ending(told: _Told, contradicted: Sequence[Row]) -> _Told:
    """Of facts that contradict each other, the later one ends the earlier one when it begins."""
    row, now = told.row, _now()
    if row.properties.get("invalid_at") and not row.properties.get("expired_at"):
        row = _with(row, expired_at=now)
    if row.properties.get("expired_at") is None:
        later = [one for one in contradicted if _is_before(_begins(row), _begins(one))]
        if later:
            first = min(later, key=lambda one: str(one.properties["valid_at"]))
            row = _with(row, invalid_at=first.properties["valid_at"], expired_at=now)
    ended = [
        _with(one, invalid_at=row.properties["valid_at"], expired_at=one.properties.get("expired_at") or now)
        for one in contradicted
        if _is_before(_begins(one), _begins(row))
        and not _is_over(_ends(one), by=_begins(row))
        and not _is_over(_ends(row), by=_begins(one))
    ]
    return _Told(row, is_new=told.is_new, ended=ended)


def _begins(row: Row) -> datetime | None:
    return instant(row.properties.get("valid_at"))


def _ends(row: Row) -> datetime | None:
    return instant(row.properties.get("invalid_at"))


def _is_before(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one < other


def _is_over(end: datetime | None, *, by: datetime | None) -> bool:
    return end is not None and by is not None and end <= by


def _write(
    content: Content,
    episode: str,
    named: Sequence[_Named],
    told: Sequence[_Told],
    *,
    kind_of: Callable[[str], str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write all of it in one step of the event loop."""
    if episode not in content.rows["Episodic"]:
        raise GraphUnavailable("an episode went while it was read")
    entities = {str(one.row.key): one for one in named}
    if any(one.is_known and uuid not in content.rows["Entity"] for uuid, one in entities.items()):
        raise GraphUnavailable("an entity went while its episode was read")
    new_facts: dict[str, list[str]] = defaultdict(list)
    for one in told:
        for end in dict.fromkeys(joined(one.row)) if one.is_new else ():
            new_facts[end].append(one.row.properties["fact"])
    for uuid, entity in entities.items():
        row = content.rows["Entity"].get(uuid, entity.row)
        summary = _summary(str(row.properties.get("summary") or ""), new_facts[uuid])
        kind = kind_of(str(row.properties["name"])) or row.properties.get("kind")
        content.put(_with(row, summary=summary, kind=kind))
        mention = {"uuid": str(uuid4()), "created_at": _now()}
        content.put(Row("MENTIONS", mention, ends=(episode, uuid)))
    rows = [*(one.row for one in told), *(row for one in told for row in one.ended)]
    for row in rows:
        content.put(row)
    touched = tuple(dict.fromkeys(str(row.key) for row in rows))
    content.change(content.rows["Episodic"][episode], entity_edges=list(touched))
    return touched, tuple(entities)


def _summary(known: str, facts: Sequence[str]) -> str:
    """The known summary with new facts behind it; one that grows too long keeps its own newest words."""
    longer = "\n".join((known, *facts)).strip()
    return longer if len(longer) <= LONGEST_SUMMARY else newest_facts(known, most=SHORTENED_SUMMARY)


def _nearest(rows: Sequence[Row], vector: str, query: Vector) -> list[tuple[Row, float]]:
    import numpy as np  # 80 ms that a start has no need of

    if not rows:
        return []
    matrix: Matrix = np.stack([row.vectors[vector] for row in rows]).astype(np.float64)
    cosines = matrix @ query / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(query))
    return sorted(zip(rows, map(float, cosines), strict=True), key=lambda one: -one[1])


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> Sequence[Vector]:
    return list(await embedder.embed([text.replace("\n", " ") for text in texts])) if texts else []


def _with(row: Row, **properties: object) -> Row:
    return replace(row, properties={**row.properties, **properties})


def _date(text: str | None) -> str | None:
    found = instant(text.replace("Z", "+00:00")) if text else None
    return found.isoformat() if found is not None else None


def _key(name: str) -> str:
    return " ".join(name.lower().split())


def _now() -> str:
    return datetime.now(UTC).isoformat()
