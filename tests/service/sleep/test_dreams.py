"""Dreams of a hosted model: checked by code, asked again with the reason, owed when it fails; and what erasing does."""

import asyncio
import json
import re
import threading

import pytest

from tests.support.agents import act, acted, call, dreams, slept, thought
from tests.support.scripted_models import Brain, between, hosted, prompts, provider_of
from tests.support.service import QUICK, running, settings_of
from tests.support.waiting import GIVE_UP, eventually
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio

GOOD = {
    "observations": [
        {"level": "RED", "at": "09:30", "text": "Promised Ann the report by Friday", "supersedes": []},
        {"level": "GRN", "at": "09:31", "text": "The shell answers: step 3 done", "supersedes": []},
    ],
    "reflection": "I worked on the report for Ann and each step went well, so I get on.",
    "priority": "Send Ann the report.",
    "rules": {"add": ["Check each step before the next one."], "remove": []},
    "briefing": "The report for Ann is the work of this week.",
}
PLAIN = {
    "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
    "reflection": "I worked on the steps, one after the other, and I get on with them.",
    "priority": "Go on with the next step.",
}
TIDY = {
    "superseded": [],
    "levels": [],
    "priorities": ["Go on with the next step."],
    "diary": "I walked from gate to gate, and each of them was open. I get on with my work day by day.",
}
ROLES = ("narrative", "chat")


def brain(*answers):
    """A model that dreams these answers in turn, and the last one from then on."""
    left = list(answers)

    def dream(_):
        return left.pop(0) if len(left) > 1 else left[0]

    return Brain(
        dream=dream,
        deep_sleep={
            "superseded": [],
            "levels": [],
            "priorities": ["Send Ann the report."],
            "diary": "I finished the steps of the report for Ann. " * 3,
        },
    )


async def lived(service, *, first=1):
    await act(
        service,
        {"kind": "message", "text": "Please send Ann the report by Friday."},
        thought("I will do it step by step."),
    )
    return await acted(service, 6, first=first)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "minds/ada"


async def dreamt(tmp_path, *answers, **more):
    with provider_of(brain(*answers)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, *ROLES, **more)) as service:
            await lived(service)
            begun = await slept(service)
            return begun, await dreams(service), prompts(provider, "dream")


async def test_what_a_model_dreams_is_in_the_files(tmp_path, folder):
    _, [dream], asked = await dreamt(tmp_path, GOOD)

    assert (dream["reflection"], dream["priority"], dream["observations"]) == (GOOD["reflection"], GOOD["priority"], 2)
    assert re.search(r"RED \d\d:\d\d Promised Ann the report by Friday", (folder / "observations.md").read_text())
    assert "- Check each step before the next one. (dream 1)" in (folder / "rules.md").read_text()
    assert (folder / "briefing.md").read_text() == "The report for Ann is the work of this week.\n"
    assert len(asked) == 1
    assert 'shell: {"n": 3} → ok: step 3 done' in asked[0]


async def test_a_line_with_an_invented_name_is_left_out_and_the_others_stay(tmp_path, folder):
    invented = {"level": "YLW", "at": "09:32", "text": "Zebulon Quartermaine wants a copy", "supersedes": []}

    _, [dream], _ = await dreamt(tmp_path, GOOD | {"observations": [*GOOD["observations"], invented]})

    assert dream["observations"] == 2
    assert "Zebulon" not in (folder / "observations.md").read_text()


async def test_what_a_person_told_the_agent_is_quoted_in_red_where_the_line_about_it_is_left_out(tmp_path, folder):
    invented = GOOD["observations"][0] | {"text": "Promised Zebulon Quartermaine the report by Friday"}

    _, [dream], _ = await dreamt(tmp_path, GOOD | {"observations": [invented, GOOD["observations"][1]]})

    written = (folder / "observations.md").read_text()
    assert "user: “Please send Ann the report by Friday.”" in written
    assert "Zebulon" not in written
    assert [one["text"] for one in dream["changes"] if one["level"] == "RED"] == [
        "user: “Please send Ann the report by Friday.”"
    ]


