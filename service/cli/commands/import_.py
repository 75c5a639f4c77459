"""
`mind-memory import` of conversations: exports read twice, once to count them, once to post each turn.

Turns go one after another through the route a backend uses, so that a session stays in order. A turn posted again is
answered as a duplicate, so the same command, run again after any interruption, goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, cast
from zoneinfo import ZoneInfo

import typer
from mind_memory_client import (
    AsyncMemoryClient,
    Conflict,
    Erased,
    InvalidRequest,
    Mind,
    MindMemoryError,
    MindNotFound,
)
from mind_memory_client.catalog import KeptTurn

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ImportUnreadable
from consolidation.kernel.errors import InvalidRequest as Unstorable
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.transcript.known import KnownMessages
from consolidation.workspace import DEFAULT_MIND
from service.adapters.falkordb.foreign_graph import is_address, read_graph
from service.cli.catch_up import until_caught_up
from service.cli.command import CommandFailed, Context, command
from service.cli.commands.archive import import_archive, is_archive
from service.cli.connection import Connection, connect, mind_or_none, pages
from service.cli.output.import_report import Report, as_json, show_report
from service.cli.output.progress import bar
from service.cli.output.terminal import one_line, show_json
from service.importing.formats import read_conversations
from service.importing.ids import IdAssigner
from service.importing.parts import ID_TAKEN, Beginnings, TakenIds, new_parts, not_stored, parts_of
from service.importing.results import KNOWN_FORMATS, FoundTurn

_GOES_ON = "Stopped. What was imported so far is stored; the same command goes on from there."
_NOTHING = f"Nothing was imported: no turn is in what was given. Known formats: {'; '.join(KNOWN_FORMATS)}"
_TURN_CONFLICT = "turn-conflict"
_MOST_NAMES = 20
_MOST_SESSIONS = 4  # whose stored turns are remembered
_LARGEST_PAGE = 500


@command(interrupted=_GOES_ON, json="What was found and what became of it, as JSON.")
async def import_(
    context: Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="An archive; an export of ChatGPT, Claude.ai, Gemini, WhatsApp, mem0, Zep, Graphiti or agents; JSONL.",
        ),
    ],
    mind: Annotated[
        str | None, typer.Option(metavar="ID", help="Whose memory; an archive's own id, or global-user-memory.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="SAMPLE", help="One conversation of the export, by its id.")
    ] = None,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Of times that name none, like Europe/Paris; UTC if left out.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be imported.")] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until everything has been read.")] = False,
    reembed: Annotated[
        bool, typer.Option("--reembed", help="Make an archive's vectors anew, with the embedder configured here.")
    ] = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Take an archive's own prompts too, which decide what models are told.")
    ] = False,
) -> None:
    """Import conversations, or the archive of a mind. Importing conversations again adds nothing twice."""
    files = [Path(one) for one in paths if not is_address(one)]
    if any(map(is_archive, files)):
        if len(paths) > 1 or only is not None:
            raise CommandFailed("an archive is imported alone and whole: give no other path, and no --only")
        how = {"is_dry": dry_run, "waits": not no_wait, "reembeds": reembed, "takes_prompts": prompts}
        await import_archive(context, files[0], mind=mind, **how)
        return
    clock = SystemClock()
    began = clock.monotonic()
    report = Report(mind or DEFAULT_MIND, is_dry=dry_run)
    wanted = Wanted(only, _zone(timezone))
    with TemporaryDirectory(prefix="mind-memory-") as folder:
        files += _fetched(report, filter(is_address, paths), Path(folder))
        now = clock.now()
        _survey(report, files, wanted, now=now)
        if only is not None and report.readable and not report.turns:
            raise CommandFailed("\n".join((*report.unreadable, _which_there_are(report.readable, wanted))))
        if report.readable and not report.turns:
            raise CommandFailed("\n".join((*report.unreadable, *report.reasons, _NOTHING)))
        if report.readable and not dry_run:
            async with connect(context, makes_home=True) as connection:
                await _import(connection, report, wanted, waits=not no_wait, now=now)
    if report.readable and context.as_json:
        show_json(as_json(report))
    elif report.readable:
        show_report(report, seconds=clock.monotonic() - began)
    if report.unreadable:
        raise CommandFailed("\n".join(report.unreadable))
    if left_out := report.left_out:
        raise CommandFailed(left_out)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversation is wanted, and in which zone times without one are."""

    only: str | None
    zone: ZoneInfo

    def turns(self, paths: Iterable[Path]) -> Iterator[FoundTurn]:
        """The turns of all *paths*. Raises ImportUnreadable."""
        found = (read_conversations(path, only=self.only, zone=self.zone) for path in paths)
        return (one for one in chain.from_iterable(found) if isinstance(one, FoundTurn))


