"""
What code checks of a dream: names and numbers stand in the evidence, times are times, the language fits, and no failure
of the log is denied.

A line that fails is left out, with its reason. The reflection and the priority can not be left out: where one fails,
the model is asked again, and told everything that is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from consolidation.story.checks import language_of, leak
from consolidation.story.invention import Sources, invention
from consolidation.text.given_names import is_ordinary
from consolidation.text.language import is_surely_foreign
from consolidation.text.names import opening_names
from consolidation.text.quotation import without_quotations
from consolidation.text.sentences import whole_sentences
from consolidation.text.success_claims import success_claims
from consolidation.text.words import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.dreams.evidence import Evidence, EvidenceItem
    from consolidation.dreams.observations import Observation
    from prompts.responses import DeepSleep, Dream, DreamtObservation

MOST_OBSERVATIONS = 20
_LONGEST_OBSERVATION, _LONGEST_REFLECTION, _LONGEST_PRIORITY = 400, 1_500, 400  # characters
_MOST_WORDS = 120  # of a reflection
_LONGEST_DIARY, _LONGEST_RULE, _LONGEST_BRIEFING = 4_000, 300, 8_000
_LONGEST_SHOWN = 100  # characters of what is not true
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_EMPTY = frozenset({"{}", "[]", "null", "none", "nothing", "…", "..."})
_PREFIX = re.compile(r"^(?:RED|YLW|GRN)\b")


@dataclass(frozen=True, slots=True)
class DreamSources:
    """
    What a dream may take names and numbers from, and what it must not quote: SOUL.md.

    ``called`` are the telling words of each thing that the agent did, and whether it failed and was not done since.
    ``failed`` says that anything failed at all.
    """

    known: Sources
    soul: str
    failed: bool = False
    called: tuple[tuple[frozenset[str], bool], ...] = ()

    @classmethod
    def of(
        cls,
        texts: Iterable[str],
        *,
        soul: str,
        agent: str,
        language: str,
        counted: int,
        failed_calls: int = 0,
        items: Sequence[EvidenceItem] = (),
    ) -> Self:
        """
        The sources of a dream made of *texts*, in which *counted* things are told; *language* is theirs.

        Of what happened, *items* are shown, and *failed_calls* failed.
        """
        done = [one.action for one in items if one.action is not None and one.action.kind in {"tool_call", "error"}]
        mended = {(one.tool, one.arguments): at for at, one in enumerate(done) if not one.has_failed}
        called = tuple(
            (
                _telling(f"{re.sub(r'[_.-]', ' ', one.tool)} {one.arguments}", language),
                one.has_failed and mended.get((one.tool, one.arguments), -1) < at,
            )
            for at, one in enumerate(done)
            if one.kind == "tool_call"
        )
        failed = failed_calls > 0 or any(one.has_failed for one in done)
        return cls(Sources((*texts, agent), language=language, counted=counted), soul, failed, called)

    def denied(self, text: str) -> str:
        """
        What *text* claims to have gone well though the log has it as failed; "" where it claims nothing of the kind.

        A claim about what did succeed is true, whatever else failed.
        """
        if not self.failed:
            return ""
        language = self.known.language
        for claim in success_claims(without_quotations(text), language=language):
            words = _telling(claim.about, language)
            meant = [is_failed for called, is_failed in self.called if not words.isdisjoint(called)]
            if any(meant) or (claim.is_of_all and not meant):
                return claim.about.strip()
        return ""

    def is_foreign(self, text: str) -> bool:
        """Whether *text*, without what it quotes or has from the log, is in letters of another language."""
        own = (word for word in without_quotations(text).split() if not self.known.knows(word))
        return is_surely_foreign(" ".join(own), language=self.known.language)

    def stranger(self, text: str) -> str:
        """
        A name that opens a sentence of *text* and was never said; "" where there is none.

        A capital proves nothing there, so it must be followed by what a person does, and not be an ordinary word. In
        German, where every noun has a capital, none is looked for.
        """
        language = self.known.language
        if language.startswith("de"):
            return ""
        for sentence in whole_sentences(text, language=language):
            for name in opening_names(sentence, language=language):
                if not (is_ordinary(name, language=language) or self.known.knows(name)):
                    return name
        return ""


def fault_of_dream(dream: Dream, *, sources: DreamSources, standing: Sequence[Observation], evidence: Evidence) -> str:
    """Why a dream can not be used at all; "" when it can. Single lines that fail are only left out."""
    kept, faults = usable_observations(dream, sources=sources, standing=standing)
    of_texts = [
        *_faults_of_text("reflection", dream.reflection, _LONGEST_REFLECTION, sources),
        *_priority(dream, sources),
    ]
    together = " ".join((dream.reflection, dream.priority, *dream.rules.add))
    if not of_texts and (fault := language_of(together, language=sources.known.language)):
        of_texts = [f"reflection, priority and rules: {fault}"]
    is_empty = not kept and bool(evidence.items)
    nothing = ["it observes nothing"] if is_empty and not dream.observations and len(evidence.items) > 1 else []
    return "; ".join([*of_texts, *(faults if is_empty or of_texts else []), *nothing])


def usable_observations(
    dream: Dream, *, sources: DreamSources, standing: Sequence[Observation]
) -> tuple[tuple[DreamtObservation, ...], list[str]]:
    """
    The observations that pass, at most twenty, and why others do not.

    What stands already at the same level is not said again.
    """
    kept: list[DreamtObservation] = []
    faults: list[str] = []
    known = {(one.level.value, _said(one.text)) for one in standing}
    said: set[str] = set()
    for one in dream.observations:
        fault = fault_of_observation(one, sources=sources)
        if fault:
            faults.append(f"observation {one.text[:60]!r}: {fault}")
        elif (one.level, _said(one.text)) not in known and _said(one.text) not in said:
            said.add(_said(one.text))
            kept.append(one)
    return tuple(kept[:MOST_OBSERVATIONS]), faults


def fault_of_observation(one: DreamtObservation, *, sources: DreamSources) -> str:
    """Why one observation is left out."""
    text = one.text.strip()
    if not text or text.casefold() in _EMPTY or _PREFIX.match(text) or len(text) > _LONGEST_OBSERVATION or "\n" in text:
        return "it is not one short line"
    if not _TIME.fullmatch(one.at.strip()):
        return f"the time {one.at!r} is not of the form HH:MM"
    return leak(text, soul=sources.soul) or _fault_of_line(text, sources)


def reflection_of(dream: Dream, *, language: str) -> str:
    """The reflection, as many of its first sentences as have 120 words together."""
    return _beginning(dream.reflection, most_words=_MOST_WORDS, language=language)


def priority_of(dream: Dream, *, language: str) -> str:
    """The first sentence of the priority."""
    return _beginning(dream.priority, most_words=0, language=language)


def usable_lines(lines: Iterable[str], *, sources: DreamSources) -> tuple[str, ...]:
    """The rules, or priorities, that pass."""
    plain = (" ".join(line.split()) for line in lines)
    return tuple(one for one in plain if one and len(one) <= _LONGEST_RULE and not _fault_of_line(one, sources))


def usable_briefing(briefing: str | None, *, sources: DreamSources) -> str | None:
    """The briefing without lines that fail; None where nothing is left."""
    if briefing is None or len(briefing) > _LONGEST_BRIEFING:
        return None
    lines = [line.rstrip() for line in briefing.strip().splitlines() if not _fault_of_line(line, sources)]
    return "\n".join(lines) if any(line.strip() for line in lines) else None


def fault_of_deep_sleep(answer: DeepSleep, *, sources: DreamSources) -> str:
    """Why the answer to a deep sleep can not be used; "" when it can."""
    faults = _faults_of_text("diary", answer.diary, _LONGEST_DIARY, sources)
    if re.search(r"^[ \t]{0,3}#{1,6}\s", answer.diary, re.MULTILINE):
        faults.append("the diary has headings")
    if not usable_lines(answer.priorities, sources=sources):
        faults.append("no priority could be used: their names and numbers do not occur in what happened")
    return "; ".join(faults)


def told_by(text: str, items: Sequence[EvidenceItem], *, language: str) -> tuple[EvidenceItem, ...]:
    """What happened that an observation tells of: what shares most of its telling words, at least two."""
    words = _telling(text, language)
    shared = {one.number: len(words & _telling(one.text, language)) for one in items}
    best = max(shared.values(), default=0)
    return tuple(one for one in items if shared[one.number] == best) if best > 1 else ()


def sources_of(told: Sequence[EvidenceItem], items: Sequence[EvidenceItem], *, at: str) -> tuple[int, ...]:
    """The turns that an observation rests on which tells of *told*: those, and else what was at its time."""
    timed = [one for one in items if f"{one.at:%H:%M}" == at and (not told or one in told)]
    return tuple(sorted({one.sequence for one in (timed or told)}))


def superseded_by(kept: Sequence[DreamtObservation], ours: Mapping[int, Observation]) -> tuple[str, ...]:
    """The digests of the earlier observations that these end. A person's, which are not among *ours*, stand."""
    numbers = dict.fromkeys(number for one in kept for number in one.supersedes)
    return tuple(ours[number].digest for number in numbers if number in ours)


