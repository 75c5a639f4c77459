"""The example life holds together: what its notes say of a turn, the reader and the graph can follow."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from consolidation.kernel.turns import Speaker
from consolidation.workspace import Workspace
from service.example.life import read_life, read_names
from service.example.progress import Progress, read_progress, write_progress

LAST = date(2026, 3, 1)


def test_it_ends_on_the_day_that_is_asked_for_and_goes_forward():
    times = [one.dated(LAST).messages[0].timestamp for one in read_life()]

    assert times[-1].date() == LAST
    assert (times[-1] - times[0]).days > 200
    assert all(before < after for before, after in pairwise(times))


def test_each_turn_is_said_by_ann_and_answered_by_ada():
    roles = {tuple(one.role for one in exchange.dated(LAST).messages) for exchange in read_life()}

    assert roles == {(Speaker.USER, Speaker.ASSISTANT)}
    assert len({one.turn_id for one in read_life()}) == len(read_life())


def test_facts_join_names_that_are_known_and_end_facts_that_were_told():
    known = {name for names in read_names().values() for name in names}
    told: set[str] = set()
    for one in read_life():
        assert {name for source, _, target, _ in one.facts for name in (source, target)} <= known, one.turn_id
        assert set(one.ends) <= told, one.turn_id
        told |= {fact for *_, fact in one.facts}


def test_it_names_no_month_and_no_season_since_it_may_end_on_any_day():
    months = {datetime(2026, month, 1, tzinfo=UTC).strftime("%B") for month in range(1, 13)} - {"May", "March"}
    said = " ".join(text for one in read_life() for _, _, text in one.said)

    assert [one for one in (*months, "Christmas") if one in said] == []


@pytest.mark.parametrize("written", [None, b"", b"{", b'{"last_day": "soon"}'])
def test_a_mind_without_a_mark_that_can_be_read_is_not_the_example(tmp_path, written):
    workspace = Workspace(tmp_path / "ada")
    if written is not None:
        workspace.folder.mkdir(parents=True)
        workspace.example.write_bytes(written)

    assert read_progress(workspace) is None


def test_how_far_it_is_loaded_is_kept(tmp_path):
    workspace = Workspace(tmp_path / "example")
    write_progress(workspace, Progress(LAST + timedelta(days=1), "ready"))

    assert read_progress(workspace) == Progress(LAST + timedelta(days=1), "ready")
