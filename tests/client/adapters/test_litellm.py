"""A LiteLLM proxy remembers: its own hooks around its own model calls, a real service, a scripted model."""

import asyncio
import sys
from types import SimpleNamespace

import pytest
from twins.provider import Fails

from mind_memory_client import AsyncMemoryClient, Patience
from service.adapters.litellm_door import close_litellm, open_litellm
from tests.client.adapters.bots import KNOWS, KNOWS_NOT, MARK, bot, calls_tool, shown
from tests.client.conftest import ASKS, MOTHER, kept, said
from tests.service.cli.cli_process import until_digested

pytestmark = pytest.mark.anyio

KEY = SimpleNamespace(user_id="someone")


class Passing:
    """A request's way through the proxy: its hooks, in its order, around a call of the model by litellm."""

    def __init__(self, provider, logger):
        self.provider, self.logger = provider, logger
        self.litellm = sys.modules["litellm"]

    async def chat(self, messages, *, headers=None, call="acompletion", **more):
        """What the caller gets: an answer, or the pieces of one."""
        data = {"model": "openai/scripted", "messages": messages, "proxy_server_request": {"headers": headers or {}}}
        data |= more
        changed = await self.logger.async_pre_call_hook(KEY, None, data, call) or data
        sent = {name: changed[name] for name in ("model", "messages", "stream", "tools") if name in changed}
        try:
            answer = await self.litellm.acompletion(**sent, api_base=self.provider.url, api_key="k", max_retries=0)
        except Exception as error:
            await self.logger.async_post_call_failure_hook(data, error, KEY)
            raise
        if not more.get("stream"):
            await self.logger.async_post_call_success_hook(data, KEY, answer)
            return answer.choices[0].message.content
        return self.logger.async_post_call_streaming_iterator_hook(KEY, answer, data)


@pytest.fixture
async def litellm():
    """litellm, without its telephone, and its connections closed afterwards."""
    yield await open_litellm()
    await close_litellm()


@pytest.fixture
async def logger_of(url, litellm):
    """A callback on a client of the service, or of another."""
    from mind_memory_client.adapters.litellm import MemoryLogger

    clients = []

    def build(mind="ada", *, where=url, patience=None, **more):
        clients.append(AsyncMemoryClient(where, patience=patience))
        return MemoryLogger(clients[-1], mind=mind, deadline_ms=0, **more)

    yield build
    for client in clients:
        await client.aclose()


async def test_a_bot_is_told_in_a_later_session_what_was_said_in_an_earlier_one(logger_of, mind, home, url):
    with bot() as provider:
        proxy = Passing(provider, logger_of())
        await proxy.chat([said(MOTHER)], headers={"X-Mind-Id": mind, "X-Session-Id": "earlier"})
        await asyncio.to_thread(until_digested, url, mind)
        answer = await proxy.chat([said(ASKS)], metadata={"mind_id": mind, "session_id": "later"})

    assert answer == KNOWS
    assert shown(provider)[0][1].startswith("[MY MEMORY]")
    assert shown(provider)[1][1].startswith(f"---\n{MARK}")
    assert kept(home, mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_kept_once(logger_of, told, home):
    with bot(calls_tool(city="Lyon")) as provider:
        proxy = Passing(provider, logger_of(told, session="later"))
        messages = [said(ASKS)]
        assert await proxy.chat(messages) is None
        messages += [calls_tool(city="Lyon").value["choices"][0]["message"]]
        messages += [{"role": "tool", "tool_call_id": "call_1", "content": "22 degrees"}]
        assert await proxy.chat(messages) == KNOWS

    assert shown(provider, 1)[:2] == shown(provider, 0)
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_a_stream_comes_piece_by_piece_and_is_kept_also_when_the_caller_leaves(logger_of, told, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told, session="later"))
        pieces = [one.choices[0].delta.content or "" async for one in await proxy.chat([said(ASKS)], stream=True)]
        stream = await proxy.chat([said("And whose mother?")], stream=True)
        first = (await anext(stream)).choices[0].delta.content
        await stream.aclose()

    assert "".join(pieces) == KNOWS
    assert len(pieces) > 2
    assert kept(home, told)[1:] == [
        ("later", [("user", ASKS), ("assistant", KNOWS)]),
        ("later", [("user", "And whose mother?"), ("assistant", first)]),
    ]


async def test_a_conversation_without_a_name_is_known_by_how_it_began(logger_of, told, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told))
        first = await proxy.chat([said("Hello there!")])
        await proxy.chat([said("Hello there!"), {"role": "assistant", "content": first}, said(ASKS)])
        await proxy.chat([said("Good evening!")])

    sessions = [session for session, _ in kept(home, told)[1:]]
    assert sessions[0] == sessions[1] != sessions[2]


async def test_where_the_key_says_whose_memory_it_is_the_caller_has_no_say(logger_of, told, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(lambda key, _: told if key.user_id == "someone" else "nobody"))
        await proxy.chat([said(ASKS)], headers={"x-mind-id": "somebody-elses"})

    assert len(kept(home, told)) == 2


async def test_memory_is_left_out_on_request_and_of_what_is_no_chat(logger_of, told, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told))
        assert await proxy.chat([said(ASKS)], headers={"X-Memory-Bypass": "1"}) == KNOWS_NOT
        assert await proxy.chat([said(ASKS)], call="aembedding") == KNOWS_NOT

    assert len(kept(home, told)) == 1


async def test_when_the_model_fails_the_users_words_are_kept(litellm, logger_of, told, home):
    with bot(Fails(500)) as provider, pytest.raises(litellm.InternalServerError):
        await Passing(provider, logger_of(told, session="later")).chat([said(ASKS)])

    assert kept(home, told)[1:] == [("later", [("user", ASKS)])]


async def test_without_a_memory_the_proxy_answers_and_the_turn_waits_on_the_shelf(logger_of, memory, mind, home):
    logger = logger_of(mind, where="http://127.0.0.1:9", patience=Patience(attempts=1), session="later")
    with bot() as provider:
        assert await Passing(provider, logger).chat([said(ASKS)]) == KNOWS_NOT

    for unsaved in logger.unsaved.take():
        memory.send(unsaved.call)
    assert kept(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]


async def test_litellm_finds_each_hook_where_it_looks_for_it(logger_of):
    found = vars(type(logger_of()))

    assert {"async_pre_call_hook", "async_post_call_success_hook", "async_post_call_streaming_iterator_hook"} <= {
        *found
    }
