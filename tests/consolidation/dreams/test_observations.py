"""observations.md: read, merged and pruned; a person's lines are theirs, and RED survives everything."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.observations import (
    Level,
    Observation,
    beside_observations,
    merged,
    pruned,
    read_observations,
    relevelled,
    without,
)

DAY = date(2026, 2, 12)
NOON = datetime(2026, 2, 12, 12, tzinfo=UTC)
DAYS = st.dates(date(2026, 1, 1), date(2026, 3, 1))
TEXTS = st.text(st.characters(categories=("L", "N", "P"), exclude_characters="#"), min_size=1, max_size=40)
TIMES = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
OBSERVATIONS = st.builds(Observation, DAYS, st.sampled_from(Level), TIMES, TEXTS)
NOTES = ["a note of mine", "", "# Notes", "RED later", "## Ideas", "### Invoices", "#tag", "GRN 25:99 no time"]
PEOPLES = st.lists(st.sampled_from(NOTES))


def observed(level="GRN", at="09:32", text="The container starts in 14 s", day=DAY):
    return Observation(day, Level(level), at, text)


def everything(_):
    return True


@given(st.lists(OBSERVATIONS), PEOPLES)
def test_what_is_merged_is_read_again_and_no_line_of_a_person_is_lost(new, peoples):
    before = "".join(f"{line}\n" for line in peoples)

    text = merged(before, new)

    assert {(one.day, one.level, one.text) for one in read_observations(text)} >= {
        (one.day, one.level, one.text.strip()) for one in new
    }
    assert [line for line in text.splitlines() if line in peoples and line] == [line for line in peoples if line]


@given(st.lists(OBSERVATIONS))
def test_merging_again_changes_nothing(new):
    once = merged("", new)

    assert merged(once, new) == once


def test_days_stand_in_their_order_and_lines_behind_what_their_day_has():
    text = merged("", [observed(day=date(2026, 2, 13)), observed(text="First"), observed(text="Second", level="RED")])

    assert text == (
        "## 2026-02-12\n\nGRN 09:32 First\nRED 09:32 Second\n\n"
        "## 2026-02-13\n\nGRN 09:32 The container starts in 14 s\n"
    )


@given(st.lists(OBSERVATIONS), st.integers(0, 100_000))
def test_red_survives_any_deep_sleep(new, hours):
    text = merged("", new)
    digests = frozenset(one.digest for one in read_observations(text))

    left = pruned(text, is_ours=everything, superseded=digests, now=NOON + timedelta(hours=hours))

    assert [one.text for one in read_observations(left) if one.level is Level.RED] == [
        one.text for one in read_observations(text) if one.level is Level.RED
    ]


def test_green_leaves_after_48_hours_and_not_a_minute_before():
    text = merged("", [observed(at="12:00")])

    def left(after):
        return pruned(text, is_ours=everything, superseded=frozenset(), now=NOON + after)

    assert left(timedelta(hours=47, minutes=59)) == text
    assert left(timedelta(hours=48)) == text
    assert left(timedelta(hours=48, minutes=1)) == ""


def test_times_are_of_the_agents_zone():
    text = merged("", [observed(at="12:00")])
    zone = ZoneInfo("America/New_York")

    assert pruned(text, is_ours=everything, superseded=frozenset(), now=NOON + timedelta(hours=49), zone=zone) == text


def test_yellow_leaves_when_it_is_superseded_and_stays_otherwise():
    over, open_ = observed("YLW", text="The review waits"), observed("YLW", text="The import waits")
    text = merged("", [over, open_])

    left = pruned(text, is_ours=everything, superseded={over.digest}, now=NOON + timedelta(days=90))

    assert [one.text for one in read_observations(left)] == ["The import waits"]


def test_a_persons_line_is_neither_pruned_nor_given_another_level():
    text = merged("", [observed("YLW", text="Mine")])
    digest = read_observations(text)[0].digest

    def nobody(_):
        return False

    assert relevelled(text, {digest: Level.GRN}, is_ours=nobody) == text
    assert pruned(text, is_ours=nobody, superseded={digest}, now=NOON + timedelta(days=90)) == text


def test_a_day_without_lines_goes_and_a_persons_words_under_it_keep_it():
    text = merged("", [observed(), observed(day=date(2026, 2, 14), text="Other")]) + "Ann called.\n"

    left = without(text, lambda one: True)

    assert left == "## 2026-02-14\n\nAnn called.\n"


def test_a_text_in_which_nothing_goes_stays_to_the_last_byte():
    text = "## 2026-02-12\n\nGRN 09:32 Ours"

    assert without(text, lambda one: False) == text


def test_a_line_of_a_divided_day_is_put_in_front_of_its_parts_and_the_heading_of_a_part_keeps_its_day():
    text = "\ufeff## 2026-02-12\n\nGRN 09:00 First\n\n### Invoices\nGRN 09:10 Second\n"

    assert merged(text, [observed(text="New")]) == text.replace("First\n", "First\nGRN 09:32 New\n")
    assert without(text, everything) == "\ufeff## 2026-02-12\n\n\n### Invoices\n"
    assert beside_observations(text).split() == ["\ufeff##", "2026-02-12", "###", "Invoices"]
