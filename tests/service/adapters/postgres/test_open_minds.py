"""A mind that one machine has open, while another one erases it or begins it anew."""

import asyncio
from contextlib import closing
from datetime import timedelta
from urllib.parse import urlsplit

import anyio.to_thread
import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import HomeFault, MindErasing, MindNotFound, RateLimited
from consolidation.kernel.files import remove_tree
from consolidation.kernel.shared_files import sharing
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import Turn
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.access.principal import Principal
from service.adapters.postgres.database import Database
from service.ingest.intake import Intake
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.mind.open_minds import OpenMinds
from service.mind.new_minds import NewMinds
from service.observability.counters import Tally
from service.observability.dependency_health import Dependency
from service.ports.shared_home import SeveralMachines
from service.ports.spans import NoopSpans
from tests.support.fragments import message_of
from tests.support.read_path import graphs_in_memory
from tests.support.shared_machines import MIND, NOON, Machine
from tests.twins.fault_proxy import FaultProxy

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock():
    return FixedClock(NOON)


@pytest.fixture
async def minds(machines, clock):
    """The minds of the second machine."""
    found = minds_of(machines[1], clock)
    yield found
    await found.close()


def minds_of(machine, clock):
    disk = Dependency("disk", monotonic=clock.monotonic, recovered=lambda: None)
    several = SeveralMachines(machine.shared, machine.custody)
    graph_of, limits = graphs_in_memory().of, OpenMinds(idle_seconds=60, several=several)
    return Minds(machine.home, clock=clock, disk=disk, gate=MindGate(), graph_of=graph_of, limits=limits)


def intake_of(minds, clock):
    return Intake(
        minds,
        clock=clock,
        privacy_filter=PrivacyFilter(),
        tally=Tally(),
        spans=NoopSpans(),
        wake_lanes=lambda _: None,
        think_ahead=lambda *_: None,
        on_stored=lambda _: 0,
    )


def erase(machine):
    machine.bring_up()
    remove_tree(machine.workspace.folder)
    machine.shared.end_erasure(MIND)


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
        await anyio.to_thread.run_sync(erase, one)

        await asyncio.gather(look(), look(), look(), begin())

        assert (await minds.find(MIND)).transcript.positions.last == 1
        await anyio.to_thread.run_sync(erase, one)


async def test_to_look_at_a_mind_that_is_being_erased_does_not_begin_it_anew(machines, minds):
    """Broken: it is found, then erased, then opened, and opening makes what is not there."""
    one, _ = machines
    for _ in range(20):
        await anyio.to_thread.run_sync(one.keep, "t0")
        erasing = anyio.to_thread.run_sync(erase, one)
        found = await asyncio.gather(*(minds.find(MIND) for _ in range(3)), erasing, return_exceptions=True)
        await asyncio.gather(*(minds.find(MIND) for _ in range(2)), return_exceptions=True)

        assert {type(one) for one in found if isinstance(one, BaseException)} <= {MindErasing, MindNotFound}
        assert one.bring_up() is None


async def test_the_copy_of_a_mind_that_nobody_used_for_long_goes_and_comes_back_with_the_next_use(
    machines, minds, clock
):
    """Broken: what a machine ever opened stays on its disk."""
    one, two = machines
    await anyio.to_thread.run_sync(one.keep, "t1")
    mind = await minds.find(MIND)
    for lane in mind.health.lanes.values():
        lane.cursor = 1  # nothing is left to do

    clock.advance(timedelta(seconds=60))
    await minds.close_unused()
    assert minds.get(MIND) is None and two.workspace.transcript.exists()  # who comes back soon finds all of it here
    clock.advance(timedelta(seconds=60))
    with minds.held(MIND):
        await minds.close_unused()
        assert two.workspace.transcript.exists()
    await minds.close_unused()
    clock.advance(timedelta(seconds=60))
    await minds.close_unused()

    assert not two.workspace.folder.exists()
    assert two.shared.copied() == frozenset()
    await anyio.to_thread.run_sync(one.keep, "t2")
    assert (await minds.find(MIND)).transcript.positions.last == 2


