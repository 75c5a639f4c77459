"""Which dreams each deep sleep tells, however late it is tidied up after."""

from datetime import UTC, datetime

import pytest

from consolidation.dreams.dream_log import DreamRecord, Dreams, UndoneDream

AT = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)


def lived(number, *, deep=(3, 6), undone=()):
    """So many dreams, of which some are deep sleeps, and some were taken back."""
    taken_back = UndoneDream(at=AT, phase="gone")
    return Dreams(
        tuple(
            DreamRecord(t=AT, dream=one, deep=one in deep, undone=taken_back if one in undone else None)
            for one in range(1, number + 1)
        )
    )


@pytest.mark.parametrize(
    ("undone", "tidied", "oldest", "tells"),
    [
        ((), 0, 3, [1, 2, 3]),
        ((), 3, 6, [4, 5, 6]),
        ((), 6, None, []),
        ((3,), 0, 6, [1, 2, 3, 4, 5, 6]),
        ((3,), 3, 6, [4, 5, 6]),
        ((6,), 3, None, []),
    ],
)
def test_the_oldest_deep_sleep_that_is_owed_tells_what_no_other_one_tells(undone, tidied, oldest, tells):
    dreams = lived(7, undone=undone)

    found = dreams.untidied(tidied=tidied)

    assert (found.dream if found else None) == oldest
    assert [one.dream for one in (dreams.up_to(found, tidied=tidied) if found else ())] == tells
