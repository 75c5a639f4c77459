"""Which turns are told of as read and as parked, also where a graph is read again from the start."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.log import Transcript
from service.ports.graph import MindGraph
from service.webhooks.sources import ReadTurns
from tests.support.fragments import NOON
from tests.support.graphs import OURS, bench, parked

pytestmark = pytest.mark.anyio


@dataclass
class Told:
    """A mind of which only the transcript and the graph are looked at, and what was told of it."""

    transcript: Transcript
    graph: MindGraph
    position: str | None = None

    async def news(self):
        read = await ReadTurns(FixedClock(NOON)).after(self, self.position, since=NOON - timedelta(days=1))
        self.position = read.position
        return [(one.kind, one.about["turn_id"]) for one in read.events]

    async def reads(self, *sequences):
        for one in sequences:
            await self.graph.mark_extracted(one, turn_id=f"t{one}", after=one - 1)


async def empty_graph():
    """As it is after a loss, or at the begin of a rebuild."""
    async with bench("memory") as graphs:
        graph = graphs.of("ada")
        await graph.prepare(embedder=OURS)
        return graph


@pytest.fixture
async def told(tmp_path):
    transcript = await Transcript(tmp_path / "transcript", clock=FixedClock(NOON)).open()
    for number in (1, 2, 3):
        await transcript.append(Turn(f"t{number}", "s1", (Message(Speaker.USER, "I like tea."),)), tokens=1)
    found = Told(transcript, await empty_graph())
    await found.news()
    await found.reads(1)
    await found.graph.park(parked(2), after=1)
    await found.reads(3)
    assert await found.news() == [("turn.read", "t1"), ("turn.parked", "t2"), ("turn.read", "t3")]
    yield found
    await transcript.close()


async def test_a_parked_turn_that_a_rebuilt_graph_can_not_read_either_is_told_of_no_more(told):
    told.graph = await empty_graph()
    assert await told.news() == []
    await told.reads(1)
    assert await told.news() == []

    await told.graph.park(parked(2), after=1)

    assert await told.news() == []


async def test_a_parked_turn_that_a_rebuilt_graph_reads_is_told_of_once(told):
    told.graph = await empty_graph()
    await told.reads(1)
    assert await told.news() == []

    await told.reads(2, 3)

    assert await told.news() == [("turn.read", "t2")]
    assert await told.news() == []


async def test_a_parked_turn_that_is_read_at_last_is_told_of_once(told):
    await told.graph.unpark(parked(2))

    assert await told.news() == [("turn.read", "t2")]
    assert await told.news() == []
