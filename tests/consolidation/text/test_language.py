"""Languages, by ten messages of each as people chat."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.text.language import LANGUAGES, detect, is_surely_foreign, sure_language
from tests.support.growth import assert_linear, repeated

CHAT = {
    "en": (
        "hey, are you coming tonight?",
        "I forgot my keys at home again",
        "can you remind me to call mom tomorrow",
        "that was the best pizza ever",
        "my dog is sick, I'm worried about her",
        "what did I tell you about my new job?",
        "we moved to Berlin last month",
        "thanks, see you on Monday then",
        "I don't like the new design at all",
        "she said the meeting was cancelled",
    ),
    "es": (
        "hola, ¿vienes esta noche?",
        "me olvidé las llaves en casa otra vez",
        "puedes recordarme que llame a mi madre mañana",
        "esa fue la mejor pizza de mi vida",
        "mi perro está enfermo y estoy preocupada",
        "qué te dije de mi nuevo trabajo",
        "nos mudamos a Berlín el mes pasado",
        "gracias, nos vemos el lunes entonces",
        "no me gusta nada el nuevo diseño",
        "ella dijo que la reunión se canceló",
    ),
    "de": (
        "hey, kommst du heute Abend?",
        "ich habe schon wieder meine Schlüssel vergessen",
        "kannst du mich morgen an den Anruf erinnern",
        "das war die beste Pizza überhaupt",
        "mein Hund ist krank, ich mache mir Sorgen",
        "was habe ich dir über meinen neuen Job erzählt?",
        "wir sind letzten Monat nach Berlin gezogen",
        "danke, dann bis Montag",
        "mir gefällt das neue Design gar nicht",
        "sie hat gesagt, das Treffen fällt aus",
    ),
    "fr": (
        "salut, tu viens ce soir ?",
        "j'ai encore oublié mes clés à la maison",
        "tu peux me rappeler d'appeler maman demain",
        "c'était la meilleure pizza de ma vie",
        "mon chien est malade, je suis inquiète",
        "qu'est-ce que je t'ai dit sur mon travail ?",
        "on a déménagé à Berlin le mois dernier",
        "merci, on se voit lundi alors",
        "je n'aime pas du tout le nouveau design",
        "elle a dit que la réunion est annulée",
    ),
    "it": (
        "ciao, vieni stasera?",
        "ho dimenticato di nuovo le chiavi a casa",
        "puoi ricordarmi di chiamare la mamma domani",
        "era la pizza migliore della mia vita",
        "il mio cane sta male e sono preoccupata",
        "cosa ti ho detto del mio nuovo lavoro?",
        "ci siamo trasferiti a Berlino il mese scorso",
        "grazie, allora ci vediamo lunedì",
        "non mi piace per niente il nuovo design",
        "ha detto che la riunione è stata annullata",
    ),
    "pt": (
        "oi, você vem hoje à noite?",
        "esqueci as chaves em casa de novo",
        "pode me lembrar de ligar para a minha mãe amanhã",
        "foi a melhor pizza da minha vida",
        "meu cachorro está doente e estou preocupada",
        "o que eu te disse sobre o meu novo emprego?",
        "nos mudamos para Berlim no mês passado",
        "obrigado, então até segunda",
        "não gosto nada do novo design",
        "ela disse que a reunião foi cancelada",
    ),
    "nl": (
        "hé, kom je vanavond ook?",
        "ik ben mijn sleutels weer vergeten",
        "kun je me er morgen aan herinneren om mama te bellen",
        "dat was echt de beste pizza ooit",
        "mijn hond is ziek, ik maak me zorgen",
        "wat heb ik je verteld over mijn nieuwe baan?",
        "we zijn vorige maand naar Berlijn verhuisd",
        "bedankt, tot maandag dan",
        "ik vind het nieuwe ontwerp helemaal niks",
        "ze zei dat de vergadering niet doorgaat",
    ),
    "pl": (
        "hej, przyjdziesz dziś wieczorem?",
        "znowu zapomniałem kluczy z domu",
        "przypomnij mi jutro, żeby zadzwonić do mamy",
        "to była najlepsza pizza w moim życiu",
        "mój pies jest chory, martwię się",
        "co ci mówiłam o mojej nowej pracy?",
        "w zeszłym miesiącu przeprowadziliśmy się do Berlina",
        "dzięki, to do zobaczenia w poniedziałek",
        "w ogóle nie podoba mi się nowy projekt",
        "powiedziała, że spotkanie jest odwołane",
    ),
    "zh": (
        "你今晚来吗？",
        "我又把钥匙忘在家里了",
        "明天提醒我给妈妈打电话",
        "那是我吃过最好的披萨",
        "我的狗病了，我很担心",
        "我跟你说过我的新工作吗？",
        "我们上个月搬到了柏林",
        "谢谢，那周一见",
        "我今天用 PostgreSQL 做了测试",
        "她說會議取消了",
    ),
    "ja": (
        "今夜来る？",
        "また家に鍵を忘れた",
        "明日お母さんに電話するのを思い出させて",
        "人生で一番おいしいピザだった",
        "犬が病気で心配です",
        "新しい仕事の話、したっけ？",
        "先月ベルリンに引っ越しました",
        "ありがとう、じゃあ月曜日に",
        "新しい Design はあまり好きじゃない",
        "会議は中止だって",
    ),
    "ko": (
        "오늘 밤에 올 거야?",
        "또 집에 열쇠를 두고 왔어",
        "내일 엄마한테 전화하라고 알려줘",
        "인생 최고의 피자였어",
        "우리 강아지가 아파서 걱정돼",
        "내가 새 직장 얘기 했었나?",
        "지난달에 베를린으로 이사했어",
        "고마워, 그럼 월요일에 봐",
        "새 디자인은 별로야",
        "회의가 취소됐대",
    ),
    "ru": (
        "привет, ты придёшь сегодня вечером?",
        "я опять забыл ключи дома",
        "напомни мне завтра позвонить маме",
        "это была лучшая пицца в моей жизни",
        "моя собака заболела, я волнуюсь",
        "что я тебе говорила про новую работу?",
        "мы переехали в Берлин в прошлом месяце",
        "спасибо, тогда до понедельника",
        "мне совсем не нравится новый дизайн",
        "она сказала, что встречу отменили",
    ),
    "ar": (
        "هل ستأتي الليلة؟",
        "نسيت مفاتيحي في البيت مرة أخرى",
        "ذكرني غدا أن أتصل بأمي",
        "كانت أفضل بيتزا في حياتي",
        "كلبي مريض وأنا قلقة عليه",
        "ماذا قلت لك عن عملي الجديد؟",
        "انتقلنا إلى برلين الشهر الماضي",
        "شكرا، أراك يوم الاثنين",
        "لا يعجبني التصميم الجديد أبدا",
        "قالت إن الاجتماع ألغي",
    ),
}
FILLER = (
    "ok",
    "haha",
    "hahaha haha haha",
    "lol",
    "👍",
    "",
    "   ",
    "42",
    "Berlin",
    "hmm hmm",
    "?!",
    "https://x.org/ich",
)


@pytest.mark.parametrize("language", CHAT)
def test_short_messages_are_told_apart(language: str) -> None:
    told = [detect(message, fallback="und") for message in CHAT[language]]

    assert told.count(language) >= 9, dict(zip(CHAT[language], told, strict=True))


def test_nearly_all_messages_are_told_right() -> None:
    right = [detect(message) == language for language, messages in CHAT.items() for message in messages]

    assert sum(right) / len(right) >= 0.95


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Mi madre Ingrid vive en Lyon.", "es"),
        ("Compré una bicicleta roja.", "es"),
        ("Mi perro murió.", "es"),
        ("Soy enfermera.", "es"),
        ("Je m'appelle Ana.", "fr"),
        ("Sono infermiera.", "it"),
        ("Sou enfermeira.", "pt"),
        ("Jestem pielęgniarką.", "pl"),
        ("We aten soep.", "nl"),
    ],
)
def test_a_few_words_are_told_by_those_that_stand_in_every_text_of_a_language(said: str, language: str) -> None:
    """Broken: the model alone decides, which has seen longer texts. A newcomer's first words were taken for English."""
    fallback = "ru" if language == "nl" else "en"  # "we" is English, too

    assert detect(said, fallback=fallback) == language


