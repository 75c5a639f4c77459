"""Receipts of erasures that are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from service.http.schemas.erasure import ERASED, ErasedCount
from service.http.schemas.fields import Answered, Body


class ErasuresAsked(Body):
    """Which receipts."""

    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the page before.")
    limit: int = Field(50, ge=1, le=500)


class KeptReceiptOut(Answered):
    """What is kept of a receipt: counts, and nobody's words."""

    id: str
    mind_id: str
    kind: Literal["mind", "session", "turn"]
    part: str | None = Field(
        description="The first 16 hex digits of the SHA-256 of the session's or turn's id, which was erased itself."
    )
    by: str = Field(description="A key's id, `owner` or `local`; empty if an earlier release began it.")
    began_at: datetime
    erased_at: datetime
    verified: bool
    turns: int
    erased: list[ErasedCount]
    peoples_files: int
    edited_by_person: int
    left: int
    append_only_file: str
    snapshot: str
    found: list[str]


class ErasuresOut(Answered):
    """Receipts, newest first."""

    items: list[KeptReceiptOut]
    next_cursor: str | None


ERASURES: dict[str, Any] = {
    "items": [
        {
            "id": "5f0c1f4b2d3e4a5b8c7d6e5f4a3b2c1d",
            "mind_id": "global-user-memory",
            "kind": "turn",
            "part": "9b1f0a7c3d5e2468",
            "by": "owner",
            "began_at": "2026-01-12T09:29:58Z",
            "erased_at": "2026-01-12T09:30:00Z",
            "verified": True,
            "turns": 1,
            "erased": ERASED["erased"],
            "peoples_files": 0,
            "edited_by_person": 0,
            "left": 0,
            "append_only_file": "rewritten",
            "snapshot": "off",
            "found": [],
        }
    ],
    "next_cursor": None,
}
