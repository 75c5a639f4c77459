"""Graphiti's driver, bound to one graph that is already prepared, with our saving and searching in its seams."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphiti_core.driver.falkordb_driver import FalkorDriver

from service.adapters.graph.keeping import Keeping
from service.adapters.graph.resolving import Resolving

if TYPE_CHECKING:
    from falkordb.asyncio import FalkorDB

    from service.adapters.graph.connection import Connection
    from service.adapters.graph.vector_index import VectorIndexes


class Driver(FalkorDriver):
    """Graphiti's driver, bound to one graph that is already prepared, with our searching in its seam."""

    def __init__(self, **words: Any) -> None:  # noqa: ANN401 - handed through
        super().__init__(**words)
        building = self.__dict__.pop("_init_task", None)
        if building is not None:  # it would send thirteen CREATE INDEX each time
            building.cancel()
        self.__dict__["_init_task"] = None

    @property
    def graph(self) -> str:
        """The name of the one graph."""
        return str(self._database)

    async def execute_query(self, cypher_query_: str, **words: Any) -> tuple[list[dict[str, Any]], list[str], None]:  # noqa: ANN401
        """Run a statement of Graphiti's; stock walks every vector in it twice, and logs people's words on an error."""
        words = {key: value.isoformat() if isinstance(value, datetime) else value for key, value in words.items()}
        words.pop("routing_", None)
        result = await self._get_graph(self._database).query(cypher_query_, words)
        header = [str(column[1]) for column in result.header]
        return [dict(zip(header, row, strict=True)) for row in result.result_set], header, None

    def clone(self, database: str) -> Driver:
        """The same graph, whatever is asked: a mind has one."""
        assert database in {self._database, self.default_group_id}, database  # noqa: S101
        return self


def driver_on(client: FalkorDB, graph: str, connection: Connection, indexes: VectorIndexes) -> Driver:
    """A driver of *graph* that saves and searches as we do."""
    driver = Driver(falkor_db=client, database=graph)
    known: set[str] = set()
    driver.graph_operations_interface = Keeping(connection=connection, graph=graph, known=known)
    driver.search_interface = Resolving(indexes=indexes, known=known)
    return driver
