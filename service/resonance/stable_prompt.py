"""The stable part of what is injected: the story, cut to its budget, people's cards, and the recall protocol."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

import anyio.to_thread
import structlog

from consolidation.dreams.rules import read_rules
from consolidation.kernel.errors import HomeFault
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.compression import gist
from consolidation.text.injected_blocks import one_line
from consolidation.text.tokens import count_tokens
from prompts.library import render, unusable
from service.resonance.injection import stable_text
from service.resonance.people_cards import card_text
from service.retrieval.moment import PARTS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.workspace import Workspace
    from service.mind.minds import Mind
    from service.resonance.call import PreTurnCall
    from service.resonance.people_cards import PeopleCards
    from service.retrieval.moment import Part

# Of the story's file: its time and size; the protocol's text; the cards'; how many tokens the story may have.
type _Stamp = tuple[int, int, str, str, int]
type CardsShown = Literal["auto", "always", "never"]

_COMMENT = re.compile(r"<!--[^>]{0,400}-->[ \t]*\n?")
_WHOLE, _OPENING = 0.75, 0.25  # of the budget: whole chapters where not all fit; the text above them, at most
_LONGEST_STORY, _LONGEST_RULES = 400_000, 20_000  # characters
_GLANCES = "(Earlier chapters, in a sentence or two each:)"
_MOST_PROTOCOLS = 8  # of one story: bots that can call this or that
# The story may take a fifth of a model's window as we count tokens: most languages cost the model more, a fourth of it.
_OF_WINDOW = 5
_LEAST_SECONDS = 0.2  # that the story is given, however short the deadline

log = structlog.get_logger()


class StablePrompt:
    """Reads a mind's story again only when its file, or the recall protocol, has changed."""

    def __init__(self, *, story_tokens: int, cards: PeopleCards, shows_cards: CardsShown, clock: Clock) -> None:
        """
        Give the story at most *story_tokens*, and a part of the window of the model that reads it, where that is known.

        *shows_cards* is ``always``, ``never``, or ``auto``: the cards of people are shown until there is a story.
        """
        self._story_tokens = story_tokens
        self._cards = cards
        self._shows_cards = shows_cards
        self._clock = clock
        self._known: dict[Path, dict[_Stamp, str]] = {}
        self._is_told = False

    def forget(self, workspace: Workspace) -> None:
        """Drop what was read of a mind. A thread that still reads it brings nothing back."""
        self._known.pop(workspace.folder, None)
        self._cards.forget(workspace.folder)

    @asynccontextmanager
    async def read_beside(self, call: PreTurnCall) -> AsyncIterator[asyncio.Task[str]]:
        """Read beside the phases of *call*: the last rung. The text is empty where even it does not come in time."""
        reading = asyncio.create_task(self._in_time(call))
        try:
            yield reading
        finally:
            reading.cancel()

    async def read(self, mind: Mind, tools: frozenset[str] | None, *, window: int | None = None) -> str:
        """Story, cards and protocol as they are now, for a bot with *tools* and a *window*; None: nobody knows."""
        return await anyio.to_thread.run_sync(self._text, mind, tools, PARTS, window, abandon_on_cancel=True)

    async def _in_time(self, call: PreTurnCall) -> str:
        left, mind, request = call.deadline.left(), call.mind, call.request

        def read() -> tuple[list[str], str]:
            rungs = ["prompt_unusable"] if unusable(mind.workspace.prompts) else []
            if "story" in request.include and not mind.workspace.can_read(mind.workspace.story):
                rungs.append("story_unavailable")
            return rungs, self._text(mind, request.tools, request.include, request.window)

        try:
            async with asyncio.timeout(None if left is None else max(left, _LEAST_SECONDS)):
                rungs, text = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
        except TimeoutError:
            call.trace.degrade("story_skipped")
            return ""
        call.trace.degrade(*rungs)
        return text

    def _text(self, mind: Mind, tools: frozenset[str] | None, include: frozenset[Part], window: int | None) -> str:
        """The stable part; its bytes change only when somebody changes the story, the protocol or a card."""
        workspace = mind.workspace
        known = self._known.setdefault(workspace.folder, {})
        protocol = _protocol(workspace, tools) if "protocol" in include else ""
        if "story" not in include:
            return stable_text(story="", protocol=protocol)
        cards = self._people(mind)
        most_tokens = self._story_tokens if window is None else min(self._story_tokens, window // _OF_WINDOW)
        stamp = (*_stamp(workspace), protocol, cards, most_tokens)
        text = known.get(stamp)
        if text is None:
            story = workspace.read(workspace.story, most_characters=_LONGEST_STORY)
            told = shortened(story, most_tokens=most_tokens)
            if window is not None and most_tokens < self._story_tokens:
                self._tell_of_window(mind, story, window=window, most_tokens=most_tokens)
            is_shown = self._shows_cards == "always" or not parse(without_marks(story)).chapters
            text = stable_text(story=told, protocol=protocol, people=cards if is_shown else "")
            if len(known) >= _MOST_PROTOCOLS or any(one[:2] != stamp[:2] for one in known):
                known.clear()
            known[stamp] = text
        return text

    def _tell_of_window(self, mind: Mind, story: str, *, window: int, most_tokens: int) -> None:
        """Log, once, that a story is shown shorter than it might be, since a model's window is small."""
        if self._is_told or count_tokens(without_marks(story)) <= most_tokens:
            return
        self._is_told = True
        log.warning(
            "proxy.story_cut",
            mind_id=mind.mind_id,
            window_tokens=window,
            most_tokens=most_tokens,
            story_tokens=self._story_tokens,
            setting="MIND_MEMORY_RESONANCE__STORY_TOKENS",
        )

    def _people(self, mind: Mind) -> str:
        """The cards; nothing where they are switched off, or can not be read."""
        if self._shows_cards == "never":
            return ""
        try:
            return card_text(self._cards.of(mind, now=self._clock.now()))
        except (HomeFault, OSError):
            return ""


def _protocol(workspace: Workspace, tools: frozenset[str] | None) -> str:
    return render(
        "recall_protocol",
        overrides=workspace.prompts,
        is_known=tools is not None,
        can_remember=tools is None or "remember" in tools,
        can_search=tools is None or "journal_memory_search" in tools,
        rules=_rules(workspace),
    )


def _rules(workspace: Workspace) -> tuple[str, ...]:
    """The rules of an agent that learnt some, a line each."""
    text = workspace.read(workspace.writing("rules"), most_characters=_LONGEST_RULES)
    return tuple(one_line(rule.text) for rule in read_rules(text))


def shortened(story: str, *, most_tokens: int) -> str:
    """
    The newest chapters whole, before them the gist of older ones, named so, as many as fit, in order.

    What a person wrote above the first chapter comes first, where it is short.
    """
    book = parse(without_marks(story))
    opening = _COMMENT.sub("", book.opening).strip()
    parts = [opening] if opening and count_tokens(opening) <= most_tokens * _OPENING else []
    room = most_tokens - sum(map(count_tokens, parts))
    whole, older = _fitting([one.text.strip() for one in book.chapters], most_tokens=room)
    if older:  # not all fit: room for a glance at what came before
        whole, older = _fitting([one.text.strip() for one in book.chapters], most_tokens=int(room * _WHOLE))
    room -= sum(map(count_tokens, whole)) + count_tokens(_GLANCES)
    glances, _ = _fitting([gist(one) for one in book.chapters[:older]], most_tokens=room)
    if glances:
        parts += [_GLANCES, *glances]
    return "\n\n".join(_COMMENT.sub("", part).strip() for part in (*parts, *whole))


def _fitting(texts: Sequence[str], *, most_tokens: int) -> tuple[list[str], int]:
    """The last of *texts* that fit, in order, and how many were left out."""
    room = most_tokens
    for at in range(len(texts) - 1, -1, -1):
        room -= count_tokens(texts[at])
        if room < 0:
            return list(texts[at + 1 :]), at + 1
    return list(texts), 0


def _stamp(workspace: Workspace) -> tuple[int, int]:
    try:
        found = workspace.locate(workspace.story).stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
