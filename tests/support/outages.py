"""What a test asks of a service while something fails: an answer in time, what it says of itself, what the log says."""

from __future__ import annotations

import itertools
import time
from contextlib import contextmanager

from structlog.testing import capture_logs

from tests.support.punctuality import timed_async

AUNT, ASKS_FOR_AUNT = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"
FRIENDS = ("Ada met Bruno.", "Bruno saw Carla.", "Carla called Ada.")
_SESSIONS = itertools.count()  # each call in a session of its own: what was shown in one does not return to it soon


@contextmanager
def told():
    """What is said of dependencies in the log: which, and what happened to it; complete when this is over."""
    heard = []
    with capture_logs() as logs:
        yield heard
    said = (one for one in logs if one["event"].startswith("dependency."))
    heard += [(one["dependency"], one["event"].removeprefix("dependency.")) for one in said]


async def keeps(service, said, *, quicker_than=None):
    """Every turn is accepted; the quickest of them in less than a time-out of what fails, where one is given."""
    times = []
    for one in said:
        began = time.monotonic()
        assert (await service.keep("ada", one)).status_code == 202
        times.append(time.monotonic() - began)
    assert quicker_than is None or min(times) < quicker_than, times


async def in_time(service, *, deadline_ms, degraded, quicker_than=None):
    """
    Assert that ada is reminded of AUNT, that the answer is *degraded* as given, and that it is in time; return it.

    In time is within the deadline; or, for a call without one, in less than a time-out of what fails (*quicker_than*).
    A machine that is busy at the wrong moment makes one answer late. A service that waits makes each of them late.
    """
    answers = []
    for _ in range(5):
        asked = {"session_id": f"asks {next(_SESSIONS)}", "deadline_ms": deadline_ms, "relevance": 0}
        answer, took, is_punctual = await timed_async(
            lambda asked=asked: service.resonate("ada", ASKS_FOR_AUNT, **asked), within=deadline_ms / 1000
        )
        found = answer.json()
        is_in_time = is_punctual if quicker_than is None else took < quicker_than
        if is_in_time and found["degraded"] == degraded:
            assert "Lyon" in found["block"]
            return found
        answers.append((round(took, 2), found["degraded"], found["silence"]))
    raise AssertionError(answers)
