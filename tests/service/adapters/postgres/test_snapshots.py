"""A new copy of a mind begins with the full text that another machine made, unless that may hold what was erased."""

from contextlib import ExitStack

import pytest

from consolidation.kernel.files import remove_tree
from consolidation.kernel.shared_files import sharing
from consolidation.workspace import TEXT_INDEX
from service.ports.shared_home import SnapshotFile
from tests.support.shared_machines import MIND, Machine

FULL_TEXT = SnapshotFile(TEXT_INDEX, 17)
MADE = b"SQLite format 3 " * 1000


@pytest.fixture
def machine(database, tmp_path):
    """Makes machines on one database, by a name each."""
    with ExitStack() as stack:

        def made(name, *, snapshot=FULL_TEXT):
            found = Machine(database, tmp_path / name, snapshot=snapshot)
            stack.enter_context(sharing(found.home, found.shared))
            return found

        yield made


@pytest.fixture
def one(machine):
    """A machine that has claimed a mind of 60 turns and has stored its full text."""
    one = machine("one")
    one.keep(*(f"t{number}" for number in range(60)))
    one.custody.claim_one(MIND)
    one.bring_up()
    one.shared.keep_snapshot(MIND, MADE, reach=60)
    return one


def begun_with(machine):
    machine.bring_up()
    file = machine.workspace.text_index
    return file.read_bytes() if file.exists() else None


def test_a_new_copy_begins_with_what_another_machine_made(one, machine):
    two = machine("two")

    assert begun_with(two) == MADE
    assert two.shared.bring_up(MIND, seconds=5).files == frozenset()  # it is nobody's file, and no news


def test_a_copy_that_is_there_keeps_its_own(machine):
    one, two = machine("one"), machine("two")
    one.keep(*(f"t{number}" for number in range(60)))
    two.bring_up()
    one.custody.claim_one(MIND)
    one.bring_up()
    one.shared.keep_snapshot(MIND, MADE, reach=60)

    assert begun_with(two) is None


def test_full_text_of_another_format_is_left_alone(one, machine):
    assert begun_with(machine("two", snapshot=SnapshotFile(TEXT_INDEX, 18))) is None


def test_whoever_asks_is_told_how_far_it_goes(one, machine):
    assert machine("two").shared.snapshot_reach(MIND) == 60
    assert machine("three", snapshot=SnapshotFile(TEXT_INDEX, 18)).shared.snapshot_reach(MIND) == 0


@pytest.mark.anyio
async def test_what_was_made_before_an_erasure_is_gone_with_it(one, machine, database):
    await (await one.transcript()).erase([7])

    with database.read_transaction(deadline_seconds=5) as cursor:
        assert cursor.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)
    assert begun_with(machine("two")) is None


def test_what_an_earlier_version_left_behind_an_erasure_is_deleted(one, machine, database):
    with database.transaction(deadline_seconds=5) as cursor:
        cursor.execute("UPDATE minds SET generation = generation + 1 WHERE mind_id = %s", (MIND,))
    assert begun_with(machine("two")) is None

    one.shared.drop_old_snapshots([MIND])

    with database.read_transaction(deadline_seconds=5) as cursor:
        assert cursor.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)


@pytest.mark.anyio
async def test_what_is_made_from_a_copy_of_before_an_erasure_is_not_stored(one, machine):
    two = machine("two")
    two.custody.take(MIND)
    await (await two.transcript()).erase([7])
    one.custody.take(MIND)

    one.shared.keep_snapshot(MIND, MADE, reach=60)

    assert begun_with(machine("three")) is None


def test_who_has_lost_the_mind_stores_nothing(one, machine):
    two = machine("two")
    two.custody.take(MIND)

    one.shared.keep_snapshot(MIND, b"late", reach=60)

    assert begun_with(two) == MADE


def test_a_mind_that_is_erased_takes_it_along(one, machine, database):
    remove_tree(one.workspace.folder)

    with database.read_transaction(deadline_seconds=5) as cursor:
        assert cursor.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)
