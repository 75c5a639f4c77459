"""Whether a sleep is a nap, or consolidates what was lived: pure, from what is known when an agent asks to sleep."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import timedelta


class SleepKind(StrEnum):
    """
    What becomes of a sleep.

    A ``nap`` only pauses. A ``lightweight`` dream quotes the agent's last words and what people told it, and
    asks no model. A ``dream`` consolidates. A ``deep_sleep`` also tidies up what many dreams left.
    """

    NAP = "nap"
    LIGHTWEIGHT = "lightweight"
    DREAM = "dream"
    DEEP_SLEEP = "deep_sleep"


@dataclass(frozen=True, slots=True)
class SleepRules:
    """
    From when on a sleep consolidates: seconds asked for, seconds since the last dream, tool calls since then.

    Every *deep_every*-th dream is a deep sleep, and pauses for *deep_pause_seconds* at least.
    """

    nap_seconds: float = 30
    dream_interval_seconds: float = 600
    lightweight_actions: int = 5
    deep_every: int = 10
    deep_pause_seconds: float = 300


@dataclass(frozen=True, slots=True)
class BeforeSleep:
    """
    What is known of an agent that goes to sleep.

    ``actions`` counts the tool calls since its last dream. ``dreams`` are those that count towards a deep sleep.
    """

    seconds: float
    actions: int
    dreams: int
    since_dream: timedelta | None
    is_exhausted: bool = False


def decide_sleep(before: BeforeSleep, rules: SleepRules) -> SleepKind:
    """What an agent's sleep is. Whatever it asks for, it dreams when it is exhausted."""
    if not before.actions:
        return SleepKind.NAP
    is_short = before.seconds < rules.nap_seconds or _is_soon(before.since_dream, rules)
    if is_short and not before.is_exhausted:
        return SleepKind.NAP
    return kind_of_dream(actions=before.actions, dreams=before.dreams, rules=rules)


def kind_of_dream(*, actions: int, dreams: int, rules: SleepRules) -> SleepKind:
    """What a dream is, after *actions* and *dreams* that count towards a deep sleep."""
    if actions < rules.lightweight_actions:
        return SleepKind.LIGHTWEIGHT
    return SleepKind.DEEP_SLEEP if (dreams + 1) % rules.deep_every == 0 else SleepKind.DREAM


def kind_when_dreamt(promised: SleepKind, *, dreams: int, rules: SleepRules) -> SleepKind:
    """What a promised dream is when it is dreamt, after *dreams* that count: others may have come in between."""
    if promised is not SleepKind.DREAM:
        return promised
    return kind_of_dream(actions=rules.lightweight_actions, dreams=dreams, rules=rules)


def pause_seconds(kind: SleepKind, *, asked: float, rules: SleepRules) -> float:
    """How long the agent is to pause."""
    return max(asked, rules.deep_pause_seconds) if kind is SleepKind.DEEP_SLEEP else asked


def _is_soon(since_dream: timedelta | None, rules: SleepRules) -> bool:
    """Whether the last dream was just now. One that lies far ahead was dreamt while the clock was wrong."""
    return since_dream is not None and abs(since_dream.total_seconds()) < rules.dream_interval_seconds
