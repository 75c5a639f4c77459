"""Short forms of a chat are written out; what only looks like one is left."""

import pytest

from consolidation.text.chat_spelling import spelled_out, with_words_written_out


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("en", "wot time is my appt, did u say tmrw", "what time is my appointment, did you say tomorrow"),
        ("en", "Tmrw w/ Joe", "tomorrow with Joe"),
        ("en", "TMRW AT THE LATEST", "tomorrow AT THE LATEST"),
        ("en-GB", "ok. tmrw then", "ok. tomorrow then"),
        ("pt-BR", "qd vc vai? hj n", "quando você vai? hoje não"),
        ("ru", "щас не могу, завтро", "сейчас не могу, завтра"),
    ],
)
def test_short_forms_are_written_out(language, typed, meant):
    """Broken: a form in capitals, or at the beginning, was left."""
    assert spelled_out(typed, language=language) == meant


@pytest.mark.parametrize(
    ("language", "typed"),
    [
        ("en", "I met Fav and Pls, is it msg"),
        ("es", "¿Cuándo cumple años?"),
        ("ru", "и др. в кв. 5"),
        ("de", "Wann ist der .NET Kurs, der .net Kurs"),
        ("en", "plan b, vitamin c, r2d2, u-turn, n=5, a/c, x.com/u"),
        ("pt", "vitamina c, letra d, tamanho p, Tel Aviv"),
        ("xx", "u r gd"),
    ],
)
def test_what_only_looks_like_one_is_left(language, typed):
    """Broken: capitals did not count, so that Ned was nobody; the name of a framework was read as a negation."""
    assert spelled_out(typed, language=language) == typed


def test_what_is_stored_is_found_by_the_words_that_its_short_forms_stand_for():
    """Broken: function words were added, too, and a text without short forms was doubled."""
    assert with_words_written_out("appt w/ u tmrw", language="en") == "appt w/ u tmrw\nappointment tomorrow"
    assert with_words_written_out("no short forms", language="en") == "no short forms"
