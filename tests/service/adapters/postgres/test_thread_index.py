"""Threads in a database that several services write to at once, and that may be away."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres import mind_rows
from service.adapters.postgres.thread_index import PostgresThreadIndex
from tests.support.shared_machines import Machine
from tests.support.waiting import until

_WAITING = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"


@pytest.fixture
def index(database, tmp_path):
    Machine(database, tmp_path / "one").keep("t1")
    return PostgresThreadIndex(database)


def locker_of(database):
    """The last transaction that locked the mind's row, as every note does that writes."""
    with database.read_transaction(deadline_seconds=30) as cursor:
        return cursor.execute("SELECT xmax FROM minds WHERE mind_id = 'ada'").fetchall()


def test_no_entry_is_written_behind_an_erasure(index, database, database_url, postgres):
    name = database_url.rpartition("/")[2]
    with ThreadPoolExecutor(1) as pool:
        with database.transaction(deadline_seconds=30) as cursor:
            mind_rows.delete_mind(cursor, "ada")
            noted = pool.submit(index.note, "chat/1", mind_id="ada")
            until(lambda: postgres.server.ask(_WAITING, name))
        noted.result()

    assert index.minds_with("chat/1") == ()


def test_a_thread_that_is_noted_already_costs_no_commit(index, database):
    index.note("chat/1", mind_id="ada")
    before = locker_of(database)
    index.note("chat/1", mind_id="ada")

    assert locker_of(database) == before


def test_a_database_that_is_away_says_so(index, database):
    database.close()

    with pytest.raises(DatabaseUnavailable):
        index.minds_with("chat/1")
    with pytest.raises(DatabaseUnavailable):
        index.note("chat/1", mind_id="ada")
