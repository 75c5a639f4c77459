"""The story's paths do no file I/O on the event loop: a slow disk holds up the story, and nobody else's request."""

import builtins
import fcntl
import io
import os
import sys
import time
import traceback
from contextlib import contextmanager

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.story.storyfile import StoryFile
from consolidation.workspace import Workspace
from tests.e2e.test_story import TALK, keep_talk
from tests.e2e.test_story_doors import call, tell
from tests.support.paths import ROOT
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

OF_THE_STORY = tuple(
    str(ROOT / place)
    for place in (
        "consolidation/story",
        "service/story",
        "service/http/routes/story",
        "service/http/routes/consolidation",
    )
)
BLOCKING = frozenset(
    [builtins.open, io.open, time.sleep, fcntl.flock, os.open, os.stat, os.lstat, os.scandir, os.listdir, os.readlink]
    + [os.mkdir, os.rmdir, os.unlink, os.remove, os.link, os.rename, os.replace, os.fsync, os.fdatasync, os.ftruncate]
)


@contextmanager
def watched_loop():
    """What the story's code does in this thread, which is the event loop's, that waits for a disk: a stack each."""
    found = []

    def watch(frame, event, called):
        if event != "c_call" or called not in BLOCKING:
            return
        stack = traceback.extract_stack(frame)
        is_importing = any(one.filename.startswith("<frozen importlib") for one in stack)
        if not is_importing and any(one.filename.startswith(OF_THE_STORY) for one in stack):
            found.append("".join(traceback.format_list(stack[-6:])))

    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(None)


async def test_the_watch_sees_a_story_that_is_read_on_the_loop(tmp_path):
    with watched_loop() as found:
        StoryFile.of(Workspace(tmp_path), clock=SystemClock()).read()

    assert any("in read_stable" in one for one in found)


async def test_no_door_of_the_story_waits_for_a_disk_on_the_event_loop(tmp_path):
    sessions = tmp_path / "minds/ada/sessions"
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
    sessions.mkdir()
    (sessions / "t1.jsonl").write_text('{"role": "user", "content": "I learn Basque with Iker."}\n')
    story = {"threshold_tokens": 0, "idle_seconds": 0}
    with watched_loop() as found:
        async with running(
            tmp_path, settings=settings_of(tmp_path, story=story)
        ) as service:  # reads the sessions, sweeps
            await service.until("ada", lambda s: s.get("turns") == 2)
            for number, said in enumerate(TALK[1:]):
                await service.keep("ada", said[1], turn_id=f"t{number}")
                await tell(service)
            etag = (await call(service, "GET", "/story")).headers["etag"]
            await call(service, "GET", "/story", headers={"If-None-Match": etag})
            put = await call(service, "PUT", "/story", json={"text": "Mine.\n"}, headers={"If-Match": etag})
            versions = (await call(service, "GET", "/story/history")).json()["versions"]
            version = versions[0]["version"]
            await call(service, "GET", f"/story/history/{version}")
            await call(service, "GET", f"/story/diff?from={version}")
            back = [
                await call(service, "POST", "/story/restore", json={"version": version, "retell": retell})
                for retell in (False, True)
            ]
            for asked in ({"trigger": "global_sync"}, {"trigger": "bootstrap"}, {"skip": True}, {"wait": False}):
                await call(service, "POST", "/consolidation", json=asked)
            await call(service, "GET", "/consolidation")
            window = {"messages": [{"role": "user", "content": "She plants roses."}]}
            compacted = await call(service, "POST", "/sessions/s1/compaction", json=window)
            erased = await call(service, "DELETE", "/turns/t1")
            await service.figures()
            await service.http.get("/v1/status")

    assert {one.status_code for one in (put, *back)} == {200} and compacted.status_code == 202
    assert erased.status_code == 200 and not found, "\n".join(sorted({*found}))
