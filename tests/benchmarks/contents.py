"""A made-up mind as the service would hold it once all is digested: episodes, names, summaries, every vector. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from service.adapters.falkordb.graph_names import graph_name
from service.index.neighbourhood import asks, leaning
from service.ingest.episodes import as_episode
from service.ports.graph import StoredEntity, StoredFact, episode_uuid
from tests.benchmarks.synthetic import TURNS_A_SESSION, entity_uuid
from tests.benchmarks.vocabulary import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.ports.embedder import Vectors
    from service.ports.graph import Episode
    from tests.benchmarks.synthetic import Fact, SyntheticMind, Told
    from tests.benchmarks.vectors import WordVectors

MIND, PREFIX = "size", "mind_"
GRAPH = graph_name(MIND, prefix=PREFIX)
_SUMMARY_CHARACTERS = 900


@dataclass(frozen=True, slots=True)
class Contents:
    """Rows of vectors stand in the order of what they are of; an arm by name is what a query of it may find."""

    told: tuple[Told, ...]
    episodes: tuple[Episode, ...]
    facts: tuple[StoredFact, ...]
    entities: tuple[StoredEntity, ...]
    vectors: dict[str, Vectors]

    def keys(self, arm: str) -> list[str]:
        """What the rows of an arm are called in an answer."""
        match arm:
            case "facts":
                return [fact.uuid for fact in self.facts]
            case "entities":
                return [entity.uuid for entity in self.entities]
            case _:
                return [str(episode.sequence) for episode in self.episodes]


def contents(mind: SyntheticMind, embedder: WordVectors) -> Contents:
    """Everything *mind* has been told."""
    told = tuple(mind.told(number) for number in range(1, mind.turns + 1))
    episodes = tuple(as_episode(one.kept, uuid=episode_uuid(MIND, one.kept.turn.turn_id)) for one in told)
    pairs = [(fact, episode) for one, episode in zip(told, episodes, strict=True) for fact in one.facts]
    facts = tuple(_stored(fact, episode) for fact, episode in pairs)
    summaries = _summaries([fact for fact, _ in pairs], mind.entities)
    entities = tuple(StoredEntity(entity_uuid(at), name_of(at), summary) for at, summary in enumerate(summaries))
    own = embedder.of([_only(episode).text for episode in episodes])
    vectors = {
        "own": own,
        "turns": _leaning(own, episodes),
        "facts": embedder.of([fact.text for fact in facts]),
        "entities": embedder.of([entity.name for entity in entities]),
    }
    return Contents(told, episodes, facts, entities, vectors)


def session_before(at: int, *, most: int) -> range:
    """The places of the last *most* turns before the one at place *at*, of the same session."""
    return range(max(at - most, at // TURNS_A_SESSION * TURNS_A_SESSION), at)


def _stored(fact: Fact, episode: Episode) -> StoredFact:
    names = name_of(fact.source), name_of(fact.target)
    return StoredFact(fact.uuid, fact.text, *names, (episode.uuid,), fact.valid_at, fact.invalid_at)


def _summaries(facts: Sequence[Fact], entities: int) -> list[str]:
    """The newest facts of each entity, as many as a summary keeps."""
    told: list[list[str]] = [[] for _ in range(entities)]
    for fact in reversed(facts):
        for number in (fact.source, fact.target):
            if sum(map(len, told[number])) < _SUMMARY_CHARACTERS:
                told[number].append(fact.text)
    return ["\n".join(reversed(texts))[-_SUMMARY_CHARACTERS:] for texts in told]


def _only(episode: Episode) -> object:
    (passage,) = episode.passages  # a made-up turn is short
    return passage


def _leaning(own: Vectors, episodes: Sequence[Episode]) -> Vectors:
    questions = [asks(_only(episode).text) for episode in episodes]
    rows = np.empty_like(own)
    for at in range(len(own)):
        first = session_before(at, most=2).start
        end = at + 1 if (at + 1) % TURNS_A_SESSION == 0 else at + 2
        rows[at] = leaning(own[first:end], questions[first:end], at=at - first)
    return rows
