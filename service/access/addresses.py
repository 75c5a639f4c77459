"""Where a request comes from, and by which name it calls us: addresses, Host and Origin headers."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

EVERY_NAME = "*"
_LOCALHOST = "localhost"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address, or whether it is a name of this machine for itself."""
    if host == _LOCALHOST:
        return True
    try:
        return _plain(host).is_loopback
    except ValueError:
        return False


def is_this_machine_or(host: str, allowed: Collection[str]) -> bool:
    """Whether a host is this machine by its own name, or one that is allowed by name."""
    return is_loopback(host) or host.lower().rstrip(".") in {one.lower().rstrip(".") for one in allowed}


def ascii_host(host: str) -> str:
    """
    A host as it is sent: an address, or a name in ASCII letters (IDNA).

    Raises ValueError where it is not a name, or one that Python and newer programs do not write alike (faß.example).
    """
    if ":" in host:
        return host
    name = host.lower()
    try:
        sent = name.encode("idna").decode()
        is_alike = name.isascii() or sent.encode().decode("idna") == name
    except UnicodeError as error:
        raise ValueError(f"{host} is not the name of a host") from error
    if not is_alike:
        raise ValueError(f"{host} must be written in ASCII (xn--…)")
    return sent


def is_local(peer: str | None) -> bool:
    """Whether a request comes from this machine. A request without an address came over a Unix socket."""
    return peer is None or is_loopback(peer)


def address_group(peer: str | None) -> str:
    """The unit that failures are counted for: an address, or an IPv6 /64, since one host may use all of it."""
    try:
        found = _plain(peer or _LOCALHOST)
    except ValueError:
        return peer or _LOCALHOST
    return str(IPv6Network((int(found), 64), strict=False)) if isinstance(found, IPv6Address) else str(found)


def is_known_host(host: str, names: Collection[str]) -> bool:
    """Whether the Host header *host* is a loopback name or address, or one of *names*, with any port."""
    name = _name(host)
    return EVERY_NAME in names or bool(name and (is_loopback(name) or name in {known.lower() for known in names}))


def is_own_origin(origin: str, host: str) -> bool:
    """Whether the Origin header *origin* belongs to a page that the service called *host* has sent."""
    try:
        return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _name(host: str) -> str:
    """*host* without its port, in lower case; empty if it is malformed."""
    try:
        found = urlsplit(f"//{host}")
        return (found.hostname or "").rstrip(".") if found.netloc == host and found.username is None else ""
    except ValueError:
        return ""


def _plain(address: str) -> IPv4Address | IPv6Address:
    """An address; one of IPv4 in IPv6 form becomes plain IPv4. Raises ValueError."""
    found = ip_address(address)
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
