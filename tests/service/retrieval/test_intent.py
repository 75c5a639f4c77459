"""What a message wants: memory answers questions about a life, and has nothing to say to sums, code and small talk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.retrieval.intent import KINDS, TASKS, intent_of
from tests.support import strategies
from tests.support.growth import assert_linear, repeated


def wanted(text, language="en", *, names_known=False):
    return intent_of(text, language=language, names_known=names_known)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What is my sister called?"),
        ("de", "Wie heißt meine Schwester?"),
        ("es", "¿Cómo se llama mi hermana?"),
        ("es", "¿Dónde vivo?"),
        ("fr", "Comment s'appelle ma sœur ?"),
        ("fr", "Où est-ce que j'habite ?"),
        ("zh", "我妹妹叫什么名字？"),
        ("ja", "私の妹の名前は？"),
        ("ru", "Как зовут мою сестру?"),
        ("ar", "ما اسم أختي؟"),
        ("pt_BR", "Qual é o nome da minha irmã?"),
        ("pt", "Quando me casei?"),
        ("pt", "Que carro conduzo?"),
        ("pt", "quanto a gente paga de luz?"),
        ("pt", "por quanto vendi o barco?"),
        ("pt", "que remédio to tomando?"),
        ("it", "Che lingua sto imparando?"),
        ("pl", "Gdzie pracuję?"),
        ("pl", "Jakim samochodem jeżdżę?"),
        ("ru", "Где живу?"),
        ("ko", "나 지금 어디에 살아?"),
        ("ko", "지난주에 뭐 샀지?"),
        ("tr", "Geçen hafta ne aldım?"),
        ("tr", "Annemin doğum günü ne zaman?"),
        ("hi", "मैं कहाँ रहता हूँ?"),
        ("hi", "मेरी बहन का नाम क्या है?"),
        ("uk", "Як звати мою сестру?"),
        ("nl", "Waar woont m'n zus?"),
        ("nl", "Hoe lyk my kat?"),
        ("ja", "妹の名前は何ですか？"),
        ("ja", "うちの猫の名前は？"),
        ("ja", "母について教えて。"),
        ("ja", "妹のことを話して"),
        ("ar", "أين أسكن؟"),
        ("ar", "ما الدواء الذي آخذه؟"),
        ("ar", "كم أدفع للإيجار؟"),
    ],
)
def test_a_question_about_its_writer_is_personal(language, text):
    assert wanted(text, language).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Where does the sun set?"),
        ("de", "Wo liegt der Nordpol?"),
        ("es", "¿Dónde está el polo norte?"),
        ("fr", "Où est le pôle nord ?"),
        ("zh", "今天天气怎么样？"),
        ("ja", "北極はどこですか。"),
        ("ru", "Где северный полюс?"),
        ("ar", "أين القطب الشمالي؟"),
        ("ar", "أين أحمد؟"),
        ("ja", "お母さんの日はいつですか。"),
    ],
)
def test_a_question_about_the_world_is_not_personal_unless_it_names_somebody_known(language, text):
    assert wanted(text, language).kind == "other question"
    assert wanted(text, language, names_known=True).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Translate this into German."),
        ("de", "Übersetze das ins Englische."),
        ("es", "Traduce esto."),
        ("fr", "Traduis cette phrase."),
        ("zh", "请翻译这句话"),
        ("ja", "この文を翻訳して"),
        ("ru", "Переведи это."),
        ("ar", "ترجم هذه الجملة"),
    ],
)
def test_a_translation_is_a_request_and_a_task_of_language(language, text):
    found = wanted(text, language)

    assert found.kind == "request"
    assert "language" in found.tasks


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("en", "I live in Lyon.", "personal remark"),
        ("de", "Mein Bruder kommt.", "personal remark"),
        ("es", "Vivo en Madrid.", "personal remark"),
        ("fr", "J'ai un chat.", "personal remark"),
        ("ru", "У меня есть кошка.", "personal remark"),
        ("ar", "أنا أعيش في دبي", "personal remark"),
        ("en", "The sky is blue.", "other remark"),
        ("de", "Das Wetter ist schön.", "other remark"),
    ],
)
def test_a_remark_is_personal_when_it_is_about_its_writer(language, text, kind):
    assert wanted(text, language).kind == kind


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("code", "Write a function that sorts a list in Python."),
        ("code", "用代码排序"),
        ("language", "Was bedeutet Schadenfreude?"),
        ("language", "¿Cómo se dice casa?"),
        ("how to", "How do I boil an egg?"),
        ("how to", "Comment on fait une omelette ?"),
        ("sum", "What is 15% of 80?"),
        ("sum", "Was ist 3 mal 4?"),
        ("trivia", "Who painted the Mona Lisa?"),
        ("trivia", "What is the capital of France?"),
        ("trivia", "me conta uma curiosidade sobre pinguins"),
        ("trivia", "dame un dato curioso de los pulpos"),
        ("trivia", "raconte une anecdote sur les pieuvres"),
        ("trivia", "dimmi una curiosità sui polpi"),
        ("trivia", "een weetje over kwallen"),
        ("trivia", "podaj ciekawostkę o meduzach"),
        ("trivia", "расскажи интересный факт о медузах"),
        ("small talk", "lol"),
        ("small talk", "Danke!"),
        ("small talk", "kkkk valeu"),
        ("small talk", "Boa noite!"),
        ("small talk", "Buonasera!"),
        ("small talk", "谢谢"),
        ("small talk", "ありがとう"),
        ("small talk", "Привет!"),
        ("small talk", "早上好！你好吗？"),
        ("small talk", "Доброе утро! Как дела?"),
        ("small talk", "Dobry wieczór!"),
        ("small talk", "صباح الخير"),
        ("small talk", "좋은 아침이에요!"),
        ("small talk", "Günaydın!"),
        ("small talk", "नमस्ते!"),
        ("trivia", "расскажи анекдот"),
        ("trivia", "讲个笑话"),
        ("trivia", "Bana bir fıkra anlat."),
        ("saying", "We'll cross that bridge when we come to it."),
    ],
)
def test_a_task_is_known_by_its_words(task, text):
    assert task in wanted(text).tasks


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "How is my sister?",
        "My dog is called Rex.",
        "Who is Carla?",
        "20, as always. how old is she?",
    ],
)
def test_a_question_or_remark_about_a_life_is_no_task(text):
    assert wanted(text, names_known=True).tasks == frozenset()


def test_how_to_do_something_of_ones_own_is_no_task():
    assert "how to" in wanted("How do I clean a cello?").tasks
    assert "how to" not in wanted("How do I clean my cello?").tasks


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What book did you recommend? You told me."),
        ("de", "Was hast du mir empfohlen?"),
        ("es", "¿Qué me recomendaste?"),
        ("fr", "Qu'est-ce que tu m'as conseillé ?"),
        ("zh", "你说过什么？"),
        ("ja", "覚えてる？"),
        ("ru", "Помнишь, как её зовут?"),
        ("ar", "هل تتذكر اسمها؟"),
    ],
)
def test_asking_what_was_said_is_personal(language, text):
    found = wanted(text, language)

    assert found.recalls
    assert found.kind == "personal question"


def test_what_is_said_before_a_question_wants_no_list():
    assert not intent_of("so far. where was it i got her from", language="en", names_known=False).wants_list
    assert intent_of("hm. list all my flats so far", language="en", names_known=False).wants_list


def test_asking_for_what_the_assistant_said_recalls():
    assert intent_of("jaki klej mi poleciłeś", language="pl", names_known=False).recalls


def test_a_question_behind_a_full_stop_is_one():
    assert intent_of("good. whats his new wifes name", language="en", names_known=True).kind == "personal question"
    assert intent_of("so tired. what a day it was", language="en", names_known=True).kind == "personal remark"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "list every place i lived this year"),
        ("de", "nenne alle meine Wohnungen"),
        ("es", "dime todos mis trabajos"),
        ("pl", "wymień wszystkie moje mieszkania"),
    ],
)
def test_to_list_what_is_ones_own_is_asked_for(language, text):
    assert intent_of(text, language=language, names_known=False).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "list all the planets for me"), ("de", "nenne mir alle Planeten"), ("en", "write my boss a letter")],
)
def test_to_list_what_anybody_knows_or_to_write_is_a_request(language, text):
    assert intent_of(text, language=language, names_known=False).kind == "request"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "List all my trips."),
        ("de", "Welche Reisen habe ich gemacht?"),
        ("es", "¿Cuáles son todos mis viajes?"),
        ("fr", "Quels sont tous mes voyages ?"),
        ("zh", "我去过哪些地方？"),
        ("ja", "すべての旅行は？"),
        ("ru", "Все мои поездки?"),
        ("en", "Which towns have we lived in since January?"),
        ("en", "what can't Ann, Bo and Cid eat?"),
        ("en", "what were the two offers I took?"),
        ("de", "Wie hat das mit Jan angefangen und wie ging es aus?"),
        ("es", "¿qué medicación he tomado este año, en orden?"),
        ("es", "¿Con quiénes he vivido?"),
        ("it", "Le mie case, in ordine"),
        ("nl", "Welke boeken heb ik gelezen?"),
        ("ar", "جميع رحلاتي"),
    ],
)
def test_a_question_wants_a_list(language, text):
    assert wanted(text, language).wants_list
    assert not wanted("Where do I live?").wants_list


@pytest.mark.parametrize(
    ("language", "leaning", "standing"),
    [
        ("en", "What about him?", "What about Ann?"),
        ("de", "Wie geht es ihr?", "Wie geht's Ann?"),
        ("fr", "Où est-elle ? Et lui ?", "Où est Ann ?"),
        ("zh", "他住哪里？", "小明住哪里？"),
        ("ja", "彼はどこ？", "健はどこ？"),
        ("ru", "Где он живёт?", "Где живёт Анна?"),
        ("ar", "أين هو الآن؟", "أين أحمد؟"),
    ],
)
def test_who_is_meant_by_a_pronoun_stands_in_the_talk_before(language, leaning, standing):
    assert wanted(leaning, language).leans_on_talk
    assert not wanted(standing, language).leans_on_talk


@pytest.mark.parametrize("tag", ["de", "de-AT", "de_DE", "DE"])
def test_a_tag_counts_by_its_language(tag):
    assert wanted("Wie heißt meine Schwester?", tag).is_first_person


def test_an_apostrophe_of_any_shape_is_one():
    assert wanted("I’m tired") == wanted("I'm tired")


@given(strategies.texts, st.sampled_from(["en", "de", "fr", "zh", "ar", "xx", ""]), st.booleans())
def test_every_message_has_a_kind(text, language, names_known):
    found = wanted(text, language, names_known=names_known)

    assert found.kind in KINDS
    assert found.tasks <= set(TASKS)
    assert found.is_personal or not found.is_first_person


@pytest.mark.parametrize("unit", ["which ", "how ", "1 ", "from x to ", "der ", "a", "全", "what does "])
def test_the_cost_grows_with_the_length(unit):
    assert_linear(wanted, repeated(unit), length=4_000)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "which stretches did you tell me to do?"),
        ("en", "what was your trick for the shower head"),
        ("de", "Welche Insel hattest du uns für den Sommer empfohlen?"),
        ("es", "¿qué me dijiste del IVA?"),
        ("fr", "c'était quoi le film que tu m'avais conseillé"),
        ("it", "che libro mi hai consigliato?"),
        ("pt", "o que você me recomendou?"),
        ("pt", "qual foi o vinho q vc indicou?"),
        ("pt", "como era a sua sugestão de nome?"),
        ("nl", "wat heb je me ook alweer aangeraden?"),
        ("pl", "Jaką książkę poleciłeś?"),
        ("pl", "co mi radziłeś na kolano?"),
        ("nl", "welk boek had je aanbevolen?"),
        ("nl", "hoe maakte jij die hachee?"),
        ("nl", "wat zei je over de kaars?"),
        ("en", "what was the figure you worked out"),
        ("ru", "Какую книгу ты мне посоветовал?"),
        ("zh", "你推荐的书是哪本？"),
        ("ja", "勧めてくれた本は何だった？"),
        ("ar", "ما الكتاب الذي اقترحته علي؟"),
    ],
)
def test_asking_for_what_the_assistant_said_is_seen(language, text):
    assert wanted(text, language).recalls_answer


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What did I tell you about my sister?"),
        ("en", "Where do I live again?"),
        ("de", "Was habe ich dir über Tobias gesagt?"),
        ("es", "¿Qué te dije de mi hermana?"),
        ("fr", "Je t'ai dit où j'habite ?"),
    ],
)
def test_asking_for_what_the_person_said_is_something_else(language, text):
    assert not wanted(text, language).recalls_answer


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Who teaches my course?"),
        ("en", "how do I pay the rent each month"),
        ("de", "Welche Stimme singe ich?"),
        ("de", "In welchem Haus wohne ich?"),
        ("fr", "Est-ce que mes parents viennent ?"),  # "que mes" is not "qué meses"
        ("pt", "que horas é minha consulta"),
    ],
)
def test_one_thing_is_no_list(language, text):
    assert not wanted(text, language).wants_list


@pytest.mark.parametrize(
    "text",
    [
        "All my insulin doses since I started, in order please",
        "both my scores for part 1, the wrong one and the recount",
        "every dose I've been on this year",
        "todas las casas donde he vivido este año, por favor",
    ],
)
def test_a_list_may_be_asked_for_without_a_verb(text):
    found = intent_of(text, language="es" if text.startswith("todas") else "en", names_known=False)

    assert found.wants_list
    assert found.kind.endswith("question")


@pytest.mark.parametrize("text", ["All my friends came to the party", "both of them were late"])
def test_a_remark_that_begins_as_a_list_does_is_a_remark(text):
    assert intent_of(text, language="en", names_known=False).kind.endswith("remark")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("give me the whole vape saga, start to finish", "en"),
        ("what's my pay been per hour over the year", "en"),
        ("Pour qui ai-je travaillé, du premier patron jusqu'à aujourd'hui ?", "fr"),
        ("cómo ha ido subiendo la dosis", "es"),
        ("how did the bathroom go, from start to finish", "en"),
        ("conta a história do telhado, do começo ao fim", "pt"),
        ("el lío de la herencia, de principio a fin", "es"),
        ("toute l'affaire du toit, du début à la fin", "fr"),
        ("il trasloco dall'inizio alla fine", "it"),
        ("hoe ging het dak, van begin tot eind", "nl"),
        ("opowiedz o dachu od początku do końca", "pl"),
        ("расскажи про крышу от начала до конца", "ru"),
    ],
)
def test_the_course_of_a_thing_is_a_list(text, language):
    assert intent_of(text, language=language, names_known=False).wants_list


def test_to_be_explained_something_as_to_a_child_is_not_about_the_writer():
    assert not intent_of("why is the sky blue, explain it like I'm five", language="en", names_known=False).is_personal


def test_a_question_behind_a_comma_is_one():
    found = intent_of("forms want to know it, what do I put for the engine", language="en", names_known=False)

    assert found.kind == "personal question"


@pytest.mark.parametrize("text", ["Is there anything on 3/8?", "Was ist am 5.8.?", "¿Hay algo el 12/05/2026?"])
def test_a_day_in_numbers_is_not_a_sum(text):
    assert intent_of(text, language="en", names_known=False).tasks == frozenset()


def test_a_measure_is_no_list():
    assert not wanted("How many micrograms do I take?").wants_list
    assert wanted("How many sisters do I have?").wants_list


def test_the_car_of_a_task_is_nobodys():
    assert wanted("how to wash the car?", "en").kind == "other question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "tell me about my jobs"),
        ("en", "Remind me when my flight goes."),
        ("de", "erzähl mir was über meine diät"),
        ("de", "Erinner mich, wann mein Zahnarzttermin ist"),
        ("es", "Háblame de mi trabajo"),
        ("fr", "Parle-moi de ma sœur"),
        ("it", "Dimmi quando è il mio appuntamento"),
        ("pt", "Fala-me da minha irmã"),
        ("nl", "Vertel me over mijn zus"),
        ("pl", "Opowiedz mi o mojej siostrze"),
        ("ru", "Напомни мне, когда моя встреча"),
        ("zh", "跟我说说我的姐姐"),
        ("ja", "私の姉について教えて"),
        ("ar", "أخبرني عن عملي"),
    ],
)
def test_what_is_to_be_told_of_oneself_is_asked(language, text):
    """Broken: it is a request, for which a memory has to be much nearer."""
    assert wanted(text, language).kind == "personal question"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "tell me a joke about my cat"),
        ("en", "tell me about the roman empire"),
        ("en", "remind me to call my mum"),
        ("en", "tell me how to bake my bread"),
        ("de", "Erzähl mir einen Witz über meine Katze"),
    ],
)
def test_what_is_to_be_made_or_looked_up_is_a_request(language, text):
    assert wanted(text, language).kind == "request"
