"""
Snapshots of full text in a shared home: a machine that makes a copy of a mind begins with one, and reads on.

To make full text of a thousand turns takes seconds of a processor, in which calls would find little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.mind.health import LaneName

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.mind.minds import Mind
    from service.ports.shared_home import SharedHome

_FEW_TURNS, _SHARE = 50, 0.05  # that a copy reads on in a moment, and of all turns, where these are many


class FullTextSnapshots:
    """Stores them for the minds that this process works on."""

    def __init__(self, home: SharedHome) -> None:
        self._home = home
        self._reach: dict[str, tuple[int, int]] = {}  # by mind: how often something was erased, and up to which turn

    def is_due(self, mind: Mind) -> bool:
        """Whether a new one may save others much work, as far as this process knows. Asks nobody."""
        last = mind.transcript.positions.last
        generation, reach = self._reach.get(mind.mind_id, (0, 0))
        known = reach if generation == self._home.generation(mind.mind_id) else 0  # an erasure takes it along
        return self._saves_much(known, last) and not mind.lag(LaneName.INDEXING)

    def keep(self, mind: Mind) -> None:
        """Store one, unless another process has. It blocks. Raises IndexUnusable, DatabaseUnavailable."""
        generation, last = self._home.generation(mind.mind_id), mind.text.cursor("turns")
        reach = self._home.snapshot_reach(mind.mind_id)
        if self._saves_much(reach, last):
            self._home.keep_snapshot(mind.mind_id, mind.text.image(), reach=last)
            reach = last
        self._reach[mind.mind_id] = (generation, reach)

    def forget_all_but(self, open_minds: Collection[str]) -> None:
        """Forget what is known of minds that are closed."""
        for mind_id in self._reach.keys() - set(open_minds):
            del self._reach[mind_id]

    @staticmethod
    def _saves_much(reach: int, last: int) -> bool:
        return last - reach > max(_FEW_TURNS, last * _SHARE)
