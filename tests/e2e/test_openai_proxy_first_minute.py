"""The five lines of the README, run twice; and the same door where no model is configured."""

import os
import re
import subprocess
import sys

import httpx2
import openai
import pytest

from tests.support.cli_process import serving, until_digested
from tests.support.openai_proxy import proxied
from tests.support.paths import ROOT
from tests.support.scripted_models import Brain
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import ScriptedProvider

README = (ROOT / "README.md").read_text()
[CODE] = [code for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "from openai import" in code]
LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"
ANSWERS = {LYON: "How often do you see her?", WHERE: "In Lyon."}


def answer(body):
    """The chat is answered; what memory asks of the same model, as a model would."""
    return ANSWERS.get(body["messages"][-1]["content"]) or Brain()(body)


def said(code, words):
    done = subprocess.run(
        [sys.executable, "-c", code], input=words, capture_output=True, text=True, timeout=GIVE_UP, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_lines_of_the_readme_have_a_bot_that_knows_on_the_second_run_what_was_said_on_the_first(tmp_path):
    with ScriptedProvider(respond=answer) as provider:
        chat = {"MODEL": "openai/scripted", "API_BASE": provider.url, "API_KEY": "none"}
        model = {f"MIND_MEMORY_MODELS__CHAT__{name}": value for name, value in chat.items()}
        with serving(tmp_path, **model) as (_, url):
            code = CODE.replace("http://127.0.0.1:8001", url)
            assert code != CODE

            first = said(code, LYON)
            until_kept(url, turns=1)
            second = said(code, WHERE)

    assert (first, second) == ("you: How often do you see her?\n", "you: In Lyon.\n")
    told = [one.body["messages"] for one in provider.chats if one.body["messages"][-1]["content"] in ANSWERS]
    assert told[0] == [{"role": "user", "content": LYON}]
    assert told[1][-1] == {"role": "user", "content": WHERE}
    assert LYON in told[1][-2]["content"]


def until_kept(url, *, turns):
    def are_kept():
        answer = httpx2.get(f"{url}/v1/minds/ada", timeout=GIVE_UP)
        return answer.status_code == 200 and answer.json()["turns"] >= turns

    until(are_kept)
    until_digested(url, "ada")


@pytest.fixture(scope="module")
def echoing(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("echo") / "home") as found:
        found.tell("ada", LYON, "How often do you see her?")
        yield found


def test_without_a_model_an_echo_shows_what_came_to_mind_and_is_not_kept(echoing):
    answer = echoing.client().chat.completions.with_raw_response.create(
        model="gpt-4o-mini", user="ada", messages=[{"role": "user", "content": WHERE}]
    )

    told = answer.parse()
    assert told.model == "mind-memory-echo"
    assert told.choices[0].message.content.startswith(
        f"I heard “{WHERE}”. A model would now also know 1 memory, shown below.\n- "
    )
    assert LYON in told.choices[0].message.content
    assert told.usage.total_tokens == told.usage.prompt_tokens + told.usage.completion_tokens
    assert answer.headers["x-memory"] == "surfaced"
    kept = echoing.until_kept("ada", turns=2)[-1]
    assert [(one["role"], one["content"]) for one in kept["messages"]] == [("user", WHERE)]


def test_the_echo_speaks_in_chunks_with_its_tokens_where_they_are_asked_for(echoing):
    client = echoing.client()
    asked = {"model": "memory", "user": "bea", "messages": [{"role": "user", "content": "Good morning!"}]}

    plain = list(client.chat.completions.create(**asked, stream=True))
    counted = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))

    text = "".join(one.choices[0].delta.content or "" for one in plain)
    assert text == "I heard “Good morning!”. Nothing from the past came to mind."
    assert plain[-1].choices[0].finish_reason == "stop"
    assert all(one.choices for one in plain)
    assert (counted[-1].choices, counted[-1].usage.prompt_tokens > 0) == ([], True)
    assert [one.id for one in client.models.list()] == ["memory", "mind-memory-echo"]


def test_the_door_can_be_closed(tmp_path):
    with proxied(tmp_path / "home", proxy={"enabled": False}) as service, pytest.raises(openai.NotFoundError):
        service.client().models.list()
