"""The tense of a question: its verbs tell it, not names and nouns that end as they do."""

import pytest

from service.retrieval.tense import is_about_past, is_about_plans, tense_beside_date
from tests.support.growth import assert_linear, repeated

PAST = {
    "en": ("Where did we go?", "What was the name of that bar?", "Who were they, at first?"),
    "de": ("Wo war ich?", "Was habe ich gekauft?", "Wo habe ich geparkt?", "Wen hat Tom geheiratet?"),
    "es": ("¿Qué comió mi hermana?", "¿Qué dije ayer?", "¿Qué me recetó el médico?"),
    "fr": (
        "Où as-tu mis la clé ?",
        "Qu'est-ce que j'ai acheté ?",
        "Quand est-elle née ?",
        "Ai-je déjà payé le loyer ?",
    ),
    "it": ("Dove sono andato?", "Che libro ho letto?", "Cosa ho detto?", "Ho già pagato l'affitto?"),
    "pt": ("O que eu comprei?", "Onde fiquei?", "O que você disse?", "Quem ganhou?", "Onde eu morava?"),
    "nl": ("Wat heb ik gekocht?", "Waar ben ik geweest?", "Wat heb ik gedaan?", "Wat is er gebeurd?"),
    "pl": ("Co kupiłam?", "Gdzie byliśmy?", "Co powiedziała mama?", "Gdzie mieszkała Ola?", "co mówiłem"),
    "ru": ("Что сказала мама?", "Где я жил?", "Куда мы ездили?", "Где был Павел?", "Кого встретил Михаил?"),
    "zh": ("我买了什么？", "我去过哪里？"),
    "ja": ("何を買いましたか？", "昨日どこへ行った？", "何て言ったっけ"),
    "ar": ("أين كنت؟", "ماذا قلت أمس؟"),
}
NOT_PAST = {
    "en": ("Where does Ed live?", "Where does Fred work?"),
    "de": ("Wo ist mein Gerät?", "Was ist das für ein Geschenk?", "Wo wohnt Gerd?"),
    "es": ("¿Dónde vive René?", "¿Dónde trabaja Noé?", "¿Dónde vive Salomé?", "¿Cuánto cuesta el café?"),
    "fr": (
        "Quel est le nom du chat ?",
        "Quel est le prix du café ?",
        "Où est mon avis ?",
        "On a quelque chose ?",
        "J'ai quoi mercredi ?",
    ),
    "it": ("Dov'è il gatto?", "Ho un gatto, dove dorme?", "Qual è il mio piatto preferito?", "Dove abita Donato?"),
    "pt": ("Onde mora o Sidnei?", "onde mora o sidnei", "Quem mora em Moscou?", "Qual o preço para o Nordeste?"),
    "nl": ("Waar is mijn geld?", "Waar is Gerrit?", "Waar is mijn gezin?", "Wat is mijn gewicht?"),
    "pl": (
        "Jaka jest moja szkoła?",
        "Jaki jest biały kot?",
        "jakie jest hasło do wifi",
        "Gdzie mieszka moja mała Ola?",
    ),
    "ru": (
        "Где живёт Павел?",
        "какой номер у даниила",
        "Где мой стул?",
        "Михаил женат?",
        "Где мои родители?",
        "Где живёт Алла?",
    ),
    "zh": ("我对什么过敏？", "你了解我妹妹吗？", "通过什么联系他？"),
    "ja": ("あなたはだれ？", "わたしの名前は？", "何を食べたい？", "またいつ会う？"),
    "ar": ("أين تسكن أختي؟",),
}
BESIDE_A_DATE = [
    ("en", "past", "What happened in August?"),
    ("en", "past", "Who came to dinner in August?"),
    ("en", "past", "What was on last August?"),
    ("en", "future", "What is happening in August?"),
    ("en", "future", "Do I have anything on 3 August?"),
    ("en", "future", "What will we do in August?"),
    ("en", "unknown", "What's on in August?"),
    ("de", "past", "Was passierte im August?"),
    ("de", "future", "Was werden wir im August machen?"),
    ("de", "unknown", "Was machen wir im August?"),
    ("es", "past", "¿Qué he hecho en agosto?"),
    ("es", "future", "¿Qué vamos a hacer en agosto?"),
    ("fr", "past", "Qu'est-ce qu'on a fait en août ?"),
    ("fr", "future", "Où irons-nous en août ?"),
    ("it", "past", "Cosa è successo ad agosto?"),
    ("it", "future", "Dove andremo ad agosto?"),
    ("pt", "past", "O que aconteceu em agosto?"),
    ("pt", "future", "O que vai ter em agosto?"),
    ("nl", "past", "Wat gebeurde er in augustus?"),
    ("nl", "future", "Wat gaan we doen in augustus?"),
    ("pl", "past", "Co robiliśmy w sierpniu?"),
    ("pl", "future", "Co będziemy robić w sierpniu?"),
    ("ru", "past", "Что было в августе?"),
    ("ru", "future", "Что будет в августе?"),
    ("zh", "past", "八月发生了什么？"),
    ("ja", "past", "8月に何がありましたか？"),
    ("ja", "future", "8月の予定は？"),
    ("ar", "past", "ماذا حدث في أغسطس؟"),
    ("ar", "future", "أين سنذهب في أغسطس؟"),
]


@pytest.mark.parametrize(("language", "text"), [(one, text) for one, texts in PAST.items() for text in texts])
def test_what_was_and_is_over_is_asked_for(language, text):
    assert is_about_past(text, language=language)


@pytest.mark.parametrize(("language", "text"), [(one, text) for one, texts in NOT_PAST.items() for text in texts])
def test_a_name_or_a_noun_is_not_a_verb_of_the_past(language, text):
    assert not is_about_past(text, language=language)


def test_a_present_verb_cancels_the_past_in_questions_alone():
    assert not is_about_past("Onde mora o sidnei?", language="pt")
    assert is_about_past("o kévin foi embora, não me chama", language="pt")


@pytest.mark.parametrize(("language", "tense", "text"), BESIDE_A_DATE)
def test_the_tense_beside_a_date_is_told(language, tense, text):
    assert tense_beside_date(text, language=language) == tense


def test_what_was_planned_is_known():
    assert is_about_plans("What did we book for August?")
    assert not is_about_plans("What did we eat in August?")


@pytest.mark.parametrize("unit", ["ho ", "est le ", "is ge", "last ", "mам ", "which book "])
@pytest.mark.parametrize("language", ["de", "fr", "it", "nl", "ru"])
def test_the_cost_grows_with_the_length(unit, language):
    assert_linear(lambda text: tense_beside_date(text, language=language), repeated(unit), length=4_000)
