"""What refuses a write to a graph in memory under an earlier claim of its mind than the graph has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.sharing_errors import Fenced
from service.adapters.memory_graph.content import Content

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.ports.graph import Leases


class Fence:
    """The fence of one mind's graph, and of its sites; *leases* is None where minds are not leased."""

    def __init__(self, reach: Callable[[], dict[str, Content]], *, mind_id: str, leases: Leases | None) -> None:
        self._reach = reach
        self._mind_id = mind_id
        self._leases = leases

    @property
    def is_shared(self) -> bool:
        """Whether minds are leased."""
        return self._leases is not None

    def epoch(self) -> int | None:
        """Return the epoch of our claim. Raises Fenced where the mind is not ours."""
        return None if self._leases is None else self._leases.epoch_of(self._mind_id)

    def enter(self, name: str, *, epoch: int | None) -> None:
        """Let a write to the graph called *name* pass, and note its epoch. Raises Fenced."""
        if epoch is None or self._leases is None:
            return
        content = self._reach().setdefault(name, Content())
        if content.epoch > epoch:
            self._leases.fenced()
            raise Fenced("another service has claimed this mind")
        content.epoch = epoch
