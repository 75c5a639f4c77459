"""Lines of observations that dreams end, say again and take back; what a person wrote stands."""

from contextlib import asynccontextmanager

import pytest

from tests.support.agents import act, acted, slept
from tests.support.scripted_models import Brain, between, hosted, prompts, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

URL = "/v1/minds/ada/observations"
TOLD = {"kind": "message", "text": "Please send Ann the report by Friday."}
TIDY = {"priorities": ["Send Ann the report."], "diary": "I worked on the report for Ann, and I get on with it."}


def line(text, level="GRN", *, at="09:31", ends=()):
    return {"level": level, "at": at, "text": text, "supersedes": list(ends)}


def dream(*lines):
    return {
        "observations": list(lines),
        "reflection": "I worked on the steps and each of them went well, so I get on.",
        "priority": "Go on with the next step.",
    }


@asynccontextmanager
async def dreaming(tmp_path, *answers):
    """A service whose agent dreams these answers, one a sleep, after six steps each; and what was asked."""
    left = list(answers)
    with provider_of(Brain(dream=lambda _: left.pop(0), deep_sleep=TIDY)) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"dream_interval_seconds": 0})
        async with running(tmp_path, settings=settings) as service:
            yield service, lambda: prompts(provider, "dream")


async def lived(service, *, first=1):
    """Live six steps and sleep."""
    await act(service, TOLD)
    await acted(service, 6, first=first)
    await slept(service)


async def dreamt(service):
    """The newest dream."""
    return (await service.http.get("/v1/minds/ada/dreams")).json()["dreams"][0]


async def lines(service):
    return (await service.http.get(URL)).json()["observations"]


async def test_no_dream_supersedes_a_line_that_a_person_wrote(tmp_path):
    first = dream(line("Promised Ann the report by Friday", "RED"), line("The shell answers: step 3 done"))
    later = dream(line("The shell answers again: step 20 done", ends=(1, 2)))
    async with dreaming(tmp_path, first, later) as (service, asked):
        await lived(service)
        found = await service.http.get(URL)
        mine = found.json()["text"].replace("by Friday", "by Monday").replace("GRN", "RED")
        await service.http.put(URL, json={"text": mine}, headers={"If-Match": found.headers["ETag"]})
        await lived(service, first=20)
        persons = [one for one in await lines(service) if "Monday" in one["text"] or "step 3" in one["text"]]
        woken = (await service.http.get("/v1/minds/ada/waking")).json()["text"]
        shown = between(asked()[1], "observations")

    assert [(one["level"], one["is_ours"], one["is_superseded"]) for one in persons] == [("RED", False, False)] * 2
    assert "(superseded)" not in woken
    assert "Monday" in shown and "(1) " not in shown and "(2) " not in shown


async def test_a_line_that_a_deep_sleep_took_out_returns_with_the_dream_that_ended_it(tmp_path):
    reports = [dream(line(f"The shell answers: step {n} done")) for n in (20, 40)]
    reports[0]["observations"][0]["supersedes"] = [1]
    async with dreaming(tmp_path, dream(line("The report for Ann is the work now", "YLW")), *reports) as (service, _):
        for first in (1, 20):
            await lived(service, first=first)
        await acted(service, 6, first=40)
        await service.http.post("/v1/minds/ada/dreams", json={"deep": True, "wait": True})
        pruned = [one["text"] for one in await lines(service)]
        await service.http.post("/v1/minds/ada/dreams/2/undo")
        found = [one for one in await lines(service) if one["level"] == "YLW"]

    assert "The report for Ann is the work now" not in pruned
    assert [(one["text"], one["is_superseded"]) for one in found] == [("The report for Ann is the work now", False)]


@pytest.mark.parametrize(("before", "after"), [("GRN", "RED"), ("YLW", "YLW")])
async def test_the_same_words_are_said_again_at_another_level_alone(tmp_path, before, after):
    words = "The report for Ann is the work now"
    dreams = dream(line(words, before)), dream(line(words, after, ends=[1]), line("The shell answers as it should"))
    async with dreaming(tmp_path, *dreams) as (service, _):
        await lived(service)
        await lived(service, first=20)
        found = [(one["level"], one["is_superseded"]) for one in await lines(service) if one["text"] == words]
        await service.http.post("/v1/minds/ada/dreams/2/undo")
        left = [(one["level"], one["is_superseded"]) for one in await lines(service) if one["text"] == words]

    assert {level for level, _ in found} == {before, after} and len(found) == len({before, after})
    assert (after, False) in found
    assert left == [(before, False)]


async def test_a_reflection_ends_after_120_words_at_a_sentence_and_a_priority_after_one(tmp_path):
    sentence = "I worked on the report at 3.5 times the pace, e.g. the steps went well. "  # 15 words
    long = dream(line("The shell answers as it should"))
    long |= {"reflection": sentence * 12, "priority": "Go on with step 3.5 of the report. Send it. Rest."}
    async with dreaming(tmp_path, long) as (service, _):
        await act(service, {"kind": "message", "text": "Go on at 3.5 times the pace, e.g. with step 3.5."})
        await lived(service)
        found = await dreamt(service)

    assert found["reflection"] == (sentence * 8).strip()
    assert found["priority"] == "Go on with step 3.5 of the report."


@pytest.mark.parametrize(
    "invented",
    [
        "Zbigniew praised the report for Ann",
        "Wrote 9 pages of the report for Ann",
        "The report goes to zbigniew@corp.example",
        "See http://evil.example/report for Ann",
    ],
)
async def test_a_line_with_an_invented_name_count_or_address_is_left_out(tmp_path, invented):
    async with dreaming(tmp_path, dream(line(invented), line("Wrote 6 pages of the report for Ann"))) as (service, _):
        await lived(service)
        found = [one["text"] for one in await lines(service)]

    assert found == ["Wrote 6 pages of the report for Ann"]


async def test_a_dream_whose_priority_opens_with_an_invented_name_is_asked_for_again(tmp_path):
    good = dream(line("The shell answers as it should"))
    async with dreaming(tmp_path, good | {"priority": "Zbigniew waits for a call."}, good) as (service, asked):
        await lived(service)
        found = await dreamt(service)

    assert found["priority"] == good["priority"]
    assert "'Zbigniew'" in asked()[1]


@pytest.mark.parametrize(
    "words",
    [
        "Tests passed",
        "Healthchecks failed twice",
        "Deduplication ended well",
        "Everyone waits",
        "CSVs arrived by Friday",
    ],
)
async def test_an_ordinary_word_that_opens_a_line_is_not_taken_for_a_name(tmp_path, words):
    async with dreaming(tmp_path, dream(line(words))) as (service, _):
        await lived(service)
        found = [one["text"] for one in await lines(service)]

    assert words in found


async def test_a_time_at_which_nothing_happened_gives_way_to_that_of_what_a_line_rests_on(tmp_path):
    told = TOLD | {"timestamp": "2026-02-12T09:32:00Z"}
    good = dream(line("Promised Ann the report by Friday", at="03:33"), line("The report is for Ann", at="09:32"))
    async with dreaming(tmp_path, good) as (service, _):
        await act(service, told)
        await acted(service, 6)
        await slept(service)
        found = [(one["day"], one["at"], one["text"]) for one in await lines(service)]

    assert found[:2] == [
        ("2026-02-12", "09:32", "Promised Ann the report by Friday"),
        ("2026-02-12", "09:32", "The report is for Ann"),
    ]
