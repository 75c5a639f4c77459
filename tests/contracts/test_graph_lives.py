"""Random lives of a graph, lived by the twin and by FalkorDB: after every step both must look the same."""

import asyncio
import itertools
from contextlib import AsyncExitStack

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from consolidation.kernel.errors import MemoryFault
from service.erasure.ports import Tainted
from service.ports.graph import Parked, episode_uuid
from tests.support.graphs import EMBEDDER, OURS, START, bench, episode, everything, nicknames

NAMES = ("Ada", "Bruno", "Adas", "Zorro")
QUESTIONS = ("Whom did Ada meet?", "Where does Zorro live?", "Bruno")

sentences = st.builds(
    lambda day, one, said, other: f"{day}{one} {said} {other}.",
    st.sampled_from(["", "", "[2025-02-03] ", "[2026-08-01] "]),
    st.sampled_from(NAMES),
    st.sampled_from(["met", "lives with", "saw"]),
    st.sampled_from(NAMES),
)
texts = st.lists(sentences, min_size=1, max_size=2).map(" ".join)
sequences = st.integers(1, 5)
steps = st.one_of(
    st.tuples(st.just("save"), st.lists(texts, min_size=1, max_size=2)),
    st.tuples(st.just("extract"), st.booleans()),
    st.tuples(st.just("extract"), st.just(True)),
    st.tuples(st.just("undo"), sequences),
    st.tuples(st.just("park"), sequences),
    st.tuples(st.just("unpark"), sequences),
    st.tuples(st.just("erase"), sequences),
    st.tuples(st.just("erase what is tainted"), sequences),
    st.tuples(st.sampled_from(["prepare", "reindex", "drop", "copy"]), st.none()),
)


