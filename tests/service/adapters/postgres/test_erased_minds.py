"""A mind that one machine erases is gone on every other, and none begins under its id until the erasure is finished."""

import pytest

from consolidation.kernel.errors import MindErasing
from consolidation.kernel.files import remove_tree
from service.erasure.pending import ErasurePlan, PendingErasures
from service.erasure.receipt import ErasureRequest
from tests.support.shared_machines import MIND, NOON


def test_an_erased_mind_is_gone_for_the_other_and_begins_anew_at_one(machines):
    one, two = machines
    one.write("SOUL.md", "Calm.")
    one.keep("t1", "t2")
    two.bring_up()
    one.bring_up()

    remove_tree(one.workspace.folder)

    with pytest.raises(MindErasing):
        two.write("SOUL.md", "Loud.")
    assert two.bring_up() is None
    two.shared.renew(MIND)
    assert not two.workspace.folder.exists()
    one.shared.end_erasure(MIND)
    assert [kept.sequence for kept, _ in two.keep("t1")] == [1]
    assert one.read("SOUL.md") is None
    assert (one.workspace.transcript / "2026-01.jsonl").read_bytes().count(b"\n") == 1


def test_no_mind_begins_under_the_id_of_one_whose_erasure_is_not_finished(machines, tmp_path):
    """Broken: what the new one holds goes with the next attempt to erase the earlier one."""
    one, two = machines
    one.keep("t1")
    one.bring_up()
    staged = tmp_path / "staged"
    staged.mkdir()

    remove_tree(one.workspace.folder)

    for begin in (lambda: two.keep("t2"), lambda: two.shared.admit(MIND, staged)):
        with pytest.raises(MindErasing):
            begin()
    one.shared.end_erasure(MIND)
    assert [kept.sequence for kept, _ in two.keep("t2")] == [1]
    one.shared.end_erasure(MIND)  # a second time, of who was late
    assert [kept.sequence for kept, _ in two.keep("t3")] == [2]


def test_who_finds_no_plan_of_an_erased_mind_lets_it_begin_anew(machines):
    """Broken: where a service dies between the plan and the row, a mind of this id never begins again."""
    one, two = machines
    one.keep("t1")
    one.bring_up()
    remove_tree(one.workspace.folder)
    two.shared.list_minds()
    plans = PendingErasures(two.home)
    PendingErasures(one.home).write(ErasurePlan(ErasureRequest(MIND), NOON))

    two.shared.end_erasures(plans.has_whole)
    with pytest.raises(MindErasing):
        two.keep("t2")
    PendingErasures(one.home).drop(ErasurePlan(ErasureRequest(MIND), NOON))
    two.shared.end_erasures(plans.has_whole)

    assert [kept.sequence for kept, _ in two.keep("t2")] == [1]


def test_a_mind_that_was_erased_is_held_no_longer_and_is_claimed_when_it_begins_anew(machines):
    """Broken: whoever had it looks for it each second, finds nothing and says so, for as long as the service runs."""
    one, _ = machines
    one.keep("t1")
    assert set(one.custody.claim(8)) == {MIND}
    one.bring_up()
    remove_tree(one.workspace.folder)
    one.custody.renew()
    assert set(one.custody.held()) == {MIND}  # its graph is still to be emptied
    assert one.shared.behind() == ()

    one.shared.end_erasure(MIND)
    one.custody.renew()
    held = dict(one.custody.held())
    one.keep("t1")

    assert held == {}
    assert set(one.custody.claim(8)) == {MIND}
