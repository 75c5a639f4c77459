"""Which "no" denies what the assistant said: one that is conceded, or that speaks of it."""

import pytest

from service.ingest.denials import is_denied

AUNT = "Your aunt Carla lives in Lyon."


def denied(own, answer="I see.", *, claim=AUNT, language="en"):
    return is_denied(claim, own, answer, language=language)


@pytest.mark.parametrize(
    ("claim", "own", "language"),
    [
        (AUNT, "No.", "en"),
        (AUNT, "No, that's wrong.", "en"),
        (AUNT, "No, she moved.", "en"),
        (AUNT, "No, in Porto.", "en"),
        (AUNT, "No, Porto.", "en"),
        ("Your cat is called Milo.", "No, Mina.", "en"),
        ("Your favourite colour is green.", "No, it's blue.", "en"),
        ("You are married to Tom.", "No, we divorced.", "en"),
        ("Your cousin is called Tom.", "No, don't call him Tom, he is Tim.", "en"),
        ("Your cousin is called Tom.", "No, I know Tom, his name is Tim.", "en"),
        ("Deine Katze heißt Milo.", "Nein, Mina.", "de"),
        ("Your dentist is on Tuesday.", "Nope, Thursday.", "en"),
        ("You drink 2 coffees a day.", "No, 3", "en"),
        ("Leave out the peanuts, for Lwazi.", "nooo peanuts r fine, its cashews", "en"),
        ("Deine Tante Carla wohnt in Lyon.", "Nee, die wohnt in Bonn", "de"),
        ("Tu tía Carla vive en Lyon.", "No, vive en Oporto.", "es"),
        ("Ta tante Carla habite à Lyon.", "Non, elle habite à Porto.", "fr"),
        ("Tua zia Carla vive a Lione.", "No, vive a Porto.", "it"),
        ("Sua tia Carla mora em Lyon.", "Não, mora no Porto.", "pt"),
        ("Je tante Carla woont in Lyon.", "Nee, in Porto.", "nl"),
        ("Je tante Carla woont in Lyon.", "Nee hoor, ze woont in Porto.", "nl"),
        (AUNT, "No, it's all in Porto now, aunt included.", "en"),
        ("Twoja ciocia mieszka w Lyonie.", "Nie, ona mieszka w Krakowie.", "pl"),
        ("Твоя тётя живёт в Лионе.", "Нет, она живёт в Москве.", "ru"),
        ("你住在里昂。", "不，我住在上海", "zh"),
        ("会議は木曜日です。", "いえ、金曜日です", "ja"),
        ("أنت تسكن في ليون.", "لا، أسكن في القاهرة", "ar"),
    ],
)
def test_a_no_that_speaks_of_the_claim_denies_it(claim, own, language):
    assert denied(own, claim=claim, language=language)


@pytest.mark.parametrize(
    ("claim", "own", "language"),
    [
        ("Noted, the flight to Oslo is on 12 May at 7:40.", "No, that's all for today.", "en"),
        ("Noted, the flight to Oslo is on 12 May.", "No, just wanted you to know. Off to bed now.", "en"),
        ("You start at the aquarium on 1 August.", "Nooo I'm so excited", "en"),
        ("Nice that you got the flat in Storgata.", "Well, no, it was not easy. But we did it.", "en"),
        ("I've added milk and eggs to the list.", "Actually, it would be nice to have cheese too", "en"),
        ("Great that you got a dog, Biscuit sounds adorable.", "Not my idea, the kids wanted it!", "en"),
        ("I'm sorry about your fall.", "Wait, no, I forgot to tell you: my sister is pregnant!", "en"),
        ("Noted: the dentist on 9 March at 8:15.", "Nope, no coffee yet. What a night.", "en"),
        (AUNT, "That's not bad!", "en"),
        (AUNT, "Actually, when did I last visit Carla?", "en"),
        (AUNT, "Actually, can you book me a train to Lyon?", "en"),
        ("Try Daniel et Denise in Lyon.", "Actually yes, book Daniel et Denise!", "en"),
        ("Your dentist appointment is on Friday at 10.", "It's not Friday yet, good.", "en"),
        ("Your dentist appointment is on Friday at 10.", "Not before Friday, good, thanks!", "en"),
        ("Your flight to Oslo is on 12 May.", "No, I'm tired.", "en"),
        ("Das Treffen ist am 3. Mai notiert.", "Nee, mehr hab ich heute nicht.", "de"),
        ("Der Zahnarzt ist am Dienstag.", "Das ist nicht schlimm, ich habe keine Angst.", "de"),
        ("Qué bien el viaje a Lima.", "Ya no fumo desde enero, por cierto.", "es"),
        ("Ton rendez-vous est le 3 mai.", "C'est pas mal du tout !", "fr"),
        ("Che bella notizia il lavoro!", "Non è facile però, sono stanca.", "it"),
        ("Que bom que a Nina nasceu!", "Não é fácil ser mãe", "pt"),
        ("Je tante Carla woont in Lyon.", "Dat is niet erg.", "nl"),
        ("Twoja ciocia Karla mieszka w Lyonie.", "Nie, to wszystko, dzięki", "pl"),
        ("Твоя тётя Карла живёт в Лионе.", "Нет, больше ничего", "ru"),
        ("你的手术在九月九日。", "不是很好，今天头疼", "zh"),
        ("新しい仕事おめでとう。", "違う町に引っ越したよ", "ja"),
        ("عمتك كارلا تسكن في ليون.", "لا، شكرا", "ar"),
    ],
)
def test_a_no_that_speaks_of_something_else_denies_nothing(claim, own, language):
    assert not denied(own, claim=claim, language=language)


