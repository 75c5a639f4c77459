"""
One worker of several: a program that `mind-memory serve --workers` starts, and nobody else.

It has the minds of its share, and answers the calls that the process in front passes on.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING

from consolidation.kernel import errors
from consolidation.kernel.errors import AccessRefused, MemoryFault, RateLimited
from service.adapters.memory_arenas import keep_few_arenas
from service.app import create_app
from service.composition.container import open_memory
from service.facades.worker_of_mind import answers_of_facades
from service.http.processes import answers_of_worker
from service.observability.logging import configure_logs
from service.runtime.garbage import collect_no_cycles_at_exit
from service.runtime.open_files import allow_many_open_files
from service.settings.loading import wants_colours
from service.workers.endpoint import Endpoint
from service.workers.supervisor import READY, read_order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from starlette.types import ASGIApp, Receive, Scope, Send

    from service.composition.container import Memory
    from service.settings.settings import Settings
    from service.workers.fleet import Fleet

    type Opening = Callable[..., AbstractAsyncContextManager[Memory]]

AUTHORIZE = "authorize"  # the question to the process in front: may the caller of a stream go on?
_OPEN_CALLS_SECONDS = 2


def main(*, opening: Opening = open_memory) -> None:
    """Do what the order on the standard input says, until the process in front ends this one, or itself."""
    order, said = read_order(), os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whoever prints must not speak in our place
    settings: Settings = order.values["settings"]  # type: ignore[assignment] # as `serve` wrote it
    configure_logs(
        level=settings.log_level,
        as_json=settings.log_json,
        secrets=settings.secrets,
        has_colours=wants_colours(),
        serves=True,
    )
    allow_many_open_files()
    keep_few_arenas()
    collect_no_cycles_at_exit()
    asyncio.run(_serve(order.fleet, settings, opening=opening, said=said))


async def _serve(fleet: Fleet, settings: Settings, *, opening: Opening, said: int) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    loop.add_reader(sys.stdin.fileno(), partial(_hear_end, loop, stopped))
    app = create_app(settings, opening=partial(opening, fleet=fleet), share=fleet.share)
    try:
        async with app.router.lifespan_context(app) as state:
            assert state is not None  # noqa: S101 - ours lends memory
            memory: Memory = state["memory"]
            endpoint = Endpoint(
                fleet.workers[fleet.share.number].socket,
                answers={**answers_of_worker(memory), **answers_of_facades(memory)},
                app=_authorizing(app, fleet),
                state=state,
            )
            await endpoint.open()
            _say(READY, said)
            await stopped.wait()
            memory.events.close()
            await endpoint.close(seconds=_OPEN_CALLS_SECONDS)
    except MemoryFault as fault:
        _say({"fault": str(fault)}, said)


def _say(what: Mapping[str, object], said: int) -> None:
    os.write(said, f"{json.dumps(what)}\n".encode())


def _hear_end(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    """The process in front is gone: nothing else is ever said."""
    if not os.read(sys.stdin.fileno(), 1):
        loop.remove_reader(sys.stdin.fileno())
        stopped.set()


def _authorizing(app: ASGIApp, fleet: Fleet) -> ASGIApp:
    """*app*, whose streams may ask whether their caller may go on: the process in front knows."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        stream = scope["state"].pop("stream", None)
        if stream is not None:
            scope["state"]["authorize"] = partial(_authorize, fleet, stream)
        await app({**scope, "app": app}, receive, send)

    return call


async def _authorize(fleet: Fleet, stream: int) -> None:
    """Raises AccessRefused."""
    refusal = await fleet.front.ask(AUTHORIZE, stream)
    if refusal is None:
        return
    name, detail, seconds = refusal
    kind: type[AccessRefused] = getattr(errors, name)
    raise RateLimited(detail, seconds=seconds) if kind is RateLimited else kind(detail)


if __name__ == "__main__":
    main()
