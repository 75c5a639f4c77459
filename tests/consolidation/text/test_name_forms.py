"""The names that a word may be a form of, language by language."""

import pytest

from consolidation.text.name_forms import names_of_form
from consolidation.text.words import tokens


@pytest.mark.parametrize(
    ("language", "name", "said"),
    [
        ("de", "Sandra", "Sandras"),
        ("de", "Berger", "Bergers"),
        ("nl", "Anneke", "Annekes"),
        ("pl", "Sandra", "Sandry Sandrę Sandrą"),
        ("pl", "Marek", "Marka Markowi Markiem"),
        ("pl", "Łukasz", "Łukasza Łukaszem"),
        ("ru", "Сандра", "Сандры Сандре Сандру Сандрой"),
        ("ru", "Катя", "Кати Кате Катю Катей"),
        ("ru", "Сергей", "Сергея Сергею Сергеем"),
        ("ru", "Игорь", "Игоря Игорем"),
        ("ru", "Иван", "Ивана Ивану Иваном"),
    ],
)
def test_the_cases_of_a_name_are_known(language, name, said):
    key = tokens(name)[0]

    assert all(key in names_of_form(word, language) for word in tokens(said))


@pytest.mark.parametrize(
    ("language", "name", "said"),
    [("en", "Sandra", "Sandras"), ("de", "Christian", "Christiane"), ("de", "Al", "Als"), ("es", "Marco", "Marcos")],
)
def test_other_words_that_begin_like_a_name_are_not_it(language, name, said):
    assert tokens(name)[0] not in names_of_form(tokens(said)[0], language)
