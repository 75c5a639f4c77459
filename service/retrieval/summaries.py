"""
What may be shown of what is known of an entity, where something that it tells is wrong, or holds no longer.

Extraction makes a summary of facts, a line each, word for word: such a line is as its fact is, however alike others
are. A sentence that a model wrote goes where it tells what is wrong, and not the same of another name or number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording
from consolidation.text.language import detect
from consolidation.text.sentences import sentences_of
from consolidation.text.words import stems
from service.index.text_knowledge import facts_told_of, facts_with_text, sequences_of
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from service.index.text_index import TextIndex
    from service.index.text_knowledge import FactRow

type Line = tuple[str, tuple[str, ...]]  # and its sentences
type KnownFact = tuple[FactRow, tuple[int, ...]]  # and the sequences of the turns that told it


def lines_of(summary: str) -> tuple[Line, ...]:
    """The lines of a *summary* that say something."""
    return tuple((line, sentences_of(line)) for line in summary.splitlines() if line.strip())


def summary_without(
    lines: Sequence[Line],
    *,
    tells_wrong: Callable[[str], bool],
    facts_of: Callable[[str], tuple[KnownFact, ...]],
    is_wrong: Callable[[FactRow, tuple[int, ...]], bool],
) -> str:
    """
    The *lines* of a summary without what they tell that is wrong; all others are as they were.

    *facts_of* finds the facts whose words a line is: it goes where each of them *is_wrong*. Of other lines, the
    sentences go that *tells_wrong* says so of.
    """

    def left_of(line: str, said: tuple[str, ...]) -> str:
        kept = tuple(one for one in said if not tells_wrong(one))
        if len(kept) == len(said) and (len(said) == 1 or not tells_wrong(line)):
            return line
        if facts := facts_of(line):
            return "" if all(is_wrong(*one) for one in facts) else line
        return line if len(kept) == len(said) else _with_lead_of(line, " ".join(kept))

    return "\n".join(filter(None, (left_of(line, said) for line, said in lines)))


def facts_told_as(text: str, index: TextIndex) -> tuple[KnownFact, ...]:
    """The facts with exactly these words. Raises IndexUnusable; it blocks."""
    languages = {detect(text, fallback=one) for one in index.languages() or ("en",)}
    wanted = tuple(stems(text, language=one) for one in sorted(languages))

    def found(database: sqlite3.Connection) -> tuple[KnownFact, ...]:
        return _with_turns(database, facts_with_text(database, text, wanted=wanted))

    return index.read(found)


def lines_that_hold(
    summary: str, name: str, index: TextIndex, *, has_passed: Callable[[FactRow, tuple[int, ...]], bool]
) -> str:
    """
    The *summary* of the entity *name* without the lines that are facts of which each *has passed*.

    Raises IndexUnusable; it blocks.
    """
    lines = summary.splitlines()

    def found(database: sqlite3.Connection) -> tuple[KnownFact, ...]:
        return _with_turns(database, facts_told_of(database, name, lines))

    held: dict[str, bool] = {}
    for row, sequences in index.read(found) if lines else ():
        held[row.text] = held.get(row.text, False) or not has_passed(row, sequences)
    return summary if all(held.values()) else "\n".join(one for one in lines if held.get(one, True))


def facts_told_in(sentence: str, facts: Sequence[Wording]) -> Iterator[int]:
    """The places of the *facts* that a *sentence* tells, and not the same of another name or number."""
    said, own = Wording.of(sentence).stems, Wording.of(without_lead(sentence))
    for place, fact in enumerate(facts):
        if fact.numbers and fact.numbers.isdisjoint(own.numbers):
            continue
        if fact.may_be_carried(said) and fact.is_carried_by(sentence) and not own.is_of_another(fact):
            yield place


def is_made_of(sentence: str, turn: str) -> bool:
    """Whether a *sentence* tells what the words of a *turn* do, and not the same of another name or number."""
    own = Wording.of(without_lead(sentence))
    if not own.is_carried_by(turn):
        return False
    parts = map(Wording.of, sentences_of(turn))
    return any(not own.is_of_another(one) for one in parts if not own.stems or own.stems & one.stems)


def _with_turns(database: sqlite3.Connection, rows: Sequence[FactRow]) -> tuple[KnownFact, ...]:
    told_in = sequences_of(database, (episode for row in rows for episode in row.episodes))
    return tuple((row, tuple(told_in[one] for one in row.episodes if one in told_in)) for row in rows)


def _with_lead_of(line: str, left: str) -> str:
    """What is *left* of a *line*, behind the words that say who told it."""
    rest = without_lead(line)
    lead = line.removesuffix(rest) if line.endswith(rest) else ""
    return left if not left or left.startswith(lead) else f"{lead}{left}"
