"""Whose fact it is where nobody has a name. Every docstring says what was broken, once."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from service.ingest.contradictions import believable
from service.ingest.extraction_prompts import KnownItem
from service.ingest.nameless_speaker import are_of_the_speaker, speaks_alone


@pytest.mark.parametrize(
    ("new", "known", "names"),
    [
        ("Die Nutzerin wohnt jetzt in Bremen.", "Jana wohnt in Köln.", {"Jana"}),
        ("The user lives in Bremen now.", "Die Nutzerin wohnt in Köln.", ()),
        ("L'utilisatrice habite maintenant à Brême.", "The user lives in Cologne.", ()),
        ("Jana lives in Bremen.", "they told me: I live in Cologne.", {"Jana"}),
        ("Пользовательница живёт в Бремене.", "Яна живёт в Кёльне.", {"Яна"}),
        ("用户现在住在不来梅。", "王芳住在科隆。", {"王芳"}),
    ],
)
def test_two_facts_of_who_speaks_are_of_one_however_each_calls_them(new, known, names):
    """Broken: facts that share no word for who it is are of two."""
    assert are_of_the_speaker(new, known, names=names)


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("Die Nutzerin wohnt jetzt in Bremen.", "Anna wohnt in Köln."),
        ("Die Mutter der Nutzerin wohnt in Bremen.", "Jana wohnt in Köln."),
        ("Anna lives in Bremen.", "The user lives in Cologne."),
        ("The assistant suggested Bremen.", "Jana lives in Cologne."),
    ],
)
def test_what_is_of_another_one_is_not(new, known):
    """Broken: whatever a model calls untrue is the speaker's."""
    assert not are_of_the_speaker(new, known, names={"Jana"})


def test_such_a_fact_is_ended_by_what_bears_on_it_alone():
    """Broken: whatever a model names of the speaker is ended."""
    homes, known = "Die Nutzerin wohnt jetzt in Bremen.", ("Jana wohnt in Köln.", "Jana isst gern Pizza.")
    items = [KnownItem(number, text) for number, text in enumerate(known)]

    def ended(*numbers, names):
        is_one = lambda one, other: are_of_the_speaker(one, other, names=names)  # noqa: E731
        return believable(homes, numbers, same_pair=(), others=items, is_one=is_one)

    assert ended(0, names={"Jana"}) == (0,)
    assert ended(1, names={"Jana"}) == ()
    assert ended(0, names=()) == ()


def test_who_has_a_name_is_not_nameless():
    nameless, ann = Message(Speaker.USER, "Hi"), Message(Speaker.USER, "Hi", name="Ann")

    assert speaks_alone([nameless, Message(Speaker.ASSISTANT, "Hi", name="Bot")])
    assert not speaks_alone([nameless, ann])
    assert not speaks_alone([Message(Speaker.ASSISTANT, "Hi")])
