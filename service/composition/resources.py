"""What every path is built of: home, clock, graph, models, embedder, minds, background jobs and telemetry."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from consolidation.kernel.errors import HomeFault, HomeLocked
from consolidation.kernel.files import FolderLock
from consolidation.kernel.links import make_private
from consolidation.kernel.ports import Role
from consolidation.kernel.release import installed_version
from consolidation.secrets.privacy_filter import PrivacyFilter
from consolidation.story.triggers import TriggerThresholds
from consolidation.workspace import workspace_of
from service.adapters.circuit_breaker import CircuitBreaker
from service.adapters.extractive_model import ExtractiveModel
from service.composition.embedder import choose_embedder
from service.composition.graphs import falkordb, start_embedded_server
from service.composition.models import open_models
from service.composition.shared_home import open_shared_home
from service.example.reader import ExampleReader
from service.ingest.extraction_prompts import EntityKind, TurnReaders
from service.ingest.nameless_speaker import names_said
from service.mind.common_graph import CommonGraph
from service.mind.events import MindEvents
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.mind.open_minds import OpenMinds
from service.mind.own_settings import zone_of
from service.observability.counters import Tally
from service.observability.dependency_health import DISK, EMBEDDER, GRAPH, Dependencies
from service.observability.model_usage import UsageLedger
from service.ports.graph import Leases
from service.ports.shared_home import SeveralMachines
from service.ports.spans import NoopSpans
from service.retrieval.embedding_cache import EmbeddingCache
from service.runtime.background import Background
from service.runtime.foreground import Foreground
from service.runtime.service_file import find_service
from service.settings.otlp_endpoint import shown
from service.workers.share import WHOLE

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AsyncExitStack
    from datetime import tzinfo
    from pathlib import Path

    from consolidation.kernel.ports import Clock, LanguageModel
    from service.adapters.falkordb.server import EmbeddedServer
    from service.adapters.otlp_spans import OtlpSpans
    from service.composition.graphs import GraphServer, OpenGraphs
    from service.composition.shared_home import SharedResources
    from service.mind.minds import Mind
    from service.ports.embedder import Embedder
    from service.ports.graph import EpochOf
    from service.ports.spans import Spans
    from service.settings.settings import Settings
    from service.workers.fleet import Fleet
    from service.workers.share import Share

_DRAIN_SECONDS = 4  # of the ten that container runtimes give; open calls have two, the graph the rest
_FLUSH_SECONDS = 2.0  # of the ten that container runtimes give


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What is counted, traced and known of dependencies: everything an operator can look at."""

    tally: Tally
    spans: Spans
    usage: UsageLedger
    dependencies: Dependencies


@dataclass(frozen=True, slots=True)
class Resources:
    """
    What the paths share, opened already; the stack it was opened on closes it.

    ``embedder`` remembers vectors it made lately; ``plain_embedder`` is the same one without that memory.
    ``graph_server`` is the graph's server, None where this process does not run one; ``is_graph_loading`` may be true
    all the same, of the one that the process in front runs. ``share`` says which minds are this process's, and
    ``fleet`` which other processes serve the home on this machine. ``several`` is the home in a database, which other
    machines serve too, and ``common_graph`` keeps all of them at the same graphs; None for a home of one machine.
    """

    clock: Clock
    minds: Minds
    background: Background
    foreground: Foreground
    models: Mapping[Role, LanguageModel]
    embedder: EmbeddingCache
    plain_embedder: Embedder
    graph_server: EmbeddedServer | None
    is_graph_loading: bool
    graphs: GraphServer
    privacy_filter: PrivacyFilter
    telemetry: Telemetry
    events: MindEvents
    share: Share
    fleet: Fleet | None
    several: SharedResources | None
    common_graph: CommonGraph | None


