"""What a person muted never comes up by itself: a turn, or whoever is named in it; a name in every form."""

import json

import pytest

from tests.e2e.test_corrections import MOTHER, OTHERS, asked, by_id, correct, dropped, told
from tests.e2e.test_tellers import by, story
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_a_muted_turn_never_comes_up_by_itself(tmp_path):
    """Broken: decisions of whole turns are not looked at."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        first = await asked(service, session_id="first")
        await correct(service, "mute", by_id("turn", first["flashbacks"][0]))
        after = await asked(service, session_id="after")
        reasons = await dropped(service, after)

    assert not after["surfaced"]
    assert "muted by a person" in reasons.values()


async def test_a_muted_entity_takes_with_it_all_that_names_it(tmp_path):
    """Broken: muted names are not looked for."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, "Ingrid bakes rye bread on Sundays.", *OTHERS)
        await correct(service, "mute", {"kind": "entity", "text": "Ingrid"})
        found = await asked(service, "What does Ingrid bake on Sundays?")

    assert "rye" not in json.dumps(found)


async def test_a_muted_entity_is_known_in_the_forms_of_its_name(tmp_path):
    """Broken: muted names are compared as they were written."""
    asks = "Wessen Hund bellt die ganze Nacht?"
    async with running(tmp_path) as service:
        await told(service, "Ich heiße Ada und wohne in Kassel.", "Sandras Hund bellt die ganze Nacht.")
        before = await asked(service, asks, session_id="before")
        await correct(service, "mute", {"kind": "entity", "text": "Sandra"})
        after = await asked(service, asks, session_id="after")

    assert ("Sandras Hund" in json.dumps(before), "Sandras Hund" in json.dumps(after)) == (True, False)


async def test_what_a_muted_person_said_is_told_nowhere(tmp_path):
    """Broken: a message is looked at without its name: the story has Dave teach maths, and his card is shown."""
    maths, bread = "I teach maths at the Keplerschule.", "I bake rye bread on Sundays."
    turns = (
        [by("Dave", maths), {"role": "assistant", "content": "At the Keplerschule, how nice."}],
        [by("Ann", bread)],
        [by("Dave", "I live in Graz, near the castle."), by("Ann", "I live in Lyon, near the river.")],
    )
    async with running(tmp_path) as service:
        for number, messages in enumerate(turns):
            await service.keep("ada", *messages, turn_id=f"t{number}")
        await service.digested("ada")
        await correct(service, "pin", {"kind": "fact", "text": f"Dave told me: {maths}", "turn_ids": ["t0"]})
        before = await story(service)
        await correct(service, "mute", {"kind": "entity", "text": "Dave"})
        after = await story(service)
        found = await asked(service, "Who teaches maths at the Keplerschule?")
        people = (await service.http.get("/v1/minds/ada/people")).json()["people"]
        muted = await service.http.get("/v1/minds/ada/corrections")
        taken_back = next(one["id"] for one in muted.json()["items"] if one["what"] == "mute")
        await service.http.delete(f"/v1/minds/ada/corrections/{taken_back}")
        again = await story(service)

    assert maths in before
    assert "Keplerschule" not in after + found["block"] + json.dumps(people)
    assert "Dave" not in after + json.dumps(people)
    assert "Graz" not in after
    assert bread in after
    assert "I live in Lyon, near the river." in after
    assert maths in again


@pytest.mark.parametrize(
    ("name", "told_as", "asks"),
    [
        ("지은", "내 여동생 지은이는 광주에서 의학을 공부해.", "내 여동생은 어디서 공부해?"),
        ("Ines", "My sister ines works in a bakery in Ankara.", "Who works in a bakery in Ankara?"),
        ("ines", "my sister ines works in a bakery in ankara.", "who works in a bakery in ankara?"),
        ("Işıl", "Işıl'ın nişanlısı Ankara'da bir fırında çalışıyor.", "Ankara'da fırında kim çalışıyor?"),
    ],
)
async def test_who_is_named_with_an_ending_or_in_small_letters_can_be_muted(tmp_path, name, told_as, asks):
    """Broken: turns are searched for the name as it was written (404), or texts are; a capital is asked for."""
    async with running(tmp_path) as service:
        await told(service, told_as)
        before = await asked(service, asks, session_id="before")
        await correct(service, "mute", {"kind": "entity", "text": name})
        after = await asked(service, asks, session_id="after")

    assert (name.lower() in before["block"].lower(), after["surfaced"]) == (True, False)
