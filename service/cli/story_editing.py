"""
`mind-memory story edit`: the story in a person's own editor, and back where it belongs.

Nothing is held while the person writes: neither the home nor a connection. What was written meanwhile is merged.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from consolidation.kernel.clock import SystemClock
from consolidation.story.anchor import without_marks
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.draft import drafted
from service.cli.editor import find_editor, open_in
from service.cli.faults import CommandFailed, Refused
from service.cli.hints import command
from service.cli.reaching import reach
from service.cli.reconciling import changed_in_words, reconcile
from service.cli.terminal import counted, note, out
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from pathlib import Path

    from service.cli.client import Answer
    from service.cli.draft import Draft
    from service.settings import Settings

_TRIES = 20
_UNREADABLE = "\ufffd"
_AT_ONCE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Edit:
    """Whose story it is, as it was, the etag it had, and what the person made of it."""

    mind: str
    base: str
    etag: str
    edited: str


@dataclass(frozen=True, slots=True)
class _Saved:
    """How the edit found its place: beside how much that was written meanwhile."""

    is_merged: bool = False
    conflicts: int = 0


def edit(*, mind: str, home: Path | None, url: str | None) -> None:
    """Let a person edit, and say what became of it. Raises CommandFailed; what was edited is kept then."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    settings, editor = read_settings(home=home), find_editor()
    story = asyncio.run(_story(settings, mind, url=url))
    base = without_marks(story["text"])
    if _UNREADABLE in base:
        note(f"{_UNREADABLE} stands where the story holds what is not UTF-8; history keeps it as it was.")
    with drafted(base) as draft:
        hint = _let_edit(editor, draft)
        edited = draft.read()
        if edited == base:
            out().print(f"Nothing was changed: the story of {mind} stays as it is.{hint}")
            return
        saved = asyncio.run(_save(settings, _Edit(mind, base, story["etag"], edited), url=url))
    _tell(saved, changed_in_words(base, edited), mind=mind)


def _let_edit(editor: tuple[str, ...], draft: Draft) -> str:
    """Run the editor; a hint for the case that it did not wait for the person. Raises CommandFailed."""
    clock = SystemClock()
    began = clock.monotonic()
    code = open_in(editor, draft.file)
    if code:
        raise CommandFailed(f"The editor {editor[0]} ended with {code}: nothing was written to the story")
    if clock.monotonic() - began > _AT_ONCE_SECONDS:
        return ""
    return " If your editor does not wait until you close the file, tell it to, like EDITOR='code --wait'."


async def _story(settings: Settings, mind: str, *, url: str | None) -> Answer:
    async with reach(settings, url=url) as memory:
        return await memory.story(mind)


async def _save(settings: Settings, edit: _Edit, *, url: str | None) -> _Saved:
    async with reach(settings, url=url, is_quiet=True) as memory:
        text, etag, saved = edit.edited, edit.etag, _Saved()
        for _ in range(_TRIES):
            try:
                await memory.put_story(edit.mind, text, etag=etag)
            except Refused as refusal:
                current, etag = _written_meanwhile(refusal)
                found = reconcile(edit.base, current=current, edited=edit.edited)
                text, saved = found.text, _Saved(current != edit.base, found.conflicts)
            else:
                return saved
    raise CommandFailed("the story keeps changing: your edit could not be put into it")


def _written_meanwhile(refusal: Refused) -> tuple[str, str]:
    """The words that stand in the story by now, and its etag; raises *refusal* where it is of another kind."""
    current, etag = refusal.body.get("current"), refusal.body.get("etag")
    if refusal.status != httpx.codes.PRECONDITION_FAILED or not isinstance(current, str) or not isinstance(etag, str):
        raise refusal
    return without_marks(current), etag


def _tell(saved: _Saved, changes: str, *, mind: str) -> None:
    console = out()
    console.print(f"Your edit stands: {changes}.")
    if saved.is_merged:
        console.print("The story was written meanwhile; your edit was merged with that.")
    if saved.conflicts:
        places = counted(saved.conflicts, "place")
        others = command("story diff", mind=mind)
        console.print(f"At {places} both changed the same lines: yours stand, {others} shows the others.")
    console.print(f"{command('story restore last', mind=mind)} takes it back.", style="dim")
