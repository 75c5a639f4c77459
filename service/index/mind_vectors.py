"""
The vectors of one mind, beside its full text: of passages, facts and names. What is near a query is found here.

They are derived: of turns from the transcript, of facts and names from the words of the graph. Whose they are stands in
``state.json``: the mark of the graph, and the embedder. A mark of another graph, or a run that was not closed, says
that the graph has to be looked at before they are trusted; its adapter does that (`adapters/falkordb/settling.py`).
Whoever saves something writes its vectors here before it is in the graph, so that nothing there is without.
"""

from __future__ import annotations

import json
import shutil
import threading
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import EmbedderMismatch, IndexUnusable
from consolidation.kernel.files import replace_text
from service.index.vector_table import VectorTable
from service.ports.embedder import EmbedderIdentity, check_embedder
from service.ports.graph import VectorHit, VectorHits, passage_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from service.index.vector_table import Nearest
    from service.ports.embedder import Vector, Vectors

TURNS, FACTS, NAMES = "turns", "facts", "names"
KINDS = (TURNS, FACTS, NAMES)
LEANING, OWN = 0, 1  # the vectors of a passage; the first is searched for
_EACH = {TURNS: 2, FACTS: 1, NAMES: 1}
_FORMAT = 1
_WIDER, _MORE = 1.5, 10  # more passages are looked for than turns, since two passages of a turn are one hit


@dataclass(frozen=True, slots=True)
class VectorState:
    """
    Whose vectors they are; ``is_whole`` where the last run closed them.

    ``missing_until`` is the last of the turns of which some have yet to get theirs; 0 where each has them.
    """

    mark: str
    embedder: str
    dimension: int
    is_whole: bool
    missing_until: int = 0


