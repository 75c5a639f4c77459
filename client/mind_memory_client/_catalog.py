"""What a mind holds, in pages: sessions, turns, facts, entities, the graph. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mind_memory_client import catalog
from mind_memory_client._endpoints import AsModel, Endpoint

if TYPE_CHECKING:
    from datetime import datetime

    from mind_memory_client._transport import AsyncTransport, Transport

FactState = Literal["holding", "ended", "planned"]
EntitySort = Literal["name", "mentions", "recent"]

_MIND = "/v1/minds/{mind_id}"

SESSIONS = Endpoint("GET", f"{_MIND}/sessions", AsModel(catalog.Sessions))
KEPT_TURNS = Endpoint("GET", f"{_MIND}/turns", AsModel(catalog.Turns))
KEPT_TURN = Endpoint("GET", f"{_MIND}/turns/{{turn_id}}", AsModel(catalog.KeptTurn))
FACTS = Endpoint("GET", f"{_MIND}/facts", AsModel(catalog.Facts))
FACT = Endpoint("GET", f"{_MIND}/facts/{{fact_id}}", AsModel(catalog.Fact))
ENTITIES = Endpoint("GET", f"{_MIND}/entities", AsModel(catalog.Entities))
ENTITY = Endpoint("GET", f"{_MIND}/entities/{{entity_id}}", AsModel(catalog.EntityDetail))
GRAPH = Endpoint("GET", f"{_MIND}/graph", AsModel(catalog.Graph))


class CatalogCalls:
    """What a mind holds, for the client that blocks."""

    _transport: Transport

    def sessions(
        self, mind: str, *, before: int | None = None, cursor: str | None = None, limit: int | None = None
    ) -> catalog.Sessions:
        """
        List sessions, the one with the newest turn first.

        *before* shows them as they stood before a sequence. *cursor* is the ``next_cursor`` of the page before.
        """
        asked = {"before": before, "cursor": cursor, "limit": limit}
        return self._transport.send(SESSIONS.call(mind_id=mind, query=asked))

    def turns(
        self,
        mind: str,
        *,
        session: str | None = None,
        after: int | None = None,
        before: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Turns:
        """
        List turns as they are kept, newest first; those above the sequence *after* oldest first.

        For the next page, pass its *cursor* and everything else as before.
        """
        asked = {"session_id": session, "after": after, "before": before, "cursor": cursor, "limit": limit}
        return self._transport.send(KEPT_TURNS.call(mind_id=mind, query=asked))

    def read_turn(self, mind: str, *, turn_id: str) -> catalog.KeptTurn:
        """Read one turn, by its id or by ``episode:<sequence>``, with what became of it."""
        return self._transport.send(KEPT_TURN.call(mind_id=mind, turn_id=turn_id))

    def facts(
        self,
        mind: str,
        *,
        entity: str | None = None,
        state: FactState | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        query: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Facts:
        """
        List facts, newest first: those of an *entity* (its id or its name), in a *state*, with all words of *query*.

        *since* and *until* are when they were told first.
        """
        asked = {
            "entity": entity,
            "state": state,
            "since": since,
            "until": until,
            "query": query,
            "cursor": cursor,
            "limit": limit,
        }
        return self._transport.send(FACTS.call(mind_id=mind, query=asked))

    def fact(self, mind: str, *, fact_id: str) -> catalog.Fact:
        """Read one fact with the turns that told it."""
        return self._transport.send(FACT.call(mind_id=mind, fact_id=fact_id))

    def entities(
        self,
        mind: str,
        *,
        query: str | None = None,
        kind: str | None = None,
        sort: EntitySort | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Entities:
        """List people, places and things, the most mentioned first; each word of *query* begins one of the name."""
        asked = {"query": query, "kind": kind, "sort": sort, "cursor": cursor, "limit": limit}
        return self._transport.send(ENTITIES.call(mind_id=mind, query=asked))

    def entity(self, mind: str, *, entity_id: str) -> catalog.EntityDetail:
        """Read one entity: its months, its neighbours, its look-alikes and its newest facts."""
        return self._transport.send(ENTITY.call(mind_id=mind, entity_id=entity_id))

    def graph(
        self,
        mind: str,
        *,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
    ) -> catalog.Graph:
        """Read the most mentioned entities of a time, *limit* of them, and the facts between them, in columns."""
        asked = {"since": since, "until": until, "limit": limit}
        return self._transport.send(GRAPH.call(mind_id=mind, query=asked))


class AsyncCatalogCalls:
    """What a mind holds, for the client that is awaited."""

    _transport: AsyncTransport

    async def sessions(
        self, mind: str, *, before: int | None = None, cursor: str | None = None, limit: int | None = None
    ) -> catalog.Sessions:
        """
        List sessions, the one with the newest turn first.

        *before* shows them as they stood before a sequence. *cursor* is the ``next_cursor`` of the page before.
        """
        asked = {"before": before, "cursor": cursor, "limit": limit}
        return await self._transport.send(SESSIONS.call(mind_id=mind, query=asked))

    async def turns(
        self,
        mind: str,
        *,
        session: str | None = None,
        after: int | None = None,
        before: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Turns:
        """
        List turns as they are kept, newest first; those above the sequence *after* oldest first.

        For the next page, pass its *cursor* and everything else as before.
        """
        asked = {"session_id": session, "after": after, "before": before, "cursor": cursor, "limit": limit}
        return await self._transport.send(KEPT_TURNS.call(mind_id=mind, query=asked))

    async def read_turn(self, mind: str, *, turn_id: str) -> catalog.KeptTurn:
        """Read one turn, by its id or by ``episode:<sequence>``, with what became of it."""
        return await self._transport.send(KEPT_TURN.call(mind_id=mind, turn_id=turn_id))

    async def facts(
        self,
        mind: str,
        *,
        entity: str | None = None,
        state: FactState | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        query: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Facts:
        """
        List facts, newest first: those of an *entity* (its id or its name), in a *state*, with all words of *query*.

        *since* and *until* are when they were told first.
        """
        asked = {
            "entity": entity,
            "state": state,
            "since": since,
            "until": until,
            "query": query,
            "cursor": cursor,
            "limit": limit,
        }
        return await self._transport.send(FACTS.call(mind_id=mind, query=asked))

    async def fact(self, mind: str, *, fact_id: str) -> catalog.Fact:
        """Read one fact with the turns that told it."""
        return await self._transport.send(FACT.call(mind_id=mind, fact_id=fact_id))

    async def entities(
        self,
        mind: str,
        *,
        query: str | None = None,
        kind: str | None = None,
        sort: EntitySort | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> catalog.Entities:
        """List people, places and things, the most mentioned first; each word of *query* begins one of the name."""
        asked = {"query": query, "kind": kind, "sort": sort, "cursor": cursor, "limit": limit}
        return await self._transport.send(ENTITIES.call(mind_id=mind, query=asked))

    async def entity(self, mind: str, *, entity_id: str) -> catalog.EntityDetail:
        """Read one entity: its months, its neighbours, its look-alikes and its newest facts."""
        return await self._transport.send(ENTITY.call(mind_id=mind, entity_id=entity_id))

    async def graph(
        self,
        mind: str,
        *,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
    ) -> catalog.Graph:
        """Read the most mentioned entities of a time, *limit* of them, and the facts between them, in columns."""
        asked = {"since": since, "until": until, "limit": limit}
        return await self._transport.send(GRAPH.call(mind_id=mind, query=asked))
