"""What a reader holds already, by its ETag (RFC 9110, section 13.1.2)."""

from __future__ import annotations

_ANY = "*"


def is_held(etag: str, *, if_none_match: str | None) -> bool:
    """Whether the header lists *etag*, as a weak one too, or ``*``: then the answer is 304."""
    listed = (one.strip().removeprefix("W/") for one in (if_none_match or "").split(","))
    return any(one in {etag, _ANY} for one in listed)