class MindVectors:
    """
    The vectors in one folder. Every method may block for a moment; searches may run at once, beside one change.

    All raise IndexUnusable while the disk is full or fails.
    """

    def __init__(self, folder: Path) -> None:
        """*folder* is read at first use, and made by ``reset``."""
        self._folder = folder
        self._lock = threading.RLock()
        self._state: VectorState | None = None
        self._tables: dict[str, VectorTable] | None = None
        self._is_suspect = True

    @property
    def is_open(self) -> bool:
        """Whether the files are open, so that a search does not have to read them first."""
        return self._tables is not None

    def open(self) -> None:
        """Read the files, if there are any."""
        self._opened()

    @property
    def mark(self) -> str:
        """The mark of the graph that they belong to; empty where there are none."""
        self._opened()
        return self._state.mark if self._state is not None else ""

    @property
    def dimension(self) -> int:
        """How many numbers each has; 0 where there are none."""
        self._opened()
        return self._state.dimension if self._state is not None else 0

    @property
    def missing_until(self) -> int:
        """The last of the turns of which some have yet to get vectors, as it was noted; 0 where each has them."""
        self._opened()
        return self._state.missing_until if self._state is not None else 0

    def note_missing(self, until: int) -> None:
        """Note up to which turn some have yet to get vectors, so that the next process knows."""
        with self._lock, _disk():
            self._opened()
            if self._state is not None and self._state.missing_until != until:
                self._keep(replace(self._state, missing_until=until))

    def made_by(self, embedder: EmbedderIdentity) -> bool:
        """Whether they are of this embedder."""
        self._opened()
        state = self._state
        return state is not None and (state.embedder, state.dimension) == (embedder.embedder, embedder.dimension)

    def check(self, embedder: str) -> None:
        """Raise EmbedderMismatch where there are any that the embedder with this stored name did not make."""
        self._opened()
        if (state := self._state) is not None:
            found, ours = (EmbedderIdentity(one, state.dimension) for one in (state.embedder, embedder))
            check_embedder(found, configured=ours)

    @property
    def is_suspect(self) -> bool:
        """Whether the graph has to be looked at before they are trusted."""
        self._opened()
        return self._is_suspect

    def trust(self) -> None:
        """They were compared with the graph, and are what it needs."""
        self._is_suspect = False

    def count(self) -> int:
        """How many records there are, of all kinds."""
        return sum(map(len, self._opened().values()))

    def keys(self, kind: str) -> tuple[str, ...]:
        """The uuids of one kind."""
        table = self._opened().get(kind)
        return table.keys() if table is not None else ()

    def count_of(self, episodes: frozenset[str]) -> int:
        """How many passages of these episodes (uuids) there are."""
        return sum(uuid.rpartition("/")[0] in episodes or uuid in episodes for uuid in self.keys(TURNS))

    def reset(self, mark: str, *, embedder: EmbedderIdentity) -> None:
        """Drop everything, and begin anew for the graph of this *mark*. It is to be looked at."""
        with self._lock:
            self._drop()
            with _disk():
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._keep(VectorState(mark, embedder.embedder, embedder.dimension, is_whole=False))
                self._tables = self._open_tables(embedder.dimension)

    def drop(self) -> None:
        """Delete everything."""
        with self._lock:
            self._drop()

    def close(self) -> None:
        """Let go of the files, once they are on the disk; the next use opens them again."""
        with self._lock:
            state, tables = self._state, self._tables
            self._state = self._tables = None
            if state is None or not tables or state.is_whole or self._is_suspect:
                return
            with _disk():
                for table in tables.values():
                    table.sync()
                self._keep(replace(state, is_whole=True))
            self._state = None

    def put_turns(
        self, own: Mapping[str, Vector], leaning: Mapping[str, Vector], *, sequences: Mapping[str, int]
    ) -> None:
        """Write the vectors of passages, by uuid."""
        import numpy as np

        both = {uuid: np.stack([leaning[uuid], vector]) for uuid, vector in own.items()}
        self._change(TURNS, lambda table: table.put(both, numbers=sequences))

    def lean(self, leaning: Mapping[str, Vector]) -> None:
        """Give passages that are there other leaning vectors."""

        def change(table: VectorTable) -> None:
            for uuid, vector in leaning.items():
                table.change(uuid, LEANING, vector)

        if leaning and self._opened():
            self._change(TURNS, change)

    def put(self, kind: str, vectors: Mapping[str, Vector]) -> None:
        """Write the vectors of facts or names, by uuid."""
        if vectors:
            self._change(kind, lambda table: table.put({uuid: one[None] for uuid, one in vectors.items()}))

    def remove(self, kind: str, uuids: Iterable[str]) -> None:
        """Overwrite the vectors of what is gone."""
        gone = tuple(uuids)
        if gone and self._opened():
            self._change(kind, lambda table: table.remove(gone))

    def vectors_of(self, kind: str, uuids: Sequence[str]) -> dict[str, Vectors]:
        """What is stored of those of *uuids* that are there: of passages the leaning vector, and its own."""
        table = self._opened().get(kind)
        return table.vectors_of(uuids) if table is not None else {}

    def nearest(self, vectors: Vectors, *, turns: int, facts: int, entities: int) -> tuple[VectorHits, ...]:
        """What is near each vector, at most so many of each kind. Raises EmbedderMismatch."""
        tables = self._opened()
        if not tables or not len(vectors):
            return (VectorHits(),) * len(vectors)
        self._check(vectors)
        passages = tables[TURNS].nearest(vectors, limit=int(_WIDER * turns) + _MORE if turns else 0)
        told, named = (
            tables[kind].nearest(vectors, limit=limit) for kind, limit in ((FACTS, facts), (NAMES, entities))
        )
        return tuple(
            VectorHits(_turn_hits(one, limit=turns), _hits(fact), _hits(name))
            for one, fact, name in zip(passages, told, named, strict=True)
        )

    def near(self, kind: str, vectors: Vectors, *, limit: int) -> tuple[tuple[VectorHit, ...], ...]:
        """The facts or names near each vector. Raises EmbedderMismatch."""
        tables = self._opened()
        if not tables or not len(vectors):
            return ((),) * len(vectors)
        self._check(vectors)
        return tuple(map(_hits, tables[kind].nearest(vectors, limit=limit)))

    def cosines(self, kind: str, uuids: Sequence[str], vector: Vector) -> dict[str, float]:
        """How near those of *uuids* that have vectors are to one. Raises EmbedderMismatch."""
        tables = self._opened()
        if not tables:
            return {}
        self._check(vector[None])
        return tables[kind].cosines(uuids, vector)

    def likeness(self, episodes: Sequence[str], *, among: Sequence[str]) -> tuple[dict[str, float], ...]:
        """How near the first passages of *among* (episodes' uuids) are to that of each of *episodes*, by uuid."""
        table = self._opened().get(TURNS)
        if table is None:
            return ({},) * len(episodes)
        known = table.vectors_of([passage_uuid(one) for one in {*among, *episodes}])
        own = {uuid: known[passage_uuid(uuid)][OWN] for uuid in {*among, *episodes} if passage_uuid(uuid) in known}
        compared = [one for one in among if one in own]
        return tuple(
            {other: float(own[other] @ own[one]) for other in compared} if one in own else {} for one in episodes
        )

    def _check(self, vectors: Vectors) -> None:
        if self._state is not None and vectors.shape[1] != self._state.dimension:
            raise EmbedderMismatch(
                f"vectors of {vectors.shape[1]} numbers can not be compared with those of {self._state.dimension}"
            )

    def _change(self, kind: str, change: Callable[[VectorTable], None]) -> None:
        with self._lock, _disk():
            tables = self._opened()
            if self._state is None:
                raise IndexUnusable("vectors: the graph of the mind was not prepared")
            if self._state.is_whole:
                self._keep(replace(self._state, is_whole=False))
            change(tables[kind])

    def _opened(self) -> Mapping[str, VectorTable]:
        if self._tables is not None:
            return self._tables
        with self._lock:
            if self._tables is None:
                with _disk():
                    self._state = _read_state(self._folder / "state.json")
                    tables = self._open_tables(self._state.dimension) if self._state is not None else {}
                damaged = sum(table.damaged for table in tables.values())
                self._is_suspect = self._state is None or not self._state.is_whole or bool(damaged)
                self._tables = tables
            return self._tables

    def _open_tables(self, dimension: int) -> dict[str, VectorTable]:
        return {
            kind: VectorTable(self._folder / f"{kind}.vectors", dimension=dimension, each=each)
            for kind, each in _EACH.items()
        }

    def _drop(self) -> None:
        self._state, self._tables, self._is_suspect = None, None, True
        with _disk():
            shutil.rmtree(self._folder, ignore_errors=True)
            if self._folder.exists():
                raise OSError(0, "its folder can not be removed")

    def _keep(self, state: VectorState) -> None:
        text = json.dumps({"format": _FORMAT, **asdict(state)})
        replace_text(self._folder / "state.json", text + "\n")
        self._state = state


