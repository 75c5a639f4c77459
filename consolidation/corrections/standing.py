"""
What stands by all decisions of people so far, folded from the log: a later decision takes an earlier one's place.

Whether a fact was wrong or right, and whether it is pinned or muted, are two questions: each has one answer at a time.
A fact of the graph is recognised by its words and a turn that it comes from, since its id changes with each rebuild; in
other words too, where it comes from the same turn.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.corrections.record import OF_ENTITIES, Correction, What
from consolidation.corrections.wording import Wording, keys_of_names, named_in
from consolidation.text.names import name_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from consolidation.corrections.record import Line, Target

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


UNDECIDED = Decided()


@dataclass(frozen=True, slots=True)
class Statement:
    """
    What a person said or put in place of something wrong; ``id`` is its correction's.

    ``was`` are the words whose place it took; ``keys`` are those of both, as `Wording` has them.
    """

    id: str
    what: What
    text: str
    turn_ids: tuple[str, ...]
    at: datetime
    by: str
    keys: frozenset[str] = frozenset()
    was: str = ""

    @classmethod
    def of(cls, made: Correction) -> Statement | None:
        """What *made* says; None where it says nothing."""
        if made.what is not What.SAY and (made.what is not What.EDIT or made.target.kind == "entity"):
            return None
        text = made.to or made.target.text
        keys = frozenset({Wording.of(text).key, Wording.of(made.target.text).key})
        was = made.target.text if made.what is What.EDIT else ""
        return cls(made.id, made.what, text, made.target.turn_ids, made.at, made.by, keys, was)


@dataclass(frozen=True, slots=True)
class Split:
    """
    A name that is two things: what comes of these turns is ``to``; ``id`` is its correction's.

    ``entity`` is the id of the first correction that split something off under this name: all of it is one entity.
    """

    id: str
    name: str
    to: str
    turn_ids: frozenset[str]
    entity: str


@dataclass(slots=True)
class _Group:
    """The decisions of one fact, and by what it is recognised."""

    wording: Wording
    turn_ids: frozenset[str]
    joins: frozenset[str]
    decided: Decided = UNDECIDED

    def is_of(self, turn_ids: frozenset[str]) -> bool:
        return bool(self.turn_ids & turn_ids) or (not self.turn_ids and not turn_ids)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands. Nothing of it changes: another decision makes another one."""

    corrections: tuple[Correction, ...] = ()  # those that nobody took back, oldest first
    _by_key: Mapping[str, tuple[_Group, ...]] = field(default_factory=dict)
    _by_turn: Mapping[str, tuple[_Group, ...]] = field(default_factory=dict)
    _turns: Mapping[str, Decided] = field(default_factory=dict)
    _entities: Mapping[str, Decided] = field(default_factory=dict)
    _names: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # key of a name: the key and name it is now
    splits: tuple[Split, ...] = ()
    said: tuple[Statement, ...] = ()  # all that people said and did not edit since, oldest first
    statements: tuple[Statement, ...] = ()  # what of it nobody put right since

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Standing:
        """Fold the lines of a log, oldest first."""
        lines = tuple(lines)
        undone = {one.of for one in lines if not isinstance(one, Correction)}
        made = tuple(one for one in lines if isinstance(one, Correction) and one.id not in undone)
        by_key: dict[str, list[_Group]] = defaultdict(list)
        by_turn: dict[str, list[_Group]] = defaultdict(list)
        turns: dict[str, Decided] = {}
        entities: dict[str, Decided] = {}
        for one in made:
            if one.what not in _DECIDES:
                continue
            if one.target.kind == "turn":
                turns |= {turn: _with(turns.get(turn, UNDECIDED), one) for turn in one.target.turn_ids}
            elif one.target.kind == "entity":
                key = name_key(one.target.text)
                entities[key] = _with(entities.get(key, UNDECIDED), one)
            else:
                group = _group(one.target, by_key, by_turn)
                group.decided = _with(group.decided, one)
        standing = cls(
            corrections=made,
            _by_key={key: tuple(groups) for key, groups in by_key.items()},
            _by_turn={turn: tuple(groups) for turn, groups in by_turn.items()},
            _turns=turns,
            _entities=entities,
            _names=_names_now(made),
            splits=_splits(made),
        )
        said = standing._said()
        return replace(standing, said=said, statements=tuple(filter(standing.stands, said)))

    def plus(self, made: Correction) -> Standing:
        """
        What stands with one decision more, made after all others.

        It is what ``of`` would fold, in a time that hardly grows with the log.
        """
        standing, turns = self._deciding(made)
        every = (*self.corrections, made)
        if made.target.kind == "entity" or made.what in OF_ENTITIES:
            standing = replace(standing, _names=_names_now(every), splits=_splits(every))
        return _saying(replace(standing, corrections=every), made, turns)

    def _deciding(self, made: Correction) -> tuple[Standing, frozenset[str]]:
        """What is decided with *made*, and the turns that it may change something of."""
        target, turns = made.target, frozenset(made.target.turn_ids)
        if made.what not in _DECIDES:
            return self, frozenset()
        if target.kind == "turn":
            decided = {turn: _with(self._turns.get(turn, UNDECIDED), made) for turn in target.turn_ids}
            return replace(self, _turns={**self._turns, **decided}), turns
        if target.kind == "entity":
            key = name_key(target.text)
            known = self._entities.get(key, UNDECIDED)
            return replace(self, _entities={**self._entities, key: _with(known, made)}), frozenset()
        key = Wording.of(target.text).key
        known_groups = self._by_key.get(key, ())
        before = next((one for one in known_groups if one.is_of(turns)), None)
        group = replace(before or _new_group(target), decided=_with(before.decided if before else UNDECIDED, made))
        by_turn = {turn: _put(self._by_turn.get(turn, ()), before, group) for turn in group.turn_ids}
        by_key = {**self._by_key, key: _put(known_groups, before, group)}
        return replace(self, _by_key=by_key, _by_turn={**self._by_turn, **by_turn}), turns | group.turn_ids

    def __bool__(self) -> bool:
        """Whether anything stands."""
        return bool(self.corrections)

    def same_as(self, correction: Correction) -> Correction | None:
        """The decision that stands and says the same, unless a later one took its place."""
        known = next((one for one in reversed(self.corrections) if one.says(correction)), None)
        return known if known is not None and self.is_current(known) else None

    def is_current(self, correction: Correction) -> bool:
        """Whether no later decision took the place of this one, which nobody took back."""
        target = correction.target
        if correction.what not in _DECIDES:
            return True
        if target.kind == "turn":
            found = [self._turns.get(turn, UNDECIDED) for turn in target.turn_ids]
        elif target.kind == "entity":
            found = [self._entities.get(name_key(target.text), UNDECIDED)]
        else:
            found = [self.fact(target.text, target.turn_ids, joins=target.joins)]
        return any(correction.id == one.id for decided in found for one in decided.corrections)

    def fact(self, text: str, turn_ids: Iterable[str], *, joins: Sequence[str] = ()) -> Decided:
        """What was decided of a fact with these words, which comes from these turns and joins these names."""
        if not self._by_key:
            return UNDECIDED
        turns = frozenset(turn_ids)
        wording = Wording.of(text)
        for group in self._by_key.get(wording.key, ()):
            if group.is_of(turns):
                return group.decided
        names = keys_of_names(tuple(joins))
        for group in {id(one): one for turn in sorted(turns) for one in self._by_turn.get(turn, ())}.values():
            if wording.restates(group.wording, joins_the_same=bool(names) and names == group.joins):
                return group.decided
        return UNDECIDED

    def turn(self, turn_id: str) -> Decided:
        """What was decided of a whole turn."""
        return self._turns.get(turn_id, UNDECIDED)

    def entity(self, name: str) -> Decided:
        """What was decided of an entity under any of its names."""
        decided = [self._entities[key] for key in sorted(self.keys_of(name)) if key in self._entities]
        truths = [one.truth for one in decided if one.truth is not None]
        shown = [one.shown for one in decided if one.shown is not None]
        return Decided(max(truths, key=_at, default=None), max(shown, key=_at, default=None))

    def of_entity(self, name: str) -> tuple[Correction, ...]:
        """What people decided of an entity under any of its names, its merges, splits and new names among it."""
        keys = self.keys_of(name)
        of_names = (one for one in self.corrections if one.target.kind == "entity")
        return tuple(one for one in of_names if name_key(one.target.text) in keys and self.is_current(one))

    def unseen_in(self, turn_id: str) -> tuple[tuple[Wording, Decided], ...]:
        """The facts of a turn that are not to come up by themselves, each with what was decided."""
        groups = self._by_turn.get(turn_id, ())
        return tuple((group.wording, group.decided) for group in groups if group.decided.held_back)

    def holds_back_of(self, turn_id: str) -> bool:
        """Whether something that this turn told is not to come up by itself."""
        return bool(self.unseen_in(turn_id) or self.turn(turn_id).held_back)

    def statements_of(self, turn_id: str) -> tuple[Statement, ...]:
        """What people put in the place of something that this turn told, and that may be told."""
        found = (one for one in self.statements if turn_id in one.turn_ids)
        return tuple(one for one in found if not self.reason_against(one))

    def of_statement(self, said: Statement) -> Decided:
        """What was decided of something that a person said."""
        return self.fact(said.text, said.turn_ids)

    def reason_against(self, said: Statement) -> str:
        """Why what a person said does not come up by itself; "" where it may. It goes with all its turns, if muted."""
        is_muted = bool(said.turn_ids) and all(self.turn(one).is_muted for one in said.turn_ids)
        return self.of_statement(said).held_back or (_MUTED if is_muted else "")

    def stands(self, said: Statement) -> bool:
        """Whether nobody put right what a person said, nor told all the turns that it comes from otherwise since."""
        if self.of_statement(said).is_wrong:
            return False
        whole = [self.turn(turn).truth for turn in said.turn_ids]
        later = [one for one in whole if one is not None and one.what is What.EDIT and one.at > said.at]
        return not whole or len(later) < len(whole)

    def _said(self) -> tuple[Statement, ...]:
        made = ((one, Statement.of(one)) for one in self.corrections if one.what in {What.SAY, What.EDIT})
        return tuple(said for one, said in made if said is not None and self.is_current(one))

    @property
    def muted_names(self) -> frozenset[str]:
        """The keys of all names of entities that are never to come up."""
        muted = {key for key, decided in self._entities.items() if decided.is_muted}
        return frozenset(other for key in muted for other in self.keys_of(key))

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


