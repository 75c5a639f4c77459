"""The manifest of an archive: whose it is, what is in it, and how each member can be checked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from consolidation.kernel.errors import ArchiveUnreadable, InvalidMindId
from consolidation.workspace import checked_mind_id
from service.archive.layout import MANIFEST

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
    """The embedder that made the vectors."""

    name: str
    dimension: Annotated[int, Field(ge=1, le=65_536)]


class Counts(_Part):
    """How many items of each kind the archive contains."""

    turns: Count = 0
    sessions: Count = 0
    episodes: Count = 0
    entities: Count = 0
    facts: Count = 0
    story_versions: Count = 0


class Manifest(_Part):
    """``manifest.json``. ``last_sequence`` is the sequence of the newest turn in the archive."""

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
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveUnreadable(f"{MANIFEST} is not JSON", pointer=MANIFEST) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ArchiveUnreadable(f"{MANIFEST} does not say that this is a {FORMAT}", pointer=MANIFEST)
    if found.get("version") != VERSION:
        detail = f"the archive has another version of the format; this service reads version {VERSION}"
        raise ArchiveUnreadable(detail, pointer=f"{MANIFEST}#/version")
    return _checked(found)


def _checked(found: dict[str, Any]) -> Manifest:
    try:
        manifest = Manifest.model_validate(found)
        checked_mind_id(manifest.mind_id)
    except ValidationError as error:
        first = error.errors()[0]
        at = "/".join(str(part) for part in first["loc"])
        raise ArchiveUnreadable(f"{MANIFEST}: {at}: {first['msg']}", pointer=f"{MANIFEST}#/{at}") from error
    except InvalidMindId as error:
        raise ArchiveUnreadable(f"{MANIFEST}: {error}", pointer=f"{MANIFEST}#/mind_id") from error
    return manifest


def text_of(manifest: Manifest) -> bytes:
    """The bytes of ``manifest.json``."""
    return json.dumps(manifest.model_dump(mode="json"), ensure_ascii=False, indent=1).encode() + b"\n"


def stamp(instant: datetime) -> tuple[int, int, int, int, int, int]:
    """*instant* as a zip stores it."""
    return (instant.year, instant.month, instant.day, instant.hour, instant.minute, instant.second)
