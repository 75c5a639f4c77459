"""Which facts a new one may end, of all that a model calls untrue. Every docstring says what was broken, once."""

import pytest

from service.ingest.contradictions import believable
from service.ingest.extraction_prompts import KnownItem

NUTS, LYON = "Mia is allergic to peanuts.", "The user lives in Lyon."


def ended(fact, *known, pair=0):
    """Those of the *known* facts, the first *pair* of them between the same two, that *fact* may end."""
    items = [KnownItem(number, text) for number, text in enumerate(known)]
    found = believable(fact, range(len(known)), same_pair=items[:pair], others=items[pair:])
    return [known[number] for number in found]


@pytest.mark.parametrize(
    ("fact", "known"),
    [
        ("The user moved to Porto.", LYON),
        ("they told me: I moved to Porto.", "they told me: I live in Lyon."),
        ("Ana quit her job.", "Ana works at Acme."),
        ("Ana left Acme.", "Ana works at Acme."),
        ("The user's mother moved to Nice.", "The user's mother lives in Lyon."),
        ("Mia outgrew the allergy.", NUTS),
        ("Mia can eat peanuts again.", NUTS),
        ("Mia takes 18 units of insulin.", "Mia takes 10 units of insulin."),
        ("Oli hat sich von Tom getrennt.", "Oli ist mit Tom verheiratet."),
        ("Ola mieszka w Krakowie.", "Ola mieszka w Warszawie."),
        ("安娜搬到了上海。", "安娜住在北京。"),
        ("The seed library is closed.", "The seed library is open on Mondays."),
    ],
)
def test_a_change_ends_what_was(fact, known):
    """Broken: ``believable`` is empty. With a fact of another matter beside it, that one stays."""
    assert ended(fact, known) == [known]
    assert ended(fact, known, "Zora is allergic to cats.") == [known]


def test_what_shares_no_name_is_not_ended():
    """Broken: ``shares_name`` is true."""
    assert ended("Bob moved to Porto.", "Ann lives in Lyon.") == []


def test_health_is_ended_by_what_tells_of_it_alone():
    """Broken: any fact about Mia ends it."""
    assert ended("Mia got a bike from Trek.", NUTS) == []
    assert ended("Mia met the peanut seller.", NUTS) == [NUTS]


def test_an_answer_of_all_numbers_counts_for_what_the_new_fact_bears_on():
    """Broken: all is believed, or nothing."""
    known = ("Mia swims in Lyon.", "Mia loves Bob.")

    assert ended("Mia got a bike from Trek.", *known) == []
    assert ended("Mia swims in Porto.", *known) == ["Mia swims in Lyon."]
    assert ended("Mia retired.", "Mia swims in Lyon.", "Mia swims in Brest.") == [
        "Mia swims in Lyon.",
        "Mia swims in Brest.",
    ]


def test_what_joins_the_same_two_has_their_names():
    """Broken: names are looked for there, too."""
    assert ended("She left.", "He works for the firm.", pair=1) == ["He works for the firm."]
