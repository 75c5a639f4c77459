"""Builds what posts events to other services; nothing where no endpoint is configured."""

from __future__ import annotations

from contextlib import ExitStack, closing
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import HomeFault, OutboxDamaged
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.webhooks.endpoint import WebhookEndpoint
from service.webhooks.sender import SendingTimes, Webhooks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AsyncExitStack
    from pathlib import Path

    from service.adapters.sqlite_outbox import SqliteOutbox
    from service.composition.resources import Resources
    from service.ports.webhooks import WebhookOutbox
    from service.runtime.background import Background
    from service.settings.settings import Settings
    from service.webhooks.sender import IsErased
    from service.workers.share import Share

log = structlog.get_logger()

_OUTBOX = "webhooks/outbox.sqlite3"
_LOOK_SECONDS = 1.0  # for what other machines put into the outbox
IS_ERASED = "is_erased"  # the question to another worker


async def open_webhooks(settings: Settings, shared: Resources, stack: AsyncExitStack) -> Webhooks | None:
    """The sender with its outbox, which hears every event from now on. Raises HomeFault."""
    section = settings.webhooks
    if not section.endpoints:
        await anyio.to_thread.run_sync(_drop_old_events, settings, shared)
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
    outbox, changed_by_others = _open_outbox(settings, shared, stack)
    names = [one.name for one in endpoints]
    await anyio.to_thread.run_sync(partial(_register, outbox, names, settings, shared))
    sweep_seconds = settings.digestion.sweep_seconds
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
            sweep_seconds=sweep_seconds,
            look_seconds=min(_LOOK_SECONDS, sweep_seconds) if shared.several is not None else sweep_seconds,
        ),
        is_erased=_asked_of_owner(shared),
        changed_by_others=changed_by_others,
        version_of=shared.several.home.version if shared.several is not None else None,
    )
    shared.events.when_published(webhooks.comparison.hear)
    shared.minds.gate.when_closed(webhooks.comparison.forget)
    return webhooks


def _register(outbox: WebhookOutbox, names: Sequence[str], settings: Settings, shared: Resources) -> None:
    """Tell the outbox which endpoints there are; events for a removed one are kept as long as any event may wait."""
    now, keeps = shared.clock.now(), timedelta(hours=settings.webhooks.give_up_hours)
    outbox.register(names, now=now)
    for one in () if shared.share.is_worker else outbox.drop_removed(before=now - keeps):
        if one.events:
            log.warning("webhook.endpoint_removed", endpoint=one.name, events=one.events, dropped=one.is_dropped)
        else:
            log.info("webhook.endpoint_removed", endpoint=one.name, events=0, dropped=one.is_dropped)


def _drop_old_events(settings: Settings, shared: Resources) -> None:
    """Drop what has waited too long for removed endpoints, where none is left. A damaged outbox stops no start."""
    if shared.several is None and not (settings.folder / _OUTBOX).exists():
        return
    try:
        with ExitStack() as stack:
            outbox, _ = _open_outbox(settings, shared, stack)
            _register(outbox, (), settings, shared)
    except (HomeFault, DatabaseUnavailable) as fault:
        log.warning("webhook.outbox_failed", reason=str(fault))


def _open_outbox(
    settings: Settings, shared: Resources, stack: AsyncExitStack | ExitStack
) -> tuple[WebhookOutbox, Callable[[], int]]:
    """The outbox, and a function whose number changes when another process of this machine writes into it."""
    if shared.several is not None:
        from service.adapters.postgres.webhook_outbox import PostgresOutbox

        several = shared.several
        replica, generation_of = several.custody.replica, several.home.generation
        return PostgresOutbox(several.database, replica=replica, generation_of=generation_of), lambda: 0
    outbox = _opened(settings.folder / _OUTBOX)
    stack.callback(outbox.close)
    return outbox, outbox.changed_by_others


def forget_left(home: Path, mind_id: str, *, turn_ids: tuple[str, ...] | None, session_id: str | None) -> None:
    """
    Drop the events of some turns, or of a whole mind (*turn_ids* is None), from the outbox of a home without endpoints.

    An endpoint that is configured again would get them. A damaged outbox, which nobody needs, is deleted. Raises
    HomeFault, OSError. Blocking.
    """
    file = home / _OUTBOX
    if not file.exists():
        return
    try:
        with closing(_opened(file)) as outbox:
            if turn_ids is None:
                outbox.forget(mind_id)
            else:
                outbox.forget_turns(mind_id, turn_ids, session_id=session_id)
    except OutboxDamaged as fault:
        log.warning("webhook.outbox_deleted", reason=str(fault))
        for end in ("-wal", "-shm", ""):
            file.with_name(file.name + end).unlink(missing_ok=True)


def _opened(file: Path) -> SqliteOutbox:
    from service.adapters.sqlite_outbox import SqliteOutbox

    try:
        return SqliteOutbox(file)
    except OSError as error:
        raise HomeFault(f"{file} can not be used: {error.strerror}") from error


def _asked_of_owner(shared: Resources) -> IsErased | None:
    """In the process in front, which sends for all, what asks the worker that has a mind; None in other processes."""
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
        background.start_daemon("webhook comparison", webhooks.comparison.run)
    if share.is_worker:
        return
    if share.is_front:
        background.start_daemon("webhook outbox", webhooks.notice)
    for name in webhooks.endpoints:
        background.start_daemon(f"webhook {name}", lambda name=name: webhooks.send(name))  # type: ignore[misc] # bound now
