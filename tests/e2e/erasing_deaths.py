"""The service as a process that dies by itself at a named step of an erase: ``DIES="Transcript.erase after"``."""

from __future__ import annotations

import functools
import inspect
import os
import signal

from consolidation.transcript.log import Transcript
from service.adapters.graph.emptying import Emptying
from service.adapters.graph.erasing import FalkorErasing
from service.app import create_app
from service.erasing.plans import Plans
from service.minds import Minds
from service.recall.text_index import TextIndex
from service.resonance.ledger import Ledger
from service.storytelling.runs import Storytelling

_OWNERS = (Transcript, Emptying, FalkorErasing, Plans, Minds, TextIndex, Ledger, Storytelling)


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
