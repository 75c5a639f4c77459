"""What a message wants made or explained: tasks do, small talk, remarks and questions about a life do not."""

import pytest

from service.retrieval.intent import intent_of
from service.retrieval.work_wanted import share_subject, work_wanted


@pytest.mark.parametrize(
    ("message", "language", "task"),
    [
        ("Write a function that parses this csv.", "en", "code"),
        ("ok so here it is. can you write me a test for the parser script", "en", "code"),
        ("fix this:\n```python\nx = 1\n```", "en", "code"),
        ("need a bash script that tails logs", "en", "code"),
        ("regex for german iban?", "en", "code"),
        ("recipe for dinner tonight?", "en", "recipe"),
        ("what should i cook tonight?", "en", "recipe"),
        ("kannst du einen elternbrief zum wandertag schreiben", "de", "text"),
        ("was koche ich heute abend?", "de", "recipe"),
        ("Traduce esto al inglés: buenos días", "es", "translation"),
        ("写一个解析csv的函数", "zh", "code"),
        ("今夜のレシピを教えてください", "ja", "recipe"),
    ],
)
def test_a_task_is_wanted_with_its_kind(message, language, task):
    found = work_wanted(message, language=language)

    assert found is not None
    assert task in found.tasks


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("Can you explain rust lifetimes?", "en"),
        ("How do I remove a wine stain?", "en"),
        ("Warum ist der Himmel blau?", "de"),
        ("Comment faire une mayonnaise ?", "fr"),
    ],
)
def test_a_question_that_is_answered_at_length_wants_work(message, language):
    assert work_wanted(message, language=language) is not None


@pytest.mark.parametrize(
    ("message", "language"),
    [
        ("thanks, great code", "en"),
        ("i wrote a script today", "en"),
        ("hi, quick question", "en"),
        ("What's the capital of Peru?", "en"),
        ("Where does my aunt Carla live?", "en"),
        ("which python version do we use at work?", "en"),
        ("what was the fix for too many clients already?", "en"),
        ("Tell me where my aunt lives.", "en"),
        ("ich hab heute eine mail an den hausmeister geschrieben", "de"),
        ("wann hab ich krankengymnastik?", "de"),
        ("Merci !", "fr"),
        ("谢谢", "zh"),
    ],
)
def test_small_talk_remarks_and_what_is_told_in_a_word_want_none(message, language):
    assert work_wanted(message, language=language) is None


def test_a_longer_word_shares_the_subject_of_the_one_it_begins_with():
    assert share_subject(frozenset({"docker"}), frozenset({"dockerfil"}))
    assert not share_subject(frozenset({"dog"}), frozenset({"dogma"}))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Summarise what you know about my mother."),
        ("en", "Can you sum up everything I told you about Rome?"),
        ("en", "Give me a summary of what you know about me."),
        ("de", "Fasse zusammen, was du über meine Mutter weißt."),
        ("es", "Resume lo que sabes de mi madre."),
        ("fr", "Résume ce que tu sais de ma mère."),
        ("it", "Riassumi quello che sai di mia madre."),
        ("pt", "Resuma o que você sabe sobre a minha mãe."),
        ("nl", "Vat samen wat je over mijn moeder weet."),
        ("pl", "Podsumuj, co wiesz o mojej mamie."),
        ("ru", "Подытожь, что ты знаешь о моей маме."),
        ("zh", "总结我告诉过你的关于罗马的事。"),
        ("ja", "私の母について知っていることをまとめて。"),
        ("ar", "لخص ما تعرفه عن أمي."),
    ],
)
def test_a_summary_of_what_is_remembered_asks_and_is_not_work_on_a_text(language, text):
    """Broken: ``_KNOWN`` is not looked for."""
    intent = intent_of(text, language=language, names_known=False)
    assert intent.kind == "personal question"
    assert "language" not in intent.tasks


@pytest.mark.parametrize("text", ["Summarise the French revolution.", "Summarise what you know about black holes."])
def test_a_summary_of_what_anybody_knows_is_a_request(text):
    assert intent_of(text, language="en", names_known=False).kind == "request"
