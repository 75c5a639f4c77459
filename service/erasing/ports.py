"""What erasing needs of the graph and of its server. Values are frozen; every method may raise GraphUnavailable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.ports import GraphSize, Vector


@dataclass(frozen=True, slots=True)
class Tainted:
    """
    Knowledge that others told, too, in words that only erased turns said: facts and entities (uuids).

    ``again`` are the episodes (uuids) that told it besides, and must be read again when it is gone; ``stale`` entities
    are summarised in such words.
    """

    facts: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went: how many episodes and passages, which facts and entities (uuids); and which of them were changed."""

    episodes: int
    passages: int
    facts: tuple[str, ...]
    entities: tuple[str, ...]
    changed_facts: tuple[str, ...]
    changed_entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of the server's own files: ``rewritten`` or ``saved``, ``off`` where it has none, or why not."""

    append_only_file: str
    snapshot: str

    @property
    def is_done(self) -> bool:
        """Whether nothing of what was is left in them."""
        return self.append_only_file in {"rewritten", "off"} and self.snapshot in {"saved", "off"}


class ErasableGraph(Protocol):
    """The graphs of all minds, as erasing sees them."""

    async def tainted(
        self, mind_id: str, episodes: Sequence[str], near: Sequence[str], /, *, words: frozenset[str]
    ) -> Tainted:
        """What is told in *words* by *episodes* or those *near* them (uuids), and by others."""
        ...

    async def forget(self, mind_id: str, episodes: Sequence[str], tainted: Tainted, /) -> Forgotten:
        """Take episodes out, with all that only they told; what is left is summarised again. May be repeated."""
        ...

    async def lean(self, mind_id: str, leaning: Mapping[str, Vector], /) -> None:
        """Give passages (uuids) that have other neighbours now other leaning vectors."""
        ...

    async def left(self, mind_id: str, episodes: Sequence[str], /, *, forms: Sequence[str]) -> int:
        """How much still stands of *episodes*, or shows one of *forms*."""
        ...

    async def drop(self, mind_id: str, /) -> tuple[GraphSize, int]:
        """Delete a mind's graph: how much it held, and how many keys of the server that were. May be repeated."""
        ...

    async def keys(self, mind_id: str, /) -> int:
        """How many keys of the server there are of a mind."""
        ...

    async def rewrite(self, mind_id: str, /) -> Rewritten:
        """Have the server write its files anew, without what was deleted, and wait until that is done."""
        ...

    def search(self, forms: Sequence[str], /) -> tuple[str, ...]:
        """The server's files that hold one of *forms*; none where the server is not ours. Blocks."""
        ...
