"""`mind-memory correct`: put a memory right, see what was put right, and take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from consolidation.corrections.record import What
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import out, show_json

if TYPE_CHECKING:
    from mind_memory_client.corrections import Correction

_LISTED, _UNDO = "list", "undo"
_PREFIXES = ("fact:", "entity:", "episode:")
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


@command()
async def correct(
    context: Context,
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help=f"{', '.join(one.value for one in What)}; or list, or undo.")
    ],
    memory: Annotated[
        str | None,
        typer.Argument(metavar="[MEMORY]", help="A memory's id, an entity's name, or a fact's words; of undo, its id."),
    ] = None,
    mind: MindName = DEFAULT_MIND,
    to: Annotated[str | None, typer.Option(metavar="WORDS", help="The new words, or the other name.")] = None,
    turn: Annotated[
        list[str] | None, typer.Option(metavar="TURN", help="A turn that it comes from; repeatable.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="WORDS", help="For people who read it later.")] = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="How many to list.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The API's answer as it is.")] = False,
) -> None:
    """Put a memory right: it holds at once, outlives a rebuild, and can be taken back."""
    async with connect(context) as connection:
        if what == _LISTED:
            found = await connection.memory.corrections(mind, limit=limit)
            if as_json:
                show_json(found.model_dump(mode="json"))
                return
            for one in found.items:
                _show(one)
            if not found.items:
                out().print(f"Nothing was put right in {mind}.")
            return
        if what == _UNDO:
            if memory is None:
                raise CommandFailed("say which correction to take back: `mind-memory correct list` shows their ids")
            made = await connection.memory.undo_correction(mind, correction_id=memory)
        else:
            made = await connection.memory.correct(
                mind, _decision(what), _target(what, memory, turn or []), to=_words(what, memory, to), reason=reason
            )
    if as_json:
        show_json(made.model_dump(mode="json"))
        return
    _show(made)
    if what != _UNDO:
        out().print(f"{_DONE[made.what]}. Take it back with: mind-memory correct undo {made.id}")


def _decision(what: str) -> Any:  # noqa: ANN401 - one of the client's literals
    if what not in {one.value for one in What}:
        raise CommandFailed(f"{what}: choose from {', '.join(one.value for one in What)}, {_LISTED}, {_UNDO}")
    return what


def _words(what: str, memory: str | None, to: str | None) -> str | None:
    """What `say` says may stand where the others name a memory."""
    return memory if what == What.SAY and to is None else to


def _target(what: str, memory: str | None, turns: list[str]) -> dict[str, object] | str | None:
    if what == What.SAY:
        return None
    if memory is None:
        raise CommandFailed("say which memory: its id, or its words")
    if memory.startswith(_PREFIXES) and not turns:
        return memory
    kind = "entity" if what in {What.MERGE, What.SPLIT, What.RENAME} or memory.startswith("entity:") else "fact"
    named = {"id": memory} if memory.startswith(_PREFIXES) else {"text": memory}
    return {"kind": kind, **named, "turn_ids": turns}


def _show(one: Correction) -> None:
    state = "" if one.state == "stands" else f" ({one.state})"
    out().print(f"{one.at:%Y-%m-%d %H:%M}  {one.what}{state}  {one.target.text}", markup=False, highlight=False)
    if one.to is not None and one.to != one.target.text:
        out().print(f"                  → {one.to}", markup=False, highlight=False)
    if one.reason:
        out().print(f"                  since: {one.reason}", markup=False, highlight=False)
    out().print(f"                  {one.id}, by {one.by}", markup=False, highlight=False)
