"""A dream without a model quotes, and says nothing twice."""

from datetime import UTC, datetime

from consolidation.dreams.actions import Action
from consolidation.dreams.evidence import EvidenceItem
from consolidation.dreams.quoted_dream import quote_deep_sleep, quote_dream

NOON = datetime(2026, 1, 9, 12, tzinfo=UTC)


def slept(*reflections):
    dreams = [
        {"when": f"2026-01-09 1{at}:00", "reflection": one, "priority": "Send it."}
        for at, one in enumerate(reflections)
    ]
    return quote_deep_sleep({"dreams": dreams, "observations": [], "priorities": (), "language": "en"})


def dreamt(items=(), narration=()):
    return quote_dream({"items": items, "narration": narration, "language": "en", "priority": ""})


def test_a_diary_says_a_sentence_once_that_several_dreams_end_with():
    found = slept("The report is done. Ann waits.", "Ann waits.", "Ann waits. It was sent.")

    assert found.diary == "2026-01-09 10:00: The report is done. Ann waits.\n\n2026-01-09 12:00: It was sent."
    assert found.priorities == ("Send it.",)


def test_a_thought_that_came_again_is_reflected_once():
    assert dreamt(narration=("I wait for Ann. I write. I wait for Ann.",)).reflection == "I write. I wait for Ann."


def test_a_tool_that_ended_twice_in_the_same_words_is_observed_once():
    action = Action(kind="tool_call", tool="fetch", input="page", output="found it")
    items = [EvidenceItem(n, n, NOON, "action", "fetch: page → ok: found it", action) for n in (1, 2)]

    found = dreamt(items)

    assert [one.text for one in found.observations] == ["fetch: page → ok: found it"]
    assert found.reflection == "fetch: page → ok: found it"
