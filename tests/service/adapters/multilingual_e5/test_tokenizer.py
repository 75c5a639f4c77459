"""The tokenizer cuts each word in the best way that its pieces allow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.adapters.multilingual_e5.tokenizer import LONGEST_TEXT_PIECES, Tokenizer
from service.adapters.multilingual_e5.weights import Vocabulary

PIECES = {
    "<s>": 0,
    "<pad>": 1,
    "</s>": 2,
    "<unk>": 3,
    "▁": 4,
    "a": 5,
    "b": 6,
    "ab": 7,
    "▁ab": 8,
    "▁q": 9,
    ":": 10,
    "ba": 11,
}
SCORES = (0, 0, 0, 0, -1, -3, -3, -2, -4, -1, -1, -1.5)


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(
        Vocabulary(PIECES, SCORES, {ord("A"): "a", ord("\t"): " ", ord("№"): "ab ab"}, 3, -14.0), prefix="q:"
    )


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("ab", [4, 7]),  # -3 is better than -4
        ("aba", [4, 5, 11]),  # not the longest piece first
        ("A\tb", [4, 5, 4, 6]),
        ("№", [4, 7, 4, 7]),
        ("xyz", [4, 3]),  # letters that nobody knows are one piece
        ("xay", [4, 3, 5, 3]),
    ],
)
def test_a_word_is_cut_where_the_scores_are_best(tokenizer, text, pieces):
    assert tokenizer(text) == [0, 9, 10, *pieces, 2]


@given(st.text(max_size=2_000).map(lambda text: text * 3))
def test_every_text_fits_the_model(tokenizer, text):
    pieces = tokenizer(text)

    assert len(pieces) <= LONGEST_TEXT_PIECES
    assert (pieces[0], pieces[-1]) == (0, 2)
    assert set(pieces) <= set(PIECES.values())
