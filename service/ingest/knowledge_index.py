"""Facts and entities of the graph in full text beside the mind, so that words find them too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.language import detect
from consolidation.text.words import stems

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from service.mind.minds import Mind
    from service.ports.graph import Extracted, StoredEntity


def index_knowledge(
    mind: Mind, extracted: Extracted, cursor: int, *, late: Callable[[], datetime] | None = None
) -> None:
    """
    Write facts and entities into full text, and move its cursor ``facts`` to *cursor*, never back.

    *late* tells the time, where their turn is read after turns that came later: news go by when they were learned.
    It blocks: call it in a thread.
    """
    fallback = mind.text.main_language()
    facts = [(fact, stems(fact.text, language=detect(fact.text, fallback=fallback))) for fact in extracted.facts]
    entities = [(entity, _entity_stems(entity, fallback=fallback)) for entity in extracted.entities]
    mind.text.add_knowledge(facts, entities, cursor=cursor, late=late)


def _entity_stems(entity: StoredEntity, *, fallback: str) -> tuple[str, ...]:
    """Of name and summary. The name is stemmed in its own language too, which may differ from the summary's."""
    language = detect(entity.summary, fallback=fallback)
    own = detect(entity.name, fallback=language)
    name = dict.fromkeys((*stems(entity.name, language=language), *stems(entity.name, language=own)))
    return (*name, *stems(entity.summary, language=language))