def _at(correction: Correction) -> datetime:
    return correction.at


def _with(decided: Decided, one: Correction) -> Decided:
    return Decided(one, decided.shown) if one.what in _TRUTH else Decided(decided.truth, one)


def _saying(standing: Standing, made: Correction, turns: frozenset[str]) -> Standing:
    """*standing* with what *made* says, and without what it took the place of; what is of none of *turns* stays."""
    key = Wording.of(made.target.text).key
    touched = {one.id for one in standing.said if key in one.keys or not turns.isdisjoint(one.turn_ids)}
    made_by = {one.id: one for one in standing.corrections if one.id in touched} if touched else {}
    said = tuple(one for one in standing.said if one.id not in touched or standing.is_current(made_by[one.id]))
    new = Statement.of(made)
    if new is not None and standing.is_current(made):
        said, touched = (*said, new), touched | {new.id}
    right = {one.id for one in standing.statements} - touched
    right |= {one.id for one in said if one.id in touched and standing.stands(one)}
    return replace(standing, said=said, statements=tuple(one for one in said if one.id in right))


def _new_group(target: Target) -> _Group:
    return _Group(Wording.of(target.text), frozenset(target.turn_ids), keys_of_names(target.joins))


def _put(groups: tuple[_Group, ...], before: _Group | None, group: _Group) -> tuple[_Group, ...]:
    """*groups* with *group* in the place of *before*; at the end where there was none."""
    return tuple(group if one is before else one for one in groups) if before is not None else (*groups, group)


