"""Which words of a text name somebody or something, by the rule that says so."""

import pytest

from consolidation.text.names import keyphrases, name_key, names, opening_names, proper_nouns


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yesterday I met Ines Carvalho in Porto.", ["Ines Carvalho", "Porto"]),
        ("I saw Ines, and later Tom Reed of Porto.", ["Ines", "Tom Reed of Porto"]),
        ("We read The Salt Road by the Bank of England.", ["Salt Road", "Bank of England"]),
        ("The cat sleeps. Garden work is fine.", []),  # a capital that opens a sentence proves nothing
        ("Garden work? I love the Garden.", ["Garden"]),  # unless the word has it inside of one, too
        ("I like Tom's boat and Toms’ dog.", ["Tom", "Toms"]),
        ("It is called “green heron” by them.", ["green heron"]),
        ("Run parse_all or parseAll on node20a.", ["parse_all", "parseAll", "node20a"]),
        ("I met Ann and Bob at Marks & Spencer.", ["Ann", "Bob", "Marks & Spencer"]),  # two people are two names
        ("Remind Ines of it. Frag Tom. Llama a Eva.", ["Ines", "Tom", "Eva"]),  # and not what is asked for
        ("We saw Green Book, then La Liga and The Daily Show.", ["Green Book", "Liga", "Daily Show"]),
        ("See you on Monday in May, Mom says hi.", []),
        ("My token is [redacted: GitHub token], says Ines.", ["Ines"]),
        ("We saw Dr. Sommer and the Prof. again.", ["Sommer"]),  # a title alone names nobody
        ("I asked Dr Sommer or Frau Kunze.", ["Dr Sommer", "Frau Kunze"]),
        ("我昨天见了小明。", []),
        ("2Kのアパートに猫のモモと住んでるよ", []),
        ("新しいiPhoneを買ってTwitterで自慢した", ["Twitter", "iPhone"]),
        ("어제 Twitter에서 봤어", ["Twitter"]),
        ("他用Python写了一个程序", ["Python"]),
        ("Dün İzmir'e gittim, Kaan'la Ayşe’nin evinde kaldık. Mart'ta döneriz.", ["Ayşe", "Kaan", "İzmir"]),
        ("My iPhone is from Hawai'i.", ["Hawai'i", "iPhone"]),
    ],
)
def test_names_are_quoted_from_a_text(text, found):
    assert sorted(names(text)) == sorted(found)


def test_the_names_that_are_said_most_often_come_first():
    assert names("I met Ann, then Bob, then Ann, then Bob, then Bob.")[:2] == ("Bob", "Ann")
    assert names("I met Ann, then Bob, then Ann.", limit=1) == ("Ann",)


def test_a_word_that_opens_a_sentence_may_be_a_name_where_a_deed_follows():
    assert opening_names("Bruno came late. Walking helped. My bread rose.", language="en") == {"Bruno"}
    assert opening_names("Rain of June. I like rain.", language="en") == frozenset()


def test_keyphrases_are_runs_of_words_with_content():
    assert keyphrases("मैं नागपुर में छोटे कमरों के फ्लैट में रहती हूँ", language="hi")[0] == "छोटे कमरों"
    assert keyphrases("When is the red bicycle of my sister ready?", language="en")[0] == "red bicycle"


def test_a_name_is_looked_up_in_any_spelling():
    assert name_key("DR. Sommer") == name_key("Dr Sommer") == "dr sommer"


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Did Caroline see Lyon?", "en", ("Caroline", "Lyon")),
        ("Yesterday. Caroline came", "en", ()),
        ("I met Prof. Smith today", "en", ("Prof", "Smith")),
        ("Stop! Caroline came", "en", ()),
        ("WHERE IS IT", "en", ()),
        ("Wo ist der Hund?", "de", ()),
        ("Где живёт Анна?", "ru", ("Анна",)),
        ("她住在哪里", "zh", ()),
    ],
)
def test_proper_nouns_are_capitals_inside_a_sentence(text, language, found):
    assert proper_nouns(text, language=language) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Дочка Соня пошла в школу.", ("Соня",)),
        ("С Катей всё хорошо.", ("Катей",)),
        ("Позвони Оле.", ("Оле",)),
        ("Дядя Ваня приехал.", ("Ваня",)),
        ("Вера Ивановна и Пётр", ("Вера Ивановна", "Пётр")),
        ("Мама купила хлеб", ()),
    ],
)
def test_what_russian_puts_before_a_name_is_no_part_of_it(text, found):
    assert names(text, language="ru") == found


def test_german_of_any_region_has_no_proper_nouns():
    assert proper_nouns("Wir sahen den Hund im Garten.", language="de-CH") == ()
