"""The answers of import and rebuild."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.http.schemas.fields import Answered


class ImportedOut(Answered):
    """The mind that was made from an archive."""

    mind_id: str
    from_mind_id: str = Field(description="The mind's id where the archive was made.")
    made_at: datetime = Field(description="When the archive was made.")
    turns: int
    last_sequence: int
    episodes: int
    entities: int
    facts: int
    reembedded: bool = Field(description="Whether new vectors were made.")
    prompts_left_out: int = Field(description="The number of the archive's own prompts that were not imported.")


class RebuildingOut(Answered):
    """Graph and full text were deleted, and fill again by themselves."""

    mind_id: str
    turns: int = Field(description="The number of turns that will be processed again.")
