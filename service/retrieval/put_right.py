"""
What people put right, as a search sees it: which facts, turns and entities may come up by themselves, and as what.

The log names turns by their ids, the index by their sequences: this joins the two, for the turns that a person decided
something of, and no others. Where nobody decided anything, it costs nothing and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.corrections.standing import UNDECIDED, Decided, Standing, may_be_one
from consolidation.corrections.taken_out import Tellable, is_by_any, repeated_in, tellable
from consolidation.corrections.wording import Wording, named_in, names_any, renamed, tells_of_any
from consolidation.kernel.errors import HomeFault
from consolidation.kernel.turns import Message, Speaker
from consolidation.text.first_person import says_i
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.sentences import sentences
from consolidation.text.words import content_words
from service.index.text_splits import texts_told_first_in
from service.retrieval.lead_words import teller_in, told_by, told_words, without_lead
from service.retrieval.summaries import (
    facts_told_as,
    facts_told_in,
    is_made_of,
    lines_of,
    lines_that_hold,
    summary_without,
)
from service.retrieval.time_window import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.entity_names import Split
    from consolidation.corrections.record import Correction
    from consolidation.corrections.standing import Statement
    from consolidation.kernel.turns import StoredTurn
    from consolidation.transcript.log import Transcript
    from service.index.text_index import TextIndex
    from service.index.text_knowledge import FactRow
    from service.mind.minds import Mind
    from service.retrieval.moment import Fragment
    from service.retrieval.summaries import KnownFact, Line

_MOST_VARIANTS = 2  # of one query
_ALWAYS = TimeWindow()
_HALF = 0.5  # of the words that a turn shows


@dataclass(frozen=True, slots=True)
class PutRight:
    """
    What stands for one mind at one moment; ``turn_ids`` are by sequence, of the turns that decisions are about.

    ``keys_in`` finds the keys of the words of the facts that these turns told first, as `Wording` has them,
    ``facts_of`` the facts with exactly some words, and ``language`` is that of most turns. They read the index, and
    ``told`` the transcript, and so may whatever judges a text here: call it in a worker thread. All of that raises
    IndexUnusable, TranscriptUnreadable.
    """

    standing: Standing = field(default_factory=Standing)
    turn_ids: Mapping[int, str] = field(default_factory=dict)
    keys_in: Callable[[frozenset[str]], frozenset[str]] = field(default=lambda _: frozenset(), compare=False)
    told: Callable[[tuple[int, ...]], tuple[StoredTurn, ...]] = field(default=lambda _: (), compare=False)
    language: Callable[[], str] = field(default=lambda: "en", compare=False)
    facts_of: Callable[[str], tuple[KnownFact, ...]] = field(default=lambda _: (), compare=False)

    @classmethod
    def of(cls, standing: Standing, transcript: Transcript, text: TextIndex) -> PutRight:
        """What *standing* means for a *transcript*, of which *text* is the index."""
        positions = transcript.positions
        ids = dict.fromkeys(turn_id for one in standing.corrections for turn_id in one.target.turn_ids)
        found = {positions.sequence_of(turn_id): turn_id for turn_id in ids}
        sequences = {turn_id: sequence for sequence, turn_id in found.items() if sequence is not None}

        @cache
        def keys_in(turn_ids: frozenset[str]) -> frozenset[str]:
            told_in = [sequences[one] for one in turn_ids if one in sequences]
            told = text.read(lambda database: texts_told_first_in(database, told_in))
            return frozenset(Wording.of(without_lead(one)).key for one in told)

        @cache
        def told(of: tuple[int, ...]) -> tuple[StoredTurn, ...]:
            return tuple(transcript.read_now(of))

        by_sequence = {sequence: turn_id for turn_id, sequence in sequences.items()}
        facts_of = cache(lambda line: facts_told_as(line, text))
        return cls(standing, by_sequence, keys_in, told, cache(text.main_language), facts_of)

    def __bool__(self) -> bool:
        """Whether anything was decided."""
        return bool(self.standing)

    def fact(self, text: str, sequences: Iterable[int], *, joins: Sequence[str] = ()) -> Decided:
        """What was decided of a fact of the graph; its *text* has who told it in front."""
        told_in = tuple(sequences)
        turns = [self.turn_ids[one] for one in told_in if one in self.turn_ids]
        if not turns:
            return self._repeated(text, told_in)
        decided = self.standing.fact(
            without_lead(text), turns, joins=joins, teller=teller_in(text), is_there=self._is_there
        )
        whole = [self.standing.turn(one) for one in turns]
        if decided is UNDECIDED and all(one.held_back for one in whole):
            return whole[0]
        return decided if decided is not UNDECIDED else self._repeated(text, told_in)

    def _repeated(self, text: str, sequences: tuple[int, ...]) -> Decided:
        """What was decided of the words that a fact repeats, where only a bot told it, before the decision."""
        words, repeats = without_lead(text), self.standing.repeats
        if not sequences or not repeats.may_tell(words):
            return UNDECIDED
        made = repeats.of_fact(words, self.told(tuple(sorted(sequences))))
        return Decided(made) if made is not None else UNDECIDED

    def _is_there(self, key: str, turn_ids: frozenset[str]) -> bool:
        return key in self.keys_in(turn_ids)

    def name_in(self, name: str, sequences: Sequence[int]) -> str:
        """What an entity is called in a fact that these turns told."""
        split = self.split_in(name, sequences)
        return split.to if split is not None else name

    def person(self, name: str, sequences: Collection[int] = ()) -> str:
        """The key of what somebody is called now who spoke under this *name* in these turns, or speaks under it now."""
        told = self.name_in(name, tuple(sequences)) if sequences else name
        return name_key(self.standing.name_of(told)) or told  # where it is of signs alone

    def split_in(self, name: str, sequences: Iterable[int]) -> Split | None:
        """The split that makes an entity another one in what these turns told; None where it is itself there."""
        told = tuple(sequences)
        if not self.standing.splits or not all(one in self.turn_ids for one in told):
            return None
        return self.standing.split_in(name, [self.turn_ids[one] for one in told])

    def split_off_as(self, name: str) -> Split | None:
        """The split whose new entity the graph knows by this *name*, since a later turn used it; None for others."""
        own = (one for one in self.standing.splits if name_key(name) in self.standing.keys_of(one.to))
        return next((one for one in own if name_key(name) not in self.standing.keys_of(one.name)), None)

    def tellable(self, stored: StoredTurn) -> Tellable:
        """What of a turn may come up by itself."""
        return tellable(stored, self.standing) if self else Tellable(stored)

    def repeated_in(self, stored: StoredTurn) -> tuple[Correction, ...]:
        """What was decided of words that a bot said again in a turn before."""
        return tuple({one.id: one for one in repeated_in(stored, self.standing).values()}.values())

    def turn(self, sequence: int) -> Decided:
        """What was decided of a whole turn."""
        return self.standing.turn(self.turn_ids[sequence]) if sequence in self.turn_ids else UNDECIDED

    def are_right(self, sequences: Collection[int]) -> bool:
        """Whether a person confirmed each of these turns, and there are any."""
        return bool(sequences) and all(self.turn(one).is_right for one in sequences)

    def confirms(self, sequence: int, text: str) -> bool:
        """Whether a person confirmed a turn, or what makes half of *text*, which is shown of it."""
        if sequence not in self.turn_ids:
            return False
        right = frozenset[str]().union(*(one.words for one in self.standing.right_in(self.turn_ids[sequence])))
        shown = told_words(text)
        return self.turn(sequence).is_right or (bool(shown & right) and len(shown & right) >= _HALF * len(shown))

    def confirmed_sequences(self) -> tuple[int, ...]:
        """The turns of which a person confirmed a fact."""
        return tuple(one for one, turn_id in self.turn_ids.items() if self.standing.right_in(turn_id))

    def of_turn(self, sequence: int) -> tuple[Correction, ...]:
        """What was decided of a turn and of what it told."""
        if sequence not in self.turn_ids:
            return ()
        turn_id = self.turn_ids[sequence]
        whole = self.standing.turn(turn_id)
        of_facts = (one for _, decided in self.standing.unseen_in(turn_id) for one in decided.corrections)
        return tuple({one.id: one for one in (*whole.corrections, *of_facts)}.values())

    def told_in(self, text: str) -> tuple[Correction, ...]:
        """What was decided of facts that *text* tells and that are not to come up by themselves."""
        unseen = ((turn, *pair) for turn in self.turn_ids.values() for pair in self.standing.unseen_in(turn))
        made = [
            one
            for turn, told, decided in unseen
            if self._tells(text, told, decided, turn)
            for one in decided.corrections
        ]
        wording = Wording.of(without_lead(text))
        made += [
            one
            for said, of_turn in self._whole_turns().items()
            if wording.is_carried_by(said)
            for one in of_turn.corrections
        ]
        return tuple({one.id: one for one in made}.values())

    def written(self) -> dict[str, str]:
        """What people wrote of entities, with the name of each as decisions have it, by that name."""
        of_entities = (one for one in self.standing.corrections if one.target.kind == "entity")
        edits = (one for one in of_entities if one.what is What.EDIT and self.standing.is_current(one))
        return {one.target.text: f"{one.target.text}: {one.to or ''}" for one in edits}

    def edited_summary(self, name: str) -> str | None:
        """What a person wrote of the entity *name*; None where nobody did."""
        edited = self.standing.entity(name).truth
        return edited.to or "" if edited is not None and edited.what is What.EDIT else None

    def summary(self, name: str, text: str, *, on_purpose: bool = False) -> str:
        """What is known of the entity *name*, without what is put right; what is muted stays if asked *on_purpose*."""
        edited = self.edited_summary(name)
        if edited is not None:
            return edited
        if not any(map(self.standing.holds_back_of, self.turn_ids.values())):
            return text

        def is_unseen(decided: Decided) -> bool:
            return decided.is_wrong or (bool(decided.held_back) and not on_purpose)

        lines = lines_of(text)
        unseen = [one for one in self._unseen_told_in(lines) if is_unseen(one[1])]
        whole = [said for said, decided in self._whole_turns().items() if is_unseen(decided)]
        if not (lines and (unseen or whole)):
            return text
        wordings = [wording for wording, _, _ in unseen]
        told = self.keys_in(frozenset(one for one in self.turn_ids.values() if is_unseen(self.standing.turn(one))))

        def tells_wrong(sentence: str) -> bool:
            if any(self._tells(sentence, *unseen[place]) for place in facts_told_in(sentence, wordings)):
                return True
            return Wording.of(without_lead(sentence)).key in told or any(is_made_of(sentence, one) for one in whole)

        def is_wrong(fact: FactRow, sequences: tuple[int, ...]) -> bool:
            return is_unseen(self.fact(fact.text, sequences, joins=(fact.source, fact.target)))

        return summary_without(lines, tells_wrong=tells_wrong, facts_of=self.facts_of, is_wrong=is_wrong)

    def _unseen_told_in(self, lines: Sequence[Line]) -> tuple[tuple[Wording, Decided, str], ...]:
        """The facts put right that a sentence of these *lines* may tell, by its words, each with its turn."""
        cut = (one for line, said in lines for one in (line, *said))
        stems = frozenset[str]().union(*(Wording.of(one).stems for one in cut))
        return tuple(
            (wording, decided, turn)
            for turn in self.turn_ids.values()
            for wording, decided in self.standing.unseen_in(turn)
            if wording.may_be_carried(stems)
        )

    def holding_summary(
        self, name: str, text: str, index: TextIndex, *, now: datetime, window: TimeWindow = _ALWAYS
    ) -> str:
        """
        What is known of the entity *name* without the facts that have ended, or do not hold when the *window* asks.

        One that a person called right holds. Raises IndexUnusable; it blocks.
        """

        def has_passed(fact: FactRow, sequences: tuple[int, ...]) -> bool:
            is_over = window.has_passed(fact.valid_at, fact.invalid_at, now=now)
            return is_over and not (self and self.fact(fact.text, sequences, joins=(fact.source, fact.target)).is_right)

        return lines_that_hold(text, name, index, has_passed=has_passed)

    def told_summary(self, name: str, text: str, *, on_purpose: bool = False) -> str:
        """``summary`` as a memory tells it: what a person wrote in the first person is shown as told by them."""
        edited = self.edited_summary(name)
        if edited is None or not self.says_i(edited):
            return self.summary(name, text, on_purpose=on_purpose)
        return self._as_told(edited, by=None)

    def statement_text(self, statement: Statement) -> str:
        """
        What a person said, behind the name of who had told what it put right: "I live in Linz" is Ben's.

        Where several may be meant, all their names stand there. Where nobody knows a name, "I" is still not the bot:
        they told it.
        """
        text, by = statement.text, statement.told_by
        if by or self.says_i(text):
            return self._as_told(text, by=by or "/".join(self.may_have_told(statement)) or None)
        return text

    def may_have_told(self, statement: Statement) -> tuple[str, ...]:
        """
        The names of those of whom one told what a *statement* put right: of all who speak in its turns, where that is
        all that is known; none where somebody there has no name, or only one person speaks.
        """
        if statement.teller:
            return (statement.teller,)
        turn_ids = frozenset(statement.turn_ids)
        sequences = tuple(sorted(one for one, turn_id in self.turn_ids.items() if turn_id in turn_ids))
        names = {name for one in self.told(sequences) for name in one.turn.persons}
        people = {self.person(name, sequences): name for name in sorted(names, reverse=True)} if all(names) else {}
        return tuple(sorted(people.values())) if len(people) > 1 else ()

    def is_by_others(self, statement: Statement, people: Collection[str]) -> bool:
        """Whether others than *people* told what a *statement* put right, as far as that is known."""
        told_by = {self.person(one) for one in self.may_have_told(statement)}
        return bool(told_by) and told_by.isdisjoint(map(self.person, people))

    def says_i(self, text: str) -> bool:
        """Whether *text* is in the first person, in its own language or in the mind's, since few words may mislead."""
        return says_i(text, languages=(self.language(), detect(text, fallback=self.language())))

    def _as_told(self, text: str, *, by: str | None) -> str:
        language = detect(text, fallback=self.language())
        return told_by(Message(Speaker.USER, text, name=by), text, language=language)

    def _tells(self, text: str, wording: Wording, decided: Decided, turn_id: str) -> bool:
        """Whether *text* tells this fact of a turn, and not only others of that turn, which share words with it."""
        if not wording.is_carried_by(text) or not may_be_one(decided.teller, teller_in(text)):
            return False
        others = self.keys_in(frozenset({turn_id}))
        if wording.key not in others:
            return True

        def is_another(sentence: str) -> bool:
            own = Wording.of(without_lead(sentence))
            return own.key in others and not own.says_more_or_less(wording)

        left = (one for one in sentences(text, language=detect(text)) if not is_another(one))
        return wording.is_carried_by(" ".join(left))

    def _whole_turns(self) -> dict[str, Decided]:
        """The words of the turns that do not come up by themselves as a whole, with what was decided of each."""
        decided = {sequence: self.standing.turn(turn_id) for sequence, turn_id in self.turn_ids.items()}
        held_back = {sequence: one for sequence, one in decided.items() if one.held_back}
        words = {one.sequence: one.text for one in self.told(tuple(sorted(held_back)))} if held_back else {}
        return {words[sequence]: one for sequence, one in held_back.items() if sequence in words}

    def reason_against_summary(self, name: str) -> str:
        """Why what is known of the entity *name* as a whole does not come up by itself; "" where it may."""
        decided = self.standing.entity(name)
        if self.edited_summary(name) is not None:
            return "muted by a person" if decided.is_muted else ""
        if any(name_key(one.name) in self.standing.keys_of(name) for one in self.standing.splits):
            return "split by a person"  # the summary is of both
        return decided.held_back

    def judged(self, fragment: Fragment) -> Fragment:
        """*fragment* with what was decided of it, of its turns, or of a name in it."""
        if not self or fragment.held_back:
            return fragment
        decided = fragment.decided
        if decided is UNDECIDED and fragment.kind == "episode":
            (sequence,) = fragment.sequences
            decided = self.turn(sequence)
        own = "" if fragment.kind == "entity" else decided.held_back
        held_back = own or self._reason_against(fragment)
        is_boosted = fragment.is_boosted or decided.is_pinned
        return replace(fragment, decided=decided, held_back=held_back, is_boosted=is_boosted)

    def _reason_against(self, fragment: Fragment) -> str:
        muted = self.standing.muted_names
        if muted and (tells_of_any(self._as_split(fragment), muted) or self._is_by_muted(fragment, muted)):
            return "muted by a person"
        return self._against_observation(fragment.text, fragment.sequences) if fragment.kind == "observation" else ""

    def _is_by_muted(self, fragment: Fragment, muted: frozenset[str]) -> bool:
        """Whether all who told *fragment* are of these *muted* names."""
        own = [one for one in fragment.said if one.role is Speaker.USER]
        turn_ids = [self.turn_ids[one] for one in fragment.sequences if one in self.turn_ids]
        return bool(own) and all(is_by_any(one, muted, standing=self.standing, turn_ids=turn_ids) for one in own)

    def against_observation(self, text: str, sequences: Collection[int]) -> str:
        """Why what was observed of these turns does not come up by itself; "" where it may."""
        if tells_of_any(text, self.standing.muted_names):
            return "muted by a person"
        return self._against_observation(text, sequences)

    def _against_observation(self, text: str, sequences: Collection[int]) -> str:
        """Because all its turns are held back, or a fact of one that it tells; not where it says what a person says."""
        told_by = [self.turn_ids[one] for one in sequences if one in self.turn_ids]
        said = (one for turn_id in told_by for one in self.standing.statements_of(turn_id))
        if any(_says_rather(text, one) for one in said):
            return ""
        whole = [self.turn(sequence).held_back for sequence in sequences]
        if whole and all(whole):
            return whole[0]
        for turn_id in told_by:
            for wording, decided in self.standing.unseen_in(turn_id):
                if self._tells(text, wording, decided, turn_id):
                    return decided.held_back
        return ""

    def variants(self, query: str) -> tuple[str, ...]:
        """*query* with other names of the entities that it names, where a person said that they are one."""
        named = named_in(query, sorted(self.standing.alike(query)))
        found = [renamed(query, key, other) for key in named for other in self.standing.keys_of(key) - {key}]
        told_as = self._told_as()
        found += [renamed(query, key, told_as[key]) for key in named_in(query, told_as)]
        return tuple(one for one in dict.fromkeys(found) if one != query)[:_MOST_VARIANTS]

    def of_another(self, query: str, text: str, sequences: Iterable[int]) -> bool:
        """Whether a memory of these turns, in which a split name stands, is of another one than *query* names."""
        told = tuple(sequences)
        if not self.standing.splits or not told:
            return False
        told_as = self._told_as()
        for name in named_in(text, frozenset(told_as.values())):
            meant = self._meant(query, name, told_as)
            split = self.split_in(name, told) if meant else None
            if meant and (split.entity if split is not None else "") not in meant:
                return True
        return False

    def weighed(self, fragment: Fragment, query: str) -> Fragment:
        """*fragment*, which counts half where it is of another one of the same name than *query* names."""
        if not self.of_another(query, fragment.text, fragment.sequences):
            return fragment
        return replace(fragment, score=round(fragment.score * ANOTHER_SHARE, 4), is_boosted=fragment.decided.is_pinned)

    def _as_split(self, fragment: Fragment) -> str:
        """The text of *fragment* with the names of those who were split off, where all its turns are of them."""
        text = fragment.text
        for name in named_in(text, frozenset(self._told_as().values())) if fragment.sequences else ():
            split = self.split_in(name, fragment.sequences)
            text = renamed(text, name, name_key(split.to)) if split is not None else text
        return text

    def _told_as(self) -> dict[str, str]:
        """By the keys of each name that was split off: the key of the name that its turns have."""
        found: dict[str, str] = {}
        for one in self.standing.splits:
            name, keys = name_key(one.name), self.standing.keys_of(one.to)
            if name not in keys:  # or the two were merged again
                found |= dict.fromkeys(keys, found.get(name, name))
        return found

    def _meant(self, query: str, name: str, told_as: Mapping[str, str]) -> frozenset[str]:
        """The entities of those who are told of by *name* that *query* names; "" is whom nothing was split off for."""
        entity_of = {key: one.entity for one in self.standing.splits for key in self.standing.keys_of(one.to)}
        rest, meant = query, set[str]()
        for key in named_in(query, [key for key, told in told_as.items() if told == name]):
            meant.add(entity_of[key])
            rest = renamed(rest, key, "")
        return frozenset(meant | ({""} if names_any(rest, self.standing.keys_of(name) - told_as.keys()) else set()))


