"""What an agent is handed when it wakes, over HTTP. Every docstring says what was broken, once, to see the test fail."""

import os
import threading
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.corrections.taken_out import as_put_right
from consolidation.dreams.dream_log import DreamLog, DreamRecord
from consolidation.dreams.sleep_decision import SleepKind
from consolidation.dreams.sleep_state import SleepState, write_sleep_state
from consolidation.kernel.clock import FixedClock
from consolidation.text.tokens import count_tokens
from service.sleep import waking as waking_module
from tests.support.agents import acted
from tests.support.service import running
from tests.support.waiting import GIVE_UP

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 2, 12, 18, 0, tzinfo=UTC)
SLEPT = NOW + timedelta(hours=1)
SEEN = "## 2026-02-12\n\nRED 17:00 Promised Ann the report\nYLW 17:10 The review waits for Bo\n"


async def waking(service, **asked):
    answer = await service.http.get("/v1/minds/ada/waking", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def said(text, *, at=NOW, **more):
    return {"role": "user", "content": text, "timestamp": at.isoformat(), **more}


def write_day(folder, *, last_sequence=0):
    """The files of an agent that acted, dreamt and slept for half an hour."""
    (folder / "observations.md").write_text(SEEN)
    (folder / "rules.md").write_text("- Never push on Friday (dream 1)\n")
    (folder / "priorities.md").write_text("- The report\n")
    (folder / "briefing.md").write_text("The import is half done.\n")
    state = SleepState(cycle=1, asleep_at=SLEPT, wake_at=SLEPT + timedelta(minutes=30), kind=SleepKind.DREAM)
    write_sleep_state(folder / "sleep.json", state)
    record = DreamRecord(
        t=SLEPT,
        dream=1,
        reflection="I read the error too late.",
        priority="Send it.",
        last_sequence=last_sequence,
        session_id="run-1",
        actions=42,
        intent="Finish.",
    )
    DreamLog(folder / "dreams.jsonl").add(record)


async def test_an_agent_is_handed_what_its_files_hold(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        write_day(tmp_path / "minds/ada", last_sequence=1)

        found = await waking(service, timezone="Europe/Paris")

    assert (found["woke_at"], found["slept_seconds"], found["cycle"]) == ("2026-02-12T19:30:00Z", 1800.0, 2)
    assert (found["reflection"], found["priority"]) == ("I read the error too late.", "Send it.")
    assert (found["priorities"], found["rules"]) == (["The report"], ["Never push on Friday"])
    assert [one["level"] for one in found["observations"]] == ["RED", "YLW"]
    assert found["observations"][0]["day"] == "2026-02-12"
    assert found["unread_messages"] == []
    assert found["last_session"] == {
        "session_id": "run-1", "ended_at": "2026-02-12T19:00:00Z", "actions": 42, "intent": "Finish.",
        "was_interrupted": False,
    }  # fmt: skip
    assert "You woke on Thu 2026-02-12 20:30+01:00" in found["text"]


async def test_what_it_points_at_can_be_asked_for(tmp_path):
    """Broken: any of the paths."""
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        (tmp_path / "minds/ada/observations.md").write_text(SEEN)
        (tmp_path / "minds/ada/diary.md").write_text("## 2026-02-12 18:00\n\nI was here.\n")

        pointers = (await waking(service))["pointers"]
        answers = {
            name: await service.http.get(path, params={"query": "morning"} if name in {"log", "remember"} else None)
            for name, path in pointers.items()
        }

    assert {name: one.status_code for name, one in answers.items()} == dict.fromkeys(pointers, 200)
    assert "I was here." in answers["diary"].text


async def test_the_newest_messages_of_people_behind_the_last_dream_are_unread(tmp_path):
    """Broken: the cursor; the ten; the cut; the role."""
    async with running(tmp_path, clock=FixedClock(NOW)) as service:
        await service.keep("ada", said("Dreamt of already"))
        write_day(tmp_path / "minds/ada", last_sequence=1)
        for number in range(12):
            answer = {"role": "assistant", "content": "Yes."}
            await service.keep("ada", said(f"Message {number} " + "x" * 600, name="Ann"), answer)
        await service.keep("ada", said("HEARTBEAT"), kind="heartbeat")

        found = (await waking(service, max_tokens=20_000))["unread_messages"]

    assert [one["text"].split()[1] for one in found] == [str(number) for number in range(11, 1, -1)]
    assert {(one["who"], one["session_id"], len(one["text"])) for one in found} == {("Ann", "s1", 500)}
    assert found[0]["at"] == "2026-02-12T18:00:00Z"


async def test_what_an_agent_did_is_not_looked_through_for_messages_and_nothing_is_on_the_event_loop(tmp_path):
    """Broken: the sentences of every turn since the last dream are put right, one turn after the other, on the loop."""
    found = []

    def note(frame, event, _argument):
        if event == "call" and frame.f_code is as_put_right.__code__ and frame.f_back.f_globals is vars(waking_module):
            found.append((frame.f_locals["stored"].is_tool_call, threading.get_ident()))

    async with running(tmp_path) as service:
        await service.keep("ada", said("Call Ann. Zelda waits."))
        await acted(service, 60)
        await service.digested("ada")
        mute = {"what": "mute", "target": {"kind": "entity", "text": "Zelda"}}
        (await service.http.post("/v1/minds/ada/corrections", json=mute)).raise_for_status()
        threading.setprofile_all_threads(note)
        try:
            unread = (await waking(service))["unread_messages"]
        finally:
            threading.setprofile_all_threads(None)

    assert [one["text"] for one in unread] == ["Call Ann."]
    assert [is_tool_call for is_tool_call, _ in found] == [False]
    assert threading.get_ident() not in {thread for _, thread in found}


async def test_the_session_that_begins_is_not_the_last_one(tmp_path):
    """Broken: ``session_id`` is not read."""
    async with running(tmp_path) as service:
        await service.keep("ada", said("First"), session_id="run-1")
        await service.keep("ada", said("Second"), session_id="run-2")

        whole, begun = [(await waking(service, **asked))["last_session"] for asked in ({}, {"session_id": "run-2"})]

    assert (whole["session_id"], begun["session_id"]) == ("run-2", "run-1")
    assert begun["was_interrupted"] is False


async def test_the_same_bytes_are_not_sent_again_until_a_file_changes(tmp_path):
    """Broken: If-None-Match is not read; a clock in the pack."""
    clock = FixedClock(NOW)
    async with running(tmp_path, clock=clock) as service:
        await service.keep("ada", said("Good morning!"))
        write_day(tmp_path / "minds/ada")
        first = await service.http.get("/v1/minds/ada/waking")
        known = {"If-None-Match": first.headers["etag"]}
        clock.advance(timedelta(days=30))
        again = await service.http.get("/v1/minds/ada/waking", headers=known)
        (tmp_path / "minds/ada/briefing.md").write_text("The import is done.\n")
        changed = await service.http.get("/v1/minds/ada/waking", headers=known)

    assert first.json()["etag"] == first.headers["etag"]
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert changed.status_code == 200
    assert "The import is done." in changed.json()["text"]


async def test_reading_changes_no_file_and_creates_no_mind(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        write_day(tmp_path / "minds/ada")
        await service.digested("ada")
        await service.memory.background.drain("ada", seconds=GIVE_UP)  # the list of what waits for the story
        before = {file: file.read_bytes() for file in (tmp_path / "minds/ada").glob("*") if file.is_file()}
        await waking(service)
        unknown = await service.http.get("/v1/minds/nobody/waking")
        after = {file: file.read_bytes() for file in (tmp_path / "minds/ada").glob("*") if file.is_file()}

    assert unknown.status_code == 404
    assert not (tmp_path / "minds/nobody").exists()
    assert after == before


async def test_files_that_are_garbled_or_links_count_as_empty(tmp_path):
    """Broken: OSError of the log of dreams, and of the state, is raised."""
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        folder = tmp_path / "minds/ada"
        (folder / "observations.md").write_bytes(b"\xff\xfe\x00## 2026-99-99\nRED 99:99 x\n" * 50)
        (folder / "rules.md").mkdir()
        (folder / "briefing.md").symlink_to("/etc/hostname")
        (folder / "dreams.jsonl").mkdir()
        (folder / "sleep.json").symlink_to("/etc/hostname")
        os.mkfifo(folder / "priorities.md")

        found = await waking(service)

    assert found["woke_at"] is None
    assert (found["rules"], found["briefing"], found["priorities"], found["observations"]) == ([], "", [], [])
    assert [one["text"] for one in found["unread_messages"]] == ["Good morning!"]


async def test_the_budget_is_the_callers(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        lines = "".join(f"RED 17:{minute:02} Promised somebody the report number {minute}\n" for minute in range(60))
        (tmp_path / "minds/ada/observations.md").write_text(f"## 2026-02-12\n\n{lines}")

        small, large = [await waking(service, max_tokens=most) for most in (200, 4000)]

    assert count_tokens(small["text"]) <= 200
    assert 0 < len(small["observations"]) < len(large["observations"]) == 60
    assert small["left_out"] == 60 - len(small["observations"])


async def test_of_a_long_file_the_newest_observations_are_handed_over_and_all_others_are_counted(tmp_path):
    """Broken: so many characters are read of its beginning."""
    days = [NOW.date() - timedelta(days=back) for back in range(150, -1, -1)]
    line = (
        "YLW 12:{:02} The table of that day was locked by a job, and the retry after a minute ended in the same way\n"
    )
    calm = "".join(line.format(minute) for minute in range(30))
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        text = "".join(f"## {day}\n\n{calm}RED 17:00 Promised the report of {day}\n\n" for day in days)
        (tmp_path / "minds/ada/observations.md").write_text(text)

        found = await waking(service)

    assert len(text) > 400_000
    assert found["observations"][0]["text"] == f"Promised the report of {NOW.date()}"
    assert found["left_out"] == 31 * len(days) - len(found["observations"])


@pytest.mark.parametrize("edited", ["\ufeff{}", "\ufeff\r\n{}", "# Mine\n{}"])
async def test_a_day_that_a_person_divides_by_headings_stays_a_day(tmp_path, edited):
    """Broken: any heading ends a day; a byte order mark hides the first one."""
    divided = (
        SEEN.replace("RED", "### Reports\n\nRED").replace("YLW", "#### Reviews\nYLW") + "## Ideas\nRED 09:00 None\n"
    )
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        (tmp_path / "minds/ada/observations.md").write_text(edited.format(divided))

        found = await waking(service)
        listed = (await service.http.get("/v1/minds/ada/observations")).json()["observations"]

    expected = ["Promised Ann the report", "The review waits for Bo"]
    assert [one["text"] for one in found["observations"]] == [one["text"] for one in listed] == expected


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"max_tokens": 199}, "query/max_tokens"),
        ({"max_tokens": 20_001}, "query/max_tokens"),
        ({"timezone": "Mars/Base"}, "query/timezone"),
        ({"session_id": ""}, "query/session_id"),
    ],
)
async def test_a_wrong_question_is_a_problem_with_a_pointer(tmp_path, asked, pointer):
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))

        answer = await service.http.get("/v1/minds/ada/waking", params=asked)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].endswith(pointer)


