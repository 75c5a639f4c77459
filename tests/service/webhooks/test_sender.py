"""What sends webhooks holds nobody up, and outlives what fails."""

import asyncio
import threading
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from datetime import timedelta

import anyio
import pytest
from structlog.testing import capture_logs

from consolidation.kernel.clock import FixedClock, SystemClock
from consolidation.kernel.errors import HomeFault
from service.adapters.sqlite_outbox import SqliteOutbox
from service.observability.logging import configure_logs
from service.ports.webhooks import Posted
from service.webhooks.endpoint import WebhookEndpoint, delivery_of
from service.webhooks.sender import SendingTimes, Webhooks
from tests.support.fragments import NOON
from tests.support.service import running
from tests.support.waiting import GIVE_UP, OFTEN, until_async

pytestmark = pytest.mark.anyio
CRM = WebhookEndpoint("crm", "http://127.0.0.1/", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
TIMES = SendingTimes(
    first_retry_seconds=0.05, most_retry_seconds=0.2, give_up_seconds=3600, sweep_seconds=0.05, look_seconds=0.05
)


@asynccontextmanager
async def webhooks_of(home, *, poster=None, changed_by_others=lambda: 0, clock=SystemClock(), times=TIMES):
    """What sends to crm for the minds of a real service."""
    async with running(home) as service:
        with closing(SqliteOutbox(home / "outbox.sqlite3")) as outbox:
            outbox.register(["crm"], now=clock.now())
            yield Webhooks(
                [CRM],
                outbox=outbox,
                poster=poster,
                minds=service.memory.minds,
                clock=clock,
                times=times,
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


def note(webhooks, *keys, at):
    """Have events of one mind waiting, each with its key."""
    made = [delivery_of(CRM, "ada", "turn.kept", at=at, about={}, key=one) for one in keys]
    webhooks._outbox.advance("crm", "ada", "turns", deliveries=made, before=None, position="1", generation=0)
    return made


async def until_noted(webhooks):
    """How deliveries stand once the outbox knows that an attempt failed."""
    with anyio.fail_after(GIVE_UP):
        while (found := await webhooks.state("crm")).error is None:
            await anyio.sleep(OFTEN)
    return found


class Busy:
    """Takes nothing, and asks to be left alone for so many seconds."""

    def __init__(self, seconds, *, status=503):
        self.answer = Posted(status, seconds)

    async def post(self, _url, /, *, body, headers):
        return self.answer


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
        [made] = note(webhooks, "1", at=SystemClock().now())
        with capture_logs() as logs:
            async with in_background(webhooks.send("crm")):
                await until_async(lambda: poster.taken)
        assert webhooks.attempts["crm", "failed"] == 1

    assert [delivery_id for delivery_id, _ in poster.taken] == [made.id]
    assert [one["endpoint"] for one in logs if one["event"] == "webhook.sender_failed"] == ["crm"]


async def test_an_event_is_given_up_by_its_age_when_an_attempt_fails_and_not_by_the_pause_that_follows(tmp_path):
    """Broken: an event of age zero is given up at once where the receiver asks for a longer pause than its life."""
    clock, times = FixedClock(NOON), replace(TIMES, give_up_seconds=36)
    async with webhooks_of(tmp_path, poster=Busy(60.0), clock=clock, times=times) as webhooks:
        note(webhooks, "1", at=NOON)
        async with in_background(webhooks.send("crm")):
            waits = await until_noted(webhooks)
            clock.advance(timedelta(seconds=61))
            await until_async(lambda: webhooks.attempts["crm", "given_up"])

    assert (waits.waiting, waits.given_up, waits.next_attempt_at) == (1, 0, NOON + timedelta(seconds=60))
    assert webhooks.attempts == {("crm", "failed"): 1, ("crm", "given_up"): 1}


@pytest.fixture
def informed():
    """Events of the level INFO are logged, as by default."""
    configure_logs(level="INFO", as_json=False)
    yield
    configure_logs(level="WARNING", as_json=False)


@pytest.mark.parametrize("status", [410, 400, 503])
async def test_every_attempt_that_fails_is_logged_and_whether_it_was_the_last(tmp_path, informed, status):
    """Broken: of what is given up for a 410, the log says nothing."""
    clock = FixedClock(NOON)
    async with webhooks_of(tmp_path, poster=Busy(60.0, status=status), clock=clock) as webhooks:
        [made] = note(webhooks, "1", at=NOON)
        with capture_logs() as logs:
            async with in_background(webhooks.send("crm")):
                found = await until_noted(webhooks)

    [told] = [one for one in logs if one["event"] == "webhook.failed"]
    assert (told["delivery"], told["attempt"], told["reason"]) == (made.id, 1, f"answered {status}")
    assert told["gives_up"] is (status == 410) is (found.given_up == 1)


async def test_no_pause_is_longer_than_the_longest_and_they_differ(tmp_path):
    """Broken: what is added by chance comes on top of the longest pause."""
    pauses = []
    async with webhooks_of(tmp_path) as webhooks:
        for made in note(webhooks, *map(str, range(200)), at=NOON):
            pauses += [webhooks._pause(replace(made, attempts=attempts)) for attempts in (0, 50)]

    assert all(0.025 <= first <= 0.05 for first in pauses[::2])
    assert all(0.1 <= later <= 0.2 for later in pauses[1::2])
    assert max(pauses) > 0.19 and len(set(pauses)) > 300


async def test_a_receiver_that_asks_for_more_than_the_longest_pause_has_it(tmp_path):
    clock = FixedClock(NOON)
    async with webhooks_of(tmp_path, poster=Busy(60.0), clock=clock) as webhooks:
        note(webhooks, "1", at=NOON)
        async with in_background(webhooks.send("crm")):
            waits = await until_noted(webhooks)

    assert waits.next_attempt_at == NOON + timedelta(seconds=60)


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
