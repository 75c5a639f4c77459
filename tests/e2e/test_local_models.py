"""A life with a model on this machine: an Ollama, whose window is small, and that cuts what does not fit without a word."""

import random
import re

import pytest

from service.adapters.litellm.ollama import WINDOW_TOKENS
from tests.support.ollama import ollama
from tests.support.scripted_models import Brain, models_of, prompt_of, provider_of
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio
_DAY = re.compile(r"^\[\w+ (\d{4}-\d\d-\d\d \d\d:\d\d)\]", re.MULTILINE)
_FILLER = "and the wind blew over the harbour while the gulls were quarrelling about a fish on the wall. " * 18

_WORDS = (
    "river bread window carpet market violin lantern orchard bridge kettle basket ladder mirror harvest pebble copper "
    "thunder cushion saddle barrel candle feather garden winter kitchen corner wooden quiet narrow heavy painted mended"
).split()


def day(number):
    """Some 240 tokens of one day, like those of no other."""
    words = random.Random(number)
    lines = (f"the {' '.join(words.choice(_WORDS) for _ in range(11))}." for _ in range(17))
    return " ".join(line.capitalize() for line in lines)


def whole_day(prompt):
    """A chapter that quotes all of the first turn of its batch."""
    happened = prompt.partition("<happened>\n")[2]
    text = re.search(r"I met Bruno.*", happened)[0]
    return {"append": [{"at": _DAY.search(happened)[1], "title": "The day", "text": f"They told me: “{text}”"}]}


def chapter(prompt):
    """A chapter that says who was met in the first turn of its batch."""
    happened = prompt.partition("<happened>\n")[2]
    met = re.search(r"I met (Bruno\d+)", happened)[1]
    return {"append": [{"at": _DAY.search(happened)[1], "title": f"The day of {met}", "text": f"You met {met}."}]}


@pytest.fixture
def machine(monkeypatch):
    brain = Brain(story_first=chapter, story_next=chapter, extraction={"entities": [], "facts": []})
    with ollama(brain) as found:
        monkeypatch.setenv("OLLAMA_API_BASE", found.url)
        yield found


async def met(service, numbers, *, filler):
    """Tell whom a person met, one turn a day."""
    for number in numbers:
        said = {
            "role": "user",
            "content": f"I met Bruno{number} {filler}",
            "timestamp": f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z",
        }
        assert (await service.keep("ada", said, session_id=f"s{number}")).status_code == 202


async def told(service):
    """The run that writes all that waits into the story."""
    started = await service.http.post("/v1/minds/ada/consolidation", json={})
    assert started.status_code == 200, started.text
    return started.json()["last_run"]


def chats(machine):
    return [body for path, body in machine.asked if path == "/api/chat"]


def story_prompts(machine):
    bodies = [body for body in chats(machine) if len(body["messages"]) == 1]
    return [body["messages"][0]["content"] for body in bodies if prompt_of(body).startswith("story")]


async def test_a_backlog_that_no_local_model_can_read_at_once_is_told_in_parts_and_none_of_it_is_cut(tmp_path, machine):
    settings = settings_of(tmp_path, model="ollama/llama3.2", story={"threshold_tokens": 0, "idle_seconds": 0})
    async with running(tmp_path, settings=settings) as service:
        await met(service, range(60), filler=_FILLER)
        await service.digested("ada")
        run = await told(service)

    shown = story_prompts(machine)
    in_order = re.findall(r"I met Bruno(\d+) ", "\n".join(prompt.partition("<happened>")[2] for prompt in shown))
    assert [int(number) for number in in_order] == list(range(60))  # each turn in one prompt, and in order
    assert machine.cut == []
    assert {body["options"]["num_ctx"] for body in chats(machine)} == {WINDOW_TOKENS}
    assert (run["told"], run["error"], run["chapters"]) == (60, None, len(shown))
    assert run["usage"]["calls"] == len(shown) >= 3


async def test_long_answers_cost_neither_the_short_turns_behind_them_nor_their_own_facts(tmp_path):
    """Broken: a turn is always read with the two before it, or always whole."""
    advice = (
        "To prune the apple tree you cut the old wood in the winter and leave the young shoots, which bear next year. "
    )
    short = ("My sister Ines lives in Porto with Bruno.", "I signed the contract with Arup in Leeds.")
    with provider_of(Brain()) as provider:
        models = {**models_of(provider, "extraction"), "context_tokens": 8192}
        async with running(tmp_path, settings=settings_of(tmp_path, models=models)) as service:
            for times in (130, 130, 400):
                said = f"Bruno asked Carla {times} things. {advice * times}"
                assert (await service.keep("ada", said, said, said)).status_code == 202
            for said in short:
                await service.keep("ada", said, "How nice.")
            status = await service.digested("ada")
            facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]

    known = " ".join(one["text"] for one in facts)
    assert status["graph"]["parked"] == []
    assert all(said in known for said in (*short, "Bruno asked Carla 130 things.", "Bruno asked Carla 400 things."))


async def test_of_a_text_that_fills_the_window_alone_as_much_is_told_as_fits(tmp_path, machine):
    settings = settings_of(tmp_path, model="ollama/llama3.2", story={"threshold_tokens": 0, "idle_seconds": 0})
    async with running(tmp_path, settings=settings) as service:
        await met(service, [0], filler=_FILLER * 80)
        await met(service, [1], filler=_FILLER)
        status = await service.digested("ada")
        run = await told(service)

    first, second = story_prompts(machine)
    assert (run["told"], run["error"], run["chapters"]) == (2, None, 2)
    assert "[…]" in first and "I met Bruno1 " not in first and "I met Bruno1 " in second
    assert machine.cut == []
    assert status["graph"]["parked"] == []


async def test_a_story_that_no_longer_fits_the_window_is_shown_in_part_and_goes_on(tmp_path, monkeypatch):
    """Broken: only the turns are shown shorter. From the fourth chapter on no model is asked, and all is quoted."""
    brain = Brain(story_first=whole_day, story_next=whole_day, extraction={"entities": [], "facts": []})
    settings = settings_of(
        tmp_path,
        model="ollama/llama3.2",
        models={"context_tokens": 4096},
        story={"threshold_tokens": 0, "idle_seconds": 0},
    )
    with ollama(brain) as machine:
        monkeypatch.setenv("OLLAMA_API_BASE", machine.url)
        async with running(tmp_path, settings=settings) as service:
            runs = []
            for number in range(8):
                await met(service, [number], filler=f"today. {day(number)}")
                runs.append(await told(service))

    shown = [prompt.partition("<story>")[2].partition("</story>")[0] for prompt in story_prompts(machine)]
    assert [(run["told"], run["quoted"], run["error"]) for run in runs] == [(1, 0, None)] * 8
    assert all(f"Bruno{number - 1} " in text for number, text in enumerate(shown) if number)
    assert machine.cut == []


async def test_a_run_that_quotes_since_nothing_fits_the_window_says_so(tmp_path, machine):
    """Broken: `quoted` is told, and no reason."""
    settings = settings_of(
        tmp_path,
        model="ollama/llama3.2",
        models={"context_tokens": 2048},
        story={"threshold_tokens": 0, "idle_seconds": 0},
    )
    async with running(tmp_path, settings=settings) as service:
        await met(service, [1], filler=_FILLER)
        runs = [await told(service) for _ in range(3)]

    assert [run["quoted"] for run in runs] == [0, 0, 1]
    assert "context window of 2048 (MIND_MEMORY_MODELS__CONTEXT_TOKENS)" in runs[-1]["refused"][-1]
    assert story_prompts(machine) == []
