"""When a call is tried again, and when not: the decisions, without a network."""

import json

import pytest

from mind_memory_client import InvalidRequest, RateLimited, RetryPolicy, TimedOut, Unavailable, Unreachable
from mind_memory_client import _endpoints as api
from mind_memory_client._endpoints import Reply
from mind_memory_client._retry import Broken, Pause, Try, attempts

KEPT = Reply(202, {}, json.dumps({
    "mind_id": "ada", "turn_id": "t", "sequence": 1, "accepted_at": "2026-01-01T00:00:00Z", "pending_tokens": 1,
    "dropped": [], "duplicate": False,
}).encode())  # fmt: skip
LOST, UNSENT = Broken(OSError("gone"), was_sent=True), Broken(OSError("refused"), was_sent=False)
STORE, EDIT = api.store_turn("ada", "s", "hi", turn_id="t"), api.edit_story("ada", text="x", etag="e")


def no(status, **headers):
    """A problem document."""
    problem = json.dumps({"type": "/problems/x", "title": "No", "detail": "not now"})
    found = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"content-type": "application/problem+json", **found}, problem.encode())


def follow(call, *results, retry=RetryPolicy(), clock=lambda: 0.0):
    """The pauses that were taken, the calls that were sent, and the answer or the error."""
    steps, pauses, sent, results = attempts(call, policy=retry, clock=clock, jitter=lambda: 0.5), [], [], list(results)
    step = next(steps)
    try:
        while True:
            if isinstance(step, Try):
                sent.append(step.call)
                step = steps.send(results.pop(0))
            else:
                pauses.append(step.seconds)
                step = steps.send(None)
    except StopIteration as end:
        return pauses, sent, end.value
    except Exception as error:
        return pauses, sent, error


@pytest.mark.parametrize("first", [LOST, UNSENT, no(503), no(429), no(502), no(504), no(507)], ids=str)
def test_a_failure_that_may_pass_is_tried_again_with_the_same_turn_id(first):
    pauses, sent, answer = follow(STORE, first, KEPT)

    assert (len(pauses), answer.sequence) == (1, 1)
    assert sent[0].body["turn_id"] == sent[1].body["turn_id"]


def test_an_agents_actions_are_tried_again_under_the_ids_that_they_had_first():
    ids = iter("xyz")
    call = api.act("ada", "s", [{"kind": "thought", "text": "a"}, {"id": "own"}], fresh_id=lambda: next(ids))
    first, second = follow(call, LOST, no(422))[1]

    assert [one["id"] for one in first.body["actions"]] == ["x", "own"]
    assert first.body == second.body


def test_a_sleep_that_may_have_begun_is_not_asked_for_again():
    asked = api.sleep("ada", seconds=60, session=None, timezone=None, wait=False)

    assert [len(follow(asked, first, no(422))[1]) for first in (LOST, UNSENT)] == [1, 2]


@pytest.mark.parametrize(
    "first", [no(422), no(401), no(404), no(409), no(410), no(500)], ids=lambda one: str(one.status)
)
def test_a_refusal_for_good_is_not_tried_again(first):
    pauses, sent, error = follow(STORE, first)

    assert (pauses, len(sent), error.status) == ([], 1, first.status)


@pytest.mark.parametrize(
    ("first", "attempts"), [(LOST, 1), (no(502), 1), (no(504), 1), (UNSENT, 2), (no(503), 2)], ids=str
)
def test_a_call_that_must_not_be_done_twice_is_tried_again_only_when_it_was_not_done(first, attempts):
    assert len(follow(EDIT, first, no(422))[1]) == attempts


def test_pauses_grow_and_attempts_are_limited():
    pauses, sent, error = follow(
        STORE, *[LOST] * 9, retry=RetryPolicy(max_attempts=5, first_backoff_seconds=1, max_backoff_seconds=3)
    )

    assert (pauses, len(sent)) == ([1, 2, 3, 3], 5)
    assert isinstance(error, Unreachable)
    assert "gone" in str(error)


def test_a_pause_is_as_long_as_the_service_asks_for():
    pauses, _, _ = follow(STORE, no(503, retry_after="7"), KEPT, retry=RetryPolicy(first_backoff_seconds=1))

    assert pauses == [8]


@pytest.mark.parametrize("date", ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"])
def test_a_pause_lasts_until_the_date_that_is_asked_for(date):
    """Broken: a date was passed over, and the service was asked again at once."""
    asked = no(503, retry_after=date, date="Sun, 06 Nov 1994 08:49:30 GMT")
    pauses, _, _ = follow(STORE, asked, KEPT, retry=RetryPolicy(first_backoff_seconds=1))

    assert pauses == [8]


@pytest.mark.parametrize("words", ["Sun, 06 Nov 1994 08:49:37 GMT", "soon", "", "-5"])
def test_what_is_over_or_no_time_asks_for_no_pause_of_its_own(words):
    pauses, _, _ = follow(STORE, no(503, retry_after=words), KEPT, retry=RetryPolicy(first_backoff_seconds=1))

    assert pauses == [1]


def test_a_pause_beyond_the_deadline_is_not_taken():
    pauses, _, error = follow(STORE, no(429, retry_after="60"), KEPT)

    assert pauses == []
    assert isinstance(error, RateLimited)
    assert error.retry_after == 60


def test_all_attempts_together_meet_the_deadline():
    times = iter([0, 0, 9, 9, 9, 9])
    steps = attempts(
        STORE,
        policy=RetryPolicy(total_seconds=10, first_backoff_seconds=0.1),
        clock=lambda: next(times),
        jitter=lambda: 0.5,
    )

    first, rest, second = next(steps), steps.send(LOST), steps.send(None)

    assert (first.seconds, second.seconds, isinstance(rest, Pause)) == (10, 1, True)


def test_the_call_before_a_turn_waits_little_longer_than_its_own_deadline():
    asked = [api.resonance("ada", "s", "hi", deadline_ms=ms).seconds for ms in (None, 800, 0)]

    assert asked == [10, 2.8, None]


def test_an_error_page_of_a_proxy_in_between_is_an_error_of_ours():
    _, _, error = follow(STORE, *[Reply(502, {"content-type": "text/html"}, b"<html>")] * 4)

    assert isinstance(error, Unavailable)
    assert error.status == 502


def test_a_problem_document_without_its_usual_fields_is_read():
    reply = Reply(422, {"content-type": "application/problem+json"}, b"{}")

    assert isinstance(follow(STORE, reply)[2], InvalidRequest)


def test_a_readiness_of_503_is_an_answer_and_a_problem_document_is_not():
    parts = b'{"status": "degraded", "parts": {"graph": "it does not answer"}}'
    degraded = Reply(503, {"content-type": "application/json"}, parts)

    _, sent, answer = follow(api.READINESS.call(), degraded)

    assert (len(sent), answer.is_ready, answer.parts) == (1, False, {"graph": "it does not answer"})
    assert isinstance(follow(api.READINESS.call(), *[no(503)] * 4)[2], Unavailable)


def test_an_archive_is_sent_once_since_its_stream_can_not_be_read_again():
    _, sent, error = follow(api.import_archive("ada", archive=iter(()), reembed=False, prompts=False), no(503))

    assert (len(sent), error.status) == (1, 503)


@pytest.mark.parametrize(
    ("broken", "kind"), [(LOST, Unreachable), (Broken(TimeoutError(), was_sent=True, is_timeout=True), TimedOut)]
)
def test_an_error_says_whether_the_service_may_have_acted_and_whether_it_was_too_slow(broken, kind):
    error = follow(EDIT, broken)[2]

    assert (type(error), error.was_sent) == (kind, True)
