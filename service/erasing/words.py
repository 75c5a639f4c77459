"""Which words only erased turns say: by them their traces are known, and at the end they are searched for. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from consolidation.kernel.turns import Kept
    from service.erasing.plans import Plan

_FORM = re.compile(r"\w{6,}")
# What our stores call their parts, and keys and labels we write ourselves: to find these is to find nothing.
_OF_STORES = """
accepted_at after anchor append appendonly asked assistant attempts attributes before boosted candidates categories
client_left completion_tokens content cost_usd counts created_at cursor Cursor cursors DEFERRED degraded digests
dimension dropped embedder embedding entities Entity entity_edges entity_words episode episodes Episodic expired_at
extracted fact_embedding fact_words filters fragments group_id has_time import injection INTEGER invalid_at labels
language leaning Lucene MENTIONS message messages metadata mind_memory name_embedding narration needed newest number
occurred_at optimize outcomes parked Parked Passage passages phases previous PRIMARY probability prompt_tokens queries
reference_time RELATED_TO RELATES_TO relevance remove_diacritics retrieval seconds Sentinel sequence sequences session
session_id silence source source_description speaker speakers SPOKE_OF statement_words subconscious summary surfaced
system TABLE target tellings thought timings_ms tokenchars tokenize tokens turn_id turn_words unicode61 UNIQUE VIRTUAL
upstream_broke vectors WITHOUT
"""
_MOST_FORMS = 40
_SHORTEST_ID = 6
_NO_WORDS = frozenset({"trace_id", "mind_id", "session_id", "at", "language", "kind", "id", "occurred_at", "degraded"})
_TELLING = 8  # characters of a message by which a trace is known to have been asked with it


class OnlySaid:
    """The words of some turns, from which those that others say are taken away."""

    def __init__(self, turns: Sequence[Kept]) -> None:
        """Begin with every word of *turns*."""
        texts = [_text(kept) for kept in turns]
        self._words = {word for text in texts for word in tokens(text)}
        found = {form for text in texts for form in _FORM.findall(text) if form not in _OF_STORES}
        ids = {kept.turn.turn_id for kept in turns if len(kept.turn.turn_id) >= _SHORTEST_ID}
        self._forms = {*sorted(found, key=lambda form: (-len(form), form))[:_MOST_FORMS], *ids}

    def not_by(self, turns: Iterable[Kept]) -> None:
        """Take away what these say, too."""
        for kept in turns:
            if not self._words and not self._forms:
                return
            text = _text(kept)
            self._words.difference_update(tokens(text))
            whole = f"{text}\n{kept.turn.turn_id}\n{kept.turn.session_id}"
            self._forms = {form for form in self._forms if form not in whole}

    @property
    def words(self) -> tuple[str, ...]:
        """What is left, as an index keeps it."""
        return tuple(sorted(self._words))

    @property
    def forms(self) -> tuple[str, ...]:
        """Some of what is left as it was written, longest first."""
        return tuple(sorted(self._forms, key=lambda form: (-len(form), form)))


def traced(plan: Plan, trace: Mapping[str, Any]) -> bool:
    """Whether a trace rests on an erased turn, was asked with its words, or quotes what only it said."""
    if plan.wish.session_id is not None and trace.get("session_id") == plan.wish.session_id:
        return True
    sequences = {one.sequence for one in plan.turns}
    if not sequences.isdisjoint(_sequences(trace)):
        return True
    message = str(trace.get("message") or "")
    is_same = trace.get("session_id") in {one.session_id for one in plan.turns}
    if is_same and len(message) >= _TELLING and any(message in said or said in message for said in plan.said):
        return True
    text = "\n".join(_texts(trace))
    return any(form in text for form in plan.forms) or not set(plan.words).isdisjoint(tokens(text))


def _texts(value: object) -> Iterator[str]:
    """All that a trace says in words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in _NO_WORDS:
                yield from _texts(one)


def _sequences(value: object) -> set[int]:
    """Every sequence that a trace names, wherever."""
    if isinstance(value, list):
        return set().union(*map(_sequences, value))
    if not isinstance(value, dict):
        return set()
    own = value.get("sequences")
    found = {one for one in own if isinstance(one, int)} if isinstance(own, list) else set()
    return found.union(*(_sequences(inner) for inner in value.values()))


def _text(kept: Kept) -> str:
    metadata = json.dumps(dict(kept.turn.metadata), ensure_ascii=False, default=str) if kept.turn.metadata else ""
    ids = " ".join(message.id for message in kept.turn.messages if message.id)
    return f"{kept.text}\n{metadata}\n{ids}"
