"""Only some turns count: by session, speaker, kind and the caller's own metadata, for recall on purpose and before a turn."""

import json
import sqlite3

import pytest

from mind_memory_client import AsyncMemoryClient
from service.index.turn_fields import TurnFilter, fields_of
from tests.support.fragments import NOON
from tests.support.service import running

pytestmark = pytest.mark.anyio

BLUE = "The Apollo launch is planned in Lisbon."
RED = "The Gemini launch is planned in Oslo."
ASKS = "Where is the launch planned?"


async def two_projects(service):
    """A mind of two projects, told by two people in two sessions."""
    ada = {"role": "user", "name": "Ada", "content": BLUE}
    bob = {"role": "user", "name": "Bob", "content": RED}
    await service.keep("team", ada, session_id="s-apollo", metadata={"project": "apollo", "tags": ["a", "b"], "n": 1})
    more = {"project": "gemini", "order": {"city": "Oslo"}, "n": 2.0}
    await service.keep("team", bob, session_id="s-gemini", metadata=more, kind="import")
    await service.digested("team")


async def remembered(service, **asked):
    query = {key: json.dumps(value) if key == "metadata" else value for key, value in asked.items()}
    answer = await service.http.get("/v1/minds/team/remember", params={"query": ASKS, **query})
    assert answer.status_code == 200, answer.text
    return answer.json()["memories"]


def projects_in(memories):
    """Which of the two launches the memories tell of, in their words and in their sources."""
    words = json.dumps(memories)
    return {name for name in ("Apollo", "Gemini") if name in words}


CHOICES = [
    ({"session_ids": ["s-apollo"]}, {"Apollo"}),
    ({"session_ids": ["s-gemini", "s-none"]}, {"Gemini"}),
    ({"speakers": ["ada"]}, {"Apollo"}),
    ({"speakers": ["BOB"]}, {"Gemini"}),
    ({"speakers": ["user"]}, {"Apollo", "Gemini"}),
    ({"turn_kinds": ["import"]}, {"Gemini"}),
    ({"metadata": {"project": "apollo"}}, {"Apollo"}),
    ({"metadata": {"project": ["apollo", "gemini"]}}, {"Apollo", "Gemini"}),
    ({"metadata": {"tags": "b"}}, {"Apollo"}),
    ({"metadata": {"order.city": "Oslo"}}, {"Gemini"}),
    ({"metadata": {"n": 2}}, {"Gemini"}),
    ({"metadata": {"n": "2"}}, set()),
    ({"metadata": {"project": "gemini"}, "speakers": ["Ada"]}, set()),
    ({"session_ids": ["s-none"]}, set()),
]


async def test_each_part_of_a_filter_chooses_turns_for_both_calls(tmp_path):
    async with running(tmp_path) as service:
        await two_projects(service)
        assert projects_in(await remembered(service)) == {"Apollo", "Gemini"}

        for at, (asked, expected) in enumerate(CHOICES):
            assert projects_in(await remembered(service, **asked)) == expected, asked
            found = (await service.resonate("team", ASKS, session_id=f"now-{at}", filter=asked, relevance=0)).json()
            assert projects_in([found["flashbacks"], found["block"]]) == expected, asked
            trace = (await service.http.get(f"/v1/minds/team/traces/{found['trace_id']}")).json()
            assert projects_in(trace["phases"]["retrieval"]["candidates"]) == expected, asked
            assert trace["phases"]["retrieval"]["turns"], asked


async def test_what_rests_on_other_turns_too_shows_only_the_sources_that_count(tmp_path):
    async with running(tmp_path) as service:
        for session in ("s1", "s2"):
            await service.keep("team", f"Our office is in Porto. This is {session}.", session_id=session)
        await service.keep("team", "Marta leads the Porto office.", session_id="s2")
        await service.digested("team")
        (tmp_path / "minds" / "team" / "MEMORY.md").write_text("The office in Porto has a red door.\n")

        found = await remembered(service, query="office in Porto", session_ids=["s1"])
        surfaced = (await service.resonate("team", "Where is the office?", filter={"session_ids": ["s1"]})).json()

        sources = [one for memory in (*found, *surfaced["flashbacks"]) for one in memory["sources"]]
        assert sources
        assert {one["session_id"] for one in sources} == {"s1"}
        assert "entity" not in {memory["kind"] for memory in found}  # Porto is told of in both
        assert "red door" not in json.dumps(surfaced)
        assert "red door" in json.dumps(
            (await service.resonate("team", "Which colour has the door of the office?")).json()
        )


async def test_a_rare_turn_is_found_in_a_mind_that_says_the_same_all_the_time(tmp_path):
    async with running(tmp_path) as service:
        for start in range(0, 300, 100):
            turns = [
                {
                    "turn_id": f"t{number}",
                    "session_id": f"s{number}",
                    "messages": [{"role": "user", "content": f"The launch is planned in town number {number}."}],
                }
                for number in range(start, start + 100)
            ]
            await service.http.post("/v1/minds/team/turns/batch", json={"turns": turns})
        await service.digested("team")

        found = await remembered(service, session_ids=["s137"])

        assert found
        assert {one["session_id"] for memory in found for one in memory["sources"]} == {"s137"}


