"""`mind-memory story restore`: an earlier version in the story's place."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.hints import command
from service.cli.reaching import reach
from service.cli.terminal import counted, out
from service.cli.versions import meant, when
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def restore(*, mind: str, version: str, retells: bool, home: Path | None, url: str | None) -> None:
    """Restore, and say what that did. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    asyncio.run(_restore(mind, version, retells=retells, home=home, url=url))


async def _restore(mind: str, said: str, *, retells: bool, home: Path | None, url: str | None) -> None:
    async with reach(read_settings(home=home), url=url) as memory:
        version = meant(said, await memory.history(mind))
        story = await memory.restore(mind, version["version"], retell=retells)
        waiting = (await memory.mind(mind))["story"]["pending_turns"]
    console = out()
    console.print(f"The story of {mind} is as it was until {when(version)}: {_size(story)}.")
    if retells and waiting:
        console.print(
            f"{counted(waiting, 'turn')} will be told again; {command('consolidate', mind=mind)} does it now."
        )
    elif retells:
        console.print("Nothing was told after it, so nothing will be told again.")
    else:
        console.print("What was told after it will not be told again; --retell would do that.", style="dim")
    console.print(f"{command('story restore last', mind=mind)} takes this back.", style="dim")


def _size(story: Mapping[str, Any]) -> str:
    return f"{counted(len(story['chapters']), 'chapter')}, {counted(story['words'], 'word')}"