def _hits(found: Nearest) -> tuple[VectorHit, ...]:
    cosines = found.cosines[:, 0].tolist()
    return tuple(VectorHit(key, cosine, cosine) for key, cosine in zip(found.keys, cosines, strict=True))


def _turn_hits(found: Nearest, *, limit: int) -> tuple[VectorHit, ...]:
    """Turns by their nearest passages."""
    best: dict[int, VectorHit] = {}  # nearest first, so that the first passage of a turn is its nearest
    for sequence, (leaning, own) in zip(found.numbers, found.cosines.tolist(), strict=True):
        known = best.get(sequence)
        if known is None:
            if len(best) < limit:
                best[sequence] = VectorHit(str(sequence), leaning, own)
        elif own > known.own:
            best[sequence] = known._replace(own=own)
    return tuple(best.values())


def _read_state(file: Path) -> VectorState | None:
    """What the file says; None where it is missing, damaged, or of another version."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found.pop("format") != _FORMAT:
            return None
        of = str(found["mark"]), str(found["embedder"]), int(found["dimension"])
        return VectorState(*of, bool(found["is_whole"]), int(found.get("missing_until", 0)))  # which was added later
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


@contextmanager
def _disk() -> Iterator[None]:
    """Translate trouble with the disk."""
    try:
        yield
    except OSError as error:
        raise IndexUnusable(f"vectors: {error.strerror}") from error