def test_a_no_that_the_answer_concedes_denies_whatever_follows_it():
    assert denied("No, I had that years ago.", "Sorry, I mixed that up.")
    assert denied("No, I had that years ago.", "Right: that is over.")
    assert not denied("No, I had a bad day.", "Sorry to hear that.")


@pytest.mark.parametrize("smile", ["", " 😊", " :)", "…"])
def test_a_no_to_a_question_answers_it_though_a_smile_stands_behind(smile):
    claim = f"{AUNT} Shall I look for trains to her?{smile}"

    assert not denied("No, she can take the train.", claim=claim)
    assert denied("No, she can take the train.", "My mistake.", claim=claim)


def test_what_is_put_beside_something_else_than_the_claim_denies_nothing():
    assert denied("in Porto, not Lyon", "Right: in Porto.")
    assert denied("oat milk not soy", "Sorry: oat milk.")
    assert not denied("unsalted butter not salted", "Right: unsalted butter.")


@pytest.mark.parametrize(
    ("own", "answer", "is_right"),
    [
        ("LYON??? it's Porto", "Sorry, Porto it is!", True),
        ("Lyon? what's the weather there", "Sorry, I can't check the weather.", False),
        ("Lyon? yes, she is nice", "Sorry for the delay! Carla is nice.", False),
    ],
)
def test_a_word_of_the_claim_that_is_asked_again_denies_it_where_the_answer_takes_up_another(own, answer, is_right):
    """Broken: any "sorry" behind an echo denied the claim."""
    assert denied(own, answer) == is_right


@pytest.mark.parametrize(
    ("language", "claim", "own", "answer"),
    [
        ("es", "Tu vuelo sale el martes.", "gracias, ¿cómo arreglo la factura?", "Corrige primero el importe."),
        ("it", "Il volo parte martedì.", "grazie, e mio fratello?", "Si scusa sempre, poi tace."),
    ],
)
def test_what_the_answer_tells_somebody_to_do_concedes_nothing(language, claim, own, answer):
    """Broken: without its accent, "corrige" was read as "corrigé", and "si" as "sí"."""
    assert not denied(own, answer, claim=claim, language=language)


@pytest.mark.parametrize(
    ("language", "claim", "own", "answer"),
    [
        ("en", "She makes flat whites by day.", "THEY. told u day 1", "Sorry, Indi: they make flat whites."),
        ("en", "Your exam is on 3 November.", "6th!!! dont give me a heart attack", "Sorry: 6 November."),
        ("en", "Did he ask for your number?", "SHE. Thandi's a she!", "Sorry: she."),
        ("en", "Bea is one of the sopranos.", "Cute but I'm an ALTO", "“Bea is one of the altos.” My apologies."),
        (
            "en",
            "With Alzheimer's, it helps.",
            "where'd you get that from. parkinson's",
            "I'm sorry, I guessed. Parkinson's.",
        ),
        (
            "de",
            "Lieber Herr Kretzschmar",
            "der is pleite! an frau öztürk muss das",
            "Sorry: „Sehr geehrte Frau Öztürk“",
        ),
        ("es", "Sale el ferri de Santander.", "q santander, sale d bilbao!!", "Perdona, sale de Bilbao."),
        ("ru", "А отцу скажи то же.", "он не отец, отчим", "Прости, понял: отчим."),
        ("zh", "她平时跟着你住。", "哪跟我住啊，她跟她妈在哈尔滨", "是我弄错了，她跟妈妈在哈尔滨。"),
        ("ja", "頼りになる妹さんですね。", "妹じゃない姉。3つ上", "失礼しました、お姉さんですね。"),
    ],
)
def test_an_answer_that_takes_it_back_and_takes_up_what_was_said_makes_a_denial_of_it(language, claim, own, answer):
    """Broken: without a "no" that was known, what people put right was a turn like any other."""
    assert denied(own, answer, claim=claim, language=language)


@pytest.mark.parametrize(
    ("claim", "own", "answer"),
    [
        (
            "Enjoy the weekend!",
            "my bike got stolen at the station",
            "I'm sorry, that one had a story. Report the bike.",
        ),
        ("The train leaves at 9.", "and what is on the menu?", "My apologies, but I don't have the menu."),
        ("Two chairs a week.", "how do I tell Mrs Wrona", "“Dear Mrs Wrona, my apologies for the delay.”"),
        (
            "The boat is called Zibble.",
            "My cat is called Mimi.",
            "My apologies for the late reply! Mimi is a fine name.",
        ),
        ("The boat is called Zibble.", "My cat is called Mimi.", "Entschuldige die späte Antwort. Mimi ist schön."),
        ("The boat is called Zibble.", "My cat is called Mimi.", "Pardon? Mimi?"),
        ("The train leaves at 9.", "And when does the bus leave?", "Good catch! The bus leaves at 10."),
        ("You live in Lyon.", "How is the weather in Porto?", "Sorry: Porto is rainy today."),
        ("Shall I look for trains?", "we had to put the dog down", "I'm so sorry about the dog."),
    ],
)
def test_who_is_only_sorry_or_writes_an_apology_for_somebody_denies_nothing(claim, own, answer):
    assert not denied(own, answer, claim=claim)
