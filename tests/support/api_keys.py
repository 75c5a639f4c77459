"""API keys for a test, made as the command line makes them."""

from __future__ import annotations

from datetime import UTC, datetime

from service.access.keyring import Keyring
from service.access.keys import ApiKey, digest_of, key_text
from service.adapters.random_ids import fresh_key_id, fresh_secret

LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


def make_key(home, *, minds=None, expires_at=None, revoked_at=None, name="a bot"):
    """A key of *home*, kept there; the text its holder has."""
    key_id, secret = fresh_key_id(), fresh_secret()
    Keyring(home).add(ApiKey(key_id, name, digest_of(secret), minds, LONG_AGO, expires_at, revoked_at))
    return key_text(key_id, secret)


def id_of(key):
    """The id in a key's text."""
    return key.split("_")[1]
