"""
Receipts that are kept: ``<home>/erasures.jsonl``, a line for each erasure that ended, append-only.

A line has counts and names of places, and nobody's words. A session or a turn is named by a digest of its id, since the
id itself was erased. It is the digest of the audit log, so whoever knows the id finds the receipt. The file is outside
of the mind's folder: the receipt of a mind outlives it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.errors import HomeFault
from consolidation.kernel.files import append_synced, exclusive
from consolidation.transcript.recovery import seal_end
from service.erasure.receipt import PlaceCount

if TYPE_CHECKING:
    from pathlib import Path

    from service.erasure.pending import ErasurePlan
    from service.erasure.receipt import ErasureRequest, Receipt

FILE = "erasures.jsonl"
_LOCK_SECONDS = 10
_ID_BYTES = 16
_TURNS = ("transcript", "turns")


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """
    What is kept of a receipt. ``part`` names the session or the turn; None of a whole mind.

    ``turns`` counts them all, also where a restart lost the counts of ``erased``. ``peoples_files``,
    ``edited_by_person`` and ``left`` are counted, since their names may be words.
    """

    id: str
    mind_id: str
    kind: str
    part: str | None
    by: str
    began_at: datetime
    erased_at: datetime
    verified: bool
    turns: int
    erased: tuple[PlaceCount, ...]
    peoples_files: int
    edited_by_person: int
    left: int
    append_only_file: str
    snapshot: str
    found: tuple[str, ...]


def kind_of(request: ErasureRequest) -> str:
    """What is erased: ``mind``, ``session`` or ``turn``."""
    return "session" if request.session_id else "turn" if request.turn_id else "mind"


def part_of(request: ErasureRequest) -> str | None:
    """The digest that names a session or a turn where its id is not kept; None of a whole mind."""
    part = request.session_id or request.turn_id
    return hashlib.sha256(part.encode()).hexdigest()[:16] if part else None


def kept_receipt(plan: ErasurePlan, receipt: Receipt) -> KeptReceipt:
    """What is kept of *receipt*. Its id is the same however often *plan* is begun again."""
    request = plan.request
    named = f"{request.mind_id}\n{kind_of(request)}\n{part_of(request)}\n{plan.began_at.isoformat()}"
    return KeptReceipt(
        id=hashlib.blake2b(named.encode(), digest_size=_ID_BYTES).hexdigest(),
        mind_id=request.mind_id,
        kind=kind_of(request),
        part=part_of(request),
        by=plan.by,
        began_at=plan.began_at,
        erased_at=receipt.erased_at,
        verified=receipt.is_verified,
        turns=len(plan.turns) or sum(one.count for one in receipt.erased if (one.place, one.unit) == _TURNS),
        erased=receipt.erased,
        peoples_files=len(receipt.peoples_files),
        edited_by_person=len(receipt.edited_by_person),
        left=len(receipt.left),
        append_only_file=receipt.rewritten.append_only_file,
        snapshot=receipt.rewritten.snapshot,
        found=receipt.found,
    )


class ReceiptLog:
    """The receipts of one home."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE

    def add(self, kept: KeptReceipt) -> None:
        """
        Append a receipt; it is on disk when this returns. One whose id is there already is kept once.

        Blocking. Raises Locked, OSError.
        """
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            if self._file.exists():
                seal_end(self._file)  # a kill tore the last line: this one begins a line of its own
            if all(one.id != kept.id for _, one in self._read()):
                line = json.dumps(asdict(kept), default=datetime.isoformat, ensure_ascii=False)
                append_synced(self._file, f"{line}\n".encode())

    async def newest(
        self, *, mind_id: str | None, before: int | None, limit: int
    ) -> tuple[tuple[tuple[int, KeptReceipt], ...], bool]:
        """
        The newest receipts with their numbers, newest first; of one mind, or of all. And whether more follow.

        *before* is the number of the last one of the page before. Raises HomeFault.
        """
        try:
            found = await anyio.to_thread.run_sync(self._read)
        except OSError as error:
            raise HomeFault(f"the receipts can not be read: {error.strerror}") from error
        wanted = [
            (number, one)
            for number, one in reversed(found)
            if (mind_id is None or one.mind_id == mind_id) and (before is None or number < before)
        ]
        return tuple(wanted[:limit]), len(wanted) > limit

    def _read(self) -> list[tuple[int, KeptReceipt]]:
        """Every receipt with the number of its line. A line that is not one is passed over."""
        if not self._file.exists():
            return []
        lines = self._file.read_bytes().splitlines()
        return [(number, kept) for number, line in enumerate(lines) if (kept := _decoded(line)) is not None]


def _decoded(line: bytes) -> KeptReceipt | None:
    try:
        found: dict[str, Any] = json.loads(line)
        return KeptReceipt(
            **{
                **found,
                "began_at": datetime.fromisoformat(found["began_at"]),
                "erased_at": datetime.fromisoformat(found["erased_at"]),
                "erased": tuple(PlaceCount(**one) for one in found["erased"]),
                "found": tuple(found["found"]),
            }
        )
    except (ValueError, KeyError, TypeError):
        return None
