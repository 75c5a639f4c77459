"""
The ledger beside a story: when a chapter was told first.

Every docstring says what was broken, once, to see the test fail.
"""

import json
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.errors import StoryUnreadable
from consolidation.story.chapter_turns import ChapterTurns
from consolidation.story.ledger import read_ledger, record_ours, record_shorter

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
TURNS = ChapterTurns("2026-01-28 11:00", frozenset({1}), frozenset({1}))


def test_a_chapter_was_told_when_it_was_recorded_first(tmp_path):
    """Broken: the time of the last recording is kept."""
    file = tmp_path / "published.json"
    record_ours(file, {"a": TURNS}, NOON)

    record_ours(file, {"a": TURNS, "b": TURNS}, NOON + timedelta(hours=1))

    assert read_ledger(file).told_at == {"a": NOON, "b": NOON + timedelta(hours=1)}


def test_chapters_are_told_later_than_all_before_whatever_a_clock_says(tmp_path):
    """Broken: another machine's clock, or one set back, tells chapters before those that were told already."""
    file = tmp_path / "published.json"
    record_ours(file, {"a": TURNS}, NOON)
    ledger = read_ledger(file)

    assert ledger.next_told_at(NOON - timedelta(seconds=3)) == NOON + timedelta(microseconds=1)
    assert ledger.next_told_at(NOON + timedelta(seconds=3)) == NOON + timedelta(seconds=3)


def test_a_chapter_that_replaced_a_longer_one_is_not_told_anew(tmp_path):
    """Broken: every chapter of ours has a time."""
    file = tmp_path / "published.json"
    record_shorter(file, {"a": TURNS})

    ledger = read_ledger(file)

    assert (ledger.told_at, ledger.digests, ledger.short) == ({}, {"a"}, {"a"})


def test_a_ledger_of_an_earlier_version_is_read(tmp_path):
    """Broken: a ledger without times counts as garbled."""
    file = tmp_path / "published.json"
    record_ours(file, {"a": TURNS}, NOON)
    file.write_text(json.dumps({key: one for key, one in json.loads(file.read_text()).items() if key != "told_at"}))

    assert (read_ledger(file).digests, read_ledger(file).told_at) == ({"a"}, {})


def test_a_ledger_that_can_not_be_read_just_now_is_not_written_anew(tmp_path):
    """Broken: it counts as empty, and which chapters are ours is forgotten for good."""
    file = tmp_path / "published.json"
    record_ours(file, {"a": TURNS}, NOON)
    kept = file.rename(tmp_path / "kept.json")
    file.mkdir()  # reading it fails as on a disk that fails

    with pytest.raises(StoryUnreadable, match=r"published\.json can not be read"):
        record_ours(file, {"b": TURNS}, NOON)
    file.rmdir()
    kept.rename(file)

    record_ours(file, {"b": TURNS}, NOON)
    assert read_ledger(file).digests == {"a", "b"}
