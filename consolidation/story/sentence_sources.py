"""
Where each sentence of a chapter comes from: the turns that carry it, and the words in it that no turn has.

A sentence is carried where a turn, or a few turns near each other, hold all its telling words: names, numbers and dates
as such, other words by their stems, or by a similarity of meaning where one can be computed. "In no turn" is said only
where that is nearly certain. Everything in between is carried in part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from consolidation.story.chapter_sentences import quotations, sentence_spans
from consolidation.story.sentence_terms import Terms, terms_of
from consolidation.story.turn_index import flat
from consolidation.text.language import detect
from consolidation.text.words import has_stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.story.chapters import Chapter
    from consolidation.story.turn_index import TurnIndex

_MOST_TURNS = 4  # that carry one sentence
_RANKED = 8  # turns whose meaning is compared with a sentence
_MOST_NARRATED = 64  # more of them are not compared
_PASSAGE, _MOST_PASSAGES = 700, 4  # characters; of one turn
_HARD_WEIGHT, _NARRATED_WEIGHT, _TURN_COST = 2.0, 1.2, 0.3
_QUOTED_SHARE = 0.5
_LONG_QUOTATION = 6  # words that nobody quotes by chance
# Shares of the telling words by weight, and closeness of meaning: measured on LoCoMo's conversations with the built-in
# embedders, whose cosines are calibrated.
_CARRIED, _CARRIED_BY_MEANING, _SAME_MEANING = 0.7, 0.45, 0.65
_ABSENT, _ABSENT_WITH_A_NAME, _ABSENT_BY_WORDS_ALONE, _OTHER_MEANING = 0.28, 0.33, 0.18, 0.5
_FEWEST_MISSING = 3  # words; fewer prove nothing


class SentenceState(StrEnum):
    """How far a sentence is borne out by the turns it was made of."""

    CARRIED = "carried"
    PARTLY = "partly"
    IN_NO_TURN = "in_no_turn"
    A_PERSONS = "a_persons"
    QUOTED = "quoted"


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """
    One sentence: its characters in the chapter's text, its state, the sequences of its turns, best first.

    ``missing`` are the words, as written, that those turns do not have; none for a sentence that is carried.
    """

    start: int
    end: int
    state: SentenceState
    turns: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()


class Similarity(Protocol):
    """Compares meanings: for each text, its closeness to each passage, from 0 (far) to 1 (the same)."""

    def __call__(self, texts: Sequence[str], passages: Sequence[str], /) -> Sequence[Sequence[float]]:
        """One row for each text. May raise; the caller decides what then."""
        ...


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How many sentences of ours there are, and in which state."""

    sentences: int
    carried: int
    quoted: int
    partly: int
    in_no_turn: int

    @property
    def share(self) -> float | None:
        """The share that is carried or quoted; None without sentences of ours."""
        return (self.carried + self.quoted) / self.sentences if self.sentences else None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """
    What the words of one sentence find: the turns that hold most of them, the best of these, and what they lack.

    ``coverage`` is the share of the telling words that ``turns`` hold, by weight. ``lacks_hard`` says whether a missing
    word may be a name, a number or a date; ``is_strange`` whether a missing name or number is in no turn at all.
    """

    ranked: tuple[int, ...]
    turns: tuple[int, ...]
    coverage: float
    missing: tuple[str, ...]
    lacks_hard: bool
    is_strange: bool
    strange: int


def fidelity_of(sources: Iterable[SentenceSource]) -> Fidelity:
    """The fidelity of a story with these sentences; a person's do not count."""
    states = [one.state for one in sources if one.state is not SentenceState.A_PERSONS]
    return Fidelity(
        len(states),
        states.count(SentenceState.CARRIED),
        states.count(SentenceState.QUOTED),
        states.count(SentenceState.PARTLY),
        states.count(SentenceState.IN_NO_TURN),
    )


def a_persons(chapter: Chapter) -> tuple[SentenceSource, ...]:
    """The sentences of a chapter that a person wrote or changed."""
    spans = sentence_spans(chapter.text, language=detect(chapter.text))
    return tuple(SentenceSource(start, end, SentenceState.A_PERSONS) for start, end in spans)


def placed_again(chapter: Chapter, sources: Sequence[SentenceSource]) -> tuple[SentenceSource, ...]:
    """*sources* at their places in *chapter*, whose lines may end otherwise than when they were found."""
    spans = sentence_spans(chapter.text, language=detect(chapter.text))
    if len(spans) != len(sources):
        return ()
    return tuple(replace(one, start=start, end=end) for one, (start, end) in zip(sources, spans, strict=True))


