"""Which minds hold a thread of another memory's API, whose calls name a thread and no mind."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class ThreadIndex(Protocol):
    """
    The minds of threads, by the threads' ids. Safe to use from several threads of a process; every method blocks.

    An entry is a hint: whoever finds one looks into the mind. It ends with its mind. Each method raises
    DatabaseUnavailable where nobody answers, and OSError where the disk fails.
    """

    def minds_with(self, thread_id: str, /) -> Sequence[str]:
        """The ids of the minds that hold a thread of this id, sorted."""
        ...

    def note(self, thread_id: str, /, *, mind_id: str) -> None:
        """Note that a mind holds a thread. A mind that does not exist gets no entry."""
        ...

    def forget(self, thread_id: str, /, *, mind_id: str) -> None:
        """Delete an entry. It need not be there."""
        ...


def thread_digest(thread_id: str) -> bytes:
    """What stands for the id of a thread in an entry: 16 bytes."""
    return hashlib.blake2b(thread_id.encode(), digest_size=16).digest()
