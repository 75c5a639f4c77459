"""Times in the forms in which programs write them; one that is not understood is said, and its message is read."""

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from service.importing.formats import read_conversations
from service.importing.results import FoundTurn, Skipped
from tests.support.chatgpt_export import NOON, chain, message

HALF_PAST_SIX = datetime(2026, 1, 9, 18, 30, tzinfo=UTC)
PARIS = ZoneInfo("Europe/Paris")


def read(tmp_path, *values, zone=None):
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, values)))
    found = list(read_conversations(path, zone=zone))
    times = [one.timestamp for each in found if isinstance(each, FoundTurn) for one in each.turn.messages]
    return times, [one for one in found if isinstance(one, Skipped)]


def said(at, key="timestamp"):
    return {"role": "user", "content": "Dinner was at seven.", key: at}


@pytest.mark.parametrize(
    "at",
    [
        "2026-01-09 18:30:00 UTC",
        "2026-01-09T18:30:00 +0000",
        "2026-01-09t18:30:00z",
        "2026/01/09 19:30:00+01:00",
        "2026-01-09T18:30:00.000000001Z",
        "1767983400",
        "1767983400.0",
        "1767983400000",
        1767983400000000,
        1767983400000000000,
        "Fri, 09 Jan 2026 18:30:00 GMT",
        "Fri, 9 Jan 2026 19:30:00 +0100",
        "Fri Jan 09 18:30:00 +0000 2026",
        "Fri Jan 09 2026 19:30:00 GMT+0100 (Central European Standard Time)",
        "2026-01-09T19:30:00",
        "Fri Jan  9 19:30:00 2026",
        "Fri Jan 09 19:30:00 CET 2026",  # Java, and `date`
        "Fri Jan 09 13:30:00 EST 2026",
        "Fri, 09 Jan 2026 18:30:00 GMT",
        "Jan 9, 2026 7:30:00 PM +0100",
        "Jan 9, 2026 7:30:00 p.m.",
        "January 9, 2026 at 7:30\u202fPM GMT+1",
        "Jan 9, 2026 6:30 PM UTC",
        "9 Jan 2026 20:30 UTC+2",
        "2026-01-09 07:30:00 PM",
        "2026-01-09 19:30:00.000000001 +0100 CET",  # Go
        "2026-01-09T19:30+01:00[Europe/Paris]",
        "Friday, 09-Jan-26 18:30:00 GMT",
    ],
)
def test_a_time_is_read_as_programs_write_it_and_without_a_zone_in_the_one_that_is_named(tmp_path, at):
    assert read(tmp_path, said(at), zone=PARIS) == ([HALF_PAST_SIX], [])


@pytest.mark.parametrize("key", ["created_at", "createdAt", "create_time", "ts"])
def test_a_time_may_be_called_otherwise(tmp_path, key):
    assert read(tmp_path, said("2026-01-09T18:30:00Z", key)) == ([HALF_PAST_SIX], [])


def test_a_turn_that_is_dated_as_a_whole_dates_its_messages(tmp_path):
    turn = {"messages": [{"role": "user", "content": "Hello."}], "created_at": "2026-01-09T18:30:00Z"}
    assert read(tmp_path, turn) == ([HALF_PAST_SIX], [])


@pytest.mark.parametrize(
    "at",
    [
        "some day in May",
        "09.01.2026 18:30",
        "Fri, 09 Jan 2026 18:30:00 IST",  # of India, Israel or Ireland
        "Fri Jan 09 18:30:00 CST 2026",  # of Chicago or Shanghai
        "Fri Jan 09 2026 18:30:00 (Central European Standard Time)",
        "2026-01-09T18:30[Europe/Paris]",
        "Fri, 09 Jan 2026 18:30:00 +0100 EST",
        "Jan 9, 2026 18:30 PM",
        "Jan 9, 2026 18:30 +99",
        "Jan 9 2026 18:30 and later",
        [2026],
        "7 pm",
    ],
)
def test_a_time_that_is_not_understood_is_said_with_its_place_and_its_message_is_read(tmp_path, at):
    times, (skipped,) = read(tmp_path, said("2026-01-09T18:30:00Z"), said(at))

    assert times == [HALF_PAST_SIX, None]
    assert skipped.where.endswith("own.jsonl:2") and str(at)[:40] in skipped.place
    assert skipped.reason == "a time that can not be read: the message has none of its own"


@pytest.mark.parametrize("at", ["1985-05-05T10:00:00Z", "202601091830", "2300-01-01T00:00:00Z", 86_400 * 400])
def test_a_time_at_which_nobody_can_have_spoken_is_said(tmp_path, at):
    """Broken: one before 1990 became the time of the import, in silence."""
    times, (skipped,) = read(tmp_path, said(at))

    assert times == [None] and str(at) in skipped.place
    assert skipped.reason.startswith("a time that is not within the years 1990 and 2199")


def test_each_time_that_is_not_read_is_said_with_its_own_words_and_with_the_field_that_is_taken_instead(tmp_path):
    """Broken: each was said to be like the first of the file, and to be the only one of its message."""
    times, skipped = read(tmp_path, said("noon"), said("20260109183000") | {"created_at": "2026-01-09T18:30:00Z"})

    assert times == [None, HALF_PAST_SIX]
    assert [one.value for one in skipped] == ["noon", "20260109183000"]
    assert [one.reason.partition(": ")[2] for one in skipped] == [
        "the message has none of its own",
        "that of 'created_at' is taken",
    ]


@pytest.mark.parametrize(
    "at",
    [
        None,
        "",
        " ",
        0,
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+02:00",
        "0000-00-00 00:00:00",
        "1970-01-01T01:00:00",
    ],
)
def test_a_time_that_says_that_it_is_unknown_needs_no_words(tmp_path, at):
    assert read(tmp_path, said(at)) == ([None], [])


def test_each_reader_is_told_the_zone_and_says_what_it_can_not_read(tmp_path):
    asked = {"sender": "human", "text": "Hi.", "uuid": "m1", "created_at": "2026-01-09T19:30:00"}
    claude = {"uuid": "c1", "chat_messages": [asked, {**asked, "uuid": "m2", "created_at": "soon"}]}
    node = {"uuid": "n", "name": "Ann", "summary": "Tom's sister", "created_at": "2026-01-09T19:30:00"}
    memory = {"id": "1", "memory": "Likes tea.", "created_at": "2026-01-09 19:30:00"}
    asked_gemini = {"title": "Prompted Hi.", "time": "2026-01-09T19:30:00", "header": "Gemini Apps"}
    saved = {"content": "Likes tea.", "updated_at": "2026-01-09T19:30:00"}

    times, (skipped,) = read(tmp_path, claude, node, memory, asked_gemini, saved, zone=PARIS)

    assert times == [HALF_PAST_SIX] * 6 and skipped.value == "soon"


def test_a_time_that_a_conversation_lends_does_not_hide_that_its_own_was_not_read(tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chain(message("user", "q"), message("assistant", "a", at="noon"))]))

    skipped, found = sorted(read_conversations(path), key=lambda one: isinstance(one, FoundTurn))

    assert [one.timestamp for one in found.turn.messages] == [NOON, NOON] and skipped.value == "noon"
