"""What `mind-memory import` found in exports of conversations, and what became of it: as rows, and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.cli.output.memories import is_off_the_record, secrets_in
from service.cli.output.terminal import Row, counted, days, first_of, one_line, out, ready_to_type, show_facts, typed
from service.importing.times import has_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from mind_memory_client import StoredTurn

    from consolidation.kernel.turns import Turn
    from service.importing.results import Skipped

_MOST_REASONS = 5


@dataclass(slots=True)
class Report:
    """
    What the exports hold, and what became of it; filled while they are read, and while turns are posted.

    ``reasons`` are the first few of all that is ``skipped``, of which so many are ``damaged``. ``before`` and ``after``
    are the mind's facts and entities, where the graph knows them.
    """

    mind: str
    is_dry: bool
    turns: int = 0
    sessions: set[str] = field(default_factory=set)
    first: datetime | None = None
    last: datetime | None = None
    undated: int = 0
    skipped: int = 0
    damaged: int = 0
    reasons: list[str] = field(default_factory=list)
    readable: list[Path] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    new: int = 0
    known: int = 0
    erased: int = 0
    conflicts: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    withheld: int = 0
    secrets: Counter[str] = field(default_factory=Counter)
    before: tuple[int, int] | None = None
    after: tuple[int, int] | None = None
    left: int = 0
    held_up_by: str | None = None

    @property
    def made(self) -> tuple[int, int] | None:
        """How many facts and entities more there are; None where the graph does not know."""
        if self.is_dry or self.before is None or self.after is None:
            return None
        return self.after[0] - self.before[0], self.after[1] - self.before[1]

    @property
    def left_out(self) -> str:
        """What of the exports is lost, or would be, in a sentence; empty where nothing is."""
        damaged = f"{counted(self.damaged, 'part')} of what was given is damaged and could not be read"
        refused = f"{counted(len(self.refused), 'turn')} can not be stored"
        lost = [words for words, number in ((damaged, self.damaged), (refused, len(self.refused))) if number]
        rest = "can be stored" if self.is_dry else "is stored"
        return f"{', and '.join(lost)}; everything else {rest}" if lost else ""

    def count_found(self, turn: Turn) -> None:
        """Add a turn of an export."""
        self.turns += 1
        self.sessions.add(turn.session_id)
        self.undated += not has_time(turn)
        for message in turn.messages:
            if message.timestamp is not None:
                self.first = min(self.first or message.timestamp, message.timestamp)
                self.last = max(self.last or message.timestamp, message.timestamp)

    def count_skipped(self, one: Skipped) -> None:
        """Add what gives no turn."""
        self.skipped += 1
        self.damaged += one.is_damage
        if len(self.reasons) < _MOST_REASONS:
            self.reasons.append(f"{one.place}: {one.reason}")

    def refuse(self, turn: Turn, where: str, why: str) -> None:
        """Add a turn that can not be stored."""
        self.refused.append(f"{turn.turn_id} ({where}): {why}")

    def count_stored(self, stored: StoredTurn) -> None:
        """Add what became of a turn."""
        self.secrets.update(secrets_in(stored.dropped))
        if is_off_the_record(stored.dropped):
            self.withheld += 1
        elif stored.duplicate:
            self.known += 1
        else:
            self.new += 1


def as_json(report: Report) -> dict[str, object]:
    """The *report*; ``made`` is null in a dry run, and while the graph is not available."""
    return {
        "mind_id": report.mind,
        "is_dry_run": report.is_dry,
        "found": {
            "turns": report.turns,
            "sessions": len(report.sessions),
            "first": report.first.isoformat() if report.first is not None else None,
            "last": report.last.isoformat() if report.last is not None else None,
            "undated": report.undated,
        },
        "new": report.new,
        "known": report.known,
        "erased": report.erased,
        "withheld": report.withheld,
        "redacted": dict(sorted(report.secrets.items())),
        "conflicts": report.conflicts,
        "refused": report.refused,
        "skipped": {"count": report.skipped, "first": report.reasons},
        "unreadable": report.unreadable,
        "made": dict(zip(("facts", "entities"), report.made, strict=True)) if report.made is not None else None,
        "unread": {"turns": report.left, "waiting_for": report.held_up_by},
    }


def show_report(report: Report, *, seconds: float) -> None:
    """Print the *report* of an import that took so long."""
    console = out()
    head = f"Imported into {report.mind} in {_took(seconds)}"
    console.print(f"Nothing imported: a dry run for {report.mind}" if report.is_dry else head, style="bold")
    show_facts(console, _rows(report))
    if not report.is_dry and report.new:
        console.print(f"\n  Ask it something: {ready_to_type(f'chat --mind {report.mind}')}", style="dim")


def _rows(report: Report) -> Iterator[Row]:
    yield Row("found", f"{counted(report.turns, 'turn')} in {counted(len(report.sessions), 'session')}")
    if report.first is not None and report.last is not None:
        yield Row("dated", days(report.first, report.last))
    if report.undated:
        yield Row("undated", f"{counted(report.undated, 'turn')} without any time: as if said at the import", "yellow")
    if not report.is_dry:
        yield Row("new", f"{report.new:,}", "green" if report.new else "")
        yield Row("known", f"{report.known:,} were already there")
        if report.erased:
            yield Row("erased", f"{report.erased:,} were erased here, and stay so", "yellow")
    yield from first_of("conflicts", "with the id of a stored turn, but other words: that one stays", report.conflicts)
    yield from first_of("refused", "that can not be stored", report.refused)
    if report.withheld:
        yield Row("withheld", f"{counted(report.withheld, 'turn')} off the record: nothing of them is stored")
    if report.secrets:
        kinds = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(report.secrets.items()))
        yield Row("redacted", f"{kinds}: replaced by a mark", "yellow")
    uncertain = "that give no turn, no time, or uncertain letters"
    yield from first_of("skipped", uncertain, report.reasons, total=report.skipped)
    if report.made is not None:
        facts, entities = report.made
        yield Row("made", f"{counted(facts, 'fact')} and {counted(entities, 'entity', 'entities')}")
    left = counted(report.left, "turn")
    if report.held_up_by is not None:
        yield Row("unread", f"{left}: {one_line(report.held_up_by)}. Nothing is lost; it is tried again", "yellow")
    elif report.left:
        yield Row("unread", f"{left}, read while the service runs; {typed('status')} shows how far it is")


def _took(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
