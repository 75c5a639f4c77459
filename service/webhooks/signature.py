"""Signs a delivery as the Standard Webhooks convention says, so that a receiver's own library can check it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

PREFIX = "whsec_"
_LEAST_BYTES, _MOST_BYTES = 24, 64


def signing_key(secret: str) -> bytes:
    """The key in a secret (`whsec_` and base64 of 24 to 64 bytes). Raises ValueError."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError(f"must be {PREFIX} and base64") from error
    if not secret.startswith(PREFIX) or not _LEAST_BYTES <= len(key) <= _MOST_BYTES:
        raise ValueError(f"must be {PREFIX} and base64 of {_LEAST_BYTES} to {_MOST_BYTES} bytes")
    return key


def signed_headers(body: bytes, *, delivery_id: str, at: int, secret: str) -> dict[str, str]:
    """The headers of a delivery that is sent *at* (seconds since 1970)."""
    signed = b".".join((delivery_id.encode(), str(at).encode(), body))
    digest = hmac.new(signing_key(secret), signed, hashlib.sha256).digest()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
