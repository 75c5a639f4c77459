"""What sends webhooks holds nobody up, and outlives what fails."""

import asyncio
import threading
from contextlib import asynccontextmanager, closing, suppress

import pytest
from structlog.testing import capture_logs

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import HomeFault
from service.adapters.sqlite_outbox import SqliteOutbox
from service.ports.webhooks import Posted
from service.webhooks.endpoint import WebhookEndpoint, delivery_of
from service.webhooks.sender import SendingTimes, Webhooks
from tests.support.service import running
from tests.support.waiting import GIVE_UP, until_async

pytestmark = pytest.mark.anyio
CRM = WebhookEndpoint("crm", "http://127.0.0.1/", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
TIMES = SendingTimes(
    first_retry_seconds=0.05, most_retry_seconds=0.2, give_up_seconds=3600, sweep_seconds=0.05, look_seconds=0.05
)


@asynccontextmanager
async def webhooks_of(home, *, poster=None, changed_by_others=lambda: 0):
    """What sends to crm for the minds of a real service."""
    async with running(home) as service:
        with closing(SqliteOutbox(home / "outbox.sqlite3")) as outbox:
            outbox.register(["crm"], now=SystemClock().now())
            yield Webhooks(
                [CRM],
                outbox=outbox,
                poster=poster,
                minds=service.memory.minds,
                clock=SystemClock(),
                times=TIMES,
                is_erased=None,
                changed_by_others=changed_by_others,
                version_of=None,
            )


@asynccontextmanager
async def in_background(job):
    """The job is under way inside the block, and has not ended by itself at its end."""
    task = asyncio.create_task(job)
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class Poster:
    """Takes what is posted, once it has failed as a library does that has a fault."""

    def __init__(self):
        self.taken = []
        self.failures = [KeyError("nobody foresaw this")]

    async def post(self, _url, /, *, body, headers):
        if self.failures:
            raise self.failures.pop()
        self.taken.append((headers["webhook-id"], body))
        return Posted(204)


async def test_an_attempt_that_fails_in_a_way_nobody_foresaw_is_told_of_and_made_again(tmp_path):
    poster = Poster()
    async with webhooks_of(tmp_path, poster=poster) as webhooks:
        made = delivery_of(CRM, "ada", "turn.kept", at=SystemClock().now(), about={}, key="1")
        webhooks._outbox.advance("crm", "ada", "turns", deliveries=[made], before=None, position="1", generation=0)
        with capture_logs() as logs:
            async with in_background(webhooks.send("crm")):
                await until_async(lambda: poster.taken)
        assert webhooks.attempts["crm", "failed"] == 1

    assert [delivery_id for delivery_id, _ in poster.taken] == [made.id]
    assert [one["endpoint"] for one in logs if one["event"] == "webhook.sender_failed"] == ["crm"]


async def test_a_look_at_the_outbox_that_waits_for_a_slow_disk_leaves_everybody_else_alone(tmp_path):
    has_begun, may_end, ended = threading.Event(), threading.Event(), []

    def slow_look():
        has_begun.set()
        ended.append(may_end.wait(GIVE_UP))
        return 1

    async with webhooks_of(tmp_path, changed_by_others=slow_look) as webhooks, in_background(webhooks.notice()):
        await until_async(has_begun.is_set)
        may_end.set()
        await until_async(lambda: ended)

    assert ended[0]


async def test_a_look_at_the_outbox_that_fails_is_not_the_last(tmp_path):
    looks = []

    def failing_look():
        looks.append(1)
        if len(looks) < 3:
            raise HomeFault("the outbox can not be used")
        return 1

    async with webhooks_of(tmp_path, changed_by_others=failing_look) as webhooks, in_background(webhooks.notice()):
        await until_async(lambda: len(looks) > 3)