NOTHING_PUT_RIGHT = PutRight()
ANOTHER_SHARE = 0.5  # of the score of what is of another one of the same name
FACT, ENTITY, EPISODE = "fact:", "entity:", "episode:"  # how the ids of memories begin


def statement_id(statement: Statement) -> str:
    """The id of what a person said, among those of facts."""
    return f"{FACT}{statement.id}"


def split_off_id(split: Split) -> str:
    """The id of what was split off, among those of entities."""
    return f"{ENTITY}{split.entity}"


async def put_right_in(mind: Mind) -> PutRight:
    """What people put right in *mind*. Raises HomeFault where its log can not be read."""
    return await anyio.to_thread.run_sync(put_right_now, mind)


def put_right_now(mind: Mind) -> PutRight:
    """``put_right_in`` for callers in a worker thread: it blocks."""
    try:
        standing = mind.corrections.standing()
    except OSError as error:
        raise HomeFault(f"corrections.jsonl can not be read: {error.strerror}") from error
    return PutRight.of(standing, mind.transcript, mind.text) if standing else NOTHING_PUT_RIGHT


def says_wanted(text: str, wanted: frozenset[str]) -> bool:
    """Whether *text* has a telling word that is *wanted*."""
    language = detect(text)
    telling = content_words(" ".join(sorted(wanted)), language=language).keys()
    return not (wanted & telling).isdisjoint(content_words(text, language=language))


def _says_rather(text: str, said: Statement) -> bool:
    """Whether *text* says what a person said, and not what stood in its place before."""
    wording = Wording.of(said.text)
    return wording.is_carried_by(text) and wording.share_in(text) > Wording.of(said.was).share_in(text)
