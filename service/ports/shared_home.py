"""A home that several machines share: what minds are made of is stored in one place, and each machine has copies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from uuid import UUID

    from consolidation.transcript.shared_turns import SharedTurns


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The file of a mind, relative to its folder, whose copy others may begin with, and in which format it is."""

    path: str
    format: int


@dataclass(frozen=True, slots=True)
class Arrived:
    """
    What came into a mind's copy since somebody asked last: the names of files, relative to its folder, and turns.

    ``is_anew`` says that something of the mind was erased elsewhere: whoever has the mind open closes it and renews
    the copy.
    """

    files: frozenset[str] = field(default_factory=frozenset)
    has_turns: bool = False
    is_anew: bool = False


class SharedHome(Protocol):
    """
    The minds of a shared home. Safe to use from several threads; every method blocks.

    Each raises DatabaseUnavailable where nobody answers, and OSError where the copy can not be written.
    """

    def ids(self) -> tuple[str, ...]:
        """The ids of all minds, sorted, as they were a moment ago. Asks nobody."""
        ...

    def known(self) -> frozenset[str]:
        """The same ids, in no order."""
        ...

    def bring_up(self, mind_id: str, /, *, seconds: float) -> Arrived | None:
        """
        Bring the copy of a mind up to date, and say what came since this was asked last; None: no such mind.

        It takes about so many *seconds* at most.
        """
        ...

    def renew(self, mind_id: str, /) -> None:
        """
        Delete this machine's copy of a mind, with all that was made from it; copy the mind again if it still exists.

        Without a copy, it does nothing. Where the new copy can not be written, the old one is deleted all the same.
        """
        ...

    def copied(self) -> frozenset[str]:
        """The minds of which there is a copy here, or one is being made. Asks nobody."""
        ...

    def let_go(self, mind_id: str, /) -> None:
        """Delete the copy of a mind that nobody uses. Asks nobody."""
        ...

    def turns_of(self, mind_id: str, /) -> SharedTurns:
        """The turns of a mind."""
        ...

    def admit(self, mind_id: str, folder: Path, /) -> None:
        """Store a whole mind, as it is in *folder*. Raises MindExists."""
        ...

    def end_erasure(self, mind_id: str, /) -> None:
        """Allow a mind of this id to begin again. Until then, nobody can write to one whose folder was removed."""
        ...

    def end_erasures(self, is_pending: Callable[[str], bool], /) -> None:
        """Do so for every mind whose folder was removed and whose erasure is not pending any more."""
        ...

    def generation(self, mind_id: str, /) -> int:
        """How often something of a mind had been erased when its copy was made; 0 without a copy. Asks nobody."""
        ...

    def snapshot_reach(self, mind_id: str, /) -> int:
        """Up to which turn the snapshot of a mind's full text goes, with which copies begin now; 0: there is none."""
        ...

    def keep_snapshot(self, mind_id: str, content: bytes, /, *, reach: int) -> None:
        """
        Store a snapshot of a mind's full text up to a turn: the bytes of its file, with which later copies begin.

        Nothing where the mind is not in the custody of this process.
        """
        ...

    def drop_old_snapshots(self, mind_ids: Sequence[str], /) -> None:
        """Delete those snapshots of minds that were made before something of the mind was erased."""
        ...


class Custody(Protocol):
    """Which minds this process works on in the background. Elsewhere, other processes work on them."""

    @property
    def is_shared(self) -> bool:
        """Whether there may be other processes."""
        ...

    def holds(self, mind_id: str, /) -> bool:
        """Whether this process may begin a step of a mind's background work. Asks nobody."""
        ...

    def epoch(self, mind_id: str, /) -> int | None:
        """The number of its claim, which grows with every claim of the mind; None where minds are not claimed."""
        ...

    def last_turn(self, mind_id: str, /) -> int | None:
        """
        The sequence number of a mind's last turn, on whichever machine it was accepted. It blocks.

        None if there is no such mind, or if one machine alone has the home. Raises DatabaseUnavailable.
        """
        ...

    def claim_one(self, mind_id: str, /) -> int | None:
        """
        Claim a mind that has no living owner, or is ours; its epoch. It blocks, and raises DatabaseUnavailable.

        None where another process has it, or where minds are not claimed.
        """
        ...


@dataclass(frozen=True, slots=True)
class SeveralMachines:
    """What a process needs that serves a home together with others."""

    home: SharedHome
    custody: Custody


class CustodyDesk(Custody, Protocol):
    """Where minds are claimed. These methods block, and raise DatabaseUnavailable where nobody answers."""

    def renew(self) -> bool:
        """Stay alive for some seconds more; False where others may have claimed meanwhile what was held."""
        ...

    graph: UUID | None
    """The id of the graphs that this process writes to, as the next ``renew`` tells it."""

    def other_graph(self) -> str | None:
        """Why nothing is claimed here, as of the last ``renew``; None while our graphs are those of the others."""
        ...

    def claim(self, most: int, /) -> Mapping[str, int]:
        """Claim at most so many minds that have work and no living owner; their epochs by id."""
        ...

    def take(self, mind_id: str, /) -> int | None:
        """Claim a mind whoever has it, whose writes are refused from now on; its epoch. None: there is no such mind."""
        ...

    def begin_story(self, mind_id: str, /) -> bool:
        """Claim a mind to write its story; False, and nothing is changed, while another living process writes it."""
        ...

    def end_story(self, mind_id: str, /) -> None:
        """The story is written, as far as this process is concerned."""
        ...

    def held(self) -> Mapping[str, int]:
        """The minds that are held as far as this process knows, each with the epoch under which it writes."""
        ...

    def rest(self, mind_id: str, /, *, last: int, version: int | None) -> bool:
        """
        Give a mind back that has no work up to its turn *last*, and up to a *version* where one is named.

        False where there is more, or it is not ours.
        """
        ...

    def erased(self, since: datetime, /) -> tuple[datetime, tuple[str, ...]]:
        """The time, and the minds of which something was erased since an earlier answer; some may be named again."""
        ...

    def is_clean(self, at: datetime, /) -> None:
        """Tell the others that nothing is left here of what was erased before *at*."""
        ...

    def are_others_clean(self, at: datetime, /) -> bool:
        """Whether every other process that is alive has nothing left of what was erased before *at*."""
        ...

    def unreached(self, at: datetime, /) -> tuple[datetime, ...]:
        """When processes were alive last that are out of reach, and may have left what was erased before *at*."""
        ...

    def is_forgotten(self) -> bool:
        """Whether the others may do without this process, since it was out of reach for so long. Asks nobody."""
        ...


class SoleCustody:
    """Of the only process that serves a home: it works on every mind."""

    is_shared = False

    def holds(self, _mind_id: str, /) -> bool:
        """Always."""
        return True

    def epoch(self, _mind_id: str, /) -> int | None:
        """None: nobody else claims it."""
        return None

    def last_turn(self, _mind_id: str, /) -> int | None:
        """None: the transcript knows."""
        return None

    def claim_one(self, _mind_id: str, /) -> int | None:
        """None: there is nobody to claim it from."""
        return None


SOLE = SoleCustody()
