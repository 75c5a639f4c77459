"""Who is asking, once that is known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """``name`` is a key's id, or one of those below; ``minds`` are the minds that exist for it, None for all."""

    name: str
    minds: tuple[str, ...] | None = None

    def sees(self, mind_id: str) -> bool:
        """Whether *mind_id* exists for it."""
        return self.minds is None or mind_id in self.minds

    @property
    def sees_all(self) -> bool:
        """Whether it may know what concerns no single mind."""
        return self.minds is None


OWNER = Caller("owner")  # the command line on this machine: it can read the home
LOCAL = Caller("local")  # anybody who reaches a service that has no keys
STRANGER = Caller("stranger", minds=())  # on the pages that are open to all
