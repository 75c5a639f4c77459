"""A mind with turns, its graph in memory, and a pre-turn call in it: enough for the phases, made in milliseconds."""

from __future__ import annotations

from contextlib import asynccontextmanager

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.turns import Turn
from service.adapters.extractive_model import ExtractiveModel
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.ingest.episodes import as_episode, as_indexed
from service.ingest.extraction_lane import index_knowledge
from service.ingest.extraction_prompts import TurnReaders
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.observability.dependency_health import Dependency
from service.ports.graph import episode_uuid
from service.ports.spans import NoopSpans
from service.resonance.call import Deadline, PreTurnCall
from service.resonance.trace_recorder import TraceRecorder
from service.retrieval.moment import Moment, ResonanceRequest
from tests.support.fragments import NOON, message_of

EMBEDDER = HashingEmbedder()


def graphs_in_memory():
    """Graphs whose ``outage`` a test may set."""
    readers = TurnReaders(ExtractiveModel(), overrides=lambda mind_id: None, spent=lambda mind_id, usage: None)
    return MemoryGraphs(readers=readers, embedder=EMBEDDER)


@asynccontextmanager
async def mind_in(home, *turns, graphs=None):
    """
    A mind in which *turns* were digested, all of session ``s1``: each a text, or several texts or messages.

    They are in its transcript, its full text and its graph, with the facts and entities that no model is needed for.
    """
    clock = FixedClock(NOON)
    disk = Dependency("disk", monotonic=clock.monotonic, recovered=lambda: None)
    graphs = graphs or graphs_in_memory()
    minds = Minds(home, clock=clock, disk=disk, gate=MindGate(), graph_of=graphs.of)
    mind = await minds.find_or_create("ada")
    await mind.graph.prepare(embedder=await EMBEDDER.identity())
    for number, contents in enumerate(turns, start=1):
        said = (contents,) if isinstance(contents, str) else contents
        messages = tuple(message_of(one) if isinstance(one, str) else one for one in said)
        await mind.transcript.append(Turn(f"t{number}", "s1", messages), tokens=1)
    for stored in await mind.transcript.after(0, limit=1000):
        await _digest(mind, stored)
    try:
        yield mind
    finally:
        await minds.close()


async def _digest(mind, stored):
    uuid = episode_uuid(mind.mind_id, stored.turn.turn_id)
    indexed = as_indexed(stored, uuid=uuid, before=(), fallback="en")
    mind.text.add_turns((indexed,), cursor=stored.sequence)
    episode = as_episode(stored, uuid=uuid)
    rows = await EMBEDDER.embed([passage.text for passage in episode.passages])
    own = {passage.uuid: row for passage, row in zip(episode.passages, rows, strict=True)}
    await mind.graph.save(
        (episode,),
        own=own,
        leaning=own,
        after=(await mind.graph.progress()).saved,
        cursor=stored.sequence,
        turn_id=stored.turn.turn_id,
    )
    await mind.graph.begin_attempt(uuid)
    index_knowledge(mind, await mind.graph.extract(episode, previous=()), stored.sequence)


def call_of(mind, message, *, window=(), session_id="s2", seconds=None, clock=None, spans=None, **asked):
    """A call before *message* is answered, with *window* still in sight; no limit but *seconds*."""
    clock = clock or FixedClock(NOON)
    messages = (*window, message_of(message))
    request = ResonanceRequest(
        session_id=session_id,
        messages=messages,
        now=NOON,
        timezone=NOON.tzinfo,
        deadline_seconds=seconds,
        max_fragments=asked.pop("max_fragments", 5),
        max_tokens=asked.pop("max_tokens", 1200),
        relevance=asked.pop("relevance", 0.5),
        placement="tail",
    )
    is_off = asked.pop("is_off_the_record", False)
    moment = Moment(mind.mind_id, session_id, messages, message, window, "en", NOON, NOON.tzinfo, is_off)
    trace = TraceRecorder("trace", monotonic=clock.monotonic, spans=spans or NoopSpans())
    return PreTurnCall(mind, request, moment, Deadline(clock.monotonic, clock.monotonic(), seconds), trace)
