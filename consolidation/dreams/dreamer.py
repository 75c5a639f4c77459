"""Asks a model to dream, and for a deep sleep: code checks what comes, and without a model both are quoted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import anyio.to_thread

from consolidation.dreams.dream_checks import (
    DreamSources,
    fault_of_deep_sleep,
    fault_of_dream,
    priority_of,
    reflection_of,
    sources_of,
    superseded_by,
    told_by,
    usable_briefing,
    usable_lines,
    usable_observations,
)
from consolidation.dreams.dream_draft import DraftedObservation, DreamDraft
from consolidation.dreams.observations import Level, Observation, read_observations
from consolidation.dreams.quoted_dream import requests, worded
from consolidation.dreams.rules import read_rules
from consolidation.dreams.writings import read_priorities
from consolidation.kernel.checked_answer import UNUSABLE, ask_checked
from consolidation.kernel.errors import DreamRefused
from consolidation.kernel.ports import Ask, Usage
from prompts.responses import DeepSleep, Dream

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import date, tzinfo
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.dreams.dream_log import DreamRecord, Dreams
    from consolidation.dreams.evidence import Evidence, EvidenceItem
    from consolidation.kernel.checked_answer import CheckedAnswer
    from consolidation.kernel.ports import LanguageModel
    from consolidation.workspace import Workspace
    from prompts.responses import DreamtObservation

_LONGEST_REFLECTION = 8_000  # characters of an agent's last words
_MOST_STANDING = 60  # observations that a dream is shown: the critical ones, and else the newest
_MOST_TIDIED = 200


@dataclass(frozen=True, slots=True)
class DreamerVoice:
    """What a dream is told of the agent: its name, PURPOSE.md, SOUL.md, and the mind's own prompts."""

    agent: str
    purpose: str
    soul: str
    overrides: Path | None

    @classmethod
    def of(cls, workspace: Workspace, *, agent: str) -> Self:
        """The voice of one mind; call it in a worker thread."""
        return cls(agent, workspace.purpose_text, workspace.soul_text, workspace.prompts)


@dataclass(frozen=True, slots=True)
class Writings:
    """The agent's own files as they are, as text."""

    observations: str = ""
    rules: str = ""
    priorities: str = ""
    briefing: str = ""


@dataclass(slots=True)
class DreamReports:
    """What asking for a dream cost, and why answers were refused."""

    usage: Usage = field(default_factory=Usage)
    refused: list[str] = field(default_factory=list)

    def receive(self, characters: int) -> None:
        """So many characters of an answer have come; a dream shows nobody its progress."""

    def answered(self, usage: Usage) -> None:
        """A call has ended, and cost this."""
        self.usage += usage

    def refuse(self, reason: str) -> None:
        """An answer could not be used."""
        self.refused.append(reason)


@dataclass(frozen=True, slots=True)
class Tidied:
    """
    What a deep sleep decides: superseded observations and new levels (both by digest), priorities, a diary entry.

    No RED observation is superseded, and none becomes less than YLW at once. Where there was nothing to say, the
    priorities or the entry are empty. ``is_quoted`` says that no model decided it.
    """

    superseded: frozenset[str]
    levels: dict[str, Level]
    priorities: tuple[str, ...]
    diary: str
    is_quoted: bool = False


