"""A mind that one machine has open, while another one erases it or begins it anew."""

import asyncio

import anyio.to_thread
import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import MindErasing, MindNotFound
from consolidation.kernel.files import remove_tree
from consolidation.kernel.turns import Turn
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds, OpenMinds
from service.observability.dependency_health import Dependency
from service.ports.shared_home import SeveralMachines
from tests.support.fragments import message_of
from tests.support.read_path import graphs_in_memory
from tests.support.shared_machines import MIND, NOON

pytestmark = pytest.mark.anyio


@pytest.fixture
async def minds(machines):
    """The minds of the second machine."""
    clock, machine = FixedClock(NOON), machines[1]
    disk = Dependency("disk", monotonic=clock.monotonic, recovered=lambda: None)
    several = SeveralMachines(machine.shared, machine.custody)
    graph_of, limits = graphs_in_memory().of, OpenMinds(several=several)
    found = Minds(machine.home, clock=clock, disk=disk, gate=MindGate(), graph_of=graph_of, limits=limits)
    yield found
    await found.close()


async def test_a_mind_begins_anew_whoever_looks_at_the_one_that_was_erased(machines, minds):
    """Broken: one deletes the copy of the old mind while another makes that of the new one in its place."""
    one, _ = machines

    async def look():
        try:
            await minds.find(MIND)
        except MindNotFound:
            return

    async def begin():
        mind = await minds.find_or_create(MIND)
        await mind.transcript.append(Turn("t1", "s1", (message_of("A new beginning."),)), tokens=1)

    for _ in range(20):
        await anyio.to_thread.run_sync(one.keep, "t0")
        await minds.find(MIND)
        await anyio.to_thread.run_sync(lambda: (one.bring_up(), remove_tree(one.workspace.folder), one.bring_up()))

        await asyncio.gather(look(), look(), look(), begin())

        assert (await minds.find(MIND)).transcript.positions.last == 1
        await anyio.to_thread.run_sync(lambda: (one.bring_up(), remove_tree(one.workspace.folder)))


async def test_to_look_at_a_mind_that_is_being_erased_does_not_begin_it_anew(machines, minds):
    """Broken: it is found, then erased, then opened, and opening makes what is not there."""
    one, _ = machines
    for _ in range(20):
        await anyio.to_thread.run_sync(one.keep, "t0")

        async def erase():
            await anyio.to_thread.run_sync(lambda: (one.bring_up(), remove_tree(one.workspace.folder), one.bring_up()))

        found = await asyncio.gather(*(minds.find(MIND) for _ in range(3)), erase(), return_exceptions=True)
        await asyncio.gather(*(minds.find(MIND) for _ in range(2)), return_exceptions=True)

        assert {type(one) for one in found if isinstance(one, BaseException)} <= {MindErasing, MindNotFound}
        assert one.bring_up() is None