@pytest.mark.parametrize(
    ("said", "fallback"),
    [
        ("I met Jean de la Fontaine", "en"),
        ("the El Paso trip", "en"),
        ("to do list", "en"),
        ("Vivo a Madrid.", "pt"),  # Italian, Spanish or Portuguese
        ("Me chame de Bob.", "pt"),
        ("Меня зовут Аня.", "ru"),
        ("Меня зовут Аня.", "en"),
    ],
)
def test_words_of_several_languages_leave_it_to_the_fallback(said: str, fallback: str) -> None:
    """Broken: what another language has more of decides, though the fallback has some."""
    assert detect(said, fallback=fallback) == ("ru" if "Аня" in said else fallback)


@pytest.mark.parametrize("filler", FILLER)
def test_filler_says_nothing_so_the_fallback_decides(filler: str) -> None:
    assert detect(filler, fallback="pl") == "pl"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ты", "ru"),
        ("สวัสดีครับ", "th"),
        ("שלום לכולם", "he"),
        ("καλημέρα", "el"),
        ("नमस्ते", "hi"),
        ("من کتاب می‌خوانم", "fa"),
        ("مجھے یہ پسند ہے", "ur"),
        ("я дуже люблю українську мову і їжу", "uk"),
        ("ово је љубав", "sr"),
        ("ﾊﾝｶｸ", "ja"),
    ],
)
def test_a_script_tells_by_itself_however_short(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("¿Dónde vivo?", "es"),
        ("donde vivo?", "es"),
        ("Dove abito?", "it"),
        ("Onde moro?", "pt"),
        ("Gdzie mieszkam?", "pl"),
        ("Où ?", "fr"),
        ("wo wohn ich?", "de"),
        ("Waar woon ik?", "nl"),
        ("how old?", "en"),
        ("Как зовут мою кошку?", "ru"),
        ("Як звати?", "uk"),
    ],
)
def test_a_short_question_is_told_by_its_first_words(question: str, language: str) -> None:
    assert detect(question, fallback="hu") == language


