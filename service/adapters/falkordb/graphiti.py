"""
Graphiti's ``add_episode`` on our graph; every prompt, model call, vector and statement it needs is supplied by us.

Importing graphiti_core takes a second of CPU: import this module in a worker thread, after ``silence_graphiti``.
Graphiti's prompts are replaced by their bare context as JSON, so nothing is parsed out of prompt text.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.falkordb_driver import FalkorDriver
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.nodes import EpisodeType
from graphiti_core.prompts.lib import PROMPT_GROUPS, create_prompt_library
from graphiti_core.prompts.models import ChatPrompt, SystemMessage, UserMessage
from redis.exceptions import RedisError

from consolidation.kernel.errors import GraphFault, InvalidModelOutput, MemoryFault
from service.adapters.falkordb.graphiti_search import GraphitiSearch
from service.adapters.falkordb.graphiti_store import GraphitiStore
from service.adapters.falkordb.server_errors import translated
from service.ingest.extraction_prompts import KnownItem
from service.ingest.provenance import SHORTENED_SUMMARY, newest_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from falkordb.asyncio import FalkorDB
    from pydantic import BaseModel

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction
    from service.adapters.falkordb.leased_graph import LeasedGraph
    from service.index.mind_vectors import MindVectors
    from service.ingest.extraction_prompts import TurnReader
    from service.ports.embedder import Embedder
    from service.ports.graph import Episode

_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b", re.IGNORECASE)

logging.getLogger("graphiti_core").setLevel(logging.CRITICAL)  # it logs people's words at ERROR


async def add_episode(
    client: FalkorDB,
    graph: LeasedGraph,
    episode: Episode,
    *,
    previous: Sequence[Message],
    reader: TurnReader,
    embedder: Embedder,
    vectors: MindVectors,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Extract one saved episode. Return the uuids of the facts and of the entities that it touched, each once."""
    graphiti = Graphiti(
        graph_driver=_driver_on(client, graph, vectors, kind_of=reader.kind_of, at=episode.occurred_at),
        llm_client=_Reading(reader, episode, previous),
        embedder=_Vectors(embedder),
        cross_encoder=_Unused(),
        prompt_library=_CONTEXT_ONLY,
        max_coroutines=8,
    )
    try:
        result = await graphiti.add_episode(
            name=f"turn {episode.sequence}",
            episode_body=episode.text,
            source_description=episode.session_id,
            reference_time=episode.occurred_at,
            source=EpisodeType.message,
            group_id=graph.name,
            uuid=episode.uuid,
            previous_episode_uuids=[],  # what was said before comes from the transcript, with its speakers
        )
    except MemoryFault:
        raise
    except (RedisError, OSError) as error:
        raise translated(error) from error
    except Exception as error:  # Graphiti raises whatever its parts raise; here it becomes one of ours
        raise GraphFault(f"Graphiti could not take the episode: {type(error).__name__}: {error}") from error
    facts, entities = (dict.fromkeys(one.uuid for one in found) for found in (result.edges, result.nodes))
    return tuple(facts), tuple(entities)


class _Vectors(EmbedderClient):
    """Our embedder, asked once for each text of an episode; Graphiti asks twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, list[float]] = {}

    async def create(self, input_data: Any) -> list[float]:  # noqa: ANN401 - Graphiti's own signature
        """Embed one text."""
        text = input_data if isinstance(input_data, str) else next(iter(input_data))
        return (await self.create_batch([text]))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Embed texts, in order."""
        new = [text for text in dict.fromkeys(input_data_list) if text not in self._known]
        if new:
            rows = await self._embedder.embed(new)
            self._known.update((text, row.tolist()) for text, row in zip(new, rows, strict=True))
        return [self._known[text] for text in input_data_list]


class _Unused(CrossEncoderClient):
    """Stands in for the one that Graphiti would build, which needs a key; extraction never asks it."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Keep the order."""
        del query
        return [(passage, 0.0) for passage in passages]


