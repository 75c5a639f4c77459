"""Each example, and the bot of CURL.md, runs unchanged: it knows what was said in an earlier session."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.client.conftest import ASKS, stored_turns
from tests.support.doc_blocks import blocks_of
from tests.support.paths import ROOT
from tests.support.scripted_bot import KNOWS, bot

CLIENT = ROOT / "client"
EXAMPLES = sorted(one.name for one in (CLIENT / "examples").glob("*.py"))
AGENT = "agent.py"
BOTS = [name for name in EXAMPLES if name != AGENT]


def settings(provider, url, mind):
    found = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k", "MODEL": "scripted"}
    return {**found, "MIND_MEMORY_URL": url, "MIND": mind}


@pytest.mark.parametrize("example", BOTS)
def test_an_example_remembers(example, url, told_mind, home):
    words = [sys.executable, str(CLIENT / "examples" / example), ASKS, "later"]
    with bot() as provider:
        env = {**os.environ, **settings(provider, url, told_mind), "PYTHONPATH": str(CLIENT)}
        run = subprocess.run(words, capture_output=True, text=True, timeout=120, env=env)

    assert run.stdout.strip() == KNOWS, run.stderr
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_the_agent_acts_until_it_must_sleep_dreams_and_is_told_of_it(url, mind, memory):
    env = {**os.environ, "MIND_MEMORY_URL": url, "MIND": mind, "PYTHONPATH": str(CLIENT)}
    words = [sys.executable, str(CLIENT / "examples" / AGENT)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=300, env=env)

    assert run.returncode == 0, run.stderr
    assert "60 calls, tired: " in run.stdout
    assert "80 calls, exhausted: it must sleep." in run.stdout
    assert "It sleeps for 600 s (dream)." in run.stdout
    assert "the last time deeply, of 8 calls." in run.stdout
    assert "What it is told at waking:\n" in run.stdout
    assert [(one.kind, one.is_forced) for one in memory.dreams(mind).dreams] == [("deep_sleep", False), ("dream", True)]


def test_the_readmes_lines_are_those_of_the_first_example():
    example = (CLIENT / "examples" / "bot.py").read_text()

    assert "with memory.turn(" in example
    assert all(f"examples/{name}" in (CLIENT / "README.md").read_text() for name in EXAMPLES)


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs curl and jq")
def test_a_shell_script_with_curl_alone_remembers_and_goes_on_without_memory(url, told_mind, home, tmp_path):
    script = tmp_path / "bot.sh"
    [block] = [one for one in blocks_of("client/CURL.md") if one.title == "bot.sh"]
    script.write_text(block.text)
    words = ["sh", str(script), told_mind, "later", ASKS]
    with bot() as provider:
        found = {**os.environ, **settings(provider, url, told_mind)}
        run = subprocess.run(words, capture_output=True, text=True, timeout=60, env=found)
        away = subprocess.run(
            ["sh", str(script), "never-met", "s", 'Say "hi"!'], capture_output=True, text=True, timeout=60, env=found
        )

    assert run.stdout.strip() == KNOWS, run.stderr
    assert stored_turns(home, told_mind)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]
    assert away.returncode == 0, away.stderr
    assert stored_turns(home, "never-met")[0][1][0] == ("user", 'Say "hi"!')
