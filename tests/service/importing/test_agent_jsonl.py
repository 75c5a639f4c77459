"""Session files of agents: what was said is read, in whole exchanges; thinking, calls and bookkeeping are not."""

import json
from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import Speaker, TurnKind
from service.importing.formats import read_conversations
from service.importing.results import FoundTurn, Skipped

AT = "2026-01-28T14:00:0%d.000Z"
OPENCLAW = [
    {"type": "session", "version": 3, "id": "5e55", "timestamp": AT % 0, "cwd": "/home/ada"},
    {"type": "model_change", "id": "m0", "parentId": None, "timestamp": AT % 0, "provider": "p", "modelId": "m"},
    {"type": "thinking_level_change", "id": "m1", "parentId": "m0", "timestamp": AT % 0, "thinkingLevel": "low"},
    {
        "type": "message",
        "id": "a1",
        "parentId": "m1",
        "timestamp": AT % 1,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "My sister Carla is in Lyon."}],
            "timestamp": 1,
        },
    },
    {
        "type": "message",
        "id": "a2",
        "parentId": "a1",
        "timestamp": AT % 2,
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "She has a sister."},
                {"type": "toolCall", "id": "c1", "name": "look", "arguments": {"q": "Lyon"}},
                {"type": "text", "text": "Let me look."},
            ],
        },
    },
    {
        "type": "message",
        "id": "a3",
        "parentId": "a2",
        "timestamp": AT % 3,
        "message": {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "Lyon: 12 °C"}]},
    },
    {
        "type": "message",
        "id": "a4",
        "parentId": "a3",
        "timestamp": AT % 4,
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": "It is cold"}, {"type": "text", "text": "there."}],
        },
    },
    {"type": "custom", "customType": "x", "data": {}, "id": "a5", "parentId": "a4", "timestamp": AT % 5},
    {
        "type": "message",
        "id": "a6",
        "parentId": "a5",
        "timestamp": AT % 6,
        "message": {"role": "user", "content": "Thanks!"},
    },
]
SESSION = "0b1c2d3e-0000-4000-8000-000000000001"
CLAUDE = [
    {"type": "summary", "summary": "Of Lyon", "leafUuid": "u9"},
    {
        "type": "file-history-snapshot",
        "messageId": "u1",
        "snapshot": {"trackedFileBackups": {}},
        "isSnapshotUpdate": False,
    },
    {
        "type": "user",
        "uuid": "u0",
        "parentUuid": None,
        "sessionId": SESSION,
        "timestamp": AT % 0,
        "isMeta": True,
        "message": {"role": "user", "content": "Caveat: generated."},
    },
    {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": SESSION,
        "timestamp": AT % 1,
        "message": {"role": "user", "content": "My sister Carla is in Lyon."},
    },
    {"type": "file-history-snapshot", "messageId": "u2", "snapshot": {}, "isSnapshotUpdate": True},
    {
        "type": "assistant",
        "uuid": "u2",
        "parentUuid": "u1",
        "sessionId": SESSION,
        "timestamp": AT % 2,
        "message": {
            "id": "msg_1",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
            ],
        },
    },
    {
        "type": "user",
        "uuid": "u3",
        "parentUuid": "u2",
        "sessionId": SESSION,
        "timestamp": AT % 3,
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Lyon: 12 °C"}],
        },
        "toolUseResult": {"stdout": "Lyon: 12 °C"},
    },
    {
        "type": "system",
        "subtype": "turn_duration",
        "uuid": "u4",
        "parentUuid": "u3",
        "sessionId": SESSION,
        "content": "x",
    },
    {
        "type": "assistant",
        "uuid": "u5",
        "parentUuid": "u4",
        "sessionId": SESSION,
        "timestamp": AT % 4,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "It is cold there."}]},
    },
    {
        "type": "user",
        "uuid": "u6",
        "parentUuid": "u5",
        "sessionId": SESSION,
        "timestamp": AT % 6,
        "message": {"role": "user", "content": [{"type": "image", "source": {}}, {"type": "text", "text": "Thanks!"}]},
    },
]
SAID = ["My sister Carla is in Lyon.", "Let me look.", "Lyon: 12 °C", "It is cold there."]


def read(tmp_path, events, name="session.jsonl"):
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    found = list(read_conversations(path))
    return [one.turn for one in found if isinstance(one, FoundTurn)], [one for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("events", [OPENCLAW, CLAUDE], ids=["OpenClaw", "Claude Code"])
def test_an_exchange_is_what_was_said_and_what_tools_answered(tmp_path, events):
    turns, _ = read(tmp_path, events)

    assert [[" ".join(one.content.split()) for one in turn.messages] for turn in turns] == [SAID, ["Thanks!"]]
    assert [one.role for one in turns[0].messages] == ["user", "assistant", "tool", "assistant"]
    assert [one.timestamp.second for one in turns[0].messages] == [1, 2, 3, 4]
    assert {turn.kind for turn in turns} == {TurnKind.IMPORT}


def test_nothing_that_is_merely_thought_called_or_noted_is_read(tmp_path):
    for events in (OPENCLAW, CLAUDE):
        turns, _ = read(tmp_path, events)
        text = " ".join(one.content for turn in turns for one in turn.messages)

        assert not any(word in text for word in ("She has a sister", "arguments", "Caveat", "Of Lyon", "stdout"))


def test_a_message_keeps_its_own_id_and_a_session_its_name(tmp_path):
    turns, _ = read(tmp_path, CLAUDE)

    assert {turn.session_id for turn in turns} == {SESSION}
    assert turns[0].messages[0].id == "u1" and turns[0].turn_id == f"{SESSION}:u1"


def test_a_file_that_grows_keeps_the_names_of_the_turns_it_had(tmp_path):
    for events in (OPENCLAW, CLAUDE):
        before, _ = read(tmp_path, events[:-1])
        after, _ = read(tmp_path, events)

        assert [turn.turn_id for turn in after][: len(before)] == [turn.turn_id for turn in before]
        assert after[0] == before[0] and len(after) == len(before) + 1


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "message": None},
        {"type": "message", "message": "text"},
        {"type": "message", "message": {"role": "user", "content": None}},
        {"type": "message", "message": {"role": "user", "content": [None, 1, "x", {"type": "text", "text": 3}]}},
        {"type": "message", "message": {"role": ["user"], "content": "x"}},
        {"type": "message", "message": {"role": "user", "content": "   "}},
        {"type": "message", "message": {"role": "user", "content": [{"type": "tool_result", "content": [[]]}]}},
        {"type": 3, "message": {"role": "user", "content": "x"}},
    ],
)
def test_a_broken_event_costs_itself_alone(tmp_path, event):
    turns, _ = read(tmp_path, [*OPENCLAW[:4], event, *OPENCLAW[4:]])

    assert [one.content for turn in turns for one in turn.messages if one.role is Speaker.USER] == [SAID[0], "Thanks!"]


