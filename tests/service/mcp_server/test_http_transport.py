"""MCP at the address of a running service, asked by the SDK's own client, in both eras of the protocol."""

import json
import re
import signal
import socket
from urllib.parse import urlsplit

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import MCPError

from tests.support.api_keys import make_key
from tests.support.cli_process import log_of_ended, serving, until_digested
from tests.support.mcp_hosts import LYON, TOOLS, called, over_http, refused, text_of

pytestmark = pytest.mark.anyio

ERAS = ("legacy", "auto")
LISTED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
KYOTO = "母は京都に住んでいます。 \U0001f3ef ‘naïve’ \u202e"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_host_sees_every_tool_with_schemas_that_it_can_use(service, mode):
    async with over_http(service, mode=mode, X_Mind_Id="ada") as host:
        tools = {tool.name: tool for tool in (await host.list_tools()).tools}
        instructions = host.instructions

    assert tools.keys() == TOOLS
    for tool in tools.values():
        assert len(tool.description) > 200
        assert "{" in tool.description  # an example
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert "$ref" not in json.dumps(schema)
        assert all(field.get("description") for field in tool.input_schema["properties"].values())
        assert tool.annotations.destructive_hint is False
    assert tools["remember"].annotations.read_only_hint is True
    assert tools["store_turn"].annotations.read_only_hint is False
    assert "`ada`" in instructions
    assert all(name in instructions for name in TOOLS)


@pytest.mark.parametrize("mode", ERAS)
async def test_what_was_told_is_found_with_its_date_and_source(told, mode):
    async with over_http(told, mode=mode) as host:
        result = await host.call_tool("remember", {"query": "Where does my mother live?", "mind": "ada"})
    first = result.structured_content["memories"][0]

    assert "Lyon" in first["text"]
    assert first["sources"][0]["turn_id"] == "lyon"
    assert "told 2026-01-09 18:30 UTC" in text_of(result)
    assert "session s0" in text_of(result)


async def test_a_day_is_enough_to_say_when(told):
    async with over_http(told, query="?mind=ada") as host:
        on_it = await called(host, "remember", query="mother", since="2026-01-09", until="2026-01-09")
        before = await host.call_tool("remember", {"query": "mother", "until": "2026-01-08"})

    assert on_it["memories"]
    assert before.structured_content["memories"] == []
    assert text_of(before) == "Nothing is remembered about that."


async def test_a_question_is_answered_with_its_evidence(told):
    async with over_http(told, query="?mind=ada") as host:
        result = await host.call_tool("ask_memory", {"question": "Does my mother know Bertrand?", "language": "en"})
        nobody = await host.call_tool("ask_memory", {"question": "Zebra stripes?"})

    found = result.structured_content
    assert (found["by_model"], found["missing"]) == (False, ["Bertrand"])
    assert text_of(result).startswith(
        "No answer was worded. The evidence:\nNot in memory: Bertrand.\n\n1. [holding, fact, told"
    )
    assert "Lyon" in found["evidence"][0]["text"] and found["evidence"][0]["sources"][0]["turn_id"] == "lyon"
    assert text_of(nobody) == "Nothing is remembered about that."


async def test_what_a_question_brings_up_it_brings_up_again(told):
    """Broken: the host's model, which may have forgotten it, is told that nothing surfaces."""
    asked = {"message": "Where does my mother live?", "timezone": "Europe/Paris"}
    async with over_http(told, X_Mind_Id="ada", X_Session_Id="echoing") as host:
        result = await host.call_tool("resonance", asked)
        again = await host.call_tool("resonance", asked)
        elsewhere = await called(host, "resonance", **asked, session_id="another")

    found = result.structured_content
    assert found["surfaced"]
    assert found["session_id"] == "echoing"
    assert found["flashbacks"][0]["sources"][0]["turn_id"] == "lyon"
    assert "[SUBCONSCIOUS RESONANCE]" in text_of(result)
    assert "source: 2026-01-09" in text_of(result)
    assert again.structured_content["surfaced"]
    assert elsewhere["surfaced"]


