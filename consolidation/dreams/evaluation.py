"""
What a deep sleep measures of its agent: a line of ``evaluation.jsonl``, with one setting that a person might change.

Nothing is changed by itself. A person reads the line and accepts it, or not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from consolidation.dreams.actions import action_of
from consolidation.dreams.observations import Level, read_observations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.dreams.dream_log import DreamRecord
    from consolidation.kernel.turns import StoredTurn

_FEW, _MANY = 0.2, 0.5  # shares
_LEAST_JUDGED, _LEAST_DREAMS = 10, 3  # outcomes or calls; dreams


def evaluate(
    record: DreamRecord,
    *,
    since: Sequence[DreamRecord],
    observations: str,
    actions: Sequence[StoredTurn],
    calls: int,
    surfaced: int,
    outcomes: Mapping[str, int],
    now: datetime,
) -> dict[str, Any]:
    """
    The line of the deep sleep *record*, which ends the dreams *since* the one before.

    *actions* are their tool calls; *calls* are the newest pre-turn calls, and *surfaced* those in which something did.
    """
    made = [(one.tool, one.arguments) for stored in actions if (one := action_of(stored)) is not None]
    failed = sum(one.has_failed for stored in actions if (one := action_of(stored)) is not None)
    repeated = sum(number - 1 for number in Counter(made).values())
    levels = Counter(one.level for one in read_observations(observations))
    figures = {
        "dreams": len(since),
        "forced_dreams": sum(one.is_forced for one in since),
        "actions": len(made),
        "failed_share": _share(failed, len(made)),
        "repeated_share": _share(repeated, len(made)),
        "surface_rate": _share(surfaced, calls),
        "outcomes": {name: number for name, number in sorted(outcomes.items()) if number},
        "observations": {level.value: levels[level] for level in Level},
    }
    line = {"t": now.isoformat(), "dream": record.dream, **figures}
    return line | {"proposal": _proposal(figures, outcomes, dreams=len(since))}


def _proposal(figures: Mapping[str, Any], outcomes: Mapping[str, int], *, dreams: int) -> dict[str, str] | None:
    """One change of a setting that the figures speak for."""
    judged = sum(outcomes.get(name, 0) for name in ("acted", "used", "dismissed", "contradicted"))
    useless = outcomes.get("dismissed", 0) + outcomes.get("contradicted", 0)
    if judged >= _LEAST_JUDGED and useless > _MANY * judged:
        return _change("RESONANCE__RELEVANCE", "higher", f"{useless} of {judged} memories that surfaced were of no use")
    if dreams >= _LEAST_DREAMS and figures["forced_dreams"] > _MANY * dreams:
        return _change("SLEEP__FATIGUE_WARNING", "lower", "most of its sleeps were forced: it wraps up too late")
    if figures["actions"] >= _LEAST_JUDGED and (figures["repeated_share"] or 0) > _MANY:
        return _change("SLEEP__WONDER_EVERY", "lower", "more than half of its tool calls repeat an earlier one")
    if figures["surface_rate"] is not None and figures["surface_rate"] < _FEW and judged and not useless:
        return _change("RESONANCE__RELEVANCE", "lower", "little surfaced, and all of it was of use")
    return None


def _change(setting: str, direction: str, reason: str) -> dict[str, str]:
    return {"setting": setting, "direction": direction, "reason": reason}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
