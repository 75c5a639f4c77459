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


# A child's birthday by her age, and a wedding by who marries: told by the way, and asked for in another word.
BY_THE_WAY = {
    "de": ("unsere Tochter Mia ist am 3. März sechs geworden", "wann hat Mia Geburtstag?",
           "Kenji und Laura heiraten im Oktober in Porto", "wo ist die Hochzeit?"),
    "fr": ("notre fille Mia a eu 6 ans le 3 mars", "c'est quand l'anniversaire de Mia ?",
           "Kenji et Laura se marient en octobre à Porto", "c'est où le mariage ?"),
    "es": ("nuestra hija Mia cumplió 6 el 3 de marzo", "¿cuándo es el cumpleaños de Mia?",
           "Kenji y Laura se casan en octubre en Oporto", "¿dónde es la boda?"),
    "it": ("nostra figlia Mia ha compiuto 6 anni il 3 marzo", "quand'è il compleanno di Mia?",
           "Kenji e Laura si sposano a ottobre a Porto", "dov'è il matrimonio?"),
    "nl": ("onze dochter Mia is 3 maart zes geworden", "wanneer is Mia jarig?",
           "Kenji en Laura trouwen in oktober in Porto", "waar is de bruiloft?"),
    "pl": ("nasza córka Mia 3 marca skończyła 6 lat", "kiedy Mia ma urodziny?",
           "Kenji i Laura biorą ślub w październiku w Porto", "gdzie jest wesele?"),
    "zh": ("我们女儿米娅3月3号满六岁了", "米娅生日是哪天？", "健二和劳拉十月在波尔图结婚", "婚礼在哪儿办？"),
    "ja": ("娘のミアが3月3日で6歳になった", "ミアの誕生日いつだっけ？", "健二とローラが10月にポルトで結婚する", "結婚式はどこ？"),
}  # fmt: skip


async def test_a_birthday_is_found_by_an_age_and_a_wedding_by_who_marries(tmp_path):
    """Broken: "turned six" in another language than English tells no birthday; "the wedding" is any wedding."""
    async with running(tmp_path) as service:
        for language, (age, _, marrying, _) in BY_THE_WAY.items():
            await service.keep(language, age, session_id="s0")
            await service.keep(language, marrying, session_id="s1")
            await service.digested(language)
        first = {
            (language, told): (await service.resonate(language, asked, session_id=asked)).json()["flashbacks"][:1]
            for language, (age, birthday, marrying, wedding) in BY_THE_WAY.items()
            for told, asked in ((age, birthday), (marrying, wedding))
        }

    assert [(told, shown) for (_, told), shown in first.items() if not shown or told not in shown[0]["text"]] == []


BESIDE = {
    "zh": ("周四早上九点半看牙医", "备用钥匙放在番茄后面的蓝罐子里了", "电钻借给隔壁的老汤了", "下周车要年检，送到老马修理厂",
           "终于看完《沙丘》了，太棒了", "这房子每月1450，含暖气", "我周二和周六沿着河跑步"),
    "ja": ("歯医者は木曜の9時半", "合鍵はトマトの後ろの青い瓶に入れといた", "ドリルを隣のトムに貸した", "来週車検で、山田自動車に出す",
           "やっとデューン読み終わった、最高", "家賃は暖房込みで1450", "火曜と土曜に川沿いを走ってる"),
    "ar": ("موعد طبيب الأسنان يوم الخميس الساعة التاسعة والنصف", "حطيت المفتاح الاحتياطي في العلبة الزرقاء ورا الطماطم",
           "أعرت المثقاب لجارنا طارق", "الأسبوع الجاي السيارة للفحص عند ورشة الأمان", "ندفع للشقة 1450 مع التدفئة",
           "أركض الثلاثاء والسبت جنب النهر"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "said", "question"),
    [
        ("zh", "清静个鬼,搬家那天纱门没关,二条飞了", "我原先养的那只鸟是怎么没的"),
        ("zh", "心里烦的是夜钓也搞不成了,三根竿子加抄网全送三毛了", "那几根鱼竿我后来给谁了"),
        ("zh", "老贺转我到办公室做调度,工资从1万2掉到6千5", "四月中旬工作上有什么变动"),
        ("ja", "会社の隣の花屋の西尾さんと飯行った", "花屋の人の名前出てこん、なんだっけ"),
        ("ar", "أخيرا معي سيارة! نيسان دفعت فيها 6900", "قديش كلفتني سيارتي"),
    ],
)
async def test_questions_without_a_mark_are_answered(tmp_path, language, said, question):
    """Broken: the message is taken for a remark, and nothing changes what is said to it."""
    async with running(tmp_path) as service:
        for day, one in enumerate((said, *BESIDE[language]), start=12):
            at = f"2026-04-{day}T10:00:00Z"
            await service.keep(language, {"role": "user", "content": one, "timestamp": at}, session_id=at[:10])
        await service.digested(language)
        shown = (await service.resonate(language, question, now="2026-10-28T10:00:00Z")).json()["flashbacks"]

    assert shown
    assert said in shown[0]["text"]
