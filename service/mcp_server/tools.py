"""The tools, one row each: name, arguments, result, and how the result reads as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.mcp_server import arguments, calls, results, text_rendering

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.mcp_server.api_client import ApiConnection
    from service.mcp_server.arguments import ToolArguments
    from service.mcp_server.results import ToolResult


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """
    A tool. Its purpose is described in ``prompts/tool_<name>.md``.

    ``is_read_only``: it changes nothing. ``is_idempotent``: calling it twice has the effect of calling it once.
    """

    name: str
    title: str
    arguments_model: type[ToolArguments]
    result_model: type[ToolResult]
    call: Callable[[Any, ApiConnection], Awaitable[Any]]
    render_text: Callable[[Any], str]
    is_read_only: bool = True
    is_idempotent: bool = True


TOOLS = (
    MemoryTool(
        "remember", "Remember", arguments.ToRemember, results.RememberResult, calls.remember, text_rendering.remembered
    ),
    MemoryTool(
        "ask_memory", "Ask memory", arguments.ToAsk, results.AskResult, calls.ask_memory, text_rendering.answered
    ),
    MemoryTool(
        "search_log",
        "Search the log",
        arguments.ToSearchLog,
        results.LogResult,
        calls.search_log,
        text_rendering.log_found,
    ),
    MemoryTool(
        "list_facts",
        "List facts",
        arguments.ToListFacts,
        results.FactsResult,
        calls.list_facts,
        text_rendering.facts_listed,
    ),
    MemoryTool(
        "list_entities",
        "List people and things",
        arguments.ToListEntities,
        results.EntitiesResult,
        calls.list_entities,
        text_rendering.entities_listed,
    ),
    MemoryTool(
        "journal_memory_search",
        "Search the journal",
        arguments.ToSearchJournal,
        results.JournalSearchResult,
        calls.journal_memory_search,
        text_rendering.journal_found,
    ),
    MemoryTool(
        "journal_memory_get",
        "Read the journal",
        arguments.ToGetJournal,
        results.JournalFileResult,
        calls.journal_memory_get,
        text_rendering.journal_text,
    ),
    MemoryTool(
        "read_story",
        "Read the life story",
        arguments.ToReadStory,
        results.StoryResult,
        calls.read_story,
        text_rendering.story,
    ),
    MemoryTool(
        "resonance",
        "What surfaces",
        arguments.ToResonate,
        results.ResonanceResult,
        calls.resonance,
        text_rendering.resonated,
        is_read_only=False,  # a memory that was shown does not surface again for a while
        is_idempotent=False,
    ),
    MemoryTool(
        "report_outcome",
        "Report what became of memories",
        arguments.ToReport,
        results.ReportResult,
        calls.report_outcome,
        text_rendering.reported,
        is_read_only=False,
    ),
    MemoryTool(
        "correct_memory",
        "Put a memory right",
        arguments.ToCorrect,
        results.CorrectionResult,
        calls.correct_memory,
        text_rendering.corrected,
        is_read_only=False,
    ),
    MemoryTool(
        "store_turn",
        "Store this exchange",
        arguments.ToStore,
        results.StoreTurnResult,
        calls.store_turn,
        text_rendering.stored,
        is_read_only=False,
        is_idempotent=False,  # without a turn_id, a second call is a second turn
    ),
    MemoryTool(
        "save_memory",
        "Save a memory",
        arguments.ToSave,
        results.SaveResult,
        calls.save_memory,
        text_rendering.saved,
        is_read_only=False,
        is_idempotent=False,  # without an id, a second call is a second memory
    ),
    MemoryTool(
        "set_sleep",
        "Sleep",
        arguments.ToSleep,
        results.SleepResult,
        calls.set_sleep,
        text_rendering.asleep,
        is_read_only=False,
        is_idempotent=False,  # a second call is another sleep
    ),
)
