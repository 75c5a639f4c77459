"""
``observations.md``: what dreams distilled, a fact a line under its day, in three levels; read, merged and pruned here.

A line that we did not write, or that a person changed since, is a person's: it is neither moved nor removed. What is
ours is known by the digests and levels that each dream's line in ``dreams.jsonl`` lists.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from consolidation.dreams.writings import line_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from datetime import tzinfo

# An editor may have put a byte order mark in front of a file. A smaller heading divides a day, and does not end it.
_DAY = re.compile(r"^\ufeff?## (\d{4}-\d\d-\d\d)\s*$")
_HEADING = re.compile(r"^\ufeff?##?(?:\s|$)")
_LINE = re.compile(r"^(RED|YLW|GRN) (\d\d:\d\d) (.+)$")
INFORMATIONAL_FOR = timedelta(hours=48)


class Level(StrEnum):
    """How much an observation matters: critical and kept for ever, important until superseded, or informational."""

    RED = "RED"
    YLW = "YLW"
    GRN = "GRN"


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact of a day, at a time of that day (HH:MM) in the zone of the dream that made it."""

    day: date
    level: Level
    at: str
    text: str

    @property
    def line(self) -> str:
        """The line of the file."""
        return f"{self.level} {self.at} {self.text}"

    @property
    def dated(self) -> str:
        """The line with its day in front, as it is kept outside of the file."""
        return f"{self.day} {self.line}"

    @property
    def digest(self) -> str:
        """What tells this fact from one whose day, time or words a person changed. Its level is not in it."""
        return line_digest(f"{self.day} {self.at} {self.text}")

    @property
    def said(self) -> tuple[date, Level, str]:
        """What it says, of which a file has one line: its time is not in it."""
        return self.day, self.level, self.text

    def instant(self, zone: tzinfo = UTC) -> datetime:
        """When it was, in UTC."""
        hour, minute = (int(part) for part in self.at.split(":"))
        local = datetime(self.day.year, self.day.month, self.day.day, min(hour, 23), min(minute, 59), tzinfo=zone)
        try:
            return local.astimezone(UTC)
        except OverflowError:  # the first or the last day that there is
            return local.replace(tzinfo=UTC)


def read_observations(text: str) -> tuple[Observation, ...]:
    """The observations of a file, in its order; lines of any other form are left out."""
    return tuple(found for _, found in _lines(text) if found is not None)


def read_dated(lines: Iterable[str]) -> tuple[Observation, ...]:
    """The observations of dated lines; a line of any other form is left out."""
    return tuple(found for one in lines for found in read_observations(f"## {one[:10]}\n{one[11:]}"))


def numbered_observations(text: str) -> tuple[tuple[int, Observation], ...]:
    """The observations of a file with their lines, which count from 1 and end at a newline."""
    found, number = [], 1
    for raw, (_, one) in zip(text.splitlines(keepends=True), _lines(text), strict=True):
        if one is not None:
            found.append((number, one))
        number += raw.count("\n")
    return tuple(found)


def beside_observations(text: str) -> str:
    """
    What people wrote between the observations: *text* with nothing in place of those.

    A day that holds nothing else goes as well. Every other line stays in its place.
    """
    left = ["" if one is not None else line for line, one in _lines(text)]
    for at, line in enumerate(left):
        section = itertools.takewhile(lambda other: not _HEADING.match(other), left[at + 1 :])
        if _DAY.match(line) and not any(other.strip() for other in section):
            left[at] = ""
    whole = zip(text.splitlines(), text.splitlines(keepends=True), strict=True)
    endings = (ended[len(line) :] for line, ended in whole)
    return "".join(line + ending for line, ending in zip(left, endings, strict=True))


def merged(text: str, new: Iterable[Observation]) -> str:
    """
    *text* with *new* behind what stands under their days. A day that is missing is put in its place by date.

    An observation whose level and words stand under its day already is not added.
    """
    for one in new:
        if one.said not in {known.said for known in read_observations(text)}:
            text = _with(text, one)
    return text


