"""Who posts a webhook: the port, with what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Posted:
    """The answer to a delivery: its status, and how many seconds it asks to wait."""

    status: int
    retry_after: float | None = None


class NotPosted(Exception):
    """Nobody answered, or the address may not be asked; the text says why, without words of anybody."""


class WebhookPoster(Protocol):
    """Posts deliveries to addresses outside."""

    async def post(self, url: str, /, *, body: bytes, headers: Mapping[str, str]) -> Posted:
        """Post *body* once; redirects are not followed. Raises NotPosted."""
        ...