async def test_a_turn_is_kept_in_any_script_and_repeated_under_its_id_it_is_kept_once(service):
    said = [{"role": "user", "content": KYOTO}, {"role": "assistant", "content": "素敵ですね。"}]
    async with over_http(service) as host:
        result = await host.call_tool("store_turn", {"mind": "kyoto", "session_id": "会話", "messages": said})
        kept = result.structured_content
        again = await called(
            host, "store_turn", mind="kyoto", session_id="会話", messages=said, turn_id=kept["turn_id"]
        )
        other = await refused(
            host, "store_turn", mind="kyoto", messages=[{"role": "user", "content": "x"}], turn_id=kept["turn_id"]
        )
        until_digested(service, "kyoto")
        found = await called(host, "remember", mind="kyoto", query="京都")

    assert (kept["mind"], kept["sequence"], kept["session_id"], kept["duplicate"]) == ("kyoto", 1, "会話", False)
    assert kept["turn_id"] in text_of(result)
    assert (again["sequence"], again["duplicate"]) == (1, True)
    assert "other content" in other
    assert any("京都" in memory["text"] for memory in found["memories"])


async def test_a_secret_is_taken_out_and_said_to_be(service):
    said = [{"role": "user", "content": f"My key is ghp_{'a1B2' * 9}."}]
    async with over_http(service) as host:
        result = await host.call_tool("store_turn", {"mind": "careless", "messages": said})

    assert result.structured_content["dropped"] == [{"index": 0, "reason": "secret: GitHub token"}]
    assert "message 0 (secret: GitHub token)" in text_of(result)


