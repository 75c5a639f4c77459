"""What kind of word answers a question, in the languages of the labels, and which kinds a turn holds."""

import pytest

from service.retrieval.answer_types import answer_types, held_types


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How much rent do I pay?"),
        ("en", "what's my rent these days"),
        ("de", "Wie alt ist meine Tochter?"),
        ("de", "wieviel kostet der Stellplatz"),
        ("es", "¿Cuánto pago de alquiler?"),
        ("fr", "Combien je paie par mois ?"),
        ("it", "Quanti anni ha mia figlia?"),
        ("pt", "Quantos comprimidos eu tomo?"),
        ("nl", "Hoe oud is mijn dochter?"),
        ("pl", "Ile płacę za mieszkanie?"),
        ("ru", "Сколько лет моей дочери?"),
        ("zh", "我的房租多少"),
        ("ja", "家賃はいくらですか"),
        ("ar", "كم عمر ابنتي؟"),
    ],
)
def test_a_question_for_a_number_is_known(language, question):
    assert "number" in answer_types(question, language=language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Who bought my car?"),
        ("en", "What's my sister called?"),
        ("de", "Wie heißt mein Bruder?"),
        ("es", "¿Quién es mi jefa?"),
        ("fr", "Comment s'appelle ma sœur ?"),
        ("it", "Come si chiama il mio gatto?"),
        ("pt", "Quem é o meu chefe?"),
        ("nl", "Wie is mijn tandarts?"),
        ("pl", "Kto mnie uczy?"),
        ("ru", "Кто мой врач?"),
        ("zh", "我的老板是谁"),
        ("ja", "上司は誰ですか"),
        ("ar", "من هو مديري؟"),
    ],
)
def test_a_question_for_a_name_is_known(language, question):
    assert "name" in answer_types(question, language=language)


@pytest.mark.parametrize("text", ["Where do I live?", "It rains.", "Wo wohne ich?", ""])
def test_anything_else_may_be_answered_by_any_word(text):
    assert answer_types(text, language="en") == frozenset()


def test_a_turn_holds_numbers_in_digits_or_as_chinese_writes_amounts():
    assert held_types("they want 1620 a month", language="en") == {"number"}
    assert held_types("房租是三千元", language="zh") == {"number"}
    assert held_types("they want too much", language="en") == frozenset()


def test_a_turn_holds_a_name_where_a_capital_inside_a_sentence_means_one():
    assert held_types("we met a man called Nobby", language="en") == {"name"}
    assert held_types("Yesterday was fine.", language="en") == frozenset()
    assert held_types("Wir waren im Garten.", language="de") == frozenset()
