"""The day of a note, from its file's name, and how its weight decays with age."""

from __future__ import annotations

import re
from datetime import date

from service.index.journal_files import FOLDER

_LEAST_WEIGHT = 0.4
_DATED = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)


def day_of(path: str) -> date | None:
    """
    The day in the file's name: of ``memory/2026-01-09.md`` and ``memory/trips/2026-01-09-lyon.md``; none of
    MEMORY.md.
    """
    folder, _, name = path.rpartition("/")
    found = _DATED.match(name) if folder.partition("/")[0] == FOLDER else None
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def decay(day: date | None, *, today: date, half_life_days: float) -> float:
    """
    A note's remaining weight: it halves every *half_life_days* (0: never), down to 0.4. Undated notes keep theirs.

    Below that limit, an old note that answers would come after every note without a date.
    """
    if day is None or half_life_days <= 0:
        return 1.0
    share: float = 0.5 ** (max((today - day).days, 0) / half_life_days)
    return max(share, _LEAST_WEIGHT)
