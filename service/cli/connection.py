"""
The one way to reach memory: a service at an address, else the one that runs on the home, else the home itself.

A home on which no service runs is opened in this process, for one command alone. A host that lives for days shares the
home instead: see ``commands/mcp.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Concatenate, Protocol
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import httpx2
from mind_memory_client import AsyncMemoryClient, Mind, MindMemoryError, RequestRefused, RetryPolicy, errors
from mind_memory_client.service_status import MindStatus, ServiceStatus
from pydantic import SecretStr
from rich.console import Console

from consolidation.kernel.errors import HomeLocked
from consolidation.workspace import DEFAULT_MIND, minds_under, workspace_of
from service.access.addresses import is_loopback
from service.adapters.in_process_transport import InProcessTransport
from service.cli.command import CommandFailed, Context, make_home
from service.cli.output.progress import bar
from service.cli.output.terminal import note, one_line, out, shortened, show_json
from service.mind.own_settings import OwnSettingsFile
from service.observability.dependency_health import GRAPH, NO_TROUBLE, WARM_UP
from service.runtime.service_file import Presence, find_service
from service.settings.loading import read_key, read_url
from service.settings.settings import Settings

type Address = tuple[str, SecretStr]  # of a service, and the key that it wants: empty for none

# A person at a terminal is told at once that something fails. Only a service that is asked too often is given time.
_POLICY = RetryPolicy(max_attempts=100, total_seconds=60, retries_failures=False)
_OWN_POLICY = RetryPolicy(max_attempts=1, total_seconds=3600)  # nothing lies between; a large home takes its time
_MOST_NAMES = 10
_PAGE = 500  # minds of one answer
_LOOK_SECONDS = 3
_LOADING_SECONDS, _POLL_SECONDS = 15, 0.05
_START_SERVE = "start it with `mind-memory serve`"
_OF_ALL_MINDS = "it needs a key for all minds, or a service that is not older than this command"
_USE_KEY = "put one into MIND_MEMORY_KEY (`mind-memory keys create` on its machine makes it)"


class Http(httpx2.AsyncClient):
    """Remembers the last answer."""

    last: httpx2.Response

    async def send(self, *args: Any, **how: Any) -> httpx2.Response:  # noqa: ANN401 - as httpx2 calls it
        """Send a request."""
        self.last = await super().send(*args, **how)
        return self.last


@dataclass(frozen=True, slots=True)
class Connection:
    """A service that answers: its client, its name for people, and whether its home is open in this process."""

    memory: AsyncMemoryClient
    place: str
    http: Http
    is_own: bool = False

    @property
    def answer(self) -> Any:  # noqa: ANN401 - JSON
        """The last answer as it is, with nothing added or left out."""
        return self.http.last.json()

    def show[**P](
        self,
        context: Context,
        in_words: Callable[Concatenate[Console, P], None],
        *found: P.args,
        **how: P.kwargs,
    ) -> None:
        """Print the last answer as it is, where JSON is wanted; else *found*, which was read of it, *in_words*."""
        if context.as_json:
            show_json(self.answer)
        else:
            in_words(out(), *found, **how)

    def explain(self, error: MindMemoryError) -> str:
        """What went wrong, in a sentence for a person."""
        match error:
            case errors.TimedOut():
                words = "did not answer in time; check whether it is overloaded"
            case errors.Unreachable(was_sent=True):
                words = f"does not answer any more: {one_line(str(error))}"
            case errors.Unreachable():
                words = f"does not answer; {_START_SERVE}"
            case errors.UnexpectedAnswer():
                words = f"answered, but not as mind-memory does: {one_line(str(error))}"
            case errors.Unauthenticated():
                words = f"needs a valid key: {_USE_KEY}"
            case errors.RateLimited():
                words = "is asked too often: try again later"
            case errors.NotFound(detail=("" | "Not Found")):
                words = f"shows no such thing to this call: {_OF_ALL_MINDS}"
            case _:
                refusal = error.detail or error.title if isinstance(error, RequestRefused) else str(error)
                return refusal.removeprefix("#/").removeprefix("query/")  # the field alone: nobody here wrote a request
        return f"{self.place} {words}"


@asynccontextmanager
async def connect(context: Context, *, is_quiet: bool = False, makes_home: bool = False) -> AsyncIterator[Connection]:
    """
    Lend a connection. Without *is_quiet*, it is said when the home is opened for this command.

    A home that ``--home`` names is only made with *makes_home*. Raises CommandFailed where nothing answers at the
    address, where another command has the home, and in the place of each MindMemoryError that leaves the block.
    """
    may_be_made = makes_home or context.url is not None
    settings = context.settings() if may_be_made else context.settings_of_home()
    async with _reached(settings, url=context.url) as connection:
        try:
            if connection.is_own and settings.falkordb_url is None:
                with bar("opening"):
                    await _until_loaded(connection.memory)
            if connection.is_own and not is_quiet:
                alone = "it is open in this command alone, until it ends"
                shared = "this command works on the database by itself, beside the services that share it"
                note(f"No service runs on {connection.place}: {alone if settings.database is None else shared}.")
            yield connection
        except errors.MindNotFound as error:
            raise CommandFailed(connection.explain(error) + await which_there_are(connection.memory)) from error
        except MindMemoryError as error:
            raise CommandFailed(connection.explain(error)) from error


@asynccontextmanager
async def open_home(settings: Settings, *, silent: Presence | None = None) -> AsyncIterator[Connection]:
    """The whole service in this process, without a port. *silent* is a service that is there and does not answer."""
    make_home(settings)
    async with AsyncExitStack() as opened:
        try:
            with bar("opening"):
                connection = await _opened(settings, opened)
        except HomeLocked as error:
            raise CommandFailed(_home_in_use(settings.folder, silent, error)) from error
        try:
            yield connection
        finally:
            with bar("closing"):
                await opened.aclose()


async def _opened(settings: Settings, opened: AsyncExitStack) -> Connection:
    """A connection to the home, which *opened* closes. Raises HomeLocked."""
    from service.app import create_app

    app = create_app(settings)
    state: Any = await opened.enter_async_context(app.router.lifespan_context(app))
    token = state["memory"].authenticator.owner_token.get_secret_value()
    transport = InProcessTransport(app, state=state)
    http = await opened.enter_async_context(Http(transport=transport))
    memory = AsyncMemoryClient("http://memory", key=token, retry=_OWN_POLICY, http=http)
    return Connection(memory, shortened(settings.folder), http, is_own=True)


@asynccontextmanager
async def connection_to(address: Address) -> AsyncIterator[Connection]:
    """A connection to *address*, whether anything answers there or not. Raises CommandFailed for an invalid one."""
    url, key = address
    try:
        parts = urlsplit(url)  # as the client connects: no proxy to this machine, no certificates without TLS
        http = Http(trust_env=not is_loopback(parts.hostname or ""), verify=parts.scheme == "https")
        memory = AsyncMemoryClient(url, key=key.get_secret_value(), retry=_POLICY, http=http)
    except ValueError as error:
        raise CommandFailed(str(error)) from error
    async with http, memory:
        yield Connection(memory, url, http)


def find_address(settings: Settings, *, url: str | None) -> Address | None:
    """The service at *url*, with the key of the environment; without *url*, the one that runs on the home."""
    if url is not None:
        return url, read_key()
    present = find_service(settings.folder)
    return (present.url, present.token) if present is not None else None


def elsewhere(settings: Settings) -> str | None:
    """The address in ``MIND_MEMORY_URL``, unless that service runs on this home, or a home is named."""
    url, present = read_url(settings), find_service(settings.folder)
    return url if present is None or url is None or url.rstrip("/") != present.url.rstrip("/") else None


async def is_answered(context: Context) -> bool:
    """Whether a service answers, at the address or on the home. Opens nothing."""
    address = find_address(context.settings(), url=context.url)
    if address is None:
        return False
    async with connection_to(address) as connection:
        return await connection.memory.is_alive()


@asynccontextmanager
async def _reached(settings: Settings, *, url: str | None) -> AsyncIterator[Connection]:
    address = find_address(settings, url=url)
    if address is not None:
        async with connection_to(address) as connection:
            if await connection.memory.is_alive():
                yield connection
                return
            if url is not None:
                raise CommandFailed(await _why_not(connection.memory, url))
    async with open_home(settings, silent=find_service(settings.folder)) as connection:
        yield connection


class _Page(Protocol):
    @property
    def next_cursor(self) -> str | None: ...


async def pages[P: _Page](ask: Callable[[str | None], Awaitable[P]]) -> AsyncIterator[P]:
    """Every page of a list; *ask* gets the one behind a cursor. Raises MindMemoryError."""
    page = await ask(None)
    yield page
    while page.next_cursor is not None:
        page = await ask(page.next_cursor)
        yield page


async def status_of_all(connection: Connection, *, mind: str | None = None) -> tuple[ServiceStatus, dict[str, Any]]:
    """The status with the minds of all pages, or with one alone; and the same as it is. Raises MindMemoryError."""
    minds, as_they_are, ask = list[MindStatus](), list[Any](), connection.memory.status
    async for page in pages(lambda cursor: ask(mind=mind, limit=_PAGE, cursor=cursor)):
        minds += page.minds
        as_they_are += connection.answer["minds"]
    return page.model_copy(update={"minds": tuple(minds)}), {**connection.answer, "minds": as_they_are}


async def mind_or_none(memory: AsyncMemoryClient, mind: str) -> Mind | None:
    """What the service says of a mind; None where there is none yet. Raises MindMemoryError."""
    try:
        return await memory.mind(mind)
    except errors.MindNotFound:
        return None


async def mind_meant(context: Context, named: str | None) -> tuple[str, ZoneInfo | None]:
    """The mind that is *named*, or else the only one, or else the default one; and its own time zone."""
    settings = context.settings()
    if context.url is None and settings.database is None:
        mind = named or _only(tuple(islice(minds_under(settings.folder), 2)))
        own = OwnSettingsFile(workspace_of(settings.folder, mind).settings).read().own
        return mind, ZoneInfo(own.timezone) if own.timezone else None
    address, mind = find_address(settings, url=context.url), named or DEFAULT_MIND
    if address is not None:
        async with connection_to(address) as connection:
            with suppress(MindMemoryError, TimeoutError, ZoneInfoNotFoundError):  # the command meets what fails again
                async with asyncio.timeout(_LOOK_SECONDS):
                    mind = named or _only(await _names(connection.memory, most=2))
                    name = (await connection.memory.settings(mind)).settings.timezone.value
                    return mind, ZoneInfo(name) if name else None
    return mind, None


def _only(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else DEFAULT_MIND


async def _names(memory: AsyncMemoryClient, *, most: int) -> list[str]:
    found = await memory.request("GET", "/v1/minds", query={"limit": most})
    return [str(one["mind_id"]) for one in found["minds"]]


async def which_there_are(memory: AsyncMemoryClient) -> str:
    """The minds that could have been meant, as the end of a sentence; empty where there are none or none is shown."""
    with suppress(MindMemoryError):
        if names := await _names(memory, most=_MOST_NAMES + 1):
            more = ", …" if len(names) > _MOST_NAMES else ""
            return f". There are: {', '.join(names[:_MOST_NAMES])}{more}; choose one with --mind"
    return ""


async def _why_not(memory: AsyncMemoryClient, url: str) -> str:
    """Why the address is not that of a service, in a sentence for a person."""
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            await memory.request("GET", "/healthz")
    except (errors.Unreachable, TimeoutError):
        plain = f"http://{url.removeprefix('https://')}"
        if url.startswith("https://"):
            async with AsyncMemoryClient(plain, retry=_POLICY) as without_tls:
                if await without_tls.is_alive():
                    return f"the service at {url} does not speak TLS: write {plain}"
        return f"nothing answers at {url}: {_START_SERVE} there, or leave the address out"
    except MindMemoryError:
        pass
    return f"something else than mind-memory answers at {url}: check the address and the port"


def still_loads(parts: Mapping[str, str]) -> bool:
    """Whether a part that takes time to load is not ready. Waiting mends no other, such as a model without a key."""
    return any(parts.get(name, NO_TROUBLE) != NO_TROUBLE for name in (GRAPH, WARM_UP))


async def _until_loaded(memory: AsyncMemoryClient) -> None:
    """Give an embedded graph, just started, the time to load; a large one goes on loading beside the command."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LOADING_SECONDS):
            while still_loads((await memory.readiness()).parts):  # noqa: ASYNC110 - there is nothing else to wait for
                await asyncio.sleep(_POLL_SECONDS)


def _home_in_use(home: Path, silent: Presence | None, error: HomeLocked) -> str:
    if silent is None:
        rest = "wait until it ends, or run `mind-memory serve`, which all commands can share"
        who = str(error).partition("; ")[0].partition(" is in use by ")[2]
        return f"{shortened(home)} is in use by {who}: {rest}"
    rest = f"which does not answer at {silent.url}: wait a moment, or end it with `kill {silent.pid}`"
    return f"{shortened(home)} belongs to the service with process id {silent.pid}, {rest}"
