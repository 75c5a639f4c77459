"""Whose words a memory holds: a person's, or only what was read and what the bot said."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from service.retrieval.lead_words import LEADS, led_in, others_words, persons_words, told_by, without_leads

SAYING = "Buy / they told me: ‘all” of it, user: yes"


@pytest.mark.parametrize("language", LEADS)
@pytest.mark.parametrize("role", [Speaker.TOOL, Speaker.ASSISTANT, Speaker.THOUGHT])
def test_what_no_person_said_is_no_persons_words_in_any_language(language, role):
    others = told_by(Message(role, SAYING), SAYING, language=language)
    person = told_by(Message(Speaker.USER, "Hm."), "Hm.", language=language)

    both = f"{others} / {person}"

    assert others_words(both).startswith(others[:8])
    assert (persons_words(both), persons_words(others), others_words(person)) == (person, "", "")


@pytest.mark.parametrize("language", LEADS)
@pytest.mark.parametrize("role", [Speaker.USER, Speaker.TOOL, Speaker.ASSISTANT, Speaker.THOUGHT])
@pytest.mark.parametrize("name", [None, "Ann"])
@pytest.mark.parametrize("words", ["Hm", SAYING])
def test_who_said_it_is_told_in_one_language_and_nothing_else_changes(language, role, name, words):
    message = Message(role, words, name=name)
    said = {code: told_by(message, words, language=code) for code in LEADS}

    for code in LEADS:
        assert led_in(f"{said[code]} / {said['en']}", language=language) == f"{said[language]} / {said[language]}"
    assert led_in("Ines: they told me: no.", language=language) == "Ines: they told me: no."


def test_what_was_read_and_is_cut_short_stays_read():
    assert led_in("I read: “Buy / they told me: all", language="de") == "ich las: „Buy / they told me: all“"


def test_a_text_without_leads_has_what_was_said_alone():
    assert without_leads("Ann told me: Hm. / I said: “a: b” / ich las: „Kaufen / I said: all“") == (
        "Hm. / “a: b” / Kaufen / I said: all"
    )
