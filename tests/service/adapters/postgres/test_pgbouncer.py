"""Behind a PgBouncer that lends a connection for one transaction: nothing may need the session. Skipped where there is none."""

import os
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from consolidation.kernel.sharing_errors import DatabaseUnavailable
from service.adapters.postgres.custody import PostgresCustody
from service.adapters.postgres.database import Database
from tests.support.free_ports import free_port
from tests.support.postgres import AS_NOBODY, ROLE, name_for, own_folder
from tests.support.waiting import end, until

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="no pgbouncer on this machine")
LATER = 20.0
CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users
logfile = {folder}/log
pidfile = {folder}/bouncer.pid
pool_mode = transaction
default_pool_size = 2
"""


@pytest.fixture
def bounced_url(database_url, postgres, request):
    """The database through two connections that all share; so a session's state would show to others."""
    port = free_port()
    folder = postgres.server.data.parent / name_for(request.node.nodeid)  # its guard ends this one, too
    own_folder(folder)
    users, configuration, log = folder / "users", folder / "ini", folder / "log"
    users.write_text(f'"{ROLE}" "{postgres.server.password}"\n')
    configuration.write_text(CONFIGURATION.format(server_port=postgres.server.port, port=port, folder=folder))
    process = subprocess.Popen([PGBOUNCER, "-q", configuration], cwd=folder, **AS_NOBODY)
    try:
        until(lambda: _listens(port), seconds=30, said=log.read_text)
        yield database_url.replace(postgres.server.address, f"127.0.0.1:{port}")
    finally:
        end(process)


@pytest.fixture
def bounced(bounced_url):
    with closing(Database(bounced_url, connections=8)) as found:
        found.open()
        yield found


def count_up(database):
    with database.transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("UPDATE minds SET version = version + %s WHERE mind_id = %s", (1, "ada"))


def test_many_sessions_share_few_connections(bounced):
    with bounced.transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("INSERT INTO minds (mind_id, has_work) VALUES ('ada', true)")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(count_up, [bounced] * 100))

    with bounced.read_transaction(deadline_seconds=LATER) as cursor:
        assert cursor.execute("SELECT version FROM minds").fetchall() == [(100,)]
        assert cursor.execute("SELECT count(*) FROM pg_prepared_statements").fetchall() == [(0,)]


def test_custody_is_kept_through_it(bounced, database):
    with database.transaction(deadline_seconds=LATER) as cursor:
        cursor.execute("INSERT INTO minds (mind_id, has_work) VALUES ('ada', true)")
    one, two = PostgresCustody(bounced), PostgresCustody(database)
    one.renew()
    two.renew()

    assert set(one.claim(8)) == {"ada"}
    assert two.claim(8) == {}


def test_limits_end_with_their_transaction(bounced):
    with pytest.raises(DatabaseUnavailable), bounced.transaction(deadline_seconds=0.3) as cursor:
        cursor.execute("SELECT pg_sleep(60)")

    for _ in range(4):
        with bounced.read_transaction(deadline_seconds=LATER) as cursor:
            assert cursor.execute("SHOW statement_timeout").fetchall()[0][0] > "1"
            cursor.execute("SELECT pg_sleep(.2)")  # it would not fit into what was left of the limit above


def _listens(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
