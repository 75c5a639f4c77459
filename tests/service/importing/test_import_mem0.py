"""Memories of mem0 and OpenMemory, in each of the shapes they are exported in, become thoughts with their times."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import Speaker, TurnKind
from service.importing.formats import format_name, read_conversations
from service.importing.results import FoundTurn, Skipped

MEM0 = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "Ada plays cricket on Fridays.",
    "hash": "x",
    "metadata": {"topic": "sport"},
    "categories": ["hobbies"],
    "created_at": "2026-01-02T10:00:00-07:00",
    "updated_at": None,
    "user_id": "ada",
}
OPEN_MEMORY = {
    "id": "0c1d",
    "user_id": "u1",
    "content": "Ada moved to Lyon.",
    "metadata": None,
    "state": "active",
    "created_at": "2026-01-02T10:00:00+00:00",
    "updated_at": "2026-03-04T10:00:00+00:00",
    "category_ids": [],
}


def read(path, text, *, only=None):
    path.write_text(text)
    return list(read_conversations(path, only=only))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("all.json", json.dumps({"results": [MEM0]})),
        ("all.json", json.dumps([MEM0])),
        ("all.jsonl", json.dumps(MEM0) + "\n"),
    ],
)
def test_what_get_all_answers_becomes_thoughts(tmp_path, name, written):
    (found,) = read(tmp_path / name, written)

    (said,) = found.turn.messages
    assert (said.role, said.content, said.id) == (Speaker.THOUGHT, "Ada plays cricket on Fridays.", MEM0["id"])
    assert said.timestamp == datetime(2026, 1, 2, 17, tzinfo=UTC)
    assert (found.turn.session_id, found.turn.kind) == ("mem0:ada", TurnKind.IMPORT)
    assert found.turn.metadata == {"topic": "sport", "source": "mem0", "categories": ["hobbies"]}


def test_the_backup_of_openmemory_is_read_as_it_comes(tmp_path):
    path = tmp_path / "memories_export_ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("memories.json", json.dumps({"user": {"id": "u1"}, "memories": [OPEN_MEMORY]}))
        archive.writestr("memories.jsonl.gz", b"")

    (found,) = read_conversations(path)

    assert format_name(path) == "mem0"
    assert found.turn.messages[0].content == "Ada moved to Lyon."
    assert found.turn.messages[0].timestamp == datetime(2026, 3, 4, 10, tzinfo=UTC)


@pytest.mark.parametrize("state", ["deleted", "archived", "paused"])
def test_what_is_not_active_there_is_skipped_with_its_reason(tmp_path, state):
    found = read(tmp_path / "m.json", json.dumps({"memories": [OPEN_MEMORY, {**OPEN_MEMORY, "state": state}]}))

    assert [type(each) for each in found] == [FoundTurn, Skipped]
    assert found[1].reason == f"a memory that is {state} there"


def test_a_memory_that_was_changed_is_another_turn_and_the_same_one_is_not(tmp_path):
    changed = {**MEM0, "memory": "Ada plays chess on Fridays.", "updated_at": "2026-05-01T00:00:00Z"}

    first, again, after = (read(tmp_path / "m.json", json.dumps([one]))[0].turn for one in (MEM0, MEM0, changed))

    assert first.turn_id == again.turn_id != after.turn_id


@pytest.mark.parametrize("broken", [None, 5, "x", {}, {"id": "a", "memory": " "}, {"id": "a", "memory": 5}])
def test_what_is_no_sentence_is_skipped_and_stops_nothing(tmp_path, broken):
    found = read(tmp_path / "m.json", json.dumps({"results": [MEM0, broken, MEM0]}))

    assert [type(each) for each in found] == [FoundTurn, Skipped, FoundTurn]


def test_only_those_of_one_owner(tmp_path):
    found = read(tmp_path / "m.json", json.dumps([MEM0, {**MEM0, "user_id": "bob"}]), only="mem0:bob")

    assert [each.turn.session_id for each in found] == ["mem0:bob"]


def test_a_message_of_ours_is_not_taken_for_a_memory(tmp_path):
    line = {"id": "m1", "role": "user", "content": "hello", "state": "active", "session_id": "s"}

    assert read(tmp_path / "own.jsonl", json.dumps(line))[0].turn.session_id == "s"
    assert format_name(tmp_path / "own.jsonl") == "jsonl"


def test_a_memory_that_expires_says_until_when_it_holds(tmp_path):
    """Broken: it held for ever."""
    ends = [MEM0 | {"expiration_date": one} for one in ("2026-03-04", "2026-03-04T10:00:00Z", None, "soon")]

    *found, end = sorted(read(tmp_path / "m.json", json.dumps(ends)), key=lambda one: isinstance(one, Skipped))
    words = [one.turn.messages[0].content for one in found]

    assert words[:2] == ["Ada plays cricket on Fridays. (This holds until 2026-03-04.)"] * 2
    assert words[2:] == ["Ada plays cricket on Fridays."] * 2
    assert end.value == "soon" and end.reason.endswith("when the memory ends is not known")


def test_relations_are_left_out_with_a_word(tmp_path):
    relations = [{"source": "ada", "relationship": "plays", "target": "cricket"}]

    skipped, found = read(tmp_path / "m.json", json.dumps({"results": [MEM0], "relations": relations}))

    assert found.turn.messages[0].content == MEM0["memory"]
    assert skipped.where.endswith("#/relations") and skipped.reason.startswith("relations of entities")
