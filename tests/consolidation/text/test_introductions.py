"""How people say their own name, and ask for it."""

import pytest

from consolidation.text.introductions import asks_own_name, introduced, is_of_own_name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Hallo, ich heiße Jana und wohne in Köln.", "Jana"),
        ("Hi, I'm Jana!", "Jana"),
        ("my name is Jean-Luc, by the way", "Jean-Luc"),
        ("Hola, me llamo Lucía.", "Lucía"),
        ("Je m’appelle Émile et j'habite à Lyon.", "Émile"),
        ("Mi chiamo Chiara.", "Chiara"),
        ("Meu nome é João.", "João"),
        ("Ik heet Sanne.", "Sanne"),
        ("Nazywam się Łucja.", "Łucja"),
        ("Меня зовут Яна, я из Минска.", "Яна"),
        ("Everybody calls me Jo.", "Jo"),
        ("Appelle-moi Jo.", "Jo"),
        ("我叫王芳，住在北京。", "王芳"),
        ("私の名前は花子です。", "花子"),
        ("اسمي ليلى وأعيش في بيروت", "ليلى"),
    ],
)
def test_who_says_a_name_is_called_by_it(said, name):
    assert introduced([said]) == {name}


@pytest.mark.parametrize(
    "said",
    [
        "My sister is called Jana.",
        "I'm German.",
        "Meine Katze heißt Mimi.",
        "ich heiße nicht so",
        "I am called often.",
        "妹の名前はレナです。",
        "私は看護師です。",
    ],
)
def test_what_others_are_called_is_not_the_speakers_name(said):
    """Broken: any name behind such a word is the speaker's."""
    assert introduced([said]) == frozenset()


@pytest.mark.parametrize(
    "question",
    [
        "What's my name?", "Do you remember my first name?", "Who am I?", "Do you know who I am?", "Wie heiße ich?",
        "Weißt du, wer ich bin?", "¿Cómo me llamo?", "¿Quién soy?", "Comment je m'appelle ?", "Tu sais qui je suis ?",
        "Come mi chiamo?", "Chi sono?", "Como eu me chamo?", "Quem sou eu?", "Hoe heet ik?", "Wie ben ik?",
        "Jak mam na imię?", "Kim jestem?", "Как меня зовут?", "Кто я?", "我叫什么名字？", "我是谁？",
        "私の名前は何ですか？", "私は誰ですか？", "ما اسمي؟", "من أنا؟",
    ],
)  # fmt: skip
def test_who_asks_for_their_own_name_does(question):
    assert asks_own_name(question)


@pytest.mark.parametrize(
    "said",
    [
        "What is my cat's name?", "Who am I to judge?", "I lost my name tag.", "Wie heißt meine Schwester?",
        "Wer bin ich, dass ich das sage?", "¿Cómo se llama mi gato?", "Chi sono i miei vicini?", "Kim jestem z zawodu?",
        "妹の名前は？", "我妹妹叫什么？",
    ],
)  # fmt: skip
def test_who_asks_for_another_name_or_for_none_does_not(said):
    """Broken: every "my" before a name, or "who am I" anywhere, asks for it."""
    assert not is_of_own_name(said)


def test_a_name_in_small_letters_is_said_too():
    assert is_of_own_name("hi, my name is ana")
