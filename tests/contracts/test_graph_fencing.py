"""
Several services on one server of graphs: what is written under an earlier claim of a mind than the last changes nothing.

Each replica has vectors of its own, as on a machine of its own; it believes in an epoch until it is told of another.
"""

import asyncio
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import pytest

from consolidation.kernel.errors import GraphUnavailable
from consolidation.kernel.sharing_errors import Fenced
from service.archive.graph_rows import KINDS
from service.erasure.ports import Tainted
from service.ingest.extraction_prompts import TurnReaders
from service.ports.graph import GraphSize, episode_uuid
from tests.support.graphs import (
    EMBEDDER,
    OURS,
    Replica,
    episode,
    everything,
    extract,
    parked,
    save,
    tell,
    texts_of,
)

pytestmark = pytest.mark.anyio

_MOST_STATEMENTS = 100
TURNS = ("Ada met Bruno.", "Bruno saw Carla.", "Carla called Dora.")


@pytest.fixture
async def replica(on, tmp_path):
    """Opens one more service on the server, at an epoch."""
    async with AsyncExitStack() as stack:

        def opened(epoch, *, readers=on.readers):
            folder = Path(mkdtemp(dir=tmp_path))
            found = Replica(on, folder, epoch=epoch, readers=readers)
            if found.connection is not None:
                stack.push_async_callback(found.connection.close)
            return found

        yield opened


async def rows_of(replica, mind):
    """All that the mind's graph holds, but for vectors, which each replica has beside it."""
    pages = [page async for page in replica.graphs.archivable(mind).pages()]
    return sorted((row.kind, str(row.key), repr(row.properties), str(row.ends)) for page in pages for row in page)


async def written(replica, mind):
    """Every kind of row is in the graph: turns, knowledge, an attempt, a parked turn and both cursors."""
    episodes = await tell(replica.of(mind), mind, *TURNS[:2])
    [third] = await save(replica.of(mind), mind, TURNS[2], first=3)
    await replica.of(mind).begin_attempt(third.uuid)
    await replica.of(mind).park(parked(2))
    return [*episodes, third]


def writes(replica, mind, episodes):
    """Every write that there is, by name."""
    graph, erasable, archivable = replica.of(mind), replica.graphs.erasable(mind), replica.graphs.archivable(mind)
    first, _, third = episodes
    return {
        "prepare": lambda: graph.prepare(embedder=OURS),
        "reindex": lambda: graph.reindex(embedder=OURS, advanced=lambda _: None),
        "save": lambda: save(graph, mind, "Ada left.", first=4),
        "save nothing": lambda: graph.save((), own={}, leaning={}, after=3, cursor=4, turn_id="t4"),
        "begin": lambda: graph.begin_attempt(third.uuid),
        "undo": lambda: graph.undo_attempt(third.uuid),
        "extract": lambda: graph.extract(third, previous=()),
        "mark": lambda: graph.mark_extracted(3, turn_id="t3", after=2),
        "park": lambda: graph.park(parked(3), after=2),
        "park behind": lambda: graph.park(parked(1)),
        "unpark": lambda: graph.unpark(parked(2)),
        "go back": lambda: graph.go_back(to=1, turn_id="t1"),
        "forget": lambda: erasable.forget([first.uuid], Tainted()),
        "erase": erasable.erase,
        "adopt": lambda: archivable.adopt(archivable.site("theirs")),
        "drop": archivable.drop,
    }


async def site_of(replica, mind):
    """A site with what the mind's graph holds, to be adopted."""
    archivable = replica.graphs.archivable(mind)
    site = archivable.site("theirs")
    await archivable.prepare_site(site, embedder=OURS)
    rows = [row async for page in archivable.pages() for row in page]
    for kind in KINDS:
        if of_kind := [row for row in rows if row.kind == kind][:1]:
            await archivable.put(site, of_kind)


async def test_every_write_under_an_earlier_claim_changes_nothing(replica, mind):
    """Broken: `WITH count(n) AS done` makes a row of nothing, and the cursor moves over turns that were not saved."""
    old, new = replica(4), replica(5)
    episodes = await written(old, mind)
    await site_of(old, mind)
    await new.of(mind).prepare(embedder=OURS)
    await new.of(mind).undo_attempt(episodes[2].uuid)
    before = await rows_of(new, mind)

    for number, (name, write) in enumerate(writes(old, mind, episodes).items(), start=1):
        with pytest.raises(Fenced):
            await write()
        assert old.refusals == number, name
        assert await rows_of(new, mind) == before, name
    assert new.refusals == 0


