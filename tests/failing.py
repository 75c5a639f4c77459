"""What is asked of a service while something fails: an answer in time, what it says of itself, what the log says."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import contextmanager

from structlog.testing import capture_logs

AUNT, ASKS_FOR_AUNT = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"
FRIENDS = ("Ada met Bruno.", "Bruno saw Carla.", "Carla called Ada.")
_GRACE = 0.4
_SESSIONS = itertools.count()  # each call in a session of its own: what was shown in one does not return to it soon


@contextmanager
def told():
    """What is said of dependencies in the log: which, and what happened to it; complete when this is over."""
    heard = []
    with capture_logs() as logs:
        yield heard
    said = (one for one in logs if one["event"].startswith("dependency."))
    heard += [(one["dependency"], one["event"].removeprefix("dependency.")) for one in said]


async def eventually(ask, is_so, *, seconds=30):
    """What *ask* answers once it is so."""
    answer = None
    try:
        async with asyncio.timeout(seconds):
            while not is_so(answer := await ask()):
                await asyncio.sleep(0.02)
            return answer
    except TimeoutError:
        raise AssertionError(answer) from None


async def keeps(service, said, *, seconds=20):
    """Every turn is taken, each within *seconds*."""
    for one in said:
        began = time.monotonic()
        assert (await service.keep("ada", one)).status_code == 202
        assert time.monotonic() - began < seconds


async def in_time(service, *, deadline_ms, degraded, seconds=None):
    """
    What ada is reminded of is AUNT, within the deadline or within *seconds*, *degraded* as it is said.

    Asked a few times: on a busy machine we may have been what was slow.
    """
    answers = []
    for _ in range(5):
        began, asked = time.monotonic(), {"deadline_ms": deadline_ms, "relevance": 0}
        session = f"asks {next(_SESSIONS)}"
        found = (await service.resonate("ada", ASKS_FOR_AUNT, session_id=session, **asked)).json()
        took = time.monotonic() - began
        if took < (seconds or deadline_ms / 1000) + _GRACE and found["degraded"] == degraded:
            assert "Lyon" in found["block"]
            return found
        answers.append((round(took, 2), found["degraded"], found["silence"]))
    raise AssertionError(answers)