def test_a_question_word_of_several_languages_leaves_those_to_tell_apart() -> None:
    assert detect("Que carro conduzo?", fallback="hu") == "pt"
    assert detect("Wie ben ik?", fallback="hu") == "nl"
    assert detect("Was that good?", fallback="hu") == "en"


def test_what_is_not_asked_is_not_told_by_a_question_word() -> None:
    assert detect("Dokąd idziesz?", fallback="hu") == "pl"
    assert detect("Dokąd idziesz", fallback="hu") == "hu"


@pytest.mark.parametrize("text", ["家賃?", "年収?", "誕生日?", "次回会議", "東京都千代田区一番町"])
def test_ideographs_alone_are_japanese_for_who_writes_japanese(text: str) -> None:
    """Broken: they were Chinese for everybody."""
    assert detect(text, fallback="ja") == "ja"
    assert detect(text, fallback="zh") == "zh"
    assert detect(text, fallback="en") == "zh"


@pytest.mark.parametrize("text", ["我现在住在哪里？", "你几岁了", "我們去過這裡", "推荐一些零食"])
def test_letters_that_japanese_lacks_are_chinese_for_everybody(text: str) -> None:
    assert detect(text, fallback="ja") == "zh"


@pytest.mark.parametrize("question", ["Где мама?", "Где врач?", "Где сад?", "Где мама живет?", "Где моя куртка?"])
def test_a_short_question_that_may_be_in_the_fallback_is(question: str) -> None:
    """Broken: the model took some for Serbian."""
    assert detect(question, fallback="ru") == "ru"


def test_a_short_question_that_begins_like_english_is_seldom_english() -> None:
    assert detect("Was ist da?", fallback="en") == "de"
    assert detect("Was ist?", fallback="en") == "de"


def test_the_fallback_decides_within_its_script() -> None:
    assert detect("привет", fallback="uk") == "uk"
    assert detect("привет", fallback="de") == "ru"


