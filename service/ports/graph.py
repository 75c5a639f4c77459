"""
The graphs of all minds, and what the graph of one mind can do. Values are frozen; times are aware UTC.

An implementation must pass `tests/contracts/test_graph*.py`, which hold every promise made here.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import Message
    from service.ports.embedder import EmbedderIdentity, Vector, Vectors

MOST_MENTIONS = 50  # episodes that an entity is read with
MOST_STEPS, MOST_STEPPING_STONES = 40, 8  # facts that a first step follows, and entities that a second one begins at
_EPISODES = uuid.UUID("6f1d3a52-7c1b-5f0e-9a52-0d8a1f6f7b11")


def episode_uuid(mind_id: str, turn_id: str) -> str:
    """Return the uuid of a turn's episode: always the same, so that saving a turn twice saves it once."""
    return str(uuid.uuid5(_EPISODES, f"{mind_id}\n{turn_id}"))


def passage_uuid(episode: str, number: int = 0) -> str:
    """The uuid of a passage of an episode, the first one's unless told otherwise."""
    return f"{episode}/{number}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a turn that is short enough to be embedded whole."""

    uuid: str
    text: str


@dataclass(frozen=True, slots=True)
class Episode:
    """
    A turn as the graph stores it; ``uuid`` is its ``episode_uuid``. Its text has no NUL and no lone surrogate.

    ``text`` is stored, for people to read. Who ``said`` what is handed to extraction as it is, and not stored.
    """

    uuid: str
    sequence: int
    turn_id: str
    session_id: str
    occurred_at: datetime
    text: str
    passages: tuple[Passage, ...]
    said: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class StoredFact:
    """
    A fact of the graph: its text, the names it joins, its episodes (uuids), and the time in which it is true.

    ``importance`` is in 0…1, and None where no model said.
    """

    uuid: str
    text: str
    source: str
    target: str
    episodes: tuple[str, ...]
    valid_at: datetime | None
    invalid_at: datetime | None
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """
    An entity of the graph with its summary and the episodes (uuids) that mention it, newest first.

    ``kind`` is what sort of thing it is, as a model said; "" where none did.
    """

    uuid: str
    name: str
    summary: str
    episodes: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """
    What extraction made of one episode: the facts it added, repeated or ended, and the entities it touched.

    ``dropped`` is how many facts were not kept: too slight, or with names that nobody said.
    """

    facts: tuple[StoredFact, ...] = ()
    entities: tuple[StoredEntity, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Parked:
    """A turn whose extraction failed too often; its episode is saved and can be found all the same."""

    sequence: int
    turn_id: str
    error: str
    attempts: int
    parked_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """
    How far a graph is: the last sequence saved, the last one extracted, and the parked turns by sequence.

    ``saved_turn`` and ``extracted_turn`` are the ids of the turns that the cursors stand on, so that a transcript which
    has another turn there can tell; "" where that is not known. They do not count where two are compared.
    """

    saved: int = 0
    extracted: int = 0
    parked: tuple[Parked, ...] = ()
    saved_turn: str = field(default="", compare=False)
    extracted_turn: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class GraphSize:
    """How many episodes, entities and facts a graph holds."""

    episodes: int = 0
    entities: int = 0
    facts: int = 0


class VectorHit(NamedTuple):
    """
    Something near a query vector: its uuid (a sequence in decimal digits for turns) and its cosine similarity.

    ``similarity`` of a turn is that of its leaning vector, which takes in its neighbours, and ``own`` that of its own
    vector. For facts and entities, which have one vector, the two are equal.
    """

    key: str
    similarity: float
    own: float


class VectorHits(NamedTuple):
    """What is near one query, by kind, nearest first."""

    turns: tuple[VectorHit, ...] = ()
    facts: tuple[VectorHit, ...] = ()
    entities: tuple[VectorHit, ...] = ()


class Graphs(Protocol):
    """The graphs of all minds on one server."""

    def of(self, mind_id: str, /) -> MindGraph:
        """Return the graph of a mind, whether the mind has one yet or not; the server is not asked."""
        ...

    async def ping(self) -> None:
        """Return when the server answers. Raises GraphUnavailable."""
        ...

    async def server_id(self) -> uuid.UUID:
        """
        Return what is the same for all services that share these graphs, and another one for any other graphs.

        It changes where the server loses its graphs, and is answered while they are refused, too. Raises GraphFault.
        """
        ...

    def refuse(self, reason: str | None, /) -> None:
        """Raise GraphUnavailable with *reason* in place of asking the server for anything else; None ends that."""
        ...

    async def memory(self) -> int:
        """Return how many bytes of memory the server uses. Raises GraphUnavailable."""
        ...

    async def in_memory(self) -> frozenset[str]:
        """Return the ids of the minds whose graphs are in the server's memory. Raises GraphUnavailable."""
        ...

    async def evict(self, mind_id: str, /) -> bool:
        """
        Take the graph of a mind that nobody uses out of the server's memory, into a file beside the mind's others.

        It comes back, as it was, at its next use, and whoever asks meanwhile waits for that. Return False where it has
        to stay: it is in use, too large, or not there. Raises GraphFault, OSError.
        """
        ...


class EpochOf(Protocol):
    """
    What says under which claim a mind's graph is written to, where several services share a server of graphs.

    One of them at a time claims a mind, and each claim has a higher epoch than the one before. A graph takes nothing
    under an epoch that is lower than the highest that it has seen, whatever the one who writes believes.
    """

    def __call__(self, mind_id: str, /) -> int | None:
        """Return the epoch of our claim; None where minds are not leased. Raises Fenced where the mind is not ours."""
        ...


@dataclass(frozen=True, slots=True)
class Leases:
    """Which minds are ours, where several services share a server; *fenced* is called when a write was refused."""

    epoch_of: EpochOf
    fenced: Callable[[], None]


class MindGraph(Protocol):
    """
    The temporal graph of one mind. Every method may raise GraphUnavailable (or GraphTimedOut); those that write also
    IndexUnusable, where vectors can not be stored, and Fenced, where another service has claimed the mind since.

    Reading the graph of a mind that has none finds nothing and creates nothing. Every write may be repeated.
    """

    async def prepare(self, *, embedder: EmbedderIdentity) -> Progress:
        """
        Make the graph ready for writes and return how far it is; once more after each claim of the mind.

        Vectors that got lost are made again: of facts and names here, of turns by a cursor ``saved`` that goes back.
        Raises EmbedderFault, and EmbedderMismatch where its vectors are of another embedder; then so do
        ``begin_attempt``, ``extract`` and ``nearest``.
        """
        ...

    async def identity(self) -> EmbedderIdentity | None:
        """Return which embedder made the vectors; None where there is no graph yet."""
        ...

    async def follow(self, *, embedder: EmbedderIdentity) -> int:
        """
        Make what is kept beside a graph that another service writes fit it; nothing is written to the graph.

        Facts and names are embedded here. Return the lowest sequence of a turn whose vectors are missing, which
        ``keep_vectors`` takes; 0 where none is. Raises EmbedderFault, EmbedderMismatch.
        """
        ...

    async def keep_vectors(
        self, episodes: Sequence[Episode], /, *, own: Mapping[str, Vector], leaning: Mapping[str, Vector]
    ) -> None:
        """Keep the vectors of episodes that another service has saved; they are given as to ``save``."""
        ...

    async def note_missing(self, until: int, /) -> None:
        """Note that turns up to the sequence *until* have yet to get their vectors here; 0 once each has them."""
        ...

    async def missing_until(self) -> int:
        """Return what was noted last, also by an earlier process; 0 where the vectors were dropped since."""
        ...

    async def reindex(self, *, embedder: EmbedderIdentity, advanced: Callable[[int], None]) -> int:
        """
        Embed every fact and every name anew, and set the cursor ``saved`` to 0 so that all turns are embedded anew.

        *embedder* names the embedder that the graphs were opened with. Return how many texts were embedded; *advanced*
        is called with the size of each page. Raises GraphUnavailable where the graph was not prepared.
        """
        ...

    async def progress(self) -> Progress:
        """Return the cursors and the parked turns; both cursors are 0 where there is no graph."""
        ...

    async def size(self) -> GraphSize:
        """Return how much the graph holds."""
        ...

    async def save(
        self,
        episodes: Sequence[Episode],
        /,
        *,
        own: Mapping[str, Vector],
        leaning: Mapping[str, Vector],
        after: int,
        cursor: int,
        turn_id: str,
    ) -> None:
        """
        Save episodes and move the cursor ``saved`` from *after* to *cursor*, the turn *turn_id*, in one write.

        Vectors are by uuid of passage. *own* has one for every passage of *episodes*; *leaning* has one for each of
        these, and for earlier passages whose neighbours have changed. Nothing is saved where the cursor is not at
        *after*: a server that fell back to an older state would else lose what lies between for good. Where it is at
        *cursor* already, the write is a second one. Raises GraphUnavailable where the cursor is elsewhere, or the graph
        was not prepared, or was emptied since.
        """
        ...

    async def begin_attempt(self, episode: str, /) -> int:
        """
        Count one more attempt at extracting *episode* (a uuid) and return its number, from 1.

        First it removes what a broken-off attempt wrote. Raises GraphUnavailable where there is no such episode, and
        EmbedderMismatch where the vectors are of another embedder. Then nothing is counted.
        """
        ...

    async def undo_attempt(self, episode: str, /) -> None:
        """Take back the last attempt at *episode*, which never began."""
        ...

    async def extract(self, episode: Episode, /, *, previous: Sequence[Message]) -> Extracted:
        """
        Extract entities and facts of what was said in a saved episode; *previous* was said before it, oldest first.

        A fact that repeats a known one adds *episode* to it, unless that has ended before: then it is a new one. One
        that contradicts known ones ends them. May be repeated after ``begin_attempt``. Raises ModelFault,
        EmbedderFault, EmbedderMismatch.
        """
        ...

    async def mark_extracted(self, sequence: int, /, *, turn_id: str, after: int) -> None:
        """
        Move the cursor ``extracted`` from *after* to *sequence* and forget the attempts at its episode, in one write.

        *turn_id* is the turn of this sequence. Raises GraphUnavailable as ``save`` does.
        """
        ...

    async def go_back(self, *, to: int, turn_id: str) -> None:
        """
        Remove all episodes above the sequence *to*, what only they say, and set the cursors that are above back to it.

        *turn_id* is the turn at *to*. This is for a transcript that has other turns there. It may be repeated: the
        cursors move last. Any embedder may have made the vectors, and a claim need not have prepared the graph yet.
        Raises GraphUnavailable where there is none.
        """
        ...

    async def episodes_until(self, sequence: int, /, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Return the newest saved episodes up to a sequence, newest first: the sequence and the uuid of each."""
        ...

    async def lowest_saved(self, sequences: Sequence[int], /) -> int | None:
        """Return the lowest of *sequences* of which an episode is saved."""
        ...

    async def park(self, parked: Parked, /, *, after: int | None = None) -> None:
        """
        Record a turn that can not be extracted and move the cursor ``extracted`` from *after* to it, in one write.

        None leaves the cursor: the turn lies behind it. Raises GraphUnavailable as ``save`` does.
        """
        ...

    async def unpark(self, parked: Parked, /) -> None:
        """Forget that a turn was parked, and the attempts at it. A kill of this process does not bring that back."""
        ...

    async def nearest(self, vectors: Vectors, /, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """
        Return what is near each vector (a row for each query), at most so many of each kind, nearest first.

        A turn of several passages is one hit, as near as its nearest passage. Raises EmbedderMismatch.
        """
        ...

    async def likeness(self, episodes: Sequence[str], /, *, among: Sequence[str]) -> tuple[Mapping[str, float], ...]:
        """
        Return how near each of *among* (episodes' uuids) is to each of *episodes*, by uuid, a mapping for each.

        Cosines of the first passages' own vectors; an episode without vectors is left out.
        """
        ...

    async def facts_around(self, entities: Sequence[str], vector: Vectors, /, *, limit: int) -> tuple[VectorHit, ...]:
        """
        Return the facts within two steps of *entities* (uuids), nearest to *vector* (one row) first.

        The first step follows the MOST_STEPS nearest facts, and the second begins at the first MOST_STEPPING_STONES
        entities that these lead to. Of an entity with very many facts, only some are looked at.
        """
        ...

    async def facts(self, uuids: Sequence[str], /) -> tuple[StoredFact, ...]:
        """Return those of the facts that exist, in any order."""
        ...

    async def entities(self, uuids: Sequence[str], /) -> tuple[StoredEntity, ...]:
        """Return those of the entities that exist, in any order, each with its newest MOST_MENTIONS episodes."""
        ...

    async def knowledge(self, *, after: int, limit: int) -> Extracted:
        """
        Return a page of all facts and all entities, each by uuid: *limit* of each, the first *after* left out.

        The entities come without episodes. An empty page is behind the last one.
        """
        ...

    async def close(self) -> None:
        """Let go of what is kept open of the graph; the next use opens it again."""
        ...
