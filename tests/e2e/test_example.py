"""The example life, in a terminal and over HTTP: one load by `mind-memory demo`, which all tests but the last ones share."""

import json
import shutil
from datetime import date
from types import SimpleNamespace

import pytest

from tests.support.cli_process import call
from tests.support.once import made_once
from tests.support.service import running
from tests.support.waiting import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]  # a minute on a quiet machine

EXAMPLE = "/v1/minds/example"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What `mind-memory demo` showed, its home, and a copy of that."""
    made, mine = made_once(tmp_path_factory, "demo", demo), tmp_path_factory.mktemp("demo")
    homes = [shutil.copytree(made / "home", mine / name) for name in ("home", "copy")]
    return SimpleNamespace(**json.loads((made / "said.json").read_text())), *homes


def demo(folder):
    said = call("demo", "--home", folder / "home")
    (folder / "said.json").write_text(json.dumps({"exit_code": said.exit_code, "output": said.output}))


@pytest.fixture(scope="module")
async def loaded(anyio_backend, shown):
    """A service in which the example has been loaded."""
    _, home, _ = shown
    async with running(home) as service:
        yield service


async def surfaced(service, message):
    """What surfaces for a message in a new conversation, as one text; it leaves nothing behind."""
    answer = await service.resonate("example", message, session_id="new", probe=True)
    assert answer.status_code == 200, answer.text
    return " ".join(one["text"] for one in answer.json()["flashbacks"])


async def shown_before(service, words):
    """What surfaced, on its day, before the message that has these words."""
    found = (await service.http.get(f"{EXAMPLE}/traces", params={"limit": 500})).json()["traces"]
    [trace] = [one for one in found if words in one["message"]]
    candidates = {one["id"]: one["text"] for one in trace["phases"]["retrieval"]["candidates"]}
    return trace, " ".join(candidates[one["id"]] for one in trace["shown"])


def test_the_demo_asks_three_questions_and_says_what_surfaced_and_why(shown):
    said, *_ = shown

    assert said.exit_code == 0, said.output
    assert said.output.count("Ann › ") == 3
    assert "Porto" in said.output and "hazelnut" in said.output
    assert "0.50 needed" in said.output and "nothing surfaced" in said.output


def test_the_demo_shows_how_the_story_begins_and_what_to_do_next(shown):
    said, *_ = shown

    assert "The timetable office of Avonline" in said.output
    assert "demo --remove" in said.output
    assert "\x1b[" not in said.output


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("Who is Wren?", "Wren"),  # a single name, of which the mind was told a lot
        ("When do I fly to Porto?", "tomorrow at nine"),  # the fact of that turn says nothing of when
    ],
)
async def test_a_question_is_answered_by_what_says_the_answer(loaded, asked, first):
    answer = await loaded.resonate("example", asked, session_id="new", probe=True)

    assert any(first in one["text"] for one in answer.json()["flashbacks"]), answer.json()["flashbacks"]


def test_the_example_goes_only_when_asked(shown):
    *_, home = shown

    removed, again = (call("demo", "--remove", "--home", home) for _ in range(2))

    assert removed.exit_code == 0, removed.output
    assert "erased" in removed.output
    assert again.exit_code == 1 and "no example to remove" in again.output


async def test_the_example_is_a_mind_that_is_marked_as_one(loaded):
    state = (await loaded.http.get("/v1/example")).json()

    assert state == {"mind_id": "example", "state": "ready", "turns": 295, "of": 295, "reads_with_model": False}
    assert (await loaded.status("example"))["is_example"] is True
    assert [one["is_example"] for one in (await loaded.http.get("/v1/minds")).json()["minds"]] == [True]


async def test_loading_it_again_does_nothing(loaded):
    again = await loaded.http.post("/v1/example")

    assert (again.status_code, again.json()["state"]) == (200, "ready")
    assert (await loaded.status("example"))["last_sequence"] == 295


async def test_its_last_session_was_yesterday_and_it_lasted_seven_months(loaded):
    sessions = (await loaded.http.get(f"{EXAMPLE}/sessions", params={"limit": 500})).json()["items"]

    yesterday = (loaded.memory.clock.now()).date().toordinal() - 1
    days = [loaded_day(one["last_at"]) for one in sessions]
    assert max(days) in {yesterday, yesterday - 1}  # midnight may have passed since it was loaded
    assert max(days) - min(days) == 213


def loaded_day(instant):
    """The day of an instant as the API writes it, as a number."""
    return date.fromisoformat(instant[:10]).toordinal()


async def test_it_is_read_and_told_whole(loaded):
    state = await loaded.status("example")

    assert state["graph"]["lag"] == 0 and not state["graph"]["parked"]
    assert state["story"]["pending_turns"] == 0 and state["story"]["chapters"] > 30
    assert state["graph"]["entities"] > 30 and state["usage"]["calls"] == 0


async def test_where_her_mother_lives_changes_in_the_course_of_it(loaded):
    trace, then = await shown_before(loaded, "Where could I spend a weekend with Mum?")
    _, later = await shown_before(loaded, "Where could I spend a weekend with her?")

    assert "Lyon" in then and "Porto" not in then
    assert "Porto" in later
    assert trace["at"] < (await loaded.http.get("/v1/minds/example/traces")).json()["traces"][0]["at"]


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("Where does my mother live?", "Porto"),
        ("What are my allergies?", "hazelnuts"),
        ("What was the boat called?", "Marigold"),
    ],
)
async def test_its_questions_bring_up_what_they_are_about(loaded, question, known):
    assert known in await surfaced(loaded, question)


@pytest.mark.parametrize("small_talk", ["Nice weather, isn't it?", "Thanks, that was kind of you.", "Good night!"])
async def test_small_talk_brings_up_nothing(loaded, small_talk):
    assert await surfaced(loaded, small_talk) == ""


async def test_people_put_some_of_it_right(loaded):
    made = (await loaded.http.get(f"{EXAMPLE}/corrections")).json()["items"]

    assert {one["what"] for one in made} == {"edit", "merge", "mute"}
    assert {one["by"] for one in made} == {"Ann"}


async def test_what_it_would_surface_is_asked_without_a_trace(loaded):
    before = (await loaded.http.get("/v1/status")).json()["minds"][0]["resonance"]["calls"]
    await surfaced(loaded, "Where does my mother live?")

    assert (await loaded.http.get("/v1/status")).json()["minds"][0]["resonance"]["calls"] == before


async def test_there_is_none_until_it_is_loaded_and_a_mind_of_its_name_is_left_alone(tmp_path):
    async with running(tmp_path) as service:
        assert (await service.http.get("/v1/example")).status_code == 404
        await service.keep("example", "I am somebody else.")

        answers = [await service.http.request(method, "/v1/example") for method in ("POST", "GET")]

        assert [one.status_code for one in answers] == [409, 404]
        assert (await service.status("example"))["is_example"] is False


async def test_it_is_erased_whole_while_it_is_loading_and_can_be_loaded_again(tmp_path):
    async with running(tmp_path) as service:
        await eventually(service.ready, lambda found: found[0] == 200)  # else it would wait for the graph to start
        await service.http.post("/v1/example")
        receipt = (await service.http.delete(EXAMPLE)).json()

        assert receipt["verified"] is True, json.dumps(receipt)
        assert (await service.http.get("/v1/example")).status_code == 404
        assert not (tmp_path / "minds" / "example").exists()
        assert (await service.http.post("/v1/example")).status_code == 201


async def test_a_load_that_a_stop_interrupted_goes_on_at_the_next_start(tmp_path):
    async with running(tmp_path) as service:
        last_day = (await service.http.post("/v1/example")).json() and read_day(tmp_path)
    async with running(tmp_path) as service:
        stored = (await service.http.get("/v1/example")).json()["turns"]

        await service.until("example", lambda state: state["turns"] > stored)

        assert read_day(tmp_path) == last_day


def read_day(home):
    """The day on which the life that is being loaded ends."""
    return json.loads((home / "minds" / "example" / ".example.json").read_text())["last_day"]
