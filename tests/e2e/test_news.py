"""
The news over HTTP: what happened since somebody looked last, how much of it, and the newest with their ids.

Every docstring says what was broken, once, to see the test fail.
"""

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest

from service.ingest.knowledge_index import index_knowledge
from service.ports.graph import Extracted, StoredFact
from tests.support.scripted_models import Brain, between, hosted, provider_of, read_turn
from tests.support.service import running
from tests.support.waiting import GIVE_UP

pytestmark = pytest.mark.anyio

LYON, GHENT, PORTO = "My mother lives in Lyon.", "My sister lives in Ghent.", "My aunt lives in Porto."
GROUPS = ("learned", "ended", "told", "surfaced", "put_right", "parked")


async def news(service, **asked):
    answer = await service.http.get("/v1/minds/ada/news", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def told(service, *contents):
    for content in contents:
        await service.keep("ada", content)
    await service.digested("ada")


async def consolidated(service):
    answer = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
    assert answer.is_success, answer.text


async def pinned(service, sequence):
    body = {"what": "pin", "target": {"kind": "turn", "id": f"episode:{sequence}"}}
    return (await service.http.post("/v1/minds/ada/corrections", json=body)).json()


def texts(group):
    return " ".join(one["text"] for one in group["items"])


async def test_the_news_go_on_where_an_earlier_answer_ended(tmp_path):
    """Broken: what was told first by a turn before that time is learned; calls of any time are counted."""
    async with running(tmp_path) as service:
        await told(service, LYON)
        await service.resonate("ada", "Where does my mother live?")
        first = await news(service)
        await told(service, GHENT)
        await service.resonate("ada", "Where does my sister live?", session_id="s3")
        await pinned(service, 2)
        await consolidated(service)
        second = await news(service, since=first["until"])
        third = await news(service, since=second["until"])

    assert (first["turns"], second["turns"], third["turns"]) == (1, 1, 0)
    assert "Lyon" in texts(first["learned"])
    assert "Ghent" in texts(second["learned"]) and "Lyon" not in texts(second["learned"])
    assert [one["message"] for one in second["surfaced"]["items"]] == ["Where does my sister live?"]
    assert "Ghent" in second["surfaced"]["items"][0]["memories"][0]["text"]
    assert [(one["what"], one["state"]) for one in second["put_right"]["items"]] == [("pin", "stands")]
    assert second["told"]["count"] >= 1
    assert {third[name]["count"] for name in GROUPS} == {0}


async def test_a_chapter_is_news_when_it_was_told_whenever_its_turns_were(tmp_path):
    """Broken: a chapter is news where it narrates a turn that was accepted since; all chapters are."""
    async with running(tmp_path) as service:
        await told(service, LYON)
        before = await news(service)
        await consolidated(service)
        written = await news(service, since=before["until"])
        await told(service, GHENT)
        await consolidated(service)
        later = await news(service, since=written["until"])
        versions = (await service.http.get("/v1/minds/ada/story/history")).json()["versions"]

    [chapter] = written["told"]["items"]
    assert "Lyon" in chapter["text"]
    assert chapter["told_at"] > before["until"]
    assert (before["told"]["count"], before["told"]["version"]) == (0, None)
    assert "Ghent" in texts(later["told"])
    assert chapter["digest"] not in {one["digest"] for one in later["told"]["items"]}
    assert later["told"]["version"] == versions[-1]["version"]


async def test_a_chapter_of_which_no_time_was_kept_is_news_where_it_tells_new_turns(tmp_path):
    """Broken: such a chapter is always news, or never."""
    async with running(tmp_path) as service:
        before = datetime.now(UTC).isoformat()
        await told(service, LYON)
        await consolidated(service)
        file = service.memory.minds.get("ada").workspace.published
        ledger = json.loads(file.read_text())
        file.write_text(json.dumps({key: one for key, one in ledger.items() if key != "told_at"}))

        found, later = await news(service, since=before), await news(service, since=datetime.now(UTC).isoformat())

    assert ledger["told_at"]
    assert [one["told_at"] for one in found["told"]["items"]] == [None]
    assert later["told"]["count"] == 0


async def test_a_decision_that_was_taken_back_is_told_once_as_it_is_now(tmp_path):
    """Broken: a decision and what took it back are counted apart; only new decisions are."""
    async with running(tmp_path) as service:
        await told(service, LYON, GHENT)
        early = await pinned(service, 1)
        since = (await news(service))["until"]
        late = await pinned(service, 2)
        await service.http.delete(f"/v1/minds/ada/corrections/{early['id']}")
        found = (await news(service, since=since))["put_right"]

    assert found["count"] == 2
    assert [(one["id"], one["state"]) for one in found["items"]] == [(early["id"], "undone"), (late["id"], "stands")]


async def test_what_ended_in_that_time_is_told_last_first(tmp_path):
    """Broken: what will end, or had ended before, is told."""
    now = datetime.now(UTC)
    ends = {"past": -9, "lately": -1, "then": -2, "planned": 9}
    async with running(tmp_path) as service:
        await told(service, LYON)
        mind = service.memory.minds.get("ada")
        [(episode,)] = mind.text.read(lambda database: database.execute("SELECT episode FROM turns").fetchall())
        facts = (
            StoredFact(name, name, "Ada", "Lyon", (episode,), None, now + timedelta(days=days))
            for name, days in ends.items()
        )
        index_knowledge(mind, Extracted(tuple(facts), ()), 0)
        found = (await news(service, since=(now - timedelta(days=5)).isoformat()))["ended"]

    assert found["count"] == 2
    assert [(one["id"], one["state"]) for one in found["items"]] == [("fact:lately", "ended"), ("fact:then", "ended")]


async def test_a_parked_turn_is_told_with_its_words(tmp_path):
    """Broken: turns that were parked before are told."""
    with provider_of(Brain(extraction=lambda _: "I would rather not say.")) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", LYON)
            await service.until("ada", lambda status: status["graph"]["parked"])
            since = datetime.now(UTC).isoformat()
            await service.keep("ada", GHENT)
            await service.until("ada", lambda status: len(status["graph"]["parked"]) == 2)
            found = (await news(service, since=since))["parked"]

    [one] = found["items"]
    assert (found["count"], one["id"], one["text"]) == (1, "episode:2", GHENT)
    assert one["error"] and one["attempts"]


async def test_a_fact_that_was_not_known_yet_is_among_the_next_news(tmp_path):
    """Broken: the next news begin now, although a turn is being read."""
    reads = threading.Event()
    reads.set()

    def slowly(prompt):
        assert reads.wait(GIVE_UP)
        return read_turn(prompt)

    with provider_of(Brain(extraction=slowly)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, "Ann lives in Lyon.")
            reads.clear()
            await service.keep("ada", "Bob lives in Ghent.")
            first = await news(service)
            reads.set()
            await service.digested("ada")
            second = await news(service, since=first["until"])

    assert (first["turns"], second["turns"]) == (2, 1)
    assert texts(first["learned"]) == "Ann lives in Lyon."
    assert texts(second["learned"]) == "Bob lives in Ghent."


async def test_what_a_parked_turn_told_is_news_when_it_is_read_at_last(tmp_path):
    """Broken: facts are told by their turn, so late ones never; or again each time; or after an erasure, too."""
    refuses = threading.Event()
    refuses.set()

    def reluctantly(prompt):
        return "I would rather not say." if refuses.is_set() and "Bob" in between(prompt, "turn") else read_turn(prompt)

    with provider_of(Brain(extraction=reluctantly)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, "Ann lives in Lyon.", "Bob lives in Ghent.", "Eve lives in Porto.")
            first = await news(service)
            refuses.clear()
            answer = await service.http.post("/v1/minds/ada/parked/retry")
            assert answer.is_success, answer.text
            await service.until("ada", lambda status: not status["graph"]["parked"])
            second = await news(service, since=first["until"])
            third = await news(service, since=second["until"])

    assert (first["parked"]["count"], first["learned"]["count"]) == (1, 2)
    assert (texts(second["learned"]), second["learned"]["count"]) == ("Bob lives in Ghent.", 1)
    assert third["learned"]["count"] == 0


async def test_all_are_counted_and_only_the_newest_shown(tmp_path):
    """Broken: what is shown is counted; the oldest is shown."""
    async with running(tmp_path) as service:
        await told(service, LYON, GHENT, PORTO)
        for session_id in ("s7", "s8"):
            await service.resonate("ada", "Where does my mother live?", session_id=session_id)
        for sequence in (1, 2):
            await pinned(service, sequence)
        found = await news(service, limit=1)

    assert {name: len(found[name]["items"]) for name in ("learned", "surfaced", "put_right")} == {
        "learned": 1,
        "surfaced": 1,
        "put_right": 1,
    }
    assert (found["learned"]["count"], found["surfaced"]["count"], found["put_right"]["count"]) == (3, 2, 2)
    assert "Porto" in texts(found["learned"])
    assert found["surfaced"]["items"][0]["session_id"] == "s8"
    assert GHENT in found["put_right"]["items"][0]["target"]["text"]


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ("since=yesterday", "query/since"),
        ("limit=0", "query/limit"),
        ("limit=101", "query/limit"),
        ("until=2026-01-01T00:00:00Z", "query/until"),
    ],
)
async def test_a_bad_question_for_news_is_pointed_at(tmp_path, asked, pointer):
    """Broken: what is not known is passed over."""
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")

        answer = await service.http.get(f"/v1/minds/ada/news?{asked}")

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
