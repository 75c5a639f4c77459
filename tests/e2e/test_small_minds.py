"""
A newcomer asks what a memory of a few turns must know: what was told in passing, asked for in other words.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

SAID = {
    "en": (
        "We moved to Linz last week.", "Got a puppy, she's called Luna.", "They put me on 20 mg of citalopram.",
        "I gave up smoking in March.", "My new boss is Karin.", "I'm learning the cello.", "Broke my wrist at football.",
        "We fly to Oslo on the 3rd of May.",
    ),
    "es": (
        "Nos mudamos a Linz la semana pasada.", "Tenemos una cachorra, se llama Luna.", "Mi nueva jefa es Karin.",
        "Dejé de fumar en marzo.", "El 3 de mayo volamos a Oslo.", "Me rompí la muñeca izquierda jugando al fútbol.",
        "Estoy aprendiendo a tocar el violonchelo.", "Nos suben el alquiler a 950.",
    ),
    "pt": (
        "tomo losartana todo dia por causa da pressão", "comprei uma Honda Biz pra fugir do trânsito",
        "a Bia passou em medicina", "tô aprendendo cavaquinho com o seu Nelson", "o síndico é um chato",
    ),
    "ar": (
        "أنا صيدلي مناوب، اليوم وقفت على رجلي عشر ساعات", "قطتي مشمشة كسرت الفازة الغالية",
        "رحلتي لإسطنبول يوم الخميس الفجر", "جارنا أبو خالد يركن سيارته قدام بابنا كل يوم",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("en", "Where are we going on holiday?", "Oslo"),
        ("es", "¿Adónde vamos de vacaciones?", "Oslo"),
        ("pt", "Qual remédio eu uso?", "losartana"),
        ("ar", "ما هي مهنتي؟", "صيدلي"),
    ],
)
async def test_what_was_told_in_passing_comes_up_when_it_is_asked_for_in_other_words(
    tmp_path, language, question, answer
):
    """Broken: what nobody spoke of in these words has to be as near as ever; a form says no "I"; names mean nothing."""
    async with running(tmp_path) as service:
        for content in SAID[language]:
            await service.keep("ada", {"role": "user", "content": content})
        await service.digested("ada")

        found = (await service.resonate("ada", question, session_id="later", deadline_ms=0)).json()["flashbacks"]

    assert any(answer in one["text"] for one in found), [one["text"] for one in found]


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_what_holds_now_comes_first_however_few_may_surface(tmp_path, most):
    """Broken: fragments are ordered after all but the *most* were cut off: alone, the old rent surfaces."""
    async with running(tmp_path) as service:
        for content in (
            "The rent for my flat is 740 euros a month.",
            "We went hiking on Sunday.",
            "They raised my rent to 790.",
            "My sister plays chess.",
        ):
            await service.keep("ada", {"role": "user", "content": content})
        await service.digested("ada")

        answer = await service.resonate(
            "ada", "How much is the rent for my flat a month?", session_id="later", deadline_ms=0, max_fragments=most
        )
        found = answer.json()["flashbacks"]

    assert "790" in found[0]["text"]
    assert len(found) <= most
