"""Turns, facts, entities, receipts and notes in a terminal: a line each in a list, and one of them in detail."""

from __future__ import annotations

from mind_memory_client.catalog import Entities, Entity, EntityDetail, Fact, Facts, KeptTurn, Turns, Use
from mind_memory_client.corrections import Decision
from mind_memory_client.records import Erasures, JournalFiles
from rich.console import Console
from rich.text import Text

from service.cli.output.terminal import (
    Row,
    counted,
    day,
    days,
    indented,
    minute,
    note,
    one_line,
    plain,
    plain_table,
    rows_of,
    show_facts,
    speaker,
    table_with_ids,
)

_LONGEST, _LONGEST_NAME, _LONGEST_SUMMARY = 160, 40, 400
_SHOWN = 10  # neighbours and months of an entity
_MORE = "there are more: raise --limit, or narrow it"


def show_turn_list(console: Console, found: Turns) -> None:
    """Turns, a line each: when, where, and the first words."""
    table = plain_table("", "said", "session", "")
    for turn in found.items:
        words = next((message.content for message in turn.messages if message.content.strip()), "")
        said = words or f"({turn.kind.replace('_', ' ')})"
        table.add_row(
            f"#{turn.sequence}", minute(turn.occurred_at), _name(turn.session_id), one_line(said, most=_LONGEST)
        )
    _show_list(console, table if found.items else None, "No turn is kept.", found.next_cursor)


def show_turn(console: Console, turn: KeptTurn) -> None:
    """One turn: its messages, and what became of it."""
    rows = [
        Row("turn", f"#{turn.sequence}  {turn.turn_id}"),
        Row("session", turn.session_id),
        Row("kind", turn.kind.replace("_", " ")),
        Row("said", minute(turn.occurred_at)),
        Row("state", turn.digestion.state.replace("_", " ")),
        Row("", turn.digestion.error or "", "yellow"),
        Row("trace", turn.trace_id or ""),
        *(Row("chapter", chapter.heading.lstrip("# ")) for chapter in turn.chapters or ()),
    ]
    show_facts(console, _plain(rows), below=1)
    for message in turn.messages:
        indented(console, speaker(message.role, message.name).append(plain(message.content)))


def show_fact_list(console: Console, found: Facts) -> None:
    """Facts, newest first, a line each, with their state."""
    rows = ((one.id, (_state(one), _told(one), one_line(one.text, most=_LONGEST))) for one in found.items)
    table = table_with_ids(console, ("state", "told", ""), rows)
    _show_list(console, table if found.items else None, "No fact is known.", found.next_cursor)


def show_fact(console: Console, fact: Fact) -> None:
    """One fact, and the turns that told it."""
    rows = [
        Row("fact", fact.text),
        Row("joins", f"{fact.source} — {fact.target}" if fact.source else ""),
        Row("state", _state(fact)),
        Row("said", f"{minute(fact.said.at)}, by {fact.said.by}" if fact.said else ""),
        Row("since", minute(fact.valid_at) if fact.valid_at else ""),
        Row("until", minute(fact.invalid_at) if fact.invalid_at else ""),
        Row("importance", f"{fact.importance:g}" if fact.importance is not None else ""),
        Row("told in", counted(fact.turns, "turn")),
        Row("surfaced", _use(fact.surfaced) if fact.surfaced else ""),
        *rows_of("put right", map(_decision, fact.corrections)),
    ]
    show_facts(console, _plain(rows), below=1)
    for source in fact.sources:
        head = Text(f"{minute(source.timestamp)}  ", style="bold")
        head.append(f"{_name(source.session_id)} #{source.sequence}", style="dim")
        indented(console, head)
        indented(console, Text(one_line(source.excerpt)), by=4)


def show_entity_list(console: Console, found: Entities) -> None:
    """Entities, a line each: the name, how much is known, and when it was spoken of."""
    table = table_with_ids(console, ("name", "kind", "facts", "turns", ""), map(_entity, found.items))
    _show_list(console, table if found.items else None, "Nobody and nothing is known.", found.next_cursor)


def show_entity(console: Console, found: EntityDetail) -> None:
    """One entity, and what is around it."""
    months = ", ".join(f"{one.month} ({one.turns})" for one in found.mentions_by_month[-_SHOWN:])
    rows = [
        Row("name", found.name),
        Row("called", found.called if found.called != found.name else ""),
        Row("kind", found.kind),
        Row("summary", one_line(found.summary, most=_LONGEST_SUMMARY)),
        Row("known", f"{counted(found.facts, 'fact')} in {counted(found.mentions, 'turn')}"),
        Row("spoken of", _spoken(found, never="never in a fact")),
        Row("by month", months),
        *rows_of("with", (f"{one.name} ({one.facts})" for one in found.neighbours[:_SHOWN])),
        *rows_of("put right", map(_decision, found.corrections)),
        *rows_of("looks like", (f"{one.name} ({one.why.replace('_', ' ')}) {one.id}" for one in found.lookalikes)),
    ]
    show_facts(console, _plain(rows), below=1)
    if found.newest_facts:
        show_fact_list(console, Facts(items=found.newest_facts))


def _state(one: Fact) -> str:
    return f"{one.state}, found wrong once" if one.is_contradicted else one.state


def _told(one: Fact) -> str:
    return day(one.sources[0].timestamp) if one.sources else ""


def _entity(one: Entity) -> tuple[str, tuple[str, ...]]:
    numbers = f"{one.facts:,}", f"{one.mentions:,}"
    return one.id, (_name(one.called or one.name), _name(one.kind), *numbers, _spoken(one, never=""))


def _spoken(one: Entity, *, never: str) -> str:
    return days(one.first_at, one.last_at) if one.first_at and one.last_at else never


def _use(use: Use) -> str:
    return f"{counted(use.count, 'time')}, last {minute(use.last_at)}"


def _decision(one: Decision) -> str:
    to = f" → {one_line(one.to, most=_LONGEST)}" if one.to else ""
    return f"{minute(one.at)} {one.what}{to}, by {one.by}, {one.id}"


def show_receipts(console: Console, found: Erasures) -> None:
    """Receipts of erasures, newest first, a line each. They hold no word: a part is named by the digest of its id."""
    table = plain_table("erased", "mind", "what", "turns", "by", "")
    for one in found.items:
        what = one.kind if one.part is None else f"{one.kind} {one.part}"
        checked = "searched: nothing was found" if one.verified else "not verified"
        table.add_row(minute(one.erased_at), _name(one.mind_id), _name(what), f"{one.turns:,}", _name(one.by), checked)
    _show_list(console, table if found.items else None, "Nothing was erased.", found.next_cursor)


def show_notes(console: Console, found: JournalFiles) -> None:
    """The files of a journal, newest first, a line each, with who writes them."""
    table = plain_table("file", "kind", "changed", "bytes", "")
    for one in found.files:
        written_by = "people" if one.is_editable else "the agent"
        table.add_row(_name(one.path), one.kind, minute(one.changed_at), f"{one.bytes:,}", f"by {written_by}")
    _show_list(console, table if found.files else None, "Nothing is written down.", None)


def _show_list(console: Console, table: object, nothing: str, next_cursor: str | None) -> None:
    console.print(table if table is not None else nothing, crop=False)  # an id may be wider than the terminal
    if next_cursor is not None:
        note(_MORE)


def _plain(rows: list[Row]) -> list[Row]:
    return [Row(row.name, plain(row.words), row.style) for row in rows]


def _name(text: str) -> str:
    return one_line(text, most=_LONGEST_NAME)
