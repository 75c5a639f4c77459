"""How deliveries to webhook endpoints stand."""

from __future__ import annotations

from datetime import datetime

from mind_memory_client.answers import Answer


class WebhookEndpoint(Answer):
    """An endpoint of the service's settings; ``error`` says why the last attempt failed, None once one was taken."""

    name: str
    host: str
    kinds: tuple[str, ...]
    minds: tuple[str, ...]
    waiting: int
    given_up: int
    delivered: int
    oldest_waiting_at: datetime | None
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    failed_at: datetime | None
    error: str | None


class WebhookEndpoints(Answer):
    """All endpoints."""

    endpoints: tuple[WebhookEndpoint, ...]


class RetriedWebhook(Answer):
    """How many events are sent again now."""

    retrying: int
