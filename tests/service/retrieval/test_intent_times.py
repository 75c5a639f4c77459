"""Which time a message is about: what holds now, what is over, or the last time that something was."""

import pytest

from service.retrieval.intent import intent_of


def wanted(text, language):
    return intent_of(text, language=language, names_known=False)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Where do I live now?"),
        ("de", "Wo wohne ich derzeit?"),
        ("es", "¿Dónde vivo ahora?"),
        ("fr", "Où est-ce que j'habite maintenant ?"),
        ("zh", "我现在住哪里？"),
        ("ja", "今どこに住んでいる？"),
        ("ru", "Где я сейчас живу?"),
        ("ar", "أين أسكن الآن؟"),
        ("en", "where do i usually park"),
        ("de", "wo parke ich normalerweise"),
        ("fr", "elle est garée où d'habitude ?"),
    ],
)
def test_a_question_is_about_now(language, text):
    assert wanted(text, language).is_about_now


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "When did I last see her?"),
        ("de", "Wann war ich zuletzt dort?"),
        ("es", "¿Cuándo fue la última vez?"),
        ("fr", "C'était quand, la dernière fois ?"),
        ("zh", "上次是什么时候？"),
        ("ja", "最後に会ったのはいつ？"),
        ("ru", "Когда был последний раз?"),
        ("ar", "متى كانت آخر مرة؟"),
    ],
)
def test_a_question_wants_the_latest_time(language, text):
    assert wanted(text, language).wants_latest


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What did my house fetch in the end?"),
        ("en", "who was my first boss"),
        ("de", "Wo haben wir den Hund eigentlich her?"),
        ("de", "was hat das Rad gekostet"),
        ("de", "wie hieß er? das war damals"),
        ("es", "¿cuánto pagué por el coche?"),
        ("es", "qué le dijiste a Pilar"),
        ("fr", "Combien avons-nous payé la voiture ?"),
        ("fr", "où est-ce que j'étais en mai ?"),
        ("it", "quanto voleva il meccanico?"),
        ("it", "dove abbiamo mangiato?"),
        ("pt", "onde moravam os meus pais?"),
        ("pt", "por quanto vendi o carro?"),
        ("pt", "quanto paguei no sofá?"),
        ("pt", "quando a Bia nasceu?"),
        ("nl", "wat heb je mij gegeven?"),
        ("pl", "gdzie mieszkałem?"),
        ("ru", "что я купил?"),
        ("zh", "我之前住在哪里"),
        ("ja", "何を買ったの？"),
        ("ar", "أين كنت أسكن؟"),
        ("es", "¿qué me recetó el médico?"),
        ("es", "¿quién insistió en ir?"),
        ("pt", "onde ela morou?"),
        ("ru", "где жил брат?"),
        ("ru", "что я делал летом?"),
    ],
)
def test_a_question_for_what_was_is_about_the_past(language, text):
    assert wanted(text, language).is_about_past


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What is my dose?"),
        ("de", "was kostet uns die Miete"),
        ("es", "¿Cuánto pago de alquiler?"),
        ("fr", "J'habite où maintenant ?"),
        ("it", "Quanto Eutirox prendo io?"),
        ("pt", "onde moro agora?"),
        ("nl", "wat is mijn adres?"),
        ("pl", "gdzie mieszkam?"),
        ("ru", "где я живу?"),
        ("zh", "我住在哪里"),
        ("ja", "どこに住んでいますか"),
        ("ar", "أين أسكن؟"),
        ("es", "¿qué manía tiene mi compañero?"),
        ("es", "¿dónde existe algo así?"),
        ("pt", "onde estou a morar?"),
        ("pl", "jeśli chodzi o kota, jak się wabi?"),
        ("ru", "если что, где живёт брат?"),
    ],
)
def test_a_question_for_what_is_now_is_not_about_the_past(language, text):
    """Broken: every word that ends like a past tense is one, as "qué", "existe" and "jeśli" do."""
    assert not wanted(text, language).is_about_past
