"""Plain denials, a "no" whose rest has to be weighed, and a "no" that denies nothing, as people say them."""

import pytest

from consolidation.text.denials import denies, objection
from tests.support.growth import assert_linear, repeated

PLAIN = {
    "en": (
        "no",
        "nope",
        "No no no!",
        "That's wrong, it was Rome.",
        "That's incorrect.",
        "That isn't right",
        "thats not true",
        "That's not what I said.",
        "Absolutely not.",
        "Not quite, it was Friday.",
        "You're mixing us up.",
        "You got it wrong.",
        "You have the wrong person.",
        "You're thinking of someone else.",
        "I never said that.",
        "Wait, I never told you that.",
        "mate. thats the OLD place",
        "uh, that's the old one",
        "No, she isn't.",
        "Wrong again!",
        "Nonsense.",
    ),
    "de": (
        "Nein.",
        "Das stimmt so nicht.",
        "Stimmt nicht.",
        "Das ist so nicht richtig.",
        "Das habe ich nie gesagt.",
        "Du verwechselst das.",
        "Da irrst du dich.",
        "Da liegen Sie falsch.",
        "Du hast das falsch verstanden.",
        "das ist die alte Adresse",
        "Leider falsch.",
        "Unsinn, ich wohne in Bonn.",
        "Nein, das ist nicht wahr.",
    ),
    "es": (
        "Eso no es así.",
        "No es cierto.",
        "Eso no es verdad.",
        "Te equivocas.",
        "Se equivoca.",
        "Estás equivocado.",
        "Te has confundido.",
        "Nunca dije eso.",
        "esa es la dirección antigua",
        "no eso no",
        "¡Que no!",
        "Para nada.",
    ),
    "fr": (
        "Non",
        "Non, c'est faux.",
        "Ce n'est pas vrai.",
        "Tu confonds.",
        "Vous vous trompez.",
        "Je n'ai jamais dit ça.",
        "Euh non",
        "Pas exactement.",
        "Mais non, c'est le mien.",
    ),
    "it": (
        "Non è vero.",
        "Non è così.",
        "Si sbaglia.",
        "Ti sei sbagliato.",
        "Non l'ho mai detto.",
        "Hai torto.",
        "No, quella era la vecchia!",
    ),
    "pt": (
        "Não é verdade.",
        "Isso está errado.",
        "Você está errado",
        "você errou, é na terça",
        "vc confundiu as duas",
        "eu nunca disse isso",
        "Não foi isso que eu disse.",
        "Estás enganado.",
    ),
    "nl": (
        "Dat klopt niet.",
        "Je hebt het mis",
        "U vergist zich.",
        "Dat heb ik nooit gezegd.",
        "dat is het oude adres",
    ),
    "pl": (
        "To się nie zgadza",
        "Mylisz się.",
        "Pan się myli.",
        "pomyliłeś się",
        "To nieprawda.",
        "Nigdy tego nie mówiłam.",
        "to stary adres",
    ),
    "ru": (
        "Это неправда.",
        "Это не так",
        "Нет, это не так.",
        "Вы ошибаетесь",
        "ты ошибся",
        "Я такого не говорил.",
        "это старый адрес",
    ),
    "zh": ("不对", "那不对", "你错了。", "你记错了", "弄错了", "我没说过这个", "不是的", "不，不对"),
    "ja": ("違います", "それは違います。", "間違っています", "いいえ、違います。", "そうじゃなくて、金曜日", "違うよ"),
    "ar": ("هذا خطأ", "غير صحيح", "لا، هذا خطأ", "أنت مخطئ.", "لم أقل ذلك."),
}
# What begins so is weighed by what follows: its rest.
WEIGHED = (
    ("No, she lives in Bonn.", "she lives in Bonn."),
    ("wait, no, not Lyon", "not Lyon"),
    ("no my name is Anna", "my name is Anna"),
    ("Nooo that date is ancient", "that date is ancient"),
    ("No he doesn't know it yet", "he doesn't know it yet"),
    ("Lyon?? I live in Porto", "I live in Porto"),
    ("That's not Carla", "Carla"),
    ("Nein, sie heißt Eva.", "sie heißt Eva."),
    ("No, vive en Madrid.", "vive en Madrid."),
    ("no es mi hermana", "es mi hermana"),
    ("non moi c'est Lyon", "moi c'est Lyon"),
    ("Non è Marco, è Luca.", "è Marco, è Luca."),
    ("Não, é a minha irmã.", "é a minha irmã."),
    ("nao nao, é na terça", "é na terça"),
    ("Nee, ik heet Anna.", "ik heet Anna."),
    ("nie ja, Marek", "ja, Marek"),
    ("Нет она в Москве", "она в Москве"),
    ("不是，她住在北京。", "她住在北京。"),
    ("いえ、金曜日です", "金曜日です"),
    ("لا ليس هو", "ليس هو"),
)
HARMLESS = {
    "en": (
        "Yes, she does.",
        "No, thanks.",
        "No thank you, that is all.",
        "No, that's all for today.",
        "No, I know. I'm just tired of it.",
        "No, that's right!",
        "Nope, can't wait!",
        "No, don't.",
        "No not yet, the appointment is on Friday.",
        "No problem!",
        "No idea why.",
        "No school on Monday",
        "No way, you remembered!",
        "Oh no, we're out of butter too",
        "You have a great memory!",
        "You have been so helpful",
        "You got it!",
        "You are mixing great tracks.",
        "False alarm then",
        "Wrong side of bed this morning.",
        "Not sure I can make it",
        "What?? That soon lol",
        "thats the old joke",
        "man my back hurts",
        "Nancy called today.",
    ),
    "de": (
        "Nein danke.",
        "Nein, danke, das war alles.",
        "Nein, passt so.",
        "Nee, alles klar.",
        "Nein, noch nicht, der Termin ist Freitag.",
        "Falsch geparkt, 50 Euro Strafe.",
        "Das stimmt, danke!",
        "Neele ist meine Schwester.",
    ),
    "es": (
        "No, gracias, eso es todo",
        "No gracias.",
        "No como carne.",
        "No estoy casada",
        "No dormí nada",
        "no trabajamos los lunes",
        "Mal. Me duele la espalda.",
    ),
    "fr": ("Non merci.", "Non, merci, c'est tout", "Non, rien d'autre, merci.", "Ne t'inquiète pas.", "Faux départ."),
    "it": (
        "No, grazie.",
        "No, tutto qui.",
        "Non posso mangiare arachidi.",
        "Falso allarme, tutto bene.",
        "Nonna viene.",
    ),
    "pt": ("Não, obrigada.", "Não, só isso.", "Nao tenho carro.", "Nunca disse isso à minha mãe.", "cara, que dia"),
    "nl": ("Nee, dank je.", "Nee hoor, dat was alles.", "Fout geparkeerd, 90 euro boete."),
    "pl": (
        "Nie, dziękuję.",
        "Nie, to wszystko.",
        "Nie mogę jeść orzechów.",
        "Źle, boli mnie głowa.",
        "to stare miasto",
    ),
    "ru": ("Нет, спасибо.", "Нет, это всё.", "Нет, пока нет.", "Нет времени сегодня.", "Неверно припарковался."),
    "zh": ("不用了，谢谢", "没有了，谢谢", "不对劲，我膝盖疼", "是的", "没有，谢谢"),
    "ja": ("いや、ありがとう", "いやー、疲れた", "違う町に引っ越した", "いえ、大丈夫です", "はい"),
    "ar": ("لا، شكرا.", "لا أستطيع أكل الفول السوداني.", "خطأ مطبعي كلفني وظيفتي.", "لازم أروح"),
}


def _each(by_language):
    return [(language, text) for language, texts in by_language.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), _each(PLAIN))
def test_who_says_plainly_that_it_is_wrong_denies_it(language, text):
    assert denies(text), language


@pytest.mark.parametrize(("text", "rest"), WEIGHED)
def test_what_follows_a_no_says_whether_anything_is_denied(text, rest):
    assert not denies(text)
    assert objection(text) == rest


@pytest.mark.parametrize(("language", "text"), _each(HARMLESS))
def test_who_declines_agrees_or_ends_the_talk_denies_nothing(language, text):
    assert not denies(text), language
    assert objection(text) is None


@pytest.mark.parametrize(
    "text", ["That's not bad at all.", "C'est plus simple", "Não é fácil ser mãe", "Das ist nicht schlimm"]
)
def test_what_is_not_so_may_be_something_else_than_what_was_said(text):
    assert not denies(text)


@pytest.mark.parametrize("unit", ["no ", "no, ", "oh ", "nein! ", "that's ", "not", "não, ", "不", "!", "a", " "])
def test_the_cost_grows_with_the_length(unit):
    assert_linear(lambda text: (denies(text), objection(text)), repeated(unit), length=4_000)
