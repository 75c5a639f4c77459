"""Any path: known formats are read, unknown ones refused in words, and nothing crashes or renames itself."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.errors import ImportUnreadable, InvalidRequest
from consolidation.kernel.turns import TurnKind
from service.importing.formats import read_conversations
from service.importing.results import FoundTurn, Skipped

MESSAGE = {"role": "user", "content": "hello", "session_id": "s"}

WORDS = st.sampled_from(
    "mapping current_node parent children message author role content content_type parts text create_time metadata id "
    "conversation_id messages session_id turn_id timestamp name kind accepted_at user assistant tool code a b".split()
)
TEXTS = WORDS | st.text(alphabet=st.characters(codec=None), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=40,
)
CONTENTS = st.fixed_dictionaries(
    {"content_type": st.sampled_from(["text", "code", "x"]), "parts": st.lists(TEXTS | VALUES, min_size=1)}
)
SPOKEN = st.fixed_dictionaries(
    {
        "author": st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"])}) | VALUES,
        "content": CONTENTS | VALUES,
        "create_time": st.floats() | VALUES,
    }
)
NODES = st.fixed_dictionaries(
    {
        key: st.fixed_dictionaries({"parent": st.sampled_from("abc") | VALUES, "message": SPOKEN | VALUES}) | VALUES
        for key in "abc"
    }
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "x"]) | VALUES, "content": TEXTS | VALUES},
    optional={"timestamp": VALUES, "session_id": VALUES, "id": VALUES, "name": VALUES},
)
EXPORTED = (
    st.fixed_dictionaries(
        {"mapping": NODES | VALUES, "current_node": st.sampled_from("abc") | VALUES}, optional={"id": VALUES}
    )
    | st.fixed_dictionaries(
        {"messages": st.lists(MESSAGES) | VALUES}, optional={"session_id": VALUES, "metadata": VALUES, "kind": VALUES}
    )
    | MESSAGES
    | VALUES
)


def read(raw, name):
    """What a file of these bytes gives; the folder's own name left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(raw)
        try:
            return list(read_conversations(path))
        except ImportUnreadable as fault:
            return [Skipped(fault.where, fault.found)]


def turns_of(found):
    return [each.turn for each in found if isinstance(each, FoundTurn)]


def rendered(values, name):
    if name.endswith("jsonl"):
        return "\n".join(json.dumps(value) for value in values).encode()
    return json.dumps(values).encode()


@settings(deadline=None, max_examples=100)
@given(st.lists(EXPORTED, max_size=6), st.sampled_from(["x.json", "x.jsonl"]))
def test_no_json_crashes_the_reader_and_every_turn_can_be_kept(values, name):
    for found in read(rendered(values, name), name):
        if isinstance(found, Skipped):
            assert found.where.encode()
            assert found.reason.encode()
            continue
        turn = found.turn
        assert turn.kind in {TurnKind.IMPORT, TurnKind.HEARTBEAT, TurnKind.PROBE}
        assert 0 < len(turn.turn_id) <= 200
        assert 0 < len(turn.session_id) <= 200
        assert turn.session_id.isprintable()
        assert turn.turn_id.isprintable()
        assert turn.messages
        for message in turn.messages:
            assert message.content.strip()
            assert "\x00" not in message.content
            assert message.timestamp is None or message.timestamp.utcoffset().total_seconds() == 0
        assert json.dumps(
            [turn.digest, turn.metadata, *(m.content for m in turn.messages)], ensure_ascii=False, allow_nan=False
        ).encode()


@settings(deadline=None)
@given(EXPORTED)
def test_no_single_json_value_crashes_the_reader(value):
    assert isinstance(read(json.dumps(value, indent=1).encode(), "x.json"), list)


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["x.json", "x.jsonl", "x.zip", "x"]))
def test_no_bytes_crash_the_reader(raw, name):
    assert read(raw, name)


@settings(deadline=None)
@given(st.lists(EXPORTED, max_size=6), st.sampled_from(["x.json", "x.jsonl"]))
def test_importing_the_same_bytes_twice_gives_the_same_turn_ids(values, name):
    raw = rendered(values, name)

    assert turns_of(read(raw, name)) == turns_of(read(raw, name))


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=8))
def test_other_content_never_takes_a_turn_id_that_was_given(values):
    turns = turns_of(read(rendered(values, "x.jsonl"), "x.jsonl"))

    ids = {}
    for turn in turns:
        assert ids.setdefault(turn.turn_id, turn.messages) == turn.messages


