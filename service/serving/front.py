"""
A home that several processes serve: this one listens, admits each call, and passes it to the worker that has the mind.

It owns the home, runs the embedded graph for all, keeps the workers alive, and answers what concerns no mind.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager, closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import AccessRefused, ConfigurationFault, RateLimited
from service.adapters.memory_arenas import keep_few_arenas
from service.app import create_app
from service.composition.container import open_memory
from service.http.server import bind, server_of, url_of
from service.mind.new_minds import NEW_MIND
from service.runtime.open_files import allow_many_open_files
from service.runtime.service_file import Presence, announced
from service.serving.home import ServedHome
from service.serving.worker import AUTHORIZE
from service.workers.endpoint import Endpoint
from service.workers.fleet import Fleet
from service.workers.link import WorkerLink
from service.workers.share import Share
from service.workers.supervisor import Order, Supervisor, sockets_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from service.composition.container import Memory
    from service.settings.settings import Settings
    from service.workers.endpoint import Answers

_PROGRAM = ("-m", "service.serving.worker")


@asynccontextmanager
async def home_served_by_workers(settings: Settings, *, program: Sequence[str] = _PROGRAM) -> AsyncIterator[ServedHome]:
    """
    As ``served_home``, by as many workers as the settings want; *program* are the words that start one.

    Raises ConfigurationFault on Windows, and where one of them does not start.
    """
    if sys.platform == "win32":
        raise ConfigurationFault("several workers need Unix sockets: set MIND_MEMORY_WORKERS=1")
    allow_many_open_files()
    keep_few_arenas()
    async with AsyncExitStack() as stack:
        fleet = _fleet(settings, stack)
        memory = await stack.enter_async_context(open_memory(settings, fleet=fleet))
        listener = stack.enter_context(closing(bind(settings)))
        await _start_workers(memory, fleet, stack, program=program)
        presence = Presence(
            os.getpid(), url_of(settings, listener), SystemClock().now(), memory.authenticator.owner_token
        )
        stack.enter_context(announced(settings.folder, presence))
        app = create_app(settings, opening=lambda _: nullcontext(memory), share=fleet.share)
        server = server_of(app, settings)
        stop = partial(setattr, server, "should_exit", True)  # noqa: FBT003 - its value
        yield ServedHome(memory, presence, partial(server.serve, sockets=[listener]), stop)


def settings_of_worker(settings: Settings) -> Settings:
    """The settings of one worker: what is a limit of the whole service is shared out."""

    def part(most: int) -> int:
        return -(-most // settings.workers)

    models = settings.models.model_copy(update={"at_once": part(settings.models.at_once)})
    if "at_once" not in settings.models.model_fields_set:
        models.model_fields_set.discard("at_once")  # nobody chose it: where Ollama is asked, it is one
    return settings.model_copy(
        update={
            "most_open_minds": part(settings.most_open_minds),
            "models": models,
            "voice": settings.voice.model_copy(update={"most_streams": part(settings.voice.most_streams)}),
        }
    )


def _fleet(settings: Settings, stack: AsyncExitStack) -> Fleet:
    folder = Path(tempfile.mkdtemp(prefix="mm-"))  # a socket's path may have 107 bytes
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    workers, front = sockets_of(folder, settings.workers)
    return Fleet(Share.of_front(settings.workers), tuple(map(WorkerLink, workers)), WorkerLink(front))


async def _start_workers(memory: Memory, fleet: Fleet, stack: AsyncExitStack, *, program: Sequence[str]) -> None:
    answers: Answers = {NEW_MIND: memory.new_minds.count, AUTHORIZE: partial(_authorized, fleet)}
    endpoint = Endpoint(fleet.front.socket, answers=answers)
    await endpoint.open()
    stack.push_async_callback(endpoint.close, seconds=0)
    graph = memory.embedded_graph
    lent = replace(
        fleet,
        graph_url=graph.url if graph is not None else None,
        is_graph_loading=graph is not None and not graph.has_answered,
        streams={},
    )
    values = {"settings": settings_of_worker(memory.settings)}
    orders = [Order(replace(lent, share=Share(number, fleet.share.of)), values) for number in range(len(fleet.workers))]
    supervisor = Supervisor(fleet.workers, program=program, orders=orders)
    stack.push_async_callback(supervisor.stop)
    await supervisor.start()


async def _authorized(fleet: Fleet, stream: int) -> tuple[str, str, int] | None:
    """The kind of refusal, its words and how long to wait; None where the caller of a stream may go on."""
    authorize = fleet.streams.get(stream)
    try:
        if authorize is None:
            raise AccessRefused("the connection is gone")  # noqa: TRY301 - one answer
        await authorize()
    except RateLimited as limit:
        return type(limit).__name__, str(limit), limit.seconds
    except AccessRefused as refusal:
        return type(refusal).__name__, str(refusal), 0
    return None
