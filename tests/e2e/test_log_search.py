"""Search in the log: literal, newest first, with its surroundings; nothing erased, nothing private, nothing by half."""

import json
from datetime import UTC, datetime

import pytest

from consolidation.dreams.actions import Action, action_turn
from consolidation.dreams.dream_log import DreamRecord
from consolidation.dreams.sleep_decision import SleepKind
from consolidation.dreams.sleep_state import SleepState, write_sleep_state
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def search(service, query, **more):
    answer = await service.http.get("/v1/minds/ada/log", params={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts(found):
    return [item["text"] for item in found["items"]]


async def test_a_message_is_found_word_for_word_with_its_age_and_its_neighbours(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "The shop on Rue d'Austerlitz closed.", "Closed for good?", turn_id="one")
        await service.keep("ada", "Yes, for good.", "A pity.")
        await service.keep("ada", "Elsewhere the shop is open.", session_id="s9")

        found = await search(service, "CLOSED for", context=2)

        (item,) = found["items"]
        assert (item["turn_id"], item["session_id"], item["role"]) == ("one", "s1", "assistant")
        assert item["text"] == "Closed for good?"
        assert [line["text"] for line in item["before"]] == ["The shop on Rue d'Austerlitz closed."]
        assert [line["text"] for line in item["after"]] == ["Yes, for good.", "A pity."]
        assert item["age"] == "a moment ago"
        assert item["cycles_ago"] is None
        assert found["next_cursor"] is None
        assert texts(await search(service, "cl.sed")) == []
        assert texts(await search(service, "for  good")) == []


async def test_the_newest_come_first_and_a_cursor_leads_through_all_of_them(tmp_path):
    async with running(tmp_path / "home") as service:
        for number in range(7):
            await service.keep("ada", f"Run {number} began.", f"Run {number} ended.")

        seen, cursor = [], None
        for _ in range(20):
            page = await search(service, "run", limit=3, **({"cursor": cursor} if cursor else {}))
            assert len(page["items"]) <= 3
            seen += texts(page)
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert seen == [f"Run {number} {what}." for number in reversed(range(7)) for what in ("ended", "began")]


async def test_role_session_and_times_narrow_it(tmp_path):
    async with running(tmp_path / "home") as service:
        for day, session in ((1, "s1"), (2, "s2"), (3, "s1")):
            at = f"2026-01-0{day}T12:00:00Z"
            said = [
                {"role": "user", "content": f"Import {day}?", "timestamp": at},
                {"role": "tool", "content": f"import {day}: ok", "name": "shell", "timestamp": at},
            ]
            await service.keep("ada", *said, session_id=session)

        assert texts(await search(service, "import", role="tool", limit=9)) == [f"import {n}: ok" for n in (3, 2, 1)]
        assert texts(await search(service, "import", role="user", session_id="s1")) == ["Import 3?", "Import 1?"]
        assert texts(await search(service, "import", role="user", since="2026-01-02T12:00:00Z")) == [
            "Import 3?",
            "Import 2?",
        ]
        assert texts(await search(service, "import", role="user", until="2026-01-01T12:00:00Z")) == ["Import 1?"]
        assert texts(await search(service, "import", role="user", exclude_from="2026-01-03T12:00:00Z")) == [
            "Import 2?",
            "Import 1?",
        ]
        assert texts(await search(service, "import", since="2100-01-01T00:00:00Z")) == []


async def test_the_age_is_told_in_the_zone_and_language_of_the_caller(tmp_path):
    async with running(tmp_path / "home") as service:
        said = {"role": "user", "content": "Der Zug fährt um neun.", "timestamp": "2026-01-01T23:30:00Z"}
        await service.keep("ada", said)

        (german,) = (await search(service, "zug", language="de", timezone="Europe/Paris"))["items"]
        (english,) = (await search(service, "zug", language="en"))["items"]

        assert (german["date"], english["date"]) == ("2. Jan.", "Jan 1")
        assert german["age"].startswith("vor")
        assert english["age"].endswith("ago")


async def test_what_was_erased_masked_or_off_the_record_is_not_found(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "The canary sings of Xanadu.", turn_id="erased")
        await service.keep("ada", "Xanadu is private. #offtherecord")
        await service.keep("ada", "My card is 4111 1111 1111 1111, says Xanadu.")
        await service.keep("ada", "A quiet day.")
        assert (await service.http.delete("/v1/minds/ada/turns/erased")).status_code == 200

        found = await search(service, "xanadu", context=5, limit=100)

        assert len(found["items"]) == 1
        shown = json.dumps(found)
        assert "4111 1111" not in shown
        assert "canary" not in shown
        assert "private" not in shown
        assert texts(await search(service, "4111 1111")) == []


async def test_a_long_message_is_cut_around_the_words(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", f"{'before ' * 400}the needle is here{' after' * 400}", "x" * 2000)

        (item,) = (await search(service, "NEEDLE IS"))["items"]

        assert "the needle is here" in item["text"]
        assert item["text"].startswith("… ")
        assert item["text"].endswith(" …")
        assert len(item["text"]) < 620
        assert len(item["after"][0]["text"]) < 310


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"limit": 1_000_000}, "query/limit"),
        ({"limit": 0}, "query/limit"),
        ({"context": 6}, "query/context"),
        ({"query": ""}, "query/query"),
        ({"query": " \n "}, "query/query"),
        ({"role": "boss"}, "query/role"),
        ({"cursor": "1'; --"}, "query/cursor"),
        ({"cursor": "99999999999999999999.1"}, "query/cursor"),
        ({"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "query/until"),
        ({"exclude_from": "yesterday"}, "query/exclude_from"),
        ({"exclude_from": "cycles"}, "query/exclude_from"),
        ({"timezone": "Mars/Olympus"}, "query/timezone"),
        ({"language": "../../etc"}, "query/language"),
    ],
)
async def test_a_bad_question_is_refused_with_its_parameter(tmp_path, asked, pointer):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "My mother lives in Lyon.")

        answer = await service.http.get("/v1/minds/ada/log", params={"query": "lyon", **asked})

        assert answer.status_code == 422, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_a_mind_without_a_turn_is_not_made_by_a_search(tmp_path):
    async with running(tmp_path / "home") as service:
        assert (await service.http.get("/v1/minds/ada/log", params={"query": "x"})).status_code == 404
        assert not (tmp_path / "home" / "minds" / "ada").exists()


