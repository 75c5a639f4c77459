"""Whether an answer takes back what its speaker said before, or only feels sorry for somebody."""

import pytest

from consolidation.text.retractions import acknowledges, concedes, corrects, retracts
from tests.support.growth import assert_linear, repeated


@pytest.mark.parametrize(
    "text",
    [
        "You're right, my mistake.",
        "Oh, sorry!",
        "Stimmt, tut mir leid.",
        "Du hast recht.",
        "Tienes razón.",
        "Pardon, tu as raison.",
        "Perdão, é na quinta.",
        "Foi mal!",
        "Você está certa.",
        "抱歉，你说得对。",
        "すみません。",
        "Прости, ты прав.",
    ],
)
def test_an_answer_concedes_by_its_first_words(text):
    assert concedes(text)


@pytest.mark.parametrize(
    "text", ["Exactly!", "Richtige Entscheidung.", "Stimmt nicht.", "She is right.", "Lyon is nice."]
)
def test_an_answer_that_agrees_or_insists_concedes_nothing(text):
    assert not concedes(text)


@pytest.mark.parametrize(
    "text",
    [
        "You're right, fixed.",
        "Corrected: Bonn.",
        "Du hast recht.",
        "Corregido.",
        "Mea culpa.",
        "你说得对",
        "訂正します",
        "Исправлено.",
        "Sorry, you're right: four.",
        "Przepraszam, poprawione: Anna.",
        "معك حق",
        "Quite a train. Corrected: the other side of the world.",
        "已改：每台420元",
    ],
)
def test_an_answer_that_corrects_says_so_first(text):
    assert corrects(text)


def test_who_is_sorry_and_says_what_is_right_acknowledges():
    assert acknowledges("Sorry: nuts.")
    assert acknowledges("Przepraszam: orzechy.")
    assert acknowledges("Right: four years.")
    assert not acknowledges("Sorry to hear that.")
    assert not acknowledges("Lo siento, descansa.")


def test_who_is_only_sorry_has_corrected_nothing():
    assert concedes("Sorry to hear that.")
    assert not corrects("Sorry to hear that.")


@pytest.mark.parametrize(
    "text",
    [
        "Sorry: nuts.",
        "Sorry, Indi: they make flat whites.",
        "I'm sorry, I guessed. Parkinson's: then the timing matters more.",
        "Quite a train. Corrected: the other side of the world.",
        "“Hi, I'm one of the altos.” My apologies to both sections.",
        "Forgive me, that was awful.",
        "You're absolutely right, it is on the 6th.",
        "Thank you for the correction!",
        "Entschuldige: deine Tochter.",
        "Da habe ich mich vertan, es ist der Sonntag.",
        "Tiene razón ella, perdona: en ayunas.",
        "Perdón, lo corrijo: Claudia es tu ex.",
        "Je me suis trompé, c'est jeudi.",
        "Scusami, il fico.",
        "Desculpa, é na quinta.",
        "Mijn excuses, het is donderdag.",
        "Przepraszam, w czwartek.",
        "Прости, понял: он отчим.",
        "Виноват: трамвая.",
        "是我弄错了，小满跟妈妈在哈尔滨。",
        "已改：每台420元。",
        "失礼しました、お姉さんですね。",
        "أعتذر: جمانة ممثلة صوت.",
    ],
)
def test_who_says_that_they_were_wrong_takes_it_back(text):
    assert retracts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry to hear that.",
        "I'm so sorry for your loss.",
        "Sorry, I can't open links.",
        "My apologies, but I don't have the menu.",
        "Noted: a chat without cashews.",
        "Lo siento mucho. Apunta la hora.",
        "Mi dispiace tanto, Rosanna.",
        "Tut mir leid, das ist hart.",
        "آسف جداً. ضع القفص قرب الشباك.",
        "„Szanowna Pani, przepraszam za opóźnienie.”",
        "Here is your letter: “Sorry: the chairs come later.”",
        "抱歉，我不能打开链接。",
        "すみません、わかりません。",
        "She was right to go.",
    ],
)
def test_who_is_sorry_for_somebody_or_can_not_do_a_thing_takes_nothing_back(text):
    assert not retracts(text)


@pytest.mark.parametrize("unit", ["sorry ", "“", "I'm sorry, I ", ". Ah, ", "perdón ", "抱歉"])
def test_the_cost_of_an_answer_does_not_grow_with_it(unit):
    assert_linear(lambda text: (retracts(text), corrects(text), concedes(text)), repeated(unit), length=4_000)
