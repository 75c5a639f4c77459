"""Of what the bot answers, what is its own and what the person told. Every docstring says what was broken, once."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Extraction, Fact
from service.ingest.provenance import with_provenance


def kept(fact, user, bot, *, target="user", before=()):
    """The words of *fact*, found in a turn of two messages, behind what two messages *before* it said."""
    previous = [Message(role, one) for role, one in zip((Speaker.USER, Speaker.ASSISTANT), before, strict=False)]
    found = Fact(source="user", relation="R", target=target, fact=fact, message=1)
    left = with_provenance(
        Extraction(facts=(found,)),
        said=(Message(Speaker.USER, user), Message(Speaker.ASSISTANT, bot)),
        previous=previous,
        occurred_at="2026-05-04T10:00:00+00:00",
        is_quoting=False,
    )
    return left.facts[0].fact


@pytest.mark.parametrize(
    ("fact", "user", "bot"),
    [
        (
            "Biscuit is the dog of the user's sister.",
            "What is my sister's dog called?",
            "Your sister's dog is Biscuit.",
        ),
        ("The user's dentist is on Friday.", "When is my dentist?", "Your dentist is on Friday."),
        ("The user's rent is 1,620 euros.", "How much is my rent? I forgot.", "Your rent is 1620 euros."),
        ("The user's flight is on May 9, 2026.", "When is my flight, please?", "Your flight is on 9 May."),
    ],
)
def test_a_name_a_number_or_a_day_that_only_the_answer_has_is_the_bots(fact, user, bot):
    """Broken: ``alone_tell`` is empty."""
    assert kept(fact, user, bot, target=fact.split()[0]) == f"I said: {fact}"


@pytest.mark.parametrize(
    ("fact", "user", "bot"),
    [
        (
            "The user moved in June with a dog and a cat to New York City.",
            "in june i moved to nyc with my dog and cat",
            "Enjoy New York City!",
        ),
        ("The user loves Beethoven.", "i love bethoven", "Beethoven is great."),
        ("The user's daughter turned 15.", "My daughter turned fifteen!", "Happy 15th! 15 is an age."),
        ("The user flies on Tuesday.", "I fly tomorrow.", "Have a good flight on Tuesday!"),
        ("The user's boss is Tim Cook.", "My boss is Tim.", "Tim Cook?"),
        ("The user lives in Lyon.", "I live in Lyon.", "Lyon is nice."),
    ],
)
def test_what_the_answer_only_says_otherwise_is_the_persons(fact, user, bot):
    """Broken: names and numbers are compared as they are written."""
    assert kept(fact, user, bot) == fact


LYON = ("Hi!", "How was Lyon with Clara on Saturday?")


@pytest.mark.parametrize("user", ["Lovely, we ate fish.", "Yes, and ate fish.", "We ate fish!"])
def test_a_person_may_tell_of_what_the_bot_named_before(user):
    """Broken: a name must be in the person's words."""
    fact = "The user ate fish in Lyon with Clara."

    assert kept(fact, user, "Good.", before=LYON) == fact


def test_who_only_asks_tells_nothing_of_what_the_bot_named_before():
    """Broken: the talk before is not looked at."""
    fact = "The user's sister's dog is named Biscuit."
    before = ("What is my sister's dog called?", "Your sister's dog is Biscuit.")

    assert kept(fact, "And what does my sister's dog eat?", "I do not know.", before=before) == f"I said: {fact}"
