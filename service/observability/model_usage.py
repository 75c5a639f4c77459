"""What model calls cost and how they ended, for each role and each model, since the service started; the last ones."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from consolidation.kernel.ports import Role, Usage
from service.observability.histograms import PATIENT, Durations
from service.ports.transcriber import TranscriptionRole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from service.observability.histograms import Spread

_MOST_MODELS = 100  # requests may name models: they must not fill the memory, nor a scrape
_OTHER = "other"
_MOST_CALLS = 20

type AnyRole = Role | TranscriptionRole
type RoleAndModel = tuple[AnyRole, str]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """
    One call to one model that has ended: when it began, what it cost, and how it ended.

    ``host`` is where the model was asked, without path, user or key. ``first_words_seconds`` is how long a stream's
    first words took; None where there was no stream or no word. ``reason`` says why it failed.
    """

    role: AnyRole
    model: str
    host: str
    at: datetime
    usage: Usage
    outcome: Literal["answered", "failed", "given_up"]
    is_streamed: bool = False
    first_words_seconds: float | None = None
    finish: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """
    The totals at one instant.

    ``failed_calls`` counts those of the calls that gave no answer. ``faults`` counts questions that failed after all
    models of their role had been asked, by role and kind of fault. ``durations`` is by role.
    """

    by_role_and_model: Mapping[RoleAndModel, Usage]
    failed_calls: Mapping[RoleAndModel, int]
    faults: Mapping[tuple[AnyRole, str], int]
    durations: Mapping[tuple[str, ...], Spread]

    @property
    def by_role(self) -> Mapping[AnyRole, Usage]:
        """Usage by role."""
        found: defaultdict[AnyRole, Usage] = defaultdict(Usage)
        for (role, _), usage in self.by_role_and_model.items():
            found[role] += usage
        return found

    @property
    def by_model(self) -> Mapping[str, Usage]:
        """Usage by model."""
        found: defaultdict[str, Usage] = defaultdict(Usage)
        for (_, model), usage in self.by_role_and_model.items():
            found[model] += usage
        return found

    @property
    def total(self) -> Usage:
        """All usage together."""
        return sum(self.by_role_and_model.values(), start=Usage())


class UsageLedger:
    """Adds up every model call. It may be written and read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: defaultdict[RoleAndModel, Usage] = defaultdict(Usage)
        self._failed_calls: Counter[RoleAndModel] = Counter()
        self._faults: Counter[tuple[AnyRole, str]] = Counter()
        self._durations = Durations(PATIENT)
        self._calls: deque[ModelCall] = deque(maxlen=_MOST_CALLS)

    def record(self, call: ModelCall) -> None:
        """Add a call that has ended."""
        with self._lock:
            key = self._key(call.role, call.model)
            self._usage[key] += call.usage
            self._failed_calls[key] += call.outcome != "answered"
            self._durations.add(call.role.value, seconds=call.usage.seconds)
            self._calls.append(call)

    @property
    def last_calls(self) -> tuple[ModelCall, ...]:
        """The calls that ended last, up to 20, newest first."""
        with self._lock:
            return tuple(reversed(self._calls))

    def record_fault(self, role: AnyRole, fault: str) -> None:
        """Count a question for *role* that failed; *fault* is the name of the class of its error."""
        with self._lock:
            self._faults[role, fault] += 1

    def snapshot(self) -> UsageTotals:
        """The totals so far, in a value that no later call changes."""
        with self._lock:
            return UsageTotals(
                MappingProxyType(dict(self._usage)),
                MappingProxyType(dict(self._failed_calls)),
                MappingProxyType(dict(self._faults)),
                self._durations.spreads(),
            )

    def _key(self, role: AnyRole, model: str) -> RoleAndModel:
        is_room = (role, model) in self._usage or len(self._usage) < _MOST_MODELS
        return (role, model if is_room else _OTHER)