async def test_a_minds_own_settings_hold_on_a_machine_that_has_no_copy_of_it(machines, minds):
    """Broken: the first turn there is stored with words that the mind never keeps."""
    one, _ = machines
    await anyio.to_thread.run_sync(one.keep, "t1")
    await anyio.to_thread.run_sync(one.write, "settings.toml", 'never_keep = ["salary"]\n')

    assert (await minds.own_settings(MIND)).never_keep == ("salary",)


async def test_a_turn_is_stored_as_the_settings_are_for_all_where_this_machine_could_not_ask_for_them(
    machines, clock, database_url, tmp_path
):
    """Broken: for a second after the database was late, turns are stored as an old copy of the settings has it."""
    address = urlsplit(database_url).netloc.rpartition("@")[2]
    await anyio.to_thread.run_sync(machines[0].keep, "t1")
    with FaultProxy(address) as way:
        url = database_url.replace(address, f"127.0.0.1:{way.port}")
        with closing(Database(url, connections=4)) as database:
            database.open()
            machine = Machine(database, tmp_path / "far")
            minds = minds_of(machine, clock)
            with sharing(machine.home, machine.shared):
                intake = intake_of(minds, clock)
                await minds.find(MIND)
                way.mode = "reset"
                assert await minds.find(MIND)  # from now on the clock stands still, and nobody asks for what is new
                way.mode = "pass"
                machines[0].write("settings.toml", 'never_keep = ["salary"]\n')

                first = await intake.accept(MIND, Turn("t2", "s1", (message_of("My salary is 9."),)))
                machines[0].write("settings.toml", 'never_keep = ["rent"]\n')
                each = await intake.accept_each(
                    MIND,
                    [
                        Turn(f"t{at}", "s1", (message_of(f"My {said} is 9."),))
                        for at, said in ((3, "rent"), (4, "salary"))
                    ],
                )

                assert [one.stored.turn.messages[0].content for one in (first, *each)] == ["", "", "My salary is 9."]
                await minds.close()


async def test_what_was_erased_goes_also_where_a_new_copy_finds_no_room(machines, minds):
    """Broken: the copy of before stays, and no erasure anywhere ends."""
    one, two = machines
    await anyio.to_thread.run_sync(one.keep, "t1", "t2")
    await minds.find(MIND)
    one.custody.take(MIND)
    await (await one.transcript()).erase([1])
    (two.home / "anew").write_text("a file where a folder belongs")  # no copy can be made there

    with pytest.raises(HomeFault):
        await minds.find(MIND)

    assert not two.workspace.folder.exists()
    assert two.shared.copied() == frozenset()


async def test_a_mind_that_has_no_copy_on_a_machine_does_not_count_as_a_new_one(machines, minds, clock):
    one, two = machines
    await anyio.to_thread.run_sync(one.keep, "t1")
    await anyio.to_thread.run_sync(two.shared.list_minds)
    new_minds, by = NewMinds(minds, most_per_minute=1, clock=clock, count_elsewhere=None), Principal("a bot")
    await new_minds.check("eve", by=by)

    await new_minds.check(MIND, by=by)

    with pytest.raises(RateLimited):
        await new_minds.check("zoe", by=by)


async def test_a_machine_that_was_out_of_reach_for_too_long_says_nothing_that_may_be_erased(
    machines, clock, database_url, tmp_path
):
    """Broken: while the database is away it answers from open minds, although others did not wait for it."""
    address = urlsplit(database_url).netloc.rpartition("@")[2]
    await anyio.to_thread.run_sync(machines[0].keep, "t1")
    with FaultProxy(address) as way:
        url = database_url.replace(address, f"127.0.0.1:{way.port}")
        with closing(Database(url, connections=4)) as database:
            database.open()
            machine = Machine(database, tmp_path / "far")
            minds = minds_of(machine, clock)
            with sharing(machine.home, machine.shared):
                mind = await minds.find(MIND)
                way.mode = "reset"
                assert await minds.find(MIND) is mind

                minds.copies.distrust()
                with pytest.raises(DatabaseUnavailable):
                    await minds.find(MIND)

                minds.copies.trust()
                assert await minds.find(MIND) is mind
                await minds.close()
