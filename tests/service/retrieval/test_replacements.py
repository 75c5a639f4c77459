"""What tells anew the very thing that a question asks for."""

import pytest

from service.retrieval.replacements import tells_anew


@pytest.mark.parametrize(
    ("language", "older", "newer", "question"),
    [
        ("de", "Mein Chef heißt Peter.", "Meine neue Chefin heißt Nora.", "Wer ist mein Chef?"),
        ("en", "My dentist is called Dr Lee.", "My dentist is Dr Ray now.", "Who is my dentist?"),
        ("ru", "Я принимаю 5 мг рамиприла.", "Теперь я принимаю 10 мг рамиприла.", "Сколько рамиприла я принимаю?"),
        ("es", "El alquiler es de 900 euros.", "El alquiler sube a 950 euros.", "¿Cuánto es mi alquiler?"),
        ("pl", "Mieszkam w Madrycie.", "Przeprowadziłam się do Oslo.", "Gdzie mieszkam?"),
        ("ru", "Я живу в Мадриде.", "Я переехала в Осло.", "Где я живу?"),
    ],
)
def test_another_name_number_or_home_is_told_anew(language, older, newer, question):
    assert tells_anew(newer, older, question=question, language=language)


@pytest.mark.parametrize(
    ("language", "older", "newer", "question"),
    [
        ("en", "My sister is called Lena.", "My sister is called Ines.", "What is my sister called?"),  # she has two
        ("en", "My boss is called Peter.", "My boss Peter is ill.", "Who is my boss?"),
        ("en", "My boss is called Peter.", "My landlord is called Ann.", "Who is my boss?"),
        ("en", "I take 5 mg of ramipril.", "I take 10 mg of statins.", "How much ramipril do I take?"),
        ("en", "I take 5 mg of ramipril.", "I take ramipril at night.", "How much ramipril do I take?"),
        ("en", "I live in Madrid.", "My brother Tom moved to Oslo.", "Where does my brother live?"),
        ("en", "I live in Madrid.", "My brother Tom moved to Oslo.", "Where do I live?"),
        ("en", "I live in Madrid.", "We painted the fence.", "Where do I live?"),
    ],
)
def test_what_is_of_another_thing_or_has_no_other_value_is_not(language, older, newer, question):
    """Broken: any newer name, number or move is of what is asked for."""
    assert not tells_anew(newer, older, question=question, language=language)
