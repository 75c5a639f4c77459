"""
A person takes a dream back: its observations and rules leave their files, its reflection and priority no longer count.

What it took out, rules too, and gave other levels is as before. Undoing that restores it. Both are steps that a kill
may interrupt: the dream's line says which way it is going, and ``settle`` goes on. The briefing, the priorities and
the diary stay. What only dreams wrote that were taken back too stays away until one of them returns.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal

from consolidation.dreams.dream_files import OBSERVATIONS, RULES
from consolidation.dreams.dream_log import UndoneDream
from consolidation.dreams.observations import Level, merged, read_dated, read_observations, relevelled, without
from consolidation.dreams.rules import read_rules, with_rules, without_rules
from consolidation.kernel.errors import DreamNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from consolidation.dreams.dream_files import DreamFiles
    from consolidation.dreams.dream_log import DreamRecord, Dreams
    from consolidation.dreams.observations import Observation
    from consolidation.dreams.rules import Rule


def undo_dream(files: DreamFiles, number: int, *, by: str, now: datetime) -> DreamRecord:
    """Take a dream back; one that was stays so. Blocking. Raises DreamNotFound, DreamUnwritable."""
    settle(files)
    dreams = files.dreams()
    record = _of(dreams, number)
    if record.undone is None:
        observations, rules = _lines(files, record, dreams)
        undone = UndoneDream(at=now, by=by, observations=observations, rules=rules)
        files.replace(number, lambda one: one.model_copy(update={"undone": undone}))
        settle(files)
    return _of(files.dreams(), number)


def redo_dream(files: DreamFiles, number: int) -> DreamRecord:
    """Let a dream count again that was taken back; one that counts goes on. Raises as ``undo_dream``."""
    settle(files)
    if _of(files.dreams(), number).undone is not None:
        _set_phase(files, number, "returning")
        settle(files)
    return _of(files.dreams(), number)


def is_unsettled(dreams: Dreams) -> bool:
    """Whether a dream is not gone from all files, or not back in all."""
    return any(one.undone is not None and one.undone.phase != "gone" for one in dreams.records)


def settle(files: DreamFiles) -> None:
    """Finish what a kill interrupted. Blocking. Raises DreamUnwritable."""
    dreams = files.dreams()
    for record in dreams.records:
        undone = record.undone
        if undone is not None and undone.phase == "leaving":
            _leave(files, record, undone, dreams)
            _set_phase(files, record.dream, "gone")
        elif undone is not None and undone.phase == "returning":
            _return(files, record, undone, dreams)
            files.replace(record.dream, lambda one: one.model_copy(update={"undone": None}))


def _of(dreams: Dreams, number: int) -> DreamRecord:
    found = next((one for one in dreams.records if one.dream == number), None)
    if found is None:
        raise DreamNotFound(f"there is no dream {number}")
    return found


def _lines(files: DreamFiles, record: DreamRecord, dreams: Dreams) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The observations and the rules in the files that this dream wrote and no other one, nor a person since."""
    others = [one for one in dreams.records if one != record and not one.is_undone]
    observations = read_observations(files.read(OBSERVATIONS))
    mine = (one for one in observations if one.digest in record.levels and _is_of(record, one, others))
    rules = (one for one in read_rules(files.read(RULES)) if one.digest in record.rules)
    return tuple(one.dated for one in mine if dreams.is_ours(one)), tuple(one.line for one in rules)


def _is_of(record: DreamRecord, line: Observation, others: Iterable[DreamRecord]) -> bool:
    """Whether a line that *record* wrote is of no other dream: the same words may stand there at another level, too."""
    levels = {one.levels[line.digest] for one in others if line.digest in one.levels}
    return not levels or (line.level == record.levels[line.digest] and line.level not in levels)


def _leave(files: DreamFiles, record: DreamRecord, undone: UndoneDream, dreams: Dreams) -> None:
    gone, removed = frozenset(undone.observations), _removed(record)
    pruned = (*_pruned(record), *(one for one in _pruned_for(record, dreams) if one.digest not in dreams.superseded))
    digests = (*(one.digest for one in pruned), *(rule.digest for rule in removed))
    withheld = frozenset(digest for digest in digests if _only_undone_wrote(digest, dreams))
    _give_to_writers(files, withheld, pruned, removed)
    back = tuple(one for one in pruned if one.digest not in withheld)
    rules = tuple(one.line for one in removed if one.digest not in withheld)
    levels = _levels_before(record, dreams)

    def plan(text: str) -> str:
        text = merged(without(text, lambda one: one.dated in gone), back)
        return relevelled(text, levels, is_ours=dreams.is_ours)

    files.change(OBSERVATIONS, plan)
    files.change(RULES, lambda text: with_rules(without_rules(text, frozenset(undone.rules)), rules))


