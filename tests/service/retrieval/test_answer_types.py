"""What kind of word answers a question, in the languages of the labels, and which kinds a turn holds."""

import pytest

from service.retrieval.answer_types import answer_types, answers, held_types


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How much rent do I pay?"),
        ("en", "what's my rent these days"),
        ("de", "Wie alt ist meine Tochter?"),
        ("de", "wieviel kostet der Stellplatz"),
        ("es", "¿Cuánto pago de alquiler?"),
        ("fr", "Combien je paie par mois ?"),
        ("it", "Quanti anni ha mia figlia?"),
        ("pt", "Quantos comprimidos eu tomo?"),
        ("nl", "Hoe oud is mijn dochter?"),
        ("pl", "Ile płacę za mieszkanie?"),
        ("ru", "Сколько лет моей дочери?"),
        ("zh", "我的房租多少"),
        ("ja", "家賃はいくらですか"),
        ("ar", "كم عمر ابنتي؟"),
        ("es", "cuanto pago de alquiler"),
        ("es", "q edad tiene mi abuela"),
        ("en", "What's my mum's metformin dose?"),
        ("de", "welche Stärke hat meine Tablette"),
        ("fr", "Quelle est ma dose de ramipril ?"),
    ],
)
def test_a_question_for_a_number_is_known(language, question):
    assert "number" in answer_types(question, language=language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Who bought my car?"),
        ("en", "What's my sister called?"),
        ("de", "Wie heißt mein Bruder?"),
        ("es", "¿Quién es mi jefa?"),
        ("fr", "Comment s'appelle ma sœur ?"),
        ("it", "Come si chiama il mio gatto?"),
        ("pt", "Quem é o meu chefe?"),
        ("pt", "como chama meu cachorro"),
        ("nl", "Wie is mijn tandarts?"),
        ("pl", "Kto mnie uczy?"),
        ("ru", "Кто мой врач?"),
        ("zh", "我的老板是谁"),
        ("ja", "上司は誰ですか"),
        ("ar", "من هو مديري؟"),
        ("es", "quien es mi jefa"),
        ("pt", "como se chama a bebé?"),
    ],
)
def test_a_question_for_a_name_is_known(language, question):
    assert "name" in answer_types(question, language=language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Where do I live?"),
        ("en", "what's my address"),
        ("en", "Which company employs my sister?"),
        ("de", "Wo wohne ich?"),
        ("de", "in welcher Stadt studiert er"),
        ("es", "¿De dónde es mi madre?"),
        ("es", "¿en qué hospital nació?"),
        ("fr", "Où est-ce que je travaille ?"),
        ("it", "Dove abito?"),
        ("pt", "Onde eu moro?"),
        ("nl", "Waar woon ik?"),
        ("pl", "Gdzie mieszkam?"),
        ("ru", "Откуда он родом?"),
        ("zh", "我住在哪里"),
        ("ja", "どこに住んでいますか"),
        ("ar", "أين أسكن؟"),
    ],
)
def test_a_question_for_a_place_is_known(language, question):
    assert "place" in answer_types(question, language=language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "which evening is rehearsal"),
        ("en", "what hours do I work now?"),
        ("de", "wann ist bandprobe"),
        ("de", "an welchem Wochentag hab ich Pilates?"),
        ("es", "¿Qué día de la semana tengo pilates?"),
        ("es", "q dia tengo clase"),
        ("fr", "Quel jour est-ce que je nage ?"),
        ("it", "in che giorno vado a ballare?"),
        ("pt", "que dias é que eu nado?"),
        ("nl", "welke dag heb ik les?"),
        ("pl", "jaki dzień mam basen?"),
        ("ru", "по каким дням у меня танцы?"),
        ("zh", "我星期几上课"),
        ("ja", "レッスンは何曜日？"),
        ("ar", "في أي يوم أسبح؟"),
    ],
)
def test_a_question_for_a_day_is_known(language, question):
    assert "day" in answer_types(question, language=language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What does my boyfriend do for a living?"),
        ("en", "what's Ann's profession"),
        ("de", "Was macht Anselm beruflich?"),
        ("de", "wovon lebt unser Sänger eigentlich"),
        ("es", "¿a qué se dedica mi compañera de piso?"),
        ("fr", "Qu'est-ce que mon frère fait dans la vie ?"),
        ("it", "che lavoro fa mio cognato?"),
        ("pt", "qual é a profissão do meu pai?"),
        ("nl", "wat voor werk doet hij?"),
        ("pl", "czym się zajmuje mój brat?"),
        ("ru", "кем работает мой брат?"),
        ("zh", "我哥哥做什么工作"),
        ("ja", "兄の職業は？"),
        ("ar", "ماذا يعمل أخي؟"),
        ("es", "¿En qué trabajo?"),
        ("pt", "Em que é que eu trabalho?"),
        ("pt", "o Caio trabalha com o que?"),
        ("pt", "o que ela faz da vida?"),
        ("ru", "Кем я работаю?"),
        ("ja", "私の仕事は何ですか？"),
        ("ar", "ماذا أعمل؟"),
    ],
)
def test_a_question_for_an_occupation_is_known(language, question):
    assert "occupation" in answer_types(question, language=language)


