"""`mind-memory mcp` as hosts start it: a process that speaks the protocol on stdout, and nothing else."""

import json
import os
import re
import signal
import socket
import subprocess
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import anyio
import httpx2
import pytest
from mcp import MCPError

from consolidation.kernel.clock import FixedClock, SystemClock
from consolidation.kernel.errors import HomeLocked
from consolidation.workspace import DEFAULT_MIND
from service.cli.commands.mcp import LastingConnection
from service.composition.container import open_memory
from service.mcp_server.api_client import ApiUnreachable
from service.runtime.service_file import find_service
from tests.support.api_keys import make_key
from tests.support.cli_process import call, environment, run, serving, until_digested
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.free_ports import free_port
from tests.support.mcp_hosts import LYON, TOOLS, called, over_stdio, refused, said_file, text_of
from tests.support.punctuality import timed
from tests.support.service import settings_of

pytestmark = pytest.mark.anyio

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a host", "version": "1"}},
}


CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "store_turn", "arguments": {"messages": LYON}}}
GIVEN_UP = {"jsonrpc": "2.0", "method": "notifications/cancelled"}


class RacingClock(FixedClock):
    """A second passes each time somebody looks."""

    def __init__(self):
        super().__init__(datetime(2026, 1, 12, tzinfo=UTC))
        self.asked = 0

    def monotonic(self):
        self.asked += 1
        self.advance(timedelta(seconds=1))
        return super().monotonic()


