"""ChatGPT's export: the branch last seen, as turns; trees of any shape end."""

import json
import zipfile
from datetime import datetime, timedelta

import pytest

from consolidation.kernel.errors import ImportUnreadable
from consolidation.kernel.turns import Speaker, TurnKind
from service.importing.formats import read_conversations
from service.importing.oldest_first import OldestFirst
from service.importing.results import FoundTurn, Skipped
from tests.support.chatgpt_export import BEGAN, NOON, chain, message

MINUTE = timedelta(minutes=1)


def read(tmp_path, *conversations, only=None):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(list(conversations)))
    found = list(read_conversations(path, only=only))
    return [each.turn for each in found if isinstance(each, FoundTurn)], [e for e in found if isinstance(e, Skipped)]


def spoken(turns):
    return [[(m.role.value, m.content) for m in turn.messages] for turn in turns]


def test_a_conversation_becomes_turns_of_question_and_answers(tmp_path):
    turns, skipped = read(tmp_path, chain(message("user", "q1"), message("assistant", "a1"), message("user", "q2")))

    assert spoken(turns) == [[("user", "q1"), ("assistant", "a1")], [("user", "q2")]]
    assert [turn.turn_id for turn in turns] == ["chatgpt:c1:n1", "chatgpt:c1:n3"]
    assert {turn.session_id for turn in turns} == {"chatgpt:c1"}
    assert {turn.kind for turn in turns} == {TurnKind.IMPORT}
    assert turns[0].metadata == {"title": "Tea", "source": "chatgpt"}
    assert turns[0].messages[0].timestamp == NOON
    assert skipped == []


def test_only_the_branch_last_seen_is_read(tmp_path):
    conversation = chain(message("user", "q"), message("assistant", "second try"))
    conversation["mapping"]["other"] = {"message": message("assistant", "first try"), "parent": "n1", "children": []}

    turns, _ = read(tmp_path, conversation)

    assert spoken(turns) == [[("user", "q"), ("assistant", "second try")]]


def test_a_lost_current_node_is_the_leaf_said_last(tmp_path):
    conversation = chain(message("user", "q"), message("assistant", "late", at=NOON.timestamp() + 9))
    conversation["mapping"]["other"] = {"message": message("assistant", "early"), "parent": "n1", "children": []}

    turns, _ = read(tmp_path, {**conversation, "current_node": "gone"})

    assert spoken(turns) == [[("user", "q"), ("assistant", "late")]]


@pytest.mark.parametrize(
    "unsaid",
    [
        message("system", "be kind"),
        message("user", "about me", metadata={"is_visually_hidden_from_conversation": True}),
        message("assistant", ""),
        message("assistant"),
        message("assistant", None, {"content_type": "audio_asset_pointer"}, {"text": None}),
        message("assistant", content={"content_type": "thoughts", "thoughts": []}),
        message("user", content={"content_type": "user_editable_context", "text": "x"}),
        message("tool", content={"content_type": "tether_browsing_display", "result": "x"}),
        message("tool", "a page", author={"role": "tool", "name": "browser"}),
        message("assistant", content={"content_type": "code", "text": "search('x')"}, recipient="web.run"),
        message("critic", "x"),
        message(["user"], "x"),
        message("user", "x", content=None),
        message("user", "x", author=None),
    ],
)
def test_what_nobody_said_is_dropped(tmp_path, unsaid):
    turns, _ = read(tmp_path, chain(message("user", "q"), unsaid, message("assistant", "a")))

    assert spoken(turns) == [[("user", "q"), ("assistant", "a")]]


def test_images_leave_a_mark_and_spoken_words_their_text(tmp_path):
    parts = ["look", {"content_type": "image_asset_pointer"}, {"content_type": "audio_transcription", "text": "said"}]
    image = message("user", content={"content_type": "multimodal_text", "parts": parts})

    turns, _ = read(tmp_path, chain(image))

    assert spoken(turns) == [[("user", "look\n[image]\nsaid")]]