@pytest.mark.parametrize("text", ["How do I take my coffee?", "It rains.", "Was esse ich gern?", ""])
def test_anything_else_may_be_answered_by_any_word(text):
    assert answer_types(text, language="en") == frozenset()


def test_a_turn_holds_numbers_in_digits_or_as_chinese_writes_amounts():
    assert held_types("they want 1620 a month", language="en") == {"number"}
    assert held_types("房租是三千元", language="zh") == {"number"}
    assert held_types("they want too much", language="en") == frozenset()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "he's from Plovdiv, and homesick"),
        ("en", "we got the one on Mill Road"),
        ("de", "Jannis zieht nach Hamburg"),
        ("de", "drei Zimmer in der Könneritzstraße"),
        ("es", "ahora vivo en Gante"),
        ("fr", "un deux pièces rue Garibaldi"),
        ("it", "mi trasferisco a Torino"),
        ("nl", "we wonen nu in Delft"),
        ("ru", "мы переехали в Казань"),
        ("ja", "神戸市に引っ越した"),
        ("zh", "我住在上海"),
        ("en", "we're at 3a channel hwy"),
        ("en", "the keys are for 12 Mill Close"),
        ("de", "die neue Adresse: Lange Str. 4"),
        ("de", "wir ziehen um, Amselweg 3"),
        ("es", "me mudo a c/ Mayor 3"),
        ("it", "abito al 5, viale Monza"),
        ("nl", "het is Westerkade 12"),
        ("pl", "pierwsza noc, ul. Podgórna 21"),
        ("ru", "теперь ул. Ленина 5"),
        ("ar", "شارع النيل"),
    ],
)
def test_a_turn_holds_a_place_where_a_capital_follows_a_word_such_as_in(language, text):
    assert "place" in held_types(text, language=language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "we got the keys in March"),
        ("en", "not before ten, or from Monday on"),
        ("en", "Ann lent me a book"),
        ("en", "10 km that way, 2 days at court"),
        ("en", "Dr Lis said so"),
        ("de", "Wir waren im Garten"),
        ("de", "ab März wird alles anders"),
    ],
)
def test_a_month_a_person_or_a_german_noun_is_no_place(language, text):
    assert "place" not in held_types(text, language=language)


def test_a_turn_holds_a_name_where_a_capital_inside_a_sentence_means_one():
    assert held_types("we met a man called Nobby", language="en") == {"name"}
    assert held_types("Yesterday was fine.", language="en") == frozenset()
    assert held_types("Wir waren im Garten.", language="de") == frozenset()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "olga moved me to fridays btw"),
        ("en", "practice is at 7pm, same cellar"),
        ("de", "Tilda geht jetzt dienstags zum fechten"),
        ("de", "ab jetzt um 19 Uhr"),
        ("es", "ahora los jueves"),
        ("fr", "le mardi midi, avec Kévin"),
        ("it", "ci hanno spostato al venerdì"),
        ("pt", "agora nado às quartas"),
        ("nl", "we spelen op donderdag"),
        ("pl", "w każdy wtorek"),
        ("ru", "теперь по пятницам или в среду"),
        ("zh", "改到星期四了"),
        ("ja", "火曜日に変わった"),
    ],
)
def test_a_turn_holds_a_day_where_it_names_a_weekday_or_an_hour(language, text):
    assert "day" in held_types(text, language=language)


def test_a_turn_holds_an_occupation():
    assert held_types("she is a nurse, they say", language="en") == {"occupation"}
    assert "day" not in held_types("we had 19 cats and 7 dogs", language="en")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What am I allergic to?", "You're allergic to penicillin. I don't know of any other allergy."),
        ("What am I allergic to?", "You're allergic to penicillin, but I don't know of any other."),
        ("Who has our spare key?", "Your neighbour Mrs Tran. You haven't told me her number."),
        ("When is our anniversary?", "On Friday. You haven't told me which year you married."),
        ("Where is Ida?", "In Lyon."),
    ],
)
def test_an_answer_tells_something_beside_what_it_does_not_know(question, answer):
    assert answers(answer, question=question, language="en")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is my car insurance with?", "I don't know, you haven't told me."),
        ("Who is my car insurance with?", "Good question! I don't know. Your policy should say it."),
        ("Who is my car insurance with?", "I looked through what you said, and you haven't told me."),
        ("Who is my car insurance with?", "Your car insurance? No idea."),
        ("What am I allergic to?", "I'm sorry, I don't have that information."),
    ],
)
def test_an_answer_that_only_does_not_know_is_none(question, answer):
    assert not answers(answer, question=question, language="en")
