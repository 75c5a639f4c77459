"""
Dreams for one mind at a time: reads what was lived, asks for the dream, and has it written step by step.

What was thought through is on disk before its first step, so that a kill dreams nothing twice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.dreams.dream_draft import DreamDraft
from consolidation.dreams.dream_files import BRIEFING, OBSERVATIONS, PRIORITIES, RULES
from consolidation.dreams.dream_log import Dreams, started
from consolidation.dreams.dreamer import DreamerVoice, DreamReports, Tidied, Writings, lightweight
from consolidation.dreams.evaluation import evaluate
from consolidation.dreams.evidence import gather_evidence
from consolidation.dreams.observations import Level, read_observations, without
from consolidation.dreams.put_right import is_behind
from consolidation.dreams.sleep_decision import SleepKind, kind_when_dreamt
from consolidation.dreams.undo import is_unsettled, settle
from consolidation.kernel.errors import InvalidRequest, TranscriptUnreadable
from consolidation.kernel.turns import Speaker
from consolidation.text.language import detect
from service.index.trace_index import CallFilter
from service.mind.own_settings import agent_zone_of
from service.retrieval.log_search import LogQuery, search_log
from service.retrieval.time_window import TimeWindow
from service.sleep.observations import observations_as_put_right

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord
    from consolidation.dreams.dreamer import Dreamer
    from consolidation.dreams.evaluation import Evaluation, PresentSettings
    from consolidation.dreams.evidence import Evidence
    from consolidation.dreams.sleep_decision import SleepRules
    from consolidation.dreams.sleep_state import OwedDream, SleepState
    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind
    from service.observability.counters import Tally

_PAGE = 500
_MOST_LOOKED_UP, _EARLIER_LINES = 3, 2  # failures that are looked for in the log, and lines of each
_LOOKED_FOR = 60  # characters
_LANGUAGE_FROM = 8_000
_LONGEST_INTENT = 200  # characters

log = structlog.get_logger()


class Dreaming:
    """Dreams what minds owe. *agent* is what the bot is called, *present* the service's settings."""

    def __init__(
        self,
        dreamer: Dreamer,
        *,
        clock: Clock,
        agent: str,
        tally: Tally,
        rules: SleepRules,
        present: PresentSettings,
    ) -> None:
        self._dreamer = dreamer
        self._present = present
        self._rules = rules
        self._clock = clock
        self._agent = agent
        self._tally = tally

    def is_owed(self, mind: Mind, files: DreamFiles) -> bool:
        """Whether a dream, what was erased or put right of one, or the end of a deep sleep is owed. Blocking."""
        dreams = files.dreams()
        return (
            files.state().owed is not None
            or files.draft() is not None
            or any(one.is_owed for one in dreams.records)
            or dreams.untidied(tidied=files.evaluated()) is not None
            or is_unsettled(dreams)
            or is_behind(files, mind.corrections.lines())
        )

    async def finish(self, files: DreamFiles) -> None:
        """Write a dream that was begun. Raises DreamFault."""
        await anyio.to_thread.run_sync(self._finish, files)

    async def dream(self, mind: Mind, files: DreamFiles) -> bool:
        """
        Dream again what was erased or put right, and then what is owed. Returns whether any of it is quoted.

        Raises DreamFault, ModelFault, HomeFault.
        """
        state, dreams = await anyio.to_thread.run_sync(lambda: (files.state(), files.dreams()))
        is_quoted = False
        for record in [one for one in dreams.records if one.is_owed]:
            is_quoted |= await self._dream_again(mind, files, record, quotes_refused=state.quotes_refused)
        if state.owed is not None and state.owed.last_sequence > dreams.cursor:
            is_quoted |= await self._dream_new(mind, files, state, state.owed, dreams)
        return is_quoted

    async def tidy(self, mind: Mind, files: DreamFiles, *, lock: asyncio.Lock) -> bool:
        """
        Do what the oldest deep sleep that is not complete does; nothing where all are. Returns and raises as ``dream``.

        It is asked of a model first, and then written under *lock*, unless a person took it back meanwhile.
        """
        dreams, zone = await anyio.to_thread.run_sync(lambda: (files.dreams(), agent_zone_of(mind)))
        tidied_to = await anyio.to_thread.run_sync(files.evaluated)
        record = dreams.untidied(tidied=tidied_to)
        if record is None:
            return False
        since = dreams.up_to(record, tidied=tidied_to)
        try:
            tidied = await self._tidied(mind, files, record, since, dreams, zone)
        except BaseException:
            now = self._clock.now()
            async with lock:  # code alone can do this much
                await anyio.to_thread.run_sync(lambda: files.prune(record=record, now=now, zone=zone))
            raise
        if record.dream <= tidied_to:
            async with lock:
                await anyio.to_thread.run_sync(lambda: files.tidy_again(tidied, record=record))
            return tidied.is_quoted
        now = self._clock.now()
        async with lock:
            if not await anyio.to_thread.run_sync(lambda: files.tidy(tidied, record=record, now=now, zone=zone)):
                return tidied.is_quoted
        evaluation = await self._evaluated(mind, files, record, since, now)
        line = evaluation.model_dump(mode="json", exclude={"accepted_at", "accepted_by"})
        await anyio.to_thread.run_sync(files.add_evaluation, line)
        log.info("deep_sleep.ended", mind_id=mind.mind_id, dream=record.dream, priorities=len(tidied.priorities))
        return tidied.is_quoted

    async def _evaluated(
        self, mind: Mind, files: DreamFiles, record: DreamRecord, since: Sequence[DreamRecord], now: datetime
    ) -> Evaluation:
        """What the deep sleep *record* measures of the time since the evaluation before it. Raises HomeFault."""
        actions = await _actions(mind, since)

        def measure() -> Evaluation:
            before = [one.t for one in files.evaluations()]
            began = before[-1] if before else None
            asked = CallFilter(since=began, before=now, is_wonder=False)  # an agent's wonders are not shown to people
            own = mind.settings.read().own.relevance
            return evaluate(
                record,
                since=since,
                observations=files.read(OBSERVATIONS),
                actions=actions,
                calls=mind.trace_log.count(asked),
                surfaced=mind.trace_log.count(replace(asked, surfaced=True)),
                outcomes=mind.outcomes.counts(since=began, before=now),
                present=self._present if own is None else replace(self._present, relevance=own),
                now=now,
            )

        return await anyio.to_thread.run_sync(measure)

    async def _tidied(
        self,
        mind: Mind,
        files: DreamFiles,
        record: DreamRecord,
        since: Sequence[DreamRecord],
        dreams: Dreams,
        zone: tzinfo,
    ) -> Tidied:
        """What the deep sleep *record* makes of the dreams *since* the one before. Raises as ``dream``."""
        told = tuple(one for one in since if not one.is_undone)
        words = "\n".join(one.reflection for one in told)[:_LANGUAGE_FROM]
        if record.is_untidied and not words.strip():
            return Tidied(frozenset(), {}, (), "")  # an erasure took all turns of it
        voice, writings = await self._read(mind, files)
        writings = replace(writings, observations=_before(dreams, record, writings.observations))
        state = await anyio.to_thread.run_sync(files.state)
        reports = DreamReports()
        try:
            return await self._dreamer.tidy(
                told,
                voice=voice,
                writings=writings,
                known=dreams,
                language=detect(words),
                zone=zone,
                lowerable=await _lowerable(mind, writings.observations, dreams),
                quotes_refused=state.quotes_refused,
                reports=reports,
            )
        finally:
            mind.health.usage += reports.usage

    def _finish(self, files: DreamFiles) -> None:
        settle(files)
        draft = files.draft()
        if draft is None:
            return
        dreams = files.dreams()
        if draft.record.first_sequence == dreams.cursor + 1 or draft.record.dream < dreams.next_number:
            files.write(draft)
        else:
            files.drop_draft()  # of another life: files were put back by hand

    async def _dream_new(
        self, mind: Mind, files: DreamFiles, state: SleepState, owed: OwedDream, dreams: Dreams
    ) -> bool:
        zone = await anyio.to_thread.run_sync(agent_zone_of, mind)
        turns = await _lived(mind, after=dreams.cursor, until=owed.last_sequence)
        evidence = await _evidence(mind, turns, zone=zone)
        kind = kind_when_dreamt(owed.kind, dreams=dreams.counted, rules=self._rules)
        session_id = owed.session_id or evidence.session_id
        in_session = [one for one in turns if one.turn.session_id == session_id]
        record = started(self._clock.now(), dreams, cycle=owed.cycle or state.cycle).model_copy(
            update={
                "kind": kind.value,
                "deep": kind is SleepKind.DEEP_SLEEP,
                "last_sequence": owed.last_sequence,
                "actions": evidence.actions,
                "failed_calls": evidence.failed_calls,
                "is_forced": owed.is_forced,
                "session_id": session_id,
                "ended_at": in_session[-1].accepted_at if in_session else None,
                "session_actions": _tool_calls(mind, in_session) if in_session else None,
                "intent": _intent(evidence),
            }
        )
        draft = await self._drafted(mind, files, record, evidence, zone, quotes_refused=state.quotes_refused)
        await anyio.to_thread.run_sync(files.keep, draft)
        await anyio.to_thread.run_sync(files.write, draft)
        return draft.record.is_quoted

    async def _dream_again(self, mind: Mind, files: DreamFiles, record: DreamRecord, *, quotes_refused: bool) -> bool:
        """
        Make the words of a dream again, of the turns as an erasure or a person left them.

        Where it lost lines by an erasure, its lines are made again, too.
        """
        zone = await anyio.to_thread.run_sync(agent_zone_of, mind)
        turns = await _lived(mind, after=record.first_sequence - 1, until=record.last_sequence)
        evidence = await _evidence(mind, turns, zone=zone)
        draft = DreamDraft(record=_begun_again(record, intent=_intent(evidence)))
        if turns:
            made = await self._drafted(mind, files, draft.record, evidence, zone, quotes_refused=quotes_refused)
            dreams = await anyio.to_thread.run_sync(files.dreams)
            draft = _made_again(made, known=record, dreams=dreams)
        await anyio.to_thread.run_sync(files.keep, draft)
        await anyio.to_thread.run_sync(files.write, draft)
        return draft.record.is_quoted

    async def _drafted(
        self,
        mind: Mind,
        files: DreamFiles,
        record: DreamRecord,
        evidence: Evidence,
        zone: tzinfo,
        *,
        quotes_refused: bool,
    ) -> DreamDraft:
        began, reports, outcome = self._clock.monotonic(), DreamReports(), "failed"
        levels = Counter[str]()
        try:
            if record.kind == SleepKind.LIGHTWEIGHT or evidence.is_empty:
                draft = lightweight(record, evidence)
            else:
                voice, writings = await self._read(mind, files)
                dreams = await anyio.to_thread.run_sync(files.dreams)
                writings = replace(writings, observations=_before(dreams, record, writings.observations))
                draft = await self._dreamer.dream(
                    record,
                    evidence,
                    voice=voice,
                    writings=writings,
                    dreams=dreams,
                    earlier=await self._earlier(mind, evidence),
                    zone=zone,
                    quotes_refused=quotes_refused,
                    reports=reports,
                )
            outcome = "quoted" if draft.record.is_quoted else "dreamt"
            levels = Counter(one.level for one in draft.observations)
        finally:
            seconds = self._clock.monotonic() - began
            mind.health.usage += reports.usage
            self._tally.dreamt(record.kind, outcome, seconds=seconds, levels=levels)
            log.info(
                "dream.ended",
                mind_id=mind.mind_id,
                dream=record.dream,
                kind=record.kind,
                outcome=outcome,
                observations=sum(levels.values()),
                refused=len(reports.refused),
                model_calls=reports.usage.calls,
                tokens=reports.usage.prompt_tokens + reports.usage.completion_tokens,
                ms=round(seconds * 1000),
            )
        return draft

    async def _read(self, mind: Mind, files: DreamFiles) -> tuple[DreamerVoice, Writings]:
        def read() -> tuple[DreamerVoice, Writings]:
            voice = DreamerVoice.of(mind.workspace, agent=self._agent)
            observations = observations_as_put_right(mind, files.read(OBSERVATIONS), files.dreams())
            return voice, Writings(observations, *(files.read(name) for name in (RULES, PRIORITIES, BRIEFING)))

        return await anyio.to_thread.run_sync(read)

    async def _earlier(self, mind: Mind, evidence: Evidence) -> tuple[str, ...]:
        """What the log of earlier days says of what failed, as far as nobody put it right: a dream has no tools."""
        found: dict[str, None] = {}
        standing = await anyio.to_thread.run_sync(mind.corrections.standing)
        cursor = f"{max(evidence.first_sequence - 1, 0)}.0"
        for item in evidence.failures[-_MOST_LOOKED_UP:]:
            words = item.action.outcome[-1][:_LOOKED_FOR] if item.action is not None and item.action.outcome else ""
            try:
                query = LogQuery(words, TimeWindow(None, None), limit=_EARLIER_LINES, context=0, cursor=cursor)
                page = await search_log(mind, query, clock=self._clock)
            except (InvalidRequest, TranscriptUnreadable):
                continue
            found |= dict.fromkeys(
                f"{hit.line.at:%Y-%m-%d %H:%M} {hit.line.role}: {_one_line(hit.line.text)}"
                for hit in page.hits
                if not standing.holds_back_of(hit.turn.turn.turn_id)
            )
        return tuple(found)


