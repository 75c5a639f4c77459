"""From ranked turns to fragments: each turn as the fact it told, where one fits, else as it was said. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.words import tokens
from service.resonance.excerpt import excerpt, wanted_by
from service.resonance.moment import Fragment, Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import Kept
    from service.ports import StoredEntity
    from service.resonance.facts import Told
    from service.resonance.fusion import Ranked

_FITTING_FACT = 0.5
_LONGEST_SUMMARY = 500
_ENTITY_SHARE = 0.65


def as_fragments(
    ranking: Sequence[Ranked],
    *,
    turns: Mapping[int, Kept],
    facts: Mapping[int, Told],
    queries: Sequence[str],
    named: Sequence[str],
) -> tuple[Fragment, ...]:
    """The ranked turns that are in *turns*, best first; *named* are the entities of the message."""
    top = ranking[0].score if ranking else 0.0
    names = [frozenset(tokens(name)) for name in named]
    wanted = wanted_by(queries)
    fragments = []
    for one in ranking:
        kept = turns.get(one.sequence)
        if kept is None:
            continue
        source = as_source(kept, wanted=wanted)
        fact = facts.get(one.sequence)
        told = fact if fact is not None and fact.score >= _FITTING_FACT else None
        fragments.append(
            Fragment(
                id=f"fact:{told.uuid}" if told else f"episode:{one.sequence}",
                kind="fact" if told else "episode",
                text=told.text if told else source.excerpt,
                occurred_at=kept.occurred_at,
                score=round(min(1.0, one.score / top), 4) if top > 0 else 0.0,
                sources=(source,),
                is_boosted=bool(names) and _names_any(kept.text, names),
                arms=one.ranks,
            )
        )
    return tuple(_distinct(fragments))


def as_entity_fragments(
    entities: Sequence[StoredEntity],
    *,
    named: frozenset[str],
    turns: Mapping[str, Kept],
    queries: Sequence[str],
) -> tuple[Fragment, ...]:
    """What is known of entities, where it is short enough to be a memory; *named* in the message, *turns* by uuid."""
    fragments = []
    wanted = wanted_by(queries)
    for entity in entities:
        mentions = [turns[uuid] for uuid in entity.episodes if uuid in turns]
        if not entity.summary.strip() or len(entity.summary) > _LONGEST_SUMMARY or not mentions:
            continue
        fragments.append(
            Fragment(
                id=f"entity:{entity.uuid}",
                kind="entity",
                text=f"{entity.name}: {entity.summary}",
                occurred_at=max(kept.occurred_at for kept in mentions),
                score=_ENTITY_SHARE,
                sources=tuple(as_source(kept, wanted=wanted) for kept in mentions),
                is_boosted=entity.uuid in named,
            )
        )
    return tuple(fragments)


def as_source(kept: Kept, *, wanted: frozenset[str]) -> Source:
    """A turn as the source of a memory, shown by what has these words."""
    return Source(
        kept.turn.turn_id, kept.turn.session_id, kept.sequence, kept.occurred_at, excerpt(kept, wanted=wanted)
    )


def _distinct(fragments: Sequence[Fragment]) -> Sequence[Fragment]:
    """One fragment a fact: told in two turns, it rests on both."""
    kept: dict[str, Fragment] = {}
    for fragment in fragments:
        known = kept.get(fragment.id)
        if known is None:
            kept[fragment.id] = fragment
        else:
            kept[fragment.id] = Fragment(
                known.id, known.kind, known.text, known.occurred_at, known.score,
                (*known.sources, *fragment.sources), known.is_boosted or fragment.is_boosted, known.arms,
            )  # fmt: skip
    return tuple(kept.values())


def _names_any(text: str, names: Sequence[frozenset[str]]) -> bool:
    words = set(tokens(text))
    return any(name <= words for name in names)
