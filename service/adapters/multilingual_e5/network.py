"""
The network: a BERT of twelve layers, run by onnxruntime with the weights left in their 4 bits.

onnxruntime multiplies them with activations of 8 bits, which costs a query less than MiniLM's in numpy, and lets other
threads run meanwhile. Texts of one length run together and nothing is padded, so that no text changes another's vector.
"""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING, Any

from service.adapters.multilingual_e5.onnx_file import MICROSOFT, OnnxFile
from service.adapters.multilingual_e5.tokenizer import LONGEST_TEXT_PIECES
from service.adapters.multilingual_e5.weights import BLOCK, nibbles_of, rows_of, scales_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.adapters.multilingual_e5.weights import Floats, Weights

    Pieces = Sequence[int]

DIMENSION = 384
HEADS = 12
LAYERS = 12
WIDTH = 1_536  # between the two halves of a layer
BATCH_PIECES = 2_048
RUNTIME = "onnxruntime"
_NORM = {"epsilon": 1e-12}
_EIGHT_BITS = 4  # onnxruntime's "accuracy level" for activations of 8 bits
_ERRORS_ONLY = 3


class Network:
    """Pieces in, the mean of what the last layer made of them out; from any thread."""

    def __init__(self, weights: Weights) -> None:
        self._words = weights.blocks("emb.word", width=DIMENSION)
        places = weights.floats("emb.pos").reshape(LONGEST_TEXT_PIECES, DIMENSION)
        self._places: Floats = places + weights.floats("emb.type")[:DIMENSION]
        self._session = _open(_written(weights))

    def run(self, texts: Sequence[Pieces]) -> Floats:
        """One row for each of *texts*, which all have one length."""
        import numpy as np

        words = rows_of(self._words[np.asarray(texts).ravel()]).reshape(len(texts), -1, DIMENSION)
        (rows,) = self._session.run(["mean"], {"pieces": words + self._places[: words.shape[1]]})
        means: Floats = rows
        return means


def batches(texts: Sequence[Pieces]) -> Iterator[list[int]]:
    """Indices of texts of one length, none too large."""
    lengths = [len(text) for text in texts]
    for length, same in groupby(sorted(range(len(texts)), key=lengths.__getitem__), lengths.__getitem__):
        indices, most = list(same), max(BATCH_PIECES // length, 1)
        yield from (indices[start : start + most] for start in range(0, len(indices), most))


def _open(network: bytes) -> Any:  # noqa: ANN401  # onnxruntime has no types
    """One thread a call, as BLAS has here, and memory given back after each."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read at the import; else it reports to Microsoft, by way of ~/.cache
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = _ERRORS_ONLY
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _written(weights: Weights) -> bytes:
    import numpy as np

    file = OnnxFile()
    scale, shift = (file.constant(f"emb.ln.{part}", weights.floats(f"emb.ln.{part}")) for part in "wb")
    state = file.node("LayerNormalization", ["pieces", scale, shift], ["embedded"], attributes=_NORM)
    for number in range(LAYERS):
        state = _layer(file, weights, f"l{number}", state)
    axis = file.constant("axis", np.array([1]))
    file.node("ReduceMean", [state, axis], ["mean"], attributes={"keepdims": 0})
    shape = ("texts", "length", DIMENSION)
    return file.written(takes=("pieces", shape), gives=("mean", ("texts", DIMENSION)))


def _layer(file: OnnxFile, weights: Weights, name: str, state: str) -> str:
    import numpy as np

    parts = [f"{name}.{part}" for part in "qkv"]
    projected = _dense(file, weights, parts, state)
    biases = file.constant(f"{name}.qkv.b", np.concatenate([weights.floats(f"{part}.b") for part in parts]))
    projected = file.node("Add", [projected, biases], [f"{name}.projected"])
    file.node("Split", [projected], parts, attributes={"axis": 2, "num_outputs": 3})
    mixed = file.node("MultiHeadAttention", parts, [f"{name}.mixed"], domain=MICROSOFT, attributes={"num_heads": HEADS})
    attended = _dense(file, weights, [f"{name}.ao"], mixed)
    state = _norm(file, weights, f"{name}.aln", (attended, state, f"{name}.ao.b"))
    bias = file.constant(f"{name}.fi.b", weights.floats(f"{name}.fi.b"))
    widened = _dense(file, weights, [f"{name}.fi"], state)
    widened = file.node("BiasGelu", [widened, bias], [f"{name}.wide"], domain=MICROSOFT)
    narrowed = _dense(file, weights, [f"{name}.fo"], widened, width=WIDTH)
    return _norm(file, weights, f"{name}.oln", (narrowed, state, f"{name}.fo.b"))


def _dense(file: OnnxFile, weights: Weights, names: Sequence[str], state: str, *, width: int = DIMENSION) -> str:
    """Matrices below each other as one; onnxruntime pairs neighbours in a byte where the file pairs n and n + 16."""
    import numpy as np

    blocks = np.concatenate([weights.blocks(f"{name}.w", width=width) for name in names])
    nibbles = nibbles_of(blocks)
    packed = file.constant(f"{names[0]}.packed", nibbles[..., 0::2] | nibbles[..., 1::2] << 4)
    scales = file.constant(f"{names[0]}.scales", scales_of(blocks).ravel())
    size = {"K": width, "N": len(blocks), "bits": 4, "block_size": BLOCK, "accuracy_level": _EIGHT_BITS}
    outputs = [f"{names[0]}.product"]
    return file.node("MatMulNBits", [state, packed, scales], outputs, domain=MICROSOFT, attributes=size)


def _norm(file: OnnxFile, weights: Weights, name: str, inputs: tuple[str, str, str]) -> str:
    """Normalise the sum of the first two *inputs* and the bias that the third names."""
    added, state, bias = inputs
    constants = [file.constant(part, weights.floats(part)) for part in (f"{name}.w", f"{name}.b", bias)]
    inputs_of_node = [added, state, *constants]
    return file.node("SkipLayerNormalization", inputs_of_node, [f"{name}.out"], domain=MICROSOFT, attributes=_NORM)
