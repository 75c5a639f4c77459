"""
The pattern that Graphiti's own sample server publishes, as small as it can be: 202, a queue in memory, one worker.

`POST /messages` puts a job for each message into an asyncio.Queue and answers; the worker calls ``add_episode``, one
job after another; at shutdown the queue is emptied. Kinder than what is published in three ways: a job that fails does
not end the worker, the graph is append-only, and the model answers at once and never wrongly. graphiti-core is as it
is installed, with its own prompts, driver and searches; the embedder is ours.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from contextlib import AsyncExitStack, asynccontextmanager, closing
from datetime import UTC, datetime
from functools import partial

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, SecretStr

from service.adapters.falkordb.server import EmbeddedServer
from service.adapters.hashing_embedder import HashingEmbedder
from service.runtime.service_file import Presence, announced
from tests.benchmarks.brain import Brain
from tests.benchmarks.stock import stock
from tests.crash.steps import answering
from tests.crash.talk import PEOPLE, TOWNS


class Message(BaseModel):
    content: str
    role: str
    role_type: str
    timestamp: datetime
    source_description: str


class Messages(BaseModel):
    group_id: str
    messages: list[Message]


class Worker:
    """Takes jobs from its queue, one after another; what is in the queue is nowhere else."""

    def __init__(self):
        self.queue = asyncio.Queue()
        self.is_busy = False

    async def work(self):
        while True:
            job = await self.queue.get()
            self.is_busy = True
            try:
                await job()
            except Exception as error:
                print(f"a job failed: {type(error).__name__}: {error}", flush=True)
            self.is_busy = False


def create_app(home, steps):
    """The application; *steps* are told where it is."""

    @asynccontextmanager
    async def lifespan(app):
        async with AsyncExitStack() as stack:
            server = EmbeddedServer(home / "graph")
            await server.start()
            stack.push_async_callback(server.stop)
            await server.wait_until_ready()
            app.state.graphiti = await stack.enter_async_context(
                stock(server.url, graph="default_db", embedder=HashingEmbedder(), answer=answer)
            )
            app.state.worker = Worker()
            tasks = [asyncio.create_task(app.state.worker.work()), asyncio.create_task(server.watch())]
            yield
            for task in tasks:
                task.cancel()

    app = FastAPI(lifespan=lifespan)

    @app.post("/messages", status_code=202)
    async def messages(posted: Messages):
        async def add(message):
            await app.state.graphiti.add_episode(
                name="message",
                episode_body=f"{message.role}({message.role_type}): {message.content}",
                source_description=message.source_description,
                reference_time=message.timestamp,
                group_id=posted.group_id,
            )
            steps.reach("extracted")

        steps.reach("accepted")
        for message in posted.messages:
            await app.state.worker.queue.put(partial(add, message))
        return {"success": True}

    @app.get("/queue")
    async def queue():
        worker = app.state.worker
        return {"waiting": worker.queue.qsize() + worker.is_busy}

    return answering(app, steps, ending="/messages")


def serve(home, steps):
    """Serve on a free port of loopback until SIGTERM; where, is told in the home as the service tells it."""
    home.mkdir(parents=True, exist_ok=True)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with announced(home, Presence(os.getpid(), url, datetime.now(UTC), SecretStr(""))):
            signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again when it is done
            config = uvicorn.Config(create_app(home, steps), log_level="error", lifespan="on")
            asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
    return 0


def answer(shape, prompt):
    """What a model would say: who and where is named in the message, and that they belong together."""
    found = re.search(r"<CURRENT.MESSAGE>\n(.*?)\n</CURRENT", prompt, re.DOTALL)
    said = found[1].strip() if found else ""
    names = [name for name in re.findall(r"\b[A-Z][a-z]+\b", said) if name in PEOPLE + TOWNS]
    match shape:
        case "ExtractedEntities":
            return {
                "extracted_entities": [{"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in names]
            }
        case "ExtractedEdges":
            edge = {"source_entity_name": names[0], "target_entity_name": names[1], "relation_type": "SPOKE_OF"}
            return {"edges": [{**edge, "fact": said, "valid_at": None, "invalid_at": None, "episode_indices": [0]}]}
        case _:
            return Brain(()).answer(shape, prompt)
