"""
Posts webhooks over HTTP. Only loopback and hosts that the settings allow are asked, by an address that was checked.

A name is resolved here and its address is connected to, so that it can not be another one a moment later. What no
receiver has (link-local addresses, where clouds keep their secrets, and multicast) is refused whatever is allowed. A
name that is not of this machine may not lead to it.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from service.access.addresses import is_loopback, is_this_machine_or
from service.ports.webhooks import NotPosted, Posted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Address, IPv6Address
    from ssl import SSLContext

_PORTS = {"http": 80, "https": 443}


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
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise NotPosted(f"{type(error).__name__}: nobody answered") from error

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        parts = urlsplit(url)
        host, scheme = parts.hostname or "", parts.scheme
        port = parts.port or _PORTS[scheme]
        address = await self._address(host, port)
        shown = f"[{address}]" if ":" in address else address
        target = f"{scheme}://{shown}:{port}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
        async with (
            httpx2.AsyncClient(
                trust_env=False, verify=self._authorities, follow_redirects=False, timeout=self._timeout_seconds
            ) as http,
            http.stream(
                "POST",
                target,
                content=body,
                headers={**headers, "Host": parts.netloc.rpartition("@")[2], "Content-Type": "application/json"},
                extensions={"sni_hostname": host},
            ) as answer,
        ):
            return Posted(answer.status_code, _seconds(answer.headers.get("retry-after")))

    @cached_property
    def _authorities(self) -> SSLContext:
        """Whose certificates are trusted: the machine's, read once, since to read them costs more than a post."""
        return httpx2.create_ssl_context(trust_env=False)

    async def _address(self, host: str, port: int) -> str:
        """An address of *host* that may be asked. Raises NotPosted."""
        if not is_this_machine_or(host, self._allowed_hosts):
            raise NotPosted("the host is not allowed: add it to WEBHOOKS__ALLOWED_HOSTS")
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise NotPosted("the host has no address") from error
        addresses = [str(one[4][0]) for one in found]
        if not addresses or any(_is_refused(ip_address(one.partition("%")[0]), host) for one in addresses):
            raise NotPosted("the host has an address that no webhook may be posted to")
        return addresses[0]


def _is_refused(address: IPv4Address | IPv6Address, host: str) -> bool:
    plain = getattr(address, "ipv4_mapped", None) or address
    is_foreign = plain.is_loopback and not is_loopback(host)
    return is_foreign or plain.is_link_local or plain.is_multicast or plain.is_unspecified or plain.is_reserved


def _seconds(value: str | None) -> float | None:
    with suppress(TypeError, ValueError):
        return max(0.0, min(float(value or ""), 86_400.0))
    return None
