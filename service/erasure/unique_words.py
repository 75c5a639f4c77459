"""
Words that only the erased turns contain. Traces and corrections are recognised by them, and the final search looks
for them.

A word that our own file formats contain as well proves nothing. Those words are read off the formats themselves.
Traces need no such list: only the words of a trace are searched, and its type knows which fields these are.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from consolidation.corrections.record import Correction, Target, Undo, What
from consolidation.dreams.dream_files import WRITINGS
from consolidation.dreams.dream_log import DreamRecord, UndoneDream
from consolidation.dreams.sleep_decision import SleepKind
from consolidation.dreams.sleep_state import OwedDream, PastSleep, SleepState
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn, TurnKind
from consolidation.story.ledger import StoryLedger
from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.subjectless import subjectless
from consolidation.text.words import tokens
from consolidation.transcript.records import encode
from service.index import journal_store, text_store, trace_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.erasure.pending import ErasurePlan
    from service.mind.trace_document import TraceDocument

_FORM = re.compile(r"\w{6,}")
# What the graph's server writes into its files: our labels, relations and properties, Graphiti's, and its own.
_OF_GRAPH = """
append appendonly attempts attributes created_at Cursor DEFERRED dimension embedder embedding Entity entity_edges
Episodic expired_at extracted fact_embedding group_id invalid_at leaning Lucene MENTIONS name_embedding optimize
Parked parked Passage passages previous reference_time RELATED_TO RELATES_TO Sentinel source_description SPOKE_OF
summary
"""
# What the graph's server says in its own log (redis.log), whatever it holds.
_OF_SERVER_LOG = """
accept authentication average background backlog change client command commit condition connections created current
effect enabled finished history initialized kernels loaded memory modified module notification number overcommit
packages preparation python reboot renamed replication require restrict rewrite rewriting server skipped standalone
started starting success successfully temporary terminated threads version Without written
"""
_OF_FIGURES = "surfaced tokens degraded _skipped _unavailable deadline memory_failed off_the_record narration_partial"
_OF_SQLITE = "sqlite_sequences"  # SQLite adds this table for AUTOINCREMENT
# What the proxy and the outcomes add to the metadata of a turn.
_OF_METADATA = "client_left mind_memory outcomes seconds upstream_broke"
_OF_SLEEP = "extractive asleep exhausted tool calls went action tool_call Priorities priorities"
_MOST_FORMS = 40
_SHORTEST_ID = 6
_SHARE = 0.5  # of the telling words of what a person said in a correction
_DISTINCTIVE = 8  # characters of a message by which a trace is known to have been asked with it


class UniqueWords:
    """The words of some turns, without those that other turns contain."""

    def __init__(self, turns: Sequence[StoredTurn]) -> None:
        """Start with every word of *turns*; ``subtract`` all other turns."""
        texts = [_text(stored) for stored in turns]
        self._words = {word for text in texts for word in tokens(text)}
        found = {form for text in texts for form in _FORM.findall(text) if form not in _own_words()}
        ids = {stored.turn.turn_id for stored in turns if len(stored.turn.turn_id) >= _SHORTEST_ID}
        self._forms = {*sorted(found, key=lambda form: (-len(form), form))[:_MOST_FORMS], *ids}

    def subtract(self, turns: Iterable[StoredTurn]) -> None:
        """Remove the words that *turns* contain as well."""
        for stored in turns:
            if not self._words and not self._forms:
                return
            text = _text(stored)
            self._words.difference_update(tokens(text))
            whole = f"{text}\n{stored.turn.turn_id}\n{stored.turn.session_id}"
            self._forms = {form for form in self._forms if form not in whole}

    @property
    def words(self) -> tuple[str, ...]:
        """The words as stems, as the full-text index stores them."""
        return tuple(sorted(self._words))

    @property
    def forms(self) -> tuple[str, ...]:
        """Some of the words as they were written, and ids of turns, longest first."""
        return tuple(sorted(self._forms, key=lambda form: (-len(form), form)))


def is_doomed(trace: TraceDocument, *, plan: ErasurePlan) -> bool:
    """Whether a trace rests on an erased turn, was requested with its words, or quotes what only it said."""
    if plan.request.session_id is not None and trace.session_id == plan.request.session_id:
        return True
    if not trace.sequences.isdisjoint(one.sequence for one in plan.turns):
        return True
    message = trace.message
    is_same = trace.session_id in {one.session_id for one in plan.turns}
    if is_same and len(message) >= _DISTINCTIVE and any(message in said or said in message for said in plan.messages):
        return True
    text = "\n".join(trace.texts())
    return any(form in text for form in plan.forms) or not set(plan.words).isdisjoint(tokens(text))


def is_doomed_correction(made: Correction, *, plan: ErasurePlan) -> bool:
    """
    Whether the memory that a correction names, or half of a person's words in it, is what only the erased turns said.

    A word alone proves nothing of what a person says on purpose: "her children" does not rest on a turn that wanted a
    film for children.
    """
    unique, target = set(plan.words), made.target
    is_said = target.kind != "entity" and not target.turn_ids  # by a person, in no turn
    quoted = (*target.joins, target.teller or "", "" if is_said else target.text)
    if not unique.isdisjoint(_telling(" ".join(quoted))):
        return True
    own = (made.to, made.reason, target.text if is_said else None)
    parts = [words for text in own if text and (words := _telling(text))]
    return any(len(words & unique) >= _SHARE * len(words) for words in parts)


def _telling(text: str) -> frozenset[str]:
    """The words of *text* that are not function words or small talk in any language."""
    return frozenset(tokens(text)) - _empty_words()


@cache
def _empty_words() -> frozenset[str]:
    return frozenset(tokens(" ".join(STOP_WORDS.values()))).union(*map(subjectless, STOP_WORDS))


@cache
def _own_words() -> str:
    """All words of our own formats. A form that is part of them proves nothing."""
    epoch = datetime.fromtimestamp(0, UTC)
    turn = Turn("", "", (Message(Speaker.USER, "", epoch, "-", "-"),))
    return "\n".join(
        (
            encode(StoredTurn(0, epoch, turn)).decode(),
            " ".join((*Speaker, *TurnKind)),
            " ".join(one.name for one in fields(StoryLedger)),
            " ".join((*DreamRecord.model_fields, *SleepState.model_fields, *OwedDream.model_fields, *SleepKind)),
            " ".join((*PastSleep.model_fields, *UndoneDream.model_fields)),
            _OF_SLEEP,
            " ".join(WRITINGS),
            " ".join(one.name for kind in (Correction, Target, Undo) for one in fields(kind)),
            " ".join(What),
            text_store.SCHEMA,
            journal_store.SCHEMA,
            trace_index.SCHEMA,
            _OF_FIGURES,
            _OF_SQLITE,
            _OF_GRAPH,
            _OF_SERVER_LOG,
            _OF_METADATA,
        )
    )


def _text(stored: StoredTurn) -> str:
    """All that the transcript holds of a turn in words: its messages, metadata and message ids."""
    turn = stored.turn
    metadata = json.dumps(dict(turn.metadata), ensure_ascii=False, default=str) if turn.metadata else ""
    ids = " ".join(message.id for message in turn.messages if message.id)
    return f"{stored.text}\n{metadata}\n{ids}"
