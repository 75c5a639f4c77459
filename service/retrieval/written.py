"""What people wrote of entities by an edit, found by its words: the graph and the index have those that were told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.corrections.wording import stems_of
from service.index.text_knowledge import uuids_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.index.text_index import TextIndex
    from service.retrieval.put_right import PutRight

_LEAST = 0.5  # of what a query asks for


class Written(NamedTuple):
    """An entity of which a person wrote, and how much of a query stands in that, 0…1."""

    name: str
    share: float


def written_of(
    queries: Iterable[str], *, languages: Sequence[str], text: TextIndex, put_right: PutRight
) -> dict[str, Written]:
    """By uuid: the entities of which people wrote at least half of what one of *queries* asks. Raises IndexUnusable."""
    written = put_right.written()
    if not written:
        return {}
    asked = [(stems, language) for query in queries for language in languages if (stems := stems_of(query, language))]
    shares = {
        name: max((len(stems & stems_of(told, language)) / len(stems) for stems, language in asked), default=0.0)
        for name, told in written.items()
    }
    found = {name: share for name, share in shares.items() if share >= _LEAST}
    uuids = text.read(lambda database: uuids_of(database, found)) if found else {}
    return {uuid: Written(name, found[name]) for name, uuid in uuids.items()}