class Dreamer:
    """Asks its models in order, each once more with what was wrong."""

    def __init__(self, models: Sequence[LanguageModel], *, quoting: LanguageModel) -> None:
        """
        *models*: the narrative one, then those it falls back to; where the first is hosted, the hosted ones of these.

        *quoting* is asked behind them where ``quotes_refused``.
        """
        known = tuple(dict.fromkeys(models))
        self._models = tuple(model for model in known if model.is_hosted) if known[0].is_hosted else known[:1]
        self._quoting = quoting

    async def dream(
        self,
        record: DreamRecord,
        evidence: Evidence,
        *,
        voice: DreamerVoice,
        writings: Writings,
        dreams: Dreams,
        earlier: Sequence[str],
        zone: tzinfo,
        quotes_refused: bool,
        reports: DreamReports,
    ) -> DreamDraft:
        """
        What the dream *record* comes to, ready to be written. *earlier* are lines of the log about what failed. With
        *quotes_refused*, it is quoted where no model dreamt what can be used.

        Raises DreamRefused when no model dreamt what can be used, ModelFault when none answered.
        """
        standing = _standing(writings.observations, dreams)
        ours = {number: one for number, one in standing.items() if dreams.is_ours(one)}
        words: dict[str, object] = {
            "agent": voice.agent,
            "purpose": voice.purpose,
            "language": evidence.language,
            "items": evidence.items,
            "left_out": evidence.left_out,
            "narration": evidence.narration,
            "observations": _numbered(standing, changeable=ours),
            "rules": [rule.text for rule in read_rules(writings.rules)],
            "briefing": writings.briefing.strip(),
            "priority": dreams.priority,
            "earlier": tuple(earlier),
        }
        known = (*_dated(standing.values()), writings.rules, writings.briefing, dreams.priority, voice.purpose)
        sources = DreamSources.of(
            (*evidence.texts, *evidence.counts, *known, *earlier),
            soul=voice.soul,
            agent=voice.agent,
            language=evidence.language,
            counted=max(evidence.actions, len(evidence.items)),
            failed_calls=evidence.failed_calls if evidence.left_out else 0,
            items=evidence.items,
        )
        present = tuple(standing.values())

        def fault(answer: Dream, model: LanguageModel) -> str:
            if not model.is_hosted:
                return ""
            return fault_of_dream(answer, sources=sources, standing=present, evidence=evidence)

        ask = Ask("dream", Dream, words, voice.overrides)
        found = await self._asked(ask, fault, reports, quotes_refused=quotes_refused)
        is_quoted = not found.model.is_hosted
        record = record.model_copy(update={"model": found.name, "is_quoted": is_quoted})
        make = _Drafting(record, evidence, sources, present, ours, zone)
        return await anyio.to_thread.run_sync(make.draft, found.content, reports, is_quoted)

    async def tidy(
        self,
        dreams: Sequence[DreamRecord],
        *,
        voice: DreamerVoice,
        writings: Writings,
        known: Dreams,
        language: str,
        zone: tzinfo,
        lowerable: AbstractSet[str],
        quotes_refused: bool,
        reports: DreamReports,
    ) -> Tidied:
        """
        What a deep sleep makes of *dreams* and of what stands. Raises as ``dream``.

        *lowerable* are the digests of RED observations that may lose that level: no person's words are behind them.
        """
        present = dict(enumerate(read_observations(writings.observations)[-_MOST_TIDIED:], start=1))
        ours = {number: one for number, one in present.items() if known.is_ours(one)}
        told = [(f"{one.t.astimezone(zone):%Y-%m-%d %H:%M}", one.reflection, one.priority) for one in dreams]
        words: dict[str, object] = {
            "agent": voice.agent,
            "purpose": voice.purpose,
            "language": language,
            "dreams": [dict(zip(("when", "reflection", "priority"), one, strict=True)) for one in told],
            "observations": _numbered(present, changeable=ours),
            "priorities": read_priorities(writings.priorities),
        }
        sources = DreamSources.of(
            (*map(" ".join, told), *_dated(present.values()), writings.priorities, voice.purpose),
            soul=voice.soul,
            agent=voice.agent,
            language=language,
            counted=max(len(told), len(present)),
            failed_calls=sum(one.failed_calls for one in dreams),
        )

        def fault(answer: DeepSleep, model: LanguageModel) -> str:
            return fault_of_deep_sleep(answer, sources=sources) if model.is_hosted else ""

        ask = Ask("deep_sleep", DeepSleep, words, voice.overrides)
        found = await self._asked(ask, fault, reports, quotes_refused=quotes_refused)
        answer = found.content
        is_quoted = not found.model.is_hosted
        priorities = answer.priorities if is_quoted else usable_lines(answer.priorities, sources=sources)
        superseded = (ours[number] for number in answer.superseded if number in ours)
        levels = ((ours[one.number], Level(one.level)) for one in answer.levels if one.number in ours)
        return Tidied(
            frozenset(line.digest for line in superseded if line.level is not Level.RED),
            {
                line.digest: _level(line, level)
                for line, level in levels
                if line.level is not Level.RED or line.digest in lowerable
            },
            tuple(one for one in priorities if worded(one)),
            worded(answer.diary),
            is_quoted,
        )

    async def _asked[Answer: BaseModel](
        self,
        ask: Ask[Answer],
        fault: Callable[[Answer, LanguageModel], str],
        reports: DreamReports,
        *,
        quotes_refused: bool,
    ) -> CheckedAnswer[Answer]:
        async def asked(models: Sequence[LanguageModel]) -> CheckedAnswer[Answer]:
            return await ask_checked(
                models, ask, fault, cleaned=lambda answer: answer, refused=DreamRefused, reports=reports
            )

        try:
            return await asked(self._models)
        except UNUSABLE:
            if not quotes_refused:
                raise
            return await asked((self._quoting,))


