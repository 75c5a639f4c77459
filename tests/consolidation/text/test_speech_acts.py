"""What somebody does with a sentence: a question and a request tell nothing, and who does not know says so."""

import pytest
from hypothesis import given

from consolidation.text.speech_acts import (
    contrasts,
    is_question,
    is_request,
    known,
    tells,
    told,
    with_question_mark,
    wants_answer,
)
from tests.support import strategies
from tests.support.growth import assert_linear, repeated


@pytest.mark.parametrize(
    "text",
    [
        "Is that so?",
        "where does my aunt live",
        "what's her name",
        "So what did I say",
        "did I tell you about Lyon",
        "Wie heißt meine Schwester",
        "was mag ich",
        "hab ich dir das erzählt",
        "¿Dónde vive mi tía",
        "cómo se llama mi hermana",
        "où habite ma tante",
        "est-ce que j'ai un chat",
        "come si chiama mia sorella",
        "como se chama a minha irmã",
        "como chama meu cachorro",
        "cadê minha receita",
        "que dia é a consulta",
        "em que rua eu moro",
        "pra quem eu vendi a moto",
        "oq eu tomo de manhã",
        "как зовут мою сестру",
        "أين تسكن أختي",
        "我妹妹住在哪里",
        "你还记得我吗。",
        "私の妹はどこに住んでいますか。",
        "妹の名前は？",
        "妹の名前は",
        "車の色は何色",
        "転職先はどこ",
        "一昨日何があった",
        "母に何をプレゼントしたっけ",
        "明日は晴れるかな",
        "по каким дням у меня татарский",
        "какую дозу я принимаю",
        "кем я работала раньше",
        "к какому врачу я хожу",
        "из какого города мама",
        "когда мы переехали",
        "我的猫叫什么名字",
        "以前的房租多少钱",
        "爸爸什么时候来",
        "谁送了我饺子",
        "吉他课星期几",
        "Really? 😅",
    ],
)
def test_a_question_is_known_by_its_mark_or_by_its_words(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "My aunt lives in Lyon.",
        "Was at the gym today.",
        "Had a call with my boss.",
        "When I was little we lived in Rome.",
        "Disco night was fun.",
        "Em que pese o frio, fomos à praia.",
        "como muito pão",
        "Co-workers came along.",
        "Hab die Prüfung bestanden.",
        "War die ganze Woche krank.",
        "Como mucha pizza.",
        "Quando ero piccolo vivevo a Roma.",
        "Quand j'étais petit, on vivait à Lyon.",
        "Когда я был маленьким, мы жили в Риме.",
        "Что-то у меня болит голова.",
        "Как же я устала",
        "Как я соскучилась по морю",
        "Какой красивый закат",
        "Какая чудесная погода сегодня!",
        "Что бы ни случилось, еду завтра",
        "Во что бы то ни стало доеду",
        "До чего же хорошо",
        "За что купил, за то и продаю",
        "С Катей всё хорошо",
        "По какой-то причине не спала",
        "Какой-то мужик звонил",
        "没什么事",
        "什么都好",
        "他问我什么时候结婚",
        "买了几个苹果",
        "过几天去北京",
        "谁都喜欢他",
        "十几岁的时候",
        "多少有点累",
        "何か食べたい",
        "誰かが来た",
        "いつもありがとう",
        "何年も前に買った",
        "いくら丼を食べた",
        "こんにちは",
        "どこに住むか決めた",
        "いつの間にか夜だった",
        "我妹妹住在北京。",
        "妹は東京に住んでいます。",
        "أختي تسكن في دبي.",
    ],
)
def test_a_statement_is_no_question_though_it_begins_like_one(text):
    assert not is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Translate this into German.",
        "please write me a poem",
        "can you fix my text",
        "mach mir eine Liste",
        "Übersetze das bitte.",
        "bitte hilf mir",
        "tradúceme esto",
        "dis-moi une blague",
        "scrivi una poesia",
        "traduza isto",
        "me conta uma história",
        "me ajuda com o texto",
        "vc pode, por favor, me diz o nome do filme",
        "refaz a carta",
        "Écrivez-moi une lettre",
        "Corrigez l'accord : les fleurs",
        "Mi scriva una lettera",
        "Dígame un verso",
        "напишите письмо",
        "proszę napisać list",
        "переведи это",
        "ترجم هذه الجملة",
        "resend me the invite",
        "podpisz to pismo",
        "wymień wszystkie kolory",
        "stuur me de lijst",
        "назови три книги",
        "请翻译这句话",
        "帮我写一封信",
        "この文を翻訳して",
        "手紙を書いてください。",
        "まとめて",
        "案を出して",
        "この文を英語にして",
        "短くして",
        "表にまとめてもらえますか",
        "メールの返信を作ってくれる",
        "総合案をお願い",
        "总结一下",
        "总结：猫喜欢睡觉",
        "列个清单",
        "推荐一部电影",
        "给我讲个故事",
        "写封请假邮件",
        "сочини тост",
        "подготовь план поездки",
        "порекомендуйте фильм",
    ],
)
def test_a_request_wants_something_done(text):
    assert is_request(text)


