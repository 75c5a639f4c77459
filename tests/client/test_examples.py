"""Each example, and the bot of CURL.md, is run as it stands: it knows what was said in an earlier session."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.adapters.bots import KNOWS, bot
from tests.client.conftest import ASKS, kept

CLIENT = Path(__file__).parents[2] / "client"
EXAMPLES = sorted(one.name for one in (CLIENT / "examples").glob("*.py"))


def settings(provider, url, mind):
    found = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "k", "MODEL": "scripted"}
    return {**found, "MIND_MEMORY_URL": url, "MIND": mind}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_remembers(example, url, told, home):
    words = [sys.executable, str(CLIENT / "examples" / example), ASKS, "later"]
    with bot() as provider:
        env = {**os.environ, **settings(provider, url, told), "PYTHONPATH": str(CLIENT)}
        run = subprocess.run(words, capture_output=True, text=True, timeout=120, env=env)

    assert run.stdout.strip() == KNOWS, run.stderr
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]


def test_the_readmes_lines_are_those_of_the_first_example():
    example = (CLIENT / "examples" / "bot.py").read_text()

    assert "with memory.turn(" in example
    assert all(f"examples/{name}" in (CLIENT / "README.md").read_text() for name in EXAMPLES)


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs curl and jq")
def test_a_shell_script_of_curl_alone_remembers_and_talks_on_without_its_memory(url, told, home, tmp_path):
    script = tmp_path / "bot.sh"
    script.write_text(re.search(r"```sh\n(.*?)```", (CLIENT / "CURL.md").read_text(), re.DOTALL)[1])
    words = ["sh", str(script), told, "later", ASKS]
    with bot() as provider:
        found = {**os.environ, **settings(provider, url, told)}
        run = subprocess.run(words, capture_output=True, text=True, timeout=60, env=found)
        away = subprocess.run(
            ["sh", str(script), "never-met", "s", 'Say "hi"!'], capture_output=True, text=True, timeout=60, env=found
        )

    assert run.stdout.strip() == KNOWS, run.stderr
    assert kept(home, told)[1:] == [("later", [("user", ASKS), ("assistant", KNOWS)])]
    assert away.returncode == 0, away.stderr
    assert kept(home, "never-met")[0][1][0] == ("user", 'Say "hi"!')