def _group(target: Target, by_key: dict[str, list[_Group]], by_turn: dict[str, list[_Group]]) -> _Group:
    """The group of a target: one that has the same words and comes from a turn of it, else a new one."""
    wording, turns = Wording.of(target.text), frozenset(target.turn_ids)
    for group in by_key[wording.key]:
        if group.is_of(turns):
            return group
    group = _new_group(target)
    by_key[wording.key].append(group)
    for turn in sorted(turns):
        by_turn[turn].append(group)
    return group


def _splits(made: Sequence[Correction]) -> tuple[Split, ...]:
    """What was split off, oldest first; the same name is the same entity, spelt as it was first."""
    first: dict[str, Correction] = {}
    found = []
    for one in made:
        if one.what is What.SPLIT:
            begun = first.setdefault(name_key(one.to or ""), one)
            turns = frozenset(one.target.turn_ids)
            found.append(Split(one.id, one.target.text, begun.to or "", turns, begun.id))
    return tuple(found)


def _names_now(made: Sequence[Correction]) -> dict[str, tuple[str, str]]:
    """By the key of each name that was merged or renamed, and of those they are now: the key and name of today."""
    into = {name_key(one.target.text): one.to or "" for one in made if one.what is What.MERGE}
    called = {name_key(one.target.text): one.to or "" for one in made if one.what is What.RENAME}
    shown = {name_key(to): to for to in into.values()}
    spelt = {name_key(one.target.text): one.target.text for one in made if one.target.kind == "entity"}
    found = {}
    for key in {*into, *called, *shown}:
        root = key
        for _ in range(len(into)):
            if root not in into:
                break
            root = name_key(into[root])
        name = called.get(root) or shown.get(root) or spelt.get(root, root)
        found[key] = (root, name)
    return found | {name_key(name): (root, name) for root, name in found.values()}
