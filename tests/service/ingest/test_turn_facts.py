"""Which facts a turn tells, and not only the talk before it. Every docstring says what was broken, once."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Extraction, Fact
from service.ingest.grounding import grounded

CLARA = ("My sister Clara lives in Lyon.", "Nice.")


def told(fact, text, *, answer="Good.", before=CLARA, message=1, name="Ada"):
    """The message that tells *fact*, as a model found it in *text*; None where it is dropped."""
    said = (Message(Speaker.USER, text, name=name), Message(Speaker.ASSISTANT, answer))
    previous = (Message(Speaker.USER, before[0], name=name), Message(Speaker.ASSISTANT, before[1]))
    found = Extraction(facts=(Fact(source=name, relation="R", target="user", fact=fact, message=message),))
    left = grounded(found, said=said, previous=previous, occurred_at="2026-05-04T10:00:00+00:00").facts
    return left[0].message if left else None


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, that is all for today.",
        "Ok.",
        "👍",
        "Good night!",
        "What time is it?",
        "No, thanks.",
        "Merci, à demain !",
    ],
)
def test_who_says_nothing_of_it_does_not_tell_it_again(text):
    """Broken: ``told`` returns every fact."""
    assert told("Clara's home is in Lyon.", text) is None


def test_the_speakers_name_tells_nothing():
    """Broken: words of speakers tell."""
    assert told("Ada's sister Clara lives in Lyon.", "Ada here. Good night!") is None


@pytest.mark.parametrize(
    ("asked", "text", "fact"),
    [
        ("Does Clara still live in Lyon?", "Yes.", "Clara still lives in Lyon."),
        ("Does Clara still live in Lyon?", "She does!", "Clara still lives in Lyon."),
        ("Wohnt Clara noch in Lyon?", "Ja, klar.", "Clara wohnt in Lyon."),
        ("克拉拉还住在里昂吗？", "是的。", "克拉拉住在里昂。"),
        ("So Clara lives in Lyon.", "No, she doesn't.", "Clara does not live in Lyon."),
        ("Since when does Clara live in Lyon?", "Since last year.", "Clara has lived in Lyon since 2025."),
        ("Since when does Clara live in Lyon?", "In 2019.", "Clara has lived in Lyon since 2019."),
    ],
)
def test_who_answers_or_denies_tells_what_was_asked(asked, text, fact):
    """Broken: only the words of the turn tell."""
    assert told(fact, text, before=(CLARA[0], asked)) == 1


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("She moved to Nice.", "Clara moved to Nice."),
        ("She is a vet now.", "Clara is a vet."),
        ("Sie ist nach Krakau gezogen.", "Clara ist nach Krakau gezogen."),
        ("I live in Lyon, too.", "Ada lives in Lyon."),
    ],
)
def test_one_word_of_the_turn_is_enough(text, fact):
    """Broken: all words must be the turn's."""
    assert told(fact, text) == 1


def test_what_the_bot_alone_says_is_its_message():
    """Broken: the model's number is kept: the bot's words are the person's."""
    before = ("Can you book Nobu for Friday?", "Shall I?")

    assert (
        told("A table at Nobu is booked for Friday.", "Thanks!", answer="Nobu is booked for Friday.", before=before)
        == 2
    )
    assert told("Clara's home is in Lyon.", "Thanks!", answer="Greetings to Lyon!") is None