def test_times_in_milliseconds_and_missing_ones_are_read(tmp_path):
    events = [
        {
            "type": "message",
            "id": "1",
            "parentId": None,
            "message": {"role": "user", "content": "A.", "timestamp": 1769608800000},
        },
        {"type": "message", "id": "2", "parentId": "1", "message": {"role": "user", "content": "B."}},
    ]
    turns, _ = read(tmp_path, events)

    assert turns[0].messages[0].timestamp == datetime(2026, 1, 28, 14, tzinfo=UTC)
    assert turns[1].messages[0].timestamp is None


def test_a_line_that_is_cut_in_the_middle_is_told_and_read_when_it_is_whole(tmp_path):
    path = tmp_path / "session.jsonl"
    whole = "".join(f"{json.dumps(event)}\n" for event in OPENCLAW)
    path.write_text(whole[:-30])
    found = list(read_conversations(path))

    assert sum(isinstance(one, FoundTurn) for one in found) == 1
    assert [one.reason.partition(":")[0] for one in found if isinstance(one, Skipped)] == ["not JSON"]


def test_what_another_agent_was_told_to_do_is_not_what_the_user_said(tmp_path):
    side = [{**event, "isSidechain": True} for event in CLAUDE[3:6]]
    summary = {**CLAUDE[3], "uuid": "u7", "isCompactSummary": True}
    turns, _ = read(tmp_path, [*CLAUDE, *side, summary])

    assert sum(one.content == SAID[0] for turn in turns for one in turn.messages) == 1


def typed(*contents):
    """Events of Claude Code: what it notes as a user's message, and an answer after each."""
    for at, content in enumerate(contents):
        event = {"type": "user", "uuid": f"u{at}", "sessionId": SESSION, "timestamp": AT % at}
        yield event | {"message": {"role": "user", "content": content}}
        answer = [{"type": "text", "text": f"Answer {at}."}]
        yield event | {"type": "assistant", "uuid": f"a{at}", "message": {"role": "assistant", "content": answer}}


@pytest.mark.parametrize(
    "output",
    [
        "<local-command-stdout>Set model to Opus.</local-command-stdout>",
        "<local-command-stderr>No such model.</local-command-stderr>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>notes.txt</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification><summary>Deploy failed</summary></task-notification>",
    ],
)
def test_what_a_program_wrote_into_the_persons_place_is_a_tools_and_begins_an_exchange_as_before(tmp_path, output):
    (hello, told), _ = read(tmp_path, typed("Hello.", output))

    assert [one.role for one in told.messages] == [Speaker.TOOL, Speaker.ASSISTANT]
    assert (hello.turn_id, told.turn_id) == (f"{SESSION}:u0", f"{SESSION}:u1")


@pytest.mark.parametrize(
    ("noted", "said"),
    [
        (
            "<command-name>/model</command-name>\n<command-message>model</command-message>\n"
            "<command-args></command-args>",
            "/model",
        ),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
            "<command-args>the billing module</command-args>",
            "/review the billing module",
        ),
        ("<system-reminder>Be brief.</system-reminder>\nGo on.", "Go on."),
        (
            [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "Why?"}],
            "Why?",
        ),
        ("What does <bash-stdout> mean?", "What does <bash-stdout> mean?"),
        ("<system-reminder> is not closed", "<system-reminder> is not closed"),
    ],
)
def test_of_a_persons_message_what_they_typed_is_read(tmp_path, noted, said):
    (turn,), _ = read(tmp_path, typed(noted))

    assert [(one.role, one.content) for one in turn.messages] == [
        (Speaker.USER, said),
        (Speaker.ASSISTANT, "Answer 0."),
    ]


@pytest.mark.parametrize(
    "noted", ["[Request interrupted by user for tool use]", "<system-reminder>x</system-reminder>"]
)
def test_what_nobody_typed_is_the_machines_and_opens_the_exchange_that_it_always_did(tmp_path, noted):
    """Broken: it opens none, so that an answer which was imported before gets another id, and comes in once more."""
    turns, _ = read(tmp_path, typed("Hello.", noted))

    assert [[(one.role, one.content) for one in turn.messages] for turn in turns] == [
        [(Speaker.USER, "Hello."), (Speaker.ASSISTANT, "Answer 0.")],
        [(Speaker.TOOL, noted), (Speaker.ASSISTANT, "Answer 1.")],
    ]
