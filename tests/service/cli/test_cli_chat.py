"""`mind-memory chat`, with its lines from a pipe: with the echo bot, and with a scripted model."""

import json

from tests.support.cli_process import call, run, serving, until_digested
from tests.support.cli_terminal import at_a_terminal
from tests.twins.fault_proxy import FaultProxy
from tests.twins.provider import Fails, ScriptedProvider

MAIN_WORDS = "My mother lives in Lyon, near the old bakery."


def test_the_echo_bot_shows_what_surfaces_and_keeps_only_what_was_said(tmp_path):
    with serving(tmp_path) as (_, url):
        first = call("chat", "--mind", "ada", "--session", "one", "--home", tmp_path, said=f"{MAIN_WORDS}\n")
        until_digested(url, "ada")
        said = "Where does my mother live?\n/why\n/remember bakery\n/help\n/nonsense\n\n/quit\nnever read\n"
        second = call("chat", "--mind", "ada", "--session", "two", "--home", tmp_path, said=said)
        status = call("status", "--mind", "ada", "--home", tmp_path)

    assert "Talking to echo as ada: nothing in memory yet" in first.stdout
    assert "◦ nothing surfaced: no mind is called 'ada'; its first turn creates it" in first.stdout
    assert "a moment ago" in second.stdout
    assert "lives in Lyon" in second.stdout
    assert "one #1›" in second.stdout
    assert second.stdout.index("lives in Lyon") < second.stdout.index("echo ›")
    assert "relevance" in second.stdout  # /why
    assert "surfaced" in second.stdout
    assert "search memory on purpose" in second.stdout  # /help
    assert "There is no /nonsense." in second.stdout
    assert "never read" not in second.stdout
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "2 turns of 2 sessions" in status.stdout
    kept = "".join(file.read_text() for file in (tmp_path / "minds/ada/transcript").glob("*.jsonl"))
    assert "I heard" not in kept


def test_ctrl_c_while_a_turn_is_stored_does_not_say_that_nothing_was(tmp_path):
    """Nobody can know it. Broken: the person reads that nothing of it was stored."""
    with serving(tmp_path) as (_, url), FaultProxy(url.removeprefix("http://")) as proxy:
        proxy.swallowed = b"POST /v1/minds/ada/turns "
        words = ("chat", "--mind", "ada", "--url", f"http://127.0.0.1:{proxy.port}")
        _, printed = at_a_terminal(*words, said=f"{MAIN_WORDS}\n/quit\n", interrupted_after="echo ›")

    assert "this turn may be stored or not" in printed


def test_a_dry_chat_stores_nothing_and_exit_ends_it(tmp_path):
    call("chat", "--mind", "ada", "--home", tmp_path, said=f"{MAIN_WORDS}\n")

    dry = call(
        "chat", "--dry", "--mind", "ada", "--home", tmp_path, said="My cello is called Bruno.\nexit\nnever read\n"
    )

    assert dry.exit_code == 0
    assert "echo ›" in dry.stdout
    assert "nothing of it was stored" in dry.stdout
    assert "never read" not in dry.stdout
    stored = "".join(file.read_text() for file in (tmp_path / "minds/ada").rglob("*.jsonl"))
    assert "cello" not in stored


def test_mcp_s_help_shows_the_configuration_as_it_must_be_written():
    done = call("mcp", "--help")

    assert '{"mcpServers": {"memory": {"command": "mind-memory", "args": ["mcp", "--mind", "ada"]}}}' in done.stdout
    assert "noqa" not in done.stdout


def test_a_model_answers_with_what_memory_gave_it_and_both_sides_are_kept(tmp_path):
    with ScriptedProvider(respond=_answer) as provider:
        model = {
            "MIND_MEMORY_MODELS__CHAT__MODEL": "openai/scripted",
            "MIND_MEMORY_MODELS__CHAT__API_BASE": provider.url,
        }
        key = {"MIND_MEMORY_MODELS__CHAT__API_KEY": "none"}
        said = f"{MAIN_WORDS}\nAnd what else?\n"
        done = run("chat", "--mind", "ada", "--home", tmp_path, said=said, **model, **key)

    assert done.returncode == 0, done.stderr
    assert "openai/scripted › I see." in done.stdout
    asked = next(one for one in provider.chats if one.words == "And what else?")
    assert [message["content"] for message in asked.body["messages"] if message["role"] != "system"] == [
        MAIN_WORDS,
        "I see.",
        "And what else?",
    ]
    kept = "".join(file.read_text() for file in (tmp_path / "minds/ada/transcript").glob("*.jsonl"))
    assert [len(json.loads(line)["messages"]) for line in kept.splitlines()] == [2, 2]


def test_one_model_for_everything_is_named_by_one_variable(tmp_path):
    with ScriptedProvider(respond=_answer) as provider:
        named = {"MIND_MEMORY_MODEL": "openai/scripted", "MIND_MEMORY_API_BASE": provider.url}
        done = call("chat", "--home", tmp_path, said=f"{MAIN_WORDS}\n", MIND_MEMORY_API_KEY="none", **named)

    assert "openai/scripted › I see." in done.stdout


def test_a_model_that_fails_costs_a_turn_not_the_chat(tmp_path):
    with ScriptedProvider(Fails(401, "no such key"), respond=_answer) as provider:
        model = {"MIND_MEMORY_MODELS__CHAT__API_BASE": provider.url, "MIND_MEMORY_MODELS__CHAT__API_KEY": "none"}
        done = call("chat", "--model", "openai/scripted", "--home", tmp_path, said="one\ntwo\n", **model)

    assert done.exit_code == 0
    assert "No answer: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("openai/scripted › I see.") == 1
    kept = "".join(file.read_text() for file in (tmp_path / "minds").rglob("*.jsonl"))
    assert '"one"' not in kept


def test_the_chat_tells_what_of_a_turn_is_not_kept(tmp_path):
    said = "My umbrella. #offtherecord\nMy card is 4111 1111 1111 1111.\nGood night.\n"
    done = call("chat", "--mind", "ada", "--home", tmp_path, said=said)

    lines = [line for line in done.stdout.splitlines() if line.startswith("◦ off the record") or "secret" in line]
    kept = "".join(file.read_text() for file in (tmp_path / "minds/ada").rglob("*.jsonl"))
    assert lines == [
        "◦ off the record: nothing of this turn was stored",
        "◦ stored without what is secret: card number",
    ]
    assert "keep it" not in done.stdout
    assert "My card is [redacted: card number]." in kept
    assert "umbrella" not in kept


def test_a_chat_without_input_ends_at_once(tmp_path):
    done = call("chat", "--home", tmp_path, said="")

    assert done.exit_code == 0
    assert "This was session chat:" in done.stdout


def _answer(body):
    """A chat gets words; any other prompt is declined, as memory can do without."""
    return "I see." if body["messages"][-1]["content"] in {MAIN_WORDS, "And what else?", "one", "two"} else Fails(400)