async def test_what_a_person_said_counts_with_the_turns_that_it_puts_right(tmp_path):
    async with running(tmp_path) as service:
        await two_projects(service)
        (fact, *_) = await remembered(service, session_ids=["s-apollo"], kinds=["fact"])
        body = {"what": "edit", "target": {"kind": "fact", "id": fact["id"]}, "to": "The Apollo launch is in Faro."}
        assert (await service.http.post("/v1/minds/team/corrections", json=body)).status_code == 201
        body = {"what": "say", "to": "The launch of both is planned for May.", "target": {"kind": "fact"}}
        assert (await service.http.post("/v1/minds/team/corrections", json=body)).status_code == 201

        ours, theirs = [
            (await service.resonate("team", ASKS, filter={"session_ids": [session]}, relevance=0)).json()["block"]
            for session in ("s-apollo", "s-gemini")
        ]

        assert "Faro" in ours
        assert "Faro" not in theirs
        assert "May" not in ours + theirs


async def test_a_turn_that_is_erased_is_chosen_no_more(tmp_path):
    async with running(tmp_path) as service:
        await two_projects(service)
        assert (await service.http.delete("/v1/minds/team/sessions/s-apollo")).status_code == 200

    database = sqlite3.connect(next((tmp_path / "minds" / "team").rglob("*text*.sqlite3")))
    rows = json.dumps(database.execute("SELECT DISTINCT value FROM turn_fields").fetchall())
    database.close()

    assert "apollo" not in rows
    assert "gemini" in rows


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"session_ids": []}, "#/filter/session_ids"),
        ({"speakers": [7]}, "#/filter/speakers/0"),
        ({"turn_kinds": ["probe"]}, "#/filter/turn_kinds/0"),
        ({"metadata": {}}, "#/filter/metadata"),
        ({"metadata": {"a": None}}, "#/filter/metadata/a"),
        ({"metadata": {"a": {"b": 1}}}, "#/filter/metadata/a"),
        ({"sessions": ["s1"]}, "#/filter/sessions"),
    ],
)
async def test_a_filter_that_is_not_valid_says_where(tmp_path, asked, pointer):
    async with running(tmp_path) as service:
        answer = await service.resonate("team", ASKS, filter=asked)

        assert answer.status_code == 422
        assert any(one["pointer"].startswith(pointer) for one in answer.json()["errors"])


@pytest.mark.parametrize("metadata", ["apollo", "[1]", '{"a": null}', "{}", '{"a": NaN}', "[" * 3000])
async def test_metadata_in_an_address_must_be_an_object_of_values(tmp_path, metadata):
    async with running(tmp_path) as service:
        await two_projects(service)
        answer = await service.http.get("/v1/minds/team/remember", params={"query": "x", "metadata": metadata})

        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == "query/metadata"


async def test_the_client_sends_filters(tmp_path):
    async with running(tmp_path) as service:
        await two_projects(service)
        memory = AsyncMemoryClient("http://localhost", http=service.http)

        found = await memory.remember("team", ASKS, metadata={"project": ["apollo"], "n": 1}, speakers=["Ada"])
        async with memory.turn("team", "s9", ASKS, filter={"metadata": {"project": "gemini"}}) as turn:
            turn.answer("In Oslo.")

        assert projects_in([one.text for one in found.memories]) == {"Apollo"}
        assert "Oslo" in turn.block
        assert "Lisbon" not in turn.block


def test_the_fields_of_a_turn_are_bounded_and_told_apart_by_type():
    from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn

    metadata = {"n": 1, "f": 1.0, "t": True, "s": "1", "none": None, "long": "x" * 501, "many": list(range(100))}
    message = Message(Speaker.USER, "Hi", name="Ada")
    rows = fields_of(StoredTurn(1, NOON, Turn("t1", "s1", (message,), metadata=metadata)))

    assert rows[:4] == (("session", "s1"), ("kind", "turn"), ("speaker", "ada"), ("speaker", "user"))
    own = dict(rows[4:8])
    assert own == {"metadata.n": "1", "metadata.f": "1", "metadata.t": "true", "metadata.s": '"1"'}
    assert len(rows) == 4 + 64
    assert not TurnFilter()


async def test_a_speaker_who_has_two_names_by_a_merge_is_found_under_both(tmp_path):
    """Broken: only turns under the very spelling that was asked for count."""
    async with running(tmp_path) as service:
        told = (("Ann", BLUE), ("Annie", RED), ("Bob", "The Mercury launch is planned in Rome."))
        for name, text in told:
            await service.keep("team", {"role": "user", "name": name, "content": text}, session_id=f"s-{name}")
        await service.digested("team")
        before = [projects_in(await remembered(service, speakers=name)) for name in ("Ann", "annie")]
        body = {"what": "merge", "target": {"kind": "entity", "text": "Annie"}, "to": "Ann"}
        assert (await service.http.post("/v1/minds/team/corrections", json=body)).status_code == 201
        after = [await remembered(service, speakers=name) for name in ("Ann", "annie", "ANN")]
        asked = {"filter": {"speakers": ["Annie"]}}
        surfaced = (await service.resonate("team", ASKS, session_id="new", **asked)).json()["flashbacks"]
        bobs = await remembered(service, speakers="Bob")

    assert before == [{"Apollo"}, {"Gemini"}]
    assert [projects_in(found) for found in after] == [{"Apollo", "Gemini"}] * 3
    assert projects_in(surfaced) == {"Apollo", "Gemini"} and "Mercury" not in json.dumps((after, surfaced))
    assert projects_in(bobs) == set() and "Mercury" in json.dumps(bobs)
