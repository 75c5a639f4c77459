"""observations.md as chunks: a line each, and what people wrote beside them as notes, every line in its place."""

from datetime import UTC, date

from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.observations import Level, beside_observations, numbered_observations, read_observations
from service.index.observed_lines import chunk_observations

FILE = """# Observed

## 2026-02-12

RED 09:32 Promised Ann the report by Friday noon
YLW 09:40 The review of branch import-2 still waits for Bo
Bo is on holiday until Monday.

## 2026-02-13

GRN 09:41 The test container starts in 14 s
"""
LINES = st.sampled_from(
    [
        "## 2026-02-12",
        "## 2026-13-40",
        "# Notes",
        "RED 09:32 One",
        "GRN 25:00 Two",
        "YLW 10:00 Three\u2028",
        "mine",
        "",
        " ",
    ]
)
FILES = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r", "\x0b"])).map(
    lambda drawn: drawn[1].join(drawn[0])
)


def test_each_observation_is_a_chunk_of_its_own_without_level_and_time():
    chunks, _ = chunk_observations(FILE, redacted=str)

    assert [(one.cut.start_line, one.cut.text) for one in chunks] == [
        (5, "Promised Ann the report by Friday noon"),
        (6, "The review of branch import-2 still waits for Bo"),
        (11, "The test container starts in 14 s"),
    ]
    first = chunks[0].observed
    assert (first.day, first.at, first.level) == (date(2026, 2, 12), "09:32", Level.RED)
    assert first.digest == read_observations(FILE)[0].digest
    assert first.instant(UTC).isoformat() == "2026-02-12T09:32:00+00:00"


def test_what_a_person_wrote_beside_them_stays_in_its_place_and_empty_days_go():
    _, notes = chunk_observations(FILE, redacted=str)

    lines = notes.split("\n")
    assert {number: line for number, line in enumerate(lines, 1) if line} == {
        1: "# Observed",
        3: "## 2026-02-12",
        7: "Bo is on holiday until Monday.",
    }


def test_a_secret_is_taken_out_of_the_text_and_the_line_is_still_known():
    chunks, _ = chunk_observations(FILE, redacted=lambda text: text.replace("Ann", "[secret]"))

    assert chunks[0].cut.text == "Promised [secret] the report by Friday noon"
    assert chunks[0].observed.digest == read_observations(FILE)[0].digest


def test_what_is_commented_out_is_no_chunk():
    chunks, notes = chunk_observations("## 2026-02-12\n<!--\nRED 09:32 Old\n-->\n", redacted=str)

    assert chunks == ()
    assert "Old" not in notes


@given(FILES)
def test_observations_and_what_is_beside_them_share_no_line_and_lose_none(text):
    numbered = numbered_observations(text)
    beside = beside_observations(text)

    assert tuple(one for _, one in numbered) == read_observations(text)
    assert read_observations(beside) == ()
    assert beside.count("\n") == text.count("\n")
    assert beside_observations(beside) == beside
    assert all(text.split("\n")[number - 1].lstrip() for number, _ in numbered)
