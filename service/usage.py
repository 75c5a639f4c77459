"""What the models cost so far, and how they answered: for each role and each model, since the service started."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role, Usage
from service.durations import PATIENT, Durations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.durations import Spread

_MOST_MODELS = 100  # whoever names a model by a request must not fill the memory, or a scrape
_OTHER = "other"

type Asked = tuple[Role, str]


@dataclass(frozen=True, slots=True)
class Spending:
    """
    The totals at one instant, by role and model.

    *unanswered* are calls of these that came to nothing; *faults* what roles failed of, after all their models.
    """

    by_role_and_model: Mapping[Asked, Usage]
    unanswered: Mapping[Asked, int]
    faults: Mapping[tuple[Role, str], int]
    durations: Mapping[tuple[str, ...], Spread]

    @property
    def by_role(self) -> Mapping[Role, Usage]:
        """The same by role."""
        found: defaultdict[Role, Usage] = defaultdict(Usage)
        for (role, _), usage in self.by_role_and_model.items():
            found[role] += usage
        return found

    @property
    def by_model(self) -> Mapping[str, Usage]:
        """The same by model."""
        found: defaultdict[str, Usage] = defaultdict(Usage)
        for (_, model), usage in self.by_role_and_model.items():
            found[model] += usage
        return found

    @property
    def total(self) -> Usage:
        """Everything together."""
        return sum(self.by_role_and_model.values(), start=Usage())


class UsageLedger:
    """Adds up what every model call cost; any thread may write and read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent: defaultdict[Asked, Usage] = defaultdict(Usage)
        self._unanswered: Counter[Asked] = Counter()
        self._faults: Counter[tuple[Role, str]] = Counter()
        self._durations = Durations(PATIENT)

    def record(self, role: Role, model: str, usage: Usage, *, is_answered: bool = True) -> None:
        """Add what a call made for *role* to *model* cost, and whether anything came of it."""
        with self._lock:
            asked = self._asked(role, model)
            self._spent[asked] += usage
            self._unanswered[asked] += not is_answered
            self._durations.add(role.value, seconds=usage.seconds)

    def fail(self, role: Role, fault: str) -> None:
        """A question for *role* failed of *fault*, the name of its kind, whichever models were asked."""
        with self._lock:
            self._faults[role, fault] += 1

    def snapshot(self) -> Spending:
        """The totals so far, as a value that no later call changes."""
        with self._lock:
            return Spending(
                MappingProxyType(dict(self._spent)),
                MappingProxyType(dict(self._unanswered)),
                MappingProxyType(dict(self._faults)),
                self._durations.spreads(),
            )

    def _asked(self, role: Role, model: str) -> Asked:
        is_room = (role, model) in self._spent or len(self._spent) < _MOST_MODELS
        return (role, model if is_room else _OTHER)
