"""What a transcript needs where several machines append to it: a store that gives each turn its sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.shared_files import Stamp
    from consolidation.kernel.turns import StoredTurn, Turn


class SharedTurn(NamedTuple):
    """A turn as it is stored, and whether this call stored it."""

    kept: StoredTurn
    is_new: bool


class FileSeen(NamedTuple):
    """A file of the mind, by its path below the mind's folder, as it was when it said how a turn is stored."""

    path: str
    stamp: Stamp


class SharedTurns(Protocol):
    """
    The turns of one mind, stored for everybody; this machine's files are a copy. Every method blocks.

    Each raises DatabaseUnavailable where nobody answers.
    """

    def append(
        self, turns: Sequence[tuple[Turn, int]], /, *, at: datetime, as_seen: frozenset[FileSeen]
    ) -> tuple[SharedTurn, ...]:
        """
        Store *turns*, each with its tokens, all of them or none, and append to the copy what it lacks.

        The answer is in the order given. A turn whose id is taken is answered as it was stored, or as its tombstone.
        Raises ChangedElsewhere, and CopyOutdated, where one of the files *as_seen* is another one by now; the copy has
        it then.
        """
        ...

    def overwrite(self, lines: Mapping[int, bytes], /) -> None:
        """Put tombstones in the place of turns, by sequence, each a line without its newline. The copy stays."""
        ...
