"""Times by key, of which the oldest are forgotten."""

from datetime import UTC, datetime, timedelta

from service.runtime.last_seen import LastSeen

NOON = datetime(2026, 1, 9, 12, tzinfo=UTC)


def test_the_last_time_counts_and_the_oldest_is_forgotten():
    seen = LastSeen(most=2)
    for minutes, key in enumerate("abac"):
        seen.note(key, now=NOON + timedelta(minutes=minutes))

    assert (seen.at("a"), seen.at("b")) == (NOON + timedelta(minutes=2), None)
    assert seen.at("c") == NOON + timedelta(minutes=3)