async def test_a_mind_that_is_not_there_is_empty_and_its_first_turn_creates_it(service):
    async with over_http(service, X_Mind_Id="newborn") as host:
        read = {
            "remember": {"query": "mother"},
            "read_story": {},
            "resonance": {"message": "Where does my mother live?"},
        }
        answers = {tool: await host.call_tool(tool, given) for tool, given in read.items()}
        kept = await called(host, "store_turn", messages=LYON)

    for answer in answers.values():
        assert not answer.is_error
        assert re.search("[Nn]o mind is called 'newborn'", text_of(answer))
        assert answer.structured_content["mind"] == "newborn"
    assert (kept["mind"], kept["sequence"]) == ("newborn", 1)


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("remember", {}, "query: is needed"),
        ("remember", {"query": " "}, "query: must not be blank"),
        ("remember", {"query": "x" * 2_001}, "query: string should have at most 2000 characters"),
        ("remember", {"query": "x", "limit": 101}, "limit: input should be less than or equal to 100"),
        (
            "remember",
            {"query": "x", "kinds": ["dream"]},
            "kinds.0: input should be 'fact', 'entity', 'episode' or 'obs",
        ),
        ("remember", {"query": "x", "since": "last week"}, "since: must be a day like 2026-01-09 or a time like"),
        ("remember", {"query": "x", "since": "0001-01-01"}, "since: is before 1990"),
        ("remember", {"query": "x", "question": "y"}, "question: unknown argument"),
        ("remember", {"query": "x", "mind": "ada\n"}, "mind: a mind is called by printable text"),
        ("remember", {"query": "a\u0000b"}, "query: contains a NUL character"),
        ("read_story", {"newest": 0}, "newest: input should be greater than or equal to 1"),
        ("resonance", {"message": "x", "timezone": "Mars/Olympus"}, "timezone: is not a time zone of the IANA list"),
        ("store_turn", {"messages": []}, "messages: list should have at least 1 item"),
        ("store_turn", {"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role: input should be 'user'"),
        ("store_turn", {"messages": LYON, "session_id": "a\nb"}, "session_id: must be printable text"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_bad_arguments_are_told_by_their_names_and_change_nothing(told, tool, given, words):
    async with over_http(told, X_Mind_Id="ada") as host:
        said = await refused(host, tool, **given)

    assert words in said
    assert "call it again" in said
    assert httpx2.get(f"{told}/v1/minds/ada", timeout=20).json()["turns"] == 1


async def test_null_is_an_argument_that_is_left_out(told):
    """Broken: models that must name every argument write null, and were told that it is not a number."""
    async with over_http(told, X_Mind_Id="ada") as host:
        result = await host.call_tool("search_log", {"query": "Lyon", "since": None, "limit": None, "context": None})

    assert not result.is_error and "My mother lives in Lyon." in text_of(result)


async def test_an_unknown_tool_and_an_unknown_resource_are_errors_of_the_protocol(service):
    async with over_http(service) as host:
        with pytest.raises(MCPError, match="there is no tool 'forget'"):
            await host.call_tool("forget", {})
        with pytest.raises(MCPError, match="called like story://ada or waking://ada"):
            await host.read_resource("story://../etc/passwd")
        with pytest.raises(MCPError, match="No mind is called 'nobody'"):
            await host.read_resource("story://nobody")


async def test_the_story_is_a_resource_and_its_newest_chapters_can_be_asked_for(told):
    story = "### [2026-01-09 18:30] Lyon\n\nAnn's mother lives there.\n\n### [2026-01-10 09:00] Cello\n\nI practise.\n"
    etag = httpx2.get(f"{told}/v1/minds/ada/story", timeout=20).headers["etag"]
    headers = {"If-Match": etag, "Content-Type": "text/markdown"}
    anchor = "<!-- LAST_PROCESSED: 2026-01-09T18:30:00.000Z -->\n\n"
    httpx2.put(f"{told}/v1/minds/ada/story", content=anchor + story, headers=headers, timeout=20).raise_for_status()

    async with over_http(told) as host:
        templates = [one.uri_template for one in (await host.list_resource_templates()).resource_templates]
    async with over_http(told, X_Mind_Id="ada") as host:
        listed = {resource.uri for resource in (await host.list_resources()).resources}
        [content] = (await host.read_resource("story://ada")).contents
        whole, newest = await called(host, "read_story"), await host.call_tool("read_story", {"newest": 1})

    assert "story://ada" in {str(uri) for uri in listed}
    assert templates == ["story://{mind}", "waking://{mind}"]
    assert content.mime_type == "text/markdown"
    assert content.text == whole["text"] == story.strip()
    assert newest.structured_content["text"].startswith("### [2026-01-10 09:00] Cello")
    assert (newest.structured_content["chapters"], newest.structured_content["total_chapters"]) == (1, 2)
    assert "The newest 1 of 2 chapters" in text_of(newest)
    assert text_of(newest).splitlines()[-1] == "It is told up to 2026-01-09 18:30 UTC."


async def test_a_connection_for_one_mind_has_its_resources_however_many_minds_there_are(tmp_path):
    """Broken: the mind is looked for among the first 500."""
    for number in range(501):
        (tmp_path / "home" / "minds" / f"m{number:03}" / "transcript").mkdir(parents=True)
    with serving(tmp_path / "home") as (_, url):
        httpx2.post(f"{url}/v1/minds/zoe/turns", json={"session_id": "s0", "messages": LYON}, timeout=60)
        async with over_http(url, X_Mind_Id="zoe") as host:
            listed = [str(one.uri) for one in (await host.list_resources()).resources]
        async with over_http(url, X_Mind_Id="nobody") as host:
            of_nobody = (await host.list_resources()).resources

    assert (listed, of_nobody) == (["story://zoe", "waking://zoe"], [])


async def test_what_an_agent_is_handed_when_it_wakes_is_a_resource(told):
    """Broken: the row of `_KINDS`; the note of a mind that is not there is not read."""
    async with over_http(told) as host:
        listed = {str(one.uri) for one in (await host.list_resources()).resources}
        [content] = (await host.read_resource("waking://ada")).contents
        with pytest.raises(MCPError, match="No mind is called 'nobody'"):
            await host.read_resource("waking://nobody")
    over_api = httpx2.get(f"{told}/v1/minds/ada/waking", timeout=20).json()

    assert "waking://ada" in listed
    assert content.mime_type == "text/markdown"
    assert content.text == over_api["text"]
    assert content.text.startswith("[MY WAKING]")


async def test_a_header_comes_before_the_address_and_without_both_a_call_may_name_any_mind(service):
    async with over_http(service, query="?mind=first", X_Mind_Id="second") as host:
        taken = await called(host, "remember", query="x")
    async with over_http(service, query="?mind=first") as host:
        in_address = await called(host, "remember", query="x")
    async with over_http(service) as host:
        named = await called(host, "remember", query="x", mind="third")
        default = await called(host, "remember", query="x")

    minds = [one["mind"] for one in (taken, in_address, named, default)]
    assert minds == ["second", "first", "third", "global-user-memory"]


@pytest.mark.parametrize(
    ("query", "pointer"), [("mimd=ada", "query/mimd"), ("mind=ada&mind=bea", "query/mind")], ids=["a typo", "two"]
)
async def test_an_address_that_names_no_mind_or_two_is_refused(service, query, pointer):
    """Broken: a misspelt `mind` is ignored, and a host that should see one mind sees any."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answer = httpx2.post(f"{service}/mcp?{query}", json=ping, timeout=20)

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize("chosen", [{"query": "?mind=bob"}, {"X_Mind_Id": "bob"}], ids=["address", "header"])
@pytest.mark.parametrize("mode", ERAS)
async def test_a_connection_for_one_mind_is_a_wall_for_every_tool_and_resource(told, mode, chosen):
    httpx2.post(f"{told}/v1/minds/bob/turns", json={"session_id": "s0", "messages": LYON}, timeout=60)
    before = httpx2.get(f"{told}/v1/minds/ada", timeout=20).json()["turns"]
    arguments = {
        "query": "mother",
        "question": "Where does my mother live?",
        "path": "MEMORY.md",
        "message": "Where does my mother live?",
        "messages": LYON,
        "text": "x",
        "seconds": 600,
        "what": "wrong",
        "outcomes": [{"id": "episode:1", "outcome": "used"}],
    }
    async with over_http(told, mode=mode, **chosen) as host:
        tools = (await host.list_tools()).tools
        said = []
        for tool in tools:
            wanted = {name: arguments[name] for name in tool.input_schema.get("required", ())}
            assert "mind" not in tool.input_schema["properties"]
            said.append(await refused(host, tool.name, mind="ada", **wanted))
        own = await called(host, "remember", query="mother", mind="bob")
        stories = [str(one.uri) for one in (await host.list_resources()).resources]
        templates = (await host.list_resource_templates()).resource_templates
        with pytest.raises(MCPError, match="there is no resource 'story://ada'"):
            await host.read_resource("story://ada")
        instructions = host.instructions

    assert {tool.name for tool in tools} == TOOLS
    assert set(said) == {"this connection is for the mind 'bob' alone: call again without `mind`"}
    assert own["mind"] == "bob"
    assert (stories, templates) == (["story://bob", "waking://bob"], [])
    assert "names another" not in instructions
    assert httpx2.get(f"{told}/v1/minds/ada", timeout=20).json()["turns"] == before


def post(url, **sent):
    return httpx2.post(f"{url}/mcp", timeout=30, **sent)


def test_what_is_no_message_is_refused_and_streams_that_nobody_would_write_to_are_not_opened(service):
    stream = httpx2.get(f"{service}/mcp", headers={"Accept": "text/event-stream"}, timeout=20)
    ended = httpx2.delete(f"{service}/mcp", headers={"Mcp-Session-Id": "x"}, timeout=20)
    form = post(service, data={"method": "tools/list"})
    nonsense = post(service, content=b"{", headers={"Content-Type": "application/json"})
    strange_mind = post(service, json=LISTED, headers={"X-Mind-Id": "a" * 201})
    large = post(service, json={**LISTED, "params": {"x": "x" * 2**20}})
    choosy = post(service, json=LISTED, headers={"Accept": "text/event-stream"})
    unknown = post(service, json={**LISTED, "method": "tools/forget"})

    assert (stream.status_code, stream.headers["allow"]) == (405, "POST")
    assert ended.status_code == 405
    assert (form.status_code, form.json()["type"]) == (422, "/problems/invalid-request")
    assert (nonsense.status_code, nonsense.json()["error"]["code"]) == (400, -32700)
    assert strange_mind.json()["errors"][0]["pointer"] == "header/X-Mind-Id"
    assert (large.status_code, large.json()["type"]) == (413, "/problems/body-too-large")
    assert {tool["name"] for tool in choosy.json()["result"]["tools"]} == TOOLS
    assert unknown.json()["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("headers", "status"), [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)], ids=str
)
def test_a_page_of_another_site_is_refused_here_as_everywhere(service, headers, status):
    assert post(service, json=LISTED, headers=headers).status_code == status


def test_our_own_page_may_call_as_everywhere(service):
    assert post(service, json=LISTED, headers={"Origin": service}).status_code == 200


async def test_a_host_that_leaves_in_the_middle_of_a_call_harms_nobody(told):
    place = urlsplit(told)
    call = {"name": "store_turn", "arguments": {"mind": "left", "turn_id": "left", "messages": LYON}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
    for _ in range(5):
        with socket.create_connection((place.hostname, place.port)) as host:
            host.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async with over_http(told) as host:
        kept = await called(host, "store_turn", mind="left", turn_id="left", messages=LYON)

    assert kept["sequence"] == 1


async def test_a_key_for_one_mind_finds_that_one_without_saying_so_and_no_other(tmp_path):
    home = tmp_path / "home"
    whole, own = make_key(home), make_key(home, minds=("bob",))
    with serving(home) as (_, url):
        async with over_http(url, key=whole) as host:
            await called(host, "store_turn", mind="ada", messages=LYON)
            everyone = (await host.list_resources()).resources
        async with over_http(url, key=own) as host:
            kept = await called(host, "store_turn", messages=LYON)
            foreign = await host.call_tool("remember", {"query": "mother", "mind": "ada"})
            put = await refused(host, "store_turn", mind="ada", messages=LYON)
            life = await host.call_tool("read_story", {"mind": "ada"})
            surfaced = await host.call_tool("resonance", {"message": "Where does my mother live?", "mind": "ada"})
            seen = (await host.list_resources()).resources
            with pytest.raises(MCPError, match="This key is not for a mind called 'ada'"):
                await host.read_resource("story://ada")
        strange = post(url, json=LISTED)
        guessed = f"{own[:-1]}{'1' if own.endswith('0') else '0'}"
        refused_key = post(url, json=LISTED, headers={"Authorization": f"Bearer {guessed}"})
        turns = httpx2.get(f"{url}/v1/minds/ada", headers={"Authorization": f"Bearer {whole}"}, timeout=20).json()

    assert kept["mind"] == "bob"
    assert [str(one.uri) for one in everyone] == ["story://ada", "waking://ada"]
    assert [str(one.uri) for one in seen] == ["story://bob", "waking://bob"]
    assert foreign.structured_content["memories"] == []
    for answer in (foreign, life, surfaced):
        assert "This key is not for a mind called 'ada'. So there is nothing to read for you." in text_of(answer)
        assert "Lyon" not in str(answer)
    assert "this key is not for a mind called 'ada'" in put
    assert (strange.status_code, strange.headers["www-authenticate"]) == (401, 'Bearer realm="mind-memory"')
    assert refused_key.status_code == 401
    assert turns["turns"] == 1


@pytest.mark.parametrize(
    ("sent", "own_id", "code"),
    [
        ({**LISTED, "id": 7, "params": "x"}, 7, -32600),
        ({**LISTED, "id": "b", "jsonrpc": "1.0"}, "b", -32600),
        ([LISTED, {**LISTED, "id": 2}], None, -32600),
        (5, None, -32600),
        ("{bad", None, -32700),
    ],
    ids=["parameters", "version", "several", "number", "no JSON"],
)
def test_what_is_no_message_is_refused_with_the_reason_under_its_id(service, sent, own_id, code):
    """Broken: pages of a library's words, under no id."""
    content = sent if isinstance(sent, str) else json.dumps(sent)
    answer = post(service, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert (answer.json()["id"], answer.json()["error"]["code"]) == (own_id, code)
    assert answer.json()["error"]["message"].startswith(
        "this is not JSON" if code == -32700 else "a message is one object"
    )


async def test_a_service_ends_cleanly_while_a_host_is_connected(tmp_path):
    with serving(tmp_path / "home", MIND_MEMORY_LOG_LEVEL="WARNING") as (process, url):
        async with over_http(url, mode="legacy") as host:
            await host.list_tools()
            process.send_signal(signal.SIGTERM)
            said = log_of_ended(process, tmp_path / "home")

    assert (process.returncode, said) == (0, "")
