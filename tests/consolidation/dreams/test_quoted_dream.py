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


def dreamt(items=(), narration=(), priority=""):
    return quote_dream({"items": items, "narration": narration, "language": "en", "priority": priority})


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


def called(*did):
    """What an agent did with one tool: its argument, whether it worked, and what was printed."""
    return [
        EvidenceItem(n, n, NOON, "action", f"{what} → {printed}", Action("tool_call", "shell", what, ok, printed))
        for n, (what, ok, printed) in enumerate(did, start=1)
    ]


def test_a_call_that_failed_is_observed_unless_it_worked_since():
    """Broken: of an agent that does all with one tool, the newest failure alone."""
    items = called(
        ("pytest", False, "1 failed"),
        ("migrate", False, "KeyError: 'URL'"),
        ("deploy", False, "status 502"),
        ("migrate", False, "KeyError: 'URL'"),
        ("pytest", True, ""),
    )

    assert [one.text for one in dreamt(items).observations] == ["deploy → status 502", "migrate → KeyError: 'URL'"]


def test_calls_that_failed_for_one_reason_are_observed_by_the_newest():
    items = called(*((f"read part_{at}", False, f"part_{at}: no such file") for at in range(9)), ("push", False, "no"))

    assert [one.text for one in dreamt(items).observations] == ["read part_8 → part_8: no such file", "push → no"]


def test_what_a_person_with_a_name_asks_for_is_observed_as_what_one_without_asks_for():
    words = "Never call the bank before noon."
    items = [
        EvidenceItem(1, 1, NOON, "user", words, is_persons=True),
        EvidenceItem(2, 2, NOON, "Ann", words, is_persons=True),
        EvidenceItem(3, 3, NOON, "assistant", words),
    ]

    found = dreamt(items)

    assert [(one.level, one.text) for one in found.observations] == [
        ("RED", "user: “Never call the bank before noon.”"),
        ("RED", "Ann: “Never call the bank before noon.”"),
    ]
    assert found.priority == "Ann: “Never call the bank before noon.”"


def test_what_the_agent_thought_last_comes_before_the_priority_of_an_earlier_dream():
    assert dreamt(narration=("Next is invoice 88.",), priority="Next is invoice 80.").priority == "Next is invoice 88."
    assert dreamt(priority="Next is invoice 80.").priority == "Next is invoice 80."