@pytest.mark.parametrize(
    "text",
    [
        "My aunt lives in Lyon.",
        "Change is hard for me.",
        "Sort of tired today.",
        "Such a nice day.",
        "Me dá medo de altura.",
        "Me faz bem nadar.",
        "Me lembra meu pai.",
        "me manda flores cada año",
        "Ricordi di infanzia.",
        "Suche gerade einen Job.",
        "Mache jeden Tag Yoga.",
        "Machine learning ist mein Beruf.",
        "Schreibtisch gekauft!",
        "Stell dir vor, ich bin schwanger!",
        "Erinnerst du dich an meine Schwester?",
        "请了三天假。",
        "昨日は忙しくて大変でした。",
        "昨日は忙しくて",
        "母がよく作ってくれる",
        "弟が手伝ってくれる",
        "お願いされた",
        "推荐信写好了",
        "写完作业了",
        "给我买了花",
        "说个事，我升职了",
        "列车晚点了",
        "改天吧",
        "Stella è mia figlia.",
    ],
)
def test_what_somebody_tells_is_no_request(text):
    assert not is_request(text)


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("en", "I moved to Lyon. Where is the station? Write me a list.", ("I moved to Lyon.",)),
        ("de", "Ich wohne in Bonn. Wie komme ich hin? Erklär es mir.", ("Ich wohne in Bonn.",)),
        ("es", "Vivo en Madrid. ¿Qué hago?", ("Vivo en Madrid.",)),
        ("fr", "J'habite à Lyon. Où est la gare ?", ("J'habite à Lyon.",)),
        ("zh", "我住在北京。车站在哪里？", ("我住在北京。",)),
        ("ja", "東京に住んでいます。駅はどこですか。", ("東京に住んでいます。",)),
        ("ru", "Я живу в Москве. Где вокзал?", ("Я живу в Москве.",)),
        ("ar", "أسكن في دبي. أين المحطة؟", ("أسكن في دبي.",)),
        ("en", "I like\n\ntea", ("I like", "tea")),
        ("en", "", ()),
    ],
)
def test_what_is_told_is_neither_asked_nor_requested(language, text, sentences):
    assert told(text, language=language) == sentences
    assert tells(text, language=language) == bool(sentences)


@pytest.mark.parametrize(
    "text",
    [
        "the 15th not the 5th",
        "LUTEGO!! not january",
        "Anja, nicht Anna",
        "Nicht Anna, sondern Anja",
        "el 15, no el 5",
        "mercredi, pas mardi",
        "abacaxi nao, MORANGO",
        "el gluten no, las nueces",
        "o Caio NAO vai",
        "we are NOT going",
        "er kommt NICHT mit",
        "woensdag, niet dinsdag",
        "Bartłomiej! nie bartosz.",
        "не Анна, а Яна",
        "不是五号，是十五号",
        "水曜日じゃなくて木曜日",
        "妹じゃない姉。3つ上",
    ],
)
def test_what_is_said_beside_what_it_is_not_contrasts(text):
    assert contrasts(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not happy",
        "we do not go",
        "not that I know",
        "Ich weiß nicht",
        "why not now",
        "hoje não, obrigada",
        "acho que não, vou ver",
        "I DO NOT KNOW",
        "妹じゃないよ",
        "いいんじゃない？",
    ],
)
def test_what_somebody_does_not_do_contrasts_nothing(text):
    assert not contrasts(text)


