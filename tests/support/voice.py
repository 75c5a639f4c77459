"""A service that hears, on a real port, with a scripted transcription model; and clients of its audio streams."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import httpx2
from websockets.asyncio.client import connect

from service.app import create_app
from service.http.server import server_of
from service.http.server import bind
from tests.support.service import Running, opened_memory, settings_of
from tests.support.waiting import GIVE_UP


def hearing(home, provider, **more):
    """Settings whose transcription model is *provider*; no other model is configured."""
    transcription = {"model": "openai/whisper-1", "api_base": provider.url, "api_key": "k", **more.pop("model", {})}
    return settings_of(home, models={"transcription": transcription, **more.pop("models", {})}, **more)


@asynccontextmanager
async def serving(settings, **opened):
    """The service on a port of this machine, in this event loop: as ``Running``, with its address in ``url``."""
    memories = []

    @asynccontextmanager
    async def opening(found):
        async with opened_memory(found, **opened) as memory:
            memories.append(memory)
            yield memory

    settings = settings.model_copy(update={"port": 0})
    listener = bind(settings)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = server_of(create_app(settings, opening=opening), settings)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            assert not task.done(), task
            await asyncio.sleep(0.01)
        async with httpx2.AsyncClient(base_url=url, timeout=GIVE_UP) as http:
            found = Running(http, memories[0])
            found.url = url
            yield found
    finally:
        server.should_exit = True
        await task
        listener.close()


class Caller:
    """One connection of a telephone bridge."""

    def __init__(self, socket):
        self.socket = socket
        self.told = []

    async def send(self, *parts):
        """Send bytes, a message each."""
        for part in parts:
            await self.socket.send(part)

    async def say_end(self):
        """Say that there is no more audio."""
        await self.socket.send(json.dumps({"type": "end"}))

    async def next(self):
        """The next event."""
        async with asyncio.timeout(GIVE_UP):
            self.told.append(json.loads(await self.socket.recv()))
        return self.told[-1]

    async def until(self, kind):
        """The next event of this kind."""
        while (event := await self.next())["type"] != kind:
            pass
        return event

    async def rest(self):
        """All events up to the end, after it was said."""
        await self.say_end()
        await self.until("ended")
        return self.told


def address(url, mind, session, **query):
    """The address of a stream."""
    told = f"?{urlencode(query, doseq=True)}" if query else ""
    return f"{url.replace('http', 'ws', 1)}/v1/minds/{mind}/sessions/{session}/audio{told}"


@asynccontextmanager
async def calling(url, mind="ada", session="call-1", *, headers=None, **query):
    """A connection that is ready: what it was told first is in ``told``."""
    async with connect(address(url, mind, session, **query), additional_headers=headers, compression=None) as socket:
        caller = Caller(socket)
        await caller.until("ready")
        yield caller


async def turns_of(service, mind="ada"):
    """The words of all turns of a mind, in order."""
    found = (await service.http.get(f"/v1/minds/{mind}/turns", params={"limit": 200})).json()
    return [message["content"] for turn in reversed(found["items"]) for message in turn["messages"]]
