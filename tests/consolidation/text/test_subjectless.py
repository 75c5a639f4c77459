"""Small talk, and what only frames a question, says nothing about its subject, in every language that has a list."""

import pytest

from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words, tokens

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")
CONTENT = {
    "en": "sister doctor house dog work birthday Paris",
    "de": "Schwester Arzt Haus Hund Arbeit Geburtstag Paris",
    "es": "hermana médico casa perro trabajo cumpleaños París",
    "fr": "sœur médecin maison chien travail anniversaire Paris",
    "it": "sorella medico casa cane lavoro compleanno Parigi",
    "pt": "irmã médico casa cachorro trabalho aniversário Paris",
    "nl": "zus dokter huis hond werk verjaardag Parijs",
    "pl": "siostra lekarz dom pies praca urodziny Paryż",
    "ru": "сестра врач дом собака работа праздник Париж",
    "ar": "أختي طبيب بيت كلب عمل مولد باريس",
    "zh": "妹妹 医生 房子 狗狗 工作 生日 巴黎",
    "ja": "妹 医者 自宅 犬 仕事 誕生日 パリ",
}


def subject(text, language):
    """The words that are left of *text*."""
    return [word for word in content_words(text, language=language) if word not in subjectless(language)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Thanks, that sounds great! Tell me more, what happened then?"),
        ("en", "I don't know, maybe tomorrow."),
        ("de", "Ach so, danke! Erzähl mal, was ist denn gestern passiert?"),
        ("es", "Vale, gracias. Cuéntame otra cosa, ¿qué pasó?"),
        ("fr", "Merci ! Raconte, qu'est-ce qui s'est passé aujourd'hui ?"),
        ("it", "Grazie! Dimmi cosa è successo ieri."),
        ("pt", "Obrigado! Conta o que disseste ontem."),
        ("nl", "Vertel, wat is er gisteren gebeurd?"),
        ("en", "What did we discuss?"),
        ("de", "Worüber haben wir gesprochen? Was hab ich gemacht?"),
        ("es", "¿De qué hablamos? ¿Qué hice, qué ocurrió?"),
        ("fr", "De quoi parlions-nous ? De quoi on a discuté ?"),
        ("it", "Di cosa abbiamo parlato? Che è capitato?"),
        ("pt", "Sobre o que conversamos? O que aconteceu, o que rolou?"),
        ("nl", "Waarover hebben we gepraat?"),
        ("pl", "O czym rozmawialiśmy? Co się działo?"),
        ("ru", "О чём мы говорили? Что случилось, что я делал?"),
        ("pl", "Dzięki! Powiedz, co się stało wczoraj?"),
        ("ru", "Спасибо! Расскажи, что было вчера?"),
        ("ar", "ماذا قلت لي أمس؟"),
        ("zh", "是什么时候？"),
        ("ja", "何ですか？"),
    ],
)
def test_small_talk_leaves_no_subject(language, text):
    assert subject(text, language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_tell_of_their_lives_is_a_subject(language):
    assert subject(CONTENT[language], language) == list(tokens(CONTENT[language]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_as_they_are_split_from_a_text(language):
    assert subjectless(language)
    assert all(tokens(word) == (word,) for word in subjectless(language))


def test_two_words_that_one_apostrophe_joins_are_one():
    assert {"aujourdhui", "quelquun"} <= subjectless("fr")
    assert {"dont", "whats"} <= subjectless("en")


@pytest.mark.parametrize("tag", ["pt", "pt-BR", "pt_BR", "PT"])
def test_a_tag_counts_by_its_language(tag):
    assert subjectless(tag) == subjectless("pt") != frozenset()


@pytest.mark.parametrize("language", ["ko", "sv", "xx", ""])
def test_a_language_without_a_list_takes_nothing_away(language):
    assert subjectless(language) == frozenset()
