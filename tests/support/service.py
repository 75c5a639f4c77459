"""A real service for a test: a home of its own, the embedded graph, the doors over ASGI or over a real port."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import numpy as np
from anyio.lowlevel import checkpoint
from prometheus_client.parser import text_string_to_metric_families

from service.adapters.multilingual_e5.embedder import MultilingualE5
from service.app import create_app
from service.composition.container import open_memory
from service.settings.settings import Settings
from tests.support.waiting import GIVE_UP, pause

# A service makes full collections rare, for its one life. Here hundreds live and die in one process.
CYCLES = (5_000, 10, 10)
QUICK = {"first_retry_seconds": 0.05, "most_retry_seconds": 0.2, "sweep_seconds": 0.5, "parked_retry_seconds": 0.5}


class _RememberingE5(MultilingualE5):
    """The built-in embedder, which computes a text once for all services of this process: tests say the same again and again."""

    _MOST = 5_000  # texts, with 1.5 KB each

    def __init__(self):
        super().__init__()
        self._known = {}

    async def _embed(self, texts, *, prefix):
        known, keys = self._known, [(prefix, text) for text in texts]
        if missing := [key for key in dict.fromkeys(keys) if key not in known]:
            rows = await super()._embed([text for _, text in missing], prefix=prefix)
            if len(known) > self._MOST:
                known = self._known = {key: known[key] for key in keys if key in known}
            known |= zip(missing, rows, strict=True)
        await checkpoint()
        return np.array([known[key] for key in keys], np.float32).reshape(-1, self.dimension)


_EMBEDDER = _RememberingE5()


@dataclass
class Running:
    """The doors, and the memory behind them for a look inside."""

    http: httpx2.AsyncClient
    memory: object
    app: object = None
    undisturbed_seconds: float = 0.0  # that a pre-turn call takes when nothing fails, where a test has measured it

    def client(self, *, address="127.0.0.1", key=None, headers=None):
        """Another client of the same doors, to be closed; with a key, from an address (None: a Unix socket)."""
        transport = httpx2.ASGITransport(
            app=self.app, raise_app_exceptions=False, client=(address, 5) if address else None
        )
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=60, headers=headers)

    async def keep(self, mind_id, *contents, session_id="s1", **more):
        """Post one turn of user and assistant messages in alternation; dicts are posted as they are."""
        messages = [
            content if isinstance(content, dict) else {"role": ("user", "assistant")[at % 2], "content": content}
            for at, content in enumerate(contents)
        ]
        body = {"session_id": session_id, "messages": messages, **more}
        return await self.http.post(f"/v1/minds/{mind_id}/turns", json=body)

    async def resonate(self, mind_id, message, *, session_id="s2", **more):
        """Ask what surfaces for one user message, or for a list of messages."""
        messages = message if isinstance(message, list) else [{"role": "user", "content": message}]
        body = {"session_id": session_id, "messages": messages, "deadline_ms": 0, **more}
        return await self.http.post(f"/v1/minds/{mind_id}/resonance", json=body)

    async def status(self, mind_id):
        """The mind as ``GET /v1/minds/{mind_id}`` tells it."""
        return (await self.http.get(f"/v1/minds/{mind_id}")).json()

    async def ready(self):
        """The status of ``GET /readyz``, and what it says of each dependency."""
        answer = await self.http.get("/readyz")
        return answer.status_code, answer.json()["parts"]

    async def figures(self):
        """``GET /metrics`` as values by sample: ``figures["mind_memory_lag_turns", ("lane", "saving")]``."""
        answer = await self.http.get("/metrics")
        families = text_string_to_metric_families(answer.text)
        return {(one.name, *one.labels.items()): one.value for family in families for one in family.samples}

    async def until(self, mind_id, is_so, *, seconds=GIVE_UP):
        """Wait until the mind's status is as wanted, and return it."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                while not is_so(status := await self.status(mind_id)):
                    await asyncio.sleep(pause(time.monotonic() - began))
                return status
        except TimeoutError:
            raise AssertionError(f"never came true; the last status was {status}") from None

    async def digested(self, mind_id, **more):
        """Wait until every turn is saved and extracted, or parked."""
        return await self.until(
            mind_id, lambda s: s["graph"]["saved"] >= s["last_sequence"] and s["graph"]["lag"] == 0, **more
        )


def settings_of(home, **more):
    """Settings for a test: quick retries, everything else as shipped."""
    return Settings(home=home, digestion=more.pop("digestion", QUICK), **more)


def opened_memory(settings, **opened):
    """``open_memory`` with what was embedded before in this process, where the built-in embedder is meant."""
    if settings.embedder.model is None:
        opened.setdefault("embedder", _EMBEDDER)
    return open_memory(settings, **opened)


@asynccontextmanager
async def running(home, *, settings=None, **opened):
    """The whole service on *home*, in this event loop; *opened* goes to ``open_memory``."""
    app = create_app(settings or settings_of(home), opening=lambda found: opened_memory(found, **opened))
    async with app.router.lifespan_context(app) as state:
        gc.set_threshold(*CYCLES)

        async def with_state(scope, receive, send):
            await app({**scope, "state": dict(state)}, receive, send)

        transport = httpx2.ASGITransport(app=with_state, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as http:
            yield Running(http, state["memory"], with_state)
