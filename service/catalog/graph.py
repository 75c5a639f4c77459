"""
The graph of a time as columns: its most mentioned entities, the facts between them, and the themes that they fall into.

Themes are found in the whole graph, not in the time that is looked at, and again once a twentieth of its facts changed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.text.names import name_key
from service.catalog.facts import confirmed_facts
from service.catalog.theme_file import read_themes, write_themes
from service.catalog.themes import adopted, themes_of
from service.index.graph_columns import GraphWindow, facts_told, graph_entities, graph_facts, names_of
from service.retrieval.put_right import ENTITY, FACT, put_right_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.corrections.standing import Standing
    from service.catalog.themes import Theme, Themes
    from service.index.graph_columns import GraphEntity, GraphFact
    from service.mind.minds import Mind
    from service.retrieval.put_right import PutRight
    from service.retrieval.time_window import TimeWindow

log = structlog.get_logger()

FACTS_AN_ENTITY = 3  # of the default: 2,000 entities and 6,000 facts
_CHANGED = 0.05  # of the facts, after which themes are found again
_THEMED_ENTITIES, _THEMED_FACTS = 5_000, 30_000  # the most mentioned, and the newest between them
_BETWEEN_NAMES = " · "


@dataclass(frozen=True, slots=True)
class EntityColumns:
    """Entities, most mentioned first: each column has a value for each of them."""

    id: tuple[str, ...]
    name: tuple[str, ...]
    kind: tuple[str, ...]
    theme: tuple[str | None, ...]
    first: tuple[datetime, ...]
    last: tuple[datetime, ...]
    mentions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Facts, newest first; ``source`` and ``target`` are ids of the entities."""

    id: tuple[str, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    valid_at: tuple[datetime | None, ...]
    invalid_at: tuple[datetime | None, ...]


@dataclass(frozen=True, slots=True)
class ThemeName:
    """A theme, named by its two most mentioned entities."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many entities and facts of the time are not shown."""

    entities: int
    facts: int


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """The graph of a time."""

    entities: EntityColumns
    facts: FactColumns
    themes: tuple[ThemeName, ...]
    left_out: LeftOut


class GraphCatalog:
    """Reads graphs, and remembers the themes of each mind in a small file beside it, which erasing deletes."""

    def __init__(self) -> None:
        self._finding = asyncio.Lock()  # of all minds: it is seldom, and it computes

    async def read(self, mind: Mind, window: TimeWindow, *, limit: int) -> GraphPicture:
        """
        At most *limit* entities that were told of in the time, and three facts for each.

        Raises IndexUnusable, HomeFault.
        """
        async with self._finding:
            themes = await anyio.to_thread.run_sync(_current_themes, mind)
        put_right = await put_right_in(mind)
        return await anyio.to_thread.run_sync(_picture, mind, window, themes, limit, put_right)


def _picture(mind: Mind, window: TimeWindow, themes: Themes, limit: int, put_right: PutRight) -> GraphPicture:
    standing = put_right.standing
    asked = GraphWindow(*(one.timestamp() if one is not None else None for one in (window.since, window.until)))
    # One statement at a time, so that a pre-turn call waits for no more than one of them.
    entities, every_entity = mind.text.read(lambda database: graph_entities(database, asked, limit=limit))
    names = [one.name for one in entities]
    most = limit * FACTS_AN_ENTITY
    facts, every_fact = mind.text.read(lambda database: graph_facts(database, asked, names, limit=most))
    left_out = LeftOut(max(every_entity - len(entities), 0), max(every_fact - len(facts), 0))
    holding = {row.uuid for row in confirmed_facts(mind, put_right)}
    facts = tuple(one._replace(invalid_at=None) if one.uuid in holding else one for one in facts)
    entities, facts = _as_one(entities, facts, standing)
    theme_of = adopted([one.uuid for one in entities], _places(entities, facts), themes.by_member())
    shown = set(theme_of.values())
    return GraphPicture(
        entities=_entity_columns(entities, theme_of),
        facts=_fact_columns(entities, facts),
        themes=_names(mind, [theme for theme in themes.groups if theme.id in shown], standing),
        left_out=left_out,
    )


def _as_one(
    entities: tuple[GraphEntity, ...], facts: tuple[GraphFact, ...], standing: Standing
) -> tuple[tuple[GraphEntity, ...], tuple[GraphFact, ...]]:
    """
    Those whom people merged as one, by the id that was kept, and everybody by the name of today.

    Who was merged and then split stays as the graph has it.
    """
    splits = {name_key(one.name) for one in standing.splits}
    root_of = {key: root for root, keys in standing.same.items() if keys.isdisjoint(splits) for key in keys}
    if not root_of:
        return entities, facts
    groups: dict[str, list[GraphEntity]] = defaultdict(list)
    for one in entities:
        groups[root_of.get(name_key(one.name), one.uuid)].append(one)
    merged = {
        root: _merged(root, group, standing) if root in standing.same else group[0] for root, group in groups.items()
    }
    called = {one.name: merged[root].name for root, group in groups.items() for one in group}
    told = (one._replace(source=called[one.source], target=called[one.target]) for one in facts)
    between = tuple(one for one in told if one.source != one.target)
    return tuple(sorted(merged.values(), key=lambda one: -one.mentions)), between


def _merged(root: str, group: Sequence[GraphEntity], standing: Standing) -> GraphEntity:
    kept = next((one for one in group if name_key(one.name) == root), group[0])
    return kept._replace(
        name=standing.name_of(kept.name),
        mentions=sum(one.mentions for one in group),
        first_at=min(one.first_at for one in group),
        last_at=max(one.last_at for one in group),
    )


def _current_themes(mind: Mind) -> Themes:
    """The themes as they were found last, or found again where the graph has changed much since."""
    known, facts = read_themes(mind.workspace.themes), mind.text.read(facts_told)
    if facts == known.facts or abs(facts - known.facts) < _CHANGED * known.facts:
        return known
    everything = GraphWindow()
    entities, _ = mind.text.read(lambda database: graph_entities(database, everything, limit=_THEMED_ENTITIES))
    names = [one.name for one in entities]
    told, _ = mind.text.read(lambda database: graph_facts(database, everything, names, limit=_THEMED_FACTS))
    found = themes_of([one.uuid for one in entities], _places(entities, told), before=known, facts=facts)
    try:
        write_themes(mind.workspace.themes, found)
    except OSError as error:  # then they are found again the next time
        log.warning("themes.unwritable", mind_id=mind.mind_id, error=str(error))
    return found


def _places(entities: Sequence[GraphEntity], facts: Iterable[GraphFact]) -> list[tuple[int, int]]:
    """Which two of *entities* each fact joins, by place."""
    place_of = _first_by_name(entities)
    return [(place_of[one.source], place_of[one.target]) for one in facts]


def _first_by_name(entities: Sequence[GraphEntity]) -> dict[str, int]:
    return {one.name: at for at, one in reversed(tuple(enumerate(entities)))}


def _entity_columns(entities: Sequence[GraphEntity], theme_of: Mapping[str, str]) -> EntityColumns:
    return EntityColumns(
        id=tuple(f"{ENTITY}{one.uuid}" for one in entities),
        name=tuple(one.name for one in entities),
        kind=tuple(one.kind for one in entities),
        theme=tuple(theme_of.get(one.uuid) for one in entities),
        first=tuple(datetime.fromtimestamp(one.first_at, UTC) for one in entities),
        last=tuple(datetime.fromtimestamp(one.last_at, UTC) for one in entities),
        mentions=tuple(one.mentions for one in entities),
    )


def _fact_columns(entities: Sequence[GraphEntity], facts: Sequence[GraphFact]) -> FactColumns:
    id_of = {name: f"{ENTITY}{entities[at].uuid}" for name, at in _first_by_name(entities).items()}
    return FactColumns(
        id=tuple(f"{FACT}{one.uuid}" for one in facts),
        source=tuple(id_of[one.source] for one in facts),
        target=tuple(id_of[one.target] for one in facts),
        valid_at=tuple(_instant(one.valid_at) for one in facts),
        invalid_at=tuple(_instant(one.invalid_at) for one in facts),
    )


def _names(mind: Mind, themes: Sequence[Theme], standing: Standing) -> tuple[ThemeName, ...]:
    """*themes* with the names of their first two members, as they are called now."""
    heads = [member for theme in themes for member in theme.members[:2]]
    name_of = mind.text.read(lambda database: names_of(database, heads))
    called = {
        theme.id: [standing.name_of(name_of[one]) for one in theme.members[:2] if one in name_of] for theme in themes
    }
    return tuple(ThemeName(id_, _BETWEEN_NAMES.join(dict.fromkeys(names))) for id_, names in called.items())


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
