"""`mind-memory erase`: a mind, a session or a turn, gone everywhere; it asks before, and shows what went."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

import anyio
import typer
from mind_memory_client import AsyncMemoryClient, Erased, Mind, NotFound, RequestRefused
from mind_memory_client.models import Erasure
from mind_memory_client.records import ErasurePreview, Erasures
from rich.console import Console

from consolidation.workspace import workspace_of
from service.cli.command import CommandFailed, Context, OneSession, command
from service.cli.commands.catalog import first_words, turn_named
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import (
    Row,
    confirm,
    counted,
    facts_and_entities,
    minute,
    note,
    one_line,
    out,
    plain_table,
    short_name,
    show_facts,
    show_json,
    show_list,
)
from service.erasure.receipt import ErasureRequest
from service.erasure.verify import files_of

_AGAIN_SECONDS = 1.0


@command(json="The receipt, or with --dry-run or --receipts what they show, as the API answers.")
async def erase(
    context: Context,
    mind: Annotated[str | None, typer.Option("--mind", metavar="ID", help="Whose memory; it has no default.")] = None,
    session: OneSession = None,
    turn: Annotated[str | None, typer.Option(metavar="ID", help="Only this turn: its id or number, like #12.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be erased.")] = False,
    receipts: Annotated[
        bool, typer.Option("--receipts", help="Erase nothing: list what was erased, of one mind or of all.")
    ] = False,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=500, help="With --receipts: how many.")] = 20,
) -> None:
    """Erase a mind, a session or a turn everywhere, for good."""
    if session is not None and turn is not None:
        raise CommandFailed("--session and --turn exclude each other: erase one after the other")
    if receipts:
        await _show_kept(context, mind, part=session or turn, limit=limit)
        return
    if mind is None:
        raise CommandFailed("say whose memory: --mind ID; with --session or --turn only a part of it")
    target = ErasureRequest(mind, session, turn)
    if dry_run:
        await _preview(context, target)
        return
    if not yes and not sys.stdin.isatty():
        raise CommandFailed("nobody is here to confirm it: add --yes")
    async with connect(context) as connection:
        target, words = await _meant(connection.memory, target)
        if not yes:  # a mind whose erasure is under way is asked for in vain, and its erasure is joined
            held = await connection.memory.mind(mind)
            await confirm(_question(target, words, held, _own_files(context, mind)))
        with bar("erasing"):
            receipt = await _until_erased(connection.memory, target)
    if context.as_json:
        show_json(connection.answer if receipt is not None else None)
    else:
        out().print(f"Erased {_name(target)}", style="bold")
        show_facts(out(), _rows(receipt) if receipt is not None else ())
    if receipt is not None and not receipt.verified:
        raise CommandFailed("Not all of it could be shown to be gone; what is named above is left.")


async def _show_kept(context: Context, mind: str | None, *, part: str | None, limit: int) -> None:
    """The receipts that are kept, of *mind* or of all, newest first. Raises CommandFailed."""
    if part is not None:
        raise CommandFailed("--receipts lists a mind's receipts, or all: leave --session and --turn out")
    async with connect(context) as connection:
        memory = connection.memory
        found = await (memory.erasures(mind, limit=limit) if mind else memory.all_erasures(limit=limit))
    connection.show(context, _show_receipts, found)


async def _preview(context: Context, target: ErasureRequest) -> None:
    async with connect(context) as connection:
        memory = connection.memory
        target, _ = await _meant(memory, target)
        found = await memory.preview_erasure(target.mind_id, session=target.session_id, turn_id=target.turn_id)
    connection.show(context, _show_preview, found, target)


def _show_preview(console: Console, found: ErasurePreview, target: ErasureRequest) -> None:
    console.print(f"Nothing erased: a dry run for {_name(target)}", style="bold")
    show_facts(console, _preview_rows(found))


def _preview_rows(found: ErasurePreview) -> Iterator[Row]:
    yield Row("turns", f"{found.turns:,}")
    if found.facts is None or found.entities is None:
        yield Row("graph", "not available now: what it holds goes too", "yellow")
    else:
        yield Row("graph", facts_and_entities(found.facts, found.entities))
    yield Row("traces", f"{found.traces:,}")
    yield Row("corrections", f"{found.corrections:,}")
    for chapter in found.chapters:
        stays = chapter.is_edited and (found.session_id is not None or found.turn_id is not None)
        yield Row("stays" if stays else "chapter", one_line(chapter.heading), "yellow" if stays else "")
    for name in found.files:
        yield Row("left" if name in found.left else "file", one_line(name), "yellow" if name in found.left else "")


async def _meant(memory: AsyncMemoryClient, target: ErasureRequest) -> tuple[ErasureRequest, str]:
    """*target* with the id of the turn that it names, and that turn for a person; as it is where none is found."""
    if target.turn_id is not None:
        with suppress(RequestRefused):  # the erasure says it, or goes on where one that was begun ended
            turn = await turn_named(memory, target.mind_id, target.turn_id)
            return replace(target, turn_id=turn.turn_id), f" (#{turn.sequence}: {first_words(turn)})"
    return target, ""


def _own_files(context: Context, mind: str) -> list[str]:
    """What people wrote in the mind's folder, where it is on this machine."""
    if context.url is not None:
        return []
    return [name for _, name, is_ours in files_of(workspace_of(context.settings().folder, mind)) if not is_ours]


