"""
Phase 2's last step: the standing instructions of a person that bear on what a message wants done.

"Never suggest docker to me" shares no word with "how do I containerize my app", and a task wants no memory. So the
turns that instruct are found by that trait alone, newest first, and pass the gate beside what it lets through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.concepts import concepts
from consolidation.text.instructions import instructions
from consolidation.text.language import detect
from service.retrieval.excerpt import query_words
from service.retrieval.fragments import turn_fragments
from service.retrieval.fusion import Ranked
from service.retrieval.put_right import EPISODE, FACT
from service.retrieval.work_wanted import share_subject, telling_stems, work_wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn
    from consolidation.text.instructions import Instruction
    from service.resonance.arms import SearchTerms
    from service.resonance.call import PreTurnCall
    from service.retrieval.moment import Fragment
    from service.retrieval.put_right import PutRight
    from service.retrieval.work_wanted import WorkWanted

ARM = "standing_instructions"  # the rank of a fragment in this arm says that it is one
MOST = 2  # that come up with one message
_MOST_READ = 32  # turns, the newest that instruct
_SCORE = 0.5  # of one that nothing else found
_EXCLUDING = frozenset({"language", "address", "length", "emoji", "name"})  # manners of which the last word holds
_NEGATES = re.compile(
    r"(?<!\w)(?:not|don'?t|never|nicht|nie|no|nunca|pas|jamais|non|mai|não|niet|nooit|geen|nie|не)(?!\w)|不|别|ない|لا",
    re.IGNORECASE,
)
_BY_WORDS, _BY_TASK, _BY_MANNER = 0, 1, 2
_REASONS = {
    _BY_WORDS: "a standing instruction on what is wanted",
    _BY_TASK: "a standing instruction for tasks of this kind",
    _BY_MANNER: "a standing instruction on how to answer",
}


@dataclass(frozen=True, slots=True)
class Applying:
    """An instruction that bears on the message: the *turn* or the statement (its id) that gives it, and *why*."""

    given: Instruction
    at: datetime
    why: int
    turn: StoredTurn | None = None
    statement: str = ""

    @property
    def id(self) -> str:
        """The id of the fragment that tells it."""
        return f"{FACT}{self.statement}" if self.turn is None else f"{EPISODE}{self.turn.sequence}"

    @property
    def reason(self) -> str:
        """Why it comes up, in words for the trace."""
        return _REASONS[self.why]


@dataclass(frozen=True, slots=True)
class _Given:
    """All that somebody instructs in a turn, or a statement; ``by`` is their name, "" where they have none."""

    every: tuple[Instruction, ...]
    at: datetime
    order: int
    by: str = ""
    turn: StoredTurn | None = None
    statement: str = ""

    def may_concern(self, name: str) -> bool:
        """Whether whoever instructs may be the person with this *name*: it is theirs, or one of both has none."""
        return not (self.by and name) or self.by.casefold() == name.casefold()


def applying(call: PreTurnCall, put_right: PutRight) -> tuple[Applying, ...]:
    """
    What bears on the message of *call*: on its subject, then its kind of task, then how to answer, each newest first.

    Of a person with a name, instructions hold for them alone, and only their own later ones, or those of nobody known,
    change them or take them back. What is changed or taken back is left out. Reads the index and the transcript: call
    it in a worker thread. Raises IndexUnusable, TranscriptUnreadable.
    """
    language = call.moment.language
    wanted = None if call.request.is_wonder else work_wanted(call.moment.message, language=language)
    if wanted is None:
        return ()
    every = sorted((*_turns(call, put_right), *_statements(put_right)), key=lambda one: (one.at, one.order))
    asker = next((one.known_as for one in reversed(call.moment.messages) if one.role is Speaker.USER), "")
    found: dict[tuple[int, str], Applying] = {}
    newer: list[_Given] = []
    for given in reversed(every):
        later = [one for other in newer if other.may_concern(given.by) for one in other.every]
        for one in reversed(given.every if given.may_concern(asker) else ()):
            why = None if one.is_lifted or _is_over(one, later, language) else _why(one, wanted, language)
            key = (given.order, given.statement)
            if why is not None and (key not in found or why < found[key].why):
                found[key] = Applying(one, given.at, why, given.turn, given.statement)
        newer.append(given)
    return tuple(sorted(found.values(), key=lambda one: one.why))


def with_instructions(
    fragments: Sequence[Fragment], found: Sequence[Applying], terms: SearchTerms
) -> tuple[Fragment, ...]:
    """*fragments* with those of *found*; each stands in place of what else its turn alone tells."""
    if not found:
        return tuple(fragments)
    ranks = {one.id: rank for rank, one in enumerate(found, start=1)}
    of_turns = {frozenset({one.turn.sequence}) for one in found if one.turn is not None}
    instead = [one for one in fragments if one.kind in {"fact", "episode"} and one.sequences in of_turns]
    known = {one.sequences: one for one in reversed(instead)}
    told = [fragment for one in found if one.turn is not None for fragment in _told(one, one.turn, terms)]
    made = [
        replace(one, score=known[one.sequences].score, arms=known[one.sequences].arms)
        if one.sequences in known
        else replace(one, score=_SCORE)
        for one in told
    ]
    every = (*(one for one in fragments if one not in instead), *made)
    return tuple(replace(one, arms={**one.arms, ARM: ranks[one.id]}) if one.id in ranks else one for one in every)


def is_standing(fragment: Fragment) -> bool:
    """Whether *fragment* is a standing instruction that bears on the message."""
    return ARM in fragment.arms


def _told(one: Applying, turn: StoredTurn, terms: SearchTerms) -> tuple[Fragment, ...]:
    words = query_words((one.given.text,))
    alone = replace(terms, words=words, before={}, denied=terms.denied | {turn.sequence})  # not what the bot said to it
    return turn_fragments(
        (Ranked(turn.sequence, 1.0, {}),),
        turns={turn.sequence: turn},
        facts={},
        source_of=alone.source_of,
        named=tuple(terms.named.values()),
        wanted=words,
        put_right=terms.put_right,
    )


def _turns(call: PreTurnCall, put_right: PutRight) -> Iterator[_Given]:
    """What the newest turns that instruct still say, without what a person took out or said is wrong."""
    text, language = call.mind.text, call.moment.language
    sequences = text.instructing(limit=_MOST_READ)
    denied = text.denied_by(sequences)
    words = text.own_stems(tuple(denied.values()))
    for turn in call.mind.transcript.read_now(sequences) if sequences else ():
        left = put_right.tellable(turn)
        if left.is_spent:
            continue
        by: dict[str, list[Instruction]] = {}
        for one in left.turn.turn.messages:
            if one.role is Speaker.USER:
                found = instructions(one.content, language=detect(one.content, fallback=language))
                by.setdefault(one.known_as, []).extend(found)
        again = words.get(denied[turn.sequence], frozenset()) if turn.sequence in denied else None
        for name, every in by.items():
            # A denial such as "no, Sam!" gives the instruction again that it repeats; the others are gone.
            held = [one for one in every if again is None or share_subject(_stems(one, language), again)]
            if held:
                yield _Given(tuple(held), turn.occurred_at, turn.sequence, name, turn)


def _statements(put_right: PutRight) -> Iterator[_Given]:
    """What people said to put memories right, where that instructs."""
    for order, one in enumerate(put_right.standing.statements[-_MOST_READ:]):
        if (every := instructions(one.text, language=detect(one.text))) and not put_right.standing.reason_against(one):
            yield _Given(every, one.at, order, statement=one.id)


def _is_over(one: Instruction, later: Sequence[Instruction], language: str) -> bool:
    """Whether an instruction of *later* takes *one* back, or says otherwise of the same manner."""
    return any(_takes_back(other, one, language) if other.is_lifted else _changes(other, one) for other in later)


def _takes_back(lifting: Instruction, one: Instruction, language: str) -> bool:
    is_same_manner = bool(lifting.manners & one.manners) and lifting.tasks <= one.tasks
    return is_same_manner or share_subject(_stems(lifting, language), _stems(one, language))


def _changes(newer: Instruction, one: Instruction) -> bool:
    manners = one.manners & _EXCLUDING
    if not manners or one.manners - newer.manners or (newer.tasks, newer.is_bound) != (one.tasks, one.is_bound):
        return False
    return manners != {"name"} or not _NEGATES.search(newer.text)


def _why(one: Instruction, wanted: WorkWanted, language: str) -> int | None:
    """Why an instruction bears on what is wanted; None where it does not."""
    if share_subject(_stems(one, language), wanted.stems):
        return _BY_WORDS
    if one.tasks & wanted.tasks:
        return _BY_TASK
    if one.is_bound and not concepts(one.text, language=language).isdisjoint(wanted.concepts):
        return _BY_WORDS
    return None if one.tasks or one.is_bound else _BY_MANNER


def _stems(one: Instruction, language: str) -> frozenset[str]:
    return telling_stems(one.text, language=language)
