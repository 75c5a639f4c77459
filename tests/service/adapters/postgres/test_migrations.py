"""The tables are brought forward once, whoever starts at the same moment and whoever is killed meanwhile."""

import json
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest

from consolidation.kernel.errors import ConfigurationFault
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import Migration, migrate, shipped
from tests.support.paths import ROOT
from tests.support.postgres import name_for
from tests.support.waiting import until

LATER = 30.0
STEPS = (
    Migration(1, "one", "CREATE TABLE one (a int); INSERT INTO one VALUES (1)"),
    Migration(2, "two", "CREATE TABLE two (a int); SELECT pg_sleep(.2); INSERT INTO two VALUES (2)"),
    Migration(3, "three", "INSERT INTO one SELECT a FROM two"),
)
REPLICA = """
import json, sys
from contextlib import closing
from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import Migration, migrate
steps = tuple(Migration(*step) for step in json.loads(sys.argv[2]))
with closing(Database(sys.argv[1])) as database:
    database.open()
    print("ready", flush=True)
    sys.stdin.readline()
    print(migrate(database, migrations=steps))
"""


@pytest.fixture
def database_url(postgres, request):
    with postgres.fresh(name_for(request.node.nodeid), is_migrated=False) as url:
        yield url


@pytest.fixture
def database(database_url):
    with closing(Database(database_url)) as found:
        found.open()
        yield found


def rows(database, statement):
    with database.read_transaction(deadline_seconds=LATER) as cursor:
        return cursor.execute(statement).fetchall()


def versions(database):
    return [version for (version,) in rows(database, "SELECT version FROM schema_versions ORDER BY version")]


@contextmanager
def replica(url, steps):
    """A process that is ready to migrate once a line is sent to it."""
    words = [sys.executable, "-c", REPLICA, url, json.dumps([(s.version, s.name, s.statements) for s in steps])]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_an_empty_database_gets_every_table_once(database):
    assert migrate(database) == len(shipped())
    assert migrate(database) == 0

    assert versions(database) == list(range(1, len(shipped()) + 1))
    assert rows(database, "SELECT count(*) FROM minds, replicas") == [(0,)]


def test_the_files_are_numbered_without_a_gap():
    assert [one.version for one in shipped()] == list(range(1, len(shipped()) + 1))


def test_three_replicas_that_start_at_once_take_turns(database, database_url):
    with (
        replica(database_url, STEPS) as one,
        replica(database_url, STEPS) as two,
        replica(database_url, STEPS) as three,
    ):
        for each in (one, two, three):
            each.stdin.write("\n")
            each.stdin.flush()
        applied = [int(each.communicate(timeout=LATER)[0]) for each in (one, two, three)]

    assert sum(applied) == len(STEPS)
    assert versions(database) == [1, 2, 3]
    assert rows(database, "SELECT a FROM one ORDER BY a") == [(1,), (2,)]


def test_a_replica_that_is_killed_within_a_step_has_not_done_it(database, database_url):
    slow = (STEPS[0], Migration(2, "two", "CREATE TABLE two (a int); SELECT pg_sleep(4); INSERT INTO two VALUES (2)"))
    sleeping = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    with replica(database_url, slow) as killed:
        killed.stdin.write("\n")
        killed.stdin.flush()
        until(lambda: rows(database, sleeping))
        killed.kill()

    assert versions(database) == [1]
    assert rows(database, "SELECT to_regclass('two')") == [(None,)]
    assert migrate(database, migrations=STEPS) == 2
    assert rows(database, "SELECT a FROM one ORDER BY a") == [(1,), (2,)]


def test_a_step_that_fails_leaves_nothing(database):
    with pytest.raises(DatabaseUnavailable):
        migrate(
            database, migrations=(STEPS[0], Migration(2, "bad", "CREATE TABLE b (a int); SELECT * FROM no_such_table"))
        )

    assert "no_such_table" in database.trouble
    assert versions(database) == [1]
    assert rows(database, "SELECT to_regclass('b')") == [(None,)]


def test_a_database_that_is_newer_is_refused(database):
    migrate(database, migrations=STEPS)

    with pytest.raises(ConfigurationFault, match="of version 3, and this mind-memory knows them up to version 2"):
        migrate(database, migrations=STEPS[:2])