async def open_resources(
    settings: Settings,
    stack: AsyncExitStack,
    *,
    clock: Clock,
    embedder: Embedder | None,
    graphs: OpenGraphs | None,
    epoch_of: EpochOf | None,
    fleet: Fleet | None,
) -> Resources:
    """
    Open it all on *stack*. *embedder* takes the place of the configured one, and *graphs* that of FalkorDB's graphs.

    A worker of a *fleet* does not lock the home, which the process in front has, and uses the graph's server there.
    Raises HomeLocked, HomeFault, ConfigurationFault.
    """
    share = fleet.share if fleet is not None else WHOLE
    if not share.is_worker:
        _lock_home(settings.folder, stack)
    is_embedded = graphs is None and settings.falkordb_url is None
    server = await start_embedded_server(settings, stack) if is_embedded and not share.is_worker else None
    lent_url = fleet.graph_url if fleet is not None and share.is_worker else None
    telemetry = await _open_telemetry(settings, stack, clock=clock)
    background = Background(drain_seconds=_DRAIN_SECONDS)
    models = await stack.enter_async_context(
        open_models(settings, clock=clock, ledger=telemetry.usage, dependencies=telemetry.dependencies)
    )

    def breaker_of(name: str, rest_seconds: float) -> CircuitBreaker:
        return CircuitBreaker(telemetry.dependencies.get(name), rest_seconds=rest_seconds, background=background)

    plain_embedder = embedder or choose_embedder(
        settings, breaker=lambda: breaker_of(EMBEDDER, settings.embedder.rest_seconds)
    )
    cache = EmbeddingCache(plain_embedder, counts=telemetry.tally.texts)
    readers = _turn_readers(settings, models[Role.EXTRACTION], minds=lambda: minds)  # which come with graphs, below
    several = await open_shared_home(settings, stack, dependencies=telemetry.dependencies, tally=telemetry.tally)
    epoch_of = epoch_of or (several.epoch_of if several is not None else None)
    open_graphs = graphs or falkordb(
        settings,
        stack,
        embedded_url=server.url if server is not None else lent_url,
        breaker=breaker_of(GRAPH, settings.graph.rest_seconds),
        leases=Leases(epoch_of, telemetry.tally.fenced_write) if epoch_of is not None else None,
    )
    opened = open_graphs(readers=readers, embedder=cache)
    common_graph = (
        CommonGraph(several.custody, graphs=opened, health=telemetry.dependencies.get(GRAPH), background=background)
        if several is not None
        else None
    )
    minds = Minds(
        settings.folder,
        clock=clock,
        disk=telemetry.dependencies.get(DISK),
        gate=MindGate(),
        graph_of=opened.of,
        linked_folders=settings.story.linked_folders,
        limits=OpenMinds(
            settings.most_open_minds,
            settings.idle_mind_seconds,
            story=story_thresholds(settings),
            share=share,
            several=SeveralMachines(several.home, several.custody) if several is not None else None,
        ),
        is_at_work=background.is_at_work,
        keep_traces_days=settings.traces.keep_days,
    )
    stack.push_async_callback(minds.close)
    events = MindEvents(clock)
    minds.gate.when_closed(events.end)
    # Entered last, so left first: nothing runs any more when what it uses is closed.
    await stack.enter_async_context(background)
    if server is not None:
        background.start_daemon("embedded graph", server.watch)
    return Resources(
        clock=clock,
        minds=minds,
        background=background,
        foreground=Foreground(),
        models=models,
        embedder=cache,
        plain_embedder=plain_embedder,
        graph_server=server,
        is_graph_loading=not server.has_answered if server is not None else _is_lent_loading(fleet, lent_url),
        graphs=opened,
        privacy_filter=PrivacyFilter(settings.redact_secrets, settings.off_the_record_markers),
        telemetry=telemetry,
        events=events,
        share=share,
        fleet=fleet,
        several=several,
        common_graph=common_graph,
    )


def story_thresholds(settings: Settings) -> TriggerThresholds:
    """When a story is due: after how many tokens, how much quiet, and how long after a failure."""
    knobs = settings.story
    return TriggerThresholds(knobs.threshold_tokens, knobs.idle_seconds, knobs.retry_seconds)


