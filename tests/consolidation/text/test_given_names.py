"""Names that no capital shows. Every docstring says what was broken, once."""

import pytest

from consolidation.story.invention import Sources, invention
from consolidation.text.given_names import unproven_names


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "Gertrude hated the concert in Oslo.", "Gertrude"),
        ("en", "Carla told me she hated it.", "Carla"),
        ("en", "Bob hated it.", "Bob"),
        ("en", "Tunde's boat sank. Tunde sold it.", "Tunde"),
        ("de", "Gestern hat Gertrud ihr Boot verkauft.", "Gertrud"),
        ("de", "Gertruds Boot liegt in Genua.", "Gertrud"),
        ("es", "Gertrudis odiaba el concierto.", "Gertrudis"),
        ("fr", "Élodie m'a dit cela.", "Élodie"),
        ("it", "Giulia odia il concerto.", "Giulia"),
        ("nl", "Gertrude haatte het concert.", "Gertrude"),
    ],
)
def test_a_name_is_one_wherever_it_stands(language, text, name):
    """Broken: what opens a sentence owes its capital to that; in German no capital marks a name."""
    assert name in unproven_names(text, language=language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Yesterday was loud. Walking home helped. Tickets cost a lot. Dinner was late. Old friends came by."),
        ("en", "Grace periods ended. Will you come? Later came the rain. Hated it. Healthchecks failed twice."),
        ("de", "Gestern war das Konzert laut. Am 1. August gehe ich zum Friseur. Ich will Kuchen. Mark und Pfennig."),
        ("es", "Recuerdo que odiabas el concierto. Mira esto. Leo un libro. Dan pan."),
        ("fr", "Hier, le concert était bruyant. Marché conclu."),
        ("it", "Mia sorella odia il concerto. Ricordo tutto."),
        ("nl", "Ben je ziek? Gisteren was het laat."),
    ],
)
def test_an_ordinary_word_that_opens_a_sentence_is_no_name(language, text):
    """Broken: every capital is a name's."""
    assert unproven_names(text, language=language) == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Gertrude sold her boat in Genoa."), ("de", "Ich hörte, dass Gertrud ihr Boot in Genua verkaufte.")],
)
def test_a_story_with_such_a_name_that_nobody_said_is_refused(language, text):
    """Broken: ``Sources`` believes whatever opens a sentence, and any name in German."""
    told = "Ich verkaufte mein Boot in Genua." if language == "de" else "I sold my boat in Genoa."

    def found(*more):
        return invention(text, sources=Sources((told, *more), language=language))

    assert "Gertrud" in found()
    assert found("Gertrud and Gertrude are sisters.") == ""