def _begun_again(record: DreamRecord, *, intent: str) -> DreamRecord:
    """The record of a dream that is owed, as it is before anything is made of its turns."""
    empty: dict[str, object] = {"sources": {}, "levels": {}, "relevelled": {}, "lines": {}, "deleted": {}}
    empty |= dict.fromkeys(("superseded", "rules", "rules_removed", "pruned"), ())
    words = {"reflection": "", "priority": "", "intent": intent, "is_owed": True}
    return record.model_copy(update={**empty, **words, "observations": 0, "undone": None})


def _made_again(draft: DreamDraft, *, known: DreamRecord, dreams: Dreams) -> DreamDraft:
    """
    What is written of *draft*, in which the dream *known* was made again: its words, and lines if it lost some.

    A line that it had, and that stayed where an erasure took others, may have been deleted since: it does not come
    back. No rule goes, and there is one briefing, that of the newest dream.
    """
    record = draft.record
    if not known.lost_lines:
        kept = {name: getattr(record, name) for name in ("reflection", "priority", "model")}
        return DreamDraft(record=_begun_again(known, intent=record.intent).model_copy(update=kept))
    new = tuple(one for one in draft.observations if one.observation.digest not in known.sources)
    digests = record.sources.keys() - known.sources.keys()  # also of lines that other dreams wrote
    record = record.model_copy(
        update={
            "observations": len(digests),
            "sources": {digest: turns for digest, turns in record.sources.items() if digest in digests},
            "levels": {digest: level for digest, level in record.levels.items() if digest in digests},
        }
    )
    writer = dreams.last_writer(BRIEFING)
    is_newest = writer is None or writer.dream <= known.dream
    return DreamDraft(
        record=record,
        observations=new,
        rules_added=draft.rules_added,
        briefing=draft.briefing if is_newest else None,
    )


