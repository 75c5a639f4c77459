"""Webhooks, for callers who look after the service. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.webhooks import RetriedWebhook, WebhookEndpoints

if TYPE_CHECKING:
    from mind_memory_client._transport import AsyncTransport, Transport

WEBHOOKS = Endpoint("GET", "/v1/webhooks", AsModel(WebhookEndpoints))
RETRY_WEBHOOK = Endpoint("POST", "/v1/webhooks/{name}/retry", AsModel(RetriedWebhook))


class WebhookCalls:
    """Webhooks, for the client that blocks."""

    _transport: Transport

    def webhooks(self) -> WebhookEndpoints:
        """List the webhook endpoints: what each took, what waits for it, and why an attempt failed."""
        return self._transport.send(WEBHOOKS.call())

    def retry_webhook(self, name: str) -> RetriedWebhook:
        """Send everything now that waits for an endpoint, and what was given up."""
        return self._transport.send(RETRY_WEBHOOK.call(name=name))


class AsyncWebhookCalls:
    """Webhooks, for the client that is awaited."""

    _transport: AsyncTransport

    async def webhooks(self) -> WebhookEndpoints:
        """List the webhook endpoints: what each took, what waits for it, and why an attempt failed."""
        return await self._transport.send(WEBHOOKS.call())

    async def retry_webhook(self, name: str) -> RetriedWebhook:
        """Send everything now that waits for an endpoint, and what was given up."""
        return await self._transport.send(RETRY_WEBHOOK.call(name=name))
