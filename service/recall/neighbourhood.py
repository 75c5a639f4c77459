"""
What was said around a stretch of talk belongs to how it is found: the weights of neighbours. Pure.

An answer is often found by its question, and a question by its answer. So full text keeps the neighbours' words in
columns of their own, and each passage has a second vector that leans towards its neighbours'. Measured on LoCoMo
against a turn alone and a turn with the one before: see tests/benchmarks/README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from service.ports import Vectors

OWN, ASKED, TOLD, BEFORE, AFTER = 1.0, 0.7, 0.3, 0.25, 0.2
COLUMNS = ("own", "asked", "told", "before", "after")
WEIGHTS = (OWN, ASKED, TOLD, BEFORE, AFTER)


def asks(text: str) -> bool:
    """Whether *text* holds a question."""
    return any(mark in text for mark in "?？؟")


def leaning(vectors: Vectors, questions: Sequence[bool], *, at: int) -> NDArray[np.float32]:
    """
    The unit vector of passage *at* of a session, leaning towards its neighbours.

    *vectors*: a row a passage, in the order they were said; *questions*: whether each asks.
    """
    import numpy as np

    mixed = OWN * vectors[at]
    if at >= 1:
        mixed = mixed + (ASKED if questions[at - 1] else TOLD) * vectors[at - 1]
    if at >= 2:  # noqa: PLR2004 - the one before the one before
        mixed = mixed + BEFORE * vectors[at - 2]
    if at + 1 < len(vectors):
        mixed = mixed + AFTER * vectors[at + 1]
    length = float(np.linalg.norm(mixed))
    unit: NDArray[np.float32] = (mixed / length if length > 0 else vectors[at]).astype(np.float32)
    return unit