async def test_what_a_person_told_the_agent_is_not_quoted_where_an_observation_rests_on_it(tmp_path, folder):
    await dreamt(tmp_path, GOOD)

    assert "user: “" not in (folder / "observations.md").read_text()


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (GOOD | {"reflection": "Zebulon Quartermaine praised the report of this week."}, "Zebulon"),
        (GOOD | {"reflection": ""}, "no reflection"),
        (GOOD | {"priority": "Pay 4711 to the shop."}, "4711"),
        (GOOD | {"observations": []}, "observes nothing"),
        (GOOD | {"observations": [GOOD["observations"][0] | {"at": "late"}]}, "the time 'late'"),
    ],
)
async def test_an_answer_that_can_not_be_used_is_asked_for_again_with_the_reason(tmp_path, bad, reason):
    _, [dream], asked = await dreamt(tmp_path, bad, GOOD)

    assert dream["reflection"] == GOOD["reflection"]
    assert reason not in asked[0]
    assert reason in asked[1]


@pytest.mark.parametrize("answer", ["I had a lovely dream of the sea.", {}, [], {"observations": "none"}])
async def test_a_model_that_never_answers_as_asked_wedges_nobody_and_the_dream_is_owed(tmp_path, answer):
    with provider_of(brain(answer)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"retry_seconds": 0.1}, digestion=QUICK)
        async with running(tmp_path, settings=settings) as service:
            await acted(service, 80)
            await slept(service)
            owed = (await service.http.get("/v1/minds/ada/sleep")).json()
            after = await acted(service, 1, first=99)

    assert owed["dreams"] == 0
    assert "Model" in owed["waiting_for"] or "Dream" in owed["waiting_for"]
    assert (after["fatigue"], after["must_sleep"]) == ("exhausted", False)


async def test_a_dream_that_failed_is_dreamt_when_the_model_is_back_and_only_once(tmp_path):
    with provider_of(brain({}, {}, {}, {}, GOOD)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"retry_seconds": 0.1}, digestion=QUICK)
        async with running(tmp_path, settings=settings) as service:
            await lived(service)
            await slept(service)
            for _ in range(200):
                found = await dreams(service)
                if found:
                    break
                await asyncio.sleep(0.1)

    assert [one["dream"] for one in found] == [1]


async def test_an_earlier_observation_that_is_over_is_named_by_its_number(tmp_path, folder):
    later = GOOD | {
        "observations": [{"level": "YLW", "at": "09:40", "text": "The report went to Ann", "supersedes": [1]}],
        "rules": {"add": [], "remove": []},
    }
    with provider_of(brain(GOOD, later)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            await lived(service)
            await slept(service)
            await act(service, {"kind": "message", "text": "Thank you for the report, says Ann."})
            await acted(service, 6, first=20)
            await slept(service)
            asked = prompts(provider, "dream")

    records = [json.loads(line) for line in (folder / "dreams.jsonl").read_text().splitlines()]
    assert "(1) " in asked[1] and "Promised Ann the report by Friday" in asked[1]
    assert len(records[1]["superseded"]) == 1
    assert "Promised Ann the report" in (folder / "observations.md").read_text()


async def test_a_persons_edit_of_the_observations_survives_dreams_and_deep_sleep(tmp_path, folder):
    with provider_of(brain(GOOD)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0, "deep_every": 2})
        async with running(tmp_path, settings=settings) as service:
            await lived(service)
            await slept(service)
            file = folder / "observations.md"
            file.write_text(file.read_text().replace("by Friday", "by Monday") + "Ann prefers paper.\n")
            await lived(service, first=20)
            await slept(service)

    text = file.read_text()
    assert re.search(r"RED \d\d:\d\d Promised Ann the report by Monday", text)
    assert "Ann prefers paper." in text
    assert text.count("step 3 done") == 1


