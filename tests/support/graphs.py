"""Graphs for a test that needs no service: in memory and on a real FalkorDB, with a model that reads by rules."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from functools import partial
from datetime import UTC, datetime, timedelta

import numpy as np


from consolidation.kernel.ports import Reply, Usage
from consolidation.kernel.turns import Message, Speaker
from consolidation.kernel.sharing_errors import Fenced
from prompts.responses import Entity, Extraction, Fact, Identities, Identity, Settlement, Settlements
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graphs import FalkorGraphs
from service.adapters.falkordb.purge import EmbeddedFiles
from service.adapters.falkordb.server import EmbeddedServer
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.archive.graph_rows import KINDS, Row
from service.ingest.extraction_prompts import EntityKind, TurnReaders
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import Leases, Episode, Parked, Passage, episode_uuid

EMBEDDER = HashingEmbedder()
OURS = EmbedderIdentity(EMBEDDER.name, EMBEDDER.dimension)
START = datetime(2026, 1, 1, 10, tzinfo=UTC)
_NAME = re.compile(r"\b[A-Z]\w+")


class Reader:
    """A model that reads by rules: capitalised words are entities, sentences with two of them are facts."""

    is_hosted = False

    def __init__(self):
        self.rules = {"extraction": read_turn, "identities": no_identities, "settlements": settle}
        self.asked = []

    async def answer(self, ask):
        self.asked.append(ask)
        return Reply(self.rules[ask.prompt](ask.words), usage=Usage(calls=1), model="rules")

    async def converse(self, messages):
        raise NotImplementedError


def read_turn(words):
    """A sentence ``[2026-02-03] Ada met Bruno.`` is true from that day on; without a day, from the turn on."""
    entities, facts = {}, []
    for sentence in re.findall(r"(?:\[([\d-]+)\] )?([^.\[]+\.)", " ".join(one.content for one in words["said"])):
        day, said = sentence[0], sentence[1].strip()
        names = list(dict.fromkeys(_NAME.findall(said)))
        entities |= dict.fromkeys(names)
        if len(names) > 1:
            valid_at = f"{day}T00:00:00Z" if day else None
            facts.append(Fact(source=names[0], relation="SAID", target=names[1], fact=said, valid_at=valid_at))
    return Extraction(entities=tuple(Entity(name=name) for name in entities), facts=tuple(facts))


def no_identities(words):
    """No new name is a known one."""
    return Identities()


def nicknames(words):
    """A name with an ``s`` behind it is the name without."""
    known = {one.text: one.number for one in words["known"]}
    same = ((one.number, known[one.text.removesuffix("s")]) for one in words["names"] if one.text[:-1] in known)
    return Identities(identities=tuple(Identity(number=number, same_as=other) for number, other in same))


def settle(words):
    """A fact repeats one of the same words in another order; ``Ada lives …`` makes every other ``Ada lives`` untrue."""
    return Settlements(settlements=tuple(_settled(one) for one in words["questions"]))


def _settled(question):
    new = _words(question["fact"])
    repeats = [one.number for one in question["same_pair"] if sorted(_words(one.text)) == sorted(new)]
    others = [*question["same_pair"], *question["others"]]
    same = [one for one in others if new[1:2] == ["lives"] and _words(one.text)[:2] == new[:2]]
    contradicts = [one.number for one in same if one.number not in repeats]
    return Settlement(number=question["number"], repeats=tuple(repeats[:1]), contradicts=tuple(contradicts))


def _words(text):
    return text.strip(".").split()


class Bench:
    """Graphs of one kind, the model that reads for them, and what reading has cost by mind."""

    def __init__(self, kind):
        self.kind = kind
        self.reader = Reader()
        self.spent = {}
        kinds = (EntityKind("Person", "somebody with a name"), EntityKind("Place"))
        self.readers = TurnReaders(self.reader, overrides=lambda _: None, spent=self._spend, kinds=kinds)
        self.begin = None  # makes graphs as another start finds them
        self.graphs = None
        self.server = {}
        self.url = None

    def _spend(self, mind_id, usage):
        self.spent[mind_id] = self.spent.get(mind_id, Usage()) + usage

    def of(self, mind_id):
        return self.graphs.of(mind_id)


@asynccontextmanager
async def bench(kind, folder=None, *, url=None):
    """Graphs in ``memory``, on a ``falkordb`` of their own in *folder*, or on the ``falkordb cluster`` at *url*."""
    opened = Bench(kind)
    if kind == "memory":
        opened.begin = partial(MemoryGraphs, readers=opened.readers, embedder=EMBEDDER, server=opened.server)
        opened.graphs = opened.begin()
        yield opened
        return
    if kind == "falkordb cluster":
        opened.url = url
        connection = GraphConnection(url)
        opened.begin = partial(
            FalkorGraphs,
            connection,
            prefix="mind_",
            readers=opened.readers,
            embedder=EMBEDDER,
            vectors_of=lambda mind_id: folder / f"in-cluster-{mind_id}.vectors",
            checkpoint_of=lambda mind_id: folder / f"in-cluster-{mind_id}.checkpoint",
        )
        opened.graphs = opened.begin()
        try:
            yield opened
        finally:
            await connection.close()
        return
    async with served(folder) as (server, connection):
        opened.url = server.url
        opened.begin = partial(
            FalkorGraphs,
            connection,
            prefix="mind_",
            readers=opened.readers,
            embedder=EMBEDDER,
            vectors_of=lambda mind_id: folder / f"{mind_id}.vectors",
            checkpoint_of=lambda mind_id: folder / f"{mind_id}.checkpoint",
            files=EmbeddedFiles(folder, is_in_use=True),
        )
        opened.graphs = opened.begin()
        yield opened


class Replica:
    """One of several services on the server of a bench, with vectors of its own; it believes in ``epoch``."""

    def __init__(self, on, folder, *, epoch, readers):
        self.epoch = epoch
        self.refusals = 0
        self.connection = GraphConnection(on.url) if on.url is not None else None
        shared = {"readers": readers, "embedder": EMBEDDER, "leases": Leases(self._epoch_of, self._fenced)}
        if self.connection is None:
            self.graphs = MemoryGraphs(server=on.server, **shared)
        else:
            beside = {"vectors_of": lambda mind_id: folder / f"{mind_id}.vectors"}
            beside["checkpoint_of"] = lambda mind_id: folder / f"{mind_id}.checkpoint"
            self.graphs = FalkorGraphs(self.connection, prefix="mind_", **beside, **shared)
        self._open = {}

    def of(self, mind_id):
        """The graph of a mind, which stays open."""
        return self._open.setdefault(mind_id, self.graphs.of(mind_id))

    def _epoch_of(self, mind_id):
        if self.epoch is None:
            raise Fenced("this mind is not ours")
        return self.epoch

    def _fenced(self):
        self.refusals += 1


@asynccontextmanager
async def served(folder):
    """A server on a folder, ready, with a connection to it."""
    server = EmbeddedServer(folder)
    await server.start()
    await server.wait_until_ready()
    connection = GraphConnection(server.url)
    try:
        yield server, connection
    finally:
        await connection.close()
        await server.stop()


def episode(mind_id, sequence, *passages, session_id="s1", at=None):
    """Turn *sequence* as an episode of these passages."""
    uuid = episode_uuid(mind_id, f"t{sequence}")
    parts = tuple(Passage(f"{uuid}/{number}", text) for number, text in enumerate(passages))
    at = at or START + timedelta(days=sequence)
    said = Message(Speaker.USER, " ".join(passages))
    return Episode(uuid, sequence, f"t{sequence}", session_id, at, said.line, parts, (said,))


async def save(graph, mind_id, *texts, first=1):
    """Save a turn for each text, each leaning on itself alone; the episodes."""
    episodes = [episode(mind_id, number, text) for number, text in enumerate(texts, start=first)]
    rows = await EMBEDDER.embed(texts)
    own = {one.passages[0].uuid: row for one, row in zip(episodes, rows, strict=True)}
    await graph.save(
        episodes, own=own, leaning=own, after=first - 1, cursor=episodes[-1].sequence, turn_id=episodes[-1].turn_id
    )
    return episodes


async def extract(graph, one, *, previous=()):
    """Begin, extract and complete one episode; what was found."""
    await graph.begin_attempt(one.uuid)
    found = await graph.extract(one, previous=previous)
    await graph.mark_extracted(one.sequence, turn_id=one.turn_id, after=(await graph.progress()).extracted)
    return found


async def tell(graph, mind_id, *texts, first=1):
    """Prepare, save and extract; the episodes."""
    await graph.prepare(embedder=OURS)
    episodes = await save(graph, mind_id, *texts, first=first)
    for one in episodes:
        await extract(graph, one)
    return episodes


async def everything(graph):
    """All facts and all entities by uuid, the entities with their episodes."""
    page = await graph.knowledge(after=0, limit=10_000)
    entities = await graph.entities([one.uuid for one in page.entities])
    return page.facts, tuple(sorted(entities, key=lambda one: one.uuid))


def unit(*numbers, dimension=EMBEDDER.dimension):
    """A unit vector whose first coordinates stand to each other as *numbers* do."""
    vector = np.zeros(dimension, dtype=np.float32)
    vector[: len(numbers)] = numbers
    return vector / np.linalg.norm(vector)


def parked(sequence=1, *, error="InvalidModelOutput: {}"):
    return Parked(sequence, f"t{sequence}", error, 5, START)


async def texts_of(graph):
    return sorted(fact.text for fact in (await everything(graph))[0])


async def named(graph):
    return {entity.name: entity for entity in (await everything(graph))[1]}


async def built(on, mind, rows):
    """Make the mind's graph of these rows."""
    moved = on.graphs.archivable(mind)
    site = moved.site("built")
    await moved.prepare_site(site, embedder=OURS)
    for kind in KINDS:
        of_kind = [row for row in rows if row.kind == kind]
        for start in range(0, len(of_kind), 500):
            await moved.put(site, of_kind[start : start + 500])
    await moved.adopt(site)
    await on.of(mind).prepare(embedder=OURS)


def entity(uuid, *, summary="", name=None):
    properties = {"uuid": uuid, "name": name or uuid, "summary": summary, "created_at": START.isoformat()}
    return Row("Entity", properties, {"name_embedding": unit(1)})


def fact(uuid, source, target, vector, *, text="Said.", kind="RELATES_TO", episodes=(), **more):
    properties = {"uuid": uuid, "fact": text, "name": "SAID", "episodes": list(episodes)}
    return Row(
        kind, properties | {"created_at": START.isoformat()} | more, {"fact_embedding": vector}, (source, target)
    )
