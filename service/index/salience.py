"""
How a memory proved itself, from what was reported of it: its usefulness, and how much it is doubted.

These are two numbers, since a memory may be true and of no use, or useful for a long time and wrong now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

type Outcome = Literal["acted", "used", "deferred", "dismissed", "contradicted"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome.__value__)

_AT_FIRST = 0.5
_MOST_EVIDENCE = 20  # signals, beyond which each further one moves as much as the last
_HALF_LIFE_DAYS = 30.0  # of what is above the usefulness that every memory has at first
_LEAST_FACTOR, _SPREAD = 0.6, 0.8  # of a score: from 0.68 for what was contradicted to 1.32 for what helps always
_DOUBTED, _USELESS = 1.0, 0.3
_WHOLE = 1.0  # the weight of an outcome of the memory itself
_DECISIVE = frozenset({"acted", "contradicted"})


@dataclass(frozen=True, slots=True)
class Effect:
    """Where an outcome moves usefulness to, how fast, by which share at least, and how much doubt it adds."""

    target: float | None = None
    pace: float = 1.0
    least: float = 0.0
    doubt: float = 0.0


_EFFECTS: dict[Outcome, Effect] = {
    "acted": Effect(0.9),
    "used": Effect(),
    "deferred": Effect(),
    "dismissed": Effect(0.4),
    # What proved right for years may be wrong from today on: one is enough to hold it back, two move it to the end.
    "contradicted": Effect(0.1, pace=2.0, least=0.5, doubt=1.0),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """
    One outcome of one memory. ``weight`` is 1, or a half for a turn whose fact was meant.

    ``newest`` is the last sequence of the mind when it was reported.
    """

    outcome: Outcome
    weight: float
    at: datetime
    newest: int


@dataclass(frozen=True, slots=True)
class Salience:
    """
    What the signals of one memory come to: ``usefulness`` in 0…1, ``doubt`` from 0 up, the last signal's time.

    ``doubted_at`` is the last sequence of the mind when it was contradicted last. ``is_wrong`` says whether it was
    contradicted itself, and nobody acted on it since. Doubt counts from when somebody last did.
    """

    usefulness: float = _AT_FIRST
    doubt: float = 0.0
    last_at: datetime | None = None
    doubted_at: int = 0
    is_wrong: bool = False

    def factor(self, now: datetime) -> float:
        """
        By which a score is multiplied.

        What a memory gained fades with time, so that an old favourite does not crowd out what is new. What it lost
        stays lost.
        """
        gained = self.usefulness - _AT_FIRST
        if gained > 0 and self.last_at is not None:
            days = max(0.0, (now - self.last_at).total_seconds() / 86_400)
            gained *= 0.5 ** (days / _HALF_LIFE_DAYS)
        return _LEAST_FACTOR + _SPREAD * (_AT_FIRST + gained)

    def is_held_back(self, sequences: Iterable[int]) -> bool:
        """Whether it was found wrong, and has not been said again since in one of the turns *sequences*."""
        is_wrong = self.is_wrong or (self.doubt >= _DOUBTED and self.usefulness < _USELESS)
        return is_wrong and all(sequence <= self.doubted_at for sequence in sequences)


UNKNOWN = Salience()


def salience_of(signals: Iterable[Signal]) -> Salience:
    """
    What *signals*, oldest first, come to.

    Each moves usefulness a part of the way to its target, and the more came before, the smaller the part. The last
    ``acted`` or ``contradicted`` of the memory itself decides whether it is wrong, however many came before.
    """
    usefulness, doubt, evidence, doubted_at, is_wrong = _AT_FIRST, 0.0, 0.0, 0, False
    last_at: datetime | None = None
    for signal in signals:
        effect = _EFFECTS[signal.outcome]
        last_at = signal.at
        if effect.target is None:
            continue
        step = max(effect.pace / (min(evidence + 1, _MOST_EVIDENCE) + 1), effect.least)
        usefulness += signal.weight * min(step, 1.0) * (effect.target - usefulness)
        evidence += signal.weight
        doubt += signal.weight * effect.doubt
        if effect.doubt:
            doubted_at = max(doubted_at, signal.newest)
        if signal.weight >= _WHOLE and signal.outcome in _DECISIVE:
            is_wrong = signal.outcome == "contradicted"
            doubt = doubt if is_wrong else 0.0
    return Salience(usefulness, doubt, last_at, doubted_at, is_wrong)
