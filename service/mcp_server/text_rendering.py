"""Results as text, for hosts that read no data: each memory on lines of its own, with dates and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.injected_blocks import as_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from service.mcp_server.results import (
        AskResult,
        CorrectionResult,
        DecisionResult,
        EntitiesResult,
        EntityResult,
        EvidenceResult,
        FactResult,
        FactsResult,
        JournalFileResult,
        JournalSearchResult,
        LogItemResult,
        LogLineResult,
        LogResult,
        MemoryResult,
        RememberResult,
        ReportResult,
        ResonanceResult,
        SaveResult,
        SleepResult,
        SourceResult,
        StoreTurnResult,
        StoryResult,
        ToolResult,
    )

_MOST_SOURCES = 3
_LINES_DROPPED = "answer_lines_dropped"  # which the line on what was left out tells


def remembered(found: RememberResult) -> str:
    """A numbered list, best first."""
    if not found.memories:
        return _with_notes(found, "Nothing is remembered about that.", found.degraded)
    lines = [line for at, memory in enumerate(found.memories, 1) for line in _memory(memory, at)]
    return _with_notes(found, "\n".join(lines), found.degraded)


def answered(found: AskResult) -> str:
    """The lines with their numbers, what is missing, what contradicts and was left out, then the numbered evidence."""
    if not found.evidence:
        return _with_notes(found, "Nothing is remembered about that.", found.degraded)
    at = {one.id: number for number, one in enumerate(found.evidence, 1)}
    lines = [f"{_line(one.text)} {_marks(one.sources, at)}" for one in found.answer]
    if not lines:
        lines.append("No answer was worded. The evidence:")
    if found.missing:
        lines.append(f"Not in memory: {'; '.join(map(_line, found.missing))}.")
    pairs = ((" / ".join(map(_line, one.texts)), _marks(one.sources, at)) for one in found.contradictions)
    lines += [f"Contradicting: {texts} {marks}" for texts, marks in pairs]
    if found.dropped:
        lines.append(f"Left out, as memory does not bear it out: {'; '.join(map(_line, found.dropped))}.")
    lines += ["", *(line for number, one in enumerate(found.evidence, 1) for line in _evidence(one, number))]
    return _with_notes(found, "\n".join(lines), [one for one in found.degraded if one != _LINES_DROPPED])


def log_found(found: LogResult) -> str:
    """Each message with its age and its place, and the messages around it."""
    if not found.items:
        return _with_notes(found, "No message in the log holds these words.", found.degraded)
    lines: list[str] = []
    for at, item in enumerate(found.items, 1):
        cycles = _cycles(item.cycles_ago)
        age = f", {item.age}" if item.age else ""
        decided = "".join(f", {one}" for one in _decided(item.corrections))
        lines.append(f"{at}. {_when(item.at, '').strip()}{age}{cycles}, session {item.session_id}{decided}")
        lines += [f"     {_said(one)}" for one in item.before]
        lines.append(f"   > {_said(item)}")
        lines += [f"     {_said(one)}" for one in item.after]
    if found.next_cursor is not None:
        lines += ["", f"Older messages: the same call with cursor {found.next_cursor}."]
    return _with_notes(found, "\n".join(lines), found.degraded)


def facts_listed(found: FactsResult) -> str:
    """Each fact with its state, since when and until when it holds, and its newest source."""
    if not found.items:
        return _with_notes(found, "No such fact is known.")
    lines: list[str] = []
    for at, fact in enumerate(found.items, 1):
        lines.append(f"{at}. [{_about(fact)}] {_line(fact.text)} (id {fact.id})")
        lines.extend(_sources(fact.sources[:1]))
    if found.next_cursor is not None:
        lines += ["", f"Older facts: the same call with cursor {found.next_cursor}."]
    return _with_notes(found, "\n".join(lines))


def entities_listed(found: EntitiesResult) -> str:
    """Each name with how much is known of it, and when it was last spoken of."""
    if not found.items:
        return _with_notes(found, "Nobody and nothing of that name is known.")
    lines = [f"{at}. {_entity(one)} (id {one.id})" for at, one in enumerate(found.items, 1)]
    if found.next_cursor is not None:
        lines += ["", f"More: the same call with cursor {found.next_cursor}."]
    return _with_notes(found, "\n".join(lines))


def journal_found(found: JournalSearchResult) -> str:
    """Passages, with the place to read on."""
    if not found.results:
        return _with_notes(found, "The journal says nothing about that.", found.degraded)
    passages = [
        f"{at}. {one.path}, lines {one.start_line} to {one.end_line} (score {one.score:.2f})\n{one.snippet.strip()}"
        for at, one in enumerate(found.results, 1)
    ]
    return _with_notes(found, "\n\n".join(passages), found.degraded)


def journal_text(found: JournalFileResult) -> str:
    """The lines, and which lines they are."""
    if not found.lines:
        return _with_notes(found, f"{found.path} has {found.total_lines} lines, none of them there.")
    last = found.from_line + found.lines - 1
    head = f"{found.path}, lines {found.from_line} to {last} of {found.total_lines}:"
    return _with_notes(found, f"{head}\n\n{found.text}")


def story(found: StoryResult) -> str:
    """The story itself, and up to when it is told."""
    if not found.text:
        return _with_notes(found, "The story has not begun yet.")
    is_whole = found.chapters == found.total_chapters
    head = () if is_whole else (f"The newest {found.chapters} of {found.total_chapters} chapters:",)
    end = () if found.last_processed is None else (f"It is told{_when(found.last_processed, ' up to')}.",)
    return _with_notes(found, "\n\n".join((*head, found.text, *end)))


def resonated(found: ResonanceResult) -> str:
    """The block, and the sources of its memories."""
    if not found.surfaced:
        why = f" ({found.silence})" if found.silence else ""
        return _with_notes(found, f"Nothing surfaces{why}. That is normal: answer without a memory.", found.degraded)
    lines = [found.block.strip(), "", f"Sources (trace_id {found.trace_id}):"]
    for at, flashback in enumerate(found.flashbacks, 1):
        lines.append(f"{at}. {_line(flashback.text)} (id {flashback.id})")
        lines.extend(_sources(flashback.sources))
    return _with_notes(found, "\n".join(lines), found.degraded)


def reported(found: ReportResult) -> str:
    """What was applied, and which ids are unknown."""
    lines = [f"{found.applied} applied."]
    if found.unknown:
        lines.append(f"Not shown, or no memory: {', '.join(map(_line, found.unknown))}.")
    return _with_notes(found, "\n".join(lines))


def stored(found: StoreTurnResult) -> str:
    """That the turn is stored, and what of it is not."""
    lines = [
        f"It had been stored before as turn {found.turn_id}; nothing was stored twice."
        if found.duplicate
        else f"Stored as turn {found.turn_id} of session {found.session_id}, number {found.sequence} of {found.mind}."
    ]
    lines.extend(
        f"Not stored as it was: {'the metadata' if one.index is None else f'message {one.index}'} ({one.reason})."
        for one in found.dropped
    )
    return _with_notes(found, "\n".join(lines))


def saved(found: SaveResult) -> str:
    """That the memory is kept, or why it is not."""
    reasons = ", ".join(found.dropped)
    if not found.id:
        return _with_notes(found, f"Not kept: {reasons}.")
    said = "It had been saved before as" if found.duplicate else "Saved as"
    taken = f" Taken out of it: {reasons}." if reasons else ""
    return _with_notes(found, f"{said} {found.id} of {found.mind}.{taken}")


def corrected(found: CorrectionResult) -> str:
    """What holds from now on."""
    done = "It stood already" if found.duplicate else "Done"
    to = f" → {_line(found.to)}" if found.to else ""
    return _with_notes(found, f"{done}: {found.what}: {_line(found.memory)}{to} (correction {found.id})")


def asleep(found: SleepResult) -> str:
    """How the sleep is, and until when to pause."""
    until = f"for {found.pause_seconds:g} seconds, until{_when(found.wake_at, '')}"
    if found.dream_id is None:
        return _with_notes(found, f"You nap {until}. Do nothing more until then.")
    return _with_notes(
        found,
        f"You sleep {until} ({found.kind.replace('_', ' ')}). Do nothing more until then: what you lived since your "
        "last dream is being consolidated.",
    )


def _memory(memory: MemoryResult, at: int) -> Iterator[str]:
    validity = [_when(memory.valid_at, "since"), _when(memory.invalid_at, "until")]
    kind = f"{memory.kind} {_line(memory.entity_kind)}" if memory.entity_kind else memory.kind
    details = [kind, _when(memory.occurred_at, "told"), *(validity if memory.kind == "fact" else [])]
    if memory.is_contradicted:
        details.append("found wrong once")
    details += _decided(memory.corrections)
    yield f"{at}. [{', '.join(fact for fact in details if fact)}] {_line(memory.text)} (id {memory.id})"
    yield from _sources(memory.sources, excluding=memory.text)


def _about(fact: FactResult) -> str:
    times = (_when(fact.valid_at, "since"), _when(fact.invalid_at, "until"))
    wrong = ("found wrong once",) if fact.is_contradicted else ()
    return ", ".join((fact.state, *filter(None, times), *wrong, *_decided(fact.corrections)))


def _entity(one: EntityResult) -> str:
    called = _line(one.called) or _line(one.name)
    told_as = f", told as {_line(one.name)}" if called != _line(one.name) else ""
    kind = f" ({_line(one.kind)})" if one.kind else ""
    known = (_counted(one.facts, "fact"), _when(one.last_at, "last spoken of"), *_decided(one.corrections))
    return f"{called}{told_as}{kind}: {', '.join(filter(None, known))}"


def _cycles(ago: int | None) -> str:
    """How many of the agent's sleeps ago."""
    return "" if ago is None else ", in this cycle" if ago == 0 else f", {_counted(ago, 'cycle')} ago"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _decided(corrections: Sequence[DecisionResult]) -> Iterator[str]:
    """What a person decided, each in a few words."""
    for one in corrections:
        yield f"a person: {one.what}{f' → {_line(one.to)}' if one.to else ''}"


