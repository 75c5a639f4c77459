"""Webhooks, for people who look after the service: how deliveries stand, and another try."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Path

from consolidation.kernel.errors import WebhookNotFound
from service.http.dependencies import MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.webhooks import WEBHOOK_RETRIED, WEBHOOKS, WebhookOut, WebhookRetried, WebhooksOut
from service.ports.webhooks import EndpointState
from service.webhooks.endpoint import WebhookEndpoint

router = APIRouter(prefix="/v1/webhooks", tags=["access"], route_class=KnownQuery)

Name = Annotated[str, Path(max_length=63, description="The endpoint's name.", examples=["crm"])]


@router.get("", summary="Webhook endpoints", responses=answers(WEBHOOKS, 404, 503))
async def webhooks(memory: MemoryDep) -> WebhooksOut:
    """Each endpoint that is configured, with what it took, what waits for it, and why an attempt failed."""
    sender = memory.webhooks
    if sender is None:
        return WebhooksOut(endpoints=[])
    return WebhooksOut(endpoints=[_out(one, await sender.state(name)) for name, one in sender.endpoints.items()])


@router.post("/{name}/retry", summary="Send waiting events now", responses=answers(WEBHOOK_RETRIED, 404, 422, 503))
async def retry(name: Name, memory: MemoryDep) -> WebhookRetried:
    """Send everything now that waits for an endpoint, and what was given up."""
    sender = memory.webhooks
    if sender is None or name not in sender.endpoints:
        raise WebhookNotFound("no webhook endpoint has this name")
    return WebhookRetried(retrying=await sender.retry(name))


def _out(endpoint: WebhookEndpoint, state: EndpointState) -> WebhookOut:
    return WebhookOut(
        name=endpoint.name,
        host=urlsplit(endpoint.url).netloc,
        kinds=sorted(endpoint.kinds),
        minds=sorted(endpoint.minds),
        waiting=state.waiting,
        given_up=state.given_up,
        delivered=state.delivered,
        oldest_waiting_at=state.oldest_waiting_at,
        next_attempt_at=state.next_attempt_at,
        delivered_at=state.delivered_at,
        failed_at=state.failed_at,
        error=state.error,
    )