PRINTED = "starting\n" * 100 + "worker 7: status 429 from the upstream\nretrying\n"


def slept(home, *, cycle, last_sequence=None, kind=SleepKind.DREAM, **more):
    """An agent that slept a moment ago and is awake, with a dream up to a sequence, where it dreamt."""
    now, folder = datetime.now(UTC), home / "minds" / "ada"
    state = SleepState(cycle=cycle, asleep_at=now, wake_at=now, kind=kind, **more)
    write_sleep_state(folder / "sleep.json", state)
    if last_sequence is not None:
        record = DreamRecord(t=now, dream=cycle, cycle=cycle, last_sequence=last_sequence)
        with (folder / "dreams.jsonl").open("a") as file:
            file.write(f"{record.model_dump_json()}\n")


async def test_a_hit_says_how_many_sleeps_ago_it_was(tmp_path):
    async with running(tmp_path) as service:
        for cycle in (1, 2):
            await service.keep("ada", f"Build {cycle} began.")
            slept(tmp_path, cycle=cycle, last_sequence=cycle)
        await service.keep("ada", "Build 3 began.")
        found = await search(service, "build")

    assert [(one["text"], one["cycles_ago"]) for one in found["items"]] == [
        ("Build 3 began.", 0),
        ("Build 2 began.", 1),
        ("Build 1 began.", 2),
    ]


async def test_a_sleep_counts_before_its_dream_is_written_and_a_nap_never_does(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Build 1 began.")
        slept(tmp_path, cycle=1, kind=SleepKind.NAP)
        after_nap = await search(service, "build")
        slept(tmp_path, cycle=1)
        after_sleep = await search(service, "build")

    assert [found["items"][0]["cycles_ago"] for found in (after_nap, after_sleep)] == [0, 1]


async def test_what_was_stored_in_the_present_cycle_can_be_left_out(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Build 1 began.")
        in_first = await search(service, "build", exclude_from="cycle")
        slept(tmp_path, cycle=1, last_sequence=1)
        await service.keep("ada", "Build 2 began.")
        in_second = await search(service, "build", exclude_from="cycle")

    assert texts(in_first) == []
    assert texts(in_second) == ["Build 1 began."]


async def test_words_that_a_tool_printed_beyond_what_is_shown_are_found_with_their_line(tmp_path):
    ran = Action("tool_call", tool="shell", input={"command": "deploy"}, output=PRINTED)
    async with running(tmp_path) as service:
        await service.memory.intake.accept("ada", action_turn(ran, session_id="s1", turn_id="t1"))
        found = await search(service, "STATUS 429", role="tool")
        shown = await search(service, "deploy")
        of_user = await search(service, "status 429", role="user")

    [item] = found["items"]
    assert (item["text"], item["role"], item["name"]) == ("worker 7: status 429 from the upstream", "tool", "shell")
    assert shown["items"][0]["text"].startswith("shell(")
    assert texts(of_user) == []


async def test_a_long_line_that_a_tool_printed_is_cut_around_the_words(tmp_path):
    ran = Action("tool_call", tool="shell", output="a " * 600 + "needle " + "b " * 600)
    async with running(tmp_path) as service:
        await service.memory.intake.accept("ada", action_turn(ran, session_id="s1", turn_id="t1"))
        [item] = (await search(service, "needle"))["items"]

    assert "needle" in item["text"]
    assert len(item["text"]) < 700
