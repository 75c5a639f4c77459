"""
Erased turns go out of everything that dreams wrote, in the present files and in earlier versions. What such dreams came
to is owed: it is made again of the turns that stay.

A dream that saw an erased turn may tell of it in any words. So all that it wrote into rules.md and briefing.md goes,
and of observations.md what rests on erased turns, or on nobody knows what, unless another dream says it of turns that
stay. The deep sleep that told such a dream loses its priorities and its entry of the diary. Lines of later dreams go
where they show telling words that only erased turns contain. What dreams wrote before the first erased turn was stored
stays.

A line that a person wrote stays in the present file, which is named. Earlier versions keep no line with erased words,
whoever wrote it. All of it may be repeated at any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from consolidation.dreams.dream_files import BRIEFING, DIARY, OBSERVATIONS, PRIORITIES, RULES, WRITINGS
from consolidation.dreams.observations import read_dated, read_observations, without
from consolidation.dreams.rules import Rule, read_rules
from consolidation.dreams.writings import PRIORITIES_HEADING, diary_entry, line_digest, line_digests
from consolidation.text.language import detect
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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


def erase_from_dreams(files: DreamFiles, erased: ErasedTurns, *, session_id: str | None = None) -> ErasedFromDreams:
    """
    Take erased turns, or all of a session with its id, out of what *files* hold. Blocking.

    Raises DreamUnwritable.
    """
    if not files.exist():
        return ErasedFromDreams()
    files.note_deleted_lines()  # nobody knows it any more when lines have gone
    erasing = _erasing(files, erased)
    files.log.replace(erasing.owing)
    lines = versions = 0
    edited: list[str] = []
    rules = _beginnings(files)
    for name in WRITINGS:
        before = files.read(name)
        if before:
            after = files.change(name, partial(erasing.present, name))
            lines += len(before.splitlines()) - len(after.splitlines())
            edited += [f"{name}.md"] if erasing.is_proved_by_a_person(after) else []
        versions += files.redact(name, partial(erasing.earlier, name))
    files.drop_draft()
    files.forget_reasons(session_id=session_id)
    files.log.replace(erasing.without_kept_lines)
    erased_rules = rules - _beginnings(files)  # no person deleted them
    files.log.replace(lambda one: erasing.record(one.without_lines(RULES, erased_rules)))
    files.log.replace(lambda one: one.model_copy(update={"session_id": ""}) if one.session_id == session_id else one)
    return ErasedFromDreams(len(erasing.again | erasing.reworded | erasing.retold), lines, versions, tuple(edited))


@dataclass(frozen=True, slots=True)
class _Signs:
    """What tells erased turns, and the dreams that can not know of them."""

    erased: ErasedTurns
    early: frozenset[str]  # digests of all lines of those dreams

    def proves(self, text: str) -> bool:
        """Whether *text*, whoever wrote it, must have its words from an erased turn."""
        return any(form in text for form in self.erased.forms)

    def tells(self, text: str) -> bool:
        """Whether *text* has a telling word, be it short, that only erased turns contain."""
        return self.proves(text) or not self.erased.terms.isdisjoint(content_words(text, language=detect(text)))

    def are_in(self, one: DreamRecord) -> bool:
        """Whether a dream saw an erased turn."""
        return any(one.first_sequence <= sequence <= one.last_sequence for sequence in self.erased.sequences)

    def touch(self, one: DreamRecord) -> bool:
        """Whether a dream saw an erased turn, or its words tell of one."""
        told = f"{one.reflection}\n{one.priority}\n{one.intent}"
        came_later = any(sequence < one.first_sequence for sequence in self.erased.sequences)
        return self.are_in(one) or self.proves(told) or (came_later and self.tells(told))

    def is_told_later(self, line: str) -> bool:
        """Whether *line*, of a dream, tells of them."""
        return line_digest(line) not in self.early and self.tells(line)


@dataclass(frozen=True, slots=True)
class _Erasing:
    """
    What of the files goes.

    ``again`` are the numbers of dreams that are dreamt again, ``reworded`` those of which only the words are, and
    ``retold`` those of deep sleeps whose priorities and diary are written again.
    """

    signs: _Signs
    dreams: Dreams
    ours: Mapping[str, frozenset[str]]  # digests of lines, by file
    drafted: Mapping[str, frozenset[str]]  # of a dream that is being written: all of it is dreamt again
    gone: Mapping[str, frozenset[str]]  # of dreams that are made again
    again: frozenset[int]
    reworded: frozenset[int]
    retold: frozenset[int]

    def present(self, name: str, text: str) -> str:
        """What is left of a present file."""
        if name == OBSERVATIONS:
            return without(text, self._is_doomed)
        return _without_lines(text, lambda line: self._is_gone(name, line))

    def earlier(self, name: str, text: str) -> str:
        """What is left of an earlier version of a file."""
        early = {one.line for one in read_observations(text) if one.digest in self.signs.early}

        def is_told(line: str) -> bool:
            return self.signs.proves(line) or (line not in early and self.signs.is_told_later(line))

        return _without_lines(self.present(name, text), is_told)

    def is_proved_by_a_person(self, text: str) -> bool:
        """Whether a line of a file that is left, but for those of early dreams, must be of an erased turn."""
        early = {one.line for one in read_observations(text) if one.digest in self.signs.early}
        left = (line for line in text.splitlines() if line not in early and line_digest(line) not in self.signs.early)
        return any(self.signs.proves(line) for line in left)

    def owing(self, one: DreamRecord) -> DreamRecord:
        """*one*, marked as to be made again."""
        is_again, is_retold = one.dream in self.again, one.dream in self.retold
        return one.model_copy(
            update={
                "is_owed": one.is_owed or is_again or one.dream in self.reworded,
                "lost_lines": one.lost_lines or is_again,
                "is_untidied": one.is_untidied or is_retold,
            }
        )

    def without_kept_lines(self, one: DreamRecord) -> DreamRecord:
        """*one* without the erased words of lines that it took out, or that went with it."""
        new = {"pruned": self._kept(one.pruned), "rules_removed": self._kept_rules(one.rules_removed)}
        if one.undone is None:
            return one.model_copy(update=new)
        left = {"observations": self._kept(one.undone.observations), "rules": self._kept_rules(one.undone.rules)}
        return one.model_copy(update={**new, "undone": one.undone.model_copy(update=left)})

    def _kept(self, dated: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(found.dated for found in read_dated(dated) if not self._is_doomed(found))

    def _kept_rules(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for line in lines if not (self._is_gone(RULES, line) or self.signs.is_told_later(line)))

    def record(self, one: DreamRecord) -> DreamRecord:
        """*one* as it is without the erased turns."""
        for name, numbers in ((BRIEFING, self.again), (PRIORITIES, self.retold), (DIARY, self.retold)):
            if one.dream in numbers:
                one = one.without_lines(name, self.gone[name])
        if one.dream not in self.again | self.reworded:
            return one
        gone = {digest for digest in one.sources if self._has_lost(one, digest)}
        return one.model_copy(
            update={
                "reflection": "",
                "priority": "",
                "intent": "",
                "sources": {digest: turns for digest, turns in one.sources.items() if digest not in gone},
                "levels": {digest: level for digest, level in one.levels.items() if digest not in gone},
                "relevelled": {digest: level for digest, level in one.relevelled.items() if digest not in gone},
                "rules": tuple(digest for digest in one.rules if digest not in self.gone[RULES]),
                "observations": one.observations - (len(gone & one.levels.keys()) if one.levels else len(gone)),
            }
        )

    def _is_doomed(self, one: Observation) -> bool:
        if one.digest in self.drafted[OBSERVATIONS]:
            return True
        if not self.dreams.is_ours(one):
            return False
        said_by = [record for record in self.dreams.records if one.digest in record.sources]
        standing = [record for record in said_by if not record.is_undone] or said_by
        if standing and all(self._has_lost(record, one.digest) for record in standing):
            return True
        return one.digest not in self.signs.early and self.signs.tells(one.text)

    def _has_lost(self, record: DreamRecord, digest: str) -> bool:
        """Whether what a dream said in one of its observations rested on an erased turn, or on nobody knows what."""
        turns = record.sources[digest]
        if turns:
            return not self.signs.erased.sequences.isdisjoint(turns)
        return digest not in self.signs.early and self.signs.are_in(record)

    def _is_gone(self, name: str, line: str) -> bool:
        digest = line_digest(line)
        if digest in self.drafted.get(name, ()) or digest in self.gone[name]:
            return True
        return digest in self.ours[name] and self.signs.is_told_later(line)


def _erasing(files: DreamFiles, erased: ErasedTurns) -> _Erasing:
    """What goes, as the files are now."""
    dreams, first = files.dreams(), min(erased.sequences, default=0)
    early = frozenset(digest for one in dreams.records if one.last_sequence < first for digest in _lines_of(one))
    signs = _Signs(erased, early)
    ours = {RULES: dreams.rules, **{name: files.ours(name) for name in (PRIORITIES, BRIEFING, DIARY)}}
    shown = _shown(files, ours, signs)
    later = [one for one in dreams.records if one.last_sequence >= first]
    again = [one for one in later if one.lost_lines or signs.touch(one) or not shown.isdisjoint(_dreamt_lines(one))]
    again += _carrying(dreams, BRIEFING, again)
    entries = {one.dream: diary_entry(files.read(DIARY), one.lines_of(DIARY)) for one in later if one.deep}
    retold = [
        one
        for one in later
        if (one.deep and (one.is_untidied or _tells_of(one, again, dreams, tidied=files.evaluated())))
        or not shown.isdisjoint((*one.lines_of(PRIORITIES), *entries.get(one.dream, ())))
    ]
    retold += _carrying(dreams, PRIORITIES, retold)
    gone = {
        RULES: {digest for one in again for digest in one.rules},
        BRIEFING: {digest for one in again for digest in one.lines_of(BRIEFING)},
        PRIORITIES: {digest for one in retold for digest in one.lines_of(PRIORITIES)} - {PRIORITIES_HEADING},
        DIARY: {digest for one in retold for digest in entries.get(one.dream, ())},
    }
    return _Erasing(
        signs,
        dreams,
        ours,
        _drafted(files.draft()),
        gone={name: frozenset(digests - early) for name, digests in gone.items()},
        again=frozenset(one.dream for one in again),
        reworded=frozenset(one.dream for one in dreams.records if one.last_sequence < first and signs.touch(one)),
        retold=frozenset(one.dream for one in retold),
    )


def _shown(files: DreamFiles, ours: Mapping[str, frozenset[str]], signs: _Signs) -> frozenset[str]:
    """The digests of lines of dreams in the present files that tell of erased turns."""
    written = {
        digest
        for name, digests in ours.items()
        for line in files.read(name).splitlines()
        if (digest := line_digest(line)) in digests and signs.is_told_later(line)
    }
    observed = read_observations(files.read(OBSERVATIONS))
    return frozenset(written).union(
        one.digest for one in observed if one.digest not in signs.early and signs.tells(one.text)
    )


def _tells_of(deep: DreamRecord, again: list[DreamRecord], dreams: Dreams, *, tidied: int) -> bool:
    return any(told in again for told in dreams.up_to(deep, tidied=tidied))


def _carrying(dreams: Dreams, name: str, affected: list[DreamRecord]) -> list[DreamRecord]:
    """The dream that wrote a file last, where it said a line of an *affected* one again, word for word."""
    last = dreams.last_writer(name)
    if last is None or last in affected:
        return []
    carried = {digest for one in affected for digest in one.lines_of(name)} - {PRIORITIES_HEADING}
    return [] if carried.isdisjoint(last.lines_of(name)) else [last]


def _dreamt_lines(one: DreamRecord) -> Iterator[str]:
    """The digests of what a dream wrote, but for the end of a deep sleep."""
    return chain(one.sources, one.rules, one.lines_of(BRIEFING))


def _lines_of(one: DreamRecord) -> Iterator[str]:
    return chain(_dreamt_lines(one), one.lines_of(PRIORITIES), one.lines_of(DIARY))


def _beginnings(files: DreamFiles) -> frozenset[str]:
    """The beginnings of the rules that stand, or went with a dream that was taken back."""
    undone = (line for one in files.dreams().records if one.undone is not None for line in one.undone.rules)
    return frozenset(rule.beginning for rule in read_rules("\n".join((files.read(RULES), *undone))))


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
