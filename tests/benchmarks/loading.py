"""
A made-up mind written into a home as the service would have left it: transcript, full text, graph, all cursors.

Whoever opens a copy of that home finds everything saved and extracted. It is made once, and again when what it is
made by has changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import dataclass
from itertools import batched, groupby
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from consolidation.transcript.records import encode
from consolidation.workspace import workspace_of
from service.adapters.falkordb import mind_graph, schema
from service.index import mind_vectors, text_store, vector_table
from service.index.text_index import TextIndex
from service.ingest.episodes import as_indexed
from service.ingest.knowledge_index import index_knowledge
from service.ports.graph import Extracted
from tests.benchmarks import contents as held_contents
from tests.benchmarks import graph_loading, synthetic, vectors, vocabulary
from tests.benchmarks.contents import MIND, contents, session_before
from tests.benchmarks.graph_loading import store, store_for_stock
from tests.benchmarks.synthetic import SyntheticMind
from tests.benchmarks.vectors import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.contents import Contents

ARMS = ("turns", "facts", "entities")
_MADE_BY = (
    held_contents,
    graph_loading,
    synthetic,
    vectors,
    vocabulary,
    schema,
    mind_graph,
    text_store,
    mind_vectors,
    vector_table,
)
_PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Built:
    """A loaded home, copied before it is served, and the vectors in it to compare answers with."""

    folder: Path

    @property
    def home(self) -> Path:
        """What is copied."""
        return self.folder / "home"

    @property
    def stock(self) -> Path:
        """A home with the same graph as stock Graphiti has it, its vectors in it."""
        return self.folder / "stock"

    @property
    def notes(self) -> dict[str, Any]:
        """What it was made by, and how long each step took."""
        file = self.folder / "built.json"
        return json.loads(file.read_text()) if file.exists() else {}

    @property
    def mind(self) -> SyntheticMind:
        """What is in it."""
        return SyntheticMind(self.notes["facts"])

    def arm(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Keys and vectors of one of ARMS."""
        return np.load(self.folder / f"{name}-keys.npy"), np.load(self.folder / f"{name}.npy")


async def build(folder: Path, *, facts: int, advanced: Callable[[str], None] = lambda _: None) -> Built:
    """The mind of about *facts* facts in *folder*, made unless this very code made it there before."""
    made = Built(folder)
    notes = {"facts": facts, "made_by": _fingerprint()}
    if notes.items() <= made.notes.items():
        return made
    shutil.rmtree(folder, ignore_errors=True)
    made.home.mkdir(parents=True)
    seconds: dict[str, float] = {}

    def done(step: str, began: float) -> None:
        seconds[step] = round(time.monotonic() - began, 1)
        advanced(step)

    began = time.monotonic()
    held = made_up(SyntheticMind(facts))
    _keep_vectors(folder, held)
    done("made up", began)
    for step, write in (("transcript", write_down), ("full text", put_into_full_text)):
        began = time.monotonic()
        write(made.home, held)
        done(step, began)
    began = time.monotonic()
    await store(made.home, held)
    done("graph", began)
    began = time.monotonic()
    await store_for_stock(made.stock, made.home, held)
    done("graph for stock", began)
    (folder / "built.json").write_text(json.dumps({**notes, "seconds": seconds}))
    return made


def _keep_vectors(folder: Path, held: Contents) -> None:
    for arm in ARMS:
        np.save(folder / f"{arm}-keys.npy", np.array(held.keys(arm)))
        np.save(folder / f"{arm}.npy", held.vectors[arm])


def made_up(mind: SyntheticMind) -> Contents:
    """Everything *mind* has been told."""
    return contents(mind, WordVectors())


def write_down(home: Path, held: Contents) -> None:
    """Write the transcript."""
    workspace = workspace_of(home, MIND)
    workspace.create()
    kept = [told.kept for told in held.told]
    for month, turns in groupby(kept, key=lambda one: f"{one.accepted_at:%Y-%m}"):
        (workspace.transcript / f"{month}.jsonl").write_bytes(b"".join(map(encode, turns)))


def put_into_full_text(home: Path, held: Contents) -> None:
    """Write full text, as it is when everything is digested."""
    text = TextIndex(workspace_of(home, MIND).text_index)
    indexing = SimpleNamespace(text=text)  # all that is asked of a mind
    kept = [told.kept for told in held.told]
    last = kept[-1].sequence
    for places in batched(range(len(kept)), _PAGE):
        turns = [
            as_indexed(
                kept[at],
                uuid=held.episodes[at].uuid,
                before=[kept[before] for before in session_before(at, most=2)],
                fallback="en",
            )
            for at in places
        ]
        text.add_turns(turns, cursor=turns[-1].sequence)
    for facts in batched(held.facts, _PAGE):
        index_knowledge(indexing, Extracted(facts=facts), 0)
    index_knowledge(indexing, Extracted(entities=held.entities), last)
    text.close()


def _fingerprint() -> str:
    """Of all the code that decides what is written."""
    files = [Path(__file__), *(Path(str(module.__file__)) for module in _MADE_BY)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