def started(home, *words, **more):
    """The command with its pipes in our hands."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    place = () if "--url" in words else ("--home", home)
    env = environment(MIND_MEMORY_HOME=str(home), **more)
    return ForkedProcess([MIND_MEMORY, "mcp", *place, *words], **pipes, text=True, encoding="utf-8", env=env)


def said_by(process, *messages):
    """Say these, texts as they are, and leave; every line of stdout as JSON, and stderr."""
    lines = (message if isinstance(message, str) else json.dumps(message) for message in messages)
    out, err = process.communicate("".join(f"{line}\n" for line in lines), timeout=60)
    return [json.loads(line) for line in out.splitlines()], err


def asked_of(process, *messages):
    """Say these and stay; the answer to each."""
    process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
    process.stdin.flush()
    return [json.loads(process.stdout.readline()) for _ in messages]


async def test_without_a_service_the_command_opens_the_home_and_shares_it_until_the_host_leaves(tmp_path):
    home = tmp_path / "home"
    async with over_stdio(home, "--mind", "ada", mode="legacy") as host:
        assert {tool.name for tool in (await host.list_tools()).tools} == TOOLS
        assert find_service(home) is None  # nothing is opened before it is needed
        kept = await called(host, "store_turn", messages=LYON)
        url = find_service(home).url
        until_digested(url, "ada")
        found = await host.call_tool("remember", {"query": "Where does my mother live?"})
        async with over_stdio(home, "--any-mind") as second:
            shared = await called(second, "remember", query="mother", mind="ada")
        async with over_stdio(home) as third:
            walled = await refused(third, "remember", query="mother", mind="ada")
            stories = (await third.list_resources()).resources
        command = await anyio.to_thread.run_sync(lambda: run("remember", "mother", "--mind", "ada", "--home", home))

    assert (kept["mind"], kept["sequence"]) == ("ada", 1)
    assert kept["session_id"].startswith("mcp-")
    assert "Lyon" in text_of(found)
    assert "Lyon" in str(shared["memories"])
    assert walled == "this connection is for the mind 'global-user-memory' alone: call again without `mind`"
    assert stories == []
    assert "Lyon" in command.stdout
    assert said_file(home).read_text() == ""
    assert find_service(home) is None
    [transcript] = (home / "minds" / "ada" / "transcript").glob("*.jsonl")
    assert "Lyon" in transcript.read_text()


async def test_a_service_that_is_restarted_meanwhile_is_found_again(tmp_path):
    home = tmp_path / "home"
    async with over_stdio(home, "--mind", "ada", "--session", "s7") as host:
        with serving(home) as (_, url):
            first = await called(host, "store_turn", messages=LYON, turn_id="lyon")
        with serving(home) as (_, again):
            repeated = await called(host, "store_turn", messages=LYON, turn_id="lyon")
            second = await called(host, "store_turn", messages=LYON)

    assert url != again
    assert (first["session_id"], first["sequence"]) == ("s7", 1)
    assert (repeated["sequence"], repeated["duplicate"]) == (1, True)
    assert second["sequence"] == 2
    assert said_file(home).read_text() == ""


async def test_a_service_that_is_gone_for_good_is_replaced_only_after_it_had_time_to_come_back(tmp_path):
    settings, clock = settings_of(tmp_path / "home"), RacingClock()
    turn = {"session_id": "s1", "turn_id": "t1", "messages": LYON}
    async with aclosing(LastingConnection(settings, url=None, clock=clock)) as reach:
        with serving(settings.folder):
            first = await reach.ask("POST", "/v1/minds/ada/turns", json=turn)
        again = await reach.ask("POST", "/v1/minds/ada/turns", json=turn)
        waited = clock.asked
        host = find_service(settings.folder)

    assert (first["duplicate"], again["duplicate"]) == (False, True)
    assert waited > 8
    assert host.pid == os.getpid()
    assert find_service(settings.folder) is None


async def test_a_home_that_another_command_has_is_waited_for_and_then_said_to_be_taken(tmp_path):
    settings = settings_of(tmp_path / "home")
    async with aclosing(LastingConnection(settings, url=None, clock=RacingClock())) as reach:
        async with open_memory(settings):
            with pytest.raises(ApiUnreachable, match="is in use by another mind-memory"):
                await reach.ask("GET", "/v1/minds")
        found = await reach.ask("GET", "/v1/minds")

    assert found == {"minds": [], "next_cursor": None}


async def test_a_service_that_finds_the_home_in_use_says_that_an_mcp_host_has_it(tmp_path):
    settings = settings_of(tmp_path / "home")
    async with aclosing(LastingConnection(settings, url=None, clock=SystemClock())) as reach:
        await reach.ask("GET", "/v1/minds")
        at = find_service(settings.folder).url
        with pytest.raises(HomeLocked) as refused:
            async with open_memory(settings):
                pass
        command = await anyio.to_thread.run_sync(lambda: call("status", "--home", settings.folder))

    assert str(refused.value) == (
        f"{settings.folder} is in use by another mind-memory, process {os.getpid()}, at {at}, which an MCP host such as "
        "Claude Desktop started as `mind-memory mcp`; quit the host, or disable the server in it, and start it again "
        "when the service runs, or set MIND_MEMORY_HOME to another folder"
    )
    assert command.exit_code == 0


async def test_where_nobody_answers_the_model_is_told_what_to_do_and_later_it_works(tmp_path):
    home = tmp_path / "home"
    port = free_port()
    async with over_stdio(tmp_path / "unused", "--url", f"http://127.0.0.1:{port}", "--mind", "ada") as host:
        said = await refused(host, "remember", query="mother")
        unsaved = await refused(host, "store_turn", messages=LYON)
        turn_id = re.search(r'"turn_id": "([0-9a-f]{32})"', unsaved)[1]
        with pytest.raises(MCPError, match="does not answer"):
            await host.list_resources()
        with serving(home, "--port", str(port)):
            kept = await called(host, "store_turn", messages=LYON, turn_id=turn_id)

    assert f"http://127.0.0.1:{port} does not answer; start it with `mind-memory serve`" in said
    assert "Go on without memory meanwhile" in said
    assert (kept["turn_id"], kept["sequence"]) == (turn_id, 1)
    assert not (tmp_path / "unused").exists()


async def test_a_key_for_a_service_elsewhere_comes_from_the_environment(tmp_path):
    home = tmp_path / "home"
    key = make_key(home, minds=("ada",))
    with serving(home) as (_, url):
        async with over_stdio(home, "--url", url, "--mind", "ada", MIND_MEMORY_KEY=key) as host:
            kept = await called(host, "store_turn", messages=LYON)
        async with over_stdio(home, "--url", url, "--any-mind", MIND_MEMORY_KEY=key) as host:
            other = await host.call_tool("read_story", {"mind": "bob"})
        async with over_stdio(home, "--url", url) as host:
            keyless = await refused(host, "remember", query="mother")

    assert kept["mind"] == "ada"
    assert "This key is not for a mind called 'bob'" in text_of(other)
    assert "MIND_MEMORY_KEY" in keyless


async def test_an_address_where_no_memory_service_is_is_told_as_that(tmp_path):
    with serving(tmp_path / "elsewhere") as (_, url):
        async with over_stdio(tmp_path / "unused", "--url", f"{url}/beside") as host:
            told = await refused(host, "remember", query="mother")

    assert told.startswith("The answer is not from a memory service")


def test_stdout_is_protocol_alone_and_the_command_ends_when_its_host_leaves(tmp_path):
    lines, err = said_by(
        started(tmp_path / "home", MIND_MEMORY_LOG_LEVEL="DEBUG"), HELLO, "no message", HELLO | {"id": 2}
    )
    silent, nothing = said_by(started(tmp_path / "home"))

    assert lines[0]["id"] == 1
    assert lines[0]["result"]["serverInfo"]["name"] == "mind-memory"
    assert {"remember", "store_turn"} <= set(re.findall(r"`([a-z_]+)`", lines[0]["result"]["instructions"]))
    assert "Traceback" not in err
    assert (silent, nothing) == ([], "")


def test_what_is_no_message_is_answered_with_the_reason_under_its_id(tmp_path):
    """Broken: it is dropped, and the host's call waits for ever."""
    called = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    odd = [
        {**called, "params": "x"},
        {**called, "id": "b", "jsonrpc": "1.0"},
        {**called, "jsonrpc": "1.0", "id": 8, "params": {"said": "half \ud83d"}},
        {**called, "id": 1.5, "method": 5},
        "{bad",
        "5",
        "[" * 100_000,
        {"jsonrpc": "2.0", "id": 9, "result": 5},
    ]

    lines, err = said_by(started(tmp_path / "home"), HELLO, *odd, {**called, "id": 10})
    errors = [one for one in lines if "error" in one]

    assert [(one["id"], one["error"]["code"]) for one in errors] == [
        (7, -32600), ("b", -32600), (8, -32600), (None, -32600), (None, -32700), (None, -32600), (None, -32700),
    ]  # fmt: skip
    assert 'a message is one object, {"jsonrpc": "2.0", ' in errors[0]["error"]["message"]
    assert sorted(one["id"] for one in lines if "result" in one) == [1, 10]
    assert "Traceback" not in err


