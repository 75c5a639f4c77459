"""Opens a home that several machines share: the database, the copies in the home's folder, custody of minds."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import UUID

import anyio.to_thread

from consolidation.kernel.errors import ConfigurationFault, MemoryFault
from consolidation.kernel.files import replace_text
from consolidation.kernel.shared_files import sharing
from consolidation.kernel.sharing_errors import DatabaseUnavailable, Fenced
from consolidation.workspace import TEXT_INDEX, has_minds
from service.adapters.postgres.mind_list import minds_with_files
from service.index.text_store import VERSION
from service.mind.custodian import Custodian
from service.mind.full_text_snapshots import FullTextSnapshots
from service.mind.health import LaneName
from service.mind.trace_files import daily_name
from service.observability.dependency_health import DATABASE
from service.ports.database_address import shown_database
from service.ports.shared_home import SnapshotFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AsyncExitStack

    from service.adapters.postgres.custody import PostgresCustody
    from service.adapters.postgres.database import Database
    from service.adapters.postgres.shared_home import PostgresHome
    from service.adapters.postgres.thread_index import PostgresThreadIndex
    from service.composition.container import Memory
    from service.mind.minds import Mind
    from service.observability.counters import Tally
    from service.observability.dependency_health import Dependencies
    from service.settings.settings import Settings

_START_SECONDS = 10  # for the first answer of a database, which may just have been started
_LOOK_SECONDS = 60  # for a look at all files of all minds
_FULL_TEXT = SnapshotFile(TEXT_INDEX, VERSION)
_MARK = ".copies"
_REPLICA = ".replica"  # of the process that has the folder, as the others know it
_NOTE = (  # in the folder, for people
    "This folder holds copies of what is in a database. Do not edit them: no other service sees it, and it is lost "
    "when the copy is made anew. `mind-memory story edit` and `mind-memory mount` change what every service has.\n"
)


@dataclass(frozen=True, slots=True)
class SharedResources:
    """The database, the home in it, which of its minds this process works on, and where threads of Zep's API are."""

    database: Database
    home: PostgresHome
    custody: PostgresCustody
    thread_index: PostgresThreadIndex

    def epoch_of(self, mind_id: str) -> int:
        """The epoch under which this process writes to a mind's graph. Raises Fenced where the mind is not ours."""
        epoch = self.custody.held().get(mind_id)
        if epoch is None:
            raise Fenced(f"another process works on {mind_id!r} now")
        return epoch

    def with_traces_before(self, day: date) -> tuple[str, ...]:
        """The ids of minds that have traces from before *day*. It blocks. Raises DatabaseUnavailable."""
        first, before = daily_name(date.min), daily_name(day)
        with self.database.read_transaction(deadline_seconds=_LOOK_SECONDS) as cursor:
            return minds_with_files(cursor, first=first, before=before)


async def open_shared_home(
    settings: Settings, stack: AsyncExitStack, *, dependencies: Dependencies, tally: Tally
) -> SharedResources | None:
    """
    The home that the settings name a database for; None for a home of this machine alone, which holds no copies.

    Raises ConfigurationFault, DatabaseUnavailable, HomeFault.
    """
    if settings.database is None:
        _refuse_copies(settings.folder)
        return None
    _check(settings)
    # psycopg is not needed by a start without a database
    from service.adapters.postgres.custody import PostgresCustody
    from service.adapters.postgres.database import Database
    from service.adapters.postgres.shared_home import PostgresHome
    from service.adapters.postgres.thread_index import PostgresThreadIndex

    health, loop = dependencies.get(DATABASE), asyncio.get_running_loop()

    def report(trouble: str | None) -> None:
        """From any thread."""
        # Its end is reported, too, at the latest when custody is renewed.
        loop.call_soon_threadsafe(health.worked if trouble is None else partial(health.failed, trouble, stays=True))

    def refused(reason: str) -> None:
        """From any thread."""
        loop.call_soon_threadsafe(tally.refuse_write, reason)

    address = settings.database.get_secret_value()
    database = Database(address, report=report)
    database.open()
    stack.callback(database.close)
    await anyio.to_thread.run_sync(_prepare, database, address)
    await anyio.to_thread.run_sync(_clear, settings.folder)
    custody = PostgresCustody(database)
    await anyio.to_thread.run_sync(_succeed, custody, settings.folder)
    await anyio.to_thread.run_sync(custody.renew)
    stack.push_async_callback(anyio.to_thread.run_sync, _end, custody)
    is_told = bool(settings.webhooks.endpoints)
    home = PostgresHome(
        database, home=settings.folder, custody=custody, refused=refused, is_told=is_told, snapshot=_FULL_TEXT
    )
    stack.enter_context(sharing(settings.folder, home))
    await anyio.to_thread.run_sync(home.list_minds)
    return SharedResources(database, home, custody, PostgresThreadIndex(database))


@contextmanager
def files_of_home(settings: Settings) -> Iterator[Path]:
    """
    The folder with the files that belong to the home as a whole, such as keys and audit log, for a command.

    Of a home in a database, it is a copy of its own, which lasts as long as the block: what is written there is stored
    for every service. Raises ConfigurationFault, DatabaseUnavailable.
    """
    if settings.database is None:
        _refuse_copies(settings.folder)
        yield settings.folder
        return
    from service.adapters.postgres.custody import PostgresCustody
    from service.adapters.postgres.database import Database
    from service.adapters.postgres.shared_home import PostgresHome

    address = settings.database.get_secret_value()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mind-memory-"))).resolve()
        database = stack.enter_context(closing(Database(address)))
        database.open()
        _prepare(database, address)
        home = PostgresHome(database, home=folder, custody=PostgresCustody(database))  # it has claimed no mind
        stack.enter_context(sharing(folder, home))
        home.list_minds()
        yield folder