@pytest.mark.parametrize("around", ["{}", "Hello.\n\n{}\n\nWhere is it?"])
async def test_posted_back_nothing_of_it_is_stored(tmp_path, around):
    """Broken: the header is not in ``injected_blocks``."""
    async with running(tmp_path) as service:
        await service.keep("ada", said("Good morning!"))
        write_day(tmp_path / "minds/ada")
        text = (await waking(service))["text"]
        await service.keep("ada", said(around.format(text)), {"role": "assistant", "content": "I will look."})
        await service.digested("ada")

        stored = "".join(file.read_text() for file in (tmp_path / "minds/ada/transcript").glob("*.jsonl"))

    assert "WAKING" not in stored
    assert "Promised Ann" not in stored
    assert "I will look." in stored
    assert ("Where is it?" in stored) is ("Where" in around)


async def test_a_dream_that_comes_later_does_not_change_when_the_last_session_ended_nor_what_was_called_in_it(tmp_path):
    """Broken: a session ends when it is dreamt of, with the calls of all sessions of the dream."""
    async with running(tmp_path) as service:
        await acted(service, 5, session="run-1")
        await acted(service, 2, first=10, session="run-2")
        before = (await waking(service))["last_session"]
        await service.http.post("/v1/minds/ada/dreams", json={"wait": True})
        dreams = (await service.http.get("/v1/minds/ada/dreams")).json()["dreams"]
        after = (await waking(service))["last_session"]

    assert [(one["actions"], one["is_quoted"]) for one in dreams] == [(7, True)]
    keys = ("session_id", "ended_at", "actions")
    assert [after[key] for key in keys] == [before[key] for key in keys] and after["actions"] == 2
