"""When a fact ends, and that it holds again when it is told again: of each implementation alike."""

import pytest

from tests.support.graphs import everything, tell

pytestmark = pytest.mark.anyio


async def test_a_fact_that_contradicts_another_ends_it_when_it_begins(graph, mind):
    _, later = await tell(graph, mind, "Ada lives in Lyon.", "Ada lives in Paris.")

    facts = {fact.text: fact for fact in (await everything(graph))[0]}
    assert facts["Ada lives in Lyon."].invalid_at == later.occurred_at == facts["Ada lives in Paris."].valid_at
    assert facts["Ada lives in Paris."].invalid_at is None


async def test_a_fact_that_was_over_before_is_ended_by_the_one_that_came_after_it(graph, mind):
    await tell(graph, mind, "[2026-05-01] Ada lives in Paris.", "[2025-05-01] Ada lives in Lyon.")

    facts = {fact.text: fact for fact in (await everything(graph))[0]}
    assert facts["Ada lives in Lyon."].invalid_at == facts["Ada lives in Paris."].valid_at
    assert facts["Ada lives in Paris."].invalid_at is None


async def test_a_fact_that_is_told_again_after_its_end_is_a_new_one_that_holds(graph, mind):
    """Broken: the telling is added to the one that has ended, and nothing holds."""
    first, second, third = await tell(graph, mind, *(f"Ada lives in {city}." for city in ("Lyon", "Paris", "Lyon")))

    facts = sorted((await everything(graph))[0], key=lambda one: one.valid_at)
    assert [(one.text[-6:-1].strip(), one.episodes, one.invalid_at) for one in facts] == [
        ("Lyon", (first.uuid,), second.occurred_at),
        ("Paris", (second.uuid,), third.occurred_at),
        ("Lyon", (third.uuid,), None),
    ]
