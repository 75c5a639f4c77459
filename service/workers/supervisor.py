"""
Starts the workers of a home, and starts one again that dies. They die with this process, whatever ends it.

A worker hears what it is to do on its standard input, which stays open: its end is the end of this process. On its
standard output it says one line: that it is ready, or why it can not be.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import ConfigurationFault
from service.runtime.tether import tether

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from service.workers.fleet import Fleet
    from service.workers.link import WorkerLink

log = structlog.get_logger()

_STOP_SECONDS = 9  # of the ten that container runtimes give
_FIRST_PAUSE, _LONGEST_PAUSE, _LONG_SECONDS = 0.1, 30.0, 60.0  # before a restart; after a long life, the first again
_LENGTH_BYTES = 4
READY = {"ready": True}


@dataclass(frozen=True, slots=True)
class Order:
    """What one worker is to do: serve its share, with values that only the program which it runs understands."""

    fleet: Fleet
    values: Mapping[str, object]

    def encoded(self) -> bytes:
        """The order as a worker reads it."""
        content = pickle.dumps(self)
        return len(content).to_bytes(_LENGTH_BYTES) + content


def read_order() -> Order:
    """The order that this process was started with."""
    length = int.from_bytes(sys.stdin.buffer.read(_LENGTH_BYTES))
    found = pickle.loads(sys.stdin.buffer.read(length))  # noqa: S301 - from the process that started this one
    assert isinstance(found, Order)  # noqa: S101 - there is no other
    return found


class Supervisor:
    """
    The workers, by number. ``run`` keeps them alive; ``stop`` ends them in order.

    *program* are the words that start a worker after Python's own.
    """

    def __init__(self, links: Sequence[WorkerLink], *, program: Sequence[str], orders: Sequence[Order]) -> None:
        self._links = links
        self._program = program
        self._orders = orders
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._watches: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start all, and return when all are ready. Raises ConfigurationFault with what the first that fails says."""
        try:
            async with asyncio.TaskGroup() as starts:
                for number in range(len(self._orders)):
                    starts.create_task(self._start(number))
        except* ConfigurationFault as faults:
            await self.stop()
            raise faults.exceptions[0] from None
        self._watches = [asyncio.create_task(self._watch(number)) for number in self._processes]

    async def stop(self) -> None:
        """End all, by force after some seconds."""
        for watch in self._watches:
            watch.cancel()
        running = [process for process in self._processes.values() if process.returncode is None]
        for process in running:
            with suppress(ProcessLookupError):
                process.terminate()
        if running:
            await asyncio.wait([asyncio.ensure_future(_ended(process)) for process in running])
        for link in self._links:
            link.close()

    async def _start(self, number: int) -> None:
        """Start one, and return when it is ready. Raises ConfigurationFault."""
        link = self._links[number]
        link.is_ready = False
        process = self._processes[number] = await asyncio.create_subprocess_exec(
            *tether(),
            sys.executable,
            *self._program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # so that Ctrl-C reaches only us, and we stop them in order
        )
        assert process.stdin is not None  # noqa: S101 - asked for
        assert process.stdout is not None  # noqa: S101 - asked for
        with suppress(OSError):
            process.stdin.write(self._orders[number].encoded())
            await process.stdin.drain()
        said = await process.stdout.readline()
        if not said:
            raise ConfigurationFault(f"worker {number} ended with {await process.wait()} while it was started")
        found = json.loads(said)
        if found != READY:
            await process.wait()
            raise ConfigurationFault(str(found["fault"]))
        link.close()
        link.is_ready = True
        log.info("worker.started", worker=number, pid=process.pid)

    async def _watch(self, number: int) -> None:
        """Start one again each time it dies, for ever; the pauses grow while it does not live for long."""
        pause, now = _FIRST_PAUSE, asyncio.get_running_loop().time
        while True:
            began, process = now(), self._processes[number]
            code = await process.wait()
            self._links[number].is_ready = False
            log.error("worker.died", worker=number, pid=process.pid, code=code)
            pause = _FIRST_PAUSE if now() - began > _LONG_SECONDS else min(pause * 2, _LONGEST_PAUSE)
            await asyncio.sleep(pause)
            try:
                await self._start(number)
            except (ConfigurationFault, OSError) as error:
                log.error("worker.not_started", worker=number, reason=str(error))  # noqa: TRY400 - foreseen


async def _ended(process: asyncio.subprocess.Process) -> None:
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


def sockets_of(folder: Path, workers: int) -> tuple[tuple[Path, ...], Path]:
    """Where the workers listen, and the process in front of them."""
    return tuple(folder / f"w{number}" for number in range(workers)), folder / "front"
