"""The authenticated caller of a request."""

from __future__ import annotations

from dataclasses import dataclass, field

from consolidation.workspace import DEFAULT_MIND


@dataclass(frozen=True, slots=True)
class Principal:
    """
    ``name`` is a key's id, or one of the names below. ``minds`` are the minds that exist for it; None means all.

    ``session_id``: the browser session through which it calls, which has the rights of its key or of the owner.
    """

    name: str
    minds: tuple[str, ...] | None = None
    session_id: str | None = field(default=None, compare=False)

    def sees(self, mind_id: str) -> bool:
        """Whether *mind_id* exists for this caller."""
        return self.minds is None or mind_id in self.minds

    @property
    def sees_all(self) -> bool:
        """Whether the caller may see what concerns no single mind."""
        return self.minds is None

    @property
    def default_mind(self) -> str:
        """The mind of a call that names none: the only one of a key for one mind, else the home's default."""
        return self.only_mind or DEFAULT_MIND

    @property
    def only_mind(self) -> str | None:
        """The mind of a key for one; None for every other caller."""
        return self.minds[0] if self.minds is not None and len(self.minds) == 1 else None


def scopes_of(minds: tuple[str, ...] | None) -> tuple[str, ...]:
    """What a caller for these minds may do: who is for all of them also looks after the service."""
    return ("minds",) if minds is not None else ("minds", "administration")


OWNER = Principal("owner")  # the command line on this machine, which can read the home
LOCAL = Principal("local")  # any caller of a service without keys
STRANGER = Principal("stranger", minds=())  # a caller of a page that is open to all
