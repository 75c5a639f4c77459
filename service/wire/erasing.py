"""What an erase did, over the wire."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.wire.fields import Answered


class ErasedCount(Answered):
    """So much of one kind went from one place."""

    place: str
    unit: str
    count: int


class ErasedOut(Answered):
    """The receipt of an erase; while it waits for something, what it waits for."""

    mind_id: str
    session_id: str | None = Field(description="The session that was erased; null where more was, or one turn.")
    turn_id: str | None = Field(description="The turn that was erased; null where more was.")
    began_at: datetime | None = Field(description="When it began, while it goes on.")
    erased_at: datetime | None = Field(description="When nothing of it was left; null while it goes on.")
    verified: bool = Field(
        description="A last search found nothing, and the graph's server has written its files anew."
    )
    waiting_for: str | None = Field(description="Why it is not done; it goes on by itself, also after a restart.")
    erased: list[ErasedCount]
    peoples_files: list[str] = Field(description="Files a person wrote in the mind's folder, that went with it.")
    edited_by_person: list[str] = Field(description="Chapters that a person edited: they stay, and may tell of it.")
    left: list[str] = Field(description="What still shows it and is a person's: theirs to deal with.")
    append_only_file: str = Field(description="`rewritten`, `off`, or why the graph's server did not.")
    snapshot: str = Field(description="`saved`, `off`, or why the graph's server did not.")
    found: list[str] = Field(description="Where the last search still found something.")
