"""
The weights of neighbouring turns, whose words help to find a turn.

An answer is often found by its question, and a question by its answer. So full text stores the neighbours' words in
columns of their own, and each passage has a second vector that leans towards its neighbours' vectors. Measured on
LoCoMo against a turn alone and a turn with the one before: see tests/benchmarks/README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from service.ports.embedder import Vectors

# asked: the turn before, if it contains a question. told: the turn before, if it does not. before: the one before that.
OWN, ASKED, TOLD, BEFORE, AFTER = 1.0, 0.7, 0.3, 0.25, 0.2
COLUMNS = ("own", "asked", "told", "before", "after")
WEIGHTS = (OWN, ASKED, TOLD, BEFORE, AFTER)
# Of what words mean: the person's, the assistant's, and those of the turn before.
CONCEPT_COLUMNS = ("own", "answer", "before")
CONCEPT_WEIGHTS = (1.0, 0.5, 0.4)


def asks(text: str) -> bool:
    """Whether *text* contains a question."""
    return any(mark in text for mark in "?？؟")


def leaning(vectors: Vectors, questions: Sequence[bool], *, at: int) -> NDArray[np.float32]:
    """
    The unit vector of passage *at* of a session, leaning towards its neighbours.

    *vectors*: one row per passage, in the order they were said; *questions*: whether each one asks.
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
