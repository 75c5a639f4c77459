"""Who says "no" of themselves alone, and who says it of what was told."""

import pytest

from consolidation.kernel.turns import Message, Speaker, Turn
from service.ingest.bystanders import are_bystanders, of_themselves


def turn(*messages):
    """A turn of messages, each a name (None: nobody's) and the words."""
    said = tuple(Message(Speaker.USER, content, name=name) for name, content in messages)
    return Turn("t", "s", (*said, Message(Speaker.ASSISTANT, "OK.")))


def speaks_of_themselves(own, language="en"):
    return of_themselves(turn(("Cleo", own)), language=language) == {"Cleo"}


@pytest.mark.parametrize(
    ("own", "language"),
    [
        ("No, I drink my coffee black.", "en"),
        ("No, not me, I drink my coffee black.", "en"),
        ("No, sorry, I can't come on Friday, my mother is ill, she has a fever.", "en"),
        ("Not me.", "en"),
        ("Nein, ich trinke meinen Kaffee schwarz.", "de"),
        ("No, yo tomo el café solo.", "es"),
        ("Non, je bois mon café noir.", "fr"),
        ("No, io bevo il caffè nero.", "it"),
        ("Não, eu tomo café preto.", "pt"),
        ("Nee, ik drink mijn koffie zwart.", "nl"),
        ("Nie, ja piję kawę czarną.", "pl"),
        ("Нет, я пью чёрный кофе.", "ru"),
        ("不，我喝黑咖啡。", "zh"),
        ("いいえ、私はブラックで飲みます。", "ja"),
        ("لا، أنا أشرب القهوة سوداء.", "ar"),
    ],
)
def test_who_speaks_of_themselves_does_so_in_any_language(own, language):
    assert speaks_of_themselves(own, language)


@pytest.mark.parametrize(
    ("own", "language"),
    [
        ("No.", "en"),
        ("No, that's wrong.", "en"),
        ("No, that's wrong, I was there.", "en"),
        ("No, it's black, I was there.", "en"),
        ("No, she drinks it black, I know.", "en"),
        ("No, I think it's on Saturday.", "en"),
        ("No, I heard Ann takes it black.", "en"),
        ("No, we meet at eight.", "en"),
        ("No, Porto.", "en"),
        ("Nein, wir treffen uns um acht.", "de"),
        ("Nein, ich glaube, am Samstag.", "de"),
        ("Nein, sie trinkt ihn schwarz.", "de"),
        ("No, creo que es el sábado.", "es"),
        ("Non, je crois que c'est samedi.", "fr"),
        ("No, ci vediamo alle otto.", "it"),
        ("Não, acho que é sábado.", "pt"),
        ("Nee, ik denk zaterdag.", "nl"),
        ("Nie, myślę, że w sobotę.", "pl"),
        ("Нет, я думаю, в субботу.", "ru"),
        ("不，我觉得是星期六。", "zh"),
        ("いいえ、土曜日だと思います。", "ja"),
        ("لا، أظن أنه يوم السبت.", "ar"),
    ],
)
def test_who_speaks_of_the_claim_does_not_speak_of_themselves(own, language):
    assert not speaks_of_themselves(own, language)


def test_somebody_without_a_name_is_nobody_else():
    assert of_themselves(turn((None, "No, I drink my coffee black.")), language="en") == frozenset()
    assert not are_bystanders({"Cleo"}, [turn((None, "I drink my coffee with milk."))])
    assert not are_bystanders(frozenset(), [turn(("Ann", "I drink my coffee with milk."))])


def test_who_spoke_or_was_named_is_no_bystander():
    assert are_bystanders({"Cleo"}, [turn(("Ann", "I drink my coffee with milk."))])
    assert not are_bystanders({"Cleo"}, [turn(("cleo", "I drink my coffee with milk."))])
    assert not are_bystanders({"Cleo"}, [turn(("Ann", "Cleo drinks her coffee with milk."))])
    assert not are_bystanders({"Cleo"}, [])
