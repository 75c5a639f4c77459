"""A LiteLLM proxy remembers: its own hooks around its own model calls, a real service, a scripted model."""

import asyncio
import sys
from types import SimpleNamespace

import pytest

from mind_memory_client import AsyncMemoryClient, RetryPolicy
from service.adapters.litellm.loader import close_litellm, open_litellm
from tests.client.conftest import ASKS, MOTHER, stored_turns, user_says
from tests.support.cli_process import until_digested
from tests.support.scripted_bot import KNOWS, KNOWS_NOT, MARK, bot, calls_tool, shown
from tests.twins.provider import Fails

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
    """litellm without its telemetry; its connections are closed afterwards."""
    yield await open_litellm()
    await close_litellm()


@pytest.fixture
async def logger_of(url, litellm):
    """A callback on a client of the service, or of another."""
    from mind_memory_client.adapters.litellm import MemoryLogger

    clients = []

    def build(mind="ada", *, where=url, retry=None, **more):
        clients.append(AsyncMemoryClient(where, retry=retry))
        return MemoryLogger(clients[-1], mind=mind, deadline_ms=0, **more)

    yield build
    for client in clients:
        await client.aclose()


async def test_a_bot_knows_in_a_later_session_what_was_said_in_an_earlier_one(logger_of, mind, home, url):
    with bot() as provider:
        proxy = Passing(provider, logger_of())
        await proxy.chat([user_says(MOTHER)], headers={"X-Mind-Id": mind, "X-Session-Id": "earlier"})
        await asyncio.to_thread(until_digested, url, mind)
        answer = await proxy.chat([user_says(ASKS)], metadata={"mind_id": mind, "session_id": "later"})

    assert answer == KNOWS
    assert shown(provider)[0][1].startswith("[MY MEMORY]")
    assert shown(provider)[1][1].startswith(f"---\n{MARK}")
    assert stored_turns(home, mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_in_a_loop_of_tools_each_call_sees_the_same_and_the_turn_is_stored_once(logger_of, told_mind, home):
    with bot(calls_tool(city="Lyon")) as provider:
        proxy = Passing(provider, logger_of(told_mind, session="later"))
        messages = [user_says(ASKS)]
        assert await proxy.chat(messages) is None
        messages += [calls_tool(city="Lyon").value["choices"][0]["message"]]
        messages += [{"role": "tool", "tool_call_id": "call_1", "content": "22 degrees"}]
        assert await proxy.chat(messages) == KNOWS

    assert shown(provider, 1)[:2] == shown(provider, 0)
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


async def test_a_stream_comes_piece_by_piece_and_is_stored_also_when_the_caller_leaves(logger_of, told_mind, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told_mind, session="later"))
        pieces = [one.choices[0].delta.content or "" async for one in await proxy.chat([user_says(ASKS)], stream=True)]
        stream = await proxy.chat([user_says("And whose mother?")], stream=True)
        first = (await anext(stream)).choices[0].delta.content
        await stream.aclose()

    assert "".join(pieces) == KNOWS
    assert len(pieces) > 2
    assert stored_turns(home, told_mind)[1:] == [
        ("later", [("user", ASKS), ("assistant", KNOWS)]),
        ("later", [("user", "And whose mother?"), ("assistant", first)]),
    ]


async def test_words_whose_answer_the_caller_left_are_stored_once_when_they_are_asked_again(logger_of, told_mind, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told_mind, session="later"))
        stream = await proxy.chat([user_says(ASKS)], stream=True)
        first = (await anext(stream)).choices[0].delta.content
        await stream.aclose()
        await proxy.chat([user_says(ASKS)])

    assert stored_turns(home, told_mind)[1:] == [
        ("later", [("user", ASKS), ("assistant", first)]),
        ("later", [("assistant", KNOWS)]),
    ]


async def test_a_conversation_without_a_name_is_known_by_how_it_began(logger_of, told_mind, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told_mind))
        first = await proxy.chat([user_says("Hello there!")])
        await proxy.chat([user_says("Hello there!"), {"role": "assistant", "content": first}, user_says(ASKS)])
        await proxy.chat([user_says("Good evening!")])

    sessions = [session for session, _ in stored_turns(home, told_mind)[1:]]
    assert sessions[0] == sessions[1] != sessions[2]


async def test_where_the_key_names_the_mind_the_caller_can_not_choose(logger_of, told_mind, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(lambda key, _: told_mind if key.user_id == "someone" else "nobody"))
        await proxy.chat([user_says(ASKS)], headers={"x-mind-id": "somebody-elses"})

    assert len(stored_turns(home, told_mind)) == 2


async def test_a_request_can_bypass_memory_and_other_calls_always_do(logger_of, told_mind, home):
    with bot() as provider:
        proxy = Passing(provider, logger_of(told_mind))
        assert await proxy.chat([user_says(ASKS)], headers={"X-Memory-Bypass": "1"}) == KNOWS_NOT
        assert await proxy.chat([user_says(ASKS)], call="aembedding") == KNOWS_NOT

    assert len(stored_turns(home, told_mind)) == 1


async def test_when_the_model_fails_the_users_words_are_stored(litellm, logger_of, told_mind, home):
    with bot(Fails(500)) as provider, pytest.raises(litellm.InternalServerError):
        await Passing(provider, logger_of(told_mind, session="later")).chat([user_says(ASKS)])

    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS)])]


async def test_without_a_memory_the_proxy_answers_and_the_turn_waits_in_the_queue(logger_of, memory, mind, home):
    logger = logger_of(mind, where="http://127.0.0.1:9", retry=RetryPolicy(max_attempts=1), session="later")
    with bot() as provider:
        assert await Passing(provider, logger).chat([user_says(ASKS)]) == KNOWS_NOT

    for unsaved in logger.unsaved.take():
        memory.resend(unsaved)
    assert stored_turns(home, mind) == [("later", [("user", ASKS), ("assistant", KNOWS_NOT)])]


async def test_litellm_finds_each_hook_where_it_looks_for_it(logger_of):
    found = vars(type(logger_of()))

    assert {"async_pre_call_hook", "async_post_call_success_hook", "async_post_call_streaming_iterator_hook"} <= {
        *found
    }