async def test_a_persons_lines_stay_in_briefing_and_priorities_however_many_dreams_follow(tmp_path, folder):
    days = iter(range(1, 9))
    brain = Brain(dream=lambda _: PLAIN | {"briefing": f"I walked the steps of day {next(days)}."}, deep_sleep=TIDY)
    with provider_of(brain) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0, "deep_every": 1})
        async with running(tmp_path, settings=settings) as service:
            for day in (1, 2, 3, 4):
                await act(service, thought(f"Day {day}."))
                await acted(service, 6, first=10 * day)
                await slept(service)
                if day == 1:
                    for name, line in (("briefing.md", "Ann prefers paper."), ("priorities.md", "- Call my mother")):
                        file = folder / name
                        file.write_text(f"{file.read_text()}{line}\n")

    assert (folder / "briefing.md").read_text() == "Ann prefers paper.\n\nI walked the steps of day 4.\n"
    assert (folder / "priorities.md").read_text() == "# Priorities\n\n- Call my mother\n- Go on with the next step.\n"


async def test_a_dream_that_is_taken_back_gives_back_the_rule_that_it_took_out(tmp_path, folder):
    rule = "Check each step before the next one."
    later = PLAIN | {"rules": {"add": [], "remove": [rule]}}
    with provider_of(brain(GOOD, later)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            await lived(service)
            await slept(service)
            await acted(service, 6, first=20)
            await slept(service)
            without = (folder / "rules.md").read_text()
            taken = (await service.http.post("/v1/minds/ada/dreams/2/undo")).json()

    assert rule not in without
    assert (folder / "rules.md").read_text() == f"# Rules\n\n- {rule} (dream 1)\n"
    assert [(one["text"], one["is_there"]) for one in taken["changes"] if one["level"] is None] == [(rule, True)]


async def test_a_deep_sleep_writes_priorities_and_a_diary_and_keeps_red_that_the_model_would_drop(tmp_path, folder):
    rude = Brain(
        dream=GOOD,
        deep_sleep={
            "superseded": [1, 2],
            "levels": [{"number": 1, "level": "GRN"}],
            "priorities": ["Send Ann the report."],
            "diary": "I finished all the steps of the report for Ann, one after the other, and I get on.",
        },
    )
    with provider_of(rude) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0, "deep_every": 1})
        async with running(tmp_path, settings=settings) as service:
            await lived(service)
            begun = await slept(service)
            woken = (await service.http.get("/v1/minds/ada/waking")).json()["text"]
            [dream] = await dreams(service)

    assert begun["kind"] == "deep_sleep"
    assert "Promised Ann the report by Friday" in woken and "(superseded)" not in woken
    assert [one["text"] for one in dream["changes"] if one["what"] in {"over", "relevelled"}] == [
        "The shell answers: step 3 done"
    ]
    assert re.search(r"RED \d\d:\d\d Promised Ann the report by Friday", (folder / "observations.md").read_text())
    assert (folder / "priorities.md").read_text() == "# Priorities\n\n- Send Ann the report.\n"
    assert "I finished all the steps" in (folder / "diary.md").read_text()


async def dreamt_slowly(tmp_path, work, **sleep):
    """What *work* on the service returns; its first dream is being made until *work* sets the event."""
    is_asked, open_gate = threading.Event(), threading.Event()

    def dream(_):
        is_asked.set()
        open_gate.wait(20)
        return PLAIN

    with provider_of(Brain(dream=dream, deep_sleep=TIDY)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0, **sleep})
        async with running(tmp_path, settings=settings) as service:
            try:
                await promised(service, 1)
                await asyncio.to_thread(is_asked.wait, 20)
                return await work(service, open_gate)
            finally:
                open_gate.set()


async def promised(service, first):
    """A day of six tool calls, and the answer to the sleep that ends it, which does not wait for the dream."""
    await acted(service, 6, first=first)
    answer = await service.http.post("/v1/minds/ada/sleep", json={"seconds": 60})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def all_dreamt(service):
    await service.http.post("/v1/minds/ada/dreams", json={"wait": True})
    return [(one["dream"], one["kind"], one["actions"]) for one in reversed(await dreams(service))]


