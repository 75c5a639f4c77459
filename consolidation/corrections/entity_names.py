"""What people decided of names: which are one entity, what it is called now, and which name is two things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.corrections.record import Correction, What
from consolidation.text.names import name_key

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def splits_of(made: Sequence[Correction]) -> tuple[Split, ...]:
    """What was split off, oldest first; the same name is the same entity, spelt as it was first."""
    first: dict[str, Correction] = {}
    found = []
    for one in made:
        if one.what is What.SPLIT:
            begun = first.setdefault(name_key(one.to or ""), one)
            turns = frozenset(one.target.turn_ids)
            found.append(Split(one.id, one.target.text, begun.to or "", turns, begun.id))
    return tuple(found)


def names_now(made: Sequence[Correction]) -> dict[str, tuple[str, str]]:
    """
    By the key of each name that people merged or gave: the key of the name that was kept, and the name of today.

    Each decision is about the entity that its names meant when it was made. So a name that a person gave can be merged
    and replaced like any other, and still finds its entity afterwards. Given to another one, it goes over to that.
    """
    into: dict[str, str] = {}  # a key, and that of another name of the same entity which was kept
    called: dict[str, str] = {}  # the key of a name that was kept, and what the entity is called
    given: set[str] = set()  # the keys of names that a rename gave

    def kept(key: str) -> str:
        while key in into:
            key = into[key]
        return key

    for one in made:
        name = one.to or ""
        root, key = kept(name_key(one.target.text)), name_key(name)
        if one.what is What.RENAME:
            called[root] = name
            is_new = key not in into and key not in called
            if root != key and (is_new or key in given):
                given.add(key)
                into[key] = root
        elif one.what is What.MERGE:
            other = kept(key)
            called.setdefault(other, name)
            if root != other:
                into[root] = other
    every = {*into, *called}
    return {key: (kept(key), called[kept(key)]) for key in every}