def sources_of(
    chapter: Chapter,
    *,
    narrated: frozenset[int],
    index: TurnIndex,
    language: str,
    similarity: Similarity | None,
) -> tuple[SentenceSource, ...]:
    """
    The sources of each sentence of a chapter of ours, in order.

    *index* has the turns that its narrators had seen, *narrated* are those that it is about. Raises what *similarity*
    raises. It may take long: call it in a worker thread.
    """
    spans = sentence_spans(chapter.text, language=language)
    found: list[SentenceSource | None] = []
    open_: list[_Open] = []
    for start, end in spans:
        text = chapter.text[start:end]
        if turns := quoted_in(text, index=index, narrated=narrated):
            found.append(SentenceSource(start, end, SentenceState.QUOTED, turns))
            continue
        terms = terms_of(text, language=language, heading=(chapter.first, chapter.last))
        open_.append(_Open(len(found), text, _evidence(terms, index, narrated), _is_misquoted(text, index)))
        found.append(None)
    closeness = _closeness(open_, narrated, index, similarity) if similarity is not None else {}
    for one in open_:
        found[one.place] = _judged(spans[one.place], one, closeness.get(one.place), index=index, language=language)
    return tuple(one for one in found if one is not None)


def quoted_in(text: str, *, index: TurnIndex, narrated: frozenset[int]) -> tuple[int, ...]:
    """The turns in which *text*, a quotation with its introduction, stands literally; else none."""
    if not _is_quotation(text):
        return ()
    spans = quotations(text)
    inside = " … ".join(text[start + 1 : end - 1] for start, end in spans)
    who = set(tokens(_without(text, spans)))
    runs = [run.strip() for run in flat(inside).split("…") if any(map(str.isalnum, run))]
    found = [_turn_with(run, index=index, narrated=narrated, who=who) for run in runs]
    return tuple(dict.fromkeys(one for one in found if one is not None)) if runs and None not in found else ()


@dataclass(frozen=True, slots=True)
class _Open:
    """A sentence that is not quoted, at its place among all; *is_misquoted*: it quotes what nobody said."""

    place: int
    text: str
    evidence: _Evidence
    is_misquoted: bool


def _judged(
    span: tuple[int, int], sentence: _Open, near: Mapping[int, float] | None, *, index: TurnIndex, language: str
) -> SentenceSource:
    """The state of a sentence; *near* is how close in meaning turns are to it, None where that is not known."""
    found = sentence.evidence
    closest = max(near, key=lambda one: near[one], default=None) if near else None
    nearest = near[closest] if near and closest is not None else 0.0
    is_same = any(near.get(one, 0.0) >= _SAME_MEANING for one in found.turns) if near else False
    is_whole = found.turns and not found.lacks_hard and not sentence.is_misquoted
    if is_whole and (found.coverage >= _CARRIED or (is_same and found.coverage >= _CARRIED_BY_MEANING)):
        return SentenceSource(*span, SentenceState.CARRIED, found.turns)
    if _is_in_no_turn(found, nearest if near is not None else None, index=index, language=language):
        return SentenceSource(*span, SentenceState.IN_NO_TURN, (), found.missing)
    turns = found.turns
    if closest is not None and nearest >= _SAME_MEANING and closest not in turns:
        turns = (*turns[:1], closest, *turns[1 : _MOST_TURNS - 1]) if turns else (closest,)
    return SentenceSource(*span, SentenceState.PARTLY, turns, found.missing)


def _is_in_no_turn(found: _Evidence, nearest: float | None, *, index: TurnIndex, language: str) -> bool:
    """Whether it is nearly certain that no turn says it. Turns in another language share no words with a chapter."""
    if index.is_cut or index.languages != {language} or len(found.missing) < _FEWEST_MISSING or not found.strange:
        return False
    if nearest is None:
        return found.coverage < _ABSENT_BY_WORDS_ALONE and len(found.missing) > _FEWEST_MISSING
    most = _ABSENT_WITH_A_NAME if found.is_strange else _ABSENT
    return found.coverage < (most if has_stems(language) else most / 2) and nearest < _OTHER_MEANING


def _evidence(terms: Terms, index: TurnIndex, narrated: frozenset[int]) -> _Evidence:
    ranked = _ranked(terms, index, narrated)
    chosen = _chosen(terms, ranked, index)
    held = terms.held_by([index.turns[one] for one in chosen])
    missing = [one for one in terms.all if one not in held]
    total = _weight(terms.all, terms, index)
    strange = [one for one in missing if not terms.is_in_any(one, index)]
    return _Evidence(
        ranked,
        chosen,
        _weight(held, terms, index) / total if total else 0.0,
        tuple(dict.fromkeys(terms.all[one] for one in missing)),
        any(one in terms.hard or one in terms.suspects for one in missing),
        any(one in terms.hard for one in strange),
        len(strange),
    )


