"""Memories saved on purpose: durable, once, with an importance; recalled like what was said, gone when erased."""

import json

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

TRAINS = "Ada prefers trains to planes when she travels to Lisbon."


async def save(service, *memories, status=202, mind="ada", **more):
    answer = await service.http.post(f"/v1/minds/{mind}/memories", json={"memories": [*memories], **more})
    assert answer.status_code == status, answer.text
    return answer.json()


def lines_of(home, mind="ada"):
    files = sorted((home / "minds" / mind / "transcript").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


async def test_a_memory_is_a_thought_on_disk_with_its_importance_and_its_time(tmp_path):
    async with running(tmp_path / "home") as service:
        told = {"id": "n1", "text": TRAINS, "importance": 0.8, "occurred_at": "2026-01-05T12:00:00Z"}

        found = await save(service, told, {"text": "Ada has a cat."}, session_id="chat-1")

        first, second = lines_of(tmp_path / "home")
        assert [one["turn_id"] for one in found["memories"]] == ["n1", second["turn_id"]]
        assert found["dropped"] == []
        assert (first["kind"], first["session_id"], first["sequence"]) == ("memory", "chat-1", 1)
        assert first["messages"] == [{"role": "thought", "content": TRAINS, "timestamp": "2026-01-05T12:00:00Z"}]
        assert first["metadata"] == {"mind_memory.importance": 0.8}
        mind = await service.memory.minds.find("ada")
        assert [one.importance for one in await mind.transcript.read_many((1, 2))] == [0.8, 0.5]


async def test_what_the_bot_notes_makes_nobody_called_thought(tmp_path):
    """Broken: the role of a message is an entity, and comes back as a memory that says "thought"."""
    async with running(tmp_path / "home") as service:
        await save(service, {"text": "I prefer tea to coffee."})
        await service.digested("ada")
        listed = (await service.http.get("/v1/minds/ada/entities")).json()["items"]
        asked = {"query": "thought", "kinds": "entity"}
        found = (await service.http.get("/v1/minds/ada/remember", params=asked)).json()["memories"]

    assert (listed, found) == ([], [])


@pytest.mark.parametrize("mark", ["#offtherecord", "[Off the record]", "entre nous"])
async def test_a_memory_off_the_record_is_not_stored_and_says_so(tmp_path, mark):
    """Broken: the marker was looked for in a user's message alone, and the memory surfaced."""
    async with running(tmp_path / "home") as service:
        own = {"never_keep": ["entre nous"]}
        await save(service, {"text": "Ada has a cat."})
        anything = {"If-Match": "*"}
        (await service.http.patch("/v1/minds/ada/settings", json=own, headers=anything)).raise_for_status()
        found = await save(service, {"text": f"Ada is pregnant. {mark}"}, {"text": TRAINS})
        kept = lines_of(tmp_path / "home")

    assert found["dropped"] == [{"index": 0, "reason": "off_the_record"}]
    assert [one["messages"][0]["content"] for one in kept] == ["Ada has a cat.", TRAINS]


async def test_what_is_not_worth_it_or_empty_is_dropped_and_says_why(tmp_path):
    async with running(tmp_path / "home") as service:
        found = await save(
            service,
            {"text": "She said hello.", "importance": 0.05},
            {"text": TRAINS, "importance": 0.1},
            {"text": " \n"},
            {"text": "Her card is 4111 1111 1111 1111."},
        )

        assert [one["index"] for one in found["memories"]] == [1, 3]
        assert found["dropped"] == [
            {"index": 0, "reason": "below the write threshold"},
            {"index": 2, "reason": "empty"},
            {"index": 3, "reason": "secret: card number"},
        ]
        assert len(lines_of(tmp_path / "home")) == 2
        assert "4111" not in json.dumps(lines_of(tmp_path / "home"))
        figures = await service.figures()
        assert figures["mind_memory_saved_memories_total", ("outcome", "saved")] == 2
        assert figures["mind_memory_saved_memories_total", ("outcome", "dropped")] == 2


async def test_a_mind_of_which_nothing_is_worth_it_is_not_made(tmp_path):
    async with running(tmp_path / "home") as service:
        assert (await save(service, {"text": TRAINS, "importance": 0}))["memories"] == []
        assert not (tmp_path / "home" / "minds" / "ada").exists()


async def test_a_memory_is_saved_once_under_its_id_and_nothing_by_half(tmp_path):
    async with running(tmp_path / "home") as service:
        first = await save(service, {"id": "n1", "text": TRAINS})
        again = await save(service, {"id": "n1", "text": TRAINS}, {"id": "n2", "text": "Ada has a cat."})

        assert [one["duplicate"] for one in again["memories"]] == [True, False]
        assert again["memories"][0]["sequence"] == first["memories"][0]["sequence"]

        conflict = await save(
            service, {"id": "n3", "text": "Ada sails."}, {"id": "n1", "text": "Something else."}, status=409
        )
        assert conflict["type"] == "/problems/turn-conflict"
        twice = await save(service, {"id": "n4", "text": "One."}, {"id": "n4", "text": "Two."}, status=422)
        assert twice["errors"][0]["pointer"] == "#/memories/1/id"
        assert len(lines_of(tmp_path / "home")) == 2


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"importance": 1.1}, "#/memories/1/importance"),
        ({"importance": -0.1}, "#/memories/1/importance"),
        ({"importance": "high"}, "#/memories/1/importance"),
        ({"importance": None}, "#/memories/1/importance"),
        ({"text": ""}, "#/memories/1/text"),
        ({"text": "x" * 4_001}, "#/memories/1/text"),
        ({"text": "a\x00b"}, "#/memories/1/text"),
        ({"occurred_at": "2199-01-01T00:00:00Z"}, "#/memories/1/occurred_at"),
        ({"occurred_at": "yesterday"}, "#/memories/1/occurred_at"),
        ({"id": ""}, "#/memories/1/id"),
        ({"weight": 1}, "#/memories/1/weight"),
    ],
)
async def test_one_wrong_memory_keeps_all_of_them_out(tmp_path, wrong, pointer):
    async with running(tmp_path / "home") as service:
        problem = await save(service, {"text": TRAINS}, {"text": "Ada sails.", **wrong}, status=422)

        assert [one["pointer"] for one in problem["errors"]] == [pointer]
        assert not (tmp_path / "home" / "minds" / "ada").exists()


