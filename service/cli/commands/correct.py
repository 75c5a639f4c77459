"""`mind-memory correct`: put a memory right, see what was put right, and take it back."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer
from mind_memory_client import AsyncMemoryClient
from mind_memory_client.corrections import Correction, Corrections
from mind_memory_client.errors import NotFound
from rich.console import Console

from consolidation.corrections.record import NEEDS_WORDS, What
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import Row, minute, one_line, show_facts, typed

_LISTED, _UNDO = "list", "undo"
_PREFIXES = ("fact:", "entity:", "episode:")
_OF_FILES = ("observation:", "journal:")  # what the service says of these is where they are put right
_UNKNOWN = "memory-not-found"
_DONE = {
    "edit": "It is told otherwise from now on",
    "wrong": "It does not come up by itself any more",
    "right": "It holds, whatever a model says",
    "say": "It is known from now on",
    "pin": "It comes up first, again and again",
    "mute": "It never comes up by itself",
    "merge": "The two are one from now on",
    "split": "They are two from now on",
    "rename": "It is called so from now on",
}


@command(json=True)
async def correct(
    context: Context,
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help=f"{', '.join(one.value for one in What)}; or list, or undo.")
    ],
    memory: Annotated[
        str | None,
        typer.Argument(metavar="MEMORY", help="A memory's id, an entity's name, or a fact's words; of undo, its id."),
    ] = None,
    mind: MindName = DEFAULT_MIND,
    to: Annotated[str | None, typer.Option(metavar="WORDS", help="The new words, or the other name.")] = None,
    turn: Annotated[
        list[str] | None, typer.Option(metavar="TURN", help="A turn that it comes from; repeatable.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="WORDS", help="For people who read it later.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many to list.")] = 20,
) -> None:
    """Put a memory right: it holds at once, outlives a rebuild, and can be taken back."""
    async with connect(context) as connection:
        if what == _LISTED:
            found = await connection.memory.corrections(mind, limit=limit)
            connection.show(context, _show_all, found, mind=mind)
            return
        if what == _UNDO:
            if memory is None:
                raise CommandFailed(
                    f"say which correction to take back: {typed('correct list', mind=mind)} shows their ids"
                )
            made = await connection.memory.undo_correction(mind, correction_id=memory)
        else:
            decision = _decision(what)
            target = _target(decision, memory, turn or [])
            made = await _made(
                connection.memory, mind, decision, target, to=_words(decision, memory, to), reason=reason
            )
    connection.show(context, _show_made, made, mind=mind, is_undone=what == _UNDO)


async def _made(
    memory: AsyncMemoryClient, mind: str, what: What, target: dict[str, Any] | str | None, **words: str | None
) -> Correction:
    """Decide it. Words that are not a fact's may be an entity's name. Raises CommandFailed where they are neither."""
    try:
        return await memory.correct(mind, what.value, target, **words)
    except NotFound as error:
        if error.slug != _UNKNOWN or not isinstance(target, dict) or target["kind"] != "fact" or "text" not in target:
            raise
    try:
        return await memory.correct(mind, what.value, {**target, "kind": "entity"}, **words)
    except NotFound as error:
        listed = typed(f"facts --query {shlex.quote(target['text'])}", mind=mind)
        unknown = f"the mind has no fact with just these words, and nobody and nothing of this name: {listed} shows ids"
        raise CommandFailed(unknown) from error


def _decision(what: str) -> What:
    if what not in {one.value for one in What}:
        raise CommandFailed(f"{what}: choose from {', '.join(one.value for one in What)}, {_LISTED}, {_UNDO}")
    return What(what)


def _words(what: What, memory: str | None, to: str | None) -> str | None:
    """What `say` says may stand where the others name a memory. Raises CommandFailed where words are missing."""
    words = memory if what is What.SAY and to is None else to
    if not words and what in NEEDS_WORDS:
        raise CommandFailed(f"{what.value} needs --to: the new words, or the other name")
    return words


def _target(what: What, memory: str | None, turns: list[str]) -> dict[str, Any] | str | None:
    if what is What.SAY:
        return None
    if memory is None:
        raise CommandFailed("say which memory: its id, or its words")
    if memory.startswith(_PREFIXES) and not turns:
        return memory
    kind = "entity" if what in {What.MERGE, What.SPLIT, What.RENAME} or memory.startswith("entity:") else "fact"
    named = {"id": memory} if memory.startswith((*_PREFIXES, *_OF_FILES)) else {"text": memory}
    return {"kind": kind, **named, "turn_ids": turns}


def _show_all(console: Console, found: Corrections, *, mind: str) -> None:
    for one in found.items:
        _show(console, one)
    if not found.items:
        console.print(f"Nothing was put right in {mind}.")


def _show_made(console: Console, made: Correction, *, mind: str, is_undone: bool) -> None:
    _show(console, made)
    if not is_undone:
        console.print(f"{_DONE[made.what]}. Take it back with {typed(f'correct undo {made.id}', mind=mind)}.")


def _show(console: Console, one: Correction) -> None:
    state = "" if one.state == "stands" else f" ({one.state})"
    rows = (
        Row(minute(one.at), f"{one.what}{state}  {one_line(one.target.text)}"),
        Row("", f"→ {one_line(one.to)}" if one.to is not None and one.to != one.target.text else ""),
        Row("", f"reason: {one_line(one.reason)}" if one.reason else ""),
        Row("", f"{one.id}, by {one_line(one.by)}"),
    )
    show_facts(console, rows)