def _zone(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ValueError, OSError, KeyError) as error:
        raise CommandFailed(f"--timezone: {name!r} is not a time zone, like Europe/Paris") from error


def _fetched(report: Report, addresses: Iterable[str], folder: Path) -> list[Path]:
    """The graphs at *addresses* as files in *folder*; one that can not be read is noted, the others go on."""
    files = []
    for number, address in enumerate(addresses, start=1):
        file = folder / f"graph-{number}.jsonl"
        try:
            with file.open("w", encoding="utf-8") as to:
                to.writelines(f"{json.dumps(one)}\n" for one in read_graph(address))
        except ImportUnreadable as fault:
            report.unreadable.append(str(fault))
        else:
            files.append(file)
    return files


def _survey(report: Report, paths: Sequence[Path], wanted: Wanted, *, now: datetime) -> None:
    """
    Read every path once; one that can not be read is noted, the others go on.

    In a dry run, what could not be stored is found out, too.
    """
    ids = TakenIds()
    with bar("looking") as reached:
        for path in paths:
            try:
                for one in read_conversations(path, only=wanted.only, zone=wanted.zone):
                    if isinstance(one, FoundTurn):
                        is_taken = ids.conflict_with(one)
                        if is_taken:
                            report.refuse(one.turn, one.where, ID_TAKEN)
                        for part in parts_of(one.dated(now)):
                            report.count_found(part)
                            if report.is_dry and not is_taken and (why := _why_refused(part, now=now)):
                                report.refuse(part, one.where, why)
                        reached(report.turns)
                        continue
                    report.count_skipped(one)
            except ImportUnreadable as fault:
                report.unreadable.append(str(fault))
            else:
                report.readable.append(path)


def _why_refused(turn: Turn, *, now: datetime) -> str:
    """Why it could not be stored; empty where it could."""
    from service.http.schemas.imports import postable
    from service.ingest.intake import check_times

    try:
        check_times(postable(turn), now=now)
    except Unstorable as fault:
        return str(fault)
    return ""


def _which_there_are(paths: Sequence[Path], wanted: Wanted) -> str:
    """That none is the wanted one, and which there are; every path is read once more."""
    names = list(dict.fromkeys(one.turn.session_id for one in replace(wanted, only=None).turns(paths)))
    shown = ", ".join(one_line(name) for name in names[:_MOST_NAMES])
    more = f", and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    words = f"there are: {shown}{more}" if names else "there are none"
    return f"--only: no conversation {one_line(str(wanted.only))!r} in what was given; {words}. Nothing was imported"


async def _import(connection: Connection, report: Report, wanted: Wanted, *, waits: bool, now: datetime) -> None:
    memory = connection.memory
    report.before = _size(await mind_or_none(memory, report.mind))
    stored = _StoredTurns(memory, report.mind)
    reached_turns = 0
    ids = TakenIds()
    with bar("importing", total=report.turns) as reached:
        for one in wanted.turns(report.readable):
            if not ids.conflict_with(one):  # which was refused when it was looked at
                await _post_parts(connection, report, one, stored, now=now)
            reached_turns += len(parts_of(one.turn))
            reached(reached_turns)
    mind = await mind_or_none(memory, report.mind)
    if mind is not None and waits:
        mind, report.held_up_by = await until_caught_up(memory, report.mind)
    report.after = _size(mind)
    report.left = mind.graph.lag if mind is not None else 0


async def _post_parts(
    connection: Connection, report: Report, found: FoundTurn, stored: _StoredTurns, *, now: datetime
) -> None:
    """Post what is not stored of an exchange. What follows a part that is off the record is so, too."""
    session_id = found.turn.session_id
    new = await new_parts(found, stored=partial(stored.turn, session_id), beginnings=stored.beginnings)
    report.known += new.known
    withheld = report.withheld
    for part in new.turns:
        left = await stored.left_of(part, alike=found.alike)
        if left is None:
            report.known += 1
            continue
        before = report.new
        is_withheld = report.withheld > withheld
        await _post(connection, report, replace(found, turn=left), is_off_the_record=is_withheld, now=now)
        if report.new > before:
            await stored.note(session_id, left.turn_id)