async def test_it_surfaces_and_is_remembered_as_what_the_bot_noted(tmp_path):
    async with running(tmp_path / "home") as service:
        await save(service, {"text": TRAINS, "importance": 0.9, "occurred_at": "2026-01-05T12:00:00Z"})
        await service.digested("ada")

        surfaced = (await service.resonate("ada", "How does Ada like to travel to Lisbon?")).json()
        remembered = await service.http.get("/v1/minds/ada/remember", params={"query": "trains to Lisbon"})

        assert f"I noted: {TRAINS}" in surfaced["block"]
        assert any(one["text"] == f"I noted: {TRAINS}" for one in remembered.json()["memories"])


async def test_a_saved_memory_does_not_come_between_a_question_and_its_answer(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "I am back.", "Where did you spend the winter?")
        await save(service, {"text": "Ada came back today from a long trip."}, session_id="s1")
        await service.keep("ada", "In Lisbon.")
        await service.digested("ada")
        mind = await service.memory.minds.find("ada")

        memory, answer = await mind.transcript.read_many((2, 3))

        assert [turn.sequence for turn in await mind.turns_before(answer, limit=1)] == [1]
        assert await mind.turns_before(memory, limit=2) == ()


async def test_erased_exported_and_rebuilt_it_is_as_any_turn(tmp_path):
    async with running(tmp_path / "home") as service:
        await save(service, {"id": "gone", "text": "Zerlina keeps rubies."}, {"id": "stays", "text": TRAINS})
        await service.digested("ada")
        assert (await service.http.delete("/v1/minds/ada/turns/gone")).status_code == 200
        assert (await service.http.post("/v1/minds/ada/rebuild")).status_code == 202
        await service.digested("ada")
        archive = (await service.http.get("/v1/minds/ada/export")).content
        headers = {"Content-Type": "application/zip"}
        imported = await service.http.post("/v1/minds/bob/import", content=archive, headers=headers)
        assert imported.status_code == 201, imported.text
        await service.digested("bob")

        again = await save(service, {"id": "gone", "text": "Zerlina keeps rubies."}, status=410)

        assert again["type"] == "/problems/turn-erased"
        found = (await service.http.get("/v1/minds/bob/remember", params={"query": "trains to Lisbon"})).json()
        assert f"I noted: {TRAINS}" in [one["text"] for one in found["memories"]]
        assert "Zerlina" not in json.dumps(lines_of(tmp_path / "home", "bob"))