def _intent(evidence: Evidence) -> str:
    """What the agent meant to do: the beginning of its last words."""
    return evidence.last_words[:_LONGEST_INTENT]


def _tool_calls(mind: Mind, turns: Sequence[StoredTurn]) -> int:
    calls = mind.transcript.positions.tool_calls_after
    return sum(calls(one.sequence - 1) - calls(one.sequence) for one in turns)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _before(dreams: Dreams, record: DreamRecord, observations: str) -> str:
    """*observations* without those that dreams behind *record* made."""
    earlier = Dreams(tuple(one for one in dreams.records if one.dream <= record.dream))
    later = dreams.ours - earlier.ours
    return without(observations, lambda one: one.digest in later)


async def _lived(mind: Mind, *, after: int, until: int) -> tuple[StoredTurn, ...]:
    found: list[StoredTurn] = []
    while page := await mind.transcript.after(after, limit=_PAGE):
        after = page[-1].sequence
        found += [one for one in page if one.is_remembered and one.sequence <= until]
        if after >= until:
            break
    return tuple(found)


async def _lowerable(mind: Mind, observations: str, dreams: Dreams) -> frozenset[str]:
    """The digests of critical *observations* that rest on nothing but what the agent did and thought itself."""
    critical = (one for one in read_observations(observations) if one.level is Level.RED and dreams.is_ours(one))
    resting = {one.digest: frozenset(dreams.sources(one.digest)) for one in critical}
    turns = await mind.transcript.read_many(sorted(frozenset[int]().union(*resting.values())))
    own = {stored.sequence for stored in turns if all(said.role is not Speaker.USER for said in stored.turn.messages)}
    return frozenset(digest for digest, sequences in resting.items() if sequences and sequences <= own)


async def _evidence(mind: Mind, turns: Sequence[StoredTurn], *, zone: tzinfo) -> Evidence:
    """What *turns* are to be dreamt of, after what people put right."""
    return await anyio.to_thread.run_sync(
        lambda: gather_evidence(turns, zone=zone, standing=mind.corrections.standing())
    )


async def _actions(mind: Mind, since: Sequence[DreamRecord]) -> tuple[StoredTurn, ...]:
    """The tool calls of these dreams."""
    turns = await _lived(mind, after=since[0].first_sequence - 1, until=since[-1].last_sequence) if since else ()
    return tuple(one for one in turns if one.is_tool_call)
