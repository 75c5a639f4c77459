"""From ranked turns to fragments: each turn as the fact it told, where one fits, else as it was said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.dates import asks_when, has_time
from consolidation.text.quotation import quotable
from consolidation.text.sentences import sentences
from consolidation.text.words import content_stems, tokens
from service.retrieval.answer_types import answer_types, held_types
from service.retrieval.excerpt import LEFT_OUT, excerpt, plain
from service.retrieval.fusion import scaled
from service.retrieval.lead_words import is_read
from service.retrieval.moment import Fragment, Source
from service.retrieval.put_right import EPISODE, FACT, NOTHING_PUT_RIGHT, says_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from consolidation.corrections.taken_out import Tellable
    from consolidation.kernel.turns import Message, StoredTurn
    from service.ports.graph import StoredEntity
    from service.retrieval.facts import TurnFact
    from service.retrieval.fusion import Ranked
    from service.retrieval.put_right import PutRight

_FITTING_FACT = 0.5  # the least score of a fact that stands in for its turn
_COVERED = 0.5  # of the telling words of a sentence: what has them says the same
_SHARE_OF_REST = 0.5  # of a turn's score: it was found by what a person took out, and the rest has no wanted word
_LONGEST_SUMMARY = 500
_ENTITY_SCORE = 0.65
_CLOSING, _INTRODUCING = " ”»“」", frozenset(":：“«„「")  # of a quotation, and of what stands in front of one


def turn_fragments(
    ranking: Sequence[Ranked],
    *,
    turns: Mapping[int, StoredTurn],
    facts: Mapping[int, TurnFact],
    source_of: Callable[[StoredTurn], Source],
    named: Sequence[str],
    wanted: frozenset[str] = frozenset(),
    put_right: PutRight = NOTHING_PUT_RIGHT,
    is_lacking: Callable[[str, str], bool] = lambda _fact, _excerpt: False,
) -> tuple[Fragment, ...]:
    """
    The ranked turns that are in *turns*, best first; one that names all of a name in *named* is boosted.

    A fact that *is_lacking* what the excerpt of its turn says does not stand in for it, unless a person pinned it.

    A turn is told without what a person took out of it. Where nothing is left, or nothing that is *wanted*, it is held
    back, and so is a fact that a person said is wrong; the turn's next best fact, or the turn, stands beside it.
    """
    names = [frozenset(tokens(name)) for name in named]
    fragments = []
    for one in scaled(ranking):
        turn = turns.get(one.sequence)
        if turn is None:
            continue
        left = put_right.tellable(turn)
        is_boosted = bool(names) and _names_any(turn.turn.messages, names)
        told = _Told(turn, left, source_of(turn), one.score, one.ranks, is_boosted)
        best = facts.get(one.sequence)
        if best is not None and best.decided.held_back:
            fragments.append(told.as_fact(best))
            best = best.instead
        is_standing = best is not None and _stands_in(best, told, is_lacking)
        fragments.append(told.as_fact(best) if best is not None and is_standing else told.as_episode(wanted))
    return _distinct(fragments)


class _Told(NamedTuple):
    """A ranked turn, and what of it a person left to tell: what a fragment is made from."""

    turn: StoredTurn
    left: Tellable
    source: Source
    score: float
    arms: Mapping[str, int]
    is_boosted: bool

    def as_fact(self, fact: TurnFact) -> Fragment:
        return Fragment(
            id=f"{FACT}{fact.uuid}",
            kind="fact",
            text=fact.text,
            occurred_at=self.turn.occurred_at,
            score=self.score,
            sources=(self.source,),
            is_boosted=self.is_boosted or fact.decided.is_pinned,
            arms=self.arms,
            is_read=is_read(fact.text),
            importance=self.turn.importance if fact.importance is None else fact.importance,
            said=self.left.turn.turn.messages,
            decided=fact.decided,
            held_back=fact.decided.held_back,
        )

    def as_episode(self, wanted: frozenset[str]) -> Fragment:
        left, text = self.left, self.source.excerpt
        is_beside = bool(left.taken) and not says_wanted("\n".join(_contents(left.turn)), wanted)
        is_useless = left.is_spent or not text or (is_beside and says_wanted("\n".join(left.taken), wanted))
        return Fragment(
            id=f"{EPISODE}{self.source.sequence}",
            kind="episode",
            text=text,
            occurred_at=self.turn.occurred_at,
            score=round(self.score * _SHARE_OF_REST, 4) if is_beside else self.score,
            sources=(self.source,),
            is_boosted=self.is_boosted,
            arms=self.arms,
            is_read=is_read(text),
            importance=self.turn.importance,
            said=left.turn.turn.messages,
            held_back=left.reason if left.reason and is_useless else "",
        )


def _stands_in(fact: TurnFact, told: _Told, is_lacking: Callable[[str, str], bool]) -> bool:
    """Whether *fact* is told in place of its turn."""
    if fact.score < _FITTING_FACT or _is_quote(fact.text, _contents(told.left.turn)):
        return False
    return fact.decided.is_pinned or not is_lacking(fact.text, told.source.excerpt)


def lacks_answer(told: str, *, of: str, question: str, language: str) -> bool:
    """
    Whether *told* leaves out what may answer *question* and stands in the words *of* which it was told.

    "Ann flies to Porto" says nothing of when; "I fly to Porto tomorrow at nine" does. What asks for no such kind of
    word may be answered by any sentence that *told* has little of, unless *told* alone has a word of the question.
    """
    if asks_when(question) and has_time(of) and not has_time(told):
        return True
    wanted = answer_types(question, language=language)
    held = wanted & held_types(of, language=language) if wanted else wanted
    if held and not held <= held_types(told, language=language):
        return True
    said, own = content_stems(of, language=language), content_stems(told, language=language)
    if said <= own or not content_stems(question, language=language).isdisjoint(own - said):
        return False
    if LEFT_OUT in of and len(own & said) < _COVERED * len(own):  # it is what was left out
        return False
    return any(
        len(words & own) < _COVERED * len(words)
        for words in (content_stems(one, language=language) for one in sentences(of, language=language))
    )


def entity_fragments(
    entities: Sequence[StoredEntity],
    *,
    named: Container[str],
    turns: Mapping[str, StoredTurn],
    source_of: Callable[[StoredTurn], Source],
    held: Callable[[str, str], str],
    put_right: PutRight = NOTHING_PUT_RIGHT,
) -> tuple[Fragment, ...]:
    """
    What is known of entities, where it is short enough to be a memory, and a turn that mentions them is there.

    *named* are the uuids of those that a query names; they are boosted. *turns* are by the uuids of their episodes.
    *held* leaves of what is known, by its name, what still holds.
    Each is told under the name that a person gave it, and without what they said is wrong.
    """
    fragments = []
    for entity in entities:
        mentions = [turns[uuid] for uuid in entity.episodes if uuid in turns]
        summary = put_right.told_summary(entity.name, held(entity.name, entity.summary))
        if not summary.strip() or len(summary) > _LONGEST_SUMMARY or not mentions:
            continue
        told = [plain(text) for turn in mentions for text in _contents(turn)]
        if any(_is_quote(plain(line), told) for line in summary.splitlines()):
            continue  # made without a model: the turns say it themselves
        fragments.append(
            Fragment(
                id=f"entity:{entity.uuid}",
                kind="entity",
                text=f"{put_right.standing.name_of(entity.name)}: {summary}",
                occurred_at=max(turn.occurred_at for turn in mentions),
                score=_ENTITY_SCORE,
                sources=tuple(map(source_of, mentions)),
                is_boosted=entity.uuid in named,
                is_read=any(map(is_read, summary.splitlines())),
                said=tuple(message for turn in mentions for message in turn.turn.messages),
                decided=put_right.standing.entity(entity.name),
                held_back=put_right.reason_against_summary(entity.name),
            )
        )
    return tuple(fragments)


def as_source(
    turn: StoredTurn,
    *,
    wanted: frozenset[str],
    language: str,
    before: StoredTurn | None = None,
    is_denied: bool = False,
    recalls_answer: bool = False,
) -> Source:
    """A turn as the source of a memory; its excerpt has the sentences with most of the words *wanted*."""
    shown = excerpt(
        turn, wanted=wanted, language=language, before=before, is_denied=is_denied, recalls_answer=recalls_answer
    )
    return Source(turn.turn.turn_id, turn.turn.session_id, turn.sequence, turn.occurred_at, shown)


def _contents(turn: StoredTurn) -> tuple[str, ...]:
    return tuple(message.content for message in turn.turn.messages)


def _is_quote(fact: str, contents: Iterable[str]) -> bool:
    """Whether a fact only quotes its turn behind an introduction, as one made without a model: the turn says more."""
    words = fact.strip().rstrip(_CLOSING)
    return any(_introduces(words, _length_shared(words, text)) for one in contents for text in {one, quotable(one)})


def _length_shared(words: str, text: str) -> int:
    """How many letters at the end of *words* stand in *text*."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if words[-middle:] in text else (low, middle - 1)
    return low


def _introduces(words: str, shared: int) -> bool:
    """Whether *words* before their last *shared* ones are nothing, or end as what introduces a quotation does."""
    start = len(words) - shared
    return shared > 0 and (not start or not _INTRODUCING.isdisjoint(words[max(start - 2, 0) : start + 2]))


def _distinct(fragments: Sequence[Fragment]) -> tuple[Fragment, ...]:
    """One fragment a fact: told in two turns, it rests on both, and has the better score."""
    found: dict[str, Fragment] = {}
    for fragment in fragments:
        known = found.setdefault(fragment.id, fragment)
        if known is not fragment:
            sources = (*known.sources, *fragment.sources)
            is_boosted = known.is_boosted or fragment.is_boosted
            said = (*known.said, *fragment.said)
            found[fragment.id] = replace(known, sources=sources, is_boosted=is_boosted, said=said)
    return tuple(found.values())


def _names_any(messages: Sequence[Message], names: Sequence[frozenset[str]]) -> bool:
    words = frozenset[str]().union(*(tokens(text) for one in messages for text in (one.who, one.content)))
    return any(name <= words for name in names)
