"""
Answers a question from memory: a hosted model words it, and code checks each line against the evidence it names.

Without a model, or when it fails or is late, the evidence is the answer; nothing is worded that nobody said.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import ModelFault, ModelTimedOut
from consolidation.kernel.ports import Ask, Usage
from consolidation.kernel.speaker_names import shown_name
from consolidation.kernel.turns import Speaker
from consolidation.text.names import names
from consolidation.text.strange_names import names_by_word, names_meant
from consolidation.text.words import tokens
from prompts.responses import AnswerOfMemory
from service.ask.checks import Check, Checked, Line
from service.ask.evidence import find_evidence, is_muted, texts_of
from service.retrieval.lead_words import without_leads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, tzinfo

    from consolidation.kernel.ports import Clock, LanguageModel
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.ask.evidence import Evidence
    from service.mind.minds import Mind
    from service.retrieval.remember import Recall
    from service.retrieval.time_window import TimeWindow

log = structlog.get_logger()

_NOTHING = Checked((), (), (), ())


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked, of what was said in ``window``; its ``at`` asks for the facts that held then.

    ``language`` and ``timezone`` are the answer's; ``tag`` is the language as it was asked for, such as "zh-Hant".
    ``asker`` is the name of who asks, "" where they have none.
    """

    text: str
    language: str
    tag: str
    timezone: tzinfo
    window: TimeWindow
    limit: int
    asker: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """
    What memory answers: lines that name places in ``evidence``, what is missing, and what contradicts what.

    ``dropped`` says why a part of a model's answer was left out. ``by_model``: a model wrote lines or what is missing.
    """

    lines: tuple[Line, ...]
    missing: tuple[str, ...]
    contradictions: tuple[tuple[int, ...], ...]
    evidence: tuple[Evidence, ...]
    by_model: bool
    dropped: tuple[str, ...]
    degraded: tuple[str, ...]


class Answerer:
    """Answers questions to any mind."""

    def __init__(
        self,
        *,
        recall: Recall,
        model: LanguageModel,
        agent: str,
        privacy_filter: PrivacyFilter,
        clock: Clock,
        seconds: float,
    ) -> None:
        """*seconds* limit the model's answer; *agent* is what the bot is called."""
        self._recall = recall
        self._model = model
        self._agent = agent
        self._cleaned = privacy_filter.cleaned
        self._clock = clock
        self._seconds = seconds

    async def answer(self, mind: Mind, question: Question) -> Answer:
        """What *mind* remembers about a question."""
        now = self._clock.now()
        evidence, degraded = await find_evidence(
            self._recall,
            mind,
            question.text,
            language=question.tag,
            window=question.window,
            now=now,
            limit=question.limit,
            asker=question.asker,
        )
        said, failed = await self._said(mind, question, evidence) if evidence else (None, ())
        checked = await anyio.to_thread.run_sync(self._check, mind, question, evidence, said) if said else _NOTHING
        by_model = bool(checked.lines or checked.missing)
        found = Answer(
            lines=checked.lines,
            missing=checked.missing if by_model else _unknown_words(question, evidence),
            contradictions=tuple(tuple(sorted(one)) for one in checked.contradictions),
            evidence=evidence,
            by_model=by_model,
            dropped=checked.dropped,
            degraded=(*degraded, *failed, *(("answer_lines_dropped",) if checked.dropped else ())),
        )
        _report(mind, found)
        return found

    async def _said(
        self, mind: Mind, question: Question, evidence: Sequence[Evidence]
    ) -> tuple[AnswerOfMemory | None, tuple[str, ...]]:
        """What the model says, or the rung that was taken."""
        if not self._model.is_hosted:
            return None, ()
        words = {
            "agent": self._agent,
            "language": question.tag,
            "now": self._clock.now().astimezone(question.timezone).strftime("%A, %Y-%m-%d %H:%M"),
            "at": _day(question.window.at, question.timezone),
            "asker": self._cleaned(shown_name(question.asker, role=Speaker.USER)),
            "question": self._cleaned(question.text),
            "evidence": tuple(
                {"number": number, "about": _about(one, question.timezone), "text": self._cleaned(text)}
                for number, (one, text) in enumerate(zip(evidence, texts_of(evidence), strict=True), start=1)
            ),
        }
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._model.answer(Ask("ask", AnswerOfMemory, words, mind.workspace.prompts))
        except (TimeoutError, ModelFault) as fault:
            mind.health.usage += getattr(fault, "usage", None) or Usage()
            is_late = isinstance(fault, TimeoutError | ModelTimedOut)
            return None, ("answer_timed_out" if is_late else "answer_unavailable",)
        mind.health.usage += reply.usage
        return reply.content, ()

    def _check(self, mind: Mind, question: Question, evidence: Sequence[Evidence], said: AnswerOfMemory) -> Checked:
        check = Check(
            evidence,
            question=question.text,
            language=question.language,
            timezone=question.timezone,
            known=f"{self._agent} {question.asker}",
            known_names=lambda text: [name for _, name in mind.text.names_in(text)],
        )
        return check.of(said)


def _unknown_words(question: Question, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """
    Without a model: the question where nothing is known, else the names in it that no evidence has.

    None of a German question, where every noun has a capital.
    """
    if not evidence:
        return (question.text,) if question.text.strip() else ()
    if question.language == "de":
        return ()
    texts = texts_of(evidence)
    there = frozenset[str]().union(*map(names_meant, (*texts, *map(without_leads, texts))))
    asked, meant = names(question.text, language=question.language), names_by_word(question.text)
    return tuple(
        name for name in asked if there.isdisjoint(one for word in tokens(name) for one in (word, *meant.get(word, ())))
    )


def _about(one: Evidence, timezone: tzinfo) -> str:
    """How a memory stands, and its days: ``holding, told 2026-01-09, since 2026-01-09``."""
    memory = one.memory
    times: Mapping[str, datetime | None] = {
        "told": memory.occurred_at,
        "since": memory.valid_at,
        "until": memory.invalid_at,
    }
    days = (f"{word} {_day(instant, timezone)}" for word, instant in times.items() if instant is not None)
    marks = {"muted by a person": is_muted(memory), "found wrong once": memory.is_contradicted}
    return ", ".join((one.state, *(mark for mark, is_so in marks.items() if is_so), *days))


def _day(instant: datetime | None, timezone: tzinfo) -> str:
    return f"{instant.astimezone(timezone):%Y-%m-%d}" if instant is not None else ""


def _report(mind: Mind, found: Answer) -> None:
    log.info(
        "ask.answered",
        mind_id=mind.mind_id,
        evidence=len(found.evidence),
        lines=len(found.lines),
        dropped=len(found.dropped),
        by_model=found.by_model,
        degraded=list(found.degraded),
    )
