"""
Erase a whole mind: its folder with people's own files in it, its graph, and what is in memory.

The mind is closed first. From then on nobody sees it, and it stays closed through restarts until nothing is left.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.files import remove_tree, sync_folder
from consolidation.kernel.links import LinkRefused
from consolidation.kernel.sharing_errors import DatabaseUnavailable
from consolidation.story.chapters import parse
from service.erasure.erase_turns import GRACE_SECONDS, LEAVE_SECONDS, MOST_SEARCHED_FORMS
from service.erasure.pending import ErasurePlan
from service.erasure.unique_words import UniqueWords
from service.erasure.verify import files_of, in_none_of
from service.mind.mind_gate import Paused
from service.ports.graph import episode_uuid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.workspace import Workspace
    from service.erasure.erase_turns import ErasureContext
    from service.erasure.pending import ErasedMinds
    from service.erasure.receipt import ErasedCounts, ErasureRequest
    from service.mind.minds import Mind

_SAMPLED_TURNS = 200  # the final search looks for words and ids of these
_SEARCHED_UUIDS = 8
_TURN_LINE = b'{"sequence":'
_ERASED_LINE = b'"erased":"'


class MindEraser:
    """Erases whole minds. Every step may be repeated."""

    def __init__(
        self, context: ErasureContext, *, erased_minds: ErasedMinds, session_folder: Callable[[str], Path | None]
    ) -> None:
        """*session_folder* returns where a mind's session files are, if they are outside its own folder."""
        self._context = context
        self._erased_minds = erased_minds
        self._session_folder = session_folder

    async def plan(self, mind: Mind, request: ErasureRequest) -> ErasurePlan:
        """
        Choose what the final search looks for.

        These are some of the longest words that no other mind contains, and uuids of episodes.
        """
        last = mind.transcript.positions.last
        turns = await mind.transcript.after(max(0, last - _SAMPLED_TURNS), limit=_SAMPLED_TURNS)
        unique = await anyio.to_thread.run_sync(UniqueWords, turns)
        others = self._context.other_transcripts(mind.mind_id)
        forms = await anyio.to_thread.run_sync(lambda: in_none_of(others, forms=unique.forms))
        uuids = [episode_uuid(mind.mind_id, stored.turn.turn_id) for stored in turns[-_SEARCHED_UUIDS:]]
        return ErasurePlan(request, self._context.clock.now(), forms=(*forms[:MOST_SEARCHED_FORMS], *uuids))

    async def erase_files(self, plan: ErasurePlan, counts: ErasedCounts) -> None:
        """Close the mind, wait until everybody has left it, and delete its folder. Raises OSError."""
        context, gate, mind_id = self._context, self._context.minds.gate, plan.request.mind_id
        gate.close(mind_id)
        gate.set_paused(mind_id, Paused.ALL)
        await context.background.drain(mind_id, seconds=GRACE_SECONDS)
        await context.background.stop(mind_id)
        await gate.until_left(mind_id, seconds=LEAVE_SECONDS)
        await context.background.stop(mind_id)  # jobs that the last requests have started
        workspace = context.minds.workspace(mind_id)
        await context.minds.forget(mind_id)
        context.forget_in_memory(mind_id)
        sessions = self._session_folder(mind_id)
        if sessions is not None and sessions.is_dir():
            counts.left[f"session files in {sessions}: not read in again"] = None
            await anyio.to_thread.run_sync(self._erased_minds.note, mind_id, context.clock.now())
        if context.minds.copies is not None:  # what is not copied here is in the database
            async with context.minds.copies.followed(mind_id, context.minds.get):
                pass
        if workspace.folder.exists():
            await anyio.to_thread.run_sync(_count, workspace, counts)
            await anyio.to_thread.run_sync(_delete, workspace, counts)
        await context.forget_events(plan)

    async def erase_graph(self, plan: ErasurePlan, counts: ErasedCounts) -> None:
        """Delete the graph. Raises GraphUnavailable."""
        size, keys = await self._context.graph_of(plan.request.mind_id).erase()
        counts.add("graph", episodes=size.episodes, entities=size.entities, facts=size.facts, keys=keys)

    async def end(self, plan: ErasurePlan) -> None:
        """Allow a mind of this id to begin again on every machine, once the plan has gone."""
        copies = self._context.minds.copies
        if copies is not None:
            with suppress(DatabaseUnavailable):  # then whoever looks for what others left does so
                await anyio.to_thread.run_sync(copies.home.end_erasure, plan.request.mind_id)

    async def search(self, plan: ErasurePlan) -> tuple[str, ...]:
        """Name the places where something of the mind is still found."""
        mind_id = plan.request.mind_id
        graph = self._context.graph_of(mind_id)
        found = ["folder"] if self._context.minds.workspace(mind_id).folder.exists() else []
        if await graph.keys():
            found.append("graph")
        return (*found, *await anyio.to_thread.run_sync(graph.search_files, plan.forms))


def _count(workspace: Workspace, counts: ErasedCounts) -> None:
    """Count what will be deleted. A repeated attempt counts what the one before has left."""
    for file, name, is_ours in files_of(workspace):
        if file.is_symlink() and not (file == workspace.story and _linked_story(workspace)):
            counts.left[f"what {name} links to"] = None
        place = name.partition("/")[0] if is_ours else "people's files"
        counts.add(place, files=1, bytes=file.lstat().st_size)
        if not is_ours:
            counts.peoples_files[name] = None
    lines = [line for file in workspace.transcript.glob("*.jsonl") for line in file.read_bytes().splitlines()]
    turns = sum(line.startswith(_TURN_LINE) and _ERASED_LINE not in line[:60] for line in lines)
    counts.add("transcript", turns=turns)
    story = workspace.read(workspace.story, most_characters=-1)
    if story:
        chapters = parse(story).chapters
        counts.add("STORY.md", chapters=len(chapters))


def _delete(workspace: Workspace, counts: ErasedCounts) -> None:
    """Delete the folder; where a link that we follow is in place of the folder or of STORY.md, its target as well."""
    target = _linked_story(workspace)
    if target is not None:
        counts.peoples_files[str(target)] = None
        target.unlink()
        target.with_name(f"{target.name}.lock").unlink(missing_ok=True)
        shutil.rmtree(target.with_name(f".{target.name}.late"), ignore_errors=True)
    folder = workspace.folder
    if folder.is_symlink():
        target = folder.resolve()
        folder.unlink()
        folder = target
    remove_tree(folder)
    sync_folder(workspace.folder.parent)


def _linked_story(workspace: Workspace) -> Path | None:
    """Where the story is that a link leads to, if it is one that we follow."""
    try:
        place = workspace.locate(workspace.story)
    except LinkRefused:
        return None
    return place if place != workspace.story and place.is_file() else None