@dataclass(frozen=True, slots=True)
class _Drafting:
    """Makes of a model's answer what will be written."""

    record: DreamRecord
    evidence: Evidence
    sources: DreamSources
    standing: Sequence[Observation]
    ours: Mapping[int, Observation]  # those of them that dreams wrote, by the numbers that the model was shown
    zone: tzinfo

    def draft(self, dream: Dream, reports: DreamReports, is_quoted: bool) -> DreamDraft:  # noqa: FBT001 - in a thread
        if is_quoted:
            kept, faults = dream.observations, list[str]()
        else:
            kept, faults = usable_observations(dream, sources=self.sources, standing=self.standing)
        for fault in faults:
            reports.refuse(fault)
        found: list[tuple[DraftedObservation, tuple[int, ...]]] = []
        observed = set[int]()
        for one in kept:
            text, at = one.text.strip(), one.at.strip()
            told = told_by(text, self.evidence.items, language=self.evidence.language)
            turns = sources_of(told, self.evidence.items, at=at)
            observed |= set(turns) if told else set()  # the same minute alone tells of nothing
            if not (is_quoted or self.sources.known.knows_number(at)):
                at = _time(turns, self.evidence.items) or at  # nothing happened then
            day = _day(turns, at, self.evidence.items) or self.record.t.astimezone(self.zone).date()
            found.append((DraftedObservation(day=day, level=one.level, at=at, text=text), turns))
        resting = _resting((*found, *self._unobserved(observed)))
        language = self.evidence.language
        again = self._said_again(observed)
        levels = {one.observation.digest: one.level for one in resting}
        levels |= {one.digest: one.level.value for one in again}
        record = self.record.model_copy(
            update={
                "reflection": worded(dream.reflection if is_quoted else reflection_of(dream, language=language)),
                "priority": worded(dream.priority if is_quoted else priority_of(dream, language=language)),
                "observations": len(levels),
                "sources": {one.observation.digest: turns for one, turns in resting.items()}
                | {one.digest: turns for one, turns in again.items()},
                "levels": levels,
                "superseded": tuple(one for one in superseded_by(kept, self.ours) if one not in levels),
            }
        )
        return DreamDraft(
            record=record,
            observations=tuple(resting),
            rules_added=usable_lines(dream.rules.add, sources=self.sources),
            rules_removed=dream.rules.remove,
            briefing=usable_briefing(dream.briefing, sources=self.sources),
        )

    def _unobserved(self, observed: AbstractSet[int]) -> tuple[tuple[DraftedObservation, tuple[int, ...]], ...]:
        """What people told the agent in turns not *observed*, quoted, unless it stands already; and its turn."""
        standing = {one.text for one in self.standing}
        return tuple(
            (_drafted(one, item.at.date()), (item.sequence,))
            for item, one in requests(self.evidence.items)
            if item.sequence not in observed and one.text not in standing
        )

    def _said_again(self, observed: AbstractSet[int]) -> dict[Observation, tuple[int, ...]]:
        """The lines of dreams that stand already and quote what people said in turns not *observed*; and the turns."""
        ours = {one.text: one for one in self.ours.values()}
        found: dict[Observation, tuple[int, ...]] = {}
        for item, one in requests(self.evidence.items):
            if item.sequence not in observed and one.text in ours:
                found[ours[one.text]] = (*found.get(ours[one.text], ()), item.sequence)
        return found