def _turn_readers(settings: Settings, model: LanguageModel, *, minds: Callable[[], Minds]) -> TurnReaders:
    """What reads turns with *model*, as the settings of the service and of each mind say; *minds* are asked later."""
    example_reader = ExampleReader(ExtractiveModel())
    return TurnReaders(
        model,
        overrides=lambda mind_id: workspace_of(settings.folder, mind_id).prompts,
        spent=lambda mind_id, usage: minds().add_usage(mind_id, usage),
        kinds=tuple(EntityKind(one.name, one.description) for one in settings.entity_kinds),
        own_kinds=lambda mind_id: _own_kinds(minds().get(mind_id)),
        zone=lambda mind_id: _zone(minds().get(mind_id)),
        names_said=lambda mind_id, text: _names_said(minds().get(mind_id), text),
        own_model=lambda mind_id: example_reader if workspace_of(settings.folder, mind_id).is_example else None,
    )


def _is_lent_loading(fleet: Fleet | None, url: str | None) -> bool:
    """Whether the graph's server that the process in front lends at *url* still loads; False where it lends none."""
    return url is not None and fleet is not None and fleet.is_graph_loading


def _own_kinds(mind: Mind | None) -> tuple[EntityKind, ...] | None:
    """The kinds of entities that a mind's own settings name, as they were read last; None where they name none."""
    own = mind.settings.known.entity_kinds if mind is not None else None
    return None if own is None else tuple(EntityKind(one.name, one.description) for one in own)


def _zone(mind: Mind | None) -> tzinfo:
    return zone_of(mind) if mind is not None else UTC


def _names_said(mind: Mind | None, text: str) -> frozenset[str]:
    return names_said(mind, text) if mind is not None else frozenset()


def _lock_home(home: Path, stack: AsyncExitStack) -> None:
    """Take the home folder for this process. Raises HomeLocked, HomeFault."""
    lock = FolderLock(home)
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        make_private(home)
        is_ours = lock.take()
    except OSError as error:
        raise HomeFault(f"{home} can not be used ({error.strerror}): mend it, or set MIND_MEMORY_HOME") from error
    if not is_ours:
        raise HomeLocked(home_in_use(home, pid=lock.holder()))
    stack.callback(lock.release)


def home_in_use(home: Path, *, pid: int | None) -> str:
    """Who has a home, by its process id and its address as far as they are known, and what to do."""
    found = find_service(home)
    pid = found.pid if found is not None else pid
    who = f"another mind-memory, process {pid}" if pid is not None else "another mind-memory"
    where = f", at {found.url}" if found is not None else ""
    if found is not None and found.is_of_host:
        host = ", which an MCP host such as Claude Desktop started as `mind-memory mcp`"
        todo = "quit the host, or disable the server in it, and start it again when the service runs"
        return f"{home} is in use by {who}{where}{host}; {todo}, or set MIND_MEMORY_HOME to another folder"
    return f"{home} is in use by {who}{where}; stop it, or set MIND_MEMORY_HOME to another folder"


async def _open_telemetry(settings: Settings, stack: AsyncExitStack, *, clock: Clock) -> Telemetry:
    tally, dependencies = Tally(), Dependencies(monotonic=clock.monotonic)
    for name in (GRAPH, EMBEDDER, DISK):  # always listed, and before the models
        dependencies.get(name)
    spans = await stack.enter_async_context(_open_spans(settings, counts=tally.spans))
    return Telemetry(tally, spans, UsageLedger(), dependencies)


@asynccontextmanager
async def _open_spans(settings: Settings, *, counts: Counter[str]) -> AsyncIterator[Spans]:
    """Spans to the configured collector. Without one nothing is sent, nor imported. Raises ConfigurationFault."""
    endpoint = settings.traces_endpoint
    if endpoint is None:
        yield NoopSpans()
        return
    spans = await anyio.to_thread.run_sync(_build_otlp_spans, endpoint, counts)
    try:
        yield spans
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(spans.close, _FLUSH_SECONDS)


def _build_otlp_spans(endpoint: str, counts: Counter[str]) -> OtlpSpans:
    from service.adapters.otlp_spans import OtlpSpans

    return OtlpSpans(endpoint, shown=shown(endpoint), version=installed_version(), counts=counts)
