"""How the deliveries to each webhook endpoint stand."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from service.http.schemas.fields import Answered
from service.webhooks.endpoint import SentKind


class WebhookOut(Answered):
    """An endpoint of the setting `WEBHOOKS__ENDPOINTS`."""

    name: str
    host: str = Field(description="The host and port of its address; the rest may hold a secret.")
    kinds: list[SentKind]
    minds: list[str] = Field(description="The minds whose events it gets; all if empty.")
    waiting: int = Field(description="Events that it has not taken yet.")
    given_up: int = Field(description="Events that it did not take in time. They are sent again only on request.")
    delivered: int = Field(description="Events that it took, since it was configured.")
    oldest_waiting_at: datetime | None = Field(description="When the oldest event that waits happened.")
    next_attempt_at: datetime | None
    delivered_at: datetime | None = Field(description="When it took the last one.")
    failed_at: datetime | None = Field(description="When the last failed attempt was.")
    error: str | None = Field(description="Why it failed; null once an event was delivered again.")


class WebhooksOut(Answered):
    """Every endpoint, in the order of the setting."""

    endpoints: list[WebhookOut]


class WebhookRetried(Answered):
    """How many events are sent again now."""

    retrying: int


WEBHOOKS: dict[str, Any] = {
    "endpoints": [
        {
            "name": "crm",
            "host": "127.0.0.1:9000",
            "kinds": ["correction.made", "turn.kept"],
            "minds": [],
            "waiting": 0,
            "given_up": 0,
            "delivered": 12,
            "oldest_waiting_at": None,
            "next_attempt_at": None,
            "delivered_at": "2026-01-09T18:30:06.120000Z",
            "failed_at": None,
            "error": None,
        }
    ]
}
WEBHOOK_RETRIED: dict[str, Any] = {"retrying": 3}
