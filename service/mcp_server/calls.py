"""What each tool asks of the HTTP API: one call each, its answer as a result."""

from __future__ import annotations

from http import HTTPStatus
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import quote

from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from service.mcp_server.api_client import ApiRefused, ApiUnreachable
from service.mcp_server.results import (
    AskResult,
    CorrectionResult,
    EntitiesResult,
    FactsResult,
    JournalFileResult,
    JournalSearchResult,
    LogResult,
    RememberResult,
    ReportResult,
    ResonanceResult,
    SaveResult,
    SleepResult,
    StoreTurnResult,
    StoryResult,
    WakingResult,
)

if TYPE_CHECKING:
    from service.mcp_server.api_client import Answer, ApiConnection
    from service.mcp_server.arguments import (
        ToAsk,
        ToCorrect,
        ToGetJournal,
        ToListEntities,
        ToListFacts,
        ToolArguments,
        ToReadStory,
        ToRemember,
        ToReport,
        ToResonate,
        ToSave,
        ToSearchJournal,
        ToSearchLog,
        ToSleep,
        ToStore,
    )

_MOST_LETTERS = 30_000  # of a file at once: a host gives a model no answer that is much longer, or nothing but that


async def remember(arguments: ToRemember, connection: ApiConnection) -> RememberResult:
    """Facts, entities, episodes and observations."""
    mind = _mind(arguments, connection)
    params = arguments.values_of("query", "kinds", "entity_kinds", "since", "until", "at", "limit", "asker")
    answer = await _get(connection, mind, "remember", params)
    return RememberResult.model_validate(answer)


async def ask_memory(arguments: ToAsk, connection: ApiConnection) -> AskResult:
    """An answer, and the evidence of each line."""
    mind = _mind(arguments, connection)
    body = arguments.values_of("question", "limit", "since", "until", "at", "language", "timezone", "asker")
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/ask", json=body)
    except ApiRefused as refusal:
        answer = _note_of_missing_mind(refusal)
    return AskResult.model_validate({**answer, "mind": mind})


async def search_log(arguments: ToSearchLog, connection: ApiConnection) -> LogResult:
    """Messages that hold words, from the log."""
    names = ("query", "session_id", "role", "since", "until", "exclude_from", "limit", "context", "cursor", "timezone")
    answer = await _get(connection, _mind(arguments, connection), "log", arguments.values_of(*names))
    return LogResult.model_validate(answer)


async def list_facts(arguments: ToListFacts, connection: ApiConnection) -> FactsResult:
    """Facts, newest first."""
    names = ("entity", "state", "query", "since", "until", "limit", "cursor")
    answer = await _get(connection, _mind(arguments, connection), "facts", arguments.values_of(*names))
    return FactsResult.model_validate(answer)


async def list_entities(arguments: ToListEntities, connection: ApiConnection) -> EntitiesResult:
    """People and things."""
    names = ("query", "sort", "limit", "cursor")
    answer = await _get(connection, _mind(arguments, connection), "entities", arguments.values_of(*names))
    return EntitiesResult.model_validate(answer)


async def journal_memory_search(arguments: ToSearchJournal, connection: ApiConnection) -> JournalSearchResult:
    """Passages of people's notes."""
    mind = _mind(arguments, connection)
    answer = await _get(connection, mind, "journal/search", arguments.values_of("query", "max_results", "min_score"))
    return JournalSearchResult.model_validate(answer)


async def journal_memory_get(arguments: ToGetJournal, connection: ApiConnection) -> JournalFileResult:
    """Lines of a note."""
    mind = _mind(arguments, connection)
    answer = await _get(connection, mind, "journal/file", arguments.values_of("path", "from_line", "lines"))
    return _readable(JournalFileResult.model_validate({"path": arguments.path, **answer}))


def _readable(found: JournalFileResult) -> JournalFileResult:
    """As many whole lines as a model can read at once, and where to read on; of a longer line, its beginning."""
    if len(found.text) <= _MOST_LETTERS:
        return found
    lines = found.text.split("\n")
    fitting = sum(end <= _MOST_LETTERS for end in accumulate(len(line) + 1 for line in lines))
    count = max(1, fitting)
    following = found.from_line + count
    parts = () if fitting else (f"Line {found.from_line} is longer than what is shown of it.",)
    if following <= found.total_lines:
        parts = (*parts, f"That is not all: read on with from_line {following}.")
    text = "\n".join(lines[:count])[:_MOST_LETTERS]
    return found.model_copy(update={"text": text, "lines": count, "note": " ".join(parts)})


async def read_story(arguments: ToReadStory, connection: ApiConnection) -> StoryResult:
    """The story, or its newest chapters, without our comments."""
    answer = await _get(connection, _mind(arguments, connection), "story", {})
    book = parse(without_marks(str(answer.get("text", ""))))
    total = len(book.chapters)
    shown = total if arguments.newest is None else min(arguments.newest, total)
    chapters = "".join(chapter.text for chapter in book.chapters[-shown:])
    text = f"{book.opening_words}{chapters}" if shown == total else chapters
    story_text = {"text": text.strip(), "chapters": shown, "total_chapters": total}
    return StoryResult.model_validate({**answer, **story_text})


async def read_waking(arguments: ToolArguments, connection: ApiConnection) -> WakingResult:
    """What an agent of the mind is handed when it wakes."""
    return WakingResult.model_validate(await _get(connection, _mind(arguments, connection), "waking", {}))