def test_code_and_its_output_belong_to_the_tool(tmp_path):
    code = message("assistant", content={"content_type": "code", "text": "1+1"}, recipient="python")
    output = message(
        "tool", content={"content_type": "execution_output", "text": "2"}, author={"role": "tool", "name": "python"}
    )

    (turn,), _ = read(tmp_path, chain(message("user", "q"), code, output))

    assert [(m.role, m.content, m.name) for m in turn.messages[1:]] == [
        (Speaker.TOOL, "1+1", "python"),
        (Speaker.TOOL, "2", "python"),
    ]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((None, NOON + MINUTE, None), (NOON + MINUTE,) * 3),
        ((NOON, None, NOON + MINUTE), (NOON, NOON, NOON + MINUTE)),
        ((None, None, None), (BEGAN,) * 3),
        ((float("nan"), "x", []), (BEGAN,) * 3),
    ],
)
def test_a_missing_time_is_the_neighbours_or_the_conversations(tmp_path, times, expected):
    turns, _ = read(tmp_path, chain(*(message("user", "q", at=_epoch(at)) for at in times)))

    assert tuple(turn.messages[0].timestamp for turn in turns) == expected


def _epoch(at):
    return at.timestamp() if isinstance(at, datetime) else at


def test_without_any_time_there_is_none(tmp_path):
    (turn,), _ = read(tmp_path, chain(message("user", "q", at=None), create_time=None))

    assert turn.messages[0].timestamp is None


def test_a_cycle_ends_where_it_closes(tmp_path):
    conversation = chain(message("user", "q"), message("assistant", "a"))
    conversation["mapping"]["n0"]["parent"] = "n2"

    turns, _ = read(tmp_path, conversation)

    assert spoken(turns) == [[("user", "q"), ("assistant", "a")]]


def test_a_node_that_is_its_own_parent_ends(tmp_path):
    mapping = {"x": {"message": message("user", "q"), "parent": "x", "children": ["x"]}}

    turns, _ = read(tmp_path, {"id": "c", "mapping": mapping})

    assert [turn.turn_id for turn in turns] == ["chatgpt:c:x"]


@pytest.mark.parametrize("mapping", [None, {}, [], "x", {"a": None}, {"a": {"message": {"content": {"parts": 3}}}}])
def test_a_conversation_without_words_is_skipped(tmp_path, mapping):
    turns, skipped = read(tmp_path, {"id": "c", "mapping": mapping, "current_node": {}}, chain(message("user", "q")))

    assert len(turns) == len(skipped) == 1
    assert skipped[0].where.endswith("conversations.json[0]")


def test_a_conversation_without_an_id_gets_a_stable_one(tmp_path):
    nameless = chain(message("user", "q"), conversation_id=None)

    (first,), _ = read(tmp_path, nameless)
    (again,), _ = read(tmp_path, nameless)

    assert first.turn_id == again.turn_id
    assert first.session_id.startswith("chatgpt:")


def test_a_deep_conversation_is_climbed_whole(tmp_path):
    turns, _ = read(tmp_path, chain(*(message("user", str(index)) for index in range(5000))))

    assert len(turns) == 5000
    assert len({turn.turn_id for turn in turns}) == 5000


def test_only_narrows_to_one_conversation(tmp_path):
    turns, _ = read(tmp_path, chain(message("user", "q")), chain(message("user", "r"), conversation_id="c2"), only="c2")

    assert spoken(turns) == [[("user", "r")]]


def test_an_export_larger_than_a_chunk_is_read_whole(tmp_path):
    conversations = [chain(message("user", "é" * 300_000), conversation_id=f"c{index}") for index in range(8)]

    turns, skipped = read(tmp_path, *conversations)

    assert len(turns) == 8
    assert skipped == []


def test_an_export_cut_short_gives_what_was_whole(tmp_path):
    whole = json.dumps([chain(message("user", "q")), chain(message("user", "r"))])
    path = tmp_path / "conversations.json"
    path.write_text(whole[:-50])

    damaged, whole = read_conversations(path)

    assert isinstance(whole, FoundTurn)
    assert isinstance(damaged, Skipped)
    assert damaged.where.endswith("[1]")


