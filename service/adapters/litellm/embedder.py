"""The embedder over litellm: any provider's vectors, checked and scaled to unit length."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import EmbedderCircuitOpen, EmbedderUnavailable, ModelTimedOut
from consolidation.secrets.redaction import in_address
from service.adapters.litellm.configuration import problem_of
from service.adapters.litellm.fallback_chain import Deployment
from service.adapters.litellm.loader import open_litellm
from service.adapters.litellm.model_errors import is_busy, retry_after, translated
from service.ports.embedder import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from service.adapters.circuit_breaker import CircuitBreaker

    Vectors = NDArray[np.float32]

BATCH = 64
BATCHES_BEFORE_LARGER = 50
PROBE = "a word"
BLANK = " "  # providers refuse an empty text


class LitellmEmbedder:
    """
    The vectors of one model; call ``probe`` first, unless its dimension is configured.

    ``timeout_seconds`` is for one batch of at most *batch* texts. After one that was not answered in time, batches are
    half as large. *breaker* pauses the embedder after failures.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None,
        api_key: str | None,
        timeout_seconds: float,
        dimension: int | None = None,
        batch: int = BATCH,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._breaker = breaker
        self._model, self._api_base, self._api_key = model, api_base, api_key
        self._timeout, self._dimension, self._batch = timeout_seconds, dimension, batch
        self._size, self._in_time = batch, 0  # of a batch at present, and how many of that size came in time
        self._is_dimension_configured = dimension is not None

    has_meaning = True
    is_calibrated = False
    tells_queries_apart = False
    is_in_process = False

    @property
    def name(self) -> str:
        """The model's name."""
        return f"litellm:{self._model}"

    @property
    def stored_name(self) -> str:
        """The same: nobody knows when a provider changes its weights."""
        return self.name

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. Raises EmbedderUnavailable while that is not known."""
        if self._dimension is None:
            raise EmbedderUnavailable(f"{self.name} has not said its dimension yet: probe it first")
        return self._dimension

    async def identity(self) -> EmbedderIdentity:
        """Its name and dimension; asks the provider each time unless the dimension is configured."""
        if not self._is_dimension_configured:
            await self.probe()
        return EmbedderIdentity(self.stored_name, self.dimension)

    async def warm(self) -> None:
        """Nothing: litellm takes seconds to import, and the models' own warm-up does it."""

    async def problem(self) -> str | None:
        """What is wrong with the model's name or key, and what to do; no provider is asked."""
        litellm = await open_litellm()
        deployment = Deployment(self._model, self._api_base, self._api_key)
        return await anyio.to_thread.run_sync(problem_of, litellm, deployment, abandon_on_cancel=True)

    async def probe(self) -> int:
        """Embed a word to learn the dimension, or to check the configured one."""
        await self.embed((PROBE,))
        return self.dimension

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Return float32 rows, one for each text, in order. Raises EmbedderUnavailable, at once while it is paused."""
        if self._breaker is None:
            return await self._embedded(texts)
        self._breaker.check(EmbedderCircuitOpen)
        with self._breaker.watching(self.ask, suspect=EmbedderUnavailable):
            return await self._embedded(texts)

    async def embed_queries(self, texts: Sequence[str], /) -> Vectors:
        """Return the same: a provider is not told which texts are searched with. Raises as `embed` does."""
        return await self.embed(texts)

    async def ask(self) -> None:
        """Embed one word, the cheapest question. Raises EmbedderUnavailable."""
        await self._embedded((PROBE,))

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        await anyio.to_thread.run_sync(import_module, "numpy", abandon_on_cancel=True)
        import numpy as np

        if not texts:
            return np.empty((0, self._dimension or 0), dtype=np.float32)
        if self._in_time >= BATCHES_BEFORE_LARGER:  # never in the midst of a call, which would be lost with it
            self._size, self._in_time = min(self._size * 2, self._batch), 0
        size = self._size
        return np.concatenate([await self._timed(texts[at : at + size]) for at in range(0, len(texts), size)])

    async def _timed(self, texts: Sequence[str]) -> Vectors:
        is_full = len(texts) * 2 > self._size
        try:
            async with asyncio.timeout(self._timeout):
                vectors = await self._embed_batch(texts)
        except TimeoutError as error:
            if is_full:
                self._size, self._in_time = max(1, min(self._size, len(texts) // 2)), 0
            raise EmbedderUnavailable(f"{self.name} did not answer within {self._timeout:g} s") from error
        self._in_time += is_full
        return vectors

    async def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        litellm = await open_litellm()
        try:
            response = await litellm.aembedding(
                model=self._model,
                input=[text if text.strip() else BLANK for text in texts],
                api_base=self._api_base,
                api_key=self._api_key,
                timeout=self._timeout,
                encoding_format="float",
                drop_params=True,
                max_retries=0,
                num_retries=0,
            )
            rows = _in_order(response.data)
        except TimeoutError:
            raise
        except Exception as error:  # litellm raises whatever its providers' parsers raise
            keys = (*((self._api_key,) if self._api_key else ()), *in_address(self._api_base or ""))
            fault = translated(error, model=self._model, keys=keys)
            if isinstance(fault, ModelTimedOut):
                raise TimeoutError from error
            unavailable = EmbedderUnavailable(str(fault))
            unavailable.is_busy, unavailable.retry_after = is_busy(error), retry_after(error)
            raise unavailable from error
        return self._checked(rows, count=len(texts))

    def _checked(self, rows: list[Any], *, count: int) -> Vectors:
        import numpy as np

        if len(rows) != count:
            raise EmbedderUnavailable(f"{self.name} gave {len(rows)} vectors for {count} texts")
        try:
            vectors = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise EmbedderUnavailable(f"{self.name} gave vectors of different lengths, or no numbers") from error
        if vectors.ndim != 2 or not vectors.shape[1]:  # noqa: PLR2004 - rows and columns
            raise EmbedderUnavailable(f"{self.name} gave something that is not a vector a text")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EmbedderUnavailable(f"{self.name} gave a vector of zeros, or one that is not finite")
        if vectors.shape[1] != (self._dimension or vectors.shape[1]):
            raise EmbedderUnavailable(f"{self.name} has dimension {vectors.shape[1]}, not {self._dimension} as before")
        self._dimension = vectors.shape[1]
        unit: Vectors = (vectors / norms).astype(np.float32)
        return unit


def _in_order(data: list[Any]) -> list[Any]:
    """The vectors in the order of the texts, in which a server sends those that it does not number."""
    if all(row.get("index") is None for row in data):
        return [row["embedding"] for row in data]
    placed = [(row["index"], row["embedding"]) for row in data]
    return [vector for _, vector in sorted(placed, key=lambda pair: int(pair[0]))]
