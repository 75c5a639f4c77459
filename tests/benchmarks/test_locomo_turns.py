"""LoCoMo: each utterance a turn, in order, under its own id."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.turns import Speaker, TurnKind
from service.importing.results import FoundTurn, Skipped
from tests.benchmarks.locomo_turns import date_of, read_turns


def utter(dia_id, text, *, speaker="Ana", **more):
    return {"speaker": speaker, "dia_id": dia_id, "text": text, **more}


def sample(sample_id="conv-x", **sessions):
    sessions = sessions or {
        "session_1": [utter("D1:1", "Hi Ben"), utter("D1:2", "Hi Ana", speaker="Ben")],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
    }
    return {"sample_id": sample_id, "qa": [], "conversation": {"speaker_a": "Ana", "speaker_b": "Ben", **sessions}}


def read(tmp_path, value, only=None):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(value))
    found = list(read_turns(path, only=only))
    return [each.turn for each in found if isinstance(each, FoundTurn)], [e for e in found if isinstance(e, Skipped)]


def test_each_utterance_is_its_own_turn(tmp_path):
    turns, skipped = read(tmp_path, [sample()])

    assert [turn.turn_id for turn in turns] == ["conv-x:D1:1", "conv-x:D1:2"]
    assert {turn.session_id for turn in turns} == {"conv-x:session_1"}
    assert {turn.kind for turn in turns} == {TurnKind.IMPORT}
    assert turns[0].metadata == {"source": "locomo", "dia_id": "D1:1"}
    assert [(m.role, m.name, m.content) for turn in turns for m in turn.messages] == [
        (Speaker.USER, "Ana", "Hi Ben"),
        (Speaker.ASSISTANT, "Ben", "Hi Ana"),
    ]
    assert skipped == []


def test_utterances_are_half_a_minute_apart(tmp_path):
    turns, _ = read(tmp_path, sample())

    first, second = (turn.messages[0].timestamp for turn in turns)
    assert first == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert second - first == timedelta(seconds=30)


def test_a_picture_is_told_by_its_caption(tmp_path):
    pictures = [utter("D1:1", "Look", blip_caption="a red kite"), utter("D1:2", "", blip_caption="a dog")]

    turns, _ = read(tmp_path, sample(session_1=pictures))

    assert [turn.messages[0].content for turn in turns] == ["Look [shares a red kite]", "[shares a dog]"]


def test_sessions_come_in_the_order_of_their_numbers(tmp_path):
    turns, _ = read(tmp_path, sample(session_10=[utter("D10:1", "x")], session_2=[utter("D2:1", "x")]))

    assert [turn.session_id for turn in turns] == ["conv-x:session_2", "conv-x:session_10"]


def test_every_conversation_is_read_and_only_narrows_to_one(tmp_path):
    both = [sample("a"), sample("b")]

    assert len(read(tmp_path, both)[0]) == 4
    assert {turn.session_id for turn in read(tmp_path, both, only="b")[0]} == {"b:session_1"}


def test_a_bare_conversation_gets_a_stable_name(tmp_path):
    bare = sample()["conversation"]

    first, again = read(tmp_path, bare)[0], read(tmp_path, bare)[0]

    assert len(first) == 2
    assert [turn.turn_id for turn in first] == [turn.turn_id for turn in again]


def test_an_id_given_twice_names_only_the_first(tmp_path):
    turns, _ = read(tmp_path, sample(session_1=[utter("D1:1", "one"), utter("D1:1", "two"), utter(None, "three")]))

    assert turns[0].turn_id == "conv-x:D1:1"
    assert len({turn.turn_id for turn in turns}) == 3


def test_the_same_conversation_twice_in_a_file_has_the_same_ids(tmp_path):
    turns, _ = read(tmp_path, [sample(), sample()])

    assert len({turn.turn_id for turn in turns}) == 2


@pytest.mark.parametrize(
    "broken", [None, 3, [], {}, utter("D1:1", None), utter("D1:1", " "), utter("D1:1", "x", speaker=None)]
)
def test_a_broken_utterance_is_skipped_and_moves_no_other(tmp_path, broken):
    turns, (skipped,) = read(
        tmp_path, sample(session_1=[broken, utter("D1:2", "x")], session_1_date_time="12:00 am on 1 June, 2023")
    )

    assert turns[0].messages[0].timestamp == datetime(2023, 6, 1, 0, 0, 30, tzinfo=UTC)
    assert skipped.where.endswith("session_1[0]")


@pytest.mark.parametrize(
    "sessions", [{"session_1": None}, {"session_1": {}}, {"session_x": []}, {"session_" + "1" * 5000: []}]
)
def test_a_conversation_without_utterances_is_skipped(tmp_path, sessions):
    turns, skipped = read(tmp_path, sample(**sessions))

    assert turns == []
    assert len(skipped) == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("12:05 am on 1 January, 2023", (2023, 1, 1, 0, 5)),
        ("12:05 pm on 29 February, 2024", (2024, 2, 29, 12, 5)),
        ("9:01 PM on 30 sept 2022", (2022, 9, 30, 21, 1)),
        ("2023-05-08T13:56:00", (2023, 5, 8, 13, 56)),
    ],
)
def test_dates_are_read_in_utc(said, expected):
    assert date_of(said) == datetime(*expected, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        None,
        "",
        "yesterday",
        "1:56 pm on 31 June, 2023",
        "1:99 pm on 8 May, 2023",
        "1:56 pm on 8 Mai, 0000",
        10**400,
        "9" * 10**7,
    ],
)
def test_what_is_no_date_is_none(said):
    assert date_of(said) is None


def test_the_end_of_time_is_no_crash(tmp_path):
    turns, _ = read(
        tmp_path, sample(session_1=[utter("a", "x")] * 3, session_1_date_time="11:59 pm on 31 December, 9999")
    )

    assert turns[2].messages[0].timestamp is None