def pruned(
    text: str,
    *,
    is_ours: Callable[[Observation], bool],
    superseded: AbstractSet[str],
    now: datetime,
    zone: tzinfo = UTC,
) -> str:
    """
    *text* without what is over: of our own lines, GRN older than 48 hours, and YLW that are *superseded* (digests).

    RED stays whatever is said of it, and so does every line of a person.
    """

    def is_over(one: Observation) -> bool:
        if one.level is Level.RED or not is_ours(one):
            return False
        if one.level is Level.GRN:
            return now - one.instant(zone) > INFORMATIONAL_FOR
        return one.digest in superseded

    return without(text, is_over)


def relevelled(text: str, levels: Mapping[str, Level], *, is_ours: Callable[[Observation], bool]) -> str:
    """*text* with other levels for some of our lines, by digest."""
    lines = []
    for line, found in _lines(text):
        level = levels.get(found.digest) if found is not None and is_ours(found) else None
        lines.append(f"{level} {found.at} {found.text}" if level is not None and found is not None else line)
    return _joined(lines, text)


def without(text: str, is_gone: Callable[[Observation], bool]) -> str:
    """*text* without the observations that are gone, and without days that are then empty."""
    kept: list[str] = []
    was_emptied = False
    for line, found in _lines(text):
        if found is not None and is_gone(found):
            was_emptied = True
            continue
        if was_emptied and _DAY.match(line):
            _drop_empty_day(kept)
            was_emptied = False
        kept.append(line)
    if was_emptied:
        _drop_empty_day(kept)
    return _joined(kept, text)


def _drop_empty_day(lines: list[str]) -> None:
    """Drop the last heading if nothing but blank lines follows it."""
    at = len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    if at and _DAY.match(lines[at - 1]):
        del lines[at - 1 :]


def _with(text: str, one: Observation) -> str:
    lines = text.splitlines()
    days = [(at, date.fromisoformat(found[1])) for at, line in enumerate(lines) if (found := _day(line))]
    same = [at for at, day in days if day == one.day]
    if same:
        at = _end_of_section(lines, same[-1])
        new = [one.line] if lines[at - 1].strip() and not _DAY.match(lines[at - 1]) else ["", one.line]
        return _joined([*lines[:at], *new, *lines[at:]], text)
    at = next((at for at, day in days if day > one.day), len(lines))
    while at and not lines[at - 1].strip():
        at -= 1
    before = [*lines[:at], ""] if at else []
    after = ["", *_after_blanks(lines[at:])] if _after_blanks(lines[at:]) else []
    return _joined([*before, f"## {one.day}", "", one.line, *after], text)


def _after_blanks(lines: list[str]) -> list[str]:
    at = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    return lines[at:]


def _end_of_section(lines: list[str], heading: int) -> int:
    """Behind the last line with words of a day, in front of the headings that divide it."""
    end = next((at for at in range(heading + 1, len(lines)) if lines[at].startswith("#")), len(lines))
    while end > heading + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _day(line: str) -> re.Match[str] | None:
    """The heading of a day that there is."""
    found = _DAY.match(line)
    if found is None:
        return None
    try:
        date.fromisoformat(found[1])
    except ValueError:
        return None
    return found


def _lines(text: str) -> Iterator[tuple[str, Observation | None]]:
    day: date | None = None
    for line in text.splitlines():
        if _HEADING.match(line):
            heading = _day(line)
            day = date.fromisoformat(heading[1]) if heading else None
        found = _LINE.match(line) if day is not None else None
        is_one = found is not None and day is not None and _is_time(found[2])
        yield line, Observation(day, Level(found[1]), found[2], found[3].strip()) if is_one and found and day else None


def _is_time(at: str) -> bool:
    hour, minute = at.split(":")
    return int(hour) < 24 and int(minute) < 60  # noqa: PLR2004 - of a day, of an hour


def _joined(lines: list[str], text: str) -> str:
    """*lines* as a text that ends with a line end; *text* itself, to the last byte, where they are its lines."""
    return text if lines == text.splitlines() else "".join(f"{line}\n" for line in lines)
