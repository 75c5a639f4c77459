"""Builds what posts events to other services; nothing where no endpoint is configured."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault
from service.webhooks.endpoint import WebhookEndpoint
from service.webhooks.outbox import Outbox
from service.webhooks.sender import SendingTimes, Webhooks

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from service.composition.resources import Resources
    from service.runtime.background import Background
    from service.settings.settings import Settings
    from service.webhooks.sender import IsErased
    from service.workers.share import Share

_OUTBOX = "webhooks/outbox.sqlite3"
IS_ERASED = "is_erased"  # the question to another worker


def open_webhooks(settings: Settings, shared: Resources, stack: AsyncExitStack) -> Webhooks | None:
    """The sender with its outbox, which hears every event from now on. Raises HomeFault."""
    section = settings.webhooks
    if not section.endpoints:
        return None
    from service.adapters.webhook_poster import HttpWebhookPoster  # httpx2, which a start without webhooks does without

    endpoints = [
        WebhookEndpoint(
            name=one.name,
            url=one.url.get_secret_value(),
            secret=one.secret.get_secret_value(),
            kinds=frozenset(one.kinds),
            minds=frozenset(one.minds),
        )
        for one in section.endpoints
    ]
    try:
        outbox = Outbox(settings.folder / _OUTBOX)
        stack.callback(outbox.close)
        outbox.register([one.name for one in endpoints], now=shared.clock.now())
    except (OSError, sqlite3.Error) as error:
        raise HomeFault(f"{settings.folder / _OUTBOX} can not be used: {error}") from error
    webhooks = Webhooks(
        endpoints,
        outbox=outbox,
        poster=HttpWebhookPoster(
            timeout_seconds=section.timeout_seconds, allowed_hosts=frozenset(section.allowed_hosts)
        ),
        minds=shared.minds,
        clock=shared.clock,
        times=SendingTimes(
            first_retry_seconds=section.first_retry_seconds,
            most_retry_seconds=section.most_retry_seconds,
            give_up_seconds=section.give_up_hours * 3600,
            sweep_seconds=settings.digestion.sweep_seconds,
        ),
        is_erased=_asked_of_owner(shared),
    )
    shared.events.when_published(webhooks.hear)
    shared.minds.gate.when_closed(webhooks.forget)
    return webhooks


def _asked_of_owner(shared: Resources) -> IsErased | None:
    """What asks the worker that has a mind, in the process in front, which sends for all; None elsewhere."""
    fleet = shared.fleet
    if fleet is None or not shared.share.is_front:
        return None

    async def ask(mind_id: str, turn_id: str | None) -> bool:
        return bool(await fleet.owner(mind_id).ask(IS_ERASED, mind_id, turn_id))

    return ask


def start_webhooks(webhooks: Webhooks | None, background: Background, *, share: Share) -> None:
    """Begin to send what waits: in one process for all, while each worker compares what its own minds kept."""
    if webhooks is None:
        return
    if not share.is_front:
        background.start_daemon("webhook comparison", webhooks.compare)
    if share.is_worker:
        return
    if share.is_front:
        background.start_daemon("webhook outbox", webhooks.notice)
    for name in webhooks.endpoints:
        background.start_daemon(f"webhook {name}", lambda name=name: webhooks.send(name))  # type: ignore[misc] # bound now
