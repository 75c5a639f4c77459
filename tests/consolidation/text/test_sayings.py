"""Sayings are found as people type them, and taken out with nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.text.sayings import LANGUAGES, without_sayings


@pytest.mark.parametrize(
    ("text", "language", "left"),
    [
        ("Goodness, it's raining cats and dogs out there", "en", "Goodness, it's  out there"),
        ("Hold your horses, I am typing", "en", ", I am typing"),
        ("its raining cats and dogs outside lol", "es", "its  outside lol"),
        ("ich steh grad voll aufm Schlauch, sry", "de", "ich steh grad voll , sry"),
        ("buah a otro perro con ese hueso, no me lo creo", "es", "buah a otro , no me lo creo"),
        ("Non tutte le ciambelle riescono col buco, eh", "it", "Non , eh"),
        ("猫の手も借りたいほど忙しい", "ja", "たいほど忙しい"),
        ("he lied through his teeth again", "en", "he  again"),
        ("Deus dá nozes a quem nao tem dentes, ne", "pt", "Deus dá , ne"),
        ("jetzt heißt es Zähne zusammenbeißen", "de", "jetzt heißt es "),
        ("quem tem telhado de vidro, ne", "pt", "quem tem , ne"),
        ("wer im Glashaus sitzt, eh", "de", ", eh"),
    ],
)
def test_a_saying_goes_and_the_rest_stays(text, language, left):
    assert without_sayings(text, language=language) == left


@pytest.mark.parametrize(
    "text", ["my cats and dogs are fine", "a bird sat on the fence", "the horse held its head high"]
)
def test_the_same_words_in_another_order_are_no_saying(text):
    assert without_sayings(text, language="en") == text


@given(st.text(max_size=200), st.sampled_from([*LANGUAGES, "xx", "pt-BR"]))
def test_what_is_left_was_there(text, language):
    left = without_sayings(text, language=language)

    letters = iter(text)
    assert all(letter in letters for letter in left)