def _return(files: DreamFiles, record: DreamRecord, undone: UndoneDream, dreams: Dreams) -> None:
    later = [one for one in dreams.records if one.dream >= record.dream and not one.is_undone]
    over = {line.digest for one in later for line in _pruned(one) if _is_over(line, dreams)}
    pruned = (*_pruned(record), *_pruned_for(record, dreams))
    gone = frozenset(one.dated for one in pruned if _is_over(one, dreams))
    rules_over = {rule.line for one in later for rule in _removed(one)}
    others = (one.undone.observations for one in dreams.records if one.undone is not None and one != record)
    said = (one for one in read_dated(chain.from_iterable(others)) if one.digest in record.levels)
    back = tuple(one for one in (*read_dated(undone.observations), *said) if one.digest not in over)
    rules = tuple(line for line in undone.rules if line not in rules_over)
    levels = {digest: Level(level) for digest, level in record.relevelled.items()}

    def plan(text: str) -> str:
        text = relevelled(text, levels, is_ours=dreams.is_ours)
        return merged(without(text, lambda one: one.dated in gone), back)

    files.change(OBSERVATIONS, plan)
    files.change(RULES, lambda text: with_rules(without_rules(text, frozenset(record.rules_removed)), rules))


def _pruned(record: DreamRecord) -> tuple[Observation, ...]:
    return read_dated(record.pruned)


def _pruned_for(record: DreamRecord, dreams: Dreams) -> tuple[Observation, ...]:
    """What later dreams, which stand, took out since *record* said that it is over."""
    later = (one for one in dreams.records if one.dream > record.dream and not one.is_undone)
    pruned = (line for one in later for line in _pruned(one) if line.level is Level.YLW)
    return tuple(line for line in pruned if line.digest in record.superseded)


def _is_over(pruned: Observation, dreams: Dreams) -> bool:
    """Whether what was taken out is still over: by its age, or since a dream that stands says so."""
    return pruned.level is not Level.YLW or pruned.digest in dreams.superseded


def _removed(record: DreamRecord) -> tuple[Rule, ...]:
    return read_rules("\n".join(record.rules_removed))


def _only_undone_wrote(digest: str, dreams: Dreams) -> bool:
    writers = [one for one in dreams.records if digest in one.levels or digest in one.rules]
    return bool(writers) and all(one.is_undone for one in writers)


def _give_to_writers(
    files: DreamFiles, digests: AbstractSet[str], pruned: Iterable[Observation], removed: Iterable[Rule]
) -> None:
    """Let lines that are not over any more return with the dreams that wrote them, which were taken back too."""

    def plan(one: DreamRecord) -> DreamRecord:
        observations = [line.dated for line in pruned if line.digest in digests and line.digest in one.levels]
        rules = [line.line for line in removed if line.digest in digests and line.digest in one.rules]
        if one.undone is None or not (observations or rules):
            return one
        kept = {
            "observations": tuple(dict.fromkeys((*one.undone.observations, *observations))),
            "rules": tuple(dict.fromkeys((*one.undone.rules, *rules))),
        }
        return one.model_copy(update={"undone": one.undone.model_copy(update=kept)})

    if digests:
        files.replace_all(plan)


def _levels_before(record: DreamRecord, dreams: Dreams) -> dict[str, Level]:
    """The levels that lines had before this dream gave them others, as far as no later dream did."""
    later = {digest for one in dreams.records if one.dream > record.dream for digest in one.relevelled}
    before = {one: dreams.level_before(one, dream=record.dream) for one in record.relevelled.keys() - later}
    return {digest: Level(level) for digest, level in before.items() if level is not None}


def _set_phase(files: DreamFiles, number: int, phase: Literal["gone", "returning"]) -> None:
    def plan(one: DreamRecord) -> DreamRecord:
        undone = one.undone.model_copy(update={"phase": phase}) if one.undone is not None else None
        return one.model_copy(update={"undone": undone})

    files.replace(number, plan)