async def test_a_sleep_while_a_dream_is_made_counts_that_dream_and_is_one_of_its_own(tmp_path):
    async def work(service, open_gate):
        begun = [await promised(service, 10 * day) for day in (1, 2)]
        open_gate.set()
        return begun, await all_dreamt(service)

    begun, found = await dreamt_slowly(tmp_path, work, deep_every=2)

    assert [(one["kind"], one["pause_seconds"]) for one in begun] == [("deep_sleep", 300)] * 2
    assert begun[0]["dream_id"] == begun[1]["dream_id"], "the last one takes the place of the one before"
    assert found == [(1, "dream", 6), (2, "deep_sleep", 12)]


async def test_a_promised_dream_that_follows_one_that_was_asked_for_is_a_deep_sleep_by_its_number(tmp_path):
    async def work(service, open_gate):
        await acted(service, 6, first=10)
        await service.http.post("/v1/minds/ada/dreams", json={})
        begun = await promised(service, 20)
        open_gate.set()
        return begun, await all_dreamt(service)

    begun, found = await dreamt_slowly(tmp_path, work, deep_every=2)

    assert begun["kind"] == "deep_sleep"
    assert found == [(1, "dream", 6), (2, "deep_sleep", 12)]


async def test_a_deep_sleep_that_is_asked_for_while_its_dream_is_made_is_one(tmp_path, folder):
    async def work(service, open_gate):
        asked = await service.http.post("/v1/minds/ada/dreams", json={"deep": True})
        open_gate.set()
        return asked.status_code, await all_dreamt(service)

    status, found = await dreamt_slowly(tmp_path, work)

    assert (status, found) == (202, [(1, "deep_sleep", 6)])
    assert (folder / "diary.md").read_text()


async def test_a_promise_that_a_kill_left_behind_what_is_dreamt_gives_its_id_to_no_other_dream(tmp_path, folder):
    state = folder / "sleep.json"
    settings = settings_of(tmp_path, sleep={"dream_interval_seconds": 0})
    async with running(tmp_path, settings=settings) as service:
        first = await promised(service, 1)
        await all_dreamt(service)
        known = json.loads(state.read_text())
        owed = {"dream_id": first["dream_id"], "kind": "deep_sleep", "last_sequence": 6, "asked_at": known["asleep_at"]}
        state.write_text(json.dumps(known | {"owed": owed}))
        second = await promised(service, 10)
        found = await all_dreamt(service)

    assert second["dream_id"] != first["dream_id"]
    assert (second["kind"], found[1]) == ("dream", (2, "dream", 6))


def told(prompt):
    """The steps of the dreams that a deep sleep is given."""
    return re.findall(r"I walked to gate (\d+)", between(prompt, "dreams"))


async def test_a_deep_sleep_that_is_tidied_late_tells_its_own_dreams_and_each_is_told_once(tmp_path, folder):
    days, is_down = iter(range(1, 10)), True

    def dream(_):
        return PLAIN | {"reflection": f"I walked to gate {next(days)} and it was open, so I get on."}

    def deep_sleep(_):
        return Fails(503) if is_down else TIDY

    with provider_of(Brain(dream=dream, deep_sleep=deep_sleep)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0, "deep_every": 2})
        async with running(tmp_path, settings=settings) as service:
            waited = []
            for day in range(1, 6):
                is_down = day < 5
                await act(service, thought(f"I walk to gate {day}."))
                await acted(service, 6, first=10 * day)
                await slept(service)
                waited.append((await service.http.get("/v1/minds/ada/sleep")).json()["waiting_for"])
            asked = [told(one) for one in prompts(provider, "deep_sleep")]

    evaluated = [json.loads(line) for line in (folder / "evaluation.jsonl").read_text().splitlines()]
    assert [one["dream"] for one in evaluated] == [2, 4]
    assert [one["dreams"] for one in evaluated] == [2, 2]
    assert asked[-2:] == [["1", "2"], ["3", "4"]]
    assert (folder / "diary.md").read_text().count("## ") == 2
    assert (waited[0], waited[4]) == (None, None)
    assert all(one.startswith("ModelUnavailable") for one in waited[1:4])


