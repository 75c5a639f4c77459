"""What makes vectors of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from consolidation.kernel.errors import EmbedderMismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]  # one row for each text
    Vector = NDArray[np.float32]  # one row


class Embedder(Protocol):
    """Turns texts into unit vectors of one dimension."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def stored_name(self) -> str:
        """The name under which a graph remembers who made its vectors. It changes where the weights do."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; 0 while that is not known yet."""
        ...

    @property
    def has_meaning(self) -> bool:
        """Whether texts that share no word can be near each other; False where it only hashes words."""
        ...

    @property
    def is_calibrated(self) -> bool:
        """Whether the relevance gate's thresholds were measured on its cosines."""
        ...

    @property
    def tells_queries_apart(self) -> bool:
        """Whether a text has another vector when it is searched with than when it is found."""
        ...

    @property
    def is_in_process(self) -> bool:
        """Whether this process makes the vectors; False where it waits for a provider."""
        ...

    async def identity(self) -> EmbedderIdentity:
        """Its stored name and its dimension, which a provider may have to be asked for. Raises EmbedderFault."""
        ...

    async def warm(self) -> None:
        """Load what the first text would otherwise wait for; nothing where there is nothing to load."""
        ...

    async def embed(self, texts: Sequence[str], /) -> Vectors:
        """Return float32 vectors, one row for each text that is stored, in order. Raises EmbedderFault."""
        ...

    async def embed_queries(self, texts: Sequence[str], /) -> Vectors:
        """Return the same for texts that are searched with. Raises EmbedderFault."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedder made the vectors of a graph."""

    embedder: str
    dimension: int


def is_other_version(found: str, *, configured: str) -> bool:
    """
    Whether two stored names are of one built-in embedder, in two versions of this software.

    Then nobody chose another embedder, and vectors are made anew unasked. A provider's model has a ":" in its name.
    """
    (name, *version), (our_name, *our_version) = found.split("@"), configured.split("@")
    return ":" not in name and name == our_name and bool(version and our_version) and version != our_version


def check_embedder(found: EmbedderIdentity, *, configured: EmbedderIdentity) -> None:
    """Raise EmbedderMismatch where vectors are of another embedder: they can not be compared with ours."""
    if found != configured:
        raise EmbedderMismatch(
            f"this graph was embedded with {_shown(found)}, configured is {_shown(configured)}: set the embedder back, "
            "or run `mind-memory reindex`"
        )


def _shown(identity: EmbedderIdentity) -> str:
    """*identity* for a person; a dimension of 0 is not known yet."""
    return f"{identity.embedder} ({identity.dimension} dimensions)" if identity.dimension else identity.embedder
