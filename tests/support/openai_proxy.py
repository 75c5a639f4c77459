"""The service on a port of this machine, with a scripted upstream: for clients that speak OpenAI's API over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager, closing, contextmanager

import httpx2
import openai
import uvicorn

from service.app import create_app
from service.http.server import bind, url_of
from tests.support.scripted_models import Brain, models_of, provider_of
from tests.support.service import opened_memory, settings_of
from tests.support.waiting import GIVE_UP, until

SECONDS = GIVE_UP
TWO_HOMES = "My friend Carla lives in Lyon now, and Bruno went back to Paris."
A_BICYCLE = (
    "On the way home we talked for hours about wine, weather and work, and at some point somebody said that the old "
    "thing with two wheels, a bicycle I think, is green."
)


class Proxied:
    """Where it is, what it keeps, and clients for it."""

    def __init__(self, url, home, memory):
        self.url = f"{url}/v1"
        self.home = home
        self.memory = memory
        self.http = httpx2.Client(base_url=url, timeout=SECONDS)
        self._clients = []

    def client(self, kind=openai.OpenAI, *, key="sk-of-somebody-else", retries=0, **more):
        """A client of OpenAI's package; it always sends a key. Who asks for another kind closes it."""
        found = kind(base_url=self.url, api_key=key, max_retries=retries, timeout=SECONDS, **more)
        if kind is openai.OpenAI:
            self._clients.append(found)
        return found

    def close(self):
        """Let go of every connection."""
        for one in (self.http, *self._clients):
            one.close()

    def kept(self, mind_id):
        """The turns of a mind, as they stand on the disk."""
        files = sorted((self.home / "minds" / mind_id / "transcript").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def until_kept(self, mind_id, *, turns=1):
        """Wait until so many turns of a mind are kept, and return them."""
        return self.until(lambda: found if len(found := self.kept(mind_id)) >= turns else None)

    def until(self, found):
        """Wait until *found* returns something, and return it."""
        return until(found)

    def at_rest(self):
        """Wait until everything that was to be kept is."""
        jobs = {"store a chat", "account for a chat"}
        self.until(lambda: not [one for one in tuple(self.memory.background._tasks) if one.get_name() in jobs])

    def tell(self, mind_id, *contents, session_id="s0"):
        """Keep a turn by the other door, and wait until it can be found."""
        messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(contents)]
        body = {"session_id": session_id, "messages": messages}
        self.http.post(f"/v1/minds/{mind_id}/turns", json=body).raise_for_status()
        self.digested(mind_id)

    def crowd(self, mind_id):
        """Keep more turns about bicycles than a search looks at, each of which answers it better than ``A_BICYCLE``."""
        for numbers in (range(100), range(100, 200), range(200, 300)):
            said = {at: f"The bicycle was repaired, bicycle number {at}." for at in numbers}
            turns = [
                {"turn_id": f"c{at}", "session_id": "crowd", "messages": [{"role": "user", "content": said[at]}]}
                for at in numbers
            ]
            self.http.post(f"/v1/minds/{mind_id}/turns/batch", json={"turns": turns}).raise_for_status()

    def digested(self, mind_id):
        """Wait until all of a mind can be found."""

        def is_digested():
            found = self.http.get(f"/v1/minds/{mind_id}").json()
            return found["graph"]["saved"] >= found["last_sequence"] and found["graph"]["lag"] == 0

        self.until(is_digested)


@contextmanager
def proxied(home, provider=None, **more):
    """The service on *home*, in a thread; its chats go to *provider*, memory itself asks no model."""
    if provider is not None:
        place = {"api_base": provider.url, "api_key": "sk-upstream-secret-1"}
        more["proxy"] = {"models": ["openai/scripted", "openai/other"], **place, **more.get("proxy", {})}
    settings, opened = settings_of(home, **more), []

    @asynccontextmanager
    async def opening(found):
        async with opened_memory(found) as memory:
            opened.append(memory)
            yield memory

    with closing(bind(settings.model_copy(update={"port": 0}))) as listener:
        app = create_app(settings, opening=opening)
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            found = Proxied(url_of(settings, listener), home, None)
            with closing(found):
                found.until(lambda: opened)
                found.memory = opened[0]
                assert found.http.get("/healthz").json() == {"status": "alive"}
                yield found
        finally:
            server.should_exit = True
            thread.join(SECONDS)


@contextmanager
def knowing(home, **more):
    """
    The service on *home* as ``proxied`` has it, where a model reads two facts in every turn.

    It has read ``TWO_HOMES`` in the mind "ada".
    """
    homes = {"Carla": "Lyon", "Bruno": "Paris"}
    facts = [
        {"source": who, "relation": "LIVES_IN", "target": city, "fact": f"{city} is the city where {who} has a home."}
        for who, city in homes.items()
    ]
    read = {"entities": [{"name": name} for name in (*homes, *homes.values())], "facts": facts}
    with provider_of(Brain(extraction=read)) as model:
        with proxied(home, models=models_of(model, "extraction"), **more) as found:
            found.tell("ada", TWO_HOMES)
            yield found


def of(mind_id, session_id=None):
    """Headers that name a mind, and a session."""
    return {"X-Mind-Id": mind_id, **({"X-Session-Id": session_id} if session_id else {})}


def contents(kept):
    return [(one["role"], one["content"]) for one in kept["messages"]]
