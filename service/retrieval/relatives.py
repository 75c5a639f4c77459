"""Whom a query means by "my sister": the same query with the name that was told, which other turns hold alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.relations import SEVERAL, relations_asked, with_names

if TYPE_CHECKING:
    from service.index.text_index import TextIndex

_MOST_NAMES = 2  # of one relation: each is a search of its own


def by_name(query: str, *, text: TextIndex, language: str, speaker: str | None) -> tuple[str, ...]:
    """
    *query* with the names of those whom its writer means by "my sister" or "the dog"; none where none was told.

    What was told last counts; of relatives of whom there may be several, up to two names do. *speaker* is who asks, as
    the turns name them (in any case); None where that is not known. Raises IndexUnusable.
    """
    asked = relations_asked(query, language=language)
    if not asked:
        return ()
    names: dict[str, list[str]] = {}
    for one, _ in text.relations(asked):
        known = names.setdefault(one.relation, [])
        is_theirs = speaker is None or one.speaker == speaker.casefold()
        if is_theirs and one.name.casefold() not in {name.casefold() for name in known}:
            known.append(one.name)
    found = []
    for at in range(_MOST_NAMES):
        chosen = {
            relation: known[at]
            for relation, known in names.items()
            if at < len(known) and (not at or relation in SEVERAL)
        }
        found.append(with_names(query, chosen, language=language))
    return tuple(one for one in dict.fromkeys(found) if one != query)