async def test_every_write_under_the_last_claim_is_done(replica, mind):
    """A fence that refuses all would pass the test above."""
    epochs = count(1)
    for name in writes(replica(0), mind, [None] * 3):
        one = replica(next(epochs))
        episodes = await written(one, mind)
        await site_of(one, mind)
        if name == "prepare":
            one.epoch = next(epochs)
        await writes(one, mind, episodes)[name]()
        assert one.refusals == 0, name
        one.epoch = next(epochs)
        await one.graphs.erasable(mind).erase()


async def test_who_has_no_claim_reads_and_does_not_write(replica, mind):
    owner, reader = replica(1), replica(None)
    episodes = await written(owner, mind)

    assert await reader.of(mind).progress() == await owner.of(mind).progress()
    assert await texts_of(reader.of(mind)) == sorted(TURNS[:2])
    assert await reader.graphs.archivable(mind).exists() and await reader.graphs.erasable(mind).keys() == 1
    for write in writes(reader, mind, episodes).values():
        with pytest.raises(Fenced):
            await write()


async def test_a_graph_is_prepared_again_after_each_claim(replica, mind):
    """Broken: what another service wrote meanwhile has no vectors here, and is never found."""
    one, other = replica(1), replica(2)
    await digest(one, mind, TURNS[:1])
    await digest(other, mind, TURNS[:2])
    one.epoch = 3

    with pytest.raises(GraphUnavailable, match="not prepared"):
        await save(one.of(mind), mind, TURNS[2], first=3)
    await digest(one, mind, TURNS)

    [hits] = await one.of(mind).nearest(await EMBEDDER.embed([TURNS[1]]), turns=9, facts=1, entities=0)
    assert [fact.text for fact in await one.of(mind).facts([hit.key for hit in hits.facts])] == [TURNS[1]]
    assert {hit.key for hit in hits.turns} == {"1", "2", "3"}


async def test_a_graph_goes_back_before_it_is_prepared(replica, mind):
    """Broken: one that another version has embedded is never prepared before it is embedded anew."""
    one = replica(1)
    await tell(one.of(mind), mind, *TURNS)
    one.epoch = 2

    await one.of(mind).go_back(to=1, turn_id="t1")

    await digest(one, mind, (TURNS[0], "Ada left."))
    assert await texts_of(one.of(mind)) == [TURNS[0]]
    [hits] = await one.of(mind).nearest(await EMBEDDER.embed([TURNS[1]]), turns=9, facts=9, entities=0)
    assert ({hit.key for hit in hits.turns}, len(hits.facts)) == ({"1", "2"}, 1)


async def test_nothing_of_an_erased_mind_comes_back_from_who_slept_meanwhile(replica, mind):
    old, new = replica(1), replica(2)
    await written(old, mind)

    size, keys = await new.graphs.erasable(mind).erase()

    assert (size, keys) == (GraphSize(3, 3, 2), 1)
    assert await new.graphs.erasable(mind).keys() == 0
    assert not await new.graphs.archivable(mind).exists()
    for write in (lambda: old.of(mind).prepare(embedder=OURS), lambda: save(old.of(mind), mind, TURNS[0])):
        with pytest.raises(Fenced):
            await write()
    assert await new.graphs.erasable(mind).keys() == 0
    new.epoch = 3
    await tell(new.of(mind), mind, TURNS[1])
    assert await texts_of(old.of(mind)) == [TURNS[1]]


async def test_what_was_imported_takes_the_place_of_nothing_that_was_claimed_later(replica, mind):
    old, new = replica(1), replica(2)
    await tell(old.of(mind), mind, TURNS[0])
    await site_of(old, mind)
    await new.of(mind).prepare(embedder=OURS)
    before = await rows_of(new, mind)
    with pytest.raises(Fenced):
        await old.graphs.archivable(mind).adopt(old.graphs.archivable(mind).site("theirs"))
    assert await rows_of(new, mind) == before

    await new.graphs.archivable(mind).adopt(new.graphs.archivable(mind).site("theirs"))
    with pytest.raises(Fenced):
        await old.of(mind).prepare(embedder=OURS)


async def test_a_graph_that_several_share_stays_in_memory(replica, mind):
    one = replica(1)
    await tell(one.of(mind), mind, TURNS[0])

    assert not await one.graphs.evict(mind)
    assert await texts_of(one.of(mind)) == [TURNS[0]]