async def resonance(arguments: ToResonate, connection: ApiConnection) -> ResonanceResult:
    """What surfaces for a message."""
    mind, session_id = _mind(arguments, connection), arguments.session_id or connection.session_id
    earlier = (message.model_dump(exclude_none=True) for message in arguments.earlier)
    messages = [*earlier, {"role": "user", "content": arguments.message, **arguments.values_of("name")}]
    body = {"session_id": session_id, "messages": messages, **arguments.values_of("query", "timezone", "max_fragments")}
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/resonance", json=body)
    except ApiRefused as refusal:
        answer = _note_of_missing_mind(refusal)
    return ResonanceResult.model_validate({**answer, "mind": mind, "session_id": session_id})


async def correct_memory(arguments: ToCorrect, connection: ApiConnection) -> CorrectionResult:
    """What a person wants put right."""
    mind = _mind(arguments, connection)
    body = arguments.values_of("what", "to", "reason")
    if arguments.id is not None:
        prefix = arguments.id.partition(":")[0]
        kind = prefix if prefix in {"fact", "entity"} else "turn"  # of any other id, the service says what it is
        body["target"] = {"kind": kind, "id": arguments.id}
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/corrections", json=body)
    except ApiRefused as refusal:
        if refusal.status == HTTPStatus.NOT_FOUND and not refusal.is_mind_not_found:
            refusal.add_note("Look it up again with `remember` or `list_facts`, and give the id that they show.")
        raise
    return CorrectionResult(
        mind=mind,
        id=answer["id"],
        what=answer["what"],
        memory=answer["target"]["text"],
        to=answer["to"],
        duplicate=answer["duplicate"],
    )


async def store_turn(arguments: ToStore, connection: ApiConnection) -> StoreTurnResult:
    """Store a turn. Its id is made before the first attempt, so that a repeated call stores nothing twice."""
    mind, session_id = _mind(arguments, connection), arguments.session_id or connection.session_id
    turn_id = arguments.turn_id or connection.fresh_id()
    body = {
        "turn_id": turn_id,
        "session_id": session_id,
        "messages": [message.model_dump(exclude_none=True) for message in arguments.messages],
        "off_the_record": arguments.off_the_record,
        **arguments.values_of("trace_id"),
    }
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/turns", json=body)
    except (ApiUnreachable, ApiRefused) as fault:
        if isinstance(fault, ApiUnreachable) or fault.is_retryable:
            fault.add_note(f'Call store_turn again later with "turn_id": "{turn_id}": nothing is stored twice.')
        raise
    return StoreTurnResult.model_validate({**answer, "mind": mind, "session_id": session_id})


async def save_memory(arguments: ToSave, connection: ApiConnection) -> SaveResult:
    """Save one memory. Its id is made before the first attempt, so that a repeated call saves nothing twice."""
    mind, session_id = _mind(arguments, connection), arguments.session_id or connection.session_id
    memory_id = arguments.id or connection.fresh_id()
    memory = {"id": memory_id, **arguments.values_of("text", "importance", "occurred_at")}
    body = {"session_id": session_id, "memories": [memory]}
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/memories", json=body)
    except (ApiUnreachable, ApiRefused) as fault:
        if isinstance(fault, ApiUnreachable) or fault.is_retryable:
            fault.add_note(f'Call save_memory again later with "id": "{memory_id}": nothing is saved twice.')
        raise
    saved = answer["memories"][0] if answer["memories"] else {"turn_id": "", "duplicate": False}
    return SaveResult(
        mind=mind,
        id=saved["turn_id"],
        session_id=session_id,
        importance=arguments.importance,
        duplicate=saved["duplicate"],
        dropped=tuple(one["reason"] for one in answer["dropped"]),
    )


async def set_sleep(arguments: ToSleep, connection: ApiConnection) -> SleepResult:
    """Let the agent sleep; it is the host that pauses it."""
    mind = _mind(arguments, connection)
    try:
        answer = await connection.api.ask("POST", f"{_path(mind)}/sleep", json=arguments.values_of("seconds"))
    except ApiRefused as refusal:
        answer = _note_of_missing_mind(refusal)
    return SleepResult.model_validate({**answer, "mind": mind})


async def report_outcome(arguments: ToReport, connection: ApiConnection) -> ReportResult:
    """What became of memories."""
    mind = _mind(arguments, connection)
    outcomes = [one.model_dump() for one in arguments.outcomes]
    body = {"outcomes": outcomes, **arguments.values_of("trace_id")}
    answer = await connection.api.ask("POST", f"{_path(mind)}/outcomes", json=body)
    return ReportResult.model_validate({**answer, "mind": mind})


async def _get(connection: ApiConnection, mind: str, resource: str, params: Answer) -> Answer:
    """The answer, or a note if the mind does not exist: looking before the first turn is normal."""
    try:
        answer = await connection.api.ask("GET", f"{_path(mind)}/{resource}", params=params)
    except ApiRefused as refusal:
        answer = _note_of_missing_mind(refusal)
    return {**answer, "mind": mind}


def _note_of_missing_mind(refusal: ApiRefused) -> Answer:
    if not refusal.is_mind_not_found:
        raise refusal
    reason = str(refusal)
    missing = "So there is nothing to read for you. If you expected memories, check the name."
    return {"note": f"{reason[:1].upper()}{reason[1:]}. {missing}"}


def _mind(arguments: ToolArguments, connection: ApiConnection) -> str:
    return connection.mind_for(arguments.mind)


def _path(mind: str) -> str:
    return f"/v1/minds/{quote(mind, safe='')}"