def _beginning(text: str, *, most_words: int, language: str) -> str:
    """The sentences at the beginning of *text* that have at most so many words together; the first at any rate."""
    end = words = 0
    for sentence in whole_sentences(text, language=language):
        words += len(sentence.split())
        if end and words > most_words:
            break
        end = text.index(sentence, end) + len(sentence)
    return text[:end]


def _priority(dream: Dream, sources: DreamSources) -> list[str]:
    faults = _faults_of_text("priority", dream.priority, _LONGEST_PRIORITY, sources)
    return [*faults, *(["the priority is more than one line"] if "\n" in dream.priority.strip() else [])]


def _faults_of_text(name: str, text: str, longest: int, sources: DreamSources) -> list[str]:
    plain = text.strip()
    if not plain or plain.casefold() in _EMPTY:
        return [f"it has no {name}"]
    if len(plain) > longest:
        return [f"the {name} is too long"]
    fault = (
        leak(plain, soul=sources.soul)
        or _fault_of_line(plain, sources)
        or language_of(plain, language=sources.known.language)
    )
    return [f"{name}: {fault}"] if fault else []


def _fault_of_line(text: str, sources: DreamSources) -> str:
    if fault := _invention(text, sources):
        return fault
    if sources.is_foreign(text):
        return f"it is not in the language {sources.known.language!r}"
    denied = sources.denied(text)
    return f"{denied[:_LONGEST_SHOWN]!r} is not true: the log has calls that failed" if denied else ""


def _invention(text: str, sources: DreamSources) -> str:
    if fault := invention(text, sources=sources.known):
        return fault
    stranger = sources.stranger(text)
    return f"the name {stranger!r} does not occur in what happened" if stranger else ""


def _said(text: str) -> str:
    return " ".join(text.casefold().split())


def _telling(text: str, language: str) -> frozenset[str]:
    return frozenset(stems(text, language=language))
