"""What people do for a living, in the languages of the labels."""

import pytest

from consolidation.text.occupations import LANGUAGES, names_occupation


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Saskia is a nurse on nights"),
        ("en", "all three of them are electricians"),
        ("de", "Jannis ist Bäcker in Hamburg"),
        ("de", "meine schwester ist tierärztin"),
        ("es", "mi compañera es enfermera"),
        ("es", "mi padre era albanil"),
        ("fr", "elle est infirmière de nuit"),
        ("it", "fa il muratore da vent'anni"),
        ("pt", "o meu irmão é eletricista"),
        ("nl", "hij is timmerman"),
        ("pl", "mój brat jest kucharzem i nauczyciel też"),
        ("ru", "он учитель физики"),
        ("ar", "أختي طبيبة في المستشفى"),
        ("zh", "我姐姐是护士"),
        ("ja", "兄は消防士です"),
        ("de", "he's a plumber"),
    ],
)
def test_an_occupation_is_known(language, text):
    assert names_occupation(text, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_names_no_occupation_is_let_be(language):
    assert not names_occupation("It rained on the way home, 42.", language=language)
    assert not names_occupation("", language=language)


def test_a_language_without_words_of_its_own_has_english_ones():
    assert names_occupation("on je plumber", language="sr")
    assert not names_occupation("on je vodoinstalater", language="sr")
