"""What `serve` says when it is ready: what is configured, where it listens, and two calls to try."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from service.access.addresses import is_loopback
from service.cli.home import shortened
from service.cli.terminal import counted, out
from service.cli.wiring import embedder_of, graph_of, model_lines, network_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.settings import Settings

_TRIES = (
    ("after a turn: keep it", "turns", "hello", "My mother lives in Lyon."),
    ("before a turn: what surfaces?", "resonance", "later", "Where does my mother live?"),
)


def welcome(settings: Settings, *, url: str, minds: Sequence[str], keys: int) -> None:
    """Print it. Lines to be copied are never wrapped."""
    from rich.table import Table
    from rich.text import Text

    console = out()
    console.print(Text.assemble(("mind-memory ", "bold"), version("mind-memory"), (f"  {url}", "bold green")))
    console.print()
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    held = counted(len(minds), "mind") if minds else "empty: the first turn begins a mind"
    facts.add_row("  home", f"{shortened(settings.folder)} ({held})")
    facts.add_row("  graph", graph_of(settings))
    for at, line in enumerate(model_lines(settings)):
        facts.add_row("" if at else "  models", line)
    facts.add_row("  vectors", embedder_of(settings))
    facts.add_row("  tokens", "counted here, offline")
    facts.add_row("  network", network_of(settings))
    if keys:
        facts.add_row("  keys", f"{counted(keys, 'key')}: every call needs one")
    elif settings.trust_network:
        facts.add_row("  open", "without a key, to all who reach its published port: keep that on loopback")
    elif not is_loopback(settings.host):
        facts.add_row("  open", Text(f"to all who reach {settings.host}: no key protects it", style="yellow"))
    console.print(facts)
    console.print()
    for why, call, session, said in _TRIES:
        console.print(f"  # {why}", style="dim")
        shown = ' -H "Authorization: Bearer $MIND_MEMORY_KEY"' if keys else ""
        console.print(f"  curl -s {url}/v1/minds/demo/{call}{shown} --json \\", soft_wrap=True)
        body = f'{{"session_id": "{session}", "messages": [{{"role": "user", "content": "{said}"}}]}}'
        console.print(f"    '{body}'", soft_wrap=True)
        console.print()
    console.print(
        f"  All calls: {url}/docs\n  As MCP tools: {url}/mcp\n  Talk to it: mind-memory chat\n  Ctrl-C stops it",
        style="dim",
    )
    console.file.flush()
