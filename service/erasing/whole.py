"""
A whole mind out of everything: its folder with people's own files in it, its graph, what is in memory.

It is closed first: it is there for nobody from then on, and stays so through a restart until nothing is left.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.files import sync_folder
from consolidation.story.chapters import parse
from service.erasing.part import GRACE_SECONDS
from service.erasing.plans import Plan
from service.erasing.remains import files_of, not_in
from service.erasing.words import OnlySaid
from service.fence import Hold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.workspace import Workspace
    from service.erasing.part import Tools
    from service.erasing.plans import Erasures
    from service.erasing.receipt import Tally, Wish
    from service.minds import Mind

_SAMPLE = 200  # turns whose words and ids are searched for in the end
_SEARCHED = 12
_UUIDS = 8
_GONE_SECONDS = 30.0
_TURN = b'{"sequence":'
_ERASED = b'"erased":"'


class Whole:
    """Erases a mind."""

    def __init__(self, tools: Tools, *, erasures: Erasures, outside: Callable[[str], Path | None]) -> None:
        """Bind to what is worked with; *outside* is where a mind's session files are, when not in its folder."""
        self._tools = tools
        self._erasures = erasures
        self._outside = outside

    async def plan(self, mind: Mind, wish: Wish) -> Plan:
        """By what it is known: some of its longest words that no other mind says, and names of its episodes."""
        last = mind.transcript.positions.last
        turns = await mind.transcript.after(max(0, last - _SAMPLE), limit=_SAMPLE)
        only = await anyio.to_thread.run_sync(OnlySaid, turns)
        forms = await anyio.to_thread.run_sync(not_in, only.forms, self._tools.others(mind.mind_id))
        uuids = [self._tools.uuid_of(mind.mind_id, kept.turn.turn_id) for kept in turns[-_UUIDS:]]
        return Plan(wish, self._tools.clock.now(), forms=(*forms[:_SEARCHED], *uuids))

    async def here(self, plan: Plan, tally: Tally) -> None:
        """Out of the home. Raises OSError."""
        tools, fence, mind_id = self._tools, self._tools.minds.fence, plan.wish.mind_id
        fence.close(mind_id)
        fence.hold(mind_id, Hold.ALL)
        await tools.background.settle(mind_id, seconds=GRACE_SECONDS)
        await tools.background.stop(mind_id)
        await fence.emptied(mind_id, seconds=_GONE_SECONDS)
        await tools.background.stop(mind_id)  # what the last of them has begun
        workspace = tools.minds.workspace(mind_id)
        await tools.minds.forget(mind_id)
        tools.forget(mind_id)
        outside = self._outside(mind_id)
        if outside is not None and outside.is_dir():
            tally.left[f"session files in {outside}: not read in again"] = None
            await anyio.to_thread.run_sync(self._erasures.note, mind_id, tools.clock.now())
        if workspace.folder.exists():
            await anyio.to_thread.run_sync(_count, workspace, tally)
            await anyio.to_thread.run_sync(_remove, workspace, tally)

    async def there(self, plan: Plan, tally: Tally) -> None:
        """Out of the graph. Raises GraphUnavailable."""
        size, keys = await self._tools.erasable.drop(plan.wish.mind_id)
        tally.add("graph", episodes=size.episodes, entities=size.entities, facts=size.facts, keys=keys)

    async def search(self, plan: Plan) -> tuple[str, ...]:
        """Where something of it is still found, by name."""
        erasable, mind_id = self._tools.erasable, plan.wish.mind_id
        found = ["folder"] if self._tools.minds.workspace(mind_id).folder.exists() else []
        if await erasable.keys(mind_id):
            found.append("graph")
        return (*found, *await anyio.to_thread.run_sync(erasable.search, plan.forms))


def _count(workspace: Workspace, tally: Tally) -> None:
    """What there is, before it goes; a repeated run counts what the one before has left."""
    for file, name, is_ours in files_of(workspace):
        if file.is_symlink() and file != workspace.story:
            tally.left[f"what {name} links to"] = None
        place = name.partition("/")[0] if is_ours else "people's files"
        tally.add(place, files=1, bytes=file.lstat().st_size)
        if not is_ours:
            tally.people[name] = None
    lines = [line for file in workspace.transcript.glob("*.jsonl") for line in file.read_bytes().splitlines()]
    tally.add("transcript", turns=sum(line.startswith(_TURN) and _ERASED not in line[:60] for line in lines))
    if workspace.story.exists():
        chapters = parse(workspace.story.read_bytes().decode("utf-8", "replace")).chapters
        tally.add("STORY.md", chapters=len(chapters))


def _remove(workspace: Workspace, tally: Tally) -> None:
    """The folder; and the story itself, where a link stands in its place."""
    story = workspace.story
    if story.is_symlink() and story.resolve().is_file():
        target = story.resolve()
        tally.people[str(target)] = None
        target.unlink()
        target.with_name(f"{target.name}.lock").unlink(missing_ok=True)
        shutil.rmtree(target.with_name(f".{target.name}.late"), ignore_errors=True)
    folder = workspace.folder
    if folder.is_symlink():
        target = folder.resolve()
        folder.unlink()
        folder = target
    shutil.rmtree(folder)
    sync_folder(workspace.folder.parent)
