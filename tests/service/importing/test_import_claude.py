"""Claude.ai's export: what was said on the branch last seen, as turns; trees of any shape end."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import TurnKind
from service.importing.formats import format_name, read_conversations
from service.importing.results import FoundTurn, Skipped

NOON = "2026-02-14T12:00:00.000000Z"


def message(sender, *texts, at=NOON, uuid="m", **more):
    content = [{"type": "text", "text": text} for text in texts]
    return {"uuid": uuid, "sender": sender, "text": " ".join(texts), "content": content, "created_at": at, **more}


def conversation(*messages, **more):
    listed = [{**each, "uuid": f"m{at}"} if each["uuid"] == "m" else each for at, each in enumerate(messages, start=1)]
    return {"uuid": "c1", "name": "Tea", "created_at": NOON, "chat_messages": listed, "account": {"uuid": "a"}, **more}


def read(tmp_path, *conversations, only=None):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(list(conversations)))
    found = list(read_conversations(path, only=only))
    return [each.turn for each in found if isinstance(each, FoundTurn)], [e for e in found if isinstance(e, Skipped)]


def spoken(turns):
    return [[(m.role.value, m.content) for m in turn.messages] for turn in turns]


def test_a_conversation_becomes_turns_of_question_and_answers(tmp_path):
    turns, skipped = read(
        tmp_path, conversation(message("human", "q1"), message("assistant", "a1"), message("human", "q2"))
    )

    assert spoken(turns) == [[("user", "q1"), ("assistant", "a1")], [("user", "q2")]]
    assert [turn.turn_id for turn in turns] == ["claude:c1:m1", "claude:c1:m3"]
    assert {(turn.session_id, turn.kind) for turn in turns} == {("claude:c1", TurnKind.IMPORT)}
    assert turns[0].metadata == {"title": "Tea", "source": "claude"}
    assert turns[0].messages[0].timestamp == datetime(2026, 2, 14, 12, tzinfo=UTC)
    assert skipped == []


def test_thinking_tools_and_the_contents_of_files_were_not_said(tmp_path):
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "name": "web_search", "input": {"query": "x"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "a page"}]},
        {"type": "text", "text": "Found it."},
    ]
    attached = {"file_name": "lease.pdf", "extracted_content": "All of the lease."}
    asked = message(
        "human", "Look.", attachments=[attached], files=[{"file_name": "lease.pdf"}, {"file_name": "map.png"}]
    )

    turns, _ = read(tmp_path, conversation(asked, {**message("assistant"), "content": blocks}))

    assert spoken(turns) == [
        [("user", "Look.\n[file: lease.pdf]\n[file: map.png]"), ("assistant", "I look.\nFound it.")]
    ]


def test_an_older_export_has_the_text_alone(tmp_path):
    old = {**message("human", "hello"), "content": []}
    tool = {**message("assistant"), "content": [], "text": "This block is not supported on your current device yet."}

    turns, _ = read(tmp_path, conversation(old, tool))

    assert spoken(turns) == [[("user", "hello")]]


def test_only_the_branch_last_seen_is_read(tmp_path):
    said = [
        message("human", "q", uuid="a", parent_message_uuid="00000000-0000-4000-8000-000000000000"),
        message("assistant", "first try", uuid="b", parent_message_uuid="a"),
        message("assistant", "second try", uuid="c", parent_message_uuid="a"),
    ]

    last, _ = read(tmp_path, conversation(*said))
    chosen, _ = read(tmp_path, conversation(*said, current_leaf_message_uuid="b"))

    assert spoken(last) == [[("user", "q"), ("assistant", "second try")]]
    assert spoken(chosen) == [[("user", "q"), ("assistant", "first try")]]


def test_parents_in_a_circle_end(tmp_path):
    said = [
        message("human", "q", uuid="a", parent_message_uuid="b"),
        message("assistant", "r", uuid="b", parent_message_uuid="a"),
    ]

    turns, _ = read(tmp_path, conversation(*said))

    assert spoken(turns) == [[("user", "q"), ("assistant", "r")]]


@pytest.mark.parametrize("messages", [None, "x", [], [None, 5, {}], [message("tool", "x")], [message("human")]])
def test_a_conversation_without_words_is_skipped(tmp_path, messages):
    turns, skipped = read(tmp_path, {**conversation(), "chat_messages": messages}, conversation(message("human", "q")))

    assert len(turns) == 1
    assert [one.reason for one in skipped] == ["a conversation without any message"]


def test_a_message_without_a_time_has_that_of_the_one_before(tmp_path):
    turns, _ = read(tmp_path, conversation(message("human", "q", at=None), message("assistant", "a", at="soon")))

    assert {one.timestamp for one in turns[0].messages} == {datetime(2026, 2, 14, 12, tzinfo=UTC)}


def test_only_one_conversation(tmp_path):
    both = (conversation(message("human", "q1")), {**conversation(message("human", "q2")), "uuid": "c2"})

    turns, _ = read(tmp_path, *both, only="c2")

    assert spoken(turns) == [[("user", "q2")]]


def test_the_zip_is_read_as_it_comes(tmp_path):
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("memories.json", '[{"conversations_memory": "x"}]')
        archive.writestr("conversations.json", json.dumps([conversation(message("human", "q"))]))

    assert format_name(path) == "claude"
    assert [type(each) for each in read_conversations(path)] == [FoundTurn]


def test_the_same_export_gives_the_same_ids(tmp_path):
    once, _ = read(tmp_path, conversation(message("human", "q"), uuid=None))
    again, _ = read(tmp_path, conversation(message("human", "q"), uuid=None))

    assert [turn.turn_id for turn in once] == [turn.turn_id for turn in again]