def test_the_zip_of_an_export_is_read(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("__MACOSX/._conversations.json", "junk")
        archive.writestr("conversations-001.json", json.dumps([chain(message("user", "r"), conversation_id="c2")]))
        archive.writestr("conversations.json", json.dumps([chain(message("user", "q"))]))

    found = list(read_conversations(path))

    assert [each.turn.session_id for each in found] == ["chatgpt:c1", "chatgpt:c2"]
    assert "export.zip/conversations.json[0]" in found[0].where


def test_a_zip_of_something_else_is_unreadable(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")

    with pytest.raises(ImportUnreadable, match=r"without a conversations\.json"):
        list(read_conversations(path))


def test_a_damaged_zip_is_unreadable(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([chain(message("user", "q" * 10_000))]))
    raw = bytearray(path.read_bytes())
    raw[60:90] = bytes(30)
    path.write_bytes(raw)

    with pytest.raises(ImportUnreadable):
        list(read_conversations(path))


@pytest.mark.parametrize("broken", [99_999_999_999, 1, "0001-01-01T00:00:00Z", float("nan")])
def test_a_date_at_which_nobody_spoke_is_the_one_of_the_message_before(tmp_path, broken):
    turns, _ = read(tmp_path, chain(message("user", "q"), message("assistant", "a", at=broken)))

    assert [one.timestamp for one in turns[0].messages] == [NOON, NOON]


def test_conversations_come_oldest_first_also_out_of_an_export_that_was_split(tmp_path):
    def at(day):
        return chain(message("user", f"q{day}", at=(NOON + timedelta(days=day)).timestamp()), conversation_id=f"c{day}")

    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps([at(9), at(7), {"mapping": {}}]))
        archive.writestr("conversations-001.json", json.dumps([at(8), at(3)]))

    found = [each.turn.session_id for each in read_conversations(path) if isinstance(each, FoundTurn)]

    assert found == ["chatgpt:c3", "chatgpt:c7", "chatgpt:c8", "chatgpt:c9"]


def test_of_an_export_that_can_not_be_held_each_part_is_in_order_and_none_is_lost(tmp_path):
    days = [chain(message("user", f"q{day}", at=(NOON + timedelta(days=day)).timestamp())) for day in (4, 3, 2, 1)]
    (tmp_path / "conversations.json").write_text(
        json.dumps([{**one, "conversation_id": f"c{number}"} for number, one in enumerate(days)])
    )
    held = OldestFirst(most_characters=3)

    newest_first = reversed(list(read_conversations(tmp_path / "conversations.json")))

    found = [*held.take(newest_first), *held.rest()]

    assert [one.turn.session_id for one in found] == ["chatgpt:c1", "chatgpt:c0", "chatgpt:c3", "chatgpt:c2"]
    assert list(held.rest()) == []


def test_a_name_of_a_tool_that_passes_for_another_speaker_is_left_out(tmp_path):
    output = message(
        "tool", content={"content_type": "execution_output", "text": "2"}, author={"role": "tool", "name": "user"}
    )
    (turn,), _ = read(tmp_path, chain(message("user", "q"), output))

    assert [(one.content, one.name) for one in turn.messages] == [("q", None), ("2", None)]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("It opens at nine. \ue200cite\ue202turn0search0\ue202turn0search3\ue201 Go!", "It opens at nine. Go!"),
        ('\ue200entity\ue202["city","Lyon","France"]\ue201 is nice.', "Lyon is nice."),
        ("See \ue200url\ue202The town hall\ue202https://example.org\ue201.", "See The town hall."),
        ("It opens at nine【11†source】【4:0†plan.pdf】.", "It opens at nine."),
        ("Pictures: \ue200image_group\ue202{}\ue201", "Pictures:"),
        ("It was cut. \ue200cite", "It was cut.cite"),
        ("【a note】 † stays", "【a note】 † stays"),
    ],
)
def test_marks_of_citations_are_left_out_and_what_they_show_stays(tmp_path, written, read_as):
    (turn,), _ = read(tmp_path, chain(message("user", written), message("assistant", written)))

    assert [one.content for one in turn.messages] == [written, read_as]


def test_a_message_of_marks_alone_was_not_said(tmp_path):
    (turn,), _ = read(tmp_path, chain(message("user", "q"), message("assistant", "\ue200navlist\ue202x\ue201")))

    assert [one.content for one in turn.messages] == ["q"]
