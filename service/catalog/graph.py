"""
The graph of a time as columns: its most mentioned entities, the facts between them, and the themes that they fall into.

Themes are found in the whole graph, not in the time that is looked at, and again once a twentieth of its facts changed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import anyio.to_thread
import structlog

from consolidation.corrections.standing import UNDECIDED
from service.catalog.corrected_graph import facts_between, shown_entities
from service.catalog.facts import decisions, state_of, with_turns
from service.catalog.theme_file import read_themes, write_themes
from service.catalog.themes import adopted, themes_of
from service.index.graph_columns import GraphWindow, facts_told, graph_entities, graph_facts, names_of
from service.index.text_knowledge import facts_numbered
from service.retrieval.put_right import ENTITY, FACT, put_right_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.corrections.standing import Decided, Standing
    from service.catalog.themes import Theme, Themes
    from service.index.graph_columns import GraphEntity, GraphFact
    from service.index.text_knowledge import FactState
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
    """Facts, newest first, and the state that each has now; ``source`` and ``target`` are ids of the entities."""

    id: tuple[str, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    valid_at: tuple[datetime | None, ...]
    invalid_at: tuple[datetime | None, ...]
    state: tuple[FactState | Literal["wrong"], ...]


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

    async def read(self, mind: Mind, window: TimeWindow, *, limit: int, now: datetime) -> GraphPicture:
        """
        At most *limit* entities that were told of in the time, and three facts for each.

        Raises IndexUnusable, HomeFault.
        """
        async with self._finding:
            themes = await anyio.to_thread.run_sync(_current_themes, mind)
        put_right = await put_right_in(mind)
        return await anyio.to_thread.run_sync(_picture, mind, window, themes, limit, put_right, now)


def _picture(
    mind: Mind, window: TimeWindow, themes: Themes, limit: int, put_right: PutRight, now: datetime
) -> GraphPicture:
    asked = GraphWindow(*(one.timestamp() if one is not None else None for one in (window.since, window.until)))
    # One statement at a time, so that a pre-turn call waits for no more than one of them.
    shown = mind.text.read(lambda database: shown_entities(database, asked, put_right, limit=limit))
    entities = shown.entities
    facts, every_fact = mind.text.read(
        lambda database: facts_between(database, asked, shown, limit=limit * FACTS_AN_ENTITY)
    )
    theme_of = adopted([one.uuid for one in entities], _places(entities, facts), themes.by_member())
    adopted_by = set(theme_of.values())
    return GraphPicture(
        entities=_entity_columns(entities, theme_of),
        facts=_fact_columns(facts, _decided(mind, facts, put_right), now),
        themes=_names(mind, [theme for theme in themes.groups if theme.id in adopted_by], put_right.standing),
        left_out=LeftOut(max(shown.every - len(entities), 0), max(every_fact - len(facts), 0)),
    )


def _decided(mind: Mind, facts: Sequence[GraphFact], put_right: PutRight) -> dict[int, Decided]:
    """What people decided of *facts*, by their numbers."""
    if not put_right:
        return {}
    numbers = [one.number for one in facts]
    return decisions(
        mind.text.read(lambda database: with_turns(database, facts_numbered(database, numbers))), put_right
    )


def _current_themes(mind: Mind) -> Themes:
    """The themes as they were found last, or found again where the graph has changed much since."""
    known, facts = read_themes(mind.workspace.themes), mind.text.read(facts_told)
    if facts == known.facts or abs(facts - known.facts) < _CHANGED * known.facts:
        return known
    everything = GraphWindow()
    entities, _ = mind.text.read(lambda database: graph_entities(database, everything, limit=_THEMED_ENTITIES))
    uuid_of = {one.name: one.uuid for one in reversed(entities)}
    told, _ = mind.text.read(lambda database: graph_facts(database, everything, uuid_of, limit=_THEMED_FACTS))
    told = tuple(one._replace(source=uuid_of[one.source], target=uuid_of[one.target]) for one in told)
    found = themes_of([one.uuid for one in entities], _places(entities, told), before=known, facts=facts)
    try:
        write_themes(mind.workspace.themes, found)
    except OSError as error:  # then they are found again the next time
        log.warning("themes.unwritable", mind_id=mind.mind_id, error=str(error))
    return found


def _places(entities: Sequence[GraphEntity], facts: Iterable[GraphFact]) -> list[tuple[int, int]]:
    """Which two of *entities* each fact joins, by place."""
    place_of = {one.uuid: at for at, one in enumerate(entities)}
    return [(place_of[one.source], place_of[one.target]) for one in facts]


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


def _fact_columns(facts: Sequence[GraphFact], decided: Mapping[int, Decided], now: datetime) -> FactColumns:
    judged = [decided.get(one.number, UNDECIDED) for one in facts]
    begins = tuple(_instant(one.valid_at) for one in facts)
    ends = tuple(None if known.is_right else _instant(one.invalid_at) for one, known in zip(facts, judged, strict=True))
    return FactColumns(
        id=tuple(f"{FACT}{one.uuid}" for one in facts),
        source=tuple(f"{ENTITY}{one.source}" for one in facts),
        target=tuple(f"{ENTITY}{one.target}" for one in facts),
        valid_at=begins,
        invalid_at=ends,
        state=tuple(
            "wrong" if known.is_wrong else state_of(begun, ended, now=now)
            for known, begun, ended in zip(judged, begins, ends, strict=True)
        ),
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
