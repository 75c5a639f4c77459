"""
Cuts ``observations.md``: every observation is a chunk of its own, and what people wrote beside them is cut as notes.

An observation is known by the digest of its line as it stands in the file. Its text may be without secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.dreams.observations import Level, Observation, beside_observations, numbered_observations
from service.index.chunking import MarkdownChunk, without_comments

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime, tzinfo

OBSERVATIONS = "observations.md"


@dataclass(frozen=True, slots=True)
class ObservedLine:
    """What an observation is besides its text: its day, its time (HH:MM), its level, and the digest of its line."""

    day: date
    at: str
    level: Level
    digest: str

    def instant(self, zone: tzinfo) -> datetime:
        """When it was, in UTC; *zone* is the agent's."""
        return Observation(self.day, self.level, self.at, "").instant(zone)


@dataclass(frozen=True, slots=True)
class ObservationChunk:
    """An observation as a chunk: its text without level and time."""

    cut: MarkdownChunk
    observed: ObservedLine


def chunk_observations(text: str, *, redacted: Callable[[str], str]) -> tuple[tuple[ObservationChunk, ...], str]:
    """
    The observations of *text*, and *text* as *redacted* makes it, without them, where every line is in its place.

    *redacted* keeps the lines of a text. One whose level or time it takes away is left out.
    """
    plain = without_comments(text)
    shown = redacted(plain)
    texts = dict(numbered_observations(shown))
    chunks = tuple(
        ObservationChunk(
            MarkdownChunk(number, number, texts[number].text, ""), ObservedLine(one.day, one.at, one.level, one.digest)
        )
        for number, one in numbered_observations(plain)
        if number in texts
    )
    return chunks, beside_observations(shown)
