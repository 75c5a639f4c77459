"""The servers of a run end with it, also where it is killed, and its workers share one."""

import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.paths import ROOT
from tests.support.postgres import shared_postgres
from tests.support.postgres_guard import is_alive
from tests.support.waiting import GIVE_UP, until

# It looks whether it is to end in steps: a signal that comes just before a read that blocks would not end the read.
USER = """
import select
import sys
from pathlib import Path
from tests.support.postgres import postgres_pair, shared_postgres
def until_closed():
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        pass
with shared_postgres(Path(sys.argv[1])) as found:
    print(found.server.pid, found.server.data.parent.parent, flush=True)
    if sys.argv[2:]:
        with postgres_pair() as pair:
            print(pair.primary.pid, pair.standby.pid, pair.primary.data.parent.parent, flush=True)
            until_closed()
    until_closed()
"""


@contextmanager
def user(base, *words):
    with subprocess.Popen(
        [sys.executable, "-c", USER, base, *words], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_of_a_run_that_is_killed(tmp_path, how):
    with user(tmp_path, "with a pair") as process:
        *pids, shared = process.stdout.readline().split()
        *more, pair = process.stdout.readline().split()
        servers = [psutil.Process(int(pid)) for pid in (*pids, *more)]
        assert [one.name() for one in servers] == ["postgres"] * 3

        process.send_signal(how)
        process.wait(GIVE_UP)

        until(lambda: not any(is_alive(one) for one in servers))
        until(lambda: not Path(shared).exists() and not Path(pair).exists())


def test_workers_share_one_server_until_the_last_has_left(tmp_path):
    with user(tmp_path) as first:
        pid, _ = first.stdout.readline().split()
        with shared_postgres(tmp_path) as second:
            server = psutil.Process(int(pid))
            assert second.server.pid == server.pid
            first.kill()
            first.wait()

            assert second.server.ask("SELECT 1") == [(1,)]

    until(lambda: not is_alive(server))
    with shared_postgres(tmp_path) as third:
        assert third.server.ask("SELECT 1") == [(1,)]
