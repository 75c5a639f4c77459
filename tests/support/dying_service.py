"""A service that dies at a named step of an import or a rebuild. The code that kills it is here, not in the product."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager

from service import app
from service.adapters.falkordb.archive import FalkorArchivableGraph
from service.composition.container import open_memory

DIED = 137


def create_app():
    """The application; the environment names the step: DYING_BEFORE=import."""
    return app.create_app(opening=opening)


@asynccontextmanager
async def opening(settings):
    async with open_memory(settings) as memory:
        arm(memory)
        yield memory


def arm(memory):
    if os.environ.get("DYING_BEFORE") == "import":
        dies_before(memory.minds, "admit")
    if os.environ.get("DYING_AMID") == "import":
        dies_before(FalkorArchivableGraph, "adopt")
    if os.environ.get("DYING_AFTER") == "import":
        dies_after(FalkorArchivableGraph, "adopt")
    if os.environ.get("DYING_BEFORE") == "rebuild":
        dies_before(FalkorArchivableGraph, "drop")
    if os.environ.get("DYING_AMID") == "rebuild":
        dies_after(FalkorArchivableGraph, "drop")


def dies_before(owner, name):
    async def die(*_, **__):
        os._exit(DIED)

    setattr(owner, name, die)


def dies_after(owner, name):
    real = getattr(owner, name)

    async def act_and_die(*words, **named):
        await real(*words, **named)
        os._exit(DIED)

    setattr(owner, name, act_and_die)
