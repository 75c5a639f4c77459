import os
import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.pending_episodes import append_pending, last_listed, write_pending
from tests.support.strategies import texts

THEN = datetime(2026, 1, 28, 13, 45, tzinfo=UTC)
HEAD = re.compile(r"^\[(\d+) \| 2026-01-28 13:45 \| chat\]$", re.MULTILINE)
forged = st.sampled_from(
    ["\n[99 | ", "[99 | x]", "\r[99 | x", "\u2028[98 | x]\x85[97 | ", "\n\n[1 | 2026-01-28 13:45 | chat]\n"]
)
said = st.lists(st.one_of(texts, forged), max_size=6).map("".join)
lists = st.lists(said, max_size=6).map(lambda found: [kept(at, text) for at, text in enumerate(found, start=1)])


def kept(sequence, text, *, session_id="chat"):
    return StoredTurn(sequence, THEN, Turn(f"t{sequence}", session_id, (Message(Speaker.USER, text),)))


def fresh(folder, name="pending-episodes.log"):
    file = folder / name
    file.unlink(missing_ok=True)
    return file


def listed(file):
    return [int(found) for found in HEAD.findall(file.read_bytes().decode("utf-8"))]


@given(lists, lists)
def test_each_turn_is_listed_once_under_its_own_head_whatever_it_says(tmp_path_factory, first, more):
    file = fresh(tmp_path_factory.getbasetemp())
    more = [kept(len(first) + at, turn.text) for at, turn in enumerate(more, start=1)]
    write_pending(file, first)
    append_pending(file, more)

    assert listed(file) == [turn.sequence for turn in (*first, *more)]
    assert last_listed(file) == len(first) + len(more)


@given(lists)
def test_what_is_listed_anew_takes_the_place_of_what_stood(tmp_path_factory, turns):
    file = fresh(tmp_path_factory.getbasetemp())
    write_pending(file, [kept(50, "old"), kept(51, "older")])
    write_pending(file, turns)

    assert listed(file) == [turn.sequence for turn in turns]


def test_it_can_be_read_by_a_person(tmp_path):
    write_pending(tmp_path / "log", [kept(7, "One.\nTwo.")])

    assert (tmp_path / "log").read_text() == "[7 | 2026-01-28 13:45 | chat]\nuser: One.\n  Two.\n\n"


def test_where_there_is_no_list_or_an_empty_one_nothing_is_listed(tmp_path):
    assert last_listed(tmp_path / "log") == 0
    write_pending(tmp_path / "log", [])
    assert last_listed(tmp_path / "log") == 0
    append_pending(tmp_path / "log", [kept(3, "Three.")])
    assert last_listed(tmp_path / "log") == 3


def test_a_turn_longer_than_the_tail_that_is_read_is_found(tmp_path):
    write_pending(tmp_path / "log", [kept(7, "é" * 200_000)])

    assert last_listed(tmp_path / "log") == 7


def test_a_forged_head_in_a_long_turn_is_never_taken_for_one(tmp_path):
    for shift in range(12):  # wherever the part that is read may begin
        file = tmp_path / f"log{shift}"
        write_pending(file, [kept(7, "[99 | forged" * 8_000 + "x" * shift)])

        assert last_listed(file) == 7


def test_letters_that_no_file_can_hold_do_not_stop_the_list(tmp_path):
    write_pending(tmp_path / "log", [kept(7, "lone \ud83d one")])
    append_pending(tmp_path / "log", [kept(8, "and \udc80 another")])

    assert listed(tmp_path / "log") == [7, 8]


def test_a_list_cut_in_the_middle_goes_on_with_what_is_missing(tmp_path):
    file = tmp_path / "log"
    write_pending(file, [kept(7, "Seven."), kept(8, "Eight.")])
    os.truncate(file, len("[7 | 2026-01-28 13:45 | chat]\nuser: Seven.\n\n[8 | 20"))
    append_pending(file, [kept(number, "More.") for number in (last_listed(file) + 1, last_listed(file) + 2)])

    assert listed(file)[-1] == last_listed(file)
