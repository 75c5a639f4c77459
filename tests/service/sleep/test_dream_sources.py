"""What a dreaming model may say: what its prompt shows it; and what it may not change: what a person said or deleted."""

import re

import pytest

from tests.support.agents import act, acted, call, dreams, slept
from tests.support.scripted_models import Brain, hosted, prompts, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

PLAIN = {
    "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
    "reflection": "I worked on the steps and each of them went well, so I get on.",
    "priority": "Go on with the next step.",
}
DEEP = {
    "superseded": [],
    "levels": [],
    "priorities": ["Go on with the next step."],
    "diary": "I walked from gate to gate, and each of them was open. I get on with my work day by day.",
}
ANN = PLAIN | {"reflection": "I was told to ask Ann for invoice 4711.", "priority": "Ask Ann for invoice 4711."}


@pytest.mark.parametrize(
    ("name", "text", "first", "second"),
    [
        ("briefing", "Priya owns the shop.\n", PLAIN, {"reflection": "I worked on the steps that Priya wants."}),
        ("rules", "# Rules\n\n- Ask Priya before deleting.\n", PLAIN, {"priority": "Ask Priya before the next step."}),
        ("observations", "", ANN, {"priority": ANN["priority"]}),
    ],
)
async def test_a_dream_may_name_what_a_persons_file_or_the_last_priority_names(tmp_path, name, text, first, second):
    answers = [first, PLAIN | second]
    with provider_of(Brain(dream=lambda _: answers.pop(0))) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            await act(service, {"kind": "message", "text": "Please ask Ann for invoice 4711 this week."})
            await acted(service, 6)
            await slept(service)
            (tmp_path / f"minds/ada/{name}.md").write_text(text)
            await acted(service, 6, first=100)
            await slept(service)
            [newest, _] = await dreams(service)
            asked = prompts(provider, "dream")

    assert len(asked) == 2, "it was not asked again"
    assert {key: newest[key] for key in second} == second


async def test_a_dream_may_count_the_calls_that_were_made_that_failed_and_that_went_well(tmp_path):
    counted = PLAIN | {"reflection": "I made 34 calls: 12 of them failed and 22 went well, so I tread water."}
    with provider_of(Brain(dream=counted)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat")) as service:
            steps = [call(n, ok=n > 12, output="well" if n > 12 else "bad", input={"file": "x"}) for n in range(1, 35)]
            await act(service, *steps[:17])
            await act(service, *steps[17:])
            await slept(service)
            found = [one["reflection"] for one in await dreams(service)]

    assert found == [counted["reflection"]]


async def test_a_rule_that_a_person_deleted_does_not_come_back(tmp_path):
    proposing = PLAIN | {"rules": {"add": ["Run each step twice before the next one begins."], "remove": []}}
    file = tmp_path / "minds/ada/rules.md"
    with provider_of(Brain(dream=proposing)) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            await acted(service, 6)
            await slept(service)
            first = file.read_text()
            file.write_text("# Rules\n\n- Ask before deleting.\n")
            await acted(service, 6, first=50)
            await slept(service)

    assert "Run each step twice" in first
    assert file.read_text() == "# Rules\n\n- Ask before deleting.\n"


@pytest.mark.parametrize(("is_persons", "after"), [(True, "RED"), (False, "YLW")])
async def test_a_deep_sleep_lowers_red_by_one_level_unless_a_person_said_it(tmp_path, is_persons, after):
    observed = {"level": "RED", "at": "00:00", "text": "Reactor pressure valve broken", "supersedes": []}
    rude = Brain(
        dream=PLAIN | {"observations": [observed]},
        deep_sleep=DEEP | {"superseded": [1], "levels": [{"number": 1, "level": "GRN"}]},
    )
    told = "Reactor pressure valve is broken, says the log."
    with provider_of(rude) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"dream_interval_seconds": 0, "deep_every": 1})
        async with running(tmp_path, settings=settings) as service:
            await act(service, {"id": "m1", "kind": "message", "text": told} if is_persons else call(50, output=told))
            await acted(service, 6)
            await slept(service)
            file = tmp_path / "minds/ada/observations.md"
            lowered = file.read_text()
            [dream] = await dreams(service)
            await service.http.post("/v1/minds/ada/dreams/1/undo")
            await service.http.delete("/v1/minds/ada/dreams/1/undo")
            back = file.read_text()

    assert f"{after} " in lowered and "valve broken" in lowered, lowered
    moved = [(one["was"], one["level"]) for one in dream["changes"] if one["what"] == "relevelled"]
    assert moved == ([] if is_persons else [("RED", "YLW")])
    assert back == lowered


async def test_a_message_is_quoted_beside_a_vague_line_of_its_minute(tmp_path):
    """Broken: a line that shares no words with the message, but its minute, rests on it: nothing tells of the ban."""

    def vague(prompt):
        minute = re.search(r"^\(\d+\) \[\S+ (\d\d:\d\d)\] user: Never refund", prompt, re.MULTILINE)[1]
        return {
            "observations": [{"level": "GRN", "at": minute, "text": "The shell answers quickly", "supersedes": []}],
            "reflection": "I worked on the steps, and I get on.",
            "priority": "Go on with the next step.",
        }

    with provider_of(Brain(dream=vague)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat")) as service:
            await act(service, {"kind": "message", "text": "Never refund more than 50 euros without asking me."})
            await acted(service, 6)
            await slept(service)
            found = (await service.http.get("/v1/minds/ada/observations")).json()["observations"]

    told = {one["text"]: one["level"] for one in found}
    assert told == {
        "The shell answers quickly": "GRN",
        "user: “Never refund more than 50 euros without asking me.”": "RED",
    }
