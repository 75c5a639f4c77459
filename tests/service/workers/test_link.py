"""Calls are passed on as they are: in streams both ways, until either side leaves; and nothing is half taken for whole."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from consolidation.kernel.errors import RequestTimedOut, WorkerUnavailable
from service.workers.endpoint import Endpoint
from service.workers.link import WorkerLink
from tests.support.waiting import GIVE_UP

pytestmark = pytest.mark.anyio

START = {"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"1")]}


def part(content, *, more=True):
    return {"type": "http.response.body", "body": content, "more_body": more}


def sent(content, *, more=False):
    return {"type": "http.request", "body": content, "more_body": more}


@asynccontextmanager
async def linked(tmp_path, app=None, **answers):
    endpoint = Endpoint(tmp_path / "s", answers=answers, app=app, state={"memory": "theirs"})
    await endpoint.open()
    link = WorkerLink(tmp_path / "s")
    try:
        yield link, endpoint
    finally:
        link.close()
        await endpoint.close(seconds=1)


class Client:
    """One caller: what it sends, and what it was sent."""

    def __init__(self, *messages, kind="http"):
        self.scope = {"type": kind, "path": "/v1/minds/ada", "headers": [(b"host", b"x")], "app": object()}
        self.sending = asyncio.Queue()
        self.got = []
        self.has_got = asyncio.Condition()
        for message in messages:
            self.sending.put_nowait(message)

    async def send(self, message):
        async with self.has_got:
            self.got.append(message)
            self.has_got.notify_all()

    async def until(self, count):
        async with asyncio.timeout(GIVE_UP), self.has_got:
            await self.has_got.wait_for(lambda: len(self.got) >= count)

    async def call(self, link):
        await link.forward(self.scope, self.sending.get, self.send, state={"caller": "ada's key"})


async def test_an_answer_comes_part_by_part_while_it_is_made(tmp_path):
    may_go_on = asyncio.Event()

    async def app(scope, receive, send):
        assert scope["state"] == {"memory": "theirs", "caller": "ada's key"}
        assert "app" not in scope
        assert (await receive()) == sent(b"asked")
        await send(START)
        await send(part(b"one"))
        await may_go_on.wait()
        await send(part(b"two", more=False))

    async with linked(tmp_path, app) as (link, _):
        client = Client(sent(b"asked"))
        call = asyncio.create_task(client.call(link))
        await client.until(2)
        assert client.got == [START, part(b"one")]
        may_go_on.set()
        await call

    assert client.got[2:] == [part(b"two", more=False)]


async def test_a_body_goes_part_by_part_while_it_comes(tmp_path):
    heard = asyncio.Queue()

    async def app(_scope, receive, send):
        while True:
            message = await receive()
            heard.put_nowait(message["body"])
            if not message["more_body"]:
                break
        await send(START)
        await send(part(b"", more=False))

    async with linked(tmp_path, app) as (link, _), asyncio.timeout(GIVE_UP):
        client = Client(sent(b"one", more=True))
        call = asyncio.create_task(client.call(link))
        assert await heard.get() == b"one"
        client.sending.put_nowait(sent(b"two"))
        assert await heard.get() == b"two"
        await call


async def test_a_client_that_leaves_is_told_to_the_other_process(tmp_path):
    async def app(_scope, receive, send):
        await receive()
        await send(START)
        while (await receive())["type"] != "http.disconnect":
            pass
        await send(part(b"noticed", more=False))

    async with linked(tmp_path, app) as (link, _), asyncio.timeout(GIVE_UP):
        client = Client(sent(b""), {"type": "http.disconnect"})
        await client.call(link)

    assert client.got[-1] == part(b"noticed", more=False)


async def test_a_slow_client_holds_up_who_sends(tmp_path):
    made = 0

    async def app(_scope, receive, send):
        nonlocal made
        await receive()
        await send(START)
        for _ in range(500):
            await send(part(b"x" * 100_000))
            made += 1
        await send(part(b"", more=False))

    async with linked(tmp_path, app) as (link, _):
        client = Client(sent(b""))
        is_slow = asyncio.Event()

        async def send(message):
            await Client.send(client, message)
            if len(client.got) == 3:
                await is_slow.wait()

        call = asyncio.create_task(link.forward(client.scope, client.sending.get, send, state={}))
        await client.until(3)
        await asyncio.sleep(0.2)
        held = made
        is_slow.set()
        await call

    assert held < 100
    assert len(client.got) == 502


async def test_a_websocket_goes_both_ways(tmp_path):
    async def app(scope, receive, send):
        assert scope["type"] == "websocket"
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "bytes": message["bytes"][::-1]})

    async with linked(tmp_path, app) as (link, _), asyncio.timeout(GIVE_UP):
        client = Client({"type": "websocket.connect"}, {"type": "websocket.receive", "bytes": b"abc"}, kind="websocket")
        call = asyncio.create_task(client.call(link))
        await client.until(2)
        client.sending.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await call

    assert client.got == [{"type": "websocket.accept"}, {"type": "websocket.send", "bytes": b"cba"}]


async def test_what_an_answer_did_not_read_is_not_read_by_the_next_call(tmp_path):
    async def app(_scope, receive, send):
        first = await receive()
        await send(START)
        await send(part(first["body"], more=False))

    async with linked(tmp_path, app) as (link, _), asyncio.timeout(GIVE_UP):
        hasty = Client(sent(b"first", more=True), sent(b"never read", more=True), sent(b"neither"))
        await hasty.call(link)
        next_one = Client(sent(b"second"))
        await next_one.call(link)

    assert hasty.got[-1] == part(b"first", more=False)
    assert next_one.got[-1] == part(b"second", more=False)


async def test_a_body_that_comes_too_late_is_the_callers_fault(tmp_path):
    async def app(_scope, receive, _send):
        while (await receive())["type"] == "http.request":
            pass

    async with linked(tmp_path, app) as (link, _), asyncio.timeout(GIVE_UP):
        client = Client()
        parts = iter([sent(b"one", more=True)])

        async def receive():
            await asyncio.sleep(0)
            for message in parts:
                return message
            raise RequestTimedOut("too late")

        with pytest.raises(RequestTimedOut):
            await link.forward(client.scope, receive, client.send, state={})


async def test_a_process_that_is_gone_is_unavailable_and_a_half_answer_is_not_a_whole_one(tmp_path):
    async def dies(_scope, receive, send):
        await receive()
        raise RuntimeError("as if it were killed")

    async def dies_late(_scope, receive, send):
        await receive()
        await send(START)
        await send(part(b"half"))
        raise RuntimeError("as if it were killed")

    with pytest.raises(WorkerUnavailable):
        await Client(sent(b"")).call(WorkerLink(tmp_path / "nothing"))
    async with linked(tmp_path, dies) as (link, _):
        with pytest.raises(WorkerUnavailable):
            await Client(sent(b"")).call(link)
    async with linked(tmp_path, dies_late) as (link, _):
        client = Client(sent(b""))
        with pytest.raises(EOFError):
            await client.call(link)
        assert client.got == [START, part(b"half")]


async def test_a_question_is_answered_and_one_that_fails_says_so(tmp_path):
    async def add(first, *, second):
        return {"sum": first + second}

    async def fail():
        raise ValueError("no such thing")

    async with linked(tmp_path, add=add, fail=fail) as (link, _):
        assert await link.ask("add", 1, second=2) == {"sum": 3}
        with pytest.raises(WorkerUnavailable, match="no such thing"):
            await link.ask("fail")
        assert await link.ask("add", 2, second=2) == {"sum": 4}


async def test_an_end_that_closes_lets_open_calls_end(tmp_path):
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def app(_scope, receive, send):
        await receive()
        has_begun.set()
        await may_end.wait()
        await send(START)
        await send(part(b"whole", more=False))

    async with linked(tmp_path, app) as (link, endpoint), asyncio.timeout(GIVE_UP):
        client = Client(sent(b""))
        call = asyncio.create_task(client.call(link))
        await has_begun.wait()
        closing = asyncio.create_task(endpoint.close(seconds=GIVE_UP))
        may_end.set()
        await call
        await closing

    assert client.got[-1] == part(b"whole", more=False)


async def test_a_call_that_never_ends_does_not_hold_up_the_end(tmp_path, caplog):
    has_begun = asyncio.Event()

    async def app(_scope, receive, _send):
        await receive()
        has_begun.set()
        await asyncio.Event().wait()

    async with linked(tmp_path, app) as (link, endpoint), asyncio.timeout(GIVE_UP):
        call = asyncio.create_task(Client(sent(b"")).call(link))
        await has_begun.wait()
        await endpoint.close(seconds=0)
        with pytest.raises(WorkerUnavailable):
            await call

    assert not endpoint._connections
    assert caplog.records == []
