"""Where a FalkorDB is: its address checked, and shown without its password. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit

from consolidation.kernel.errors import ConfigurationFault
from consolidation.kernel.secrets import without_secrets_of

_SCHEMES = {"redis": "redis", "falkor": "redis", "falkordb": "redis", "rediss": "rediss", "unix": "unix"}


def shown(url: str) -> str:
    """*url* without its user, password and query."""
    return without_secrets_of(url)


def checked(url: str) -> str:
    """*url* as redis takes it. Raises ConfigurationFault when it is not an address of a FalkorDB."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not (parts.hostname or parts.path):
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise ConfigurationFault(f"FALKORDB_URL is not an address of a FalkorDB (known: {known}): {shown(url)!r}")
    try:
        _ = parts.port
    except ValueError as error:
        raise ConfigurationFault(f"FALKORDB_URL has no proper port: {shown(url)!r}") from error
    return parts._replace(scheme=_SCHEMES[parts.scheme]).geturl()
