"""The names that a word may be a form of, language by language."""

import pytest

from consolidation.text.name_forms import (
    UNKNOWN,
    forms_of_name,
    lone_names,
    names_of_form,
    with_case_endings,
    without_case_endings,
)
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
        ("pl", "Zosia", "Zosi Zosię Zosią Zosiu"),
        ("pl", "Monika", "Moniki Monice Monikę"),
        ("pl", "Paweł", "Pawła Pawłowi Pawłem"),
        ("pl", "Kowalski", "Kowalskiego Kowalskiemu Kowalskim"),
        ("ru", "Сандра", "Сандры Сандре Сандру Сандрой"),
        ("ru", "Катя", "Кати Кате Катю Катей"),
        ("ru", "Сергей", "Сергея Сергею Сергеем"),
        ("ru", "Игорь", "Игоря Игорем"),
        ("ru", "Иван", "Ивана Ивану Иваном"),
        ("ru", "Маша", "Маши Маше Машу Машей"),
        ("ru", "Павел", "Павла Павлу Павлом Павле"),
        ("ru", "Толстой", "Толстого Толстому Толстым Толстом"),
        ("ko", "지은", "지은이 지은은 지은이가 지은이랑 지은아 지은에게 지은씨는"),
        ("ko", "현우", "현우가 현우랑 현우야 현우도 현우한테 현우님께"),
        ("ar", "سلمى", "وسلمى لسلمى بسلمى"),
        (UNKNOWN, "Sandra", "Sandras Sandry"),
        (UNKNOWN, "Zosia", "Zosi Zosiu"),
        (UNKNOWN, "Marek", "Markiem Markowi"),
    ],
)
def test_the_cases_of_a_name_are_known(language, name, said):
    key = tokens(name)[0]

    assert all(key in names_of_form(word, language) for word in tokens(said))
    assert forms_of_name(key, language).issuperset(tokens(said))


@pytest.mark.parametrize(
    ("language", "name", "said"),
    [
        ("en", "Sandra", "Sandras"),
        ("de", "Christian", "Christiane"),
        ("de", "Al", "Als"),
        ("es", "Marco", "Marcos"),
        ("ko", "유리", "유리아"),  # behind a vowel it would be 유리야
        ("ko", "수", "수은"),
        ("ar", "ريم", "كريم"),
        ("pl", "Mia", "mi"),
        *((UNKNOWN, *two.split()) for two in ("Jan Jana", "Christian Christiane", "Maria Mario", "Luca Lucas")),
    ],
)
def test_other_words_that_begin_like_a_name_are_not_it(language, name, said):
    assert tokens(name)[0] not in names_of_form(tokens(said)[0], language)
    assert tokens(said)[0] not in forms_of_name(tokens(name)[0], language)


@pytest.mark.parametrize("said", "Işıl'ın Işıl’dan IŞIL'A Kaan'la Ayşe'nin Ayşe'yle Ankara'daki İzmir'e".split())
def test_a_turkish_ending_stands_behind_an_apostrophe(said):
    name = said.replace("’", "'").partition("'")[0]

    assert without_case_endings(said) == name
    assert "daki" in said or tokens(said)[0] in with_case_endings(tokens(name)[0])


@pytest.mark.parametrize("said", ["Hawai'i", "O'Neill", "don't", "we'll", "L'Aquila", "aujourd'hui", "Ann's", "Shi'a"])
def test_other_words_with_an_apostrophe_have_no_turkish_ending(said):
    assert without_case_endings(said) == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("妹の彩は名古屋にいる", "彩"),
        ("昨日、彩ちゃんと会った", "彩"),
        ("老师姓王。", "王"),
        ("小王说他不来", "王"),
        ("王老师今天没来", "王"),
        ("国王来了", ""),
        ("王子和公主", ""),
        ("色彩が好き", ""),
        ("彩り豊かな皿", ""),
    ],
)
def test_one_character_is_a_name_where_what_is_around_it_says_so(text, found):
    assert lone_names(text) & {"彩", "王"} == frozenset(found)
