"""Names that may be of the same person or thing: alike both ways, never by chance, and all candidates are found."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.catalog.lookalikes import is_within, likeness, pieces_of, slack_of

WORD = st.text(alphabet=string.ascii_lowercase + "éü0123456789", min_size=1, max_size=8)
KEY = st.lists(WORD, min_size=1, max_size=4).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("anna müller", "müller anna", "same_words"),
        ("katarina", "katharina", "spelling"),
        ("jon smith", "john smith", "spelling"),
        ("anna", "anna müller", "contained"),
        ("rue de lyon", "lyon", "contained"),
        ("anna", "annabel", None),
        ("room 1", "room 2", None),
        ("tom", "tim", None),
        ("al", "al pacino", None),
        ("7", "house 7", None),
        ("lyon", "paris", None),
        ("", "", None),
    ],
)
def test_names_are_alike_by_their_words_and_letters(one, other, why):
    assert likeness(one, other) == why


@given(KEY, KEY)
def test_likeness_is_the_same_both_ways(one, other):
    assert likeness(one, other) == likeness(other, one)


@given(KEY, st.randoms())
def test_words_in_another_order_are_the_same_words(key, dice):
    words = key.split()
    dice.shuffle(words)

    assert likeness(key, " ".join(words)) == "same_words"


@given(st.text(alphabet="abcdefg ", max_size=9), st.text(alphabet="abcdefg ", max_size=9), st.integers(0, 3))
def test_the_distance_is_levenshteins(one, other, most):
    def distance(a, b):
        if not a or not b:
            return len(a) + len(b)
        same = distance(a[1:], b[1:])
        return same if a[0] == b[0] else 1 + min(distance(a[1:], b), distance(a, b[1:]), same)

    assert is_within(one[:5], other[:5], most=most) == (distance(one[:5], other[:5]) <= most)


@given(KEY, st.data())
def test_a_name_that_differs_in_a_few_letters_has_one_piece_unchanged(key, data):
    other = key
    for _ in range(slack_of(key)):
        at = data.draw(st.integers(0, len(other)))
        other = other[:at] + data.draw(st.sampled_from(["", "x", "é"])) + other[at + data.draw(st.integers(0, 1)) :]

    if slack_of(key):
        assert any(piece in other for piece in pieces_of(key))
    assert "".join(pieces_of(key)) in {key, ""}
