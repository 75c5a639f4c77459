"""
What is known of the candidates of a call besides how well they fit: which are held back, and which count more.

How they proved themselves when they were shown before, how important they are, and, of what a tool showed, how old.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording
from consolidation.text.sentences import sentences_of
from consolidation.text.words import tokens
from service.index.salience import UNKNOWN
from service.index.text_splits import texts_told_first_in
from service.ingest.importance import PRIORITY
from service.retrieval.lead_words import told_words, without_lead
from service.retrieval.put_right import EPISODE, FACT, put_right_now, says_wanted, statement_id
from service.retrieval.summaries import facts_told_as, facts_told_in, is_made_of, lines_of, summary_without

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from service.index.salience import Salience
    from service.index.text_knowledge import FactRow
    from service.mind.minds import Mind
    from service.retrieval.moment import Fragment
    from service.retrieval.put_right import PutRight
    from service.retrieval.summaries import Line

_ORDINARY, _LEAST_WEIGHT = 0.5, 0.9  # an importance, and the weight of one of 0
_DECAY = 0.1  # 0.87 after four days, 0.63 after a hundred
_NO_WORDS = frozenset[str]()
_SAME_WORDS = 0.5  # of what a turn, or a sentence, shows: from there on it tells what was found wrong


@dataclass(frozen=True, slots=True)
class Proof:
    """
    What outcomes say of fragments, by id: of each its own, else of the turns that it rests on; who is held back.

    ``left`` is what may be shown of a turn of which a fact was found wrong, and of what is known of an entity.
    """

    salience: Mapping[str, Salience] = field(default_factory=dict)
    held_back: frozenset[str] = frozenset()
    left: Mapping[str, str] = field(default_factory=dict)

    def told(self, fragments: Sequence[Fragment]) -> tuple[Fragment, ...]:
        """*fragments* without the sentences that tell what was found wrong."""
        return tuple(_telling(one, self.left[one.id]) if one.id in self.left else one for one in fragments)

    def factors(self, fragments: Sequence[Fragment], now: datetime) -> dict[str, float]:
        """By what the score of each of *fragments* is multiplied, where it is not 1."""
        found = {
            one.id: round(self.salience.get(one.id, UNKNOWN).factor(now) * _weight(one, now), 4) for one in fragments
        }
        return {key: factor for key, factor in found.items() if factor != 1.0}


def _weight(fragment: Fragment, now: datetime) -> float:
    """
    How much a fragment counts by itself: more if it is important, and less, the older it is, if a tool showed it.

    What a tool showed is mostly a state that has changed since. What people said does not age, and what is important
    does not either.
    """
    importance = _ORDINARY if fragment.importance is None else fragment.importance
    weight = _LEAST_WEIGHT + (1 - _LEAST_WEIGHT) * importance / _ORDINARY
    if fragment.is_read and importance < PRIORITY:
        days = max(1.0, (now - fragment.occurred_at).total_seconds() / 86_400)
        weight *= days**-_DECAY
    return weight


def prove(mind: Mind, fragments: Sequence[Fragment], *, message: str) -> Proof:
    """
    What outcomes say of *fragments*; what a person confirmed holds. Raises IndexUnusable, HomeFault, OSError.

    Of a turn of which a fact was found wrong, the rest may be shown if it has a telling word of *message*.
    """
    put_right = put_right_now(mind)
    turns = tuple({f"{EPISODE}{sequence}" for one in fragments for sequence in one.sequences})
    statements = frozenset(one.id for one in fragments if one.statement is not None)
    known = mind.outcomes.salience((*(one.id for one in fragments), *turns), statements=statements)
    wrong_facts = _texts_of_wrong_facts(mind, [turn for turn in turns if turn in known], put_right)
    left = {one.id: rest for one in fragments if (rest := _left(one, wrong_facts, frozenset(tokens(message))))}
    wrong = frozenset(one.id for one in fragments if _is_held_back(one, known, wrong_facts, put_right, left))
    known_of = _summaries_left(mind, fragments, put_right)
    left |= {key: rest for key, rest in known_of.items() if rest}
    wrong |= {key for key, rest in known_of.items() if not rest}
    confirmed = frozenset(one.id for one in fragments if one.decided.is_right)
    held_back = (wrong | _repeating(mind, fragments, put_right)) - confirmed
    salience = {one.id: found for one in fragments if (found := _of(one, known)) is not None}
    return Proof(salience, held_back, left)


def _repeating(mind: Mind, fragments: Sequence[Fragment], put_right: PutRight) -> frozenset[str]:
    """Those in whose turns a person only asked, and the bot answered from memories that were found wrong since."""
    sequences = tuple({sequence for one in fragments for sequence in one.sequences})
    used = mind.outcomes.used_by(sequences)
    if not used:
        return frozenset()
    every = {memory: () for memories in used.values() for memory in memories}
    statements = frozenset(map(statement_id, put_right.standing.said))
    wrong = mind.outcomes.held_back(every, statements=statements)
    wrong -= _confirmed_facts(mind, wrong, put_right)
    traits = mind.text.traits(tuple(used))
    turns = {turn for turn, memories in used.items() if memories & wrong and turn in traits and traits[turn].only_asks}
    return frozenset(one.id for one in fragments if one.sequences and one.sequences <= turns)


def _of(fragment: Fragment, known: Mapping[str, Salience]) -> Salience | None:
    """What is known of a fragment itself, else of the turn that proved itself best among those it rests on."""
    own = known.get(fragment.id)
    if own is not None:
        return own
    of_turns = [known[turn] for turn in _turns(fragment) if turn in known]
    return max(of_turns, key=lambda one: one.usefulness, default=None)


def _is_held_back(
    fragment: Fragment,
    known: Mapping[str, Salience],
    wrong_facts: Mapping[str, frozenset[str]],
    put_right: PutRight,
    left: Mapping[str, str],
) -> bool:
    sequences, turns = fragment.sequences, _turns(fragment)
    own = known.get(fragment.id, UNKNOWN).is_held_back(sequences)
    if own or (turns and all(known.get(turn, UNKNOWN).is_held_back(sequences) for turn in turns)):
        is_turn = fragment.kind == "episode" and bool(sequences)  # one of another mind has none here
        if not (is_turn and all(put_right.confirms(one, fragment.text) for one in sequences)):
            return True
    wrong = wrong_facts.get(fragment.id, _NO_WORDS) if fragment.kind == "episode" else _NO_WORDS
    return fragment.id not in left and _tells(fragment.text, wrong)


def _left(fragment: Fragment, wrong_facts: Mapping[str, frozenset[str]], wanted: frozenset[str]) -> str:
    """
    What a turn says beside the facts that were found wrong; "" where it says nothing of them, or nothing else.

    Where it says little else, that must have a word that is *wanted*: the turn may have been found by what is wrong.
    """
    wrong = wrong_facts.get(fragment.id, _NO_WORDS) if fragment.kind == "episode" else _NO_WORDS
    if not wrong:
        return ""
    cut = sentences_of(fragment.text)
    kept = [one for one in cut if not _tells(one, wrong)]
    left = " ".join(kept).strip(" /")
    if not kept or len(kept) == len(cut):
        return ""
    if _tells(fragment.text, wrong) and not says_wanted(without_lead(left), wanted):
        return ""
    lead = fragment.text.removesuffix(without_lead(fragment.text))
    return left if left.startswith(lead) else f"{lead}{left}"


def _summaries_left(mind: Mind, fragments: Sequence[Fragment], put_right: PutRight) -> dict[str, str]:
    """By id of each entity of which something was found wrong: the rest of what is known; "" where there is none."""
    summaries = [one for one in fragments if one.kind == "entity" and one.written is None]
    if not (summaries and (contradicted := mind.outcomes.ever_contradicted())):
        return {}
    facts, turns = _wrong_facts(mind, contradicted, put_right), _wrong_turns(mind, contradicted, put_right)
    found = {}
    for one in summaries if facts or turns else ():
        name, _, summary = one.text.partition(": ")
        others = mind.transcript.read_now(sorted(one.sequences - turns.keys())) if turns else ()
        lines = lines_of(summary)
        left = _summary_left(mind, lines, facts=facts, turns=turns, holding=[turn.text for turn in others])
        if left != "\n".join(line for line, _ in lines):
            found[one.id] = f"{name}: {left}" if left else ""
    return found


def _summary_left(
    mind: Mind, lines: Sequence[Line], *, facts: Mapping[str, Wording], turns: Mapping[int, str], holding: Sequence[str]
) -> str:
    """What *lines* of a summary tell that is none of these *facts*, nor made of these *turns* alone; both are wrong."""
    texts = mind.text.read(lambda database: texts_told_first_in(database, turns)) if turns else ()
    told, wrong = {Wording.of(without_lead(one)).key for one in texts}, tuple(facts.values())

    def tells_wrong(sentence: str) -> bool:
        if Wording.of(without_lead(sentence)).key in told or any(True for _ in facts_told_in(sentence, wrong)):
            return True
        of_wrong = any(is_made_of(sentence, one) for one in turns.values())
        return of_wrong and not any(is_made_of(sentence, one) for one in holding)

    def is_wrong(fact: FactRow, sequences: tuple[int, ...]) -> bool:
        return f"{FACT}{fact.uuid}" in facts or (bool(sequences) and turns.keys() >= set(sequences))

    facts_of = partial(facts_told_as, index=mind.text)
    return summary_without(lines, tells_wrong=tells_wrong, facts_of=facts_of, is_wrong=is_wrong)


def _wrong_facts(mind: Mind, contradicted: Sequence[str], put_right: PutRight) -> dict[str, Wording]:
    """The wordings of the facts among *contradicted* that are held back now, by their ids."""
    uuids = [one.removeprefix(FACT) for one in contradicted if one.startswith(FACT)]
    rows = mind.text.facts(tuple(mind.text.fact_numbers(uuids).values())) if uuids else {}
    told_in = {f"{FACT}{uuid}": json.loads(str(episodes)) for uuid, _, _, _, episodes, *_ in rows.values()}
    sequences = mind.text.sequences(tuple({one for found in told_in.values() for one in found}))
    rests_on = {key: [sequences[one] for one in found if one in sequences] for key, found in told_in.items()}
    wrong = mind.outcomes.held_back(rests_on)
    wrong -= _confirmed_facts(mind, wrong, put_right)
    words = {f"{FACT}{uuid}": str(text) for uuid, text, *_ in rows.values()}
    return {one: Wording.of(without_lead(text)) for one, text in words.items() if one in wrong}


def _wrong_turns(mind: Mind, contradicted: Sequence[str], put_right: PutRight) -> dict[int, str]:
    """The words of the turns among *contradicted* that are held back now, by sequence."""
    turns = {one: (int(one.removeprefix(EPISODE)),) for one in contradicted if one.startswith(EPISODE)}
    wrong = sorted(turns[one][0] for one in mind.outcomes.held_back(turns))
    read = mind.transcript.read_now(wrong) if wrong else ()
    return {one.sequence: one.text for one in read if not put_right.confirms(one.sequence, one.text)}


def _tells(text: str, wrong: frozenset[str]) -> bool:
    shown = told_words(text)
    return bool(shown & wrong) and len(shown & wrong) >= _SAME_WORDS * len(shown)


def _telling(fragment: Fragment, text: str) -> Fragment:
    if fragment.kind == "entity":  # its sources say more than that
        return replace(fragment, text=text)
    return replace(fragment, text=text, sources=tuple(replace(one, excerpt=text) for one in fragment.sources))


def _turns(fragment: Fragment) -> tuple[str, ...]:
    return tuple(f"{EPISODE}{sequence}" for sequence in fragment.sequences)


def _texts_of_wrong_facts(mind: Mind, turns: Sequence[str], put_right: PutRight) -> dict[str, frozenset[str]]:
    """By turn, the words of its facts that are held back now."""
    facts = mind.outcomes.contradicted_facts(turns)
    known = frozenset(fact for found in facts.values() for fact in found)
    every = tuple(known - _confirmed_facts(mind, known, put_right))
    if not every:
        return {}
    salience = mind.outcomes.salience(every)
    numbers = mind.text.fact_numbers([fact.removeprefix(FACT) for fact in every])
    rows = mind.text.facts(tuple(numbers.values()))
    words = {f"{FACT}{uuid}": told_words(str(rows[number][1])) for uuid, number in numbers.items() if number in rows}
    return {
        turn: frozenset().union(
            *(words.get(fact, frozenset()) for fact in found if salience.get(fact, UNKNOWN).is_held_back(()))
        )
        for turn, found in facts.items()
    }


def _confirmed_facts(mind: Mind, memories: Collection[str], put_right: PutRight) -> frozenset[str]:
    """Those of *memories* that are facts which a person confirmed."""
    facts = [one.removeprefix(FACT) for one in memories if one.startswith(FACT)] if put_right else ()
    rows = mind.text.facts(tuple(mind.text.fact_numbers(facts).values())) if facts else {}
    found = set[str]()
    for uuid, text, source, target, episodes, *_ in rows.values():
        told_in = tuple(mind.text.sequences(json.loads(str(episodes))).values())
        if put_right.fact(str(text), told_in, joins=(str(source), str(target))).is_right:
            found.add(f"{FACT}{uuid}")
    return frozenset(found)
