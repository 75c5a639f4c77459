"""With the multilingual embedder, what was said in one language is found in another, without a model."""

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
