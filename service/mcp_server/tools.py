"""The tools, one row each: what it is called, called with, answers, and how that reads. The table of contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.mcp_server import arguments, calls, results, telling

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.mcp_server.arguments import Arguments
    from service.mcp_server.asking import Connection
    from service.mcp_server.results import Result


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """
    One tool; what it is for stands in ``prompts/tool_<name>.md``.

    ``reads`` says that it changes nothing, ``repeats`` that asking twice is as good as once.
    """

    name: str
    title: str
    takes: type[Arguments]
    gives: type[Result]
    call: Callable[[Any, Connection], Awaitable[Any]]
    tell: Callable[[Any], str]
    reads: bool = True
    repeats: bool = True


TOOLS = (
    MemoryTool("remember", "Remember", arguments.ToRemember, results.Remembered, calls.remember, telling.remembered),
    MemoryTool(
        "journal_memory_search",
        "Search the journal",
        arguments.ToSearchJournal,
        results.JournalFound,
        calls.journal_memory_search,
        telling.journal_found,
    ),
    MemoryTool(
        "journal_memory_get",
        "Read the journal",
        arguments.ToGetJournal,
        results.JournalText,
        calls.journal_memory_get,
        telling.journal_text,
    ),
    MemoryTool(
        "read_story", "Read the life story", arguments.ToReadStory, results.Story, calls.read_story, telling.story
    ),
    MemoryTool(
        "resonance",
        "What surfaces",
        arguments.ToResonate,
        results.Resonated,
        calls.resonance,
        telling.resonated,
        reads=False,  # what was shown does not surface again for a while
        repeats=False,
    ),
    MemoryTool(
        "store_turn",
        "Store this exchange",
        arguments.ToStore,
        results.Stored,
        calls.store_turn,
        telling.stored,
        reads=False,
        repeats=False,  # without a turn_id
    ),
)
