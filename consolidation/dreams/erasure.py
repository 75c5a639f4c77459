"""
Erased turns go out of everything that dreams wrote: lines that rest on them or show their words, in the present files
and in earlier versions. A dream that saw them, or repeats them, loses its words, and is owed: it is dreamt again of the
turns that stay.

A line that a person wrote stays in the present file, which is named. Earlier versions keep no line with erased words,
whoever wrote it. All of it may be repeated at any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from consolidation.dreams.dream_files import BRIEFING, DIARY, OBSERVATIONS, PRIORITIES, RULES, WRITINGS
from consolidation.dreams.observations import read_dated, without
from consolidation.dreams.rules import Rule, read_rules
from consolidation.dreams.writings import line_digest, line_digests
from consolidation.text.language import detect
from consolidation.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from consolidation.dreams.dream_draft import DreamDraft
    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord, Dreams
    from consolidation.dreams.observations import Observation
    from consolidation.story.chapter_turns import ErasedTurns


@dataclass(frozen=True, slots=True)
class ErasedFromDreams:
    """How many dreams are owed, and lines went; ``edited`` are files in which a person's line shows erased words."""

    dreams: int = 0
    lines: int = 0
    versions: int = 0
    edited: tuple[str, ...] = ()


def erase_from_dreams(files: DreamFiles, erased: ErasedTurns) -> ErasedFromDreams:
    """Take erased turns out of what *files* hold. Blocking. Raises DreamUnwritable."""
    dreams = files.dreams()
    if not files.exist():
        return ErasedFromDreams()
    ours = {RULES: dreams.rules, **{name: files.ours(name) for name in (PRIORITIES, BRIEFING, DIARY)}}
    erasing = _Erasing(erased, dreams, ours, _drafted(files.draft()))
    lines = versions = 0
    edited: list[str] = []
    rules = _beginnings(files)
    for name in WRITINGS:
        before = files.read(name)
        if before:
            after = files.change(name, partial(erasing.present, name))
            lines += len(before.splitlines()) - len(after.splitlines())
            edited += [f"{name}.md"] if erasing.proves(after) else []
        versions += files.redact(name, partial(erasing.earlier, name))
    files.drop_draft()
    files.forget_reasons()
    files.log.replace(erasing.without_kept_lines)
    erased_rules = rules - _beginnings(files)  # no person deleted them
    files.log.replace(lambda one: one.without_lines(RULES, erased_rules))
    owed = files.log.replace(erasing.record)
    return ErasedFromDreams(owed, lines, versions, tuple(edited))


@dataclass(frozen=True, slots=True)
class _Erasing:
    """What of the files rests on erased turns, or shows their words."""

    erased: ErasedTurns
    dreams: Dreams
    ours: Mapping[str, frozenset[str]]  # digests of lines, by file
    drafted: Mapping[str, frozenset[str]]  # of a dream that is being written: all of it is dreamt again

    def present(self, name: str, text: str) -> str:
        """What is left of a present file."""
        if name == OBSERVATIONS:
            return without(text, self._is_doomed)
        return _without_lines(text, lambda line: self._is_gone(name, line))

    def earlier(self, name: str, text: str) -> str:
        """What is left of an earlier version of a file."""
        return _without_lines(self.present(name, text), self.shows)

    def proves(self, text: str) -> bool:
        """Whether *text*, whoever wrote it, must have its words from an erased turn."""
        return any(form in text for form in self.erased.forms)

    def shows(self, text: str) -> bool:
        """Whether *text* of ours shows what only erased turns contain, short words too."""
        return self.proves(text) or not self.erased.terms.isdisjoint(tokens(text))

    def without_kept_lines(self, one: DreamRecord) -> DreamRecord:
        """*one* without the erased words of lines that it took out, or that went with it."""
        new = {"pruned": self._kept(one.pruned), "rules_removed": self._without_shown(one.rules_removed)}
        if one.undone is None:
            return one.model_copy(update=new)
        left = {"observations": self._kept(one.undone.observations), "rules": self._without_shown(one.undone.rules)}
        return one.model_copy(update={**new, "undone": one.undone.model_copy(update=left)})

    def _kept(self, dated: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(found.dated for found in read_dated(dated) if not self._is_doomed(found))

    def _without_shown(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for line in lines if not self.shows(line))

    def record(self, one: DreamRecord) -> DreamRecord:
        """*one* as it is without the erased turns."""
        told = f"{one.reflection}\n{one.priority}\n{one.intent}"
        has_seen = any(one.first_sequence <= sequence <= one.last_sequence for sequence in self.erased.sequences)
        if not has_seen and not self.proves(told) and not self._repeats(one, told):
            return one
        gone = {digest for digest, turns in one.sources.items() if self.erased.sequences.intersection(turns)}
        return one.model_copy(
            update={
                "reflection": "",
                "priority": "",
                "intent": "",
                "is_owed": True,
                "sources": {digest: turns for digest, turns in one.sources.items() if digest not in gone},
                "levels": {digest: level for digest, level in one.levels.items() if digest not in gone},
                "relevelled": {digest: level for digest, level in one.relevelled.items() if digest not in gone},
                "observations": one.observations - len(gone),
            }
        )

    def _repeats(self, one: DreamRecord, told: str) -> bool:
        """Whether *told*, of a dream behind an erased turn, has a telling word that only erased turns contain."""
        came_later = any(sequence < one.first_sequence for sequence in self.erased.sequences)
        return came_later and not self.erased.terms.isdisjoint(content_words(told, language=detect(told)))

    def _is_doomed(self, one: Observation) -> bool:
        if one.digest in self.drafted[OBSERVATIONS]:
            return True
        turns = self.dreams.sources(one.digest)
        return self.dreams.is_ours(one) and (not self.erased.sequences.isdisjoint(turns) or self.shows(one.text))

    def _is_gone(self, name: str, line: str) -> bool:
        digest = line_digest(line)
        return digest in self.drafted.get(name, ()) or (digest in self.ours[name] and self.shows(line))


def _beginnings(files: DreamFiles) -> frozenset[str]:
    return frozenset(rule.beginning for rule in read_rules(files.read(RULES)))


def _drafted(draft: DreamDraft | None) -> Mapping[str, frozenset[str]]:
    """The digests of the lines that a dream which is being written may have written already, by file."""
    if draft is None:
        return {OBSERVATIONS: frozenset()}
    number = draft.record.dream
    rules = (Rule(" ".join(words.split()), number).digest for words in draft.rules_added)
    briefing = frozenset(line_digests(draft.briefing or "")).intersection(draft.record.lines_of(BRIEFING))
    observations = frozenset(one.observation.digest for one in draft.observations)
    return {OBSERVATIONS: observations, RULES: frozenset(rules), BRIEFING: briefing}


def _without_lines(text: str, is_gone: Callable[[str], bool]) -> str:
    lines = [line for line in text.splitlines() if not is_gone(line)]
    return text if lines == text.splitlines() else "".join(f"{line}\n" for line in lines)
