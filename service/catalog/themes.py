"""
Themes: groups of entities that facts join, found by label propagation, and the ids that they keep.

A theme keeps its id while half of its members stay together, so that a picture of the graph has the same lanes at each
visit. An entity votes with a weight that is shared among all it is joined to: one that everything is tied to decides
little.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROUNDS = 30
_LEAST_MEMBERS = 3
_MOST_THEMES = 60
_STAY = 1e-9  # the weight of one's own label: it only decides a tie
_PREFIX = "theme:"


@dataclass(frozen=True, slots=True)
class Theme:
    """A group of entities (uuids), the most mentioned first."""

    id: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """All themes, the largest first; ``facts`` is how many facts there were, ``last`` the last number given."""

    groups: tuple[Theme, ...] = ()
    facts: int = 0
    last: int = 0

    def by_member(self) -> dict[str, str]:
        """The id of each member's theme."""
        return {member: theme.id for theme in self.groups for member in theme.members}


def themes_of(entities: Sequence[str], joined: Sequence[tuple[int, int]], *, before: Themes, facts: int) -> Themes:
    """
    The themes of *entities* (uuids, most mentioned first), of which facts join the places *joined*.

    Those of *before* keep their ids where half of their members stay together.
    """
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for entity, label in zip(entities, labels_of(len(entities), joined), strict=True):
        groups[label].append(entity)
    found = sorted((tuple(one) for one in groups.values() if len(one) >= _LEAST_MEMBERS), key=lambda one: -len(one))
    return named(found[:_MOST_THEMES], before=before, facts=facts)


def named(groups: Sequence[tuple[str, ...]], *, before: Themes, facts: int) -> Themes:
    """*groups*, which share no member, with the ids of the themes *before* that they go on with, or new ones."""
    place_of = {member: at for at, group in enumerate(groups) for member in group}
    ids: dict[int, str] = {}
    for theme in sorted(before.groups, key=lambda one: -len(one.members)):
        shared: defaultdict[int, int] = defaultdict(int)
        for member in theme.members:
            if member in place_of:
                shared[place_of[member]] += 1
        best = max(shared, key=lambda at: (shared[at], -at), default=None)
        if best is not None and best not in ids and shared[best] * 2 >= len(theme.members):
            ids[best] = theme.id
    last, themes = before.last, []
    for at, group in enumerate(groups):
        if at not in ids:
            last += 1
            ids[at] = f"{_PREFIX}{last}"
        themes.append(Theme(ids[at], group))
    return Themes(tuple(themes), facts, last)


def adopted(entities: Sequence[str], joined: Sequence[tuple[int, int]], known: Mapping[str, str]) -> dict[str, str]:
    """The theme of each of *entities* that has one: its own, or the one that most of those it is joined to have."""
    found = {entity: known[entity] for entity in entities if entity in known}
    votes: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one, other in joined:
        for entity, neighbour in ((entities[one], entities[other]), (entities[other], entities[one])):
            if entity not in known and neighbour in known:
                votes[entity][known[neighbour]] += 1
    return found | {entity: max(sorted(themes), key=themes.__getitem__) for entity, themes in votes.items()}


def labels_of(size: int, joined: Sequence[tuple[int, int]]) -> list[int]:
    """A label for each of *size* places: those that facts join closely have the same. Always the same answer."""
    import numpy as np  # here, so that a start does without it

    labels = np.arange(size)
    pairs = np.array([pair for pair in joined if pair[0] != pair[1]], dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return [int(label) for label in labels]
    ties, weights = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0, return_counts=True)
    told, heard = ties[:, 0], ties[:, 1]
    strength = np.bincount(told, weights=weights, minlength=size)
    votes = np.concatenate([weights / strength[told], np.full(size, _STAY)])
    voters, hearers = np.concatenate([told, np.arange(size)]), np.concatenate([heard, np.arange(size)])
    is_changed = True
    for turn in range(2 * _ROUNDS):
        asked = hearers % 2 == turn % 2  # one half at a time: all at once may swap labels for ever
        keys, places = np.unique(hearers[asked] * size + labels[voters[asked]], return_inverse=True)
        totals = np.bincount(places, weights=votes[asked])
        hearer, label = keys // size, keys % size
        order = np.lexsort((label, -totals.round(12), hearer))
        first = np.unique(hearer[order], return_index=True)[1]
        before = labels.copy()
        labels[hearer[order][first]] = label[order][first]
        if turn % 2 and not is_changed and (before == labels).all():
            break
        is_changed = bool((before != labels).any())
    return [int(label) for label in labels]
