"""What the service needs from outside: vectors and a graph. Values here are frozen; times are aware UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]  # a row a text
    Vector = NDArray[np.float32]  # one row


class Embedder(Protocol):
    """Turns texts into unit vectors, always of the same dimension."""

    @property
    def name(self) -> str:
        """What a graph remembers it by."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Rows of float32, one a text, in order. Raises EmbedderUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a turn short enough to embed whole."""

    uuid: str
    text: str


@dataclass(frozen=True, slots=True)
class Episode:
    """A turn as the graph keeps it; ``uuid`` is derived from mind and turn, so that saving twice saves once."""

    uuid: str
    sequence: int
    turn_id: str
    session_id: str
    occurred_at: datetime
    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact of the graph: its words, the time it holds for, the episodes it was told in."""

    uuid: str
    text: str
    source: str
    target: str
    episodes: tuple[str, ...]
    valid_at: datetime | None
    invalid_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """An entity of the graph with what is known of it, and the episodes that mention it, newest first."""

    uuid: str
    name: str
    summary: str
    episodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction made of one episode: facts new, repeated or ended by it, and the entities it touched."""

    facts: tuple[StoredFact, ...] = ()
    entities: tuple[StoredEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class Parked:
    """A turn whose extraction failed too often; its raw episode is kept and found all the same."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the graph has come: the last sequence saved raw, the last extracted, and what was parked."""

    saved: int = 0
    extracted: int = 0
    parked: tuple[Parked, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphSize:
    """How many there are of each."""

    episodes: int = 0
    entities: int = 0
    facts: int = 0


class Near(NamedTuple):
    """
    Something near a query vector: its uuid (a sequence for turns) and its cosine similarity.

    A turn is near with its neighbours; ``own`` is how near it is alone. Elsewhere the two are one.
    """

    key: str
    similarity: float
    own: float


class NearBy(NamedTuple):
    """What is near one query, nearest first, by arm."""

    turns: tuple[Near, ...] = ()
    facts: tuple[Near, ...] = ()
    entities: tuple[Near, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """Which embedder made a graph's vectors."""

    embedder: str
    dimension: int


class EpisodicGraph(Protocol):
    """
    One temporal graph a mind. Every method may raise GraphUnavailable (or GraphTimedOut).

    Reading a mind that has no graph finds nothing and creates nothing.
    """

    async def ping(self) -> None:
        """Return when the server answers."""
        ...

    async def prepare(self, mind_id: str, /, *, embedder: Identity) -> Progress:
        """Make the graph ready for writing and say how far it is. Raises EmbedderMismatch."""
        ...

    async def identity(self, mind_id: str, /) -> Identity | None:
        """Which embedder made the vectors; None where there is no graph yet."""
        ...

    async def reindex(self, mind_id: str, /, *, embedder: Identity, advanced: Callable[[int], None]) -> int:
        """Embed everything anew; how many texts that took. *advanced* is told of each step."""
        ...

    async def progress(self, mind_id: str, /) -> Progress:
        """How far the graph is."""
        ...

    async def size(self, mind_id: str, /) -> GraphSize:
        """How much the graph holds."""
        ...

    async def save(
        self,
        mind_id: str,
        episodes: Sequence[Episode],
        /,
        *,
        own: Mapping[str, Vector],
        leaning: Mapping[str, Vector],
        cursor: int,
    ) -> None:
        """
        Save raw episodes and the cursor ``saved``, in one write.

        Vectors by passage uuid: *own* of every passage of *episodes*; *leaning* of these too, and of earlier
        passages whose neighbours have changed.
        """
        ...

    async def begin(self, mind_id: str, episode: str, /) -> int:
        """Count one more attempt at extracting *episode* (a uuid) and return which it is."""
        ...

    async def spare(self, mind_id: str, episode: str, /) -> None:
        """Take back the last attempt at *episode*: it never began."""
        ...

    async def extract(self, mind_id: str, episode: Episode, /, *, previous: Sequence[str]) -> Extracted:
        """Extract entities and facts; may be repeated. Raises ModelFault, EmbedderFault."""
        ...

    async def complete(self, mind_id: str, sequence: int, /) -> None:
        """Move the extracted cursor to *sequence*, in the same write that marks its episode as done."""
        ...

    async def park(self, mind_id: str, parked: Parked, /) -> None:
        """Record a turn that can not be extracted, and move the extracted cursor past it."""
        ...

    async def unpark(self, mind_id: str, parked: Parked, /) -> None:
        """Forget that a turn was parked."""
        ...

    async def near(
        self, mind_id: str, vectors: Vectors, /, *, turns: int, facts: int, entities: int
    ) -> tuple[NearBy, ...]:
        """What is near each vector (a row a query): at most so many of each arm."""
        ...

    async def neighbours(
        self, mind_id: str, entities: Sequence[str], vector: Vectors, /, *, limit: int
    ) -> tuple[Near, ...]:
        """Facts within two steps of *entities* (uuids), nearest to *vector* (one row) first; bounded on hubs."""
        ...

    async def facts(self, mind_id: str, uuids: Sequence[str], /) -> tuple[StoredFact, ...]:
        """These facts, those that still exist, in any order."""
        ...

    async def entities(self, mind_id: str, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        """These entities, those that still exist, in any order."""
        ...

    async def everything(self, mind_id: str, /, *, after: int, limit: int) -> Extracted:
        """A page of all facts and entities by internal id, for rebuilding what is derived from them."""
        ...
