"""``Retry-After`` is read in both forms that HTTP has, and what is neither asks for nothing."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from service.adapters.retry_after import seconds_asked

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("60", 60),
        (" 60 ", 60),
        ("0.05", 0.05),
        ("0", 0),
        ("99999999999", 3600),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60),  # RFC 850
        ("Sun Nov  6 08:50:37 1994", 60),  # of C's asctime
        ("Mon, 07 Nov 1994 08:49:37 GMT", 3600),
        ("Sun, 06 Nov 1994 08:48:37 GMT", 0),  # over already
    ],
)
def test_seconds_and_each_form_of_a_date_are_read(said, seconds):
    assert seconds_asked({"retry-after": said, "date": DATE}, most=3600) == seconds


@pytest.mark.parametrize(
    "said",
    [
        "",
        "soon",
        "-1",
        "nan",
        "inf",
        "1e3",
        "٦٠",
        "60 s",
        "Sun, 99 Nov 1994 08:49:37 GMT",
        "1 Jan 0 0:0 +9999999999999",
    ],
)
def test_what_is_neither_asks_for_nothing(said):
    """Broken: nan is a number, with which no pause can be reckoned."""
    assert seconds_asked({"retry-after": said, "date": DATE}, most=3600) is None


def test_without_the_time_of_the_answer_a_date_counts_from_now():
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=600), usegmt=True)

    assert 500 < seconds_asked({"retry-after": until}, most=3600) <= 600
    assert seconds_asked({}, most=3600) is None
