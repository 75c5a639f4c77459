"""
How dreams write into files that people edit too: ``priorities.md``, ``briefing.md``, ``diary.md``.

What we wrote last is known. Of a file that was changed since, the lines that are not ours are a person's: they stay,
and what a person deleted does not come back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from consolidation.dreams.dream_log import DreamRecord

MOST_PRIORITIES, MOST_BRIEFING_LINES = 5, 80
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(.+)$")
_PRIORITIES = "# Priorities"


def read_priorities(text: str) -> tuple[str, ...]:
    """The items of ``priorities.md``, the most important first."""
    found = (_ITEM.match(line) for line in text.splitlines())
    return tuple(one[1].strip() for one in found if one)


def new_priorities(text: str, items: Sequence[str], *, written: str) -> str:
    """*text* with *items* in the place of ours, behind what a person wrote; *written* is what we wrote last."""
    peoples = [line for line in text.splitlines() if line.strip() and line not in written.splitlines()]
    deleted = set(read_priorities(written)) - set(read_priorities(text)) if text.strip() else set[str]()
    theirs = [one for line in peoples for one in read_priorities(line)]
    ours = [one for one in dict.fromkeys(items) if one not in deleted and one not in theirs]
    room = max(MOST_PRIORITIES - len(theirs), 0)
    lines = [*peoples, *(f"- {one}" for one in ours[:room])]
    heading = [] if any(line.startswith("#") for line in peoples) else [_PRIORITIES, ""]
    return "".join(f"{line}\n" for line in (*heading, *lines))


def new_briefing(text: str, briefing: str, *, written: str) -> str:
    """*briefing* in the place of ours, behind the lines that a person wrote; *written* is what we wrote last."""
    known = written.splitlines()
    peoples = [line for line in text.splitlines() if line.strip() and line not in known]
    deleted = {line for line in known if line.strip() and line not in text.splitlines()} if text.strip() else set[str]()
    ours = [line for line in briefing.strip().splitlines() if line not in deleted and line not in peoples]
    between = [""] if peoples and ours else []
    return "".join(f"{line}\n" for line in (*peoples, *between, *ours)[:MOST_BRIEFING_LINES])


def diary_heading(record: DreamRecord, dreams: Iterable[DreamRecord], *, zone: tzinfo) -> str:
    """The heading of a deep sleep's entry: its minute, and its number where an earlier deep sleep has that minute."""
    minute = f"{record.t.astimezone(zone):%Y-%m-%d %H:%M}"
    earlier = (one for one in dreams if one.deep and one.dream < record.dream)
    is_taken = any(f"{one.t.astimezone(zone):%Y-%m-%d %H:%M}" == minute for one in earlier)
    return f"## {minute}" + f", dream {record.dream}" * is_taken


def with_diary_entry(text: str, entry: str, *, heading: str) -> str:
    """*text* with *entry* at its end, under *heading*; as it is where it has an entry of this heading."""
    if heading in text.splitlines():
        return text
    before = f"{text.rstrip()}\n\n" if text.strip() else ""
    return f"{before}{heading}\n\n{entry.strip()}\n"
