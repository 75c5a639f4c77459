"""Whose words a memory is in, and whether one that somebody else told may say what holds now of it."""

import pytest

from consolidation.kernel.turns import Speaker
from service.retrieval.put_right import NOTHING_PUT_RIGHT
from service.retrieval.tellers import (
    NOBODY,
    about_whom,
    called_by_given_name,
    may_change,
    meant_in,
    people_of,
    tellers_of,
)
from tests.support.fragments import message_of


def told(*said):
    """What each of *said* (a name and words) told in one turn."""
    return tellers_of([message_of(text, name=name) for name, text in said], (1,), NOTHING_PUT_RIGHT)


LYON = told(("Ann", "I live in Lyon."))


@pytest.mark.parametrize(
    ("newer", "may"),
    [
        (("Ben", "I moved to Linz, my flat was too small."), False),
        (("Ben", "Ich bin nach Linz gezogen."), False),
        (("Ben", "Linz is nice."), False),
        (("Ben", "I heard that Ann moved to Linz."), True),
        (("Ben", "> Ann: I live in Lyon.\nLinz is nice."), False),
        (("Ann", "I moved to Linz."), True),
        (("ANN", "I moved to Linz."), True),
        ((None, "I moved to Linz."), True),
    ],
)
def test_what_others_tell_of_themselves_is_no_news_of_somebody(newer, may):
    """Broken: ``may_change`` says yes; whom they name, or that they have no name, does not count."""
    assert may_change(told(newer), LYON) is may


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We meet at the station.", "The church is where we meet."),
        ("Wir treffen uns am Bahnhof.", "Wir treffen uns jetzt an der Kirche."),
        ("Nos vemos en la estación.", "Nos vemos en la iglesia."),
        ("I think we meet at the station.", "Can you tell me whether it is at the church?"),
    ],
)
def test_what_is_everybodys_may_be_told_anew_by_anybody(older, newer):
    assert may_change(told(("Ben", newer)), told(("Ann", older)))


@pytest.mark.parametrize(
    ("older", "newer", "may"),
    [
        (("Ann", "I work at Siemens."), ("Ann", "> I work at the bakery.\nHow nice, Ben!"), False),
        (("Ben", "I work at the bakery."), ("Ann", "> I work at the bakery.\nHow nice, Ben!"), False),
        (("Ann", "I work at Siemens."), ("Ann", "> I work at the bakery.\nI quit Siemens, too."), True),
        (("Ben", "The trip is on Friday."), ("Ann", "> The trip is on Friday.\nIt is on Saturday now."), True),
        (("Ann", "The trip is on Friday."), ("Ann", "> The trip is on Friday.\nIt is on Saturday now."), True),
    ],
)
def test_who_quotes_remarks_on_what_is_quoted_and_on_nothing_else(older, newer, may):
    """Broken: whatever the one who asks says later takes the place of what they told, also below another's words."""
    assert may_change(told(newer), told(older)) is may


def test_who_was_named_may_say_what_holds_now_of_it():
    """Broken: only the names in the newer one count."""
    assert may_change(told(("Ann", "No wait, I do come.")), told(("Cleo", "Ann can't come, she told me so.")))


def test_a_name_that_is_a_word_too_is_one_with_a_capital():
    porto = told(("Will", "I live in Porto."))

    assert not may_change(told(("Ben", "I will live in Linz.")), porto)
    assert may_change(told(("Ben", "I saw that Will lives in Linz.")), porto)
    assert meant_in("Will Ann get her visa, and will it be cold?", ("Will", "Ann")) == {"Ann"}
    assert meant_in("when is ben's birthday?", ("Ben",)) == {"Ben"}  # a word in Turkish, and none here
    assert meant_in("Who is Will's boss?", ("Will",)) == {"Will"}


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("Where does Ann work?", {"Ann Miller"}),
        ("Wo liegt Anns Haus?", {"Ann Miller"}),
        ("Where does Will work?", {"Will Smith"}),
        ("Where will Ann Miller work?", {"Ann Miller"}),
        ("Where does Ann M. work?", {"Ann Miller"}),
        ("Where does Ann Kovacs work?", set()),
        ("Where does Lea work?", {"Lea Berger", "Lea Huber"}),
        ("Where does Lea Huber work?", {"Lea Huber"}),
        ("What did the doctor say?", set()),
        ("What does Mia like?", set()),
    ],
)
def test_a_given_name_is_of_all_who_have_it_unless_somebody_is_called_by_it_alone(query, meant):
    """Broken: one of two Leas is meant, or none; Ann Kovacs is Ann Miller; a word is a name; Mia is Mia Gruber."""
    names = ("Ann Miller", "Will Smith", "Lea Berger", "Lea Huber", "Dr. Moser", "Mia", "Mia Gruber")

    assert called_by_given_name((query,), names, NOTHING_PUT_RIGHT) == meant


