"""What an erase does to a graph in memory; there is no server whose files would have to be written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.words import tokens
from service.adapters.memory_graph.archive import site_prefix
from service.adapters.memory_graph.content import FACTS, Content, joined
from service.archive.graph_rows import Row
from service.erasure.ports import Forgotten, Rewritten, Tainted
from service.ingest.provenance import LONGEST_SUMMARY, newest_facts
from service.ports.graph import GraphSize, episode_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from service.adapters.memory_graph.fence import Fence
    from service.adapters.memory_graph.mind_graph import MemoryMindGraph
    from service.ports.embedder import Vector


class MemoryErasableGraph:
    """The graph of one mind as erasing sees it."""

    def __init__(self, reach: Callable[[], dict[str, Content]], *, graph: MemoryMindGraph, fence: Fence) -> None:
        self._fence = fence
        self._reach = reach
        self._graph = graph

    async def tainted(self, episodes: Sequence[str], near: Sequence[str], /, *, words: frozenset[str]) -> Tainted:
        """Find what *episodes* or those *near* them say in *words*, and others say too."""
        content = self._graph.content()
        facts = {str(row.key): row for row in _told_by(content, {*episodes, *near}) if _shows(row, "fact", words)}
        names = [str(row.key) for row in content.all("Entity") if _shows(row, "name", words)]
        stale = [str(row.key) for row in content.all("Entity") if _shows(row, "summary", words)]
        facts |= {str(row.key): row for row in _around(content, names)}
        again = {episode for row in facts.values() for episode in row.properties["episodes"]}
        again.update(episode for name in names for episode in content.mentions(name))
        return Tainted(
            tuple(facts),
            tuple(names),
            tuple(sorted(again - set(episodes))),
            tuple(uuid for uuid in stale if uuid not in names),
        )

    async def only_of(self, episodes: Sequence[str], tainted: Tainted, /) -> tuple[int, int]:
        """Count what would go with *episodes* and what is *tainted*."""
        content, going = self._graph.content(), set(episodes)
        facts, touched = _leaving(content, going, tainted)
        lonely = {
            uuid
            for uuid in touched
            if set(content.mentions(uuid)) <= going and all(row.key in facts for row in _around(content, [uuid]))
        }
        return len(facts), len(lonely | set(tainted.entities))

    async def forget(self, episodes: Sequence[str], tainted: Tainted, /) -> Forgotten:
        """Remove *episodes*, what only they say, and what is *tainted*."""
        self._fence.enter(self._graph.mind_id, epoch=self._fence.epoch())
        content = self._graph.content()
        for cursor in content.all("Cursor"):
            content.put(Row("Cursor", {**cursor.properties, "turn_id": ""}))  # it may stand on a turn that is erased
        return forget(content, set(episodes), tainted, mind_id=self._graph.mind_id)

    async def set_leaning(self, leaning: Mapping[str, Vector], /) -> None:
        """Give passages other leaning vectors."""
        await self._graph.set_leaning(leaning)

    async def remains(self, episodes: Sequence[str], /, *, forms: Sequence[str]) -> int:
        """Count what is left of *episodes*, and what shows one of *forms*."""
        content = self._graph.content()
        texts = [row.properties["fact"] for row in content.all(*FACTS)]
        texts += [f"{row.properties['name']}\n{row.properties.get('summary') or ''}" for row in content.all("Entity")]
        return sum(_count(content, set(episodes))) + sum(any(form in text for form in forms) for text in texts)

    async def erase(self) -> tuple[GraphSize, int]:
        """Delete the graph and its sites."""
        server, keys, sizes, epoch = self._reach(), await self.keys(), [GraphSize()], self._fence.epoch()
        for name in {self._graph.mind_id: None} | dict.fromkeys(self._names()):
            self._fence.enter(name, epoch=epoch)
            rows = server.pop(name, Content()).rows
            if epoch is not None:
                server[name] = Content(epoch=epoch)
            sizes.append(GraphSize(len(rows["Episodic"]), len(rows["Entity"]), sum(len(rows[kind]) for kind in FACTS)))
        return (
            GraphSize(
                sum(one.episodes for one in sizes), sum(one.entities for one in sizes), sum(one.facts for one in sizes)
            ),
            keys,
        )

    async def keys(self) -> int:
        """Count the graph and its sites."""
        return len(self._names())

    async def rewrite_files(self) -> Rewritten:
        """Say that there are no files."""
        self._reach()
        return Rewritten("off", "off")

    def search_files(self, forms: Sequence[str], /) -> tuple[str, ...]:
        """Find nothing: there are no files."""
        del forms
        return ()

    def _names(self) -> list[str]:
        """The names of the mind's graph and of what an import has built for it."""
        mine, sites = self._graph.mind_id, site_prefix(self._graph.mind_id)
        names = [name for name in self._reach() if name == mine or name.startswith(sites)]
        return [name for name in names if not (self._fence.is_shared and self._reach()[name].is_only_lease)]


