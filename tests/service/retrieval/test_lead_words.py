"""Whose words a memory holds: a person's, or only what was read and what the bot said."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from service.retrieval.lead_words import LEADS, others_words, persons_words, told_by

SAYING = "Buy / they told me: ‘all” of it, user: yes"


@pytest.mark.parametrize("language", LEADS)
@pytest.mark.parametrize("role", [Speaker.TOOL, Speaker.ASSISTANT, Speaker.THOUGHT])
def test_what_no_person_said_is_no_persons_words_in_any_language(language, role):
    others = told_by(Message(role, SAYING), SAYING, language=language)
    person = told_by(Message(Speaker.USER, "Hm."), "Hm.", language=language)

    both = f"{others} / {person}"

    assert others_words(both).startswith(others[:8])
    assert (persons_words(both), persons_words(others), others_words(person)) == (person, "", "")
