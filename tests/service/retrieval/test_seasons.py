"""A season is where the speaker lives."""

from datetime import UTC, date
from zoneinfo import ZoneInfo

import pytest

from service.retrieval.seasons import season_named, season_of_last_year

NOVEMBER = date(2025, 11, 14)
SOUTHERN_SUMMER = (date(2024, 12, 1), date(2025, 3, 2))
NORTHERN_SUMMER = (date(2025, 6, 1), date(2025, 8, 31))


@pytest.mark.parametrize(
    ("text", "language", "zone", "days"),
    [
        ("no verão passado", "pt", "America/Sao_Paulo", SOUTHERN_SUMMER),
        ("no verão passado", "pt", "America/Bahia", SOUTHERN_SUMMER),
        ("no verão passado", "pt", "Africa/Maputo", SOUTHERN_SUMMER),
        ("no verão passado", "pt", "Europe/Lisbon", NORTHERN_SUMMER),
        ("el verano pasado", "es", "America/Argentina/Buenos_Aires", SOUTHERN_SUMMER),
        ("el verano pasado", "es", "America/Santiago", SOUTHERN_SUMMER),
        ("el verano pasado", "es", "America/Mexico_City", NORTHERN_SUMMER),
        ("el verano pasado", "es", "America/Bahia_Banderas", NORTHERN_SUMMER),
        ("el verano pasado", "es", "Europe/Madrid", NORTHERN_SUMMER),
        ("el verano pasado", "es", "UTC", NORTHERN_SUMMER),
        ("last summer", "en", "Australia/Sydney", SOUTHERN_SUMMER),
        ("last summer", "en", "Pacific/Auckland", SOUTHERN_SUMMER),
        ("last summer", "en", "Africa/Johannesburg", SOUTHERN_SUMMER),
        ("last summer", "en", "America/New_York", NORTHERN_SUMMER),
        ("last winter", "en", "Australia/Perth", NORTHERN_SUMMER),
        ("letzten Sommer", "de", "Africa/Windhoek", SOUTHERN_SUMMER),
    ],
)
def test_summer_begins_in_december_south_of_the_equator(text, language, zone, days):
    found = season_named(text, today=NOVEMBER, timezone=ZoneInfo(zone), language=language)

    assert (found.first, found.last) == days


@pytest.mark.parametrize("timezone", [UTC, ZoneInfo("Etc/UTC"), None])
def test_in_portuguese_without_a_place_no_season_is_named(timezone):
    assert season_named("no verão passado", today=NOVEMBER, timezone=timezone, language="pt-BR") is None


def test_a_season_of_last_year_is_shifted_too():
    assert season_of_last_year("去年夏天", today=NOVEMBER).first == date(2024, 6, 1)
    assert season_of_last_year("去年夏天", today=NOVEMBER, timezone=ZoneInfo("Australia/Sydney")).first == date(
        2024, 12, 1
    )
