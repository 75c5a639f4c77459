"""The story without a model: tastes where there is nothing else to tell, and what was saved as important."""

import pytest

from consolidation.kernel.turns import Speaker
from consolidation.story.quotes import quote
from consolidation.text.language import detect
from tests.consolidation.story.test_quotes import DOG, HOUSE, RACE, said, texts, told

TASTES = (
    "I like figs.", "I hate cilantro.", "Ich mag Feigen.", "J'aime les figues.", "Me gustan los higos.", "Mi piacciono i fichi.",
    "Gosto de figos.", "Ik hou van vijgen.", "Lubię figi.", "Я люблю инжир.", "أحب التين", "我喜欢无花果。", "イチジクが好きです。",
)  # fmt: skip


@pytest.mark.parametrize("taste", TASTES)
def test_what_somebody_likes_is_told_where_nothing_else_is_to_tell(taste):
    """Broken: a mind that was told nothing else had no story, and the turn counted as told."""
    answer = said("Good.", role=Speaker.ASSISTANT)

    assert taste in texts(("2026-01-05", said(taste), answer), language=detect(taste))


@pytest.mark.parametrize(
    "talk", ["I like it.", "I love you!", "Thanks, I love that.", "Ich mag dich.", "Te amo.", "I like."]
)
def test_what_likes_nothing_in_particular_is_small_talk(talk):
    assert told(("2026-01-05", said(talk)), language=detect(talk)) == ()


@pytest.mark.parametrize(("importance", "is_told"), [(0.9, True), (0.7, True), (0.5, False), (None, False)])
def test_a_memory_that_was_saved_as_important_is_told_beside_anything(importance, is_told):
    """Broken: only its words were weighed."""
    events = (HOUSE, DOG, RACE, "Our son Max was born in Lyon on 3 May 2025.")
    turns = [{"said": (said(one),)} for one in events]
    turns.append({"said": (said("The spare one is red.", who=None, role=Speaker.THOUGHT),), "importance": importance})
    batch = [{"when": "2026-01-05 09:00", "weekday": "", "gap": "", "dates": "", **one} for one in turns]

    [chapter] = quote(batch, language="en").append

    assert ("The spare one is red." in chapter.text) is is_told