def test_what_is_called_just_before_stdin_closes_is_done_and_answered(tmp_path):
    """Broken: the turns are neither stored nor answered."""
    home = tmp_path / "home"
    calls = [CALL | {"id": number} for number in range(2, 12)]

    lines, err = said_by(started(home), HELLO, *calls)

    assert sorted(one["id"] for one in lines) == [*range(1, 12)]
    assert [one for one in lines if "error" in one or one["result"].get("isError")] == []
    [transcript] = (home / "minds" / DEFAULT_MIND / "transcript").glob("*.jsonl")
    assert len(transcript.read_text().splitlines()) == len(calls)
    assert "Traceback" not in err


def test_a_call_that_the_host_gave_up_does_not_hold_up_the_end(tmp_path):
    """Broken: its answer is waited for, 15 seconds long."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = started(tmp_path / "unused", "--url", f"http://127.0.0.1:{silent.getsockname()[1]}")
        asked_of(process, HELLO)
        given_up = GIVEN_UP | {"params": {"requestId": 2}}
        (lines, err), took, is_in_time = timed(lambda: said_by(process, CALL | {"id": 2}, given_up), within=3)

    assert is_in_time, took
    assert lines == []
    assert "Traceback" not in err


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_half_an_emoji_is_stored_as_a_mark_and_two_halves_as_one(tmp_path, way):
    """Broken: over stdio the call waits for ever, and over HTTP it is a parse error."""
    home = tmp_path / "home"
    halves = [{"role": "user", "content": "cut \ud83d \\ud83d"}, {"role": "assistant", "content": "Hi \ud83d\ude00"}]
    stored = {"name": "store_turn", "arguments": {"mind": "ada", "messages": halves}}
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": stored}
    if way == "stdio":
        process = started(home, "--any-mind")
        result = asked_of(process, HELLO, message)[-1]["result"]
        process.communicate()
    else:
        with serving(home) as (_, url):
            sent = {"content": json.dumps(message).encode(), "headers": {"Content-Type": "application/json"}}
            result = httpx2.post(f"{url}/mcp", **sent, timeout=30).json()["result"]

    assert result["structuredContent"]["sequence"] == 1, result
    [transcript] = (home / "minds" / "ada" / "transcript").glob("*.jsonl")
    assert [one["content"] for one in json.loads(transcript.read_text())["messages"]] == [
        "cut \ufffd \\ud83d",
        "Hi \U0001f600",
    ]


def test_a_signal_ends_it_though_its_host_is_still_there_and_the_home_is_closed_behind_it(tmp_path):
    home = tmp_path / "home"
    process = started(home, "--any-mind")
    stored = {"name": "store_turn", "arguments": {"mind": "ada", "messages": LYON}}
    answers = asked_of(process, HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": stored})
    process.send_signal(signal.SIGTERM)
    code = process.wait(30)
    process.communicate()

    assert answers[1]["result"]["structuredContent"]["sequence"] == 1
    assert code == 0
    assert not (home / "service.json").exists()


@pytest.mark.parametrize(
    ("words", "variables", "said"),
    [
        (("--mind", "ada\n"), {}, "a mind is called by printable"),
        (("--url", "nowhere"), {}, "'nowhere' is not an address"),
        (("--url", "http://127.0.0.1:9/mcp?mind=ada"), {}, "the service itself is at http://127.0.0.1:9"),
        (("--url", "http://127.0.0.1:1"), {"MIND_MEMORY_KEY": "nonsense"}, "MIND_MEMORY_KEY is not a key"),
        ((), {"MIND_MEMORY_PRT": "1"}, "MIND_MEMORY_PRT is not a setting"),
    ],
    ids=["mind", "address", "address of mcp", "key", "setting"],
)
def test_what_is_wrong_is_said_before_the_first_word(tmp_path, words, variables, said):
    done = call("mcp", *words, **{"MIND_MEMORY_HOME": str(tmp_path / "home"), **variables})

    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_its_help_shows_what_a_host_is_configured_with():
    done = call("mcp", "--help")

    assert done.exit_code == 0
    for words in (
        '{"mcpServers": {"memory": {"command": "mind-memory", "args": ["mcp", "--mind", "ada"]}}}',
        "--any-mind",
        "--url",
        "/mcp",
    ):
        assert words in done.stdout
    assert "\\b" not in done.stdout