def _question(target: ErasureRequest, words: str, held: Mind, own_files: list[str]) -> str:
    if not target.is_whole:
        return f"Erase {_name(target)}{words} everywhere, for good?"
    size = f"{counted(held.turns, 'turn')} of {counted(held.sessions, 'session')}"
    files = f"people's own files ({', '.join(own_files)})" if own_files else "people's own files in its folder"
    return f"Erase {_name(target)} everywhere, for good: {size}, its story and graph, and {files}?"


async def _until_erased(memory: AsyncMemoryClient, target: ErasureRequest) -> Erasure | None:
    """The receipt; None where the erase ended between two calls that asked for it."""
    waited_for = None
    while True:
        try:
            receipt = await _erase(memory, target)
        except (NotFound, Erased):
            if waited_for is None:
                raise
            return None
        if receipt.erased_at is not None:
            return receipt
        if receipt.waiting_for != waited_for:
            waited_for = receipt.waiting_for
            note(f"Not done yet: {one_line(waited_for or '')}. It goes on by itself, also when this command ends.")
        await anyio.sleep(_AGAIN_SECONDS)


async def _erase(memory: AsyncMemoryClient, target: ErasureRequest) -> Erasure:
    if target.turn_id is not None:
        return await memory.erase_turn(target.mind_id, turn_id=target.turn_id)
    if target.session_id is not None:
        return await memory.erase_session(target.mind_id, session=target.session_id)
    return await memory.erase(target.mind_id)


def _name(target: ErasureRequest) -> str:
    if target.is_whole:
        return target.mind_id
    part = f"turn {target.turn_id}" if target.turn_id is not None else f"session {target.session_id}"
    return f"{part} of {target.mind_id}"


def _rows(receipt: Erasure) -> Iterator[Row]:
    places: dict[str, list[str]] = {}
    for one in receipt.erased:
        places.setdefault(one.place, []).append(_counted(one.count, one.unit.replace("_", " ")))
    for place, counts in places.items():
        yield Row(place, ", ".join(counts))
    for name in receipt.peoples_files:
        yield Row("a person's file", one_line(name))
    yield Row("graph's log", receipt.append_only_file)
    for heading in receipt.edited_by_person:
        yield Row("stays", f"{one_line(heading)}: a person edited it, and it may mention what was erased", "yellow")
    for name in receipt.left:
        yield Row("left", f"{one_line(name)} is a person's file, and it mentions what was erased", "yellow")
    for name in receipt.found:
        yield Row("found", one_line(name), "red")
    yield Row("searched", "nothing was found" if receipt.verified else "not verified")


def _counted(number: int, units: str) -> str:
    """``1 entity``, ``4 entities``, ``1 summary made again``; the first word of *units* is in the plural."""
    many, *more = units.split()
    one = f"{many.removesuffix('ies')}y" if many.endswith("ies") else many.removesuffix("s")
    return counted(number, " ".join((one, *more)), units)


def _show_receipts(console: Console, found: Erasures) -> None:
    """Receipts of erasures, newest first, a line each. They hold no word: a part is named by the digest of its id."""
    table = plain_table("erased", "mind", "what", "turns", "by", "")
    for one in found.items:
        what = one.kind if one.part is None else f"{one.kind} {one.part}"
        checked = "searched: nothing was found" if one.verified else "not verified"
        mind, part, by = map(short_name, (one.mind_id, what, one.by))
        table.add_row(minute(one.erased_at), mind, part, f"{one.turns:,}", by, checked)
    show_list(console, table if found.items else None, "Nothing was erased.", found.next_cursor)
