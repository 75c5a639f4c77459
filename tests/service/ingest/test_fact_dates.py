"""Which dates of a fact a turn tells. Every docstring says what was broken, once, to see the test fail."""

from datetime import date

import pytest

from prompts.responses import Fact
from service.ingest.fact_dates import DaysOfTalk

SAID_ON = date(2026, 5, 4)  # a Monday


def dated(text, valid_at, invalid_at=None, *, language="en"):
    fact = Fact(source="a", relation="R", target="b", fact=text, valid_at=valid_at, invalid_at=invalid_at)
    found = DaysOfTalk((text,), said_on=SAID_ON, language=language).dated(fact)
    return found.valid_at, found.invalid_at


@pytest.mark.parametrize(
    ("text", "when", "language"),
    [
        ("She lives in Lyon.", "2026-05-04T10:00:00Z", "en"),
        ("She moved yesterday.", "2026-05-03T00:00:00Z", "en"),
        ("She moved last May.", "2025-05-01T00:00:00Z", "en"),
        ("She moved on the 3rd of March.", "2026-03-03T00:00:00Z", "en"),
        ("She moved in 2019.", "2019-01-01T00:00:00Z", "en"),
        ("She lived there in the 1990s.", "1994-01-01T00:00:00Z", "en"),
        ("She moved three years ago.", "2023-05-04T00:00:00Z", "en"),
        ("She has worked there for 5 years.", "2021-01-01T00:00:00Z", "en"),
        ("She moved two weeks ago.", "2026-04-22T00:00:00Z", "en"),
        ("She moves next year.", "2027-01-01T00:00:00Z", "en"),
        ("She moved last summer.", "2025-07-01T00:00:00Z", "en"),
        ("She moved at Christmas.", "2025-12-25T00:00:00Z", "en"),
        ("She moves on Friday.", "2026-05-08T00:00:00+02:00", "en"),
        ("She moved on 05.12.2025.", "2025-12-05T00:00:00Z", "en"),
        ("Sie wohnt seit drei Jahren dort.", "2023-05-04T00:00:00Z", "de"),
        ("Sie zieht nächsten Monat um.", "2026-06-01T00:00:00Z", "de"),
        ("Elle a déménagé l'an dernier.", "2025-01-01T00:00:00Z", "fr"),
        ("Il a cinq ans.", "2021-05-04T00:00:00Z", "fr"),
        ("Se muda el mes que viene.", "2026-06-01T00:00:00Z", "es"),
        ("Przeprowadziła się w zeszłym roku.", "2025-06-01T00:00:00Z", "pl"),
        ("她去年搬家了。", "2025-01-01T00:00:00Z", "zh"),
        ("彼女は3年前に引っ越した。", "2023-05-04T00:00:00Z", "ja"),
        ("Geçen yıl taşındı.", "2025-06-01T00:00:00Z", "tr"),
    ],
)
def test_a_day_that_the_words_name_or_count_to_is_kept(text, when, language):
    """Broken: only the day of the turn is known."""
    assert dated(text, when, language=language) == (when, None)


@pytest.mark.parametrize(
    ("text", "when", "language"),
    [
        ("She lives in Lyon.", "2023-10-05T14:48:00Z", "en"),
        ("She has an aunt in Lyon.", "2025-12-01T00:00:00Z", "en"),
        ("She moved in 2019.", "2018-01-01T00:00:00Z", "en"),
        ("She moved yesterday.", "2026-03-01T00:00:00Z", "en"),
        ("She moved three years ago.", "2019-05-04T00:00:00Z", "en"),
        ("Geçen yıl taşındı.", "2019-06-01T00:00:00Z", "tr"),
        ("She lives in Lyon.", "soon", "en"),
        ("She lives in Lyon.", "", "en"),
    ],
)
def test_another_day_is_not(text, when, language):
    """Broken: ``_checked`` returns what it is given."""
    assert dated(text, when, language=language) == (None, None)


def test_an_end_lies_behind_the_beginning():
    """Broken: both dates stand for themselves."""
    text = "She lived there from 2015 to 2019."

    assert dated(text, "2015-01-01T00:00:00Z", "2019-01-01T00:00:00Z")[1] == "2019-01-01T00:00:00Z"
    assert dated(text, "2019-01-01T00:00:00Z", "2015-01-01T00:00:00+00:00") == ("2019-01-01T00:00:00Z", None)
    assert dated(text, "2019-01-01T00:00:00Z", "2019-01-01T00:00:00Z") == ("2019-01-01T00:00:00Z", None)


@pytest.mark.parametrize("when", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-05:00"])
def test_an_instant_that_is_in_no_calendar_of_utc_is_no_date(when):
    """Broken: an OverflowError, and the turn was parked."""
    assert dated("She sells boats.", when, when) == (None, None)