class _StoredTurns:
    """The turns that a mind has, session by session; those of the last few sessions are remembered."""

    def __init__(self, memory: AsyncMemoryClient, mind: str) -> None:
        self._memory = memory
        self._mind = mind
        self._sessions: dict[str, dict[str, Turn | None]] = {}  # None for one that is read when it is needed
        self._known: dict[str, KnownMessages] = {}
        self._matched: set[str] = set()  # ids of stored turns that turns of the import have, or that it stored
        self._ids = IdAssigner(stem="")
        self.beginnings = Beginnings()

    async def turn(self, session_id: str, turn_id: str) -> Turn | None:
        """The turn of this id in a session; None where there is none."""
        turns = await self._of(session_id)
        if turn_id in turns and turns[turn_id] is None:
            turns[turn_id] = _as_turn(await self._memory.read_turn(self._mind, turn_id=turn_id))
        found = turns.get(turn_id)
        if found is not None and turn_id not in self._matched and session_id in self._known:
            self._known[session_id].leave_out(found.messages)
        if found is not None:
            self._matched.add(turn_id)
        return found

    async def left_of(self, turn: Turn, *, alike: str) -> Turn | None:
        """
        *turn* without what its session, or one that begins *alike*, holds in other turns; None where that is all.

        One whose id is taken stays as it is.
        """
        turns = await self._of(turn.session_id)
        if turn.turn_id in turns:
            return turn
        where = alike or turn.session_id
        if where not in self._known:
            there = [turns] if not alike else [await self._read(one) for one in await self._sessions_like(alike)]
            every = [one for found in there for one in found.values() if one is not None]
            known = self._known[where] = KnownMessages(chain.from_iterable(one.messages for one in every))
            for one in every:
                if one.turn_id in self._matched:
                    known.leave_out(one.messages)

        def free_id(messages: tuple[Message, ...]) -> str:
            while (turn_id := self._ids.turn(f"{turn.session_id}:rest", messages=messages)) in turns:
                pass
            return turn_id

        return not_stored(turn, self._known[where], turn_id=free_id)

    async def _sessions_like(self, beginning: str) -> list[str]:
        found: list[str] = []
        ask = self._memory.sessions
        with suppress(MindNotFound):
            async for page in pages(lambda cursor: ask(self._mind, cursor=cursor, limit=_LARGEST_PAGE)):
                found += [one.session_id for one in page.items if one.session_id.startswith(beginning)]
        return found

    async def note(self, session_id: str, turn_id: str) -> None:
        """Remember that a turn was stored."""
        (await self._of(session_id))[turn_id] = None
        self._matched.add(turn_id)

    async def _of(self, session_id: str) -> dict[str, Turn | None]:
        if session_id not in self._sessions:
            if len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[session_id] = await self._read(session_id)
        return self._sessions[session_id]

    async def _read(self, session_id: str) -> dict[str, Turn | None]:
        found: dict[str, Turn | None] = {}
        ask = partial(self._memory.turns, self._mind, session=session_id, after=0, limit=_LARGEST_PAGE)
        with suppress(MindNotFound):
            async for page in pages(lambda cursor: ask(cursor=cursor)):
                found |= {one.turn_id: _as_turn(one) for one in page.items}
        return found


def _as_turn(kept: KeptTurn) -> Turn:
    said = [Message(Speaker(one.role), one.content, one.timestamp, one.name, one.id) for one in kept.messages]
    return Turn(kept.turn_id, kept.session_id, tuple(said), TurnKind(kept.kind), kept.metadata)


async def _post(
    connection: Connection, report: Report, found: FoundTurn, *, is_off_the_record: bool, now: datetime
) -> None:
    turn = found.dated(now)
    is_off_the_record = is_off_the_record or turn.kind is TurnKind.OFF_THE_RECORD
    try:
        stored = await connection.memory.store_turn(
            report.mind,
            turn.session_id,
            [asdict(message) for message in turn.messages],
            turn_id=turn.turn_id,
            kind=None if is_off_the_record else cast("Any", turn.kind.value),  # what an export can hold
            off_the_record=is_off_the_record,
            metadata=turn.metadata,
        )
    except Erased:
        report.erased += 1
    except InvalidRequest as refusal:
        report.refuse(turn, found.where, connection.explain(refusal))
    except MindMemoryError as error:
        if not (isinstance(error, Conflict) and error.slug == _TURN_CONFLICT):
            raise CommandFailed(f"{connection.explain(error)}. {_GOES_ON}") from error
        report.conflicts.append(f"{turn.turn_id} ({found.where})")
    else:
        report.count_stored(stored)


def _size(mind: Mind | None) -> tuple[int, int] | None:
    """Facts and entities; None while the graph is unavailable."""
    if mind is None:
        return 0, 0
    return (mind.graph.facts, mind.graph.entities) if mind.graph.available else None