def start_custodian(memory: Memory, shared: SharedResources) -> None:
    """Begin to claim minds, and to work on them."""
    comparison = memory.webhooks.comparison if memory.webhooks is not None else None

    async def owes_dreams(mind: Mind) -> bool:
        with suppress(MemoryFault, OSError):
            return await memory.sleep.sleeper.is_owed(mind)
        return True  # what can not be read is tried again and again

    async def dream(mind: Mind) -> None:
        if memory.sleep.sleeper.is_time(mind.mind_id) and await owes_dreams(mind):
            memory.sleep.sleeper.begin(mind)

    def work(mind: Mind) -> None:
        memory.ingestion.wake(mind)
        memory.background.start(f"look at dreams {mind.mind_id}", lambda: dream(mind), owner=mind.mind_id)
        memory.background.start(f"look {mind.mind_id}", lambda: memory.story.scheduler.look(mind.mind_id))

    async def has_work(mind: Mind) -> bool:
        is_behind = mind.health.awaits_end_of_outage or any(mind.lag(lane) for lane in LaneName)
        is_at_work = memory.background.is_at_work(mind.mind_id) or mind.story.is_running
        is_untold = bool(mind.story.pending(mind.transcript.positions).turns)
        has_events = comparison is not None and comparison.has_news(mind.mind_id)
        return has_events or is_behind or is_untold or is_at_work or await owes_dreams(mind)

    custodian = Custodian(
        shared.custody,
        minds=memory.minds,
        background=memory.background,
        behind=shared.home.behind,
        chores=shared.home.list_minds,
        work=work,
        has_work=has_work,
        version_done=comparison.version_read if comparison is not None else shared.home.version,
        snapshots=FullTextSnapshots(shared.home),
    )
    memory.minds.custodian = custodian
    memory.background.start_daemon("lease of minds", custodian.stay_alive)
    memory.background.start_daemon("custody of minds", custodian.run)
    memory.background.start_daemon("vectors of minds elsewhere", memory.ingestion.follow)
    memory.background.start_daemon("erasures elsewhere", custodian.forget_what_was_erased)
    memory.background.start_daemon("erasures left", memory.erasure.adopt)


def _check(settings: Settings) -> None:
    """Raise ConfigurationFault where the settings ask for what a shared home can not do."""
    if settings.falkordb_url is None:
        raise ConfigurationFault(
            "MIND_MEMORY_DATABASE is for several machines, which need one graph: set FALKORDB_URL to its address"
        )
    if settings.workers > 1:
        raise ConfigurationFault("with MIND_MEMORY_DATABASE, start several services instead of MIND_MEMORY_WORKERS")


def _prepare(database: Database, address: str) -> None:
    """
    Bring the tables up to date, and warn where commits wait for no other machine.

    Raises ConfigurationFault, and DatabaseUnavailable, which says where and why, so that a wrong address is recognised.
    """
    from service.adapters.postgres.migrations import migrate

    try:
        database.check_standbys(deadline_seconds=_START_SECONDS)
        migrate(database)
    except DatabaseUnavailable as fault:
        reason = f"{shown_database(address)}: {database.trouble or fault}"
        raise DatabaseUnavailable(f"{reason}; start or mend it, or correct MIND_MEMORY_DATABASE") from fault


def _succeed(custody: PostgresCustody, home: Path) -> None:
    """Take the place of the process that had the folder before: it has ended, and its copies are deleted."""
    file = home / _REPLICA
    with suppress(FileNotFoundError, ValueError):
        custody.succeed(UUID(file.read_text(encoding="utf-8")))
    replace_text(file, str(custody.replica))


def _end(custody: PostgresCustody) -> None:
    with suppress(DatabaseUnavailable):
        custody.end()


def has_copies(home: Path) -> bool:
    """Whether the minds in *home* are copies of what is in a database, so that their files must not be edited."""
    return (home / _MARK).exists()


def _refuse_copies(home: Path) -> None:
    """
    Raise ConfigurationFault if a folder holds copies of a database that is not set now.

    The next start with the database deletes the copies, and with them whatever was stored here meanwhile.
    """
    if has_copies(home):
        raise ConfigurationFault(
            f"{home} holds copies of what is in a database, and the next start with that deletes them: set "
            "MIND_MEMORY_DATABASE as before, or MIND_MEMORY_HOME to another folder. If the database is lost for good, "
            f"delete {home / _MARK}: from then on, the copies are minds of this folder"
        )


def _clear(home: Path) -> None:
    """Delete the copies that an earlier process left. Raises ConfigurationFault where the folder holds minds."""
    mark = home / _MARK
    if not mark.exists():
        if has_minds(home):
            raise ConfigurationFault(
                f"{home} holds minds of its own, which are not in the database: set MIND_MEMORY_HOME to an empty "
                "folder, and bring them over with `mind-memory export` and `mind-memory import`"
            )
        replace_text(mark, _NOTE)
    for folder in ("minds", "derived", "anew"):
        shutil.rmtree(home / folder, ignore_errors=True)
