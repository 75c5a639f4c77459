"""
Posts webhooks over HTTP. Only loopback and hosts that the settings allow are asked, by an address that was checked.

A name is resolved here, and its addresses are connected to until one answers: they can not be others a moment later.
What no receiver has (link-local addresses, where clouds keep their secrets, and multicast) is refused whatever is
allowed. A name that is not of this machine may not lead to it.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from ssl import SSLCertVerificationError, SSLError
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from service.access.addresses import is_loopback, is_this_machine_or
from service.adapters.retry_after import seconds_asked
from service.ports.webhooks import NotPosted, Posted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ssl import SSLContext

_MOST_RETRY_AFTER = 86_400.0
_PORTS = {"http": 80, "https": 443}
_OF_NO_TLS = "WRONG_VERSION_NUMBER"  # what OpenSSL says of an answer that is not TLS
_DNS64 = IPv6Network("64:ff9b::/96")  # what a network without IPv4 makes of an IPv4 address, which is its end


class HttpWebhookPoster:
    """Posts each delivery over a connection of its own."""

    def __init__(self, *, timeout_seconds: float, allowed_hosts: frozenset[str]) -> None:
        self._timeout_seconds = timeout_seconds
        self._allowed_hosts = allowed_hosts

    async def post(self, url: str, /, *, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Post *body* once; redirects are not followed. Raises NotPosted."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._post(url, body, headers)
        except TimeoutError as error:
            raise NotPosted(f"no answer within {self._timeout_seconds:g} s") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            raise NotPosted(_reason(error)) from error

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port or _PORTS[parts.scheme]
        *others, last = await self._addresses(host, port)
        place = f"{port}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
        sent = {**headers, "Host": parts.netloc.rpartition("@")[2], "Content-Type": "application/json"}
        limits = httpx2.Timeout(self._timeout_seconds, connect=self._timeout_seconds / (len(others) + 1))

        async def post_at(address: str) -> Posted:
            target = f"{parts.scheme}://{f'[{address}]' if ':' in address else address}:{place}"
            asked = http.stream("POST", target, content=body, headers=sent, extensions={"sni_hostname": host})
            async with asked as answer:
                return Posted(answer.status_code, seconds_asked(answer.headers, most=_MOST_RETRY_AFTER))

        async with httpx2.AsyncClient(
            trust_env=False, verify=self._authorities, follow_redirects=False, timeout=limits
        ) as http:
            for address in others:
                with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                    return await post_at(address)
            return await post_at(last)

    @cached_property
    def _authorities(self) -> SSLContext:
        """Whose certificates are trusted: the machine's, read once, since to read them costs more than a post."""
        return httpx2.create_ssl_context(trust_env=False)

    async def _addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of *host* that may be asked, at least one. Raises NotPosted."""
        if not is_this_machine_or(host, self._allowed_hosts):
            raise NotPosted("the host is not allowed: add it to WEBHOOKS__ALLOWED_HOSTS")
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise NotPosted("the host has no address") from error
        addresses = dict.fromkeys(str(one[4][0]) for one in found)
        allowed = tuple(one for one in addresses if not is_refused(ip_address(one.partition("%")[0]), host))
        if not allowed:
            raise NotPosted("the host has an address that no webhook may be posted to")
        return allowed


def _reason(error: Exception) -> str:
    """Why a receiver gave no answer, in words for the person who configured it."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, SSLCertVerificationError):
        return f"the certificate of the receiver is not trusted: {cause.verify_message}"
    if cause is not None:
        found = cause.reason or type(cause).__name__
        why = "does not speak TLS" if found == _OF_NO_TLS else "ended the connection while TLS was set up"
        return f"the receiver {why}, which https needs: {found}"
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
        return f"{type(error).__name__}: the receiver broke off, or does not speak HTTP"
    return f"{type(error).__name__}: nobody answered"


def is_refused(address: IPv4Address | IPv6Address, host: str) -> bool:
    """Whether no webhook for *host* may be posted to an address."""
    plain = _plain(address)
    if plain.is_loopback:
        return not is_loopback(host)
    return plain.is_link_local or plain.is_multicast or plain.is_unspecified or plain.is_reserved


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """An address; one of IPv4 in a form of IPv6 becomes plain IPv4."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or (IPv4Address(address.packed[-4:]) if address in _DNS64 else address)
