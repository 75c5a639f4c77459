"""A primary and a standby: promotions, what waits for a standby that is gone, and servers that hang."""

from contextlib import closing, suppress
from concurrent.futures import ThreadPoolExecutor

import pytest

from consolidation.kernel.shared_files import sharing
from consolidation.kernel.clock import SystemClock
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.log import Transcript
from consolidation.workspace import TEXT_INDEX
from service.adapters.postgres.custody import PostgresCustody
from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import migrate
from service.adapters.postgres.shared_home import PostgresHome
from service.ports.shared_home import SnapshotFile
from tests.support.postgres import name_for
from tests.support.shared_machines import Machine
from tests.support.waiting import until

SOON, LATER = 0.5, 20.0


@pytest.fixture
def reports():
    return []


@pytest.fixture
def database(pair, request, reports):
    name = name_for(request.node.nodeid)
    pair.primary.create_database(name)
    with closing(Database(pair.url(name), report=reports.append, connections=4)) as found:
        found.open()
        migrate(found, deadline_seconds=LATER)
        yield found


def insert(database, mind_id, *, seconds=LATER):
    with database.transaction(deadline_seconds=seconds) as cursor:
        cursor.execute("INSERT INTO minds (mind_id) VALUES (%s) ON CONFLICT DO NOTHING", (mind_id,))


def minds(database, *, seconds=LATER):
    with database.read_transaction(deadline_seconds=seconds) as cursor:
        return {mind for (mind,) in cursor.execute("SELECT mind_id FROM minds").fetchall()}


def test_a_promotion_is_found_without_a_restart(database, pair):
    insert(database, "ada")

    pair.primary.kill()
    with pytest.raises(DatabaseUnavailable):
        insert(database, "bo", seconds=SOON)
    pair.promote(is_strict=False)

    until(lambda: _is_done(lambda: insert(database, "bo")))
    assert minds(database) == {"ada", "bo"}


def test_a_commit_waits_for_a_standby_no_longer_than_its_deadline(database, pair):
    pair.standby.kill()

    with pytest.raises(DatabaseUnavailable, match="whether it was stored is not known"):
        insert(database, "ada", seconds=SOON)

    assert minds(database) == set()  # nobody sees what stands on one machine only


def test_who_reads_is_not_kept_by_those_who_wait_for_a_standby(database, pair):
    pair.standby.kill()

    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(insert, database, f"m{number}", seconds=SOON) for number in range(8)]
    assert [type(one.exception()) for one in done] == [DatabaseUnavailable] * 8

    assert minds(database) == set()
    assert 0 < len(pair.waiting_commits()) <= 3  # of four connections: one is never lent to a writer


def test_what_waited_is_there_when_a_standby_comes_back(database, pair, reports):
    pair.standby.kill()
    with ThreadPoolExecutor(3) as threads:
        done = [threads.submit(insert, database, f"m{number}", seconds=SOON) for number in range(3)]
    assert [type(one.exception()) for one in done] == [DatabaseUnavailable] * 3
    assert minds(database) == set()
    assert len(reports) == 1  # that somebody can read does not end the trouble

    pair.rejoin()

    until(lambda: _is_done(lambda: insert(database, "after")))
    assert minds(database) == {"m0", "m1", "m2", "after"}
    assert reports[1:] == [None]


def test_a_commit_whose_wait_was_cancelled_is_in_doubt(database, pair):
    pair.standby.kill()

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(insert, database, "ada")
        pair.cancel_waiting_commits()

    assert isinstance(done.exception(), DatabaseUnavailable)
    assert "whether it was stored is not known" in str(done.exception())
    assert minds(database) == {"ada"}  # as PostgreSQL has it: everybody sees it, and a failover would lose it


def test_both_lost_is_an_outage_and_no_hang(database, pair):
    pair.standby.kill()
    pair.primary.kill()

    for ask in (lambda: insert(database, "ada", seconds=SOON), lambda: minds(database, seconds=SOON)):
        with pytest.raises(DatabaseUnavailable):
            ask()


def test_a_primary_that_hangs_is_an_outage_and_no_hang(database, pair):
    insert(database, "ada")

    pair.primary.freeze()
    for ask in (lambda: insert(database, "bo", seconds=SOON), lambda: minds(database, seconds=SOON)):
        with pytest.raises(DatabaseUnavailable):
            ask()
    pair.primary.thaw()

    until(lambda: _is_done(lambda: insert(database, "bo")))


def test_a_primary_that_becomes_read_only_is_an_outage_until_it_is_none(database, pair):
    insert(database, "ada")

    pair.primary.set("default_transaction_read_only", "on")
    try:
        with pytest.raises(DatabaseUnavailable):
            insert(database, "bo", seconds=SOON)
    finally:
        pair.primary.set("default_transaction_read_only", "off")

    until(lambda: _is_done(lambda: insert(database, "bo")))


