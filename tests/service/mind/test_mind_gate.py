"""Who may enter a mind, who is waited for, and what of its background work is paused."""

import asyncio

import pytest

from consolidation.kernel.errors import MindErasing
from service.mind.mind_gate import MindGate, Paused
from tests.support.write_path import write_path

pytestmark = pytest.mark.anyio


async def test_an_erase_waits_for_who_came_before_it_and_not_for_who_came_after():
    gate, leaves = MindGate(), asyncio.Event()

    async def work():
        with gate.enter("ada"):
            await leaves.wait()

    before = asyncio.create_task(work())
    await asyncio.sleep(0)
    waiting = asyncio.create_task(gate.until_left("ada", seconds=60))
    await asyncio.sleep(0)
    with gate.enter("ada"):
        assert not waiting.done()
        leaves.set()
        assert await waiting

    await before
    assert await gate.until_left("ada", seconds=0) and await gate.until_left("bob", seconds=0)


async def test_who_does_not_leave_is_waited_for_only_so_long():
    gate = MindGate()
    with gate.enter("ada"):
        assert not await gate.until_left("ada", seconds=0.01)


async def test_background_work_that_is_paused_goes_on_when_it_is_resumed():
    gate = MindGate()
    gate.set_paused("ada", Paused.ALL)
    going_on = asyncio.create_task(gate.until_resumed("ada"))
    await asyncio.sleep(0)
    assert not going_on.done() and gate.paused("bob") is Paused.NOTHING

    gate.set_paused("ada", Paused.GRAPH)
    await going_on
    gate.set_paused("ada", Paused.NOTHING)
    assert gate.paused("ada") is Paused.NOTHING


async def test_a_closed_mind_may_begin_again_when_it_is_reopened():
    gate = MindGate()
    gate.close("ada")
    assert (gate.is_closed("ada"), gate.is_closed("bob")) == (True, False)

    gate.reopen("ada")
    assert not gate.is_closed("ada")


async def test_a_folder_that_was_built_before_its_mind_was_closed_does_not_come_in(tmp_path):
    (tmp_path / "home").mkdir()
    built = tmp_path / "built"
    built.mkdir()
    async with write_path(tmp_path / "home") as path:
        path.minds.gate.close("ada")

        with pytest.raises(MindErasing):
            await path.minds.admit("ada", built)

    assert built.exists() and not (tmp_path / "home/minds/ada").exists()
