"""What the models cost so far: totals for each role and each model, since the service started."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Spending:
    """The totals at one instant; both mappings hold the same calls, summed differently."""

    by_role: Mapping[Role, Usage]
    by_model: Mapping[str, Usage]

    @property
    def total(self) -> Usage:
        """Everything together."""
        return sum(self.by_role.values(), start=Usage())


class UsageLedger:
    """Adds up what every model call cost; any thread may write and read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_role: defaultdict[Role, Usage] = defaultdict(Usage)
        self._by_model: defaultdict[str, Usage] = defaultdict(Usage)

    def record(self, role: Role, model: str, usage: Usage) -> None:
        """Add the cost of a call made for *role* to *model*."""
        with self._lock:
            self._by_role[role] += usage
            self._by_model[model] += usage

    def snapshot(self) -> Spending:
        """The totals so far, as a value that no later call changes."""
        with self._lock:
            return Spending(MappingProxyType(dict(self._by_role)), MappingProxyType(dict(self._by_model)))
