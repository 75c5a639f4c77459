"""
Whose a model's fact is: one in the first person has its speaker in front, so that it is never read as the bot's own.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Entity, Extraction, Fact
from service.ingest.provenance import with_provenance

BOT = Message(Speaker.ASSISTANT, "How often do you see her?")


def facts_of(text, *said, message=None):
    fact = Fact(message=message, source="Ada", relation="LIVES_IN", target="Lyon", fact=text)
    extraction = Extraction(entities=(Entity(name="Ada"), Entity(name="Lyon")), facts=(fact,))
    found = with_provenance(
        extraction,
        said=said or (Message(Speaker.USER, f"Guten Tag! Hola. Hello. {text}"), BOT),
        previous=(),
        occurred_at="2026-05-04T10:00:00+00:00",
        is_quoting=False,
    )
    return [one.fact for one in found.facts]


@pytest.mark.parametrize(
    "text",
    [
        "My mother Ada moved to Lyon.",
        "Meine Mutter Ada wohnt in Lyon.",
        "Mi hermana Ada vive en Lyon desde el lunes.",
        "Ada moved to Lyon, and I visit her.",
    ],
)
@pytest.mark.parametrize("message", [None, 1, 7])
def test_a_fact_in_the_first_person_has_its_speaker_in_front(text, message):
    """Broken: ``is_own`` is ``is_quoting``."""
    [found] = facts_of(text, message=message)

    assert found != text
    assert found.endswith(text)


def test_a_fact_in_the_third_person_stays_as_it_is():
    """Broken: ``is_own`` is true."""
    assert facts_of("Ada, the user's mother, lives in Lyon.") == ["Ada, the user's mother, lives in Lyon."]


def test_of_two_people_the_one_who_said_it_is_named():
    """Broken: the first of them is named."""
    people = (
        Message(Speaker.USER, "It rains in Brno.", name="Pavel"),
        Message(Speaker.USER, "My mother Ada moved to Lyon.", name="Ines"),
    )

    [found] = facts_of("My mother Ada moved to Lyon.", *people)

    assert "Ines" in found
    assert "Pavel" not in found
