"""ChatGPT's saved memories, in each of the ways in which people get them, become thoughts."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from consolidation.kernel.errors import ImportUnreadable
from consolidation.kernel.turns import Speaker
from service.importing.formats import format_name, read_conversations
from service.importing.results import FoundTurn, Skipped
from tests.support.chatgpt_export import chain, message

ONE = {"id": "m1", "content": "Has a sister in Lyon.", "updated_at": "2026-01-09T18:30:00Z", "enabled": True}
OFF = {"content": "Dislikes figs.", "enabled": False, "created_at": "2026-01-09T18:30:00Z"}


@pytest.mark.parametrize("value", [[ONE, OFF], {"memories": [ONE, OFF], "memory_max_tokens": 100}])
def test_memories_in_json_become_thoughts(tmp_path, value):
    path = tmp_path / "memory.json"
    path.write_text(json.dumps(value))
    found, skipped = list(read_conversations(path))
    (said,) = found.turn.messages
    assert (said.role, said.content, said.id) == (Speaker.THOUGHT, "Has a sister in Lyon.", "m1")
    assert said.timestamp == datetime(2026, 1, 9, 18, 30, tzinfo=UTC)
    assert found.turn.session_id == "chatgpt:memories"
    assert skipped.reason == "a memory that is switched off there"
    assert format_name(path) == "chatgpt_memories"


def test_a_copied_list_is_a_memory_a_line(tmp_path):
    path = tmp_path / "ChatGPT memories.txt"
    path.write_text("# Memories\n\n- Has a sister in Lyon.\n2. Plays the cello\n   \n")
    found = [one.turn.messages[0].content for one in read_conversations(path)]
    assert found == ["Has a sister in Lyon.", "Plays the cello"]
    (tmp_path / "diary.txt").write_text("- Has a sister in Lyon.\n")
    with pytest.raises(ImportUnreadable):
        list(read_conversations(tmp_path / "diary.txt"))


def test_those_of_an_export_come_with_its_conversations(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([chain(message("user", "Hi."))]))
        archive.writestr("memory.json", json.dumps([ONE]))
    found = [one for one in read_conversations(path) if isinstance(one, FoundTurn)]
    assert {one.turn.metadata["source"] for one in found} == {"chatgpt", "chatgpt_memories"}


def test_an_export_that_was_unpacked_is_read_as_its_zip_is(tmp_path):
    rating = {"id": "r1", "conversation_id": "c1", "user_id": "u", "rating": "thumbs_up", "content": "{}"}
    folder = tmp_path / "chatgpt"
    folder.mkdir()
    (folder / "conversations-000.json").write_text(json.dumps([chain(message("user", "Hi."))]))
    (folder / "memory.json").write_text(json.dumps([ONE]))
    (folder / "message_feedback.json").write_text(json.dumps([rating | {"create_time": "2026-01-09T18:30:00Z"}]))
    (folder / "shared.json").write_text(json.dumps([{"id": "x", "content": "Hi.", "create_time": 1.7e9}]))
    (folder / "own.jsonl").write_text(json.dumps({"role": "user", "content": "Hello."}))
    (tmp_path / "other.json").write_text(json.dumps([ONE | {"content": "Plays the cello."}]))

    found = list(read_conversations(tmp_path))

    assert {one.turn.messages[0].content for one in found} == {"Hi.", ONE["content"], "Hello.", "Plays the cello."}
    assert len(found) == 4


def test_a_rating_is_not_a_memory(tmp_path):
    rating = {"id": "r1", "conversation_id": "c1", "rating": "thumbs_up", "content": "{}", "create_time": 1.7e9}
    (tmp_path / "message_feedback.json").write_text(json.dumps([rating]))

    with pytest.raises(ImportUnreadable):
        list(read_conversations(tmp_path))


def test_a_changed_memory_is_a_new_one_and_the_same_is_not(tmp_path):
    ids = []
    for content in ("A", "A", "B"):
        (tmp_path / "memory.json").write_text(json.dumps([ONE | {"content": content}]))
        ids += [one.turn.turn_id for one in read_conversations(tmp_path / "memory.json")]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize("value", [[{"content": 5, "enabled": True}], {"memories": []}, {"memories": ["text"]}])
def test_what_is_no_memory_is_unreadable(tmp_path, value):
    (tmp_path / "memory.json").write_text(json.dumps(value))
    with pytest.raises(ImportUnreadable):
        list(read_conversations(tmp_path / "memory.json"))


def test_a_memory_without_words_is_skipped(tmp_path):
    (tmp_path / "memory.json").write_text(json.dumps([ONE, ONE | {"content": " "}]))
    assert isinstance(list(read_conversations(tmp_path / "memory.json"))[1], Skipped)


LINE = {"content": "I am allergic to peanuts.", "timestamp": "2026-01-09T18:30:00Z"}


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        LINE | {"sender": "Ann"},
        {"id": 1, "author": "Ann", "content": "Hi.", "created_at": "2026-01-09T18:30:00Z"},
        {"from": "Ann", "content": "Hi.", "updated_at": "2026-01-09T18:30:00Z"},
    ],
)
def test_a_line_of_a_chat_is_not_a_memory_and_is_refused_in_words(tmp_path, line):
    (tmp_path / "chat.jsonl").write_text(json.dumps(line))

    with pytest.raises(ImportUnreadable, match="a message without a role, which says who spoke"):
        list(read_conversations(tmp_path / "chat.jsonl"))
