"""The service as a process that dies by itself at a named step of an erase: ``DIES="Transcript.erase after"``."""

from __future__ import annotations

import functools
import inspect
import os
import signal

from consolidation.transcript.log import Transcript
from service.adapters.falkordb.erasure import FalkorErasableGraph
from service.adapters.falkordb.purge import ServerPurge
from service.app import create_app
from service.erasure.pending import PendingErasures
from service.index.text_index import TextIndex
from service.mind.minds import Minds
from service.mind.trace_log import TraceLog
from service.story.writer import StoryWriter

_OWNERS = (Transcript, ServerPurge, FalkorErasableGraph, PendingErasures, Minds, TextIndex, TraceLog, StoryWriter)


def create():
    """The application, with one seam that kills its process."""
    place, _, when = os.environ["DIES"].partition(" ")
    owner_name, _, name = place.partition(".")
    owner = next(one for one in _OWNERS if one.__name__ == owner_name)
    real = getattr(owner, name)

    @functools.wraps(real)
    def dies(*given, **named):
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(*given, **named)
        if not inspect.isawaitable(found):
            os.kill(os.getpid(), signal.SIGKILL)

        async def awaited():
            await found
            os.kill(os.getpid(), signal.SIGKILL)

        return awaited()

    setattr(owner, name, dies)
    return create_app()