def test_a_pair_needs_no_warning(database):
    assert database.check_standbys(deadline_seconds=LATER) is True


def _is_done(act):
    try:
        act()
    except DatabaseUnavailable:
        return False
    return True


def test_a_copy_forgets_what_only_the_lost_primary_had(database, pair, tmp_path):
    """A commit whose wait was cancelled is shown to everybody, and is gone once the standby is promoted."""
    machine = Machine(database, tmp_path / "one")
    with sharing(machine.home, machine.shared):
        machine.keep("t1")
        pair.standby.stop()
        with ThreadPoolExecutor(1) as pool:
            lost = pool.submit(machine.keep, "lost")
            pair.cancel_waiting_commits()
            with pytest.raises(DatabaseUnavailable):
                lost.result()
        assert machine.bring_up().has_turns
        assert b'"turn_id":"lost"' in (machine.workspace.transcript / "2026-01.jsonl").read_bytes()
        pair.primary.kill()  # first: a standby that finds it gets what it lacks
        pair.standby.start()
        pair.promote(is_strict=False)

        [kept] = until(lambda: _kept(machine, "t2"))

        assert kept.kept.sequence == 2
        assert machine.bring_up().is_anew
        machine.shared.renew("ada")
        log = (machine.workspace.transcript / "2026-01.jsonl").read_bytes()
        assert (b'"turn_id":"lost"' in log, b'"turn_id":"t2"' in log) == (False, True)


def test_full_text_of_a_past_that_a_promotion_ended_is_not_stored(database, pair, tmp_path):
    """Broken: a copy of before the promotion may have turns that the new primary never had."""
    one = Machine(database, tmp_path / "one", snapshot=SnapshotFile(TEXT_INDEX, 1))
    with sharing(one.home, one.shared):
        one.keep("t1")
        one.custody.claim_one("ada")
        one.bring_up()
        pair.primary.kill()
        pair.promote(is_strict=False)
        until(lambda: _is_done(lambda: one.shared.keep_snapshot("ada", b"of before", reach=1)))

        assert one.shared.snapshot_reach("ada") == 0
        one.bring_up()
        one.shared.renew("ada")
        one.shared.keep_snapshot("ada", b"of now", reach=1)

        assert one.shared.snapshot_reach("ada") == 1


def _kept(machine, turn_id):
    with suppress(DatabaseUnavailable):
        return machine.keep(turn_id)
    return None


@pytest.mark.anyio
async def test_a_turn_that_stands_on_one_machine_only_is_answered_once_another_one_has_it(database, pair, tmp_path):
    """Its commit was cancelled while it waited for the standby, so that everybody sees it; a failover would lose it."""
    turns = PostgresHome(database, home=tmp_path, custody=PostgresCustody(database)).turns_of("ada")
    turn = Turn("t1", "s1", (Message(Speaker.USER, "My sister Ines moved to Lyon."),))
    transcript = await Transcript(tmp_path / "minds/ada/transcript", clock=SystemClock(), shared=turns).open()
    pair.standby.kill()
    with ThreadPoolExecutor() as pool:
        stored = pool.submit(turns.append, [(turn, 3)], at=SystemClock().now(), as_seen=frozenset())
        pair.cancel_waiting_commits()
        with pytest.raises(DatabaseUnavailable):
            stored.result()
    turns._home.bring_up("ada", seconds=LATER)
    await transcript.follow()
    assert transcript.positions.last == 1

    with pytest.raises(DatabaseUnavailable):
        await transcript.append(turn, tokens=3)
    pair.rejoin()
    accepted = await transcript.append(turn, tokens=3)

    assert (accepted.kept.sequence, accepted.is_new) == (1, False)


def test_an_outage_of_the_standby_goes_on_until_a_write_stands_on_two_machines(database, pair, reports):
    """Broken: a commit that wrote nothing, and so waits for nobody, counts as a write; or a late statement as the trouble."""
    custody = PostgresCustody(database)
    custody.renew()
    pair.standby.kill()

    with pytest.raises(DatabaseUnavailable):
        custody.renew()
    for _ in range(3):
        custody.claim(8)  # there is nothing to claim
        custody.erased(SystemClock().now())
        with pytest.raises(DatabaseUnavailable), database.transaction(deadline_seconds=SOON) as cursor:
            cursor.execute("SELECT pg_sleep(60)")
        minds(database)
    assert [bool(one) for one in reports] == [True]

    pair.rejoin()
    until(lambda: _is_done(custody.renew))
    assert [bool(one) for one in reports] == [True, False]
