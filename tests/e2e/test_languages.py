"""
With the multilingual embedder, what was said in one language is found in another; a set phrase in front hides nothing.

No model is asked.
"""

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

SAID = (
    "Meine Schwester Lena spielt Geige in einem Orchester.",
    "Wir haben den Zaun grün gestrichen.",
    "Ich vertrage keine Erdnüsse, davon bekomme ich Ausschlag.",
    "Der Zug nach Basel hatte wieder Verspätung.",
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which instrument does my sister play?", "Geige"),
        ("妹はどんな楽器を弾きますか。", "Geige"),
        ("¿De qué color pintaron la cerca?", "Zaun"),
        ("Am I allergic to any food?", "Erdnüsse"),
    ],
)
async def test_a_memory_is_found_in_another_language(tmp_path, query, expected):
    settings = settings_of(tmp_path, embedder={"model": "multilingual"})

    async with running(tmp_path, settings=settings) as service:
        for sentence in SAID:
            await service.keep("ada", sentence, "Aha.", session_id="s0")
        await service.digested("ada")
        found = await service.http.get("/v1/minds/ada/remember", params={"query": query, "limit": 1})

    assert expected in found.json()["memories"][0]["text"]


@pytest.mark.parametrize(
    ("told", "asked", "value"),
    [
        ("Wie gesagt, meine Blutgruppe ist 0 negativ.", "Welche Blutgruppe habe ich?", "0 negativ"),
        ("Que conste que mi grupo sanguíneo es 0 negativo.", "¿Cuál es mi grupo sanguíneo?", "0 negativo"),
        ("Jak wiesz, mam grupę krwi 0 minus.", "Jaką mam grupę krwi?", "0 minus"),
        ("Give blood twice a year, I'm blood group O negative.", "What is my blood group?", "O negative"),
    ],
)
async def test_what_is_told_behind_a_phrase_that_looks_like_a_question_surfaces(tmp_path, told, asked, value):
    """Broken: a sentence that begins with a question word, or the stem of a verb, is asked."""
    async with running(tmp_path) as service:
        for other in ("We painted the fence green.", "The dentist wants to see me in March.", "Our choir sings Verdi."):
            await service.keep("ada", other, session_id="s0")
        await service.keep("ada", told, "Noted.", session_id="s1")
        await service.digested("ada")

        answer = (await service.resonate("ada", asked)).json()

    assert value in answer["block"]


@pytest.mark.parametrize(
    "told", ["Wie gesagt, meine Blutgruppe ist 0 negativ", "Co roku w maju jeździmy z Zosią do Zakopanego"]
)
async def test_it_is_in_the_story(tmp_path, told):
    """Broken: what begins with a question word is asked, and left out for good."""
    async with running(tmp_path) as service:
        await service.keep("ada", told, "Noted.")
        await service.digested("ada")

        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})

        assert told in (await service.http.get("/v1/minds/ada/story")).json()["text"]
