"""
The address of a FalkorDB, or of several nodes of a FalkorDB cluster: checked, and shown without its password.

``redis://user:password@one:7101,two:7102,three:7103``: what is not a host or a port holds for all of them.
"""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlsplit

from consolidation.kernel.errors import ConfigurationFault
from consolidation.secrets.redaction import without_secrets_of

_SCHEMES = {"redis": "redis", "falkor": "redis", "falkordb": "redis", "rediss": "rediss", "unix": "unix"}


def shown(url: str) -> str:
    """Return *url* without its user, password and query."""
    scheme, _, rest = url.partition("?")[0].partition("://")
    return f"{scheme}://…" if "://" in rest else without_secrets_of(url)


def addresses(url: str) -> tuple[str, ...]:
    """Return each address that *url* names, as redis takes it. Raises ConfigurationFault."""
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    named = [host.strip() for host in hosts.split(",")]
    if parts.scheme == "unix" or "," not in parts.netloc:
        return (_checked(url, url),)
    for is_wrong, why in (
        (parts.path.startswith("//"), "names its scheme more than once: once, at its beginning"),
        ("@" in user, "names a user or a password more than once, or a bare @ or , in it"),
        (not all(named), "names an address that is empty"),
        (len(named) > 1 and parts.path not in {"", "/", "/0"}, "names several addresses, and a database besides 0"),
    ):
        if is_wrong:
            raise ConfigurationFault(f"FALKORDB_URL {why}: {shown(url)!r}")
    if len(named) == 1:  # the comma is in the password
        return (_checked(url, url),)
    found = (_checked(parts._replace(netloc=f"{user}{at}{host}", path="").geturl(), url) for host in named)
    return tuple(dict.fromkeys(found))


def hosts_of(url: str) -> tuple[str, ...]:
    """Return the hosts that *url* names; none where it is a socket on this machine, or no address."""
    with suppress(ConfigurationFault):
        return tuple(dict.fromkeys(host for one in addresses(url) if (host := urlsplit(one).hostname)))
    return ()


def beside(address: str, *, host: str, port: int) -> str:
    """Return the address of another server that is reached as the one at *address* is."""
    parts = urlsplit(address)
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{f'[{host}]' if ':' in host else host}:{port}", path="").geturl()


def _checked(address: str, url: str) -> str:
    """Return *address* as redis takes it. Raises ConfigurationFault where it is not one of a FalkorDB."""
    parts = urlsplit(address)
    if parts.scheme not in _SCHEMES or not (parts.hostname or parts.path):
        known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise ConfigurationFault(f"FALKORDB_URL is not an address of a FalkorDB (known: {known}): {shown(url)!r}")
    database = parts.path.strip("/")
    if parts.scheme != "unix" and database and not (database.isascii() and database.isdigit()):
        raise ConfigurationFault(f"FALKORDB_URL names a database that is not a number: {shown(url)!r}")
    try:
        _ = parts.port
    except ValueError as error:
        raise ConfigurationFault(f"FALKORDB_URL has no valid port: {shown(url)!r}") from error
    return parts._replace(scheme=_SCHEMES[parts.scheme]).geturl()
