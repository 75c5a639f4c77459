"""The routes that list what a mind holds, as ``_endpoints`` describes all others."""

from __future__ import annotations

from mind_memory_client import catalog
from mind_memory_client._endpoints import AsModel, Endpoint

_MIND = "/v1/minds/{mind_id}"

SESSIONS = Endpoint("GET", f"{_MIND}/sessions", AsModel(catalog.Sessions))
KEPT_TURNS = Endpoint("GET", f"{_MIND}/turns", AsModel(catalog.Turns))
KEPT_TURN = Endpoint("GET", f"{_MIND}/turns/{{turn_id}}", AsModel(catalog.KeptTurn))
FACTS = Endpoint("GET", f"{_MIND}/facts", AsModel(catalog.Facts))
FACT = Endpoint("GET", f"{_MIND}/facts/{{fact_id}}", AsModel(catalog.Fact))
ENTITIES = Endpoint("GET", f"{_MIND}/entities", AsModel(catalog.Entities))
ENTITY = Endpoint("GET", f"{_MIND}/entities/{{entity_id}}", AsModel(catalog.EntityDetail))
GRAPH = Endpoint("GET", f"{_MIND}/graph", AsModel(catalog.Graph))
