"""
What stands by all decisions of people so far, folded from the log: a later decision takes an earlier one's place.

Whether a fact was wrong or right, and whether it is pinned or muted, are two questions: each has one answer at a time.
A fact of the graph is recognised by its words and a turn that it comes from, since its id changes with each rebuild; in
other words too, where it comes from the same turn. What a person says is true from then on: that the same words were
called wrong before no longer counts, and only a later decision makes them wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.corrections.entity_names import names_now, splits_of
from consolidation.corrections.record import OF_ENTITIES, Correction, Target, What
from consolidation.corrections.repeated import Repeats
from consolidation.corrections.wording import Wording, keys_of_names, named_in, tells_of_any
from consolidation.text.names import name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.entity_names import Split
    from consolidation.corrections.record import Line

_TRUTH = frozenset({What.WRONG, What.RIGHT, What.EDIT})
_DECIDES = _TRUTH | {What.PIN, What.MUTE}
_MUTED = "muted by a person"


@dataclass(frozen=True, slots=True)
class Decided:
    """What people decided of one memory: ``truth`` is wrong, right or an edit, ``shown`` a pin or a mute."""

    truth: Correction | None = None
    shown: Correction | None = None

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Both, as far as there are any."""
        return tuple(one for one in (self.truth, self.shown) if one is not None)

    @property
    def is_wrong(self) -> bool:
        """Whether it is not as it is told."""
        return self.truth is not None and self.truth.what is not What.RIGHT

    @property
    def is_right(self) -> bool:
        """Whether a person confirmed it, whatever a model or an outcome says."""
        return self.truth is not None and self.truth.what is What.RIGHT

    @property
    def is_pinned(self) -> bool:
        """Whether it comes up first."""
        return self.shown is not None and self.shown.what is What.PIN

    @property
    def is_muted(self) -> bool:
        """Whether it never comes up by itself."""
        return self.shown is not None and self.shown.what is What.MUTE

    @property
    def held_back(self) -> str:
        """Why it does not come up by itself, as a trace says it; "" where it may."""
        if self.truth is not None and self.is_wrong:
            return "edited by a person" if self.truth.what is What.EDIT else "wrong: a person said so"
        return _MUTED if self.is_muted else ""

    @property
    def teller(self) -> str | None:
        """Who told it, by name; None where that is not known, or does not matter."""
        return next((one.target.teller for one in self.corrections if one.target.teller), None)


UNDECIDED = Decided()


@dataclass(frozen=True, slots=True)
class Statement:
    """
    What a person said or put in place of something wrong; ``id`` is its correction's.

    ``was`` are the words whose place it took, and ``teller`` is who told those; ``keys`` are those of both, as
    `Wording` has them.
    """

    id: str
    what: What
    text: str
    turn_ids: tuple[str, ...]
    at: datetime
    by: str
    keys: frozenset[str] = frozenset()
    was: str = ""
    teller: str | None = None

    @classmethod
    def of(cls, made: Correction) -> Statement | None:
        """What *made* says; None where it says nothing."""
        if made.what is not What.SAY and (made.what is not What.EDIT or made.target.kind == "entity"):
            return None
        text = made.to or made.target.text
        keys = frozenset({Wording.of(text).key, Wording.of(made.target.text).key})
        was = made.target.text if made.what is What.EDIT else ""
        return cls(made.id, made.what, text, made.target.turn_ids, made.at, made.by, keys, was, made.target.teller)

    @property
    def told_by(self) -> str:
        """The teller's name, which stands in front of the words; "" where nobody knows it, or where they name it."""
        return "" if not self.teller or tells_of_any(self.text, (self.teller,)) else self.teller


@dataclass(frozen=True, slots=True)
class _Group:
    """The decisions of one fact, and by what it is recognised."""

    wording: Wording
    turn_ids: frozenset[str]
    joins: frozenset[str]
    decided: Decided = UNDECIDED
    teller: str | None = None

    def is_of(self, turn_ids: frozenset[str]) -> bool:
        return bool(self.turn_ids & turn_ids) or (not self.turn_ids and not turn_ids)

    def may_be_by(self, teller: str | None) -> bool:
        return may_be_one(self.teller, teller)


