"""
``sleep.json``: whether an agent sleeps, until when, and which dream is owed. Replaced whole: a restart keeps it.

An agent wakes when its time is over, without anybody writing it down: whether it is awake follows from the clock.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from consolidation.dreams.sleep_decision import SleepKind
from consolidation.kernel.files import replace_text
from consolidation.kernel.links import open_regular

if TYPE_CHECKING:
    from datetime import datetime, tzinfo
    from pathlib import Path


MOST_SLEEPS = 500
_PATIENCE = 2  # tries in a row in which no answer could be used; what is refused in the next one is quoted
WOKEN = "woken"  # the reason where nobody gave one
_UNNAMED = "UTC"  # what stands in the file until a zone is named: earlier versions need a name there


class OwedDream(BaseModel):
    """
    A dream that was promised and is not in ``dreams.jsonl`` yet: over the turns up to ``last_sequence``.

    ``cycle`` is the one in which it was promised; None where an earlier version of the service promised it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    dream_id: str
    kind: SleepKind
    last_sequence: int
    asked_at: AwareDatetime
    cycle: int | None = None
    session_id: str = ""
    is_forced: bool = False
    error: str = ""


class PastSleep(BaseModel):
    """A sleep that is over: what it was, from when to when."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: SleepKind
    asleep_at: AwareDatetime
    woke_at: AwareDatetime


class SleepState(BaseModel):
    """
    What is known of an agent's last sleep. ``cycle`` counts from 1 and is that of the time before this sleep.

    ``last_sequence`` is the newest turn before it, ``dream_id`` the dream that was promised with it. ``owed`` is dreamt
    before ``owed_next``, which was promised while the other one was being made or tried again.
    ``earlier`` are the sleeps before it, oldest first, so many as are shown. ``error`` says why the end of a deep
    sleep, or what an erasure left of a dream, is late. ``put_right`` is the id of the last line of the corrections that
    its dreams follow. ``refused`` counts tries in a row for which models had no answer that can be used, up to two.
    ``is_zone_named`` says that ``timezone`` was named; in files of an earlier version, it was where
    it is not UTC.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    cycle: int = 1
    asleep_at: AwareDatetime | None = None
    wake_at: AwareDatetime | None = None
    woken_at: AwareDatetime | None = None
    kind: SleepKind | None = None
    reason: str = ""
    timezone: str = _UNNAMED
    is_zone_named: bool = False
    dream_id: str | None = None
    last_sequence: int = 0
    owed: OwedDream | None = None
    owed_next: OwedDream | None = None
    error: str = ""
    earlier: tuple[PastSleep, ...] = ()
    put_right: str = ""
    refused: int = 0

    def zone(self, *, otherwise: tzinfo) -> tzinfo:
        """The agent's own time zone: the one that was named last; *otherwise* where none was, or it is not a zone."""
        if self.timezone == _UNNAMED and not self.is_zone_named:
            return otherwise
        try:
            return ZoneInfo(self.timezone)
        except (ValueError, ZoneInfoNotFoundError, OSError):
            return otherwise

    def in_zone(self, name: str | None) -> Self:
        """It with the zone of that name as the agent's own; as it is with None."""
        return self.model_copy(update={"timezone": name, "is_zone_named": True}) if name is not None else self

    def ended(self, now: datetime) -> Self:
        """It with a sleep that goes on ended at *now*: who acts in its sleep, and sleeps again, was awake."""
        return self.model_copy(update={"woken_at": now}) if self.is_asleep(now) else self

    def is_asleep(self, now: datetime) -> bool:
        """Whether the agent is still to pause."""
        return self.wake_at is not None and self.woken_at is None and now < self.wake_at

    def prolonged(self, seconds: float, *, now: datetime, has_acted: bool) -> Self | None:
        """
        This sleep, for *seconds* from *now* at least. None where the agent is awake, naps, or has acted since it began.

        No sleep becomes longer because the clock was ahead when it began.
        """
        if self.asleep_at is None or self.wake_at is None or not self.is_asleep(now):
            return None
        if self.kind in {None, SleepKind.NAP} or has_acted:
            return None
        standing = min(self.wake_at, now + (self.wake_at - self.asleep_at))
        return self.model_copy(update={"wake_at": max(standing, now + timedelta(seconds=seconds))})

    @property
    def promised(self) -> OwedDream | None:
        """The dream that was promised last and may still be owed."""
        return self.owed_next or self.owed

    @property
    def may_go_on_exhausted(self) -> bool:
        """
        Whether an exhausted agent need not sleep now: it did because it had to, or its dream has not failed so far.

        A dream from before it was exhausted, which failed, excuses nothing.
        """
        promised = [one for one in (self.owed, self.owed_next) if one is not None]
        return any(one.is_forced for one in promised) or not all(one.error for one in promised[:1])

    def promising(self, owed: OwedDream | None, *, made: OwedDream | None) -> Self:
        """The state with what is promised now, behind what is being *made*."""
        if owed is None:
            return self
        first, second = (made, owed) if made is not None else (owed, None)
        return self.model_copy(update={"owed": first, "owed_next": second})

    @property
    def quotes_refused(self) -> bool:
        """Whether what no model dreams as it should is quoted in this try: that is worth more than no dream."""
        return self.refused >= _PATIENCE

    def failed(self, reason: str, *, is_refused: bool) -> Self:
        """The state of an agent whose dream failed, or what is left of one where none is owed."""
        counted: dict[str, object] = {"refused": min(self.refused + is_refused, _PATIENCE)}
        if self.owed is None:
            return self.model_copy(update=counted | {"error": reason})
        return self.model_copy(update=counted | {"owed": self.owed.model_copy(update={"error": reason})})

    def completed(self, *, is_quoted: bool) -> Self:
        """The state when nothing is owed; where what was owed *is_quoted*, the next refusal is quoted at once."""
        return self.model_copy(update={"error": "", "refused": self.refused if is_quoted else 0})

    def deepened(self) -> Self:
        """The state with a deep sleep in place of the dream that was promised last."""
        deep = self.promised and self.promised.model_copy(update={"kind": SleepKind.DEEP_SLEEP})
        return self.model_copy(update={"owed" if self.owed_next is None else "owed_next": deep})

    def left_after(self, cursor: int) -> Self:
        """The state without promises that are kept: of turns up to *cursor*."""
        left = (one for one in (self.owed, self.owed_next) if one is not None and one.last_sequence > cursor)
        return self.model_copy(update={"owed": next(left, None), "owed_next": next(left, None)})

    def sleeps(self, now: datetime) -> tuple[PastSleep, ...]:
        """All sleeps that are over at *now*, oldest first."""
        woke_at = self.woke_at(now)
        if self.asleep_at is None or self.kind is None or woke_at is None:
            return self.earlier
        return (*self.earlier, PastSleep(kind=self.kind, asleep_at=self.asleep_at, woke_at=min(woke_at, now)))

    def sleeps_before(self, now: datetime) -> tuple[PastSleep, ...]:
        """The sleeps that are kept when another one begins at *now*; it ends one that goes on."""
        return self.ended(now).sleeps(now)[-MOST_SLEEPS:]

    def cycle_at(self, now: datetime) -> int:
        """The cycle that goes on at *now*: one more after each sleep. A nap begins none."""
        has_woken = self.asleep_at is not None and self.kind is not SleepKind.NAP and not self.is_asleep(now)
        return self.cycle + has_woken

    @property
    def woken_because(self) -> str:
        """Why the agent was woken before its time; "" where it was not, or where nobody said why."""
        return self.reason if self.woken_at is not None and self.reason != WOKEN else ""

    def woke_at(self, now: datetime) -> datetime | None:
        """When the agent woke from its last sleep; None while it sleeps, or before it ever slept."""
        if self.asleep_at is None or self.is_asleep(now):
            return None
        return self.woken_at or self.wake_at


def read_sleep_state(file: Path) -> SleepState:
    """The state in *file*; that of an agent that never slept where the file is missing or garbled. Raises OSError."""
    try:
        with open_regular(file) as found:
            return SleepState.model_validate_json(found.read())
    except FileNotFoundError:
        return SleepState()
    except ValidationError:
        return SleepState()


def agent_zone(file: Path, *, otherwise: tzinfo) -> tzinfo:
    """The agent's own time zone by its state in *file*; *otherwise* where it named none, or that can not be read."""
    try:
        return read_sleep_state(file).zone(otherwise=otherwise)
    except OSError:
        return otherwise


def write_sleep_state(file: Path, state: SleepState) -> None:
    """Put *state* into *file*, whole or not at all; it is on disk then. Raises OSError."""
    replace_text(file, state.model_dump_json())
