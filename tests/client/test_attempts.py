"""When a call is tried again, and when not: the decisions, without a network."""

import json

import pytest

from mind_memory_client import InvalidRequest, Patience, TooOften, Unavailable, Unreachable, calls
from mind_memory_client.attempts import Broken, Rest, Try, attempts
from mind_memory_client.faults import Reply

KEPT = Reply(202, {}, json.dumps({
    "mind_id": "ada", "turn_id": "t", "sequence": 1, "accepted_at": "2026-01-01T00:00:00Z", "pending_tokens": 1,
    "dropped": [], "duplicate": False,
}).encode())  # fmt: skip
LOST, UNSENT = Broken(OSError("gone"), was_sent=True), Broken(OSError("refused"), was_sent=False)
STORE, EDIT = calls.store_turn("ada", "s", "hi"), calls.edit_story("ada", "x", etag="e")


def no(status, **headers):
    """A problem document."""
    problem = json.dumps({"type": "/problems/x", "title": "No", "detail": "not now"})
    found = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"content-type": "application/problem+json", **found}, problem.encode())


def follow(call, *told, patience=Patience(), clock=lambda: 0.0):
    """The rests that were taken, the calls that were sent, and the answer or the fault."""
    steps, rests, sent, told = attempts(call, patience=patience, clock=clock, chance=lambda: 0.5), [], [], list(told)
    step = next(steps)
    try:
        while True:
            if isinstance(step, Try):
                sent.append(step.call)
                step = steps.send(told.pop(0))
            else:
                rests.append(step.seconds)
                step = steps.send(None)
    except StopIteration as end:
        return rests, sent, end.value
    except Exception as fault:
        return rests, sent, fault


@pytest.mark.parametrize("first", [LOST, UNSENT, no(503), no(429), no(502), no(504), no(507)], ids=str)
def test_what_may_pass_is_tried_again_with_the_same_turn_id(first):
    rests, sent, answer = follow(STORE, first, KEPT)

    assert (len(rests), answer.sequence) == (1, 1)
    assert sent[0].body["turn_id"] == sent[1].body["turn_id"]


@pytest.mark.parametrize(
    "first", [no(422), no(401), no(404), no(409), no(410), no(500)], ids=lambda one: str(one.status)
)
def test_what_will_not_pass_is_not_tried_again(first):
    rests, sent, fault = follow(STORE, first)

    assert (rests, len(sent), fault.status) == ([], 1, first.status)


@pytest.mark.parametrize(
    ("first", "attempts"), [(LOST, 1), (no(502), 1), (no(504), 1), (UNSENT, 2), (no(503), 2)], ids=str
)
def test_what_must_not_be_done_twice_is_tried_again_only_when_it_was_not_done(first, attempts):
    assert len(follow(EDIT, first, no(422))[1]) == attempts


def test_rests_grow_and_end_after_so_many_attempts():
    rests, sent, fault = follow(STORE, *[LOST] * 9, patience=Patience(attempts=5, first_rest=1, most_rest=3))

    assert (rests, len(sent)) == ([1, 2, 3, 3], 5)
    assert isinstance(fault, Unreachable)
    assert "gone" in str(fault)


def test_a_rest_is_as_long_as_the_service_asks_for():
    rests, _, _ = follow(STORE, no(503, retry_after="7"), KEPT, patience=Patience(first_rest=1))

    assert rests == [8]


def test_a_rest_beyond_the_deadline_is_not_taken():
    rests, _, fault = follow(STORE, no(429, retry_after="60"), KEPT)

    assert rests == []
    assert isinstance(fault, TooOften)
    assert fault.retry_after == 60


def test_all_attempts_together_keep_the_deadline():
    times = iter([0, 0, 9, 9, 9, 9])
    steps = attempts(
        STORE, patience=Patience(seconds=10, first_rest=0.1), clock=lambda: next(times), chance=lambda: 0.5
    )

    first, rest, second = next(steps), steps.send(LOST), steps.send(None)

    assert (first.seconds, second.seconds, isinstance(rest, Rest)) == (10, 1, True)


def test_the_call_before_a_turn_waits_little_longer_than_its_own_deadline():
    asked = [calls.resonance("ada", "s", "hi", deadline_ms=ms).seconds for ms in (None, 800, 0)]

    assert asked == [10, 2.8, None]


def test_an_error_page_of_something_in_between_is_a_fault_all_the_same():
    _, _, fault = follow(STORE, *[Reply(502, {"content-type": "text/html"}, b"<html>")] * 4)

    assert isinstance(fault, Unavailable)
    assert fault.status == 502


def test_a_problem_document_without_its_usual_fields_is_read():
    reply = Reply(422, {"content-type": "application/problem+json"}, b"{}")

    assert isinstance(follow(STORE, reply)[2], InvalidRequest)