def _evidence(one: EvidenceResult, at: int) -> Iterator[str]:
    first, *rest = _memory(one, at)
    yield first.replace("[", f"[{one.state}, ", 1) if one.state != "said" else first
    yield from rest


def _marks(ids: Sequence[str], at: Mapping[str, int]) -> str:
    return " ".join(f"[{at[one]}]" for one in ids if one in at)


def _said(message: LogItemResult | LogLineResult) -> str:
    return f"{f'{message.role} {message.name}' if message.name else message.role}: {_line(message.text)}"


def _sources(sources: Sequence[SourceResult], *, excluding: str = "") -> Iterator[str]:
    for source in sources[:_MOST_SOURCES]:
        if source.path is not None:
            yield f"   source: {source.path}, lines {source.start_line} to {source.end_line}"
            continue
        if source.by is not None:
            yield f"   source: a person, {_when(source.timestamp, '').strip()}"
            continue
        quoted = f": {_line(source.excerpt)}" if _line(source.excerpt) not in {"", _line(excluding)} else ""
        yield f"   source: {_when(source.timestamp, '').strip()}, session {source.session_id}{quoted}"
    if len(sources) > _MOST_SOURCES:
        yield f"   and {_counted(len(sources) - _MOST_SOURCES, 'more source')}"


def _with_notes(found: ToolResult, text: str, degraded: Sequence[str] = ()) -> str:
    lines = [found.note or text]
    if degraded:
        lines.append(f"Looked without: {', '.join(degraded)}.")
    return "\n\n".join(lines)


def _when(instant: datetime | None, word: str) -> str:
    return f"{word} {instant:%Y-%m-%d %H:%M} UTC" if instant is not None else ""


def _line(text: str) -> str:
    """*text* on one line, so that nothing somebody said can look like a line of ours."""
    return as_data(" ".join(text.split()))
