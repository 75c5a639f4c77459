"""Transactions on one PostgreSQL: what is committed, what is undone, and what a deadline ends."""

import threading
from contextlib import closing

import psycopg
import pytest
from structlog.testing import capture_logs

from consolidation.kernel.errors import ConfigurationFault
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres.database import Database

SOON, LATER = 0.3, 20.0  # deadlines: one that is missed on purpose, and one that is not


def insert(database, mind_id, *, seconds=LATER):
    with database.transaction(deadline_seconds=seconds) as cursor:
        cursor.execute("INSERT INTO minds (mind_id) VALUES (%s)", (mind_id,))


def minds(database):
    with database.read_transaction(deadline_seconds=LATER) as cursor:
        return {mind for (mind,) in cursor.execute("SELECT mind_id FROM minds").fetchall()}


def test_a_block_that_ends_is_committed(database):
    insert(database, "ada")

    assert minds(database) == {"ada"}


def test_a_block_that_raises_is_undone(database):
    with pytest.raises(LookupError), database.transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("INSERT INTO minds (mind_id) VALUES ('ada')")
        raise LookupError

    assert minds(database) == set()


def test_what_a_statement_does_wrong_is_not_an_outage(database, reports):
    insert(database, "ada")

    with pytest.raises(psycopg.errors.UniqueViolation):
        insert(database, "ada")

    insert(database, "bo")
    assert (minds(database), reports) == ({"ada", "bo"}, [])