async def test_two_that_believe_in_one_claim_save_each_turn_once(replica, mind):
    """The fence is no lock: within one claim, the cursors keep order."""
    one, two = replica(1), replica(1)
    for each in (one, two):
        await each.of(mind).prepare(embedder=OURS)

    done = await asyncio.gather(*(save(each.of(mind), mind, *TURNS) for each in (one, two)), return_exceptions=True)

    assert [type(each) for each in done].count(list) >= 1
    assert await one.of(mind).size() == GraphSize(episodes=3)


# -- a service that is stopped between two of its statements


async def digest(replica, mind, texts):
    """Save and extract what the graph lacks of *texts*, as the lanes do it."""
    graph = replica.of(mind)
    saved = (await graph.prepare(embedder=OURS)).saved
    if saved < len(texts):
        await save(graph, mind, *texts[saved:], first=saved + 1)
    while (done := (await graph.progress()).extracted) < len(texts):
        await extract(graph, episode(mind, done + 1, texts[done]))


class Sleeper:
    """Holds a replica's writes: it falls asleep before its *number*-th one, and wakes when it is let go on."""

    def __init__(self, replica, number):
        self.asleep, self.awake = asyncio.Event(), asyncio.Event()
        self._left = number
        self._table = replica.connection.outcome
        replica.connection.outcome = self._held

    async def _held(self, graph, cypher, words):
        if "Lease" in cypher:
            self._left -= 1
            if self._left == 0:
                self.asleep.set()
                await self.awake.wait()
        return await self._table(graph, cypher, words)


async def contents(replica, mind):
    """What the graph says, without ids that a second try makes anew."""
    facts, entities = await everything(replica.of(mind))
    return (
        await replica.of(mind).progress(),
        await replica.of(mind).size(),
        sorted((one.text, one.source, one.target, one.episodes, one.valid_at, one.invalid_at) for one in facts),
        sorted((one.name, one.episodes) for one in entities),
    )


@pytest.mark.parametrize("on", ["falkordb", "falkordb cluster"], indirect=True)
async def test_nothing_of_who_sleeps_between_two_statements_gets_in(on, replica, mind):
    """Of the old one, every statement is once the first that it sends after the new one has done all the work."""
    alone = replica(1)
    await digest(alone, f"{mind}x", TURNS)
    expected = await contents(alone, f"{mind}x")

    for number in range(1, _MOST_STATEMENTS):
        one = f"{mind}{number}"
        old, new = replica(4), replica(5)
        sleeper = Sleeper(old, number)
        work = asyncio.create_task(digest(old, one, TURNS))
        await asyncio.wait({work, slept := asyncio.create_task(sleeper.asleep.wait())}, return_when="FIRST_COMPLETED")
        if not slept.done():  # all was done before that many statements
            slept.cancel()
            break
        await digest(new, one, TURNS)
        before = await rows_of(new, one)

        sleeper.awake.set()
        with pytest.raises(Fenced):
            await work

        assert await rows_of(new, one) == before
        assert _of(await contents(new, one), one) == _of(expected, f"{mind}x"), number
        assert old.refusals == 1
    assert number > 3 * 8  # statements of a turn: they were all met


async def test_nothing_gets_in_of_who_slept_while_a_model_read(on, replica, mind):
    """An extraction belongs to the claim under which it began, whatever its service has claimed since."""
    asleep, awake = asyncio.Event(), asyncio.Event()

    class Slow:
        is_hosted = False

        async def answer(self, ask):
            asleep.set()
            await awake.wait()
            return await on.reader.answer(ask)

    slow = TurnReaders(Slow(), overrides=lambda _: None, spent=lambda *_: None)
    old, new = replica(4, readers=slow), replica(5)
    work = asyncio.create_task(digest(old, mind, TURNS))
    await asleep.wait()
    await digest(new, mind, TURNS)
    before, old.epoch = await rows_of(new, mind), 6
    awake.set()
    with pytest.raises(Fenced):
        await work

    assert await rows_of(new, mind) == before


def _of(found, mind):
    """The same, with episodes by the number of their turn."""
    numbers = {episode_uuid(mind, f"t{number}"): number for number in range(1, len(TURNS) + 1)}
    progress, size, facts, entities = found
    facts = [(*one[:3], [numbers[uuid] for uuid in one[3]], *one[4:]) for one in facts]
    return progress, size, facts, [(name, sorted(numbers[uuid] for uuid in uuids)) for name, uuids in entities]