def _closeness(
    open_: Sequence[_Open], narrated: frozenset[int], index: TurnIndex, similarity: Similarity
) -> Mapping[int, Mapping[int, float]]:
    """
    How close in meaning turns are to each sentence that its words do not decide.

    The turns are those with its words, and those that the chapter is about.
    """
    asked = [one for one in open_ if _is_open(one)]
    ranked = {sequence for one in asked for sequence in one.evidence.ranked}
    candidates = sorted(ranked | set(sorted(narrated & index.turns.keys())[:_MOST_NARRATED]))
    passages = [(one, text) for one in candidates for text in _passages(index, one)]
    if not passages or not asked:
        return {}
    found: dict[int, Mapping[int, float]] = {}
    for one, row in zip(asked, similarity([one.text for one in asked], [text for _, text in passages]), strict=True):
        near: dict[int, float] = {}
        for (sequence, _), value in zip(passages, row, strict=True):
            near[sequence] = max(near.get(sequence, 0.0), float(value))
        found[one.place] = near
    return found


def _is_open(sentence: _Open) -> bool:
    """Whether a meaning could decide: the words are not all there, and not so few missing that they are in part."""
    found = sentence.evidence
    may_be_carried = not found.lacks_hard and not sentence.is_misquoted
    return found.coverage < _ABSENT_WITH_A_NAME or (may_be_carried and _CARRIED_BY_MEANING <= found.coverage < _CARRIED)


def _passages(index: TurnIndex, sequence: int) -> Iterable[str]:
    """A turn in passages of a length that an embedder reads."""
    text = "\n".join(f"{name}: {said}" if name else said for name, said in index.turns[sequence].said)
    return [text[at : at + _PASSAGE] for at in range(0, min(len(text), _PASSAGE * _MOST_PASSAGES), _PASSAGE)]


def _ranked(terms: Terms, index: TurnIndex, narrated: frozenset[int]) -> tuple[int, ...]:
    """The turns that hold most of the terms, best first; of equals, those that the chapter is about."""
    scores: dict[int, float] = {}
    for term in terms.all:
        value = term.rpartition(":")[2]
        for sequence in index.by_stem.get(value, ()):
            scores[sequence] = scores.get(sequence, 0.0) + index.weight(value)
    ranked = sorted(scores, key=lambda one: (-scores[one] * (_NARRATED_WEIGHT if one in narrated else 1.0), one))
    return tuple(ranked[:_RANKED])


def _chosen(terms: Terms, ranked: Sequence[int], index: TurnIndex) -> tuple[int, ...]:
    """The best turn, and those near it that hold what it lacks."""
    best: tuple[float, tuple[int, ...]] = (-1.0, ())
    for first in ranked[: _RANKED // 2]:
        chosen = [first]
        held = terms.held_by([index.turns[first]])
        while len(chosen) < _MOST_TURNS:
            more = [(terms.held_by([index.turns[one]]) - held, one) for one in index.near[first] if one not in chosen]
            gained, one = max(more, key=lambda found: (_weight(found[0], terms, index), -found[1]), default=((), 0))
            if not gained:
                break
            chosen.append(one)
            held |= gained
        weight = _weight(held, terms, index) - _TURN_COST * (len(chosen) - 1)
        best = max(best, (weight, tuple(chosen)), key=lambda found: found[0])
    return best[1]


def _weight(held: Iterable[str], terms: Terms, index: TurnIndex) -> float:
    return sum((_HARD_WEIGHT if one in terms.hard else 1.0) * index.weight(one.rpartition(":")[2]) for one in held)


def _is_quotation(text: str) -> bool:
    """Whether most of *text* is between marks."""
    letters = sum(map(str.isalnum, text))
    inside = sum(sum(map(str.isalnum, text[start:end])) for start, end in quotations(text))
    return inside > 0 and inside >= _QUOTED_SHARE * letters


def _turn_with(run: str, *, index: TurnIndex, narrated: frozenset[int], who: set[str]) -> int | None:
    """The turn in which *run* stands literally, said by one of *who* where they name a speaker."""
    found = [one for one in index.with_words_of(run) if any(run in text for _, text in index.turns[one].said)]
    speakers = index.speakers & who
    if speakers:
        found = [
            one
            for one in found
            if any(run in text and speakers & set(tokens(name)) for name, text in index.turns[one].said)
        ]
    return min(found, key=lambda one: (one not in narrated, one), default=None)


def _is_misquoted(text: str, index: TurnIndex) -> bool:
    """Whether *text*, not literally quoted from its speaker, quotes more than a few words that stand in no turn."""
    if _is_quotation(text):
        return True
    for start, end in quotations(text):
        for run in flat(text[start + 1 : end - 1]).split("…"):
            is_long = len(tokens(run)) >= _LONG_QUOTATION
            plain = run.strip(" .,;!?")
            if is_long and not _is_said(plain, index):
                return True
    return False


def _is_said(text: str, index: TurnIndex) -> bool:
    return any(text in said for one in index.with_words_of(text) for _, said in index.turns[one].said)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        at = end
    return " ".join((*parts, text[at:]))
