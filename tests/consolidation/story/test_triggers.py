from hypothesis import given
from hypothesis import strategies as st

from consolidation.story.triggers import Waiting, Trigger, TriggerThresholds, due

amounts = st.integers(0, 10_000)
seconds = st.floats(0, 10_000)
patiences = st.builds(TriggerThresholds, amounts, seconds, st.floats(0.01, 100))
backlogs = st.builds(Waiting, amounts, seconds, st.integers(0, 40), seconds)
SHIPPED = TriggerThresholds(threshold_tokens=5000, idle_seconds=1800, retry_seconds=60)


@given(patiences, seconds, st.integers(0, 5), seconds)
def test_where_nothing_waits_nothing_begins(patience, quiet, failures, failed):
    assert due(Waiting(0, quiet, failures, failed), patience) is None


@given(backlogs, seconds, st.floats(0.01, 100))
def test_who_wants_no_threshold_and_no_idleness_is_never_told_to_by_itself(backlog, quiet, retry):
    assert due(backlog, TriggerThresholds(0, 0, retry)) is None


@given(backlogs, patiences)
def test_only_what_is_automatic_begins_by_itself_and_for_its_reason(backlog, patience):
    match due(backlog, patience):
        case Trigger.THRESHOLD:
            assert 0 < patience.threshold_tokens <= backlog.tokens
        case Trigger.IDLE:
            assert 0 < patience.idle_seconds <= backlog.quiet_seconds and backlog.tokens
        case other:
            assert other is None


@given(backlogs, patiences, amounts, seconds, seconds)
def test_what_is_due_stays_due_the_longer_it_waits(backlog, patience, more, quiet, failed):
    later = Waiting(
        backlog.tokens + more, backlog.quiet_seconds + quiet, backlog.failures, backlog.failed_seconds + failed
    )

    assert due(backlog, patience) is None or due(later, patience) is not None


@given(backlogs, patiences)
def test_whatever_has_failed_is_tried_again_in_the_end(backlog, patience):
    rested = Waiting(backlog.tokens, backlog.quiet_seconds, backlog.failures, patience.retry_seconds * 64)
    fresh = Waiting(backlog.tokens, backlog.quiet_seconds)

    assert due(rested, patience) == due(fresh, patience)


def test_the_pause_after_a_failure_doubles_and_ends_at_an_hour():
    def first(failures):
        return next(n for n in range(10_000) if due(Waiting(9000, 0, failures, n), SHIPPED))

    assert [first(failures) for failures in (0, 1, 2, 3, 7, 8, 1_000_000)] == [0, 60, 120, 240, 3840, 3840, 3840]


def test_the_threshold_itself_is_enough_and_one_token_less_is_not():
    assert due(Waiting(5000, 0), SHIPPED) is Trigger.THRESHOLD
    assert due(Waiting(4999, 1799), SHIPPED) is None
    assert due(Waiting(1, 1800), SHIPPED) is Trigger.IDLE