def test_code_and_addresses_do_not_count() -> None:
    code = "```python\nfor item in the_list_of_things: print(item)  # this is an English comment\n```"

    assert detect(f"bei mir kommt hier ein Fehler, siehst du warum? {code} https://example.org/what/is/this") == "de"
    assert detect(code, fallback="fr") == "fr"


def test_the_script_of_most_letters_wins() -> None:
    assert detect("Can you explain what 你好 means to me please?") == "en"
    assert detect("我今天在 GitHub 上看到了这个项目") == "zh"


def test_threads_that_ask_at_once_hear_the_same() -> None:
    with ThreadPoolExecutor(8) as pool:
        told = set(pool.map(detect, ["we moved to Berlin last month"] * 64))

    assert told == {"en"}


@pytest.mark.parametrize("unit", ["a@", "`", "``` ", "/", "hello my friend ", "\n`a", "好"])
def test_the_cost_of_a_long_text_grows_with_its_length(unit: str) -> None:
    detect("we moved to Berlin last month")

    assert_linear(detect, repeated(unit))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_one_language(text: str) -> None:
    assert any(detect(text) in codes for codes in LANGUAGES.values())


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I remember that aunt Carla lives in Lyon.", "en"),
        ("Ich erinnere mich, dass du Walnüsse nicht magst.", "de"),
        ("Пам'ятаю, що мама живе в Києві з котом", "uk"),
        ("我记得你们打算种两棵核桃树。", "zh"),
        ("血液型O型", ""),
        ("妹さんが結婚すると聞きました。", "ja"),
        ("Ann lives in Lyon", ""),
        ("Bruno la Torre plays guitar in Milano", ""),
        ("I like 寿司 and ラーメン", ""),
        ("…", ""),
    ],
)
def test_a_language_is_sure_only_where_enough_of_the_text_says_so(text, language):
    """Broken: five words, the confidence or the share of the script is not asked for."""
    assert sure_language(text) == language


@pytest.mark.parametrize(
    ("text", "language", "is_foreign"),
    [
        ("Отдохнуть", "en", True),
        ("休む", "en", True),
        ("Отдохнуть", "ru", False),
        ("請求書確認", "ja", False),
        ("pytest: FAIL", "ru", False),
        ("42 → 43", "en", False),
    ],
)
def test_letters_tell_what_a_language_is_not_written_in_but_latin_ones_do_not(text, language, is_foreign):
    assert is_surely_foreign(text, language=language) is is_foreign


@pytest.mark.parametrize(
    ("said", "spoken", "language"),
    [
        ("wann is bandprobe", ("de", "en"), "de"),
        ("how do i centre a div", ("en",), "en"),
        ("Da quand'è che Mimmo torna a casa ogni sera?", ("it", "en"), "it"),
        ("oyaji no hatake tte nani sodatetoru n dakke", ("ja",), "ja"),
        ("kuda menya vzyali rabotat i na skolko deneg", ("ru",), "ru"),
        ("b kam b3t sayyarti el adimeh w la meen", ("ar",), "ar"),
    ],
)
def test_a_guess_at_a_language_that_somebody_never_wrote_in_does_not_count(
    said: str, spoken: tuple[str, ...], language: str
) -> None:
    assert detect(said, fallback=spoken[0]) != language
    assert detect(said, fallback=spoken[0], spoken=spoken) == language


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Wo wohne ich jetzt?", "de"),
        ("Worauf ist meine Enkelin allergisch?", "de"),
        ("Combien coûte le loyer de mon studio ?", "fr"),
        ("¿Cuándo es la boda?", "es"),
        ("Hoe heet mijn nichtje?", "nl"),
        ("Ile jednostek insuliny teraz biorę?", "pl"),
        ("Em que dia chega o meu filho?", "pt"),
        ("сколько я плачу за квартиру", "ru"),
        ("私はどこに住んでいますか", "ja"),
    ],
)
def test_a_language_that_somebody_writes_in_for_the_first_time_is_told_all_the_same(said: str, language: str) -> None:
    assert detect(said, fallback="en", spoken=("en",)) == language