def forget(content: Content, going: set[str], tainted: Tainted, *, mind_id: str) -> Forgotten:
    """Remove the episodes *going* of the mind, what only they say, and what is *tainted*."""
    again = set(tainted.again)
    facts, touched = _leaving(content, going, tainted)
    told = tuple(_told_by(content, going | again))
    ended = {row.properties.get("valid_at") for row in told if row.key in facts} - {None}
    counts = _count(content, going)
    for kind in FACTS:
        content.remove(kind, facts)
    changed = [*_untell(content, going), *_go_on(content, touched, since=ended)]
    _remove_episodes(content, going)
    parked = {row.key for row in content.all("Parked") if episode_uuid(mind_id, row.properties["turn_id"]) in going}
    content.remove("Parked", parked)
    lonely = {uuid for uuid in touched if not any(content.mentions(uuid)) and not any(_around(content, [uuid]))}
    entities = lonely | set(tainted.entities)
    _remove_entities(content, entities)
    left = sorted(touched - entities)
    for uuid in left:
        _summarise(content, uuid)
    return Forgotten(
        counts[0],
        counts[1],
        tuple(sorted(facts)),
        tuple(sorted(entities)),
        tuple(dict.fromkeys(changed)),
        tuple(left),
    )


def _leaving(content: Content, going: set[str], tainted: Tainted) -> tuple[set[str], set[str]]:
    """The facts that go with the episodes *going* and what is *tainted*, and the entities that this touches."""
    again = set(tainted.again)
    told = tuple(_told_by(content, going | again))
    facts = {str(row.key) for row in told if _is_only_of(row, going) or _is_only_of(row, again)}
    touched = {uuid for row in told for uuid in joined(row)} | set(tainted.stale)
    touched |= {entity for episode, entity in content.ends("MENTIONS") if episode in going | again}
    return facts | set(tainted.facts), touched


def _told_by(content: Content, episodes: Collection[str]) -> Iterable[Row]:
    return (row for row in content.all(*FACTS) if not set(row.properties["episodes"]).isdisjoint(episodes))


def _shows(row: Row, text: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(tokens(row.properties.get(text) or ""))


def _is_only_of(row: Row, episodes: Collection[str]) -> bool:
    return set(row.properties["episodes"]) <= set(episodes)


def _around(content: Content, entities: Sequence[str]) -> Iterable[Row]:
    return (row for row in content.all(*FACTS) if not set(joined(row)).isdisjoint(entities))


def _count(content: Content, episodes: Collection[str]) -> tuple[int, int, int]:
    """How many episodes, passages and facts there are of *episodes*."""
    passages = sum(row.properties["episode"] in episodes for row in content.all("Passage"))
    return sum(one in content.rows["Episodic"] for one in episodes), passages, len(list(_told_by(content, episodes)))


def _untell(content: Content, episodes: Collection[str]) -> list[str]:
    """Take *episodes* out of the facts that others say too; the uuids of these."""
    changed = list(_told_by(content, episodes))
    for row in changed:
        content.change(row, episodes=[one for one in row.properties["episodes"] if one not in episodes])
    return [str(row.key) for row in changed]


def _go_on(content: Content, entities: Iterable[str], *, since: Collection[object]) -> list[str]:
    """Let facts be true again that a removed fact had ended, by its date; the uuids of these."""
    ended = [row for row in _around(content, list(entities)) if row.properties.get("invalid_at") in since]
    for row in ended:
        content.change(row, invalid_at=None, expired_at=None)
    return [str(row.key) for row in ended]


def _remove_episodes(content: Content, episodes: Collection[str]) -> None:
    content.remove("Passage", [row.key for row in content.all("Passage") if row.properties["episode"] in episodes])
    content.remove("Attempt", episodes)
    content.remove("MENTIONS", [row.key for row in content.all("MENTIONS") if joined(row)[0] in episodes])
    content.remove("Episodic", episodes)


def _remove_entities(content: Content, entities: Collection[str]) -> None:
    content.remove("MENTIONS", [row.key for row in content.all("MENTIONS") if joined(row)[1] in entities])
    for kind in FACTS:
        content.remove(kind, [row.key for row in content.all(kind) if not set(joined(row)).isdisjoint(entities)])
    content.remove("Entity", entities)


def _summarise(content: Content, uuid: str) -> None:
    """Make an entity's summary of the facts that are left, as extraction makes it."""
    row = content.rows["Entity"].get(uuid)
    if row is not None:
        told = "\n".join(one.properties["fact"] for one in sorted(_around(content, [uuid]), key=_age))
        content.change(row, summary=newest_facts(told, most=LONGEST_SUMMARY))


def _age(row: Row) -> tuple[str, str, str]:
    return str(row.properties.get("created_at")), str(row.properties.get("valid_at")), str(row.key)