async def test_a_deep_sleep_that_is_taken_back_while_its_model_is_asked_changes_nothing(tmp_path, folder):
    is_asked, open_gate = threading.Event(), threading.Event()

    def deep_sleep(_):
        is_asked.set()
        open_gate.wait(GIVE_UP)
        return TIDY

    with provider_of(Brain(dream=PLAIN, deep_sleep=deep_sleep)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, *ROLES)) as service:
            try:
                await acted(service, 6)
                await service.http.post("/v1/minds/ada/dreams", json={"deep": True})
                await asyncio.to_thread(is_asked.wait, GIVE_UP)
                taken = await service.http.post("/v1/minds/ada/dreams/1/undo")
            finally:
                open_gate.set()
            sleep = await eventually(lambda: awake(service), lambda found: found["state"] == "awake")
            [record] = await dreams(service)

    assert taken.status_code == 200, taken.text
    assert sleep["waiting_for"] is None
    assert record["undone_at"] is not None
    assert not (folder / "priorities.md").exists() and not (folder / "diary.md").exists()
    assert [one["what"] for one in record["changes"]] == ["observed"]


async def awake(service):
    return (await service.http.get("/v1/minds/ada/sleep")).json()


async def put_right(service, what, sequence, **more):
    body = {"what": what, "target": {"kind": "turn", "id": f"episode:{sequence}"}, **more}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text


async def test_a_dream_neither_sees_nor_observes_what_a_person_put_right(tmp_path, folder):
    with provider_of(brain(GOOD)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, *ROLES)) as service:
            await act(service, {"kind": "message", "text": "Please hide the Vortquible from my brother."})
            await lived(service)
            await put_right(service, "edit", 1, to="The Brandwick is to be hidden.")
            await slept(service)
            [dream] = await dreams(service)
            [asked] = prompts(provider, "dream")

    [record] = [json.loads(line) for line in (folder / "dreams.jsonl").read_text().splitlines()]
    assert "Vortquible" not in asked
    assert "The Brandwick is to be hidden." in asked
    assert dream["reflection"] == GOOD["reflection"]
    assert (record["first_sequence"], record["last_sequence"], record["actions"]) == (1, 9, 6)


async def test_turns_of_which_nothing_is_left_are_dreamt_without_a_model_and_only_once(tmp_path, folder):
    with provider_of(brain(PLAIN)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            await acted(service, 6)
            for sequence in range(1, 7):
                await put_right(service, "wrong", sequence)
            await slept(service)
            await acted(service, 6, first=20)
            await slept(service)
            [asked] = prompts(provider, "dream")

    records = [json.loads(line) for line in (folder / "dreams.jsonl").read_text().splitlines()]
    assert [(one["first_sequence"], one["last_sequence"], one["actions"]) for one in records] == [(1, 6, 6), (7, 12, 6)]
    assert records[0]["reflection"] == ""
    assert "step 3 done" not in asked
    assert "step 21 done" in asked


@pytest.mark.parametrize("is_put_right", [False, True])
async def test_what_was_put_right_of_earlier_days_is_not_looked_up(tmp_path, is_put_right):
    with provider_of(brain(PLAIN)) as provider:
        settings = hosted(tmp_path, provider, *ROLES, sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            for first in (1, 20):
                await act(service, call(first, ok=False, output="the backup disk is gone"))
                await acted(service, 6, first=first + 1)
                await slept(service)
                if is_put_right and first == 1:
                    await put_right(service, "wrong", 1)
            asked = prompts(provider, "dream")  # what was put right is dreamt again

    assert any("the backup disk is gone" in between(one, "earlier") for one in asked) is not is_put_right