@pytest.mark.parametrize(
    ("name", "raw", "found"),
    [
        ("a.json", b"", "nothing in it"),
        ("a.jsonl", b" \n\n", "nothing in it"),
        ("a.json", b"[]", "nothing in it"),
        ("a.json", b"[", "cut short"),
        ("a.json", b"hello", "not JSON"),
        ("a.csv", b"time,role,content\r\n", "CSV or Markdown, comes in as JSONL of our own, one message a line"),
        ("a.json", b'{"color": 1}', "with the keys color"),
        ("a.json", b"{}", "an empty object"),
        ("a.json", b'{"results": [], "total": 0}', "an object with nothing in it, under the keys results, total"),
        ("a.json", b"[1, 2.5, 3]", "a number where an object was expected"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.jsonl", b"[" * 100_000, "nested too deeply"),
        ("a.json", b'{"a":' * 100_000, "nested too deeply"),
        ("a.json", "[{}]".encode("utf-16"), "an empty object"),
        ("a.zip", b"PK", "not a zip"),
        ("a.zip", b"PK\3\4" + bytes(999), "or one whose end is missing"),
    ],
)
def test_what_is_no_export_is_refused_in_words(tmp_path, name, raw, found):
    (tmp_path / name).write_bytes(raw)

    with pytest.raises(ImportUnreadable) as fault:
        list(read_conversations(tmp_path / name))

    assert isinstance(fault.value, InvalidRequest)
    assert found in str(fault.value)
    assert "ChatGPT" in str(fault.value)
    assert fault.value.pointer == "path"


def test_a_path_to_nothing_is_refused(tmp_path):
    with pytest.raises(ImportUnreadable, match="no such file"):
        list(read_conversations(tmp_path / "gone"))


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")

    with pytest.raises(ImportUnreadable, match="neither a file nor a folder"):
        list(read_conversations(tmp_path / "pipe.json"))


def test_a_folder_without_anything_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("x")

    with pytest.raises(ImportUnreadable, match=r"without any \.json"):
        list(read_conversations(tmp_path))


def test_a_folder_is_every_file_in_it_in_order_and_a_stranger_is_skipped(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.json").write_text(json.dumps([MESSAGE]))
    (tmp_path / "a.jsonl").write_text(json.dumps(MESSAGE))
    (tmp_path / "user.json").write_text('{"email": "x"}')

    found = list(read_conversations(tmp_path))

    assert [Path(each.where).name for each in found] == ["a.jsonl:1", "two.json[0]", "user.json"]
    assert isinstance(found[2], Skipped)


def test_a_folder_of_strangers_is_refused_after_saying_why(tmp_path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("{}")
    found = []

    with pytest.raises(ImportUnreadable, match="none of its 2 files"):
        for each in read_conversations(tmp_path):
            found.append(each)

    assert [each.reason for each in found] == ["an empty object"] * 2


def test_jsonl_under_another_name_is_read(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(f"{json.dumps(MESSAGE)}\n{{broken\n{json.dumps(MESSAGE)}\n")

    found = list(read_conversations(path))

    assert [type(each) for each in found] == [FoundTurn, Skipped, FoundTurn]


def test_strangers_among_the_lines_are_named_and_passed(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"x": 1}}\n{json.dumps(MESSAGE)}\n[]\n{json.dumps(MESSAGE)}')

    found = list(read_conversations(path))

    assert [type(each) for each in found] == [Skipped, FoundTurn, Skipped, FoundTurn]
    assert found[0].reason == "an object of no known format, with the keys x"
    assert found[2].reason == "a list where an object was expected"


def test_a_large_file_that_is_no_export_is_given_up_early(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("1\n" * 5000 + json.dumps(MESSAGE))

    with pytest.raises(ImportUnreadable):
        list(read_conversations(path))


def test_reading_is_lazy(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([json.dumps(MESSAGE)] * 3))

    reading = read_conversations(path)

    assert isinstance(next(reading), FoundTurn)
    reading.close()
