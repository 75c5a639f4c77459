"""Calls pass, or none does: who does not answer is asked again from time to time, and that alone opens the way."""

import asyncio
import time

import pytest

from consolidation.kernel.errors import GraphFault
from service.adapters.circuit_breaker import CircuitBreaker
from service.runtime.background import Background
from service.observability.dependency_health import Dependencies

pytestmark = pytest.mark.anyio


class Server:
    """Answers a question when it is up; the test sees each question and may hold its answer back."""

    def __init__(self, *, up):
        self.up, self.asked, self.answers = up, 0, asyncio.Event()
        self.answers.set()

    async def ask(self):
        self.asked += 1
        await self.answers.wait()
        if not self.up:
            raise GraphFault("nobody there")


async def until(is_so):
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.005)


async def failed_call(breaker, server):
    with pytest.raises(GraphFault, match="lost"), breaker.watching(server.ask, suspect=GraphFault):
        raise GraphFault("lost")


@pytest.fixture
async def background():
    async with Background(drain_seconds=1) as jobs:
        yield jobs


@pytest.fixture
def graph():
    return Dependencies(monotonic=time.monotonic).get("graph")


async def test_a_failed_call_closes_the_way_only_when_the_question_fails_too(background, graph):
    server = Server(up=True)
    breaker = CircuitBreaker(graph, rest_seconds=0.01, background=background)

    await failed_call(breaker, server)
    await until(lambda: server.asked == 1)

    breaker.check(GraphFault)
    assert (graph.breaker_state(), graph.trouble) == ("closed", None)


async def test_who_is_away_is_asked_again_until_it_answers(background, graph):
    server = Server(up=False)
    breaker = CircuitBreaker(graph, rest_seconds=0.01, background=background)

    await failed_call(breaker, server)
    await until(lambda: graph.breaker_state() == "open")
    with pytest.raises(GraphFault, match="nobody there"):
        breaker.check(GraphFault)

    server.answers.clear()
    asked = server.asked
    await until(lambda: server.asked > asked)
    assert graph.breaker_state() == "half_open"
    with pytest.raises(GraphFault, match="nobody there"):
        breaker.check(GraphFault)

    server.up = True
    server.answers.set()
    await until(lambda: graph.breaker_state() == "closed")
    breaker.check(GraphFault)
    assert graph.trouble is None


async def test_one_failed_question_that_came_back_at_once_is_not_believed(background, graph):
    server = Server(up=False)
    breaker = CircuitBreaker(graph, rest_seconds=0.01, background=background)

    await failed_call(breaker, server)
    await until(lambda: server.asked == 1)
    server.up = True
    await until(lambda: server.asked == 2)

    breaker.check(GraphFault)
    assert graph.breaker_state() == "closed"


async def test_a_call_that_waited_long_and_was_given_up_is_reason_to_ask(background, graph):
    server = Server(up=True)
    breaker = CircuitBreaker(graph, rest_seconds=0.01, background=background)

    async def call(seconds):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(seconds):
                with breaker.watching(server.ask, suspect=GraphFault):
                    await asyncio.Event().wait()

    await call(0.0)
    await asyncio.sleep(0)
    assert server.asked == 0
    await call(0.15)
    await until(lambda: server.asked == 1)


async def test_a_sibling_stands_before_another_dependency_alone(background, graph):
    server = Server(up=False)
    breaker = CircuitBreaker(graph, rest_seconds=0.01, background=background)
    graph.split(["slots 0-9"])
    sibling = breaker.sibling(graph.shards["slots 0-9"])

    await failed_call(sibling, server)
    await until(lambda: graph.shards["slots 0-9"].breaker_state() == "open")

    breaker.check(GraphFault)
    assert graph.breaker_state() == "closed"
