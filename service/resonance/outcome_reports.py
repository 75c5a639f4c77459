"""
Takes in what became of flashbacks: what a caller reports, and what can be seen in the turn that followed.

An outcome belongs to a flashback of a trace. One that the trace did not show is told back, not applied.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.dreams.observations import read_observations
from consolidation.kernel.errors import MemoryFault, TraceNotFound
from consolidation.kernel.turns import Speaker
from service.ingest.bystanders import are_bystanders, of_themselves
from service.ingest.denials import is_denied
from service.journal.observations import OBSERVATION
from service.mind.outcomes import OutcomeRecord
from service.resonance.outcome_detection import contradicted_by, used_in
from service.retrieval.put_right import put_right_now

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn, Turn
    from service.index.salience import Outcome
    from service.mind.minds import Mind
    from service.mind.trace_document import TraceDocument
    from service.observability.counters import Tally
    from service.runtime.background import Background

log = structlog.get_logger()

_SEQUENCE = re.compile(r"[1-9][0-9]{0,14}")
_MOST_OBSERVED = 4_000_000  # characters of the file of observations
_TRACES = 200  # the newest of a mind, among which the one before a session's last is looked for


@dataclass(frozen=True, slots=True)
class Applied:
    """How many outcomes stand now as they were reported, and the ids of those that belong to nothing shown."""

    applied: int
    unknown: tuple[str, ...]


class OutcomeReports:
    """Writes outcomes to the log of a mind."""

    def __init__(self, *, clock: Clock, tally: Tally, background: Background, notices: bool) -> None:
        """*notices*: see by itself what was used or contradicted; *tally* counts what is new."""
        self._clock = clock
        self._tally = tally
        self._background = background
        self._notices = notices

    async def report(self, mind: Mind, *, trace_id: str | None, outcomes: Mapping[str, Outcome]) -> Applied:
        """
        Apply what a caller says of flashbacks, by their ids; it is on disk when this returns.

        Without a trace, the ids are those of any memories of the mind, as a search on purpose gives them. Raises
        TraceNotFound, HomeFault, OSError; then nothing is applied.
        """
        return await anyio.to_thread.run_sync(self._report, mind, trace_id, outcomes)

    def notice(self, mind: Mind, stored: StoredTurn, *, trace_id: str) -> None:
        """See in the background which flashbacks of its pre-turn call a turn used, and which a person denies in it."""
        if self._notices and stored.is_remembered:
            self._background.start("notice outcomes", lambda: self._notice(mind, stored, trace_id), owner=mind.mind_id)

    def _report(self, mind: Mind, trace_id: str | None, outcomes: Mapping[str, Outcome]) -> Applied:
        if trace_id is None:
            rests_on, session_id = _known(mind, tuple(outcomes)), None
        else:
            trace = mind.trace_log.find(trace_id)
            if trace is None:
                raise TraceNotFound("no trace has this id; old traces are deleted")
            rests_on, session_id = {one.id: one.sequences for one in trace.shown}, trace.session_id
        known = {key: outcome for key, outcome in outcomes.items() if key in rests_on}
        now, newest = self._clock.now(), mind.transcript.positions.last
        self._add(
            mind,
            [
                OutcomeRecord(now, trace_id, session_id, key, outcome, "caller", rests_on[key], newest)
                for key, outcome in known.items()
            ],
        )
        return Applied(len(known), tuple(key for key in outcomes if key not in known))

    async def _notice(self, mind: Mind, stored: StoredTurn, trace_id: str) -> None:
        positions = mind.transcript.positions
        before = await mind.transcript.read_many(
            positions.before_in_session(stored.turn.session_id, stored.sequence, limit=1)
        )
        try:
            await anyio.to_thread.run_sync(self._see, mind, stored, before, trace_id)
        except (MemoryFault, OSError) as error:
            log.warning("outcomes.not_noticed", mind_id=mind.mind_id, trace_id=trace_id, error=str(error))

    def _see(self, mind: Mind, stored: StoredTurn, before: Sequence[StoredTurn], trace_id: str) -> None:
        trace = mind.trace_log.find(trace_id)
        if trace is None:
            return
        own, answer = _said(stored.turn, Speaker.USER), _said(stored.turn, Speaker.ASSISTANT)
        now, newest = self._clock.now(), stored.sequence
        seen = _records(trace, used_in(trace, own=own, answer=answer), "used", now, newest)
        if before and (denied := _denied(mind, stored, before[-1], trace)) is not None:
            earlier, ids = denied
            seen += _records(earlier, ids, "contradicted", now, newest)
        self._add(mind, seen)

    def _add(self, mind: Mind, records: Sequence[OutcomeRecord]) -> None:
        if not records:
            return
        new = mind.outcomes.add(records)
        self._tally.outcomes.update(Counter(one.outcome for one in new))
        for one in new:
            log.info(
                "outcome.kept",
                mind_id=mind.mind_id,
                trace_id=one.trace_id,
                memory=one.id,
                outcome=one.outcome,
                reporter=one.reporter,
            )


def _records(
    trace: TraceDocument, ids: Iterable[str], outcome: Outcome, now: datetime, newest: int
) -> list[OutcomeRecord]:
    rests_on = {one.id: one.sequences for one in trace.shown}
    return [
        OutcomeRecord(now, trace.trace_id, trace.session_id, key, outcome, "noticed", rests_on[key], newest)
        for key in ids
    ]


def _denied(
    mind: Mind, stored: StoredTurn, before: StoredTurn, trace: TraceDocument
) -> tuple[TraceDocument, tuple[str, ...]] | None:
    """The trace of the answer *before*, and what of it the person denies, who may not only speak of themselves."""
    own, answer = _said(stored.turn, Speaker.USER), _said(stored.turn, Speaker.ASSISTANT)
    if not is_denied(_said(before.turn, Speaker.ASSISTANT), own, answer, language=trace.language):
        return None
    earlier = _shown_before(trace, mind.trace_log.recent(limit=_TRACES))
    if earlier is None:
        return None
    used = {one.memory for one in mind.outcomes.of_trace(earlier.trace_id) if one.outcome in {"acted", "used"}}
    ids = contradicted_by(own, earlier, answer=_said(before.turn, Speaker.ASSISTANT), used=used)
    names = of_themselves(stored.turn, language=trace.language)
    if not ids or not are_bystanders(names, [before.turn]):
        return earlier, ids
    rests_on = {one.id: one.sequences for one in earlier.shown}
    turns = {key: mind.transcript.read_now(rests_on[key]) for key in ids}
    return earlier, tuple(key for key in ids if not are_bystanders(names, [one.turn for one in turns[key]]))


def _shown_before(trace: TraceDocument, recent: Sequence[TraceDocument]) -> TraceDocument | None:
    """The last trace of the session before *trace*, if it showed anything; *recent* are the newest first."""
    of_session = [one for one in recent if one.session_id == trace.session_id]
    later = [place for place, one in enumerate(of_session) if one.trace_id == trace.trace_id]
    earlier = of_session[later[0] + 1 :] if later else []
    return earlier[0] if earlier and earlier[0].shown else None


def _said(turn: Turn, role: Speaker) -> str:
    return "\n".join(message.content for message in turn.messages if message.role is role)


def _known(mind: Mind, ids: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Which of *ids* name memories of the mind, each with the turns that it rests on."""
    named = {key: key.partition(":")[::2] for key in ids}
    facts = _fact_sequences(mind, [name for kind, name in named.values() if kind == "fact"])
    entities = mind.text.entity_numbers([name for kind, name in named.values() if kind == "entity"])
    found = _observed(mind, {name for kind, name in named.values() if kind == "observation"})
    said = {one.id for one in put_right_now(mind).standing.said}
    for key, (kind, name) in named.items():
        if kind == "fact" and name in facts:
            found[key] = facts[name]
        elif kind == "fact" and name in said:
            found[key] = ()  # a person said so: no turn is wrong with it
        elif kind == "entity" and name in entities:
            found[key] = ()
        elif kind == "episode" and _SEQUENCE.fullmatch(name) and mind.transcript.positions.place(int(name)):
            found[key] = (int(name),)
    return found


def _observed(mind: Mind, digests: AbstractSet[str]) -> dict[str, tuple[int, ...]]:
    """Which of *digests* are of observations that there are, by their ids, each with the turns that it rests on."""
    if not digests:
        return {}
    text = mind.workspace.read(mind.workspace.writing("observations"), most_characters=_MOST_OBSERVED)
    known, dreams = {one.digest for one in read_observations(text)}, mind.dreams.newest()
    return {f"{OBSERVATION}{digest}": dreams.sources(digest) for digest in digests & known}


def _fact_sequences(mind: Mind, uuids: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The turns that each fact rests on; unknown facts are left out."""
    numbers = mind.text.fact_numbers(uuids)
    rows = mind.text.facts(tuple(numbers.values()))
    episodes = {uuid: json.loads(str(rows[number][4])) for uuid, number in numbers.items() if number in rows}
    sequences = mind.text.sequences(tuple({one for found in episodes.values() for one in found}))
    return {
        uuid: tuple(sorted(sequences[one] for one in found if one in sequences)) for uuid, found in episodes.items()
    }