def lightweight(record: DreamRecord, evidence: Evidence) -> DreamDraft:
    """The dream of an agent that did next to nothing: its last words, and what people told it. No model is asked."""
    words = " ".join(evidence.last_words.split())[:_LONGEST_REFLECTION]
    told = _resting((_drafted(one, item.at.date()), (item.sequence,)) for item, one in requests(evidence.items))
    record = record.model_copy(
        update={
            "reflection": words,
            "observations": len(told),
            "sources": {one.observation.digest: turns for one, turns in told.items()},
            "levels": {one.observation.digest: one.level for one in told},
        }
    )
    return DreamDraft(record=record, observations=tuple(told))


def _resting(
    found: Iterable[tuple[DraftedObservation, tuple[int, ...]]],
) -> dict[DraftedObservation, tuple[int, ...]]:
    """Each observation with the turns that it rests on. What is said twice of a day is one, and rests on both."""
    first: dict[tuple[date, str, str], DraftedObservation] = {}
    resting: dict[DraftedObservation, tuple[int, ...]] = {}
    for one, turns in found:
        known = first.setdefault((one.day, one.level, one.text), one)
        resting[known] = tuple(sorted({*resting.get(known, ()), *turns}))
    return resting


def _level(one: Observation, asked: Level) -> Level:
    """The level that is *asked* for; what was critical is important first, and so is not taken out at once."""
    return Level.YLW if one.level is Level.RED and asked is Level.GRN else asked


def _drafted(one: DreamtObservation, day: date) -> DraftedObservation:
    return DraftedObservation(day=day, level=one.level, at=one.at.strip(), text=one.text.strip())


def _time(turns: Sequence[int], items: Sequence[EvidenceItem]) -> str:
    """The time of the newest turn that an observation rests on, else of what was last; "" where nothing was."""
    found = [one for one in items if one.sequence in turns] or items
    return f"{found[-1].at:%H:%M}" if found else ""


def _day(turns: Sequence[int], at: str, items: Sequence[EvidenceItem]) -> date | None:
    """
    The day of an observation: of the newest turn it rests on, else of what was last done at or before its time.

    None where nothing was done or said.
    """
    resting = [one for one in items if one.sequence in turns]
    before = [one for one in items if f"{one.at:%H:%M}" <= at]
    found = resting or before or items
    return found[-1].at.date() if found else None


def _numbered(lines: Mapping[int, Observation], *, changeable: Collection[int]) -> list[dict[str, object]]:
    """Observations as a prompt shows them: those that an answer may change have their numbers, a person's have 0."""
    return [
        {"number": number if number in changeable else 0, "day": str(one.day), "line": one.line}
        for number, one in lines.items()
    ]


def _dated(lines: Iterable[Observation]) -> Iterator[str]:
    return (f"{one.day} {one.line}" for one in lines)


def _standing(text: str, dreams: Dreams) -> dict[int, Observation]:
    """The observations that a dream is shown, with their numbers."""
    present = read_observations(text)
    over = dreams.over(present)
    found = [one for one in present if one not in over]
    critical = [one for one in found if one.level is Level.RED][-_MOST_STANDING // 2 :]
    others = [one for one in found if one.level is not Level.RED][-(_MOST_STANDING - len(critical)) :]
    shown = [one for one in found if one in critical or one in others]
    return dict(enumerate(shown, start=1))
