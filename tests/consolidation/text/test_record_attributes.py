"""What stands in a person's papers, as it is asked for and as it is told."""

import pytest

from consolidation.text.record_attributes import attributes_asked, attributes_told


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("What's my blood type?", "blood_group"),
        ("welche Blutgruppe hab ich", "blood_group"),
        ("c'est quoi ma pointure ?", "shoe_size"),
        ("¿qué número de pie calzo?", "shoe_size"),
        ("was bin ich für ein Sternzeichen", "star_sign"),
        ("q dia es el cumple de orla?", "birthday"),
        ("what date was my girl born on", "birthday"),
        ("когда день рождения мамы?", "birthday"),
        ("wie heißt Holger mit Nachnamen?", "surname"),
        ("What's the wifi password for Sterling Road?", "password"),
        ("what's my national insurance number", "id_number"),
        ("¿cuál es el número de mi pasaporte?", "id_number"),
        ("What's the date of my wedding anniversary?", "anniversary"),
        ("¿a qué colegio fui de pequeño?", "school"),
        ("which primary school did I go to?", "school"),
        ("我的血型是什么", "blood_group"),
        ("quando é o aniversario da Marlene?", "birthday"),
        ("que dia é o niver da Bia", "birthday"),
        ("quando eu nasci?", "birthday"),
        ("qual é o meu cpf", "id_number"),
        ("em que escola eu estudei", "school"),
        ("que colégio eu fui", "school"),
        ("which hospital was I born in", "birthplace"),
        ("Wo bin ich geboren?", "birthplace"),
        ("¿dónde nací?", "birthplace"),
        ("où est-ce que je suis née ?", "birthplace"),
        ("dove sono nato?", "birthplace"),
        ("em que cidade eu nasci", "birthplace"),
        ("waar ben ik geboren", "birthplace"),
        ("gdzie się urodziłam", "birthplace"),
        ("где я родился", "birthplace"),
        ("我在哪里出生", "birthplace"),
        ("どこで生まれた？", "birthplace"),
        ("أين ولدت؟", "birthplace"),
    ],
)
def test_a_question_for_an_attribute_names_it(question, attribute):
    assert attribute in attributes_asked(question)


@pytest.mark.parametrize(
    "question",
    [
        "what day is my course",
        "when's my day off",
        "how much did the baby weigh when she was born?",
        "how old's Poppy",
        "what school does Mia go to now",
        "how many people are in my running group",
        "Who sang at Melanie's daughter's birthday?",
        "How long did John and his high school team play together?",
    ],
)
def test_other_questions_name_none(question):
    assert attributes_asked(question) == frozenset()


@pytest.mark.parametrize(
    ("statement", "attribute"),
    [
        ("Poppy's 4 on sunday", "birthday"),
        ("mum turns 60 next week", "birthday"),
        ("meine Tochter wird am Freitag 7", "birthday"),
        ("meine Tochter ist im März sechs geworden", "birthday"),
        ("notre fille a eu 6 ans le 3 mars", "birthday"),
        ("nostra figlia ha compiuto 6 anni", "birthday"),
        ("onze dochter is zes geworden", "birthday"),
        ("nasza córka skończyła 6 lat", "birthday"),
        ("我们女儿3月3号满六岁了", "birthday"),
        ("娘が6歳になった", "birthday"),
        ("ابنتنا صار عمرها ست سنوات", "birthday"),
        ("turns out I'm O negative", "blood_group"),
        ("i take size 43 in boots", "shoe_size"),
        ("I was born in Lages, in a blizzard", "birthplace"),
        ("sou de Lages", "birthplace"),
        ("a Gemini, of course", "star_sign"),
        ("the new doctor is Miren Aldekoa", "surname"),
        ("call me on 079 555 1234", "id_number"),
        ("we got married in Leith on 3 June", "anniversary"),
    ],
)
def test_a_value_tells_an_attribute_without_its_name(statement, attribute):
    assert attribute in attributes_told(statement)


def test_what_names_an_attribute_tells_it_too():
    assert "shoe_size" in attributes_told("my shoe size has not changed since I was 15")
