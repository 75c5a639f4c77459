"""What people put right: the body of a correction, and the corrections of a mind."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field

from service.http.schemas.fields import Answered, Body, ShortText, Text, TurnId

if TYPE_CHECKING:
    from consolidation.corrections.record import Correction
    from service.corrections.desk import Kept

type WhatOut = Literal["edit", "wrong", "right", "say", "pin", "mute", "merge", "split", "rename"]

CORRECTS: dict[str, Any] = {
    "what": "edit",
    "target": {"kind": "fact", "id": "fact:9d6c2f0e-53c2-4a5f-9a51-7a4bb5f3c1d2"},
    "to": "Ada's mother lives in Porto.",
    "reason": "She moved in October.",
}
CORRECTION: dict[str, Any] = {
    "id": "5f0c1f4b2d3e4a5b8c7d6e5f4a3b2c1d",
    "what": "edit",
    "target": {
        "kind": "fact",
        "text": "My mother lives in Lyon.",
        "turn_ids": ["turn-1"],
        "joins": ["user", "Lyon"],
    },
    "to": "Ada's mother lives in Porto.",
    "reason": "She moved in October.",
    "at": "2026-01-10T09:00:00.250000Z",
    "by": "owner",
    "state": "stands",
    "undone_at": None,
    "undone_by": None,
    "duplicate": False,
}


def _has_words(text: str) -> str:
    if not text.strip():
        raise ValueError("must hold words")
    return text


Words = Annotated[Text, Field(min_length=1, max_length=2_000), AfterValidator(_has_words)]


class TargetIn(Body):
    """Which memory is meant: by its id, or by its words and the turns that it comes from."""

    kind: Literal["fact", "entity", "turn"]
    id: ShortText | None = Field(
        None,
        description="As flashbacks, `remember` and the lists give it: `fact:…`, `entity:…`, `episode:…` for a turn.",
    )
    text: Words | None = Field(None, description="The words of a fact, or the name of an entity.")
    turn_ids: Annotated[list[TurnId], Field(max_length=1_000)] = Field(
        [], description="The turns that it comes from; for `split`, those that are about the other one."
    )


class CorrectionIn(Body):
    """A decision of a person about a memory."""

    what: WhatOut = Field(
        description="`edit`: it was as `to` says. `wrong`, `right`: it is not, or is, as it is told. `say`: a new "
        "fact. `pin`: it comes up first, again and again. `mute`: it never comes up by itself. `merge`: the entity is "
        "the one that `to` names. `split`: what comes of these turns is another entity, `to`. `rename`: it is called "
        "`to`."
    )
    target: TargetIn | None = Field(None, description="Needed for all but `say`.")
    to: Words | None = Field(None, description="For `edit`, `say`, `merge` (a name or an id), `split` and `rename`.")
    reason: Annotated[Text, Field(max_length=1_000)] | None = Field(None, description="For people who read it later.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [CORRECTS]}}


class TargetOut(Answered):
    """The memory as it is named in the log: by what a rebuild does not change."""

    kind: Literal["fact", "entity", "turn"]
    text: str
    turn_ids: list[str]
    joins: list[str] = Field(description="The names that a fact joins.")


class DecisionOut(Answered):
    """What a person decided of a memory."""

    id: str
    what: WhatOut
    to: str | None
    at: datetime
    by: str = Field(description="The id of the key that was used, `owner`, or `local`.")


class CorrectionOut(DecisionOut):
    """A decision as it is kept."""

    target: TargetOut
    reason: str | None
    state: Literal["stands", "replaced", "undone"] = Field(
        description="`replaced`: a later decision about the same memory took its place."
    )
    undone_at: datetime | None
    undone_by: str | None
    duplicate: bool = Field(description="Whether it stood already when it was posted.")


class CorrectionsOut(Answered):
    """The decisions of a mind, newest first."""

    items: list[CorrectionOut]
    next_cursor: str | None


def decision_out(correction: Correction) -> DecisionOut:
    """A decision beside the memory that it is about."""
    return DecisionOut.model_validate(correction)


def correction_out(kept: Kept, *, duplicate: bool = False) -> CorrectionOut:
    """A decision with its memory."""
    one, undone = kept.correction, kept.undone
    return CorrectionOut(
        id=one.id,
        what=one.what.value,
        target=TargetOut.model_validate(one.target),
        to=one.to,
        reason=one.reason,
        at=one.at,
        by=one.by,
        state="undone" if undone is not None else "stands" if kept.is_current else "replaced",
        undone_at=undone.at if undone is not None else None,
        undone_by=undone.by if undone is not None else None,
        duplicate=duplicate,
    )


CORRECTIONS: dict[str, Any] = {"items": [CORRECTION], "next_cursor": None}
UNDONE: dict[str, Any] = CORRECTION | {
    "state": "undone",
    "undone_at": "2026-01-10T09:05:00.250000Z",
    "undone_by": "owner",
}
