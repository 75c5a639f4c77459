"""
Three lines around any model call, for one mind and one conversation: inject what surfaces, extract memories, report.

``SubconsciousMemory`` blocks, ``AsyncSubconsciousMemory`` is awaited. Both only shape what a client sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mind_memory_client.turn import begin_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from mind_memory_client._endpoints import Outcome, Part
    from mind_memory_client.async_client import AsyncMemoryClient
    from mind_memory_client.client import MemoryClient
    from mind_memory_client.messages import Messages, Placement
    from mind_memory_client.models import AppliedOutcomes, Resonance, SavedMemories
    from mind_memory_client.turn import Turn

Facts = str | Iterable[str | Mapping[str, Any]]

_SHORTEST, _LONGEST = 10, 4_000  # characters of a sentence that is saved
_LONGEST_ABBREVIATION = 8  # characters, with what stands in front of it
_BATCH = 100
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_END = re.compile(r"(?<=[.!?…؟।])\s+|(?<=[.!?…؟।][\"'”’»)\]])\s+|(?<=[。！？])|\n+")
_DENSE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # a letter says as much as two others
# What ends in a full stop that ends no sentence, where a capital follows: titles, initials, "z. B.".
_ABBREVIATED = re.compile(
    r"(?<!\w)(?:[^\W\d_]|[dm]rs?|ms|prof|st|sr|jr|sra|dra|mme|mlle|hr|fr|nr|vs|approx|ca|bzw|usw|ing|e\.g|i\.e)\.$",
    re.IGNORECASE,
)
_MARK = re.compile(r"^\s*(?:[-*+>•]|#{1,6}|\d{1,3}[.)])\s+")


@dataclass(frozen=True)
class MemoryRecord:
    """A memory that ``extract_memories`` saved: the id of its turn, its text and its importance."""

    id: str
    text: str
    importance: float


@dataclass(frozen=True)
class _Options:
    placement: Placement
    include: Sequence[Part]
    max_fragments: int | None
    deadline_ms: int | None
    timezone: str | None


class SubconsciousMemory:
    """
    Memory of one mind in one conversation, for a bot that should not notice it.

    *include* names what ``inject_context`` puts in: flashbacks alone, or with ``"story"`` and ``"protocol"`` the bot's
    story and how to use a memory. *placement* is where: ``tail``, ``user`` or ``system``.
    """

    def __init__(
        self,
        client: MemoryClient,
        mind: str,
        session: str,
        *,
        include: Sequence[Part] = ("flashbacks",),
        placement: Placement = "tail",
        max_fragments: int | None = None,
        deadline_ms: int | None = None,
        timezone: str | None = None,
    ) -> None:
        self.client, self.mind, self.session = client, mind, session
        self._options = _Options(placement, include, max_fragments, deadline_ms, timezone)

    def inject_context(
        self, messages: Messages, *, query: str | None = None, now: datetime | str | None = None
    ) -> tuple[list[Any], Resonance]:
        """
        Put what surfaces for the last message, or for *query* in its place, among *messages*; and say what it is.

        Where nothing surfaces, or memory fails, *messages* come back unchanged, and the reason is in ``silence``.
        """
        turn = _turn(self.mind, self.session, messages, self._options, query=query, now=now)
        given = list(turn.messages)
        self.client.recall(turn)
        return _injected(turn, given), turn.resonance

    def extract_memories(self, facts: Facts, *, importance: float = 0.5) -> tuple[MemoryRecord, ...]:
        """
        Save each sentence of a text, or each of several facts, on purpose; returns what was saved.

        Sentences under 10 characters, and code, are left out. A fact is a text, or a mapping with ``text`` and an
        ``importance`` of its own; what is below 0.1 is not saved.

        Do not use it where turns are stored (``turn``, ``store_turn``): the service extracts facts from them by itself
        and knows who said them. Answers of a model saved one by one recall worse than turns, and keep what it made up.
        """
        records: list[MemoryRecord] = []
        for batch in _batches(facts, importance):
            records += _records(batch, self.client.save_memories(self.mind, batch, session=self.session))
        return tuple(records)

    def report_outcomes(self, resonance: Resonance, outcome: Outcome | Mapping[str, Outcome]) -> AppliedOutcomes:
        """
        Say what became of flashbacks: one outcome for all that surfaced, or one for each id.

        Where nothing surfaced, nothing is sent. What is left out counts as ``deferred``.
        """
        return self.client.report_outcomes(resonance, outcome)


class AsyncSubconsciousMemory:
    """
    Memory of one mind in one conversation, for a bot that should not notice it; awaited.

    *include* names what ``inject_context`` puts in: flashbacks alone, or with ``"story"`` and ``"protocol"`` the bot's
    story and how to use a memory. *placement* is where: ``tail``, ``user`` or ``system``.
    """

    def __init__(
        self,
        client: AsyncMemoryClient,
        mind: str,
        session: str,
        *,
        include: Sequence[Part] = ("flashbacks",),
        placement: Placement = "tail",
        max_fragments: int | None = None,
        deadline_ms: int | None = None,
        timezone: str | None = None,
    ) -> None:
        self.client, self.mind, self.session = client, mind, session
        self._options = _Options(placement, include, max_fragments, deadline_ms, timezone)

    async def inject_context(
        self, messages: Messages, *, query: str | None = None, now: datetime | str | None = None
    ) -> tuple[list[Any], Resonance]:
        """See ``SubconsciousMemory.inject_context``."""
        turn = _turn(self.mind, self.session, messages, self._options, query=query, now=now)
        given = list(turn.messages)
        await self.client.recall(turn)
        return _injected(turn, given), turn.resonance

    async def extract_memories(self, facts: Facts, *, importance: float = 0.5) -> tuple[MemoryRecord, ...]:
        """See ``SubconsciousMemory.extract_memories``."""
        records: list[MemoryRecord] = []
        for batch in _batches(facts, importance):
            records += _records(batch, await self.client.save_memories(self.mind, batch, session=self.session))
        return tuple(records)

    async def report_outcomes(self, resonance: Resonance, outcome: Outcome | Mapping[str, Outcome]) -> AppliedOutcomes:
        """See ``SubconsciousMemory.report_outcomes``."""
        return await self.client.report_outcomes(resonance, outcome)


def sentences(text: str) -> Iterator[str]:
    """
    The sentences of a text of at least 10 characters, without code and the marks of lists and headings.

    A letter of Chinese, Japanese, Korean or Thai counts as two.
    """
    for line in _CODE.sub("\n", text).splitlines():
        begun = ""
        for part in _split(line):
            begun = f"{begun} {part}" if begun else part
            if _ABBREVIATED.search(begun[-_LONGEST_ABBREVIATION:]):
                continue
            yield from _worth(begun)
            begun = ""
        yield from _worth(begun)


def _split(line: str) -> Iterator[str]:
    """What of a line stands between the marks that may end a sentence; a small letter goes on with it."""
    at = 0
    for end in _END.finditer(line):
        if not line[end.end() : end.end() + 1].islower():
            yield line[at : end.start()]
            at = end.end()
    yield line[at:]


def _worth(part: str) -> Iterator[str]:
    sentence = _MARK.sub("", part).strip()
    if _length(sentence) >= _SHORTEST:
        yield sentence[:_LONGEST]


def _length(text: str) -> int:
    return len(text) + len(_DENSE.findall(text))


def _turn(
    mind: str,
    session: str,
    messages: Messages,
    options: _Options,
    *,
    query: str | None,
    now: datetime | str | None,
) -> Turn:
    return begin_turn(
        mind,
        session,
        messages,
        placement=options.placement,
        include=options.include,
        max_fragments=options.max_fragments,
        deadline_ms=options.deadline_ms,
        timezone=options.timezone,
        query=query,
        now=now,
        on_failure="silent",
    )


def _injected(turn: Turn, given: list[Any]) -> list[Any]:
    return turn.messages if turn.block or turn.stable else given


def _batches(facts: Facts, importance: float) -> Iterator[list[dict[str, Any]]]:
    """What is to be saved, as many at a time as one call takes."""
    given = sentences(facts) if isinstance(facts, str) else facts
    found = [{"importance": importance, **(one if isinstance(one, Mapping) else {"text": one})} for one in given]
    worth = [one for one in found if _length(str(one["text"]).strip()) >= _SHORTEST]
    for at in range(0, len(worth), _BATCH):
        yield worth[at : at + _BATCH]


def _records(batch: Sequence[Mapping[str, Any]], saved: SavedMemories) -> Iterator[MemoryRecord]:
    for one in saved.memories:
        yield MemoryRecord(one.turn_id, str(batch[one.index]["text"]), one.importance)