class Life:
    """One graph and what it is told; every step answers what can be compared."""

    def __init__(self, on, mind_id):
        self.graph = on.of(mind_id)
        self.erasable, self.archivable = on.graphs.erasable(mind_id), on.graphs.archivable(mind_id)
        self.mind_id = mind_id
        self.told = []

    async def step(self, name, given):
        try:
            return await getattr(self, name.replace(" ", "_"))(given)
        except MemoryFault as error:
            return type(error).__name__

    async def prepare(self, _):
        return await self.graph.prepare(embedder=OURS)

    async def save(self, said):
        start = len(self.told) + 1
        self.told += [episode(self.mind_id, at, *one.split(". ")) for at, one in enumerate(said, start=start)]
        new = self.told[start - 1 :]
        passages = [part for one in new for part in one.passages]
        rows = await EMBEDDER.embed([part.text for part in passages])
        own = {part.uuid: row for part, row in zip(passages, rows, strict=True)}
        await self.graph.save(
            new, own=own, leaning=own, after=start - 1, cursor=len(self.told), turn_id=new[-1].turn_id if new else ""
        )

    async def extract(self, is_completed):
        progress = await self.graph.progress()
        waiting = [one for one in self.told if one.sequence > progress.extracted]
        if not waiting:
            return None
        one = waiting[0]
        attempt = await self.graph.begin_attempt(one.uuid)
        found = await self.graph.extract(one, previous=[])
        if is_completed:
            await self.graph.mark_extracted(one.sequence, turn_id=one.turn_id, after=progress.extracted)
        return attempt, sorted(fact.text for fact in found.facts), sorted(entity.name for entity in found.entities)

    async def undo(self, sequence):
        await self.graph.undo_attempt(self._uuid(sequence))

    async def park(self, sequence):
        extracted = (await self.graph.progress()).extracted
        await self.graph.park(self._parked(sequence), after=extracted if sequence > extracted else None)

    async def unpark(self, sequence):
        await self.graph.unpark(self._parked(sequence))

    async def erase(self, sequence):
        return self._gone(await self.erasable.forget([self._uuid(sequence)], Tainted()))

    async def erase_what_is_tainted(self, sequence):
        uuid = self._uuid(sequence)
        tainted = await self.erasable.tainted([uuid], [], words=frozenset({"zorro"}))
        gone = await self.erasable.forget([uuid], tainted)
        left = await self.erasable.remains([uuid], forms=["Zorro"])
        return tainted.again, len(tainted.facts), len(tainted.entities), len(tainted.stale), self._gone(gone), left

    async def reindex(self, _):
        return await self.graph.reindex(embedder=OURS, advanced=lambda _: None)

    async def drop(self, _):
        await self.archivable.drop()
        self.told.clear()

    async def copy(self, _):
        pages = [page async for page in self.archivable.pages()]
        identity, site = await self.graph.identity(), self.archivable.site("copy")
        if identity is not None:
            await self.archivable.prepare_site(site, embedder=identity)
        for page in pages:
            await self.archivable.put(site, page)
        await self.archivable.adopt(site)
        return sorted((row.kind, sorted(row.properties.keys() - {"labels"})) for page in pages for row in page)

    async def picture(self):
        """All that can be read of it, without the uuids that are made at random."""
        facts, entities = await everything(self.graph)
        shown = {one.uuid: (one.text, one.source, one.target) for one in facts}
        names = {one.uuid: one.name for one in entities}
        vectors = await EMBEDDER.embed(QUESTIONS)
        near = [await self.graph.nearest(vectors, turns=99, facts=99, entities=99)]
        around = await self.graph.facts_around(list(names), vectors[:1], limit=99)
        return {
            "progress": await self.graph.progress(),
            "size": await self.graph.size(),
            "facts": sorted(
                (*shown[one.uuid], sorted(one.episodes), str(one.valid_at), str(one.invalid_at)) for one in facts
            ),
            "entities": sorted((one.name, one.summary, one.episodes) for one in entities),
            "turns near": [_near(hits.turns, {}) for found in near for hits in found],
            "facts near": [_near(hits.facts, shown) for found in near for hits in found],
            "entities near": [_near(hits.entities, names) for found in near for hits in found],
            "facts around": _near(around, shown),
        }

    def _uuid(self, sequence):
        return episode_uuid(self.mind_id, f"t{sequence}")

    @staticmethod
    def _parked(sequence):
        return Parked(sequence, f"t{sequence}", "InvalidModelOutput: {}", 5, START)

    @staticmethod
    def _gone(gone):
        facts, entities = len(gone.facts), len(gone.entities)
        return gone.episodes, gone.passages, facts, entities, len(gone.changed_facts), len(gone.changed_entities)


def _near(hits, shown):
    """Hits in an order of their own, since equally near ones come in any."""
    return sorted((shown.get(hit.key, hit.key), round(hit.similarity, 2), round(hit.own, 2)) for hit in hits)


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """Lives a script on both, in one event loop for all; each life has a mind of its own."""
    numbers = itertools.count(1)

    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        folder = tmp_path_factory.mktemp("graph")
        benches = [runner.run(stack.enter_async_context(bench(kind, folder))) for kind in ("memory", "falkordb")]
        for on in benches:
            on.reader.rules["identities"] = nicknames

        async def live(script):
            mind_id = f"life-{next(numbers)}"
            lives = [Life(on, mind_id) for on in benches]
            for name, given in script:
                answers = [await one.step(name, given) for one in lives]
                assert answers[0] == answers[1], (name, given)
                pictures = [await one.picture() for one in lives]
                assert pictures[0] == pictures[1], (name, given)

        yield lambda script: runner.run(live(script))
        runner.run(stack.aclose())


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(script=st.lists(steps, max_size=12).map(lambda script: [("prepare", None), *script]))
@example(script=[("save", ["Ada met Bruno."]), ("park", 1), ("prepare", None), ("copy", None)])
@example(
    script=[
        ("prepare", None),
        ("save", ["Ada lives with Bruno.", "Ada lives with Zorro. Zorro saw Ada."]),
        ("extract", True),
        ("extract", False),
        ("extract", True),
        ("copy", None),
        ("erase what is tainted", 2),
        ("reindex", None),
    ]
)
def test_twin_and_falkordb_live_the_same_life(lived, script):
    lived(script)
