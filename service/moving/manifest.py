"""The first thing said of an archive: whose it is, what is in it, and how each member can be checked. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from consolidation.kernel.errors import InvalidMindId
from consolidation.workspace import checked_mind_id
from service.moving.faults import ArchiveUnreadable
from service.moving.members import MANIFEST

if TYPE_CHECKING:
    from datetime import datetime

FORMAT, VERSION = "mind-memory archive", 1

Count = Annotated[int, Field(ge=0, lt=2**53)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Member(_Part):
    """A file of the archive: its size in bytes, and the SHA-256 of its bytes in hexadecimal."""

    name: str
    bytes: Count
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class LeftOut(_Part):
    """A file of the mind that is not in the archive, and why."""

    name: str
    reason: str


class Embedding(_Part):
    """What made the vectors."""

    name: str
    dimension: Annotated[int, Field(ge=1, le=65_536)]


class Counts(_Part):
    """How many there are of each."""

    turns: Count = 0
    sessions: Count = 0
    episodes: Count = 0
    entities: Count = 0
    facts: Count = 0
    story_versions: Count = 0


class Manifest(_Part):
    """``manifest.json``; ``last_sequence`` is that of the newest turn in the archive."""

    format: str
    version: int
    mind_id: str
    made_at: Annotated[AwareDatetime, Field(strict=False)]
    last_sequence: Count
    embedder: Embedding | None
    counts: Counts
    members: tuple[Member, ...] = Field(strict=False)
    left_out: tuple[LeftOut, ...] = Field((), strict=False)


def manifest_of(text: bytes) -> Manifest:
    """Read ``manifest.json``. Raises ArchiveUnreadable."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveUnreadable(f"{MANIFEST} is no JSON", pointer=MANIFEST) from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise ArchiveUnreadable(f"{MANIFEST} does not say that this is a {FORMAT}", pointer=MANIFEST)
    if said.get("version") != VERSION:
        detail = f"the archive is of another version of the format; this service reads version {VERSION}"
        raise ArchiveUnreadable(detail, pointer=f"{MANIFEST}#/version")
    return _checked(said)


def _checked(said: dict[str, Any]) -> Manifest:
    try:
        found = Manifest.model_validate(said)
        checked_mind_id(found.mind_id)
    except ValidationError as error:
        first = error.errors()[0]
        at = "/".join(str(part) for part in first["loc"])
        raise ArchiveUnreadable(f"{MANIFEST}: {at}: {first['msg']}", pointer=f"{MANIFEST}#/{at}") from error
    except InvalidMindId as error:
        raise ArchiveUnreadable(f"{MANIFEST}: {error}", pointer=f"{MANIFEST}#/mind_id") from error
    return found


def text_of(manifest: Manifest) -> bytes:
    """The manifest as a file."""
    return json.dumps(manifest.model_dump(mode="json"), ensure_ascii=False, indent=1).encode() + b"\n"


def stamp(instant: datetime) -> tuple[int, int, int, int, int, int]:
    """*instant* as a zip dates its members."""
    return (instant.year, instant.month, instant.day, instant.hour, instant.minute, instant.second)
