"""A newcomer's first questions: who they are, where a cat and a sister have names too. No model is asked."""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

# What somebody is called, their cat and their sister, and two questions for their own name.
FIRST_WORDS = {
    "en": ("My name is Ana.", "I have a cat called Max.", "My sister is called Lena.", "What's my name?", "Who am I?"),
    "de": ("Ich heiße Ana.", "Ich habe eine Katze namens Max.", "Meine Schwester heißt Lena.", "Wie heiße ich?",
           "Wer bin ich?"),
    "es": ("Me llamo Ana.", "Tengo un gato que se llama Max.", "Mi hermana se llama Lena.", "¿Cómo me llamo?",
           "¿Quién soy?"),
    "fr": ("Je m'appelle Ana.", "J'ai un chat qui s'appelle Max.", "Ma sœur s'appelle Lena.", "Comment je m'appelle ?",
           "Qui suis-je ?"),
    "it": ("Mi chiamo Ana.", "Ho un gatto che si chiama Max.", "Mia sorella si chiama Lena.", "Come mi chiamo?",
           "Chi sono?"),
    "pt": ("Eu me chamo Ana.", "Tenho um gato chamado Max.", "Minha irmã se chama Lena.", "Como eu me chamo?",
           "Quem sou eu?"),
    "nl": ("Ik heet Ana.", "Ik heb een kat die Max heet.", "Mijn zus heet Lena.", "Hoe heet ik?", "Wie ben ik?"),
    "pl": ("Mam na imię Ana.", "Mam kota o imieniu Max.", "Moja siostra ma na imię Lena.", "Jak mam na imię?",
           "Kim jestem?"),
    "ru": ("Меня зовут Аня.", "У меня есть кот по имени Макс.", "Мою сестру зовут Лена.", "Как меня зовут?", "Кто я?"),
    "ja": ("私の名前はアナです。", "マックスという猫を飼っています。", "妹の名前はレナです。", "私の名前は何ですか？",
           "私は誰ですか？"),
    "zh": ("我叫安娜。", "我有一只叫麦克斯的猫。", "我妹妹叫莉娜。", "我叫什么名字？", "我是谁？"),
    "ar": ("اسمي آنا.", "عندي قطة اسمها ماكس.", "أختي اسمها لينا.", "ما اسمي؟", "من أنا؟"),
}  # fmt: skip


async def test_who_asks_for_their_own_name_hears_it_first(tmp_path):
    """Broken: the name that was told last leads, here the sister's; "Who am I?" finds nothing at all."""
    async with running(tmp_path) as service:
        for language, (*told, _, _) in FIRST_WORDS.items():
            for sentence in told:
                await service.keep(language, sentence, session_id="s0")
            await service.digested(language)

        found = {
            question: (await service.http.get(f"/v1/minds/{language}/remember", params={"query": question})).json()
            for language, (*_, asked, also_asked) in FIRST_WORDS.items()
            for question in (asked, also_asked)
        }
        first = {
            question: (await service.resonate(language, question, session_id=question)).json()["flashbacks"][:1]
            for language, (*_, asked, also_asked) in FIRST_WORDS.items()
            for question in (asked, also_asked)
        }

    wrong = [
        (question, first[question])
        for name, *_, asked, also_asked in FIRST_WORDS.values()
        for question in (asked, also_asked)
        if not first[question]
        or name[:-1] not in first[question][0]["text"]
        or name[:-1] not in found[question]["memories"][0]["text"]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Mein Chef heißt Peter.", "Meine neue Chefin heißt Nora.", "Wer ist mein Chef?"),
        ("Я принимаю 5 мг рамиприла.", "Теперь я принимаю 10 мг рамиприла.", "Сколько рамиприла я принимаю?"),
        ("Mieszkam w Madrycie.", "Przeprowadziłam się do Oslo.", "Gdzie mieszkam?"),
        ("Я живу в Мадриде.", "Я переехала в Осло.", "Где я живу?"),
    ],
)
async def test_another_boss_dose_or_home_leads_the_older_one(tmp_path, older, newer, question):
    """Broken: ``tells_anew`` is never true, and two sentences that are not alike are two subjects."""
    async with running(tmp_path) as service:
        for at, said in (("2026-01-10T10:00:00Z", older), ("2026-05-10T10:00:00Z", newer)):
            await service.keep("ada", {"role": "user", "content": said, "timestamp": at}, session_id=at[:7])
        await service.digested("ada")
        shown = (await service.resonate("ada", question)).json()["flashbacks"]

    assert newer[:-1] in shown[0]["text"]


@pytest.mark.parametrize(
    ("said", "question", "lead"),
    [
        ("Mi madre Ingrid vive en Lyon.", "¿Qué sabes de mi madre?", "me contó: "),
        ("Mi perro murió.", "¿Qué pasó con mi perro?", "me contó: "),
        ("母のイングリッドはリヨンに住んでいます。", "母について教えて。", "聞いたこと："),
    ],
)
async def test_the_first_few_words_of_a_mind_are_told_in_their_language(tmp_path, said, question, lead):
    """Broken: few words are taken for English; then they are not found by what they mean, and are labelled in English."""
    async with running(tmp_path) as service:
        await service.keep("ada", said, session_id="s0")
        await service.digested("ada")
        shown = (await service.resonate("ada", question)).json()["flashbacks"]

    assert [one["text"] for one in shown] == [f"{lead}{said}"]
