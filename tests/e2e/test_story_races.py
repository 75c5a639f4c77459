"""What a door answers for a story when another save lands right behind: what it wrote itself, never the other's."""

import asyncio
import threading
from contextlib import asynccontextmanager

import anyio.to_thread
import pytest

from consolidation.story.edits import etag_of
from tests.e2e.test_story import TALK, keep_talk
from tests.e2e.test_story_doors import call, raw, tell
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

ANY = {"If-Match": "*", "Content-Type": "text/markdown"}


def unwatched(home):
    """Settings without the watch of the journal: it would keep the only thread for seconds at a time."""
    return settings_of(home, journal={"watch": False})


@asynccontextmanager
async def taking_turns():
    """
    All blocking work is done by a single thread, in the order in which it was asked for, once ``begin`` is set.

    Whoever asks again waits until everybody else had a turn. So a save that is asked for behind another one lands
    before anything that the first saver reads afterwards. Idlers keep the queue filled: the limiter lets a caller pass
    a queue that has just become empty.
    """
    limiter, begin, is_over = anyio.to_thread.current_default_thread_limiter(), threading.Event(), False
    most, limiter.total_tokens = limiter.total_tokens, 1

    async def idle():
        while not is_over:
            await anyio.to_thread.run_sync(begin.wait)

    async with asyncio.TaskGroup() as idlers:
        for _ in range(4):
            idlers.create_task(idle())
        try:
            yield begin
        finally:
            is_over, limiter.total_tokens = True, most
            begin.set()


async def queued(asked):
    """*asked* as a task that waits for the thread."""
    limiter = anyio.to_thread.current_default_thread_limiter()
    before = limiter.statistics().tasks_waiting
    task = asyncio.create_task(asked)
    async with asyncio.timeout(10):
        while limiter.statistics().tasks_waiting == before:
            await asyncio.sleep(0)
    return task


async def save_behind(path, text):
    """A person whose save is the very next thing that happens to a story that changed."""
    was = path.read_bytes()

    def saved():
        if path.read_bytes() == was:
            return False
        path.write_text(text)
        return True

    while not await anyio.to_thread.run_sync(saved):
        pass


def is_of_its_own_text(answer):
    return answer.headers["etag"] == answer.json()["etag"] == etag_of(answer.json()["text"])


async def test_a_put_is_answered_with_the_story_it_wrote_though_another_put_lands_right_behind(tmp_path):
    async with running(tmp_path, settings=unwatched(tmp_path)) as service:
        await keep_talk(service, TALK[:1])
        await tell(service)
        async with taking_turns() as begin:
            first = await queued(call(service, "PUT", "/story", content=b"First.\n", headers=ANY))
            second = await queued(call(service, "PUT", "/story", content=b"Second.\n", headers=ANY))
            begin.set()
            first, second = await first, await second
        mine = {"text": "First, and more.\n"}
        stale = await call(service, "PUT", "/story", json=mine, headers={"If-Match": first.headers["etag"]})
        story = await raw(service)

    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["text"].startswith("First.\n") and is_of_its_own_text(first)
    assert second.json()["text"].startswith("Second.\n") and is_of_its_own_text(second)
    assert stale.status_code == 412 and story.startswith("Second.\n")


async def test_a_put_is_answered_with_the_story_it_wrote_though_a_person_saves_right_behind(tmp_path):
    path = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path, settings=unwatched(tmp_path)) as service:
        await keep_talk(service, TALK[:1])
        await tell(service)
        async with taking_turns() as begin:
            put = await queued(call(service, "PUT", "/story", content=b"Put.\n", headers=ANY))
            person = await queued(save_behind(path, "By hand.\n"))
            begin.set()
            put, _ = await put, await person
        stale = await call(service, "PUT", "/story", json={"text": "x"}, headers={"If-Match": put.headers["etag"]})

    assert put.json()["text"].startswith("Put.\n") and is_of_its_own_text(put)
    assert stale.status_code == 412 and path.read_text() == "By hand.\n"


@pytest.mark.parametrize("retell", [False, True])
async def test_a_restore_is_answered_with_the_story_it_wrote_though_a_person_saves_right_behind(tmp_path, retell):
    async with running(tmp_path, settings=unwatched(tmp_path)) as service:
        for said in TALK[:1], TALK[1:2]:
            await keep_talk(service, said)
            await tell(service)
        [version] = [one["version"] for one in (await call(service, "GET", "/story/history")).json()["versions"]]
        asked = {"version": version, "retell": retell}
        async with taking_turns() as begin:
            back = await queued(call(service, "POST", "/story/restore", json=asked))
            person = await queued(save_behind(tmp_path / "minds/ada/STORY.md", "By hand.\n"))
            begin.set()
            back, _ = await back, await person

    assert back.status_code == 200 and is_of_its_own_text(back)
    assert "lives in Lyon" in back.json()["text"] and "By hand" not in back.json()["text"]