@pytest.mark.parametrize(
    "text",
    [
        "You haven't told me yet.",
        "I don't know.",
        "Keine Ahnung!",
        "No lo sé.",
        "No me lo has contado.",
        "Je ne sais pas.",
        "Tu ne me l'as jamais dit.",
        "Не знаю.",
    ],
)
def test_an_answer_that_knows_nothing_says_so(text):
    assert known(text) == ""


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("Hm, I don't know.", "Hm, "),
        ("Das weiß ich leider nicht.", ""),
        ("我不知道。", "我"),
        ("Aviva. You haven't told me the price.", "Aviva. "),
    ],
)
def test_what_an_answer_says_before_it_knows_no_more_is_known(text, before):
    assert known(text) == before


@pytest.mark.parametrize("text", ["She lives in Lyon.", "Ich weiß es.", "Lo sé.", "Je sais.", "知道了。", "Знаю."])
def test_an_answer_that_knows_is_one(text):
    assert known(text) is None


@given(strategies.texts)
def test_whatever_is_told_stands_in_the_text_and_is_no_question(text):
    for sentence in told(text, language="en"):
        assert sentence in text
        assert not is_question(sentence)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "he's 70 on the 31st, do us a toast, write it short"),
        ("en", "my back hurts: what helps?"),
        ("de", "ich ziehe um, mach mir eine Liste"),
        ("es", "vale, dime tres libros"),
    ],
)
def test_a_text_wants_an_answer_where_any_part_of_it_asks_or_requests(language, text):
    assert wants_answer(text, language=language)


@pytest.mark.parametrize("text", ["We moved to Lyon, at last.", "I was there, and it rained.", ""])
def test_a_text_that_only_tells_wants_no_answer(text):
    assert not wants_answer(text, language="en")


@pytest.mark.parametrize("unit", ["no ", "so ", "please ", "what? ", "!", "て", "翻", "a", " "])
def test_the_cost_grows_with_the_length(unit):
    def acts(text):
        return (
            is_question(text),
            is_request(text),
            known(text),
            wants_answer(text, language="en"),
        )

    assert_linear(acts, repeated(unit), length=4_000)


@pytest.mark.parametrize(
    "text",
    [
        "q nota tengo en el ielts",
        "desde cuando estoy en ibaizabal",
        "quien es mi jefa ahora",
        "como ha ido subiendo la dosis",
        "whit day's the swimmin",
        "has rowan any food allergies",
        "woran forscht meine mitbewohnerin",
        "na jakie zajęcia chodziłem",
        "za ile sprzedałem auto",
        "skąd jest Orla",
        "name of my niece",
        "the birthday of my dad",
        "adresse de ma sœur",
        "nome da minha médica",
        "imię mojej siostrzenicy",
    ],
)
def test_a_question_typed_in_a_hurry_or_in_dialect_asks(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "q risa jaja",
        "como estoy hoy no voy",
        "en la clinica todo bien",
        "cuanto antes mejor",
        "what a day it was",
        "a number of our friends",
        "name of my niece is Pia",
        "price of my insurance doubled",
    ],
)
def test_what_only_begins_like_one_does_not(text):
    assert not is_question(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("where do i live", "where do i live?"),
        ("wo wohne ich…", "wo wohne ich?"),
        ("Moved again. where is my desk now", "Moved again. where is my desk now?"),
        ("lo specialista di mio padre, come si chiama", "lo specialista di mio padre, come si chiama?"),
        ("where do i live?", "where do i live?"),
        ("母はどこに住んでいますか？", "母はどこに住んでいますか？"),
        ("I live in Graz.", "I live in Graz."),
        ("When it rains my knee hurts.", "When it rains my knee hurts."),
        ("", ""),
    ],
)
def test_a_question_gets_the_mark_that_nobody_typed(typed, meant):
    assert with_question_mark(typed) == meant
