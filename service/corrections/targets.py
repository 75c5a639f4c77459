"""
Finds the memory that a correction is about: by the id that an answer of ours gave it, or by its words and its turns.

What is found is named by its content (see `Target`), since ids of the graph change with every rebuild.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.corrections.record import MOST_TURNS, Correction, Target, What, beginning_of
from consolidation.corrections.standing import may_be_one
from consolidation.corrections.wording import Wording, is_named, names_any
from consolidation.kernel.errors import AmbiguousMemory, CorrectionConflict, InvalidRequest, MemoryNotFound
from consolidation.text.language import detect
from consolidation.text.names import given_name, name_key
from consolidation.text.words import stems
from service.index.text_splits import entities_with_keys, mentions_in
from service.retrieval.lead_words import is_led, teller_in, without_lead
from service.retrieval.put_right import split_off_id, statement_id
from service.retrieval.tellers import people_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from consolidation.corrections.entity_names import Split
    from consolidation.corrections.record import TargetKind
    from consolidation.corrections.standing import Standing, Statement
    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind

_PREFIXES: dict[TargetKind, str] = {"fact": "fact:", "entity": "entity:", "turn": "episode:"}
_FILES = {
    "observation": "an observation is put right in observations.md",
    "journal": "a note is put right in its file",
}
_SEQUENCE = re.compile(r"[1-9][0-9]{0,14}")
_OF_TRUTH = frozenset({What.EDIT, What.WRONG, What.RIGHT})
_EDITED_AGAIN = 2  # edits, one of the other's words
_LOOKED_AT = 200  # facts that share words with a text
_MOST_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class Meant:
    """What a caller says of the memory that they mean: its id, or its words and the turns that it comes from."""

    kind: TargetKind
    id: str | None = None
    text: str | None = None
    turn_ids: tuple[str, ...] = ()


async def find_target(mind: Mind, meant: Meant, what: What, *, standing: Standing) -> Target:
    """
    The memory that a decision is about. The id of an edit that another one replaced still names it, to be edited.

    Raises InvalidRequest, MemoryNotFound, AmbiguousMemory, HomeFault.
    """
    if meant.id is None and meant.text is None and not (meant.kind == "turn" and meant.turn_ids):
        raise InvalidRequest("needs an id, or the words of the memory", pointer="#/target")
    if meant.id is not None and not meant.id.startswith(_PREFIXES[meant.kind]):
        raise InvalidRequest(_of_another_kind(meant), pointer="#/target/id")
    _check_turns(mind, meant.turn_ids)
    if meant.kind == "turn":
        return await _turn(mind, meant)
    if meant.kind == "entity":
        target = await anyio.to_thread.run_sync(_entity, mind, meant, standing)
        if what is What.SPLIT:
            await anyio.to_thread.run_sync(_check_told_in, mind, target, standing)
        return target
    replaced = _replaced(meant, standing)
    if replaced is not None and what is What.EDIT:
        return replaced
    try:
        return await _fact(mind, meant, standing)
    except MemoryNotFound as error:
        edits = _edits_of(replaced, standing) if replaced is not None else ()
        if not edits:
            raise
        raise MemoryNotFound(f"this fact was edited since: it is {statement_id(edits[-1])} now") from error


def _replaced(meant: Meant, standing: Standing) -> Target | None:
    """What a person edited first where *meant* is the id of an edit of it that another one replaced."""
    made = {f"{_PREFIXES['fact']}{one.id}": one for one in standing.corrections if one.what is What.EDIT}
    edit = made.get(meant.id or "")
    if edit is None or edit.target.kind == "entity" or standing.is_current(edit):
        return None
    seen = set[str]()
    while edit.id not in seen and (before := _edit_before(edit, made.values(), standing)) is not None:
        seen.add(edit.id)
        edit = before
    return edit.target


def _edit_before(edit: Correction, made: Iterable[Correction], standing: Standing) -> Correction | None:
    """The edit whose words *edit* took the place of, if another one replaced it, too."""
    words = (one for one in made if one.to == edit.target.text and one.target.turn_ids == edit.target.turn_ids)
    return next((one for one in words if one.id != edit.id and not standing.is_current(one)), None)


def newest_target(target: Target, what: What, *, to: str | None, standing: Standing) -> Target:
    """
    What a decision of *target* is about: where its edit was edited again, the words that stand in its place now.

    So the newest edit holds alone, by whichever id it is made, and taking it back restores the one before. One in the
    words that stand already is of what these took the place of, so that it is kept once. Raises CorrectionConflict
    where somebody calls the first words right: which of the edits that takes back is for them to say.
    """
    edits = _edits_of(target, standing)
    if what not in _OF_TRUTH or len(edits) < _EDITED_AGAIN or not standing.stands(edits[-1]):
        return target
    last = edits[-1]
    if what is What.RIGHT:
        raise CorrectionConflict(f"its edit was edited again: put {statement_id(last)} right, or take that edit back")
    is_same = to is not None and " ".join(to.split()) == " ".join(last.text.split())
    return _said(edits[-2] if is_same else last)


def _edits_of(target: Target, standing: Standing) -> tuple[Statement, ...]:
    """What people put in the place of *target*, and in the place of that, as far as it was edited again."""
    said = {one.id: one for one in standing.said}
    decided = [standing.fact(target.text, target.turn_ids, joins=target.joins, teller=target.teller)]
    if target.kind != "fact":
        decided = [standing.turn(one) for one in target.turn_ids] if target.kind == "turn" else []
    truth = next((one.truth for one in decided if one.truth is not None), None)
    edits: list[Statement] = []
    while truth is not None and (words := said.get(truth.id)) is not None and words not in edits:
        edits.append(words)
        truth = standing.of_statement(words).truth
    return tuple(edits)


def entity_name(mind: Mind, name: str, *, standing: Standing, pointer: str) -> str:
    """The name of the entity that *name* is, or has as its id. It blocks. Raises MemoryNotFound, IndexUnusable."""
    meant = Meant("entity", id=name) if name.startswith(_PREFIXES["entity"]) else Meant("entity", text=name)
    try:
        return _entity(mind, meant, standing).text
    except MemoryNotFound as error:
        raise MemoryNotFound(f"{pointer}: {error}") from error


def _of_another_kind(meant: Meant) -> str:
    """Why an id is not that of such a memory, and what is to be done instead."""
    prefix = (meant.id or "").partition(":")[0]
    if prefix in _FILES:
        return f"is not the id of a {meant.kind}: {_FILES[prefix]}"
    return f"is not the id of a {meant.kind}: that begins with {_PREFIXES[meant.kind]}"


def _check_turns(mind: Mind, turn_ids: Iterable[str]) -> None:
    positions = mind.transcript.positions
    for at, turn_id in enumerate(turn_ids):
        if positions.sequence_of(turn_id) is None:
            raise MemoryNotFound(f"#/target/turn_ids/{at}: the mind has no turn with this id")


async def _turn(mind: Mind, meant: Meant) -> Target:
    if meant.id is not None:
        number = meant.id.removeprefix(_PREFIXES["turn"])
        sequences = [int(number)] if _SEQUENCE.fullmatch(number) else []
    elif meant.turn_ids:
        found = (mind.transcript.positions.sequence_of(one) for one in meant.turn_ids)
        sequences = [one for one in found if one is not None]
    else:
        raise InvalidRequest("a turn is named by its id, or by turn_ids", pointer="#/target")
    known = [one for one in sequences if mind.transcript.positions.place(one) is not None]
    turns = [turn for turn in await mind.transcript.read_many(known) if turn.is_remembered]
    if not turns:
        raise MemoryNotFound("the mind remembers no such turn (any more)")
    teller = _only(_people_in(turns)) if await anyio.to_thread.run_sync(has_several_people, mind) else None
    return Target("turn", beginning_of(turns[0].text), tuple(turn.turn.turn_id for turn in turns), teller=teller)


def has_several_people(mind: Mind) -> bool:
    """Whether more than one person has a name in a mind: then it matters who told something. Raises IndexUnusable."""
    return len(people_in(mind)) > 1


def _people_in(turns: Iterable[StoredTurn]) -> dict[str, str]:
    """The persons who speak in these turns, by the keys of their names; "" is the key of one without a name."""
    return {name_key(name): name for turn in turns for name in turn.turn.persons}


def _only(people: dict[str, str]) -> str | None:
    return next(iter(people.values())) or None if len(people) == 1 else None


def _teller(text: str, people: dict[str, str]) -> str | None:
    """Who told a fact with this *text* in the turns of these *people*."""
    named = teller_in(text)
    if named is not None:
        return people.get(name_key(named))
    return None if is_led(text) else _only(people)  # the bot said it, or somebody without a name


def _entity(mind: Mind, meant: Meant, standing: Standing) -> Target:
    off = next((one for one in standing.splits if _is_split_off(one, meant)), None)
    if off is not None:
        return Target("entity", off.to, meant.turn_ids)
    if meant.id is not None:
        uuid = meant.id.removeprefix(_PREFIXES["entity"])
        rows = mind.text.entities(tuple(mind.text.entity_numbers([uuid]).values()))
        names = [str(row[1]) for row in rows.values()]
    else:
        key = name_key(meant.text or "")
        names = [name for _, name in mind.text.names_in(meant.text or "") if name_key(name) == key]
        is_given = standing.keys_of(meant.text or "") != {key}  # by a person
        if not names and key and (is_given or _is_told(mind, meant.text or "")):
            names = [meant.text or ""]
    if not names:
        raise MemoryNotFound("the mind knows no such entity (any more)")
    return Target("entity", names[0], meant.turn_ids)


def _is_told(mind: Mind, name: str) -> bool:
    """Whether turns have a *name* that no entity has, written as a name: so it can be muted, and given another one."""
    key = name_key(name)
    told = mind.transcript.read_now(mind.text.mentions(name, limit=_LOOKED_AT))
    return any(
        key in map(name_key, one.turn.persons) or any(is_named(message.content, name) for message in one.turn.messages)
        for one in told
    )


def _check_told_in(mind: Mind, target: Target, standing: Standing) -> None:
    """Whether each turn of a split names the entity, or told a fact that joins it. Raises InvalidRequest."""
    keys = standing.keys_of(target.text)
    for one in reversed(standing.splits):  # whoever was split off is named as before in the turns
        keys |= standing.keys_of(one.name) if name_key(one.to) in keys else frozenset()
    keys |= {name_key(given_name(target.text))} - {""}
    sequences = {one: mind.transcript.positions.sequence_of(one) or 0 for one in target.turn_ids}

    def told(database: sqlite3.Connection) -> frozenset[int]:
        names = {target.text, *(row.name for row in entities_with_keys(database, sorted(keys)))}
        return frozenset(one.sequence for one in mentions_in(database, sorted(names), sequences.values()))

    known = mind.text.read(told)
    unknown = [one for one in sequences.values() if one not in known]
    known |= {one.sequence for one in mind.transcript.read_now(unknown) if _names(one, keys)}
    for at, turn_id in enumerate(target.turn_ids):
        if sequences[turn_id] not in known:
            raise InvalidRequest(f"is of a turn that does not name {target.text}", pointer=f"#/target/turn_ids/{at}")


def _names(turn: StoredTurn, keys: frozenset[str]) -> bool:
    """Whether a person who speaks in a turn has a name with one of *keys*, or a message there names somebody so."""
    is_theirs = not keys.isdisjoint(map(name_key, turn.turn.persons))
    return is_theirs or any(names_any(message.content, keys) for message in turn.turn.messages)


def _is_split_off(split: Split, meant: Meant) -> bool:
    if meant.id is not None:
        return meant.id == split_off_id(split)
    return name_key(meant.text or "") == name_key(split.to)


async def _fact(mind: Mind, meant: Meant, standing: Standing) -> Target:
    if meant.id is not None:
        said = [one for one in standing.said if _PREFIXES["fact"] + one.id == meant.id]
        if said:
            return _said(said[0])
        uuid = meant.id.removeprefix(_PREFIXES["fact"])
        numbers = tuple((await anyio.to_thread.run_sync(mind.text.fact_numbers, [uuid])).values())
        found = await _targets(mind, numbers)
        if not found and meant.text is None:
            raise MemoryNotFound("the mind has no such fact (any more): name it by its words and its turns")
        if found:
            return found[0][1]
    text = meant.text or ""
    wanted = frozenset(meant.turn_ids)
    numbers = await anyio.to_thread.run_sync(_numbers_of, mind, text)
    same = [(key, one) for key, one in await _targets(mind, numbers) if _is_meant(one, text, wanted)]
    same += [
        (f"{_PREFIXES['fact']}{one.id}", _said(one))
        for one in standing.statements
        if _is_meant(_said(one), text, wanted)
    ]
    if not same:
        raise MemoryNotFound("the mind has no fact with these words (any more)")
    if len(same) > 1:
        candidates = dict(list({key: one.text for key, one in same}.items())[:_MOST_CANDIDATES])
        raise AmbiguousMemory("these words are of more than one fact: give its id, or its turns", candidates=candidates)
    return same[0][1]


def _said(statement: Statement) -> Target:
    return Target("fact", statement.text, statement.turn_ids, teller=statement.teller)


def _numbers_of(mind: Mind, text: str) -> tuple[int, ...]:
    """Facts that have words of *text*, by number."""
    languages = dict.fromkeys((detect(text), *mind.text.languages()))
    wanted = tuple(dict.fromkeys(stem for language in languages for stem in stems(text, language=language)))
    return tuple(hit.number for hit in mind.text.search("facts", wanted, limit=_LOOKED_AT))


def _is_meant(target: Target, text: str, turn_ids: frozenset[str]) -> bool:
    is_same = Wording.of(target.text).key == Wording.of(without_lead(text)).key
    is_same = is_same and may_be_one(target.teller, teller_in(text))
    return is_same and (not turn_ids or bool(turn_ids & frozenset(target.turn_ids)))


async def _targets(mind: Mind, numbers: Sequence[int]) -> list[tuple[str, Target]]:
    """The facts with these numbers of the full text, by their ids."""
    rows = await anyio.to_thread.run_sync(mind.text.facts, tuple(numbers))
    episodes = {number: json.loads(str(row[4])) for number, row in rows.items()}
    every = tuple({uuid for found in episodes.values() for uuid in found})
    sequences = await anyio.to_thread.run_sync(mind.text.sequences, every)
    turns = {turn.sequence: turn for turn in await mind.transcript.read_many(sorted(set(sequences.values())))}
    is_shared = await anyio.to_thread.run_sync(has_several_people, mind)
    found = []
    for number, row in rows.items():
        told_in = sorted(sequences[uuid] for uuid in episodes[number] if uuid in sequences)
        ids = tuple(turns[one].turn.turn_id for one in told_in if one in turns)[:MOST_TURNS]
        text, joins = str(row[1]), (str(row[2]), str(row[3]))
        people = _people_in(turns[one] for one in told_in if one in turns) if is_shared else {}
        target = Target("fact", without_lead(text), ids, joins, _teller(text, people))
        found.append((f"{_PREFIXES['fact']}{row[0]}", target))
    return found
