"""What happens is told to who listens: once each, in order, or with a reset; and nobody is held up."""

from datetime import timedelta

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import RateLimited
from service.mind import events as module
from service.mind.events import MindEvents
from tests.support.fragments import NOON

pytestmark = pytest.mark.anyio


@pytest.fixture
def events():
    return MindEvents(FixedClock(NOON))


def numbers(found):
    return [event.about["n"] for event in found]


def tell(events, *ns, mind_id="ada"):
    for n in ns:
        events.publish(mind_id, "turn.kept", n=n)


async def test_a_listener_hears_what_happens_in_its_mind_from_now_on(events):
    tell(events, 1)
    listener = events.listen("ada", last_id=None)
    tell(events, 2, 3)
    tell(events, 4, mind_id="bob")

    assert numbers(await listener.next(seconds=1)) == [2, 3]
    assert await listener.next(seconds=0.01) == ()


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["ada", "bob"]), min_size=1, max_size=20), st.data())
def test_who_was_away_hears_each_event_once_that_it_missed(minds, data):
    events = MindEvents(FixedClock(NOON))
    first = events.listen("ada", last_id=None)
    for n, mind_id in enumerate(minds):
        tell(events, n, mind_id=mind_id)
    heard = first.waiting()
    at = data.draw(st.integers(0, len(heard)))

    if at:
        missed = events.listen("ada", last_id=heard[at - 1].id).waiting()

        assert [one.id for one in missed] == [one.id for one in heard[at:]]


async def test_ids_only_grow_and_another_process_has_others(events):
    clock = FixedClock(NOON)
    listener = events.listen("ada", last_id=None)
    tell(events, *range(3))
    ids = [int(one.id.partition("-")[2]) for one in listener.waiting()]
    clock.advance(timedelta(seconds=1))
    other = MindEvents(clock)

    assert ids == sorted(set(ids))
    assert [one.kind for one in other.listen("ada", last_id=f"{events._began}-3").waiting()] == ["reset"]


@pytest.mark.parametrize("last_id", ["", "x", "1-", "-1", "zz-5", "١-١", "9" * 90])
async def test_an_id_that_is_unknown_is_answered_by_a_reset_and_what_comes_is_heard(events, last_id):
    tell(events, 1)
    listener = events.listen("ada", last_id=last_id)
    tell(events, 2)

    assert [one.kind for one in listener.waiting()] == ["reset", "turn.kept"]


async def test_who_was_away_for_too_long_is_told_so(events):
    listener = events.listen("ada", last_id=None)
    tell(events, 1)
    (first,) = listener.waiting()
    tell(events, *range(module.MOST_EVENTS))
    complete = events.listen("ada", last_id=first.id).waiting()
    tell(events, 1)

    assert len(complete) == module.MOST_EVENTS
    assert [one.kind for one in events.listen("ada", last_id=first.id).waiting()] == ["reset"]


async def test_a_slow_listener_is_let_go_and_no_other(events):
    slow, quick = events.listen("ada", last_id=None), events.listen("ada", last_id=None)
    for n in range(1000):
        tell(events, n)
        quick.waiting()

    assert await slow.next(seconds=1) is None
    assert await quick.next(seconds=0.01) == ()


async def test_listeners_are_let_go_when_their_mind_is_erased_and_when_the_service_stops(events):
    adas, bobs = events.listen("ada", last_id=None), events.listen("bob", last_id=None)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: adas.next(seconds=60))
            await anyio.sleep(0.01)
            events.end("ada")
    assert await adas.next(seconds=0.01) is None
    assert await bobs.next(seconds=0.01) == ()

    events.close()

    assert await bobs.next(seconds=0.01) is None
    assert await events.listen("bob", last_id=None).next(seconds=0.01) is None


async def test_so_many_may_listen_and_one_that_leaves_makes_room(events):
    listeners = [events.listen("ada", last_id=None) for _ in range(100)]
    with pytest.raises(RateLimited):
        events.listen("bob", last_id=None)

    events.leave("ada", listeners[0])

    assert events.listen("bob", last_id=None)


async def test_the_events_of_few_minds_are_remembered(events):
    listener = events.listen("m0", last_id=None)
    for n in range(150):
        tell(events, n, mind_id=f"m{n}")
    (first,) = listener.waiting()

    assert [one.kind for one in events.listen("m0", last_id=first.id).waiting()] == ["reset"]
    assert len(events._known) == 100
