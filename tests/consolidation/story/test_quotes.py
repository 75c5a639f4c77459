"""The story without a model: what it chooses, what it never tells, and that it only quotes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker
from consolidation.story.quoted_leads import leads_of as leads_of_language
from consolidation.story.quoted_sayings import sayings
from consolidation.story.quotes import quote
from consolidation.text.language import detect
from service.retrieval.lead_words import LEADS

HOUSE = "We signed the contract for the house in Lyon yesterday."
DOG = "I adopted a dog called Pascal from the shelter in Bonn."
RACE = "I ran the first half marathon of my life in Bonn on Sunday."
MARKS = str.maketrans("“”„‟«»「」", "‘’‚‛‹›『』")


def said(text, *, who="Ann", role=Speaker.USER):
    return Message(role, text, name=who)


def told(*days, language="en", is_told_by_model=False):
    """The chapters of days, each a pair of its date and what was said."""
    batch = [{"when": f"{day} 09:00", "weekday": "", "gap": "", "said": tuple(messages)} for day, *messages in days]
    return quote(batch, language=language, is_told_by_model=is_told_by_model).append


def texts(*days, language="en"):
    return "\n\n".join(chapter.text for chapter in told(*days, language=language))


@pytest.mark.parametrize(
    "dropped",
    [
        "Wow, that is so great, thank you for all your support!",
        "What did you do on the weekend in Bonn with Carla?",
        "You should always believe in your dreams and keep going!",
        "Please write me a letter to my landlord in Bonn.",
    ],
)
def test_cheers_questions_and_requests_are_not_told_beside_an_event(dropped):
    assert texts(("2026-01-05", said(HOUSE), said(dropped))) == f"Ann told me: “{HOUSE}”"


@pytest.mark.parametrize(
    ("language", "rule"),
    [
        ("en", "Never restart the payment service between 18:00 and 20:00, that is when people buy."),
        ("de", "Bitte nie den Zahlungsdienst zwischen 18:00 und 20:00 neu starten, da kaufen die Leute."),
        ("es", "Nunca reinicies el servicio de pagos entre las 18:00 y las 20:00, es cuando la gente compra."),
        ("nl", "Stel me nooit noten voor, ik ben allergisch."),
        ("pl", "Nigdy nie proponuj mi orzechów, jestem uczulony."),
        ("ru", "Никогда не предлагай мне грибы, у меня на них аллергия."),
        ("ar", "لا تقترح علي المكسرات أبدا، عندي حساسية منها."),
    ],
)
def test_what_is_never_to_be_done_is_told_before_what_is_said_beside_it(language, rule):
    """Broken: an order weighs what its names and numbers do."""
    beside = {
        "en": "Also: the supplier feed password changes on the first of each month, ask Jens for it.",
        "de": "Außerdem: das Passwort des Lieferanten ändert sich am Ersten jedes Monats, frag Jens danach.",
        "es": "Además: la contraseña del proveedor cambia el primero de cada mes, pregúntale a Jens por ella.",
        "nl": "Ook verandert het wachtwoord van de leverancier elke maand, vraag Jens ernaar.",
        "pl": "Poza tym hasło dostawcy zmienia się co miesiąc, zapytaj Jensa.",
        "ru": "Ещё пароль поставщика меняется каждый месяц, спроси у Йенса.",
        "ar": "كلمة مرور المورد تتغير كل شهر، اسأل ينس عنها.",
    }
    found = {one.text: one.weight for one in sayings([said(f"{rule} {beside[language]}")], language=language)}

    assert found[rule] > found[beside[language]]


@pytest.mark.parametrize(
    ("language", "event", "filler", "lead"),
    [
        (
            "de",
            "Ich habe am Montag die Bäckerei Müller in Köln übernommen.",
            "Das klingt echt toll!",
            "Ann erzählte mir",
        ),
        ("es", "Ayer firmé el contrato de la casa en Valencia.", "¡Qué bien, me alegro mucho!", "Ann me contó"),
        ("fr", "J'ai signé hier le contrat pour la maison à Lyon.", "Merci, c'est super gentil !", "Ann m'a dit"),
        ("it", "Ho firmato ieri il contratto per la casa a Torino.", "Grazie, sei fantastico!", "Ann mi ha detto"),
        ("pt", "Assinei ontem o contrato da casa em Recife.", "Obrigada, que ótimo!", "Ann me contou"),
        (
            "nl",
            "Gisteren hebben we het contract voor het huis in Gent getekend.",
            "Dankjewel, wat leuk!",
            "Ann vertelde me",
        ),
        ("pl", "Wczoraj podpisaliśmy umowę na mieszkanie w Gdańsku.", "Dziękuję, to świetnie!", "Ann opowiada mi"),
        ("ru", "Вчера мы переехали из Твери в Казань.", "Спасибо, как здорово!", "Ann (рассказ)"),
        ("ar", "أمس انتقلنا من طنطا إلى الإسكندرية.", "شكرا جزيلا، هذا رائع!", "أخبرني Ann"),
        ("zh", "我们昨天在成都买了房子，下个月搬家。", "谢谢你！", "Ann告诉我"),
        ("ja", "昨日、横浜の会社に採用されました。", "ありがとう！", "Annは私に言った"),
    ],
)
def test_what_mattered_is_told_in_the_language_of_the_talk(language, event, filler, lead):
    [chapter] = told(("2026-01-05", said(f"{event} {filler}")), language=language)

    assert chapter.text.startswith(lead) and event in chapter.text and filler not in chapter.text


SHORT_FACTS = (
    "I have cancer.", "Max is dead.", "Pascal is ill.", "I am vegan.", "Mimi is my cat.", "I have two kids.", "Papa ist tot.",
    "I'm a nurse.", "Je suis vegan.", "J'ai un cancer.", "Soy vegano.", "Soy enfermera.", "Sono vegana.", "Sou vegano.",
    "Ik heb kanker.", "Jestem weganką.", "Я веган.", "У меня рак.", "我是护士。", "我妈妈住在里昂。", "私は看護師です。",
    "أنا نباتي",
)  # fmt: skip
SMALL_TALK = (
    "ok thanks", "haha, no way", "good night", "I am fine.", "I'm at work.", "The dog is barking.", "the doctor was nice",
    "Nice cat.", "You are sick!", "I'm sick of it.", "my friend is here", "I have a meeting.", "The movie was good.",
    "what a cute cat", "Mir geht es gut.", "Guten Morgen", "我很好。", "おやすみなさい",
)  # fmt: skip


@pytest.mark.parametrize("fact", SHORT_FACTS)
def test_what_states_something_of_a_life_is_told_however_short(fact):
    """Broken: a short sentence without a name or a number passes for small talk. It counts as told and is nowhere."""
    trip = "We drove to York on Sunday to see the cathedral with Tom."

    assert fact in texts(("2026-01-05", said(fact)), language=detect(fact))
    assert fact in texts(("2026-01-05", said(trip), said(fact)), language="en")


@pytest.mark.parametrize("talk", SMALL_TALK)
def test_short_small_talk_is_not_told(talk):
    assert told(("2026-01-05", said(talk)), language=detect(talk)) == ()


LIVES = {
    "nl": (
        "Ik heet Sanne en ik ben negenendertig.",
        "Vorige week zijn we van Utrecht naar Groningen verhuisd.",
        "Ik ben aangenomen bij de gemeente, ik begin maandag.",
        "Oké, goed. Wat leuk!",
    ),
    "pl": (
        "Nazywam się Marek i mam trzydzieści osiem lat.",
        "W zeszłym tygodniu przeprowadziliśmy się z Łodzi do Gdańska.",
        "Dostałem nową pracę w stoczni, zaczynam w poniedziałek.",
        "Dobrze, rozumiem. Super!",
    ),
    "ru": (
        "Меня зовут Наталья, мне сорок один год.",
        "На прошлой неделе мы переехали из Твери в Казань.",
        "Меня взяли на работу в городскую библиотеку, выхожу в понедельник.",
        "Хорошо, поняла. Здорово!",
    ),
    "ar": (
        "اسمي سلمى وعمري ثمان وثلاثون سنة.",
        "الأسبوع الماضي انتقلنا من طنطا إلى الإسكندرية.",
        "حصلت على وظيفة جديدة في مكتبة المدينة، وسأبدأ يوم الاثنين.",
        "حسنا، فهمت. رائع!",
    ),
}


MIXED = {
    "zh": ("对方告诉我：“", "昨天我和妹妹小丽一起从上海搬到了北京，我们在那里租了一套房子。"),
    "en": ("They told me: “", "Anna moved to Leeds."),
    "ru": ("Мне рассказали: «", "Моя сестра Вера переехала в Казань."),
    "ar": ("قيل لي: «", "انتقلت أختي ليلى إلى القاهرة في العام الماضي."),
    "ja": ("こう聞いた。「", "妹の花子は先月、大阪の会社で働き始めました。"),
    "es": ("Me contaron: «", "Mi hermana Lucía se mudó a Málaga con el perro."),
}


@pytest.mark.parametrize("talk", ["zh", "en", "ru"])
def test_a_quotation_is_introduced_in_its_own_language(talk):
    """Broken: in that of most of the turns."""
    days = [(f"2026-0{month}-05", said(text, who=None)) for month, (_, text) in enumerate(MIXED.values(), 1)]
    chapters = [chapter.text for chapter in told(*days, language=talk)]

    assert [text[: len(lead)] for text, (lead, _) in zip(chapters, MIXED.values(), strict=True)] == [
        lead for lead, _ in MIXED.values()
    ]


def test_beside_chapters_of_a_model_a_quotation_is_introduced_in_the_language_of_the_story():
    turns = ("2026-01-05", said(MIXED["es"][1], who=None))

    [chapter] = told(turns, language="de", is_told_by_model=True)
    [other] = told(turns, language="tr", is_told_by_model=True)

    assert chapter.text == f"Man erzählte mir: „{MIXED['es'][1]}“"
    assert other.text.startswith("Me contaron: «")  # Turkish has no leads


def test_what_one_said_in_two_languages_on_a_day_is_two_quotations():
    zh, ru = MIXED["zh"][1], MIXED["ru"][1]
    [chapter] = told(("2026-01-05", said(zh, who=None), said(ru, who=None)), language="zh")

    assert chapter.text == f"对方告诉我：“{zh}”\n\nМне рассказали ещё: «{ru}»"


@pytest.mark.parametrize("language", LIVES)
def test_a_name_a_move_and_a_new_job_are_told_and_small_talk_is_not(language):
    name, move, job, small_talk = LIVES[language]
    story = texts(*((f"2026-01-{day:02}", said(one)) for day, one in enumerate(LIVES[language], 5)), language=language)

    assert all(one in story for one in (name, move, job)) and small_talk.split(".")[0] not in story


@pytest.mark.parametrize("language", LIVES)
def test_what_a_life_turns_on_weighs_more_than_the_weather(language):
    weather = {
        "nl": "Het weer is vreselijk, het regent de hele ochtend.",
        "pl": "Pogoda jest okropna, leje od samego rana.",
        "ru": "Погода отвратительная, дождь льёт с утра.",
        "ar": "الطقس سيئ جدا والمطر ينزل في الصباح.",
    }
    _, move, job, _ = LIVES[language]
    found = {one.text: one.weight for one in sayings([said(f"{weather[language]}\n{move}\n{job}")], language=language)}

    assert min(found[move], found[job]) > found[weather[language]] + 1.0


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("nl", "Ik woon in Utrecht met mijn man en twee katten."),
        ("nl", "Volgende week gaan we naar mijn moeder in Zwolle voor haar verjaardag."),
        ("pl", "Wczoraj przeprowadziliśmy się z Łodzi do Gdańska, do mieszkania nad kanałem."),
        ("pl", "W przyszłym tygodniu jedziemy do mamy do Torunia na urodziny."),
    ],
)
def test_a_sentence_is_read_in_the_language_of_its_talk(language, text):
    """Broken: "do" and "na" make Portuguese of Polish, "in" and "man" German of Dutch."""
    [one] = sayings([said(text)], language=language)

    assert one.language == language


@pytest.mark.parametrize("language", LIVES)
@pytest.mark.parametrize(
    ("kind", "role", "who"),
    [
        ("told", Speaker.USER, None),
        ("named", Speaker.USER, "Ann"),
        ("said", Speaker.ASSISTANT, None),
        ("noted", Speaker.THOUGHT, None),
        ("read", Speaker.TOOL, None),
    ],
)
def test_the_story_and_the_block_say_alike_who_said_it(language, kind, role, who):
    lead = LEADS[language][kind].partition("{text}")[0].format(name="Ann").rstrip("“„«")
    begun = leads_of_language(language).led("", who=who or "", role=role, is_more=False)

    assert begun.rstrip("“”„«»") == lead[:1].upper() + lead[1:]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("tr", "Belediyede yeni bir işe girdim ve çok çalışıyorum."),
        ("ko", "우리는 부산에서 서울로 이사했어요."),
    ],
)
def test_a_language_without_words_here_is_not_held_against_a_sentence(language, text):
    """Broken: it weighs 0.6 less, as if it named no event, although no event could be found."""
    [one] = sayings([said(text)], language=language)

    assert one.weight == pytest.approx(1 + min(len(one.stems), 9) / 12)


def test_small_talk_makes_no_chapter():
    assert not told(("2026-01-05", said("Good morning!"), said("Hello Ann.", who=None, role=Speaker.ASSISTANT)))


def test_an_answer_that_only_mirrors_is_not_told():
    mirror = said("I noted the contract for the house, and Pascal from Bonn.", who=None, role=Speaker.ASSISTANT)

    assert "I said" not in texts(("2026-01-05", said(HOUSE), said(DOG), mirror))


def test_what_the_bot_did_itself_is_told():
    did = "I moved the backup of 2024 to the disk in Bonn on Monday."

    assert texts(("2026-01-05", said(did, who=None, role=Speaker.ASSISTANT))) == f"I said: “{did}”"


def test_a_sentence_that_points_back_is_told_only_behind_what_it_points_at():
    far = texts(("2026-01-05", said(HOUSE), said("They sold their house last year."), said(RACE)))
    near = texts(("2026-01-05", said(f"{DOG} He turned three in March and sleeps on my bed.")))

    assert "They sold" not in far
    assert near == f"Ann told me: “{DOG} He turned three in March and sleeps on my bed.”"


def test_what_was_said_on_two_days_is_told_once():
    days = (("2026-01-05", said(DOG)), ("2026-01-20", said(f"{DOG} {RACE}")))

    assert texts(*days).count("Pascal") == 1 and RACE in texts(*days)


def test_a_new_number_is_no_repetition():
    first, later = "The agent wants 280 thousand for the house.", "The agent wants 265 thousand for the house."

    assert later in texts(("2026-01-05", said(first)), ("2026-01-20", said(later)))


def test_a_slight_day_is_joined_to_the_day_before_and_its_heading_says_so():
    [chapter] = told(("2026-01-05", said(HOUSE)), ("2026-01-07", said("The tomatoes behind the shed are red.")))

    assert chapter.at == "2026-01-05 09:00 – 2026-01-07 09:00"
    assert chapter.text == f"Ann told me: “{HOUSE} … The tomatoes behind the shed are red.”"


def test_a_day_that_mattered_has_its_own_chapter():
    assert [one.at for one in told(("2026-01-05", said(HOUSE)), ("2026-01-06", said(DOG)))] == [
        "2026-01-05 09:00",
        "2026-01-06 09:00",
    ]


def test_speakers_who_take_many_turns_have_one_paragraph_each():
    talk = (said(HOUSE), said(DOG, who="Bea"), said(RACE), said("My sister Carla died in March 2019.", who="Bea"))

    paragraphs = texts(("2026-01-05", *talk)).split("\n\n")

    assert [one.partition(":")[0] for one in paragraphs] == ["Ann told me", "Bea told me"]


def test_the_second_paragraph_of_a_speaker_has_another_lead():
    paragraphs = texts(("2026-01-05", said(HOUSE), said(DOG, who="Bea"), said(RACE))).split("\n\n")

    assert [one.partition(":")[0] for one in paragraphs] == ["Ann told me", "Bea told me", "Ann also told me"]


MACHINE = (
    '{"status": "ok", "city": "Lyon", "temp": 12.5}',
    "2026-03-01 02:11:43 nas backup[812]: ERROR disk /dev/sdb1 is full.",
    'Traceback (most recent call last):\n  File "/opt/run.py", line 88, in <module>\nOSError: No space left on my device.',
    "$ git status\nOn branch main\nYour branch is up to date with 'origin/main'.",
    "```\nWe moved to Lyon in March 2026.\n```",
    "The details of our move to Lyon are at https://example.org/lyon today.",
    "def moved(house):\n    return house.in_lyon()",
    "drwxr-xr-x 2 ann ann 4096 Mar  1 02:00 lyon",
    "| city | moved |\n| Lyon | 2026 |",
    '[calls shell({"command": "ls"})]',
)


@pytest.mark.parametrize("role", [Speaker.USER, Speaker.ASSISTANT, Speaker.TOOL])
@pytest.mark.parametrize("machine", MACHINE)
def test_machine_text_is_never_quoted(machine, role):
    assert texts(("2026-01-05", said(machine, role=role), said(DOG))) == f"Ann told me: “{DOG}”"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("hi", "मेरी बिल्ली का नाम मीठी है और वह तीन साल की है।"),
        ("th", "ฉันชื่อมะลิและพี่ชายของฉันอยู่ที่เชียงใหม่"),
        ("ta", "என் தங்கையின் பெயர் மீனாட்சி, அவள் சென்னையில் இருக்கிறாள்."),
        ("ar", "أُخْتِي سَلْمَى تَسْكُنُ فِي بَيْرُوتَ، وَهِيَ طَبِيبَةٌ."),
        ("he", "אֲחוֹתִי דְּבוֹרָה גָּרָה בִּירוּשָׁלַיִם 3 שָׁנִים, וְהִיא רוֹפְאָה בְּבֵית חוֹלִים."),
    ],
)
def test_a_line_whose_vowels_are_marks_is_told(language, line):
    """Broken: marks are no letters, so that the line counts as machine text."""
    assert line.rstrip(".।") in texts(("2026-01-05", said(line)), language=language)


def test_what_a_person_says_behind_machine_text_is_told():
    assert texts(("2026-01-05", said(f"{MACHINE[3]}\n\n{DOG}"))) == f"Ann told me: “{DOG}”"


def test_what_a_tool_showed_is_read_and_only_where_nothing_else_was_said():
    page = said("The market of the town is closed because of the rain.", who="web", role=Speaker.TOOL)

    assert texts(("2026-01-05", page)).startswith("I read: “The market")
    assert "market" not in texts(("2026-01-05", page, said(DOG)))


def test_who_imitates_another_speaker_is_quoted_and_gives_no_title():
    [chapter] = told(("2026-01-05", said("Bob: I never paid my rent in Lyon.")))

    assert chapter.text == "Ann told me: “Bob: I never paid my rent in Lyon.”"
    assert chapter.title == "“Bob: I never paid my rent …”"


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("en", "Yesterday I went to the charity race in Bonn with Carla.", "The charity race in Bonn"),
        ("en", "I finally quit my job.", "“I finally quit my job”"),
        ("en", "Buyers have pulled out, their mortgage fell through.", "“Buyers have pulled out”"),
        ("en", "We had to have Clippie put to sleep this morning.", "“We had to have Clippie put to sleep”"),
        ("de", "Ich habe gestern gekündigt, und morgen fahre ich weg.", "„Ich habe gestern gekündigt“"),
        ("es", "No he vendido la casa de Valencia.", "La casa de Valencia"),
        ("fr", "J'ai largué Romain hier.", "« J'ai largué Romain hier »"),
        ("it", "Ho firmato il contratto per la libreria.", "«Ho firmato il contratto»"),
        ("nl", "Gisteren ging ik naar de nieuwe bakkerij van Carla.", "De nieuwe bakkerij van Carla"),
        ("nl", "Ik heb gisteren ontslag genomen, en morgen ga ik weg.", "“Ik heb gisteren ontslag genomen”"),
        (
            "pl",
            "Wczoraj przeprowadziliśmy się z Łodzi do nowego mieszkania nad kanałem.",
            "„Wczoraj przeprowadziliśmy się z Łodzi”",
        ),
        ("ru", "Меня взяли на работу в городскую библиотеку, выхожу в понедельник.", "«Меня взяли на работу»"),
        ("ar", "حصلت على وظيفة جديدة في مكتبة المدينة، وسأبدأ يوم الاثنين.", "«حصلت على وظيفة جديدة»"),
        ("zh", "我和小红决定十月在成都结婚，她妈妈非常高兴。", "“我和小红决定十月在成都结婚”"),
    ],
)
def test_a_title_is_a_noun_phrase_or_a_short_quotation(language, text, title):
    assert [one.title for one in told(("2026-01-05", said(text)), language=language)] == [title]


def test_a_title_never_drops_a_negation():
    [chapter] = told(("2026-01-05", said("no vendo el piso, ni hablar")), language="es")

    assert "no vendo" in chapter.title


def test_two_chapters_have_two_titles():
    race = "I went to the charity race in Bonn and won {} medals."

    first, second = told(("2026-01-05", said(race.format(2))), ("2026-02-05", said(race.format(15))))

    assert first.title == "The charity race in Bonn" and second.title != first.title


words = st.sampled_from(
    [
        *HOUSE.split(),
        *DOG.split(),
        "it",
        "They",
        "and",
        "no",
        "12",
        "“so”",
        "Bob:",
        "…",
        "!",
        "ich",
        "für",
        "昨日",
        "🙂",
    ]
)
sentences = st.lists(words, min_size=1, max_size=14).map(" ".join)
contents = st.lists(st.one_of(sentences, st.sampled_from([*MACHINE, HOUSE, DOG, ""])), max_size=4).map("\n".join)
messages = st.builds(
    lambda text, who, role: Message(role, text, name=who),
    contents,
    st.sampled_from(["Ann", "Bea", None]),
    st.sampled_from(Speaker),
)
talks = st.lists(
    st.tuples(st.sampled_from(["2026-01-05", "2026-01-06", "2026-03-01"]), messages), min_size=1, max_size=6
)


def leads_of(message):
    """How what a message says may be led in."""
    by_role = {Speaker.ASSISTANT: ("I said: ",), Speaker.THOUGHT: ("I noted: ",)}
    who = message.name or "They"
    own = (f"{who} told me: ", f"{who} also told me: ") if message.role is Speaker.USER else ("I read: ",)
    return by_role.get(message.role, own)


def quoted_of(text):
    """Who a paragraph leads in, and each run that it quotes."""
    for paragraph in text.split("\n\n"):
        lead, _, rest = paragraph.partition("“")
        yield lead, [run for run in rest[:-1].split(" … ") if run.strip()]


@settings(max_examples=150, deadline=None)
@given(talks)
def test_every_quoted_run_stands_in_a_message_of_its_speaker(talk):
    for chapter in told(*talk):
        for lead, runs in quoted_of(chapter.text):
            own = [one.content.translate(MARKS) for _, one in talk if lead in leads_of(one)]

            assert all(any(run.strip(" …") in content for content in own) for run in runs)


@settings(max_examples=100, deadline=None)
@given(talks)
def test_every_word_of_a_title_was_said(talk):
    spoken = {word for _, one in talk for word in re.findall(r"\w+", f"{one.content} {one.who}".casefold())}

    for chapter in told(*talk):
        assert set(re.findall(r"\w+", chapter.title.casefold())) <= spoken
