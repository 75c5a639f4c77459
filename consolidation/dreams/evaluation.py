"""
What a deep sleep measures of its agent: a line of ``evaluation.jsonl``, with one setting that a person might change.

Nothing is changed by itself. A person reads the line and accepts it, or not; that is a line of the same file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from consolidation.dreams.actions import action_of
from consolidation.dreams.observations import Level, read_observations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.dreams.dream_log import DreamRecord
    from consolidation.kernel.turns import StoredTurn

RELEVANCE, FATIGUE_WARNING, WONDER_EVERY = "relevance", "SLEEP__FATIGUE_WARNING", "SLEEP__WONDER_EVERY"
_FEW, _MANY = 0.2, 0.5  # shares
_LEAST_JUDGED, _LEAST_DREAMS = 10, 3  # outcomes or calls; dreams
_RELEVANCE_STEP = 0.1
_LOWER = 0.8  # of a number that is to be lower


class Proposal(BaseModel):
    """A setting that might be changed, its value then and the proposed one; earlier versions noted neither."""

    model_config = ConfigDict(frozen=True)

    setting: str
    value: float | None = None
    proposed: float | None = None
    reason: str

    @property
    def is_acceptable(self) -> bool:
        """Whether a person can accept it of one mind: the other settings are the whole service's."""
        return self.setting == RELEVANCE and self.value is not None and self.proposed is not None


class Evaluation(BaseModel):
    """What a deep sleep, the dream of this number, measured; and who accepted its proposal, if anybody did."""

    model_config = ConfigDict(frozen=True)

    t: AwareDatetime
    dream: int
    dreams: int
    forced_dreams: int
    actions: int
    failed_share: float | None
    repeated_share: float | None
    surface_rate: float | None
    outcomes: dict[str, int]
    observations: dict[str, int]
    proposal: Proposal | None
    accepted_at: AwareDatetime | None = None
    accepted_by: str | None = None


class Acceptance(BaseModel):
    """That the proposal of the deep sleep ``accepted`` was accepted."""

    model_config = ConfigDict(frozen=True)

    t: AwareDatetime
    accepted: int
    by: str


@dataclass(frozen=True, slots=True)
class PresentSettings:
    """The values that proposals are made of."""

    relevance: float
    fatigue_warning: int
    wonder_every: int


def evaluate(
    record: DreamRecord,
    *,
    since: Sequence[DreamRecord],
    observations: str,
    actions: Sequence[StoredTurn],
    calls: int,
    surfaced: int,
    outcomes: Mapping[str, int],
    present: PresentSettings,
    now: datetime,
) -> Evaluation:
    """
    The evaluation of the deep sleep *record*, which ends the dreams *since* the one before.

    *actions* are their tool calls; *calls* are the pre-turn calls of that time, and *surfaced* those in which something
    did. *outcomes* are of that time, too.
    """
    made = [(one.tool, one.arguments) for stored in actions if (one := action_of(stored)) is not None]
    failed = sum(one.has_failed for stored in actions if (one := action_of(stored)) is not None)
    repeated = sum(number - 1 for number in Counter(made).values())
    levels = Counter(one.level for one in read_observations(observations))
    found = Evaluation(
        t=now,
        dream=record.dream,
        dreams=len(since),
        forced_dreams=sum(one.is_forced for one in since),
        actions=len(made),
        failed_share=_share(failed, len(made)),
        repeated_share=_share(repeated, len(made)),
        surface_rate=_share(surfaced, calls),
        outcomes={name: number for name, number in sorted(outcomes.items()) if number},
        observations={level.value: levels[level] for level in Level},
        proposal=None,
    )
    return found.model_copy(update={"proposal": _proposal(found, present)})


def read_evaluations(lines: Iterable[Any]) -> tuple[Evaluation, ...]:
    """The evaluations among the decoded *lines* of the file, oldest first, each with its acceptance."""
    found: dict[int, Evaluation] = {}
    for line in lines:
        if (one := _read(Evaluation, line)) is not None:
            found[one.dream] = one
        elif (given := _read(Acceptance, line)) is not None and given.accepted in found:
            known = found[given.accepted]
            if known.accepted_at is None:
                found[given.accepted] = known.model_copy(update={"accepted_at": given.t, "accepted_by": given.by})
    return tuple(found.values())


def _read[M: BaseModel](kind: type[M], line: object) -> M | None:
    try:
        return kind.model_validate(line)
    except ValidationError:
        return None


def _proposal(found: Evaluation, present: PresentSettings) -> Proposal | None:
    """One change of a setting that the figures speak for."""
    judged = sum(found.outcomes.get(name, 0) for name in ("acted", "used", "dismissed", "contradicted"))
    useless = found.outcomes.get("dismissed", 0) + found.outcomes.get("contradicted", 0)
    relevance, warning, every = present.relevance, present.fatigue_warning, present.wonder_every
    if judged >= _LEAST_JUDGED and useless > _MANY * judged:
        reason = f"{useless} of {judged} memories that surfaced were of no use"
        return _change(RELEVANCE, relevance, min(1.0, relevance + _RELEVANCE_STEP), reason)
    if found.dreams >= _LEAST_DREAMS and found.forced_dreams > _MANY * found.dreams:
        reason = "most of its sleeps were forced: it wraps up too late"
        return _change(FATIGUE_WARNING, warning, max(1, int(warning * _LOWER)), reason)
    if found.actions >= _LEAST_JUDGED and (found.repeated_share or 0) > _MANY:
        reason = "more than half of its tool calls repeat an earlier one"
        return _change(WONDER_EVERY, every, max(1, int(every * _LOWER)), reason)
    if found.surface_rate is not None and found.surface_rate < _FEW and judged and not useless:
        reason = "little surfaced, and all of it was of use"
        return _change(RELEVANCE, relevance, max(0.0, relevance - _RELEVANCE_STEP), reason)
    return None


def _change(setting: str, value: float, proposed: float, reason: str) -> Proposal | None:
    """A proposal; None where the setting can not go further."""
    new = round(proposed, 3)
    return Proposal(setting=setting, value=value, proposed=new, reason=reason) if new != value else None


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
