"""What becomes of a mind that is imported, or built anew."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.wire.fields import Answered


class ImportedOut(Answered):
    """The mind that an archive became."""

    mind_id: str
    from_mind_id: str = Field(description="What it was called where the archive was made.")
    made_at: datetime = Field(description="When the archive was made.")
    turns: int
    last_sequence: int
    episodes: int
    entities: int
    facts: int
    reembedded: bool = Field(description="Whether its vectors were made anew.")


class RebuildingOut(Answered):
    """Graph and full text are empty, and fill again by themselves."""

    mind_id: str
    turns: int = Field(description="How many will be digested again.")
