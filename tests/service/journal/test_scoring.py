"""What age, variety and a narrow view do to what was found."""

from datetime import UTC, date, datetime, timedelta

import pytest

from service.index.journal_dates import day_of, decay
from service.index.journal_store import Chunk
from service.journal.excerpts import excerpt
from service.journal.mmr import diverse

TODAY = date(2026, 3, 1)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("memory/2026-01-09.md", date(2026, 1, 9)),
        ("memory/2026-01-09-lyon.md", date(2026, 1, 9)),
        ("memory/trips/2026-01-09.md", date(2026, 1, 9)),
        ("memory/2026-01-091.md", None),
        ("memory/2026-13-09.md", None),
        ("memory/0000-01-01.md", None),
        ("memory/lyon-2026-01-09.md", None),
        ("memory/٢٠٢٦-٠١-٠٩.md", None),
        ("memory/2026-01-09/lyon.md", None),
        ("MEMORY.md", None),
    ],
)
def test_a_note_is_of_the_day_its_name_begins_with(path, day):
    assert day_of(path) == day


@pytest.mark.parametrize(("age", "left"), [(0, 1.0), (15, 0.5**0.5), (30, 0.5), (60, 0.4), (900, 0.4), (-3, 1.0)])
def test_a_dated_note_counts_half_after_thirty_days(age, left):
    assert decay(TODAY - timedelta(days=age), today=TODAY, half_life_days=30) == left


def test_an_undated_note_does_not_grow_old_and_nothing_does_where_that_is_switched_off():
    assert decay(None, today=TODAY, half_life_days=30) == 1.0
    assert decay(date(1999, 1, 1), today=TODAY, half_life_days=0) == 1.0


def chosen(balance, limit=2):
    scores = {"a": 1.0, "a again": 0.95, "b": 0.6}
    return diverse(
        tuple(scores),
        score=scores.__getitem__,
        alike=lambda one, other: float(one[0] == other[0]),
        balance=balance,
        limit=limit,
    )


def test_what_says_the_same_makes_room_for_what_says_something_else():
    assert chosen(0.7) == ("a", "b")
    assert chosen(1.0) == ("a", "a again")
    assert chosen(0.7, limit=9) == ("a", "b", "a again")
    assert diverse((), score=float, alike=lambda *_: 0.0, balance=0.7, limit=3) == ()


def chunk_of(text, *, start_line=1):
    return Chunk(1, "MEMORY.md", start_line, start_line + text.count("\n"), text, "", "d", "en", NOW)


def test_an_excerpt_is_of_the_lines_that_were_asked_for():
    text = "\n".join([*(f"Line {n} of nothing at all." for n in range(20)), "", "Carla lives in Lyon.", "She sails."])

    shown = excerpt(chunk_of(text, start_line=100), stems=("carla", "live"), nearest=0, most=40)

    assert shown.text == "Carla lives in Lyon.\nShe sails."
    assert (shown.start_line, shown.end_line) == (121, 122)


def test_a_short_text_is_shown_whole_and_an_endless_line_around_its_word():
    assert excerpt(chunk_of("a\n\nb", start_line=3), stems=("x",), nearest=0, most=50) == ("a\n\nb", 3, 5)
    endless = excerpt(chunk_of(f"{'word ' * 400}Carla {'word ' * 400}"), stems=("carla",), nearest=0, most=100)
    assert "Carla" in endless.text
    assert len(endless.text) <= 100
    assert endless.text.startswith("…")


def test_where_no_word_is_shared_an_excerpt_begins_at_the_nearest_passage():
    text = "\n".join(f"This is line number {n} of many others." for n in range(30))

    shown = excerpt(chunk_of(text), stems=("carla",), nearest=text.index("number 20"), most=80)

    assert shown.text.startswith("This is line number 20 ")
    assert shown.start_line == 21
