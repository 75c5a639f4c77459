"""
A person's card: what was pinned or said, and what lasts, in the stable part until there is a story.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

LYON, TEA = "My mother Ingrid lives in Lyon.", "I had tea with Bernd this morning."


async def told(service):
    for number, one in enumerate((LYON, TEA)):
        await service.keep("ada", {"role": "user", "name": "Ann", "content": one}, turn_id=f"t{number}")
    await service.digested("ada")


async def correct(service, what, **more):
    answer = await service.http.post("/v1/minds/ada/corrections", json={"what": what, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def people(service):
    return (await service.http.get("/v1/minds/ada/people")).json()["people"]


async def stable(service):
    return (await service.resonate("ada", "Hello there!")).json()["stable"]["text"]


def fact(text):
    return {"kind": "fact", "text": text}


def nurse(_):
    """What a model notes of a nurse who had tea."""
    facts = [
        {"source": "Ann", "relation": "IS", "target": "Nurse", "fact": "Ann is a nurse.", "importance": 0.9},
        {"source": "Ann", "relation": "HAD", "target": "Tea", "fact": "Ann had tea.", "importance": 0.3},
    ]
    return {"entities": [{"name": one} for one in ("Ann", "Nurse", "Tea")], "facts": facts}


async def test_what_is_pinned_or_said_is_on_the_card_until_it_is_taken_back(tmp_path):
    """Broken: pins are not on a card; a card is read once and for all."""
    async with running(tmp_path) as service:
        await told(service)
        empty = await people(service)
        pin = await correct(service, "pin", target=fact(LYON))
        await correct(service, "say", to="Ann is allergic to nuts.")
        cards, shown = await people(service), await stable(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{pin['id']}")
        after = await stable(service)

    assert empty == []
    assert [(card["name"], [line["text"] for line in card["lines"]]) for card in cards] == [
        ("Ann", [LYON, "Ann is allergic to nuts."])
    ]
    pinned, said = cards[0]["lines"]
    assert (pinned["decided"]["what"], pinned["sources"][0]["turn_id"]) == ("pin", "t0")
    assert (said["decided"]["what"], said["sources"][0]["by"]) == ("say", "local")
    assert f"[MY PEOPLE]\nAnn:\n- {LYON}\n- Ann is allergic to nuts.\n[END OF MY PEOPLE]" in shown
    assert LYON not in after
    assert "allergic" in after


async def test_a_pinned_turn_is_on_the_card_of_whoever_told_it(tmp_path):
    """Broken: a card asks what was pinned of facts, and not of turns."""
    async with running(tmp_path) as service:
        await told(service)
        await service.keep(
            "ada", {"role": "user", "name": "Ben", "content": "I am allergic to nuts. My sister Erika lives in Bonn."}
        )
        await service.digested("ada")
        pin = await correct(service, "pin", target={"kind": "turn", "id": "episode:3"})
        cards = await people(service)
        await correct(service, "wrong", target=fact("My sister Erika lives in Bonn."))
        without = await people(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{pin['id']}")
        after = await people(service)

    [card] = cards
    [line] = card["lines"]
    assert (card["name"], line["text"]) == ("Ben", "I am allergic to nuts. My sister Erika lives in Bonn.")
    assert (line["decided"]["what"], line["sources"][0]["sequence"]) == ("pin", 3)
    assert [[one["text"] for one in card["lines"]] for card in without] == [["I am allergic to nuts."]]
    assert after == []


async def test_what_a_model_calls_important_lasts_and_what_is_wrong_does_not(tmp_path):
    """Broken: importance is not asked for; a fact that was put right stays on the card."""

    with provider_of(Brain(extraction=nurse)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", {"role": "user", "name": "Ann", "content": "I am a nurse. I had tea."})
            await service.digested("ada")
            before = await people(service)
            await correct(service, "wrong", target=fact("Ann is a nurse."))
            after = await people(service)

    assert [line["text"] for line in before[0]["lines"]] == ["Ann is a nurse."]
    assert after == []


async def test_what_was_contradicted_leaves_the_card_until_a_person_says_that_it_is_so(tmp_path):
    """Broken: outcomes are not asked; a card is made again only when a person decides; a confirmed fact stays away."""
    with provider_of(Brain(extraction=nurse)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", {"role": "user", "name": "Ann", "content": "I am a nurse. I had tea."})
            await service.digested("ada")
            [line] = (await people(service))[0]["lines"]
            outcomes = {"outcomes": [{"id": line["id"], "outcome": "contradicted"}]}
            assert (await service.http.post("/v1/minds/ada/outcomes", json=outcomes)).status_code == 200
            contradicted = await people(service)
            await correct(service, "right", target=fact("Ann is a nurse."))
            confirmed = await people(service)

    assert contradicted == []
    assert [line["text"] for line in confirmed[0]["lines"]] == ["Ann is a nurse."]


@pytest.mark.parametrize(("shown", "is_there"), [("auto", False), ("always", True), ("never", False)])
async def test_where_there_is_a_story_the_card_is_shown_only_if_it_is_wanted(tmp_path, shown, is_there):
    """Broken: the setting is not read."""
    settings = settings_of(tmp_path, resonance={"people_cards": shown})
    async with running(tmp_path, settings=settings) as service:
        await told(service)
        await correct(service, "pin", target=fact(LYON))
        await service.http.post("/v1/minds/ada/consolidation", json={"wait": True})
        text = await stable(service)

    assert "[MY STORY]" in text
    assert ("[MY PEOPLE]" in text) is is_there


async def test_a_card_that_a_client_sends_back_is_not_kept(tmp_path):
    """Broken: the frame of the cards is not taken out of what is said."""
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello!\n[MY PEOPLE]\nAnn:\n- Ann is a nurse.\n[END OF MY PEOPLE]\nHow are you?")
        log = "".join(file.read_text() for file in tmp_path.glob("minds/ada/transcript/*.jsonl"))

    assert "How are you?" in log
    assert "nurse" not in log


async def test_a_card_says_nothing_of_whoever_is_muted(tmp_path):
    """Broken: a card asks what was decided of a line, and not of the names in it."""
    async with running(tmp_path) as service:
        await told(service)
        await correct(service, "say", to="Bernd has a dog called Fipsi.")
        before = await stable(service)
        made = await correct(service, "mute", target={"kind": "entity", "text": "Bernd"})
        muted = await stable(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        after = await stable(service)

    assert ["Fipsi" in text for text in (before, muted, after)] == [True, False, True]


@pytest.mark.parametrize("edited", [{"kind": "turn", "turn_ids": ["t0"]}, fact(LYON)])
async def test_a_card_does_not_tell_what_was_put_in_the_place_of_words_of_a_muted_turn(tmp_path, edited):
    """Broken: a card asks what was decided of what a person said, and not of the turn that it comes from."""
    async with running(tmp_path) as service:
        await told(service)
        made = await correct(service, "edit", target=edited, to="My mother Ingrid lives in Nice.")
        await correct(service, "pin", target={"kind": "fact", "id": f"fact:{made['id']}"})
        before = await stable(service)
        mute = await correct(service, "mute", target={"kind": "turn", "turn_ids": ["t0"]})
        muted, cards = await stable(service), await people(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{mute['id']}")
        after = await stable(service)

    assert ["Nice" in text for text in (before, muted, after)] == [True, False, True]
    assert cards == []


@pytest.mark.parametrize("what", ["say", "edit"])
async def test_a_card_no_longer_tells_what_was_pinned_of_words_that_are_taken_back(tmp_path, what):
    """Broken: a pin is on the card, whatever became of the words that it is of."""
    target = {"target": fact(LYON)} if what == "edit" else {}
    async with running(tmp_path) as service:
        await told(service)
        made = await correct(service, what, to="I am allergic to penicillin.", **target)
        pin = await correct(service, "pin", target={"kind": "fact", "id": f"fact:{made['id']}"})
        before = await people(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        cards, after = await people(service), await stable(service)
        again = await correct(service, what, to="I am allergic to penicillin.", **target)
        pinned_again = await people(service)

    assert [line["decided"]["id"] for line in before[0]["lines"]] == [pin["id"]]
    assert "penicillin" not in after
    assert cards == []
    assert not again["duplicate"]
    assert [line["decided"]["id"] for line in pinned_again[0]["lines"]] == [pin["id"]]


@pytest.mark.parametrize("what", ["mute", "wrong"])
async def test_a_card_no_longer_tells_what_was_pinned_of_a_turn_that_is_muted_or_wrong(tmp_path, what):
    """Broken: a card asks what was decided of a pinned fact, and not of the turns that told it."""
    async with running(tmp_path) as service:
        await told(service)
        await correct(service, "pin", target=fact(LYON))
        before = await stable(service)
        made = await correct(service, what, target={"kind": "turn", "turn_ids": ["t0"]})
        held_back = await stable(service)
        await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
        after = await stable(service)

    assert ["Lyon" in text for text in (before, held_back, after)] == [True, False, True]


GROUP = (
    ("Ada", "I live in Lyon."),
    ("Bob", "I live in Oslo."),
    ("Ada", "I am allergic to peanuts."),
    ("Carla", "Hi all"),
)


def mixed_up(_):
    """What a model notes that takes one for the other."""
    facts = [
        {"source": "Ada", "relation": "LIVES_IN", "target": "Oslo", "fact": "Ada lives in Oslo.", "message": 2},
        {
            "source": "Carla",
            "relation": "IS",
            "target": "Peanuts",
            "fact": "Carla is allergic to peanuts.",
            "message": 3,
        },
    ]
    names = ("Ada", "Carla", "Oslo", "Peanuts")
    return {"entities": [{"name": one} for one in names], "facts": [{**one, "importance": 0.9} for one in facts]}


async def test_what_one_says_of_themselves_is_on_their_own_card(tmp_path):
    """Broken: a fact is held against its turn as a whole, in which somebody else says it of themselves."""
    with provider_of(Brain(extraction=mixed_up)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", *({"role": "user", "name": name, "content": said} for name, said in GROUP))
            await service.digested("ada")
            cards = {card["name"]: [line["text"] for line in card["lines"]] for card in await people(service)}

    assert cards == {"Bob": ["I live in Oslo."], "Ada": ["I am allergic to peanuts."]}
