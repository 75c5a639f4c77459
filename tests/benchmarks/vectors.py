"""
A scripted embedder, shared by the service, stock Graphiti and the loader of the benchmark of size.

A text's vector is the sum of its words' vectors, and words of one topic lean to one centre: so that texts about the
same things are neighbours, a question is near what answers it, and 200,000 texts take seconds. It knows no meaning.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from consolidation.text.words import stems
from service.ports.embedder import EmbedderIdentity
from tests.benchmarks.vocabulary import TOPICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.ports.embedder import Vectors

_SEED, _WORDS = 20261121, 4096
_CENTRE, _OWN = 0.7, 0.7
DECIMALS = 4  # as it is stored, so that what is compared is what was written


class WordVectors:
    """Embedder by a table of random words; the same text has the same vector in every process."""

    name = stored_name = "scripted-words"
    dimension = 384
    has_meaning = True
    is_calibrated = False
    tells_queries_apart = False
    is_in_process = True

    def __init__(self) -> None:
        dice = np.random.default_rng(_SEED)
        self._words = _unit(dice.standard_normal((_WORDS, self.dimension), dtype=np.float32))
        self._centres = _unit(dice.standard_normal((len(TOPICS), self.dimension), dtype=np.float32))
        self._topics = {
            stem: number for number, words in enumerate(TOPICS) for word in words for stem in stems(word, language="en")
        }

    async def identity(self) -> EmbedderIdentity:
        """Its name and dimension."""
        return EmbedderIdentity(self.stored_name, self.dimension)

    async def warm(self) -> None:
        """There is nothing to load."""

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Unit rows of float32, one a text, in order."""
        return self.of(texts)

    async def embed_queries(self, texts: Sequence[str], /) -> Vectors:
        """The same: a word has one vector."""
        return self.of(texts)

    def of(self, texts: Sequence[str]) -> Vectors:
        """The same without waiting."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for stem in dict.fromkeys(stems(text, language="en") or (text,)):
                place = zlib.crc32(stem.encode(errors="surrogatepass")) % _WORDS
                topic = self._topics.get(stem)
                row += (
                    self._words[place] if topic is None else _OWN * self._words[place] + _CENTRE * self._centres[topic]
                )
        return np.round(_unit(rows), DECIMALS)


def _unit(rows: Vectors) -> Vectors:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
