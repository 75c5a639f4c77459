"""What people put right, as a search sees it."""

from datetime import UTC, datetime

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Standing
from service.retrieval.put_right import PutRight

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "other", "query", "variant"),
    [
        ("Trudi", "Ingrid", "Does Trudi have a parrot?", "does ingrid have a parrot"),
        ("Zosia", "Ewa", "Byłam wczoraj u Zosi w domu", "bylam wczoraj u ewa w domu"),
        ("田中", "たなか", "田中さんは何をくれた？", "たなかさんは何をくれた?"),  # it is embedded: never as pairs
        ("たなか", "田中", "たなかさんは何をくれた？", "田中さんは何をくれた?"),
    ],
)
def test_a_query_is_also_asked_by_the_other_name_of_who_was_merged(name, other, query, variant):
    merged = Correction("c1", NOON, "owner", What.MERGE, Target("entity", name, (), ()), other)

    assert PutRight(Standing.of([merged])).variants(query) == (variant,)