def test_a_given_name_of_another_known_name_is_not_a_speakers():
    asked = ("wo wohnt ann kovacs?",)

    assert called_by_given_name(asked, ("Ann Miller",), NOTHING_PUT_RIGHT, known=("ann kovacs",)) == frozenset()
    assert called_by_given_name(asked, ("Ann Miller",), NOTHING_PUT_RIGHT, known=("ann",)) == {"Ann Miller"}


def test_who_calls_somebody_by_a_given_name_names_them():
    """Broken: every word of a full name must be said."""
    assert may_change(told(("Ben Carter", "I heard that Ann moved to Linz.")), told(("Ann Miller", "I live in Lyon.")))


@pytest.mark.parametrize(
    ("named", "asks_of_oneself", "about"),
    [
        ((), True, {"Ben"}),
        ((), False, set()),
        (("Ann Miller",), True, {"Ann Miller"}),
        (("Ann Miller", "Ann Kovacs"), False, {"Ann Miller", "Ann Kovacs"}),
        (("Ann Miller", "Lea Huber"), False, set()),
    ],
)
def test_a_question_is_about_who_asks_or_whom_its_one_name_may_mean(named, asks_of_oneself, about):
    """Broken: of two people of one given name, the question is about neither."""
    assert about_whom(asker="Ben", named=named, speaks_of_oneself=asks_of_oneself) == about
    assert about_whom(asker="", named=named, speaks_of_oneself=asks_of_oneself) == set()


@pytest.mark.parametrize(
    ("first", "then", "may"),
    [
        (("Ann", "I live in Lyon."), (None, "I moved to Linz."), False),
        ((None, "I live in Lyon."), ("Ann", "I moved to Linz."), False),
        ((None, "I live in Lyon."), (None, "I moved to Linz."), True),
        (("Ann", "I live in Lyon."), (None, "I heard that Ann moved to Linz."), True),
        (("Ann", "The trip is on Friday."), (None, "The trip is on Saturday now."), True),
    ],
)
def test_in_a_group_whoever_has_no_name_is_somebody_else(first, then, may):
    """Broken: whoever has no name may be anybody, also where the others have names."""
    older, newer = (
        tellers_of([message_of(text, name=name)], (1,), NOTHING_PUT_RIGHT, in_group=True)
        for name, text in (first, then)
    )

    assert may_change(newer, older) is may


def test_a_name_of_signs_alone_is_named_nowhere():
    """Broken: its key has no words, and so all of them stand everywhere."""
    assert not may_change(told(("🌻", "I moved to Linz.")), LYON)
    assert not may_change(told(("Ben", "I moved to Linz.")), told(("🌻", "I live in Lyon.")))
    assert may_change(told(("🌻", "I moved to Linz.")), told(("🌻", "I live in Lyon.")))


def test_a_turn_of_several_is_of_each_and_neither_bots_nor_tools_tell():
    """Broken: one speaker counts; every role does."""
    several = [
        message_of("I live in Lyon.", name="Ann"),
        message_of("And I in Graz.", name="Ben"),
        message_of("Nice!", Speaker.ASSISTANT, name="Mira"),
        message_of("Sunny.", Speaker.TOOL, name="weather"),
    ]

    assert people_of(several) == tellers_of(several, (1,), NOTHING_PUT_RIGHT).people == {"ann", "ben"}
    assert may_change(told(("Ben", "I moved to Linz.")), tellers_of(several, (1,), NOTHING_PUT_RIGHT))
    assert tellers_of(several[2:], (1,), NOTHING_PUT_RIGHT) == NOBODY
