"""The address of a FalkorDB: checked, and shown without its password."""

from __future__ import annotations

from urllib.parse import urlsplit

from consolidation.kernel.errors import ConfigurationFault
from consolidation.secrets.redaction import without_secrets_of

_SCHEMES = {"redis": "redis", "falkor": "redis", "falkordb": "redis", "rediss": "rediss", "unix": "unix"}


def shown(url: str) -> str:
    """Return *url* without its user, password and query."""
    return without_secrets_of(url)


def checked(url: str) -> str:
    """Return *url* as redis takes it. Raises ConfigurationFault where it is not the address of a FalkorDB."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not (parts.hostname or parts.path):
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise ConfigurationFault(f"FALKORDB_URL is not an address of a FalkorDB (known: {known}): {shown(url)!r}")
    try:
        _ = parts.port
    except ValueError as error:
        raise ConfigurationFault(f"FALKORDB_URL has no valid port: {shown(url)!r}") from error
    return parts._replace(scheme=_SCHEMES[parts.scheme]).geturl()
