"""Processes that tell a story and people who edit it, all at once, some of them killed: nothing is lost, nothing doubled."""

from tests.e2e.story_torture import torture, torture_alone


def test_the_service_commands_and_editors_at_one_story_lose_and_double_nothing(tmp_path):
    counts = torture(tmp_path, seconds=10, seed=1)

    assert not any(counts.broken.values()), counts.table
    assert counts.turns >= 5 and counts.done["killed: the service"], counts.table
    assert sum(counts.edits.values()) >= 10, counts.table


def test_a_teller_killed_many_times_a_second_loses_no_turn_and_no_edit(tmp_path):
    counts = torture_alone(tmp_path, seconds=8, seed=2)

    assert not any(counts.broken.values()), counts.table
    assert sum(counts.edits.values()) >= 10, counts.table