@dataclass(slots=True)
class _Answers:
    """
    The last answer to each question, as far as the log is folded: of facts in groups, of whole turns, of entities.

    ``said`` has the id of the last line that says certain words, by their key; ``written`` the names of entities as
    people wrote them, by their keys; ``places`` has where each line stands.
    """

    by_key: dict[str, tuple[_Group, ...]] = field(default_factory=dict)
    by_turn: dict[str, tuple[_Group, ...]] = field(default_factory=dict)
    turns: dict[str, Decided] = field(default_factory=dict)
    entities: dict[str, Decided] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    written: dict[str, frozenset[str]] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)

    def copy(self) -> _Answers:
        """The same, to fold one decision more into it."""
        return _Answers(
            by_key=dict(self.by_key),
            by_turn=dict(self.by_turn),
            turns=dict(self.turns),
            entities=dict(self.entities),
            said=dict(self.said),
            written=dict(self.written),
            places=dict(self.places),
        )

    def fold(self, made: Correction) -> frozenset[str]:
        """Take in the next decision. Returns the turns that it may change something of."""
        self.places.setdefault(made.id, len(self.places))
        touched = frozenset(made.target.turn_ids)
        for name in _names_in(made):
            self.written[name_key(name)] = self.written.get(name_key(name), frozenset()) | {name}
        said = Statement.of(made)
        if said is not None:
            touched |= self._say(said)
        if made.what not in _DECIDES:
            return touched
        target = made.target
        if target.kind == "turn":
            self.turns |= {turn: _with(self.turns.get(turn, UNDECIDED), made) for turn in target.turn_ids}
        elif target.kind == "entity":
            key = name_key(target.text)
            self.entities[key] = _with(self.entities.get(key, UNDECIDED), made)
        else:
            known = self.fact(target.text, frozenset(target.turn_ids), target.teller) or UNDECIDED
            touched |= self._put(target, _with(known, made))
        return touched

    def fact(self, text: str, turn_ids: frozenset[str], teller: str | None) -> Decided | None:
        """What was decided last of these very words, from one of these turns, or from no turn at all."""
        known = self._groups(Wording.of(text).key, turn_ids, teller)
        if len(known) <= 1:
            return known[0].decided if known else None
        return self.latest(one.decided for one in known)

    def _groups(self, key: str, turn_ids: frozenset[str], teller: str | None) -> tuple[_Group, ...]:
        return tuple(one for one in self.by_key.get(key, ()) if one.is_of(turn_ids) and one.may_be_by(teller))

    def _say(self, said: Statement) -> frozenset[str]:
        """
        What is said is so: that these words were called wrong before no longer counts.

        Whether it comes up is the other question. An edit leaves that as it was decided of the words before.
        """
        turns = frozenset(said.turn_ids)
        if said.what is What.SAY:
            self.said[Wording.of(said.text).key] = said.id
        known = self.fact(said.text, turns, said.teller) or UNDECIDED
        before = self.fact(said.was, turns, said.teller) or UNDECIDED
        truth, shown = None if known.is_wrong else known.truth, self.latest((known, before)).shown
        if (truth, shown) == (known.truth, known.shown):
            return frozenset()
        return self._put(Target("fact", said.text, said.turn_ids, teller=said.teller), Decided(truth, shown))

    def _put(self, target: Target, decided: Decided) -> frozenset[str]:
        """
        Let this be *decided* of a fact. Returns all turns that a decision of it named: they are its turns from now on.

        Facts that were two so far, and of which *target* names turns of both, are one.
        """
        turns, wording = frozenset(target.turn_ids), Wording.of(target.text)
        known = self._groups(wording.key, turns, target.teller)
        first = known[0] if known else _Group(wording, turns, keys_of_names(target.joins), teller=target.teller)
        every = turns.union(*(one.turn_ids for one in known))
        is_theirs = all(one.teller and may_be_one(one.teller, first.teller) for one in known)
        decided = UNDECIDED if decided == UNDECIDED else decided
        group = replace(first, turn_ids=every, decided=decided, teller=first.teller if is_theirs else None)
        self.by_key[wording.key] = _in_place_of(known, group, self.by_key.get(wording.key, ()))
        for turn in every:
            self.by_turn[turn] = _in_place_of(known, group, self.by_turn.get(turn, ()))
        return every

    def latest(self, decided: Iterable[Decided]) -> Decided:
        """The later answer to each of the two questions."""
        every = tuple(decided)
        truths = [one.truth for one in every if one.truth is not None]
        shown = [one.shown for one in every if one.shown is not None]
        return Decided(max(truths, key=self._place, default=None), max(shown, key=self._place, default=None))

    def _place(self, made: Correction) -> int:
        return self.places[made.id]

    def repeats(self) -> Repeats:
        """What finds the words again that are wrong."""
        groups = {id(one): one for known in self.by_key.values() for one in known if one.decided.is_wrong}
        facts = [(one.wording, one.decided.truth) for one in groups.values() if one.decided.truth is not None]
        turns = [one.truth for one in self.turns.values() if one.truth is not None and one.is_wrong]
        return Repeats.of(facts, {one.id: one for one in turns}.values())

    def is_later(self, made: Correction, said: Statement) -> bool:
        """Whether *made* stands behind the line that *said* something."""
        return self.places[made.id] > self.places[said.id]


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands. Nothing of it changes: another decision makes another one."""

    corrections: tuple[Correction, ...] = ()  # those that nobody took back, oldest first
    _answers: _Answers = field(default_factory=_Answers)
    _names: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # key of a name: the key and name it is now
    splits: tuple[Split, ...] = ()
    said: tuple[Statement, ...] = ()  # all that people said and did not edit since, oldest first
    statements: tuple[Statement, ...] = ()  # what of it nobody put right since
    _repeats: list[Repeats] = field(default_factory=list, init=False, compare=False, repr=False)  # once asked for

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Standing:
        """Fold the lines of a log, oldest first."""
        lines = tuple(lines)
        undone = {one.of for one in lines if not isinstance(one, Correction)}
        made = tuple(one for one in lines if isinstance(one, Correction) and one.id not in undone)
        answers = _Answers()
        for one in made:
            answers.fold(one)
        standing = cls(corrections=made, _answers=answers, _names=names_now(made), splits=splits_of(made))
        said = standing._said()
        return replace(standing, said=said, statements=tuple(filter(standing.stands, said)))

    def plus(self, made: Correction) -> Standing:
        """
        What stands with one decision more, made after all others.

        It is what ``of`` would fold, in a time that hardly grows with the log.
        """
        answers = self._answers.copy()
        turns = answers.fold(made)
        every = (*self.corrections, made)
        standing = replace(self, corrections=every, _answers=answers)
        if made.what in OF_ENTITIES:
            standing = replace(standing, _names=names_now(every), splits=splits_of(every))
        return _saying(standing, made, turns)

    def __bool__(self) -> bool:
        """Whether anything stands."""
        return bool(self.corrections)

    def same_as(self, correction: Correction) -> Correction | None:
        """The decision that stands and says the same, unless a later one took its place or made it wrong."""
        known = next((one for one in reversed(self.corrections) if one.says(correction)), None)
        if known is None or not self.is_current(known):
            return None
        said = Statement.of(known)
        return known if said is None or self.stands(said) else None

    def is_current(self, correction: Correction) -> bool:
        """Whether no later decision took the place of this one, which nobody took back."""
        target = correction.target
        if correction.what is What.SAY:
            return self._answers.said.get(Wording.of(correction.to or target.text).key) == correction.id
        if correction.what is What.RENAME:
            return self.name_of(target.text) == correction.to
        if correction.what not in _DECIDES:
            return True
        if target.kind == "turn":
            found = [self.turn(turn) for turn in target.turn_ids]
        elif target.kind == "entity":
            found = [self.entity(target.text)]
        else:
            found = [self.fact(target.text, target.turn_ids, joins=target.joins, teller=target.teller)]
        return any(correction.id == one.id for decided in found for one in decided.corrections)

    def fact(
        self,
        text: str,
        turn_ids: Iterable[str],
        *,
        joins: Sequence[str] = (),
        teller: str | None = None,
        is_there: Callable[[str, frozenset[str]], bool] | None = None,
    ) -> Decided:
        """
        What was decided of a fact with these words, which comes from these turns and joins these names.

        What another person than its *teller* told is another fact, also in the same words.

        Where the fact of a decision *is_there* still, by its words' key and its turns, another one that has words of
        its own is not the same in other words.
        """
        if not self._answers.by_key:
            return UNDECIDED
        turns = frozenset(turn_ids)
        wording = Wording.of(text)
        known = self._answers.fact(text, turns, teller)
        if known is not None:
            return known
        names = keys_of_names(tuple(joins))
        in_turns = (one for turn in sorted(turns) for one in self._answers.by_turn.get(turn, ()))
        for group in {id(one): one for one in in_turns}.values():
            if not group.may_be_by(teller) or not wording.restates(
                group.wording, joins_the_same=bool(names) and names == group.joins
            ):
                continue
            says_else = not wording.says_more_or_less(group.wording)
            if not (says_else and is_there is not None and is_there(group.wording.key, group.turn_ids)):
                return group.decided
        return UNDECIDED

    def turn(self, turn_id: str) -> Decided:
        """What was decided of a whole turn."""
        return self._answers.turns.get(turn_id, UNDECIDED)

    def entity(self, name: str) -> Decided:
        """What was decided of an entity under any of its names."""
        entities = self._answers.entities
        return self._answers.latest(entities[key] for key in self.keys_of(name) if key in entities)

    def of_entity(self, name: str) -> tuple[Correction, ...]:
        """What people decided of an entity under any of its names, its merges, splits and new names among it."""
        keys = self.keys_of(name)
        of_names = (one for one in self.corrections if one.target.kind == "entity")
        return tuple(one for one in of_names if name_key(one.target.text) in keys and self.is_current(one))

    def unseen_in(self, turn_id: str) -> tuple[tuple[Wording, Decided], ...]:
        """The facts of a turn that are not to come up by themselves, each with what was decided."""
        groups = self._answers.by_turn.get(turn_id, ())
        return tuple((group.wording, group.decided) for group in groups if group.decided.held_back)

    def right_in(self, turn_id: str) -> tuple[Wording, ...]:
        """The facts of a turn that a person confirmed."""
        return tuple(one.wording for one in self._answers.by_turn.get(turn_id, ()) if one.decided.is_right)

    def holds_back_of(self, turn_id: str) -> bool:
        """Whether something that this turn told is not to come up by itself."""
        return bool(self.unseen_in(turn_id) or self.turn(turn_id).held_back)

    def statements_of(self, turn_id: str) -> tuple[Statement, ...]:
        """What people put in the place of something that this turn told, and that may be told."""
        found = (one for one in self.statements if turn_id in one.turn_ids)
        return tuple(one for one in found if not self.reason_against(one))

    def of_statement(self, said: Statement) -> Decided:
        """What was decided of something that a person said, in these very words: nobody reads it in others."""
        decided = self._answers.fact(said.text, frozenset(said.turn_ids), said.teller) or UNDECIDED
        is_own = decided.truth is not None and decided.truth.id == said.id  # an edit of nothing but marks and case
        return replace(decided, truth=None) if is_own else decided

    def reason_against(self, said: Statement) -> str:
        """Why what a person said does not come up by itself; "" where it may. It goes with all its turns, if muted."""
        is_muted = bool(said.turn_ids) and all(self.turn(one).is_muted for one in said.turn_ids)
        return self.of_statement(said).held_back or (_MUTED if is_muted else "")

    def stands(self, said: Statement) -> bool:
        """Whether nobody put right what a person said, nor told all the turns that it comes from otherwise since."""
        if self.of_statement(said).is_wrong:
            return False
        whole = [self.turn(turn).truth for turn in said.turn_ids]
        edits = (one for one in whole if one is not None and one.what is What.EDIT)
        later = [one for one in edits if self._answers.is_later(one, said)]
        return not whole or len(later) < len(whole)

    def _said(self) -> tuple[Statement, ...]:
        made = ((one, Statement.of(one)) for one in self.corrections if one.what in {What.SAY, What.EDIT})
        return tuple(said for one, said in made if said is not None and self.is_current(one))

    @property
    def repeats(self) -> Repeats:
        """What finds the sentences of a bot that repeat what is wrong."""
        if not self._repeats:
            self._repeats.append(self._answers.repeats())
        return self._repeats[0]

    @property
    def muted_names(self) -> frozenset[str]:
        """All names of entities that are never to come up, as people wrote them."""
        muted = (key for key, decided in self._answers.entities.items() if decided.is_muted)
        keys = frozenset(other for key in muted if self.entity(key).is_muted for other in self.keys_of(key))
        return frozenset(name for key in keys for name in self._answers.written.get(key, (key,)))

    def name_of(self, name: str) -> str:
        """What an entity is called now."""
        return self._names.get(name_key(name), ("", name))[1]

    def name_in(self, name: str, turn_ids: Iterable[str]) -> str:
        """What an entity is called in what these turns told: the other name, where all of them are of a split."""
        split = self.split_in(name, turn_ids)
        return split.to if split is not None else name

    def split_in(self, name: str, turn_ids: Iterable[str]) -> Split | None:
        """By which split an entity is another one in what these turns told; None where it is itself."""
        turns = frozenset(turn_ids)
        found, name_now = None, name
        for _ in self.splits if turns else ():
            split = next((one for one in reversed(self.splits) if self._is_of(one, name_now, turns)), None)
            if split is None or split is found:
                break
            found, name_now = split, split.to
        return found

    def _is_of(self, split: Split, name: str, turns: frozenset[str]) -> bool:
        return turns <= split.turn_ids and name_key(split.name) in self.keys_of(name)

    def keys_of(self, name: str) -> frozenset[str]:
        """The keys of all names that are the same entity as *name* by a merge or a rename, its own among them."""
        key = name_key(name)
        if key not in self._names:
            return frozenset({key})
        now = self._names[key]
        return frozenset({key} | {other for other, found in self._names.items() if found == now})

    @property
    def same(self) -> Mapping[str, frozenset[str]]:
        """The keys of all names of whom people merged or renamed, by the key of the name that was kept."""
        return {root: self.keys_of(root) for root, _ in self._names.values()}

    def alike(self, text: str) -> frozenset[str]:
        """The keys of all names of the entities that *text* names by a name that a person gave or merged."""
        return frozenset(other for key in named_in(text, self._names) for other in self.keys_of(key))


def may_be_one(teller: str | None, other: str | None) -> bool:
    """Whether two tellers may be one person: they have one name, or one of them is not known."""
    return not teller or not other or name_key(teller) == name_key(other)


def _names_in(made: Correction) -> tuple[str, ...]:
    """The names of entities that a decision gives; what one was edited to is none."""
    if made.target.kind != "entity":
        return ()
    return (made.target.text, made.to) if made.to and made.what in OF_ENTITIES else (made.target.text,)


def _with(decided: Decided, one: Correction) -> Decided:
    return Decided(one, decided.shown) if one.what in _TRUTH else Decided(decided.truth, one)


def _saying(standing: Standing, made: Correction, turns: frozenset[str]) -> Standing:
    """*standing* with what *made* says, and without what it took the place of; what is of none of *turns* stays."""
    new = Statement.of(made)
    keys = {Wording.of(made.target.text).key} | (new.keys if new is not None else frozenset())
    touched = {one.id for one in standing.said if keys & one.keys or not turns.isdisjoint(one.turn_ids)}
    made_by = {one.id: one for one in standing.corrections if one.id in touched} if touched else {}
    said = tuple(one for one in standing.said if one.id not in touched or standing.is_current(made_by[one.id]))
    if new is not None and standing.is_current(made):
        said, touched = (*said, new), touched | {new.id}
    right = {one.id for one in standing.statements} - touched
    right |= {one.id for one in said if one.id in touched and standing.stands(one)}
    return replace(standing, said=said, statements=tuple(one for one in said if one.id in right))


def _in_place_of(known: Sequence[_Group], group: _Group, groups: tuple[_Group, ...]) -> tuple[_Group, ...]:
    """*groups* with *group* where the first of the *known* ones was; at the end where none of them was."""
    places = [at for at, one in enumerate(groups) if any(one is other for other in known)]
    first = places[0] if places else len(groups)
    return (*groups[:first], group, *(one for at, one in enumerate(groups) if at > first and at not in places))
