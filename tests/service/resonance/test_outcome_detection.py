"""
Whether a person's denial is of a memory, or of what the bot said instead of it, in every language of the package.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from service.mind.trace_document import ShownTrace, TraceDocument
from service.resonance.outcome_detection import contradicted_by, used_in
from tests.support.fragments import NOON

DOG = "User has a dog, Rex, he is an old beagle."
ASKS_DOG = "Do you remember what my dog is called?"
FLIGHT, ASKS_FLIGHT = "My flight to Oslo leaves at 7 am on Friday.", "When does my flight leave?"
DENTIST, ASKS_DENTIST = "My dentist appointment is on December 19 at 3 pm.", "When is my dentist appointment?"
DOSE, ASKS_DOSE = "I take 20 mg of Lisinopril in the evening.", "How much Lisinopril do I take?"
AUNT, ASKS_AUNT = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"


def noticed(memory, asks, answer, denial, *, language="en"):
    """Whether the memory, which came up alone, counts as contradicted."""
    shown = (ShownTrace("fact:m", (1,), memory),)
    trace = TraceDocument(
        trace_id="t", mind_id="ada", at=NOON, session_id="s", message=asks, language=language, shown=shown
    )
    used = frozenset(used_in(trace, own=asks, answer=answer))
    return contradicted_by(denial, trace, answer=answer, used=used) == ("fact:m",)


@pytest.mark.parametrize(
    ("memory", "asks", "answer", "denial"),
    [
        (DOG, ASKS_DOG, "Your dog is called Max, right?", "No, that is wrong. He is called Rex, not Max."),
        (DOG, ASKS_DOG, "Your dog is called Max, right?", "No, not Max, Rex."),
        (DOG, ASKS_DOG, "Your dog is called Max.", "No, Rex!"),
        (DOG, ASKS_DOG, "Your dog is called Max.", "That's wrong."),
        (DOG, ASKS_DOG, "Your dog Rex is a young poodle.", "No, he is a beagle, and old."),
        (DOG, ASKS_DOG, "You do not have a dog called Rex.", "That's wrong, I do have Rex, my dog."),
        ("User's daughter Emma plays the violin.", "What is my daughter called?", "Your daughter is called Ella.",
         "No, that is wrong, her name is Emma."),
        (FLIGHT, ASKS_FLIGHT, "At 9 am on Friday.", "No, that's wrong, it leaves at 7 am."),
        (FLIGHT, ASKS_FLIGHT, "At 9 am on Friday.", "No, it's at seven, on Friday."),
        (FLIGHT, ASKS_FLIGHT, "At 9 am on Friday.", "No, that's wrong."),
        (FLIGHT, ASKS_FLIGHT, "On Friday at 7 am, from Hamburg.", "No, that's wrong. My flight to Oslo leaves at 7 am on Friday."),
        (DENTIST, ASKS_DENTIST, "It is on December 12 at 3 pm.", "No, it's on the 19th, December 19, I told you."),
        (DENTIST, ASKS_DENTIST, "It is on December 12 at 3 pm.", "No, the 19th at 3 pm."),
        (DOSE, ASKS_DOSE, "You take 40 mg of Lisinopril.", "No, that is wrong! I take 20 mg of Lisinopril."),
        (DOSE, ASKS_DOSE, "You take 40 mg in the evening.", "No, not 40 mg, 20mg in the evening."),
        ("My son Tim goes to the Waldorf school.", "Which school does Tim go to?", "Tim goes to the Montessori school.",
         "That's not right, Tim goes to the Waldorf school."),
        (AUNT, ASKS_AUNT, "She lives in Lyon and works in Nice.", "No, she does not work in Nice."),
    ],
)  # fmt: skip
def test_whoever_repeats_the_memory_against_the_bot_contradicts_the_bot(memory, asks, answer, denial):
    """Broken: a denial that shares words with a memory denies it."""
    assert not noticed(memory, asks, answer, denial)


@pytest.mark.parametrize(
    ("language", "memory", "asks", "answer", "denial"),
    [
        ("de", "Ich bin allergisch gegen Walnüsse.", "Wogegen bin ich allergisch?", "Gegen Erdnüsse.",
         "Nein, das stimmt nicht, gegen Walnüsse."),
        ("de", "Meine Tochter Emma spielt Geige.", "Wie heißt meine Tochter?", "Deine Tochter heißt Ella.",
         "Nein, nicht Ella, sondern Emma."),
        ("es", "Mi perro Rex es un beagle viejo.", "¿Cómo se llama mi perro?", "Tu perro se llama Max.",
         "No, eso no es verdad, se llama Rex, no Max."),
        ("fr", "Mon chien Rex est un vieux beagle.", "Comment s'appelle mon chien ?", "Il s'appelle Max.",
         "Non, ce n'est pas vrai, il s'appelle Rex."),
        ("it", "Il mio cane Rex è un vecchio beagle.", "Come si chiama il mio cane?", "Si chiama Max.",
         "No, non Max, Rex."),
        ("pt", "Meu cachorro Rex é um beagle velho.", "Como se chama meu cachorro?", "Ele se chama Max.",
         "Não, está errado, ele se chama Rex, não Max."),
        ("nl", "Mijn hond Rex is een oude beagle.", "Hoe heet mijn hond?", "Je hond heet Max.",
         "Nee, dat klopt niet, hij heet Rex."),
        ("pl", "Mój pies Rex to stary beagle.", "Jak nazywa się mój pies?", "Twój pies nazywa się Max.",
         "Nie, to nieprawda, nazywa się Rex, a nie Max."),
        ("ru", "Мою собаку зовут Рекс, это старый бигль.", "Как зовут мою собаку?", "Её зовут Макс.",
         "Нет, это неправда, её зовут Рекс, а не Макс."),
        ("zh", "我的狗叫雷克斯，是一只老比格犬。", "我的狗叫什么？", "你的狗叫麦克斯。", "不对，它叫雷克斯，不叫麦克斯。"),
        ("ja", "私の犬の名前はレックスで、年寄りのビーグルです。", "私の犬の名前は何？", "マックスです。",
         "違います。レックスです。マックスじゃなくて。"),
        ("ar", "كلبي اسمه ركس وهو بيغل عجوز.", "ما اسم كلبي؟", "اسمه ماكس.", "لا، هذا خطأ، اسمه ركس وليس ماكس."),
        ("zh", "我的牙医预约在12月19日。", "我的牙医预约是什么时候？", "是12月12日。", "不对，是12月19日。"),
        ("de", "Mein Flug nach Oslo geht um 7 Uhr am Freitag.", "Wann geht mein Flug?", "Um 9 Uhr am Freitag.",
         "Nein, das ist falsch, um sieben."),
    ],
)  # fmt: skip
def test_so_it_is_in_every_language(language, memory, asks, answer, denial):
    """Broken: only English is read so."""
    assert not noticed(memory, asks, answer, denial, language=language)


def denied_of(memories, asks, answer, denial, *, language):
    """The places of those of *memories*, which came up together, that count as contradicted."""
    shown = tuple(ShownTrace(f"m{at}", (1,), memory) for at, memory in enumerate(memories))
    trace = TraceDocument(
        trace_id="t", mind_id="ada", at=NOON, session_id="s", message=asks, language=language, shown=shown
    )
    used = frozenset(used_in(trace, own=asks, answer=answer))
    return {int(one[1:]) for one in contradicted_by(denial, trace, answer=answer, used=used)}


MIRJAM = ("Meine Schwester Mirjam wohnt in Ulm.", "Mirjam: Mirjam ist die Schwester der Nutzerin.")
SISTER = ("My sister Mirjam lives in Ulm.", "Mirjam: Mirjam is the user's sister.")


@pytest.mark.parametrize(
    ("language", "memories", "asks", "answer", "denial", "denied"),
    [
        ("de", MIRJAM, "Wie heißt meine Schwester?", "Deine Schwester heißt Mirjam.", denial, {0, 1})
        for denial in (
            "Nein, meine Schwester heißt nicht Mirjam, sondern Svenja.",
            "Nein, das ist falsch, sie heißt Svenja.",
            "Falsch! Sie heißt Svenja.",
        )
    ]
    + [
        ("en", SISTER, "What is my sister called?", "Your sister is called Mirjam.", denial, {0, 1})
        for denial in ("No, my sister is not called Mirjam, but Svenja.", "That's wrong, she is called Svenja.")
    ]
    + [
        ("en", SISTER, "Where does my sister live?", "Mirjam lives in Ulm.", "No, not in Ulm, in Bonn.", {0}),
        ("en", SISTER, "What is my sister called?", "Your sister is called Clara.", "No, she is called Mirjam.", set()),
        ("en", SISTER, "What is my sister called?", "Your sister is called Clara.", "No, that's wrong, she is called Eva.", set()),
        ("en", SISTER, "What is my sister called?", "Mirjam. Shall I call her?", "No, tell me of the rain in Rome.", set()),
        ("es", ("Mi hermana Mirjam vive en Ulm.", "Mirjam: Mirjam es la hermana de la usuaria."),
         "¿Cómo se llama mi hermana?", "Tu hermana se llama Mirjam.", "No, mi hermana no se llama Mirjam, sino Svenja.", {0, 1}),
        ("fr", ("Ma sœur Mirjam habite à Ulm.", "Mirjam: Mirjam est la sœur de l'utilisatrice."),
         "Comment s'appelle ma sœur ?", "Ta sœur s'appelle Mirjam.", "Non, c'est faux, elle s'appelle Svenja.", {0, 1}),
        ("ru", ("Моя сестра Мириам живёт в Ульме.", "Мириам: Мириам — сестра пользователя."),
         "Как зовут мою сестру?", "Твою сестру зовут Мириам.", "Нет, мою сестру зовут не Мириам, а Света.", {0, 1}),
    ],
)  # fmt: skip
def test_whoever_denies_what_several_memories_hold_contradicts_them_all(
    language, memories, asks, answer, denial, denied
):
    """Broken: where two memories hold the denied name, none is meant, and one counts as used."""
    assert denied_of(memories, asks, answer, denial, language=language) == denied


@pytest.mark.parametrize(
    ("language", "memory", "asks", "answer", "denial"),
    [
        ("en", DOG, ASKS_DOG, "Your dog is called Rex, an old beagle.", "No, that is wrong, we sold the dog."),
        ("en", DOG, ASKS_DOG, "Your dog is called Rex.", "No, that is wrong. He is called Max, not Rex."),
        ("en", DOG, ASKS_DOG, "Your dog is called Rex.", "No, not Rex, Max."),
        ("en", DOG, ASKS_DOG, "Your dog is called Rex.", "No, that is wrong, we sold Rex last year."),
        ("en", AUNT, ASKS_AUNT, "She lives in Lyon.", "No, that's wrong."),
        ("en", AUNT, ASKS_AUNT, "She lives in Lyon, as far as I remember. Anything else?", "No, that's wrong."),
        ("en", AUNT, ASKS_AUNT, "She lives in Lyon.", "No, she moved away from Lyon years ago."),
        ("en", AUNT, ASKS_AUNT, "She lives in Lyon.", "That's wrong, my aunt Carla lives in Nice, not in Lyon."),
        ("en", FLIGHT, ASKS_FLIGHT, "On Friday at 7 am.", "No, that's wrong, it leaves at 9 am on Friday."),
        ("en", DENTIST, ASKS_DENTIST, "It is on December 19 at 3 pm.", "No, it's on the 12th, not on December 19."),
        ("en", DOSE, ASKS_DOSE, "You take 20 mg in the evening.", "No, not 20 mg, 10 mg."),
        ("de", "Meine Tante Carla wohnt in Lyon.", "Wo wohnt meine Tante Carla?", "In Lyon.",
         "Nein, das stimmt nicht, nicht in Lyon, sondern in Nizza."),
        ("es", "Mi tía Carla vive en Lyon.", "¿Dónde vive mi tía Carla?", "Carla vive en Lyon.", "No, ya no vive en Lyon."),
        ("fr", "Ma tante Carla habite à Lyon.", "Où habite ma tante Carla ?", "À Lyon.", "Non, elle a quitté Lyon."),
        ("it", "Mia zia Carla abita a Lione.", "Dove abita mia zia Carla?", "A Lione.", "No, non abita più a Lione."),
        ("pt", "Minha tia Carla mora em Lyon.", "Onde mora minha tia Carla?", "Em Lyon.", "Não, ela saiu de Lyon."),
        ("nl", "Mijn tante Carla woont in Lyon.", "Waar woont mijn tante Carla?", "In Lyon.", "Nee, niet in Lyon, in Nice."),
        ("pl", "Moja ciocia Carla mieszka w Lyonie.", "Gdzie mieszka moja ciocia Carla?", "W Lyonie.",
         "Nie, już nie w Lyonie."),
        ("ru", "Моя тётя Карла живёт в Лионе.", "Где живёт моя тётя Карла?", "Она живёт в Лионе.", "Нет, не в Лионе."),
        ("zh", "我姑姑卡拉住在里昂。", "我姑姑卡拉住在哪里？", "你姑姑卡拉住在里昂。", "不对，她不住在里昂了。"),
        ("ja", "叔母のカルラはリヨンに住んでいます。", "叔母のカルラはどこに住んでいますか？", "リヨンに住んでいます。",
         "違います。もうリヨンには住んでいません。"),
        ("ar", "عمتي كارلا تسكن في مدينة ليون الفرنسية.", "أين تسكن عمتي كارلا؟", "تسكن في مدينة ليون الفرنسية.",
         "لا، ليست في ليون."),
    ],
)  # fmt: skip
def test_whoever_denies_what_the_bot_has_of_the_memory_contradicts_it(language, memory, asks, answer, denial):
    """Broken: every denial may be of the bot's own words."""
    assert noticed(memory, asks, answer, denial, language=language)
