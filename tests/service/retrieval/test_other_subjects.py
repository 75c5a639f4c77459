"""Whether a memory is about another than the question asks for."""

import pytest

from service.retrieval.other_subjects import is_about_another, may_be_about_another

ABOUT_ANOTHER = [
    ("en", "Where does my mother live?", "My mother lives in Lyon.", "My brother lives in Bordeaux."),
    ("en", "When is Ann's birthday?", "Ann's birthday is on March 3.", "Bob's birthday is on June 9."),
    ("en", "How much is the rent for the flat?", "The rent for the flat is 900.", "The rent for the garage is 80."),
    ("en", "When is mums surgery?", "mum's knee surgery is on 4 May", "dad's eye surgery is on 9 June"),
    ("en", "What am I allergic to?", "I am allergic to peanuts.", "My son is allergic to shellfish."),
    ("de", "Wie heißt meine Katze?", "Meine Katze heißt Minou.", "Mein Hund heißt Rex."),
    ("es", "¿A qué soy alérgico?", "Soy alérgico a los cacahuetes.", "Mi hijo es alérgico al marisco."),
    ("fr", "Où habite ma mère ?", "Ma mère habite à Lyon.", "Ma sœur habite à Bordeaux."),
    ("ja", "母はどこに住んでいますか？", "母はリヨンに住んでいます。", "兄はボルドーに住んでいます。"),
    ("zh", "我的猫叫什么？", "我的猫叫咪咪。", "我的狗叫雷克斯。"),
]
ABOUT_THE_SAME = [
    ("en", "Where does my mother live?", "My mother lives in Lyon.", "My mother moved to Nice, closer to the sea."),
    ("en", "Where does my mother live?", "My mother lives in Lyon.", "My brother says she moved to Nice."),
    ("en", "What rent do I pay?", "My rent is 900 euros.", "My aunt wants 1020 for it from May."),
    ("en", "Where do I live?", "I live in Graz.", "My husband found us a flat in Linz."),
    (
        "en",
        "When is the meeting with Ivo?",
        "The meeting with Ivo is on Tuesday.",
        "Ivo moved the meeting to Thursday.",
    ),
    ("en", "When does the gym open?", "The gym opens at 6.", "It opens at 7 now."),
    ("de", "Wo wohnt meine Mutter?", "Meine Mutter wohnt in Lyon.", "Sie wohnt jetzt in Nizza."),
    ("pl", "ile płacę czynszu", "czynsz nam podnieśli, 2400 zamiast 2200", "ciocia podnosi czynsz na 1700 od stycznia"),
]


@pytest.mark.parametrize(("language", "question", "answer", "other"), ABOUT_ANOTHER)
def test_the_same_said_of_another_is_about_another(language, question, answer, other):
    assert is_about_another(other, answer, questions=[question], language=language)


@pytest.mark.parametrize(("language", "question", "answer", "other"), ABOUT_ANOTHER)
def test_what_tells_of_whom_is_asked_is_not(language, question, answer, other):
    assert not is_about_another(answer, other, questions=[question], language=language)


@pytest.mark.parametrize(("language", "question", "older", "newer"), ABOUT_THE_SAME)
def test_a_change_is_about_the_same(language, question, older, newer):
    assert not is_about_another(newer, older, questions=[question], language=language)


def test_a_question_that_says_what_may_be_out_of_date_finds_what_took_its_place():
    said = {"text": "I work at Bosch in Ulm.", "answer": "I work at Siemens in Ulm.", "language": "en"}
    assert not is_about_another(**said, questions=["Do I work at Siemens?"])
    assert is_about_another(**said, questions=["Where is Siemens?"])


def test_whom_the_question_means_by_a_relative_is_no_other():
    said = {"text": "Ines lives in Nice.", "answer": "My sister lives in Lyon.", "language": "en"}
    said |= {"text": "Ines lives in Nice, my brother found her a flat."}
    questions = ["Where does my sister live?", "Where does Ines live?"]
    assert not is_about_another(**said, questions=questions)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "When is our flight to Porto?",
            "The flight to Porto leaves at 6:40.",
            "The flight to Rome leaves at 11 now.",
        ),
        ("Where does Marcus live?", "Marcus has moved to Leeds.", "On Monday Martin moved to Lisbon, he runs a bar."),
    ],
)
def test_what_names_another_may_be_about_another(question, answer, other):
    assert may_be_about_another(other, answer, questions=[question], language="en")


@pytest.mark.parametrize(
    ("question", "answer", "newer"),
    [
        ("When is our flight to Porto?", "The flight to Porto leaves at 6:40.", "The flight was moved to 11."),
        ("Where does Zelda live?", "Zelda lives in Oslo.", "She signed the lease in Bergen."),
        ("Where do I work?", "I work at Siemens.", "Signed with Bosch, I start in May."),
    ],
)
def test_what_goes_on_with_it_names_no_other(question, answer, newer):
    assert not may_be_about_another(newer, answer, questions=[question], language="en")