def test_an_error_that_a_block_ignores_is_not_taken_for_a_commit(database):
    insert(database, "ada")

    with (
        pytest.raises(psycopg.errors.InFailedSqlTransaction),
        database.transaction(deadline_seconds=LATER) as cursor,
    ):
        cursor.execute("INSERT INTO minds (mind_id) VALUES ('bo')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            cursor.execute("INSERT INTO minds (mind_id) VALUES ('ada')")

    assert minds(database) == {"ada"}


def test_a_reading_transaction_can_not_write(database):
    with pytest.raises(DatabaseUnavailable), database.read_transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("INSERT INTO minds (mind_id) VALUES ('ada')")

    assert minds(database) == set()


def test_a_statement_ends_with_the_deadline(database, reports):
    with (
        pytest.raises(DatabaseUnavailable, match="nothing was changed"),
        database.transaction(deadline_seconds=SOON) as cursor,
    ):
        cursor.execute("SELECT pg_sleep(60)")

    insert(database, "ada")
    assert reports == ["canceling statement due to statement timeout", None]


def test_a_lock_that_another_holds_is_waited_for_until_the_deadline_and_is_no_outage(database, reports):
    insert(database, "ada")
    taken, enough = threading.Event(), threading.Event()

    def hold():
        with database.transaction(deadline_seconds=LATER) as cursor:
            cursor.execute("SELECT 1 FROM minds FOR UPDATE")
            taken.set()
            enough.wait(LATER)

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(LATER)
    try:
        with pytest.raises(DatabaseUnavailable), database.transaction(deadline_seconds=SOON) as cursor:
            cursor.execute("UPDATE minds SET version = 1")
    finally:
        enough.set()
        holder.join()
    assert reports == []


def test_a_process_that_stops_within_a_transaction_holds_no_lock_beyond_its_deadline(database):
    insert(database, "ada")

    with pytest.raises(DatabaseUnavailable), database.transaction(deadline_seconds=SOON) as cursor:
        cursor.execute("UPDATE minds SET version = 1")
        with database.transaction(deadline_seconds=LATER) as other:  # waits for the one above to be ended
            other.execute("UPDATE minds SET version = 2")

    with database.read_transaction(deadline_seconds=LATER) as cursor:
        assert cursor.execute("SELECT version FROM minds").fetchall() == [(2,)]


def test_connections_that_broke_are_thrown_away_unnoticed(database, postgres, reports):
    with database.transaction(deadline_seconds=LATER), database.read_transaction(deadline_seconds=LATER):
        pass  # two connections are there
    with database.read_transaction(deadline_seconds=LATER) as cursor:
        name = cursor.connection.info.dbname
    postgres.server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", name)

    insert(database, "ada")

    assert (minds(database), reports) == ({"ada"}, [])


def test_a_connection_that_breaks_within_a_transaction_is_an_outage(database, postgres, reports):
    with pytest.raises(DatabaseUnavailable), database.transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("INSERT INTO minds (mind_id) VALUES ('ada')")
        postgres.server.ask("SELECT pg_terminate_backend(%s)", cursor.connection.info.backend_pid)
        cursor.execute("SELECT 1")

    assert minds(database) == set()
    assert [bool(one) for one in reports] == [True, False]


def test_nobody_knows_of_a_commit_whose_answer_was_lost(database, postgres):
    with (
        pytest.raises(DatabaseUnavailable, match="whether it was stored is not known"),
        database.transaction(deadline_seconds=LATER) as cursor,
    ):
        cursor.execute("INSERT INTO minds (mind_id) VALUES ('ada')")
        postgres.server.ask("SELECT pg_terminate_backend(%s, 10000)", cursor.connection.info.backend_pid)

    insert(database, "ada")  # the same again settles it


def test_nothing_is_prepared_on_the_server_and_nothing_stays_set(database):
    with database.transaction(deadline_seconds=LATER) as cursor:
        for _ in range(10):
            cursor.execute("SELECT mind_id FROM minds WHERE mind_id = %s", ("ada",))
        prepared = cursor.execute("SELECT count(*) FROM pg_prepared_statements").fetchall()
        connection = cursor.connection

    assert prepared == [(0,)]
    assert connection.execute("SHOW statement_timeout").fetchall() == [("0",)]


def test_it_opens_while_the_database_is_away(reports):
    with closing(Database("postgresql://memory:hidden@127.0.0.1:1/x", report=reports.append)) as database:
        database.open()

        with pytest.raises(DatabaseUnavailable):
            insert(database, "ada", seconds=SOON)
        with pytest.raises(DatabaseUnavailable):
            insert(database, "ada", seconds=SOON)

    assert len(reports) == 1
    assert "refused" in reports[0]


def test_a_refused_password_is_named_to_the_operator_and_not_shown(database_url, postgres, reports):
    url = database_url.replace(postgres.server.password, "wrong-one")
    with closing(Database(url, report=reports.append)) as database:
        database.open()

        with pytest.raises(DatabaseUnavailable):
            insert(database, "ada", seconds=SOON)

    [reason] = reports
    assert "password authentication failed" in reason
    assert "wrong-one" not in reason


def test_an_address_that_can_not_be_read_is_refused_and_not_quoted():
    with pytest.raises(ConfigurationFault, match="can not be read") as refused:
        Database("postgresql://memory:hidden@host/x?no_such=option")

    assert "hidden" not in str(refused.value)


def test_a_database_without_a_standby_is_warned_of(database):
    with capture_logs() as events:
        assert database.check_standbys(deadline_seconds=LATER) is False

    assert [one["event"] for one in events] == ["database.single"]


def test_a_closed_database_is_an_outage(database):
    database.close()

    with pytest.raises(DatabaseUnavailable):
        insert(database, "ada")


def test_tables_that_are_missing_are_an_outage_until_they_are_back(database, database_url, reports):
    with psycopg.connect(database_url, autocommit=True) as restoring:
        restoring.execute("ALTER TABLE minds RENAME TO away")
        with pytest.raises(DatabaseUnavailable):
            minds(database)
        with pytest.raises(DatabaseUnavailable):
            insert(database, "ada")
        restoring.execute("ALTER TABLE away RENAME TO minds")

    insert(database, "ada")

    assert reports == ['relation "minds" does not exist', None]