class _Reading(LLMClient):
    """Answers each prompt of Graphiti from the reader of the turn, or by a rule where no model is needed."""

    def __init__(self, reader: TurnReader, episode: Episode, previous: Sequence[Message]) -> None:
        super().__init__(LLMConfig(model="ours", small_model="ours"))
        self._reader = reader
        self._episode = episode
        self._previous = previous
        self._answers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "ExtractedEntities": self._entities,
            "ExtractedEdges": self._facts,
            "NodeResolutions": self._identities,
            "EdgeDuplicate": self._settlement,
            "EdgeTimestamps": _timestamps,
            "SummarizedEntities": _summaries,
        }

    async def generate_response(
        self,
        messages: list[Any],
        response_model: type[BaseModel] | None = None,
        *_: Any,  # noqa: ANN401 - sizes and names that mean nothing here
        **__: Any,  # noqa: ANN401
    ) -> dict[str, Any]:
        """Answer in the shape that is asked for. Raises ModelFault."""
        shape = response_model.__name__ if response_model is not None else ""
        if shape not in self._answers:
            raise InvalidModelOutput(f"Graphiti asked for {shape or 'free text'}, which we have no answer for")
        answer = self._answers[shape](json.loads(messages[-1].content))
        found: dict[str, Any] = answer if isinstance(answer, dict) else await answer
        return found

    async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401
        raise NotImplementedError  # abstract in the base; generate_response above replaces its only caller

    async def _entities(self, context: dict[str, Any]) -> dict[str, Any]:
        del context  # its text does not say who said what
        extraction = await self._extraction()
        names = dict.fromkeys(entity.name.strip() for entity in extraction.entities)
        return {"extracted_entities": [{"name": name, "entity_type_id": 0} for name in names if name]}

    async def _facts(self, context: dict[str, Any]) -> dict[str, Any]:
        extraction = await self._extraction()
        return {
            "edges": [
                {
                    "source_entity_name": fact.source,
                    "target_entity_name": fact.target,
                    "relation_type": fact.relation or "RELATES_TO",
                    "fact": fact.fact,
                    "valid_at": fact.valid_at or context["reference_time"],
                    "invalid_at": fact.invalid_at,
                }
                for fact in extraction.facts
                if fact.source.strip().casefold() != fact.target.strip().casefold()
            ]
        }

    async def _extraction(self) -> Extraction:
        said, at = self._episode.said, self._episode.occurred_at.isoformat()
        return await self._reader.read(said=said, previous=self._previous, occurred_at=at)

    async def _identities(self, context: dict[str, Any]) -> dict[str, Any]:
        names = [KnownItem(node["id"], node["name"]) for node in context["extracted_nodes"]]
        known = [
            KnownItem(node["candidate_id"], node["name"], str(node.get("summary") or "")[:200])
            for node in context["existing_nodes"]
        ]
        same = await self._reader.identify(names, known)
        return {
            "entity_resolutions": [
                {"id": name.number, "name": name.text, "duplicate_candidate_id": same.get(name.number, -1)}
                for name in names
            ]
        }

    async def _settlement(self, context: dict[str, Any]) -> dict[str, Any]:
        found = await self._reader.settle(
            context["new_edge"],
            same_pair=[KnownItem(edge["idx"], edge["fact"]) for edge in context["existing_edges"]],
            others=[KnownItem(edge["idx"], edge["fact"]) for edge in context["edge_invalidation_candidates"]],
        )
        return {"duplicate_facts": list(found.repeats), "contradicted_facts": list(found.contradicts)}


def _timestamps(context: dict[str, Any]) -> dict[str, Any]:
    return {"valid_at": context["reference_time"], "invalid_at": None}


def _summaries(context: dict[str, Any]) -> dict[str, Any]:
    """Shorten summaries that have grown too long without asking a model: the newest words stay."""
    return {
        "summaries": [
            {
                "name": entity["name"],
                "summary": newest_facts(str(entity.get("summary") or ""), most=SHORTENED_SUMMARY),
            }
            for entity in context["entities"]
        ]
    }


def _context(context: dict[str, Any]) -> ChatPrompt:
    text = json.dumps(context, default=_plain, ensure_ascii=False)
    return ChatPrompt(system=SystemMessage(content=""), user=UserMessage(content=text))


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


_CONTEXT_ONLY = create_prompt_library(
    {group: dict.fromkeys(names, _context) for group, names in PROMPT_GROUPS.items() if group != "eval"}
)


class GraphitiDriver(FalkorDriver):
    """Graphiti's driver, bound to one graph that is already prepared."""

    def __init__(self, graph: LeasedGraph, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(database=graph.name, **options)
        self._leased = graph
        building = self.__dict__.pop("_init_task", None)
        if building is not None:  # it would send thirteen CREATE INDEX statements each time
            building.cancel()
        self.__dict__["_init_task"] = None

    @property
    def graph(self) -> str:
        """The name of the one graph."""
        return str(self._database)

    async def execute_query(self, cypher_query_: str, **words: Any) -> tuple[list[dict[str, Any]], list[str], None]:  # noqa: ANN401
        """
        Run a statement of Graphiti's.

        The original walks every vector in it twice, and logs people's words when the statement fails.
        """
        words = {key: value.isoformat() if isinstance(value, datetime) else value for key, value in words.items()}
        words.pop("routing_", None)
        is_write = _WRITES.search(cypher_query_) is not None
        ask = self._leased.table if is_write else self._leased.ask
        header, rows = await ask(cypher_query_, words)
        return [dict(zip(header, row, strict=True)) for row in rows], header, None

    def clone(self, database: str) -> GraphitiDriver:
        """Return the same graph, whatever is asked for: a mind has one."""
        assert database in {self._database, self.default_group_id}, database  # noqa: S101
        return self


def _driver_on(
    client: FalkorDB,
    graph: LeasedGraph,
    vectors: MindVectors,
    *,
    kind_of: Callable[[str], str],
    at: datetime,
) -> GraphitiDriver:
    """
    Return a driver of *graph* that saves and searches by our seams for an episode of the time *at*.

    *kind_of* knows an entity's kind by its name.
    """
    driver = GraphitiDriver(graph, falkor_db=client)
    known: set[str] = set()
    driver.graph_operations_interface = GraphitiStore(graph=graph, vectors=vectors, kind_of=kind_of, known=known)
    driver.search_interface = GraphitiSearch(vectors=vectors, known=known, at=at)
    return driver
