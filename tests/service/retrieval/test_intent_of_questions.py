"""Which questions are of one's own life, though no mark or "my" says so; and who wants to be reminded of what."""

import pytest

from service.retrieval.intent import intent_of


def wanted(text, language="en"):
    return intent_of(text, language=language, names_known=False)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "elle a dit n'importe quoi"),
        ("fr", "je sais pas quand"),
        ("it", "che palle ho dormito male"),
        ("ar", "عايش مع اختي"),
        ("en", "on facebook i left a comment"),
        ("de", "brauch ich noch bis morgen"),
        ("it", "da quanto ho capito mi danno il posto"),
        ("it", "non so quanto"),
        ("ru", "ну теперь я знаю кто"),
    ],
)
def test_what_only_sounds_like_a_question_is_a_remark(language, text):
    assert wanted(text, language).kind.endswith("remark")


def test_a_question_with_a_few_words_behind_it_is_one():
    assert wanted("давно у меня собака? с какого числа", "ru").kind == "personal question"
    assert wanted("我们店哪天开的张?办贷款人家要问", "zh").kind == "personal question"
    assert wanted("填个表,我如今头上还有领导管着没", "zh").kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ru", "напомни адрес, куда мне курьера слать"),
        ("pl", "przypomnij adres mojej siostry"),
        ("fr", "rappelle-moi l'adresse de ma sœur"),
        ("es", "recuérdame la dirección de mi hermana"),
    ],
)
def test_to_be_reminded_of_a_thing_is_to_ask_for_it(language, text):
    assert wanted(text, language).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ru", "напомни завтра позвонить маме"),
        ("ru", "напомни мне через час"),
        ("pl", "przypomnij mi jutro o lekach"),
        ("fr", "rappelle-moi d'appeler ma mère"),
        ("es", "recuérdame comprar pan"),
    ],
)
def test_to_be_reminded_to_do_something_is_a_request(language, text):
    assert wanted(text, language).kind == "request"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what breed is the dog?"),
        ("nl", "waar woont de vader van de kinderen?"),
        ("de", "wann muss das Auto zum TÜV?"),
        ("fr", "il s'appelle comment le chat ?"),
        ("ru", "Где сейчас живёт бабушка?"),
        ("it", "quand'è il compleanno della nonna"),
        ("fr", "c'était combien le devis pour le chauffage ?"),
        ("fr", "il bosse dans quoi mon frère"),
        ("fr", "on va où cet été finalement"),
        ("it", "con che mezzo vado giù in puglia"),
        ("it", "quanto spendo per ogni seduta?"),
        ("nl", "is mijn zoon overgegaan"),
        ("de", "trainier ich noch im McFit"),
        ("pl", "od kiedy nie palę"),
        ("ja", "銀行のやつどこにしまったっけ"),
        ("ar", "البيبي الجديد في عيلتي اسمه ايه"),
        ("pt", "a gente vai onde"),
    ],
)
def test_a_question_on_what_a_household_has_is_personal(language, text):
    """Broken: only "my dog" is; the gate then asks for far more than a question of one's own needs."""
    assert wanted(text, language).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "quién es el papa"),
        ("es", "cuál es el gran cañón"),
        ("de", "wo ist die große mauer"),
        ("en", "what is the oldest tree?"),
        ("en", "where is the parking lot?"),
        ("fr", "où est la grande muraille ?"),
    ],
)
def test_what_only_sounds_like_ones_family_is_of_the_world(language, text):
    assert wanted(text, language).kind == "other question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "list the pets we've had this year"),
        ("en", "which flat we're moving to"),
        ("en", "my doses since march, in order"),
        ("fr", "mes amoureux de cette année, dans l'ordre"),
        ("de", "meine wohnungen der reihe nach"),
        ("ru", "мои работы по порядку"),
    ],
)
def test_a_list_of_ones_own_is_asked_for(language, text):
    assert wanted(text, language).kind == "personal question"


def test_a_list_about_who_is_known_is_asked_for():
    text = "list every repair the Guzzi needed this year"
    assert intent_of(text, language="en", names_known=True).kind == "personal question"
    assert wanted(text).kind == "request"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "our boxes are all in order"),
        ("en", "my sister has been ill since monday"),
        ("de", "meine katze ist seit montag krank"),
    ],
)
def test_what_is_told_of_ones_own_is_no_list(language, text):
    assert wanted(text, language).kind == "personal remark"
