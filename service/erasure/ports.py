"""What erasing needs from the graph and its server. Values are frozen; every method may raise GraphUnavailable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.ports.embedder import Vector
    from service.ports.graph import GraphSize


@dataclass(frozen=True, slots=True)
class Tainted:
    """
    Facts and entities (uuids) that other turns state as well, but in words that only erased turns contain.

    ``again`` are the episodes (uuids) that also state them. They must be extracted again once the knowledge is gone.
    ``stale`` are entities whose summary contains such words.
    """

    facts: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed: numbers of episodes and passages, uuids of facts and entities, and uuids of what changed."""

    episodes: int
    passages: int
    facts: tuple[str, ...]
    entities: tuple[str, ...]
    changed_facts: tuple[str, ...]
    changed_entities: tuple[str, ...]


DONE = frozenset({"rewritten", "saved", "off"})


@dataclass(frozen=True, slots=True)
class Rewritten:
    """
    The state of the server's own files: ``rewritten`` or ``saved``, ``off`` if it has none, or why it refused.

    Of a cluster it is the state of all nodes; where one refused or is away, each such node by its address.
    """

    append_only_file: str
    snapshot: str

    @property
    def is_done(self) -> bool:
        """Whether the files hold nothing that was deleted."""
        return self.append_only_file in DONE and self.snapshot in DONE


class ErasableGraph(Protocol):
    """The graph of one mind and its server's files, as erasing sees them. Every write may be repeated."""

    async def tainted(self, episodes: Sequence[str], near: Sequence[str], /, *, words: frozenset[str]) -> Tainted:
        """Find what *episodes* or their neighbours *near* (uuids) state in *words*, and other turns state as well."""
        ...

    async def only_of(self, episodes: Sequence[str], tainted: Tainted, /) -> tuple[int, int]:
        """Count the facts and the entities that ``forget`` would remove. Nothing is changed."""
        ...

    async def forget(self, episodes: Sequence[str], tainted: Tainted, /) -> Forgotten:
        """Remove episodes, what only they state, and what is *tainted*. Summarise again the entities that stay."""
        ...

    async def set_leaning(self, leaning: Mapping[str, Vector], /) -> None:
        """Give passages (uuids) new leaning vectors, because their neighbours have changed."""
        ...

    async def remains(self, episodes: Sequence[str], /, *, forms: Sequence[str]) -> int:
        """Count what is left of *episodes*, and what shows one of *forms*. Reads the whole graph."""
        ...

    async def erase(self) -> tuple[GraphSize, int]:
        """
        Delete the graph, and graphs that an import has built for the mind.

        Return their size, and how many keys of the server went.
        """
        ...

    async def keys(self) -> int:
        """Count the server's keys that belong to this mind."""
        ...

    async def rewrite_files(self) -> Rewritten:
        """Have the server rewrite its files without what was deleted, and wait until it has."""
        ...

    def search_files(self, forms: Sequence[str], /) -> tuple[str, ...]:
        """Name the server's files that contain one of *forms*; none if the server is not ours. Blocking."""
        ...
