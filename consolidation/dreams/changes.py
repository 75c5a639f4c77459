"""What each dream changed in the agent's files, in words as far as they are still known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from consolidation.dreams.dream_files import OBSERVATIONS, RULES
from consolidation.dreams.observations import Level, Observation, read_dated, read_observations
from consolidation.dreams.rules import read_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord, Dreams
    from consolidation.dreams.rules import Rule

type ChangeKind = Literal["observed", "rule", "over", "relevelled", "pruned"]


@dataclass(frozen=True, slots=True)
class DreamChange:
    """
    A line that a dream wrote, said is over, gave another level than it ``was``, or took out.

    ``level``, ``day`` and ``at`` are None for a rule. ``is_there`` says whether it stands in its file now.
    """

    what: ChangeKind
    text: str
    is_there: bool
    level: Level | None = None
    was: Level | None = None
    day: date | None = None
    at: str | None = None


def changed_by_dreams(files: DreamFiles) -> tuple[Dreams, Mapping[int, tuple[DreamChange, ...]]]:
    """All dreams, and by their numbers what each changed. Blocking. Raises DreamUnwritable."""
    dreams = files.dreams()
    return dreams, changes_of_dreams(dreams, observations=files.read(OBSERVATIONS), rules=files.read(RULES))


def changes_of_dreams(dreams: Dreams, *, observations: str, rules: str) -> Mapping[int, tuple[DreamChange, ...]]:
    """
    By the number of each dream; *observations* and *rules* are the present files.

    A line whose words are not known any more is left out.
    """
    present = {one.digest: one for one in read_observations(observations)}
    kept = (line for one in dreams.records for line in (*one.pruned, *(one.undone.observations if one.undone else ())))
    known = _Known({one.digest: one for one in read_dated(kept)} | present, frozenset(present))
    standing = {rule.digest: rule for rule in read_rules(rules)}
    gone = (line for one in dreams.records for line in (*one.rules_removed, *(one.undone.rules if one.undone else ())))
    known_rules = {rule.digest: rule for rule in read_rules("\n".join(gone))} | standing
    return {
        one.dream: (
            *known.changes("observed", {digest: one.levels.get(digest) for digest in one.sources}),
            *_rules(one, known_rules, standing),
            *_of_earlier_lines(one, dreams, known),
        )
        for one in dreams.records
    }


@dataclass(frozen=True, slots=True)
class _Known:
    """Observations whose words are known, by their digests, and which of them stand in the file."""

    observations: Mapping[str, Observation]
    present: frozenset[str]

    def changes(
        self, what: ChangeKind, levels: Mapping[str, str | None], *, was: Mapping[str, str | None] | None = None
    ) -> Iterator[DreamChange]:
        """A change of each line, by its digest and the level it was given."""
        for digest, level in levels.items():
            one = self.observations.get(digest)
            if one is not None:
                before = (was or {}).get(digest)
                yield DreamChange(
                    what,
                    one.text,
                    digest in self.present,
                    Level(level) if level else one.level,
                    Level(before) if before else None,
                    one.day,
                    one.at,
                )


def _rules(record: DreamRecord, known: Mapping[str, Rule], standing: Mapping[str, Rule]) -> Iterator[DreamChange]:
    for digest in record.rules:
        if digest in known:
            yield DreamChange("rule", known[digest].text, is_there=digest in standing)
    for rule in read_rules("\n".join(record.rules_removed)):
        yield DreamChange("pruned", rule.text, is_there=rule.digest in standing)


def _of_earlier_lines(record: DreamRecord, dreams: Dreams, known: _Known) -> Iterator[DreamChange]:
    pruned = {one.digest: None for one in read_dated(record.pruned)}
    was = {
        digest: record.levels.get(digest) or dreams.level_before(digest, dream=record.dream)
        for digest in record.relevelled
    }
    moved = {one: level for one, level in record.relevelled.items() if was[one] != level}
    yield from known.changes("over", {digest: None for digest in record.superseded if digest not in pruned})
    yield from known.changes("relevelled", moved, was=was)
    yield from known.changes("pruned", pruned)
