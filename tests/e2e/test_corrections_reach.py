"""
How far a correction reaches: the memory that it names, and nothing that only looks like it.

Every docstring says what was broken, once, to see the test fail.
"""

import json

import pytest

from tests.e2e.test_corrections import (
    ASKS,
    MOTHER,
    OTHERS,
    asked,
    by_id,
    correct,
    fact_of,
    remembered,
    said,
    told,
    undo,
)
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

ALLERGIES = "My daughter Lea is allergic to penicillin. My daughter Lea is allergic to peanuts."


async def states(service, words):
    facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
    told = (one for one in facts if words in one["text"])
    return {one["text"].removeprefix("they told me: "): (one["state"], len(one["corrections"])) for one in told}


async def story(service):
    ran = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
    assert ran.status_code == 200, ran.text
    return (await service.http.get("/v1/minds/ada/story")).json()["text"]


@pytest.mark.parametrize(
    ("what", "more"), [("wrong", {}), ("mute", {}), ("edit", {"to": "My daughter Lea is allergic to eggs."})]
)
async def test_its_true_neighbour_in_the_same_turn_stays(tmp_path, what, more):
    """Broken: what shares most of its words with the corrected fact is the same fact; each such sentence goes."""
    asks = "Is my daughter Lea allergic to penicillin?"
    async with running(tmp_path) as service:
        await told(service, ALLERGIES, *OTHERS)
        told_before = await story(service)
        await correct(service, what, by_id("fact", await fact_of(service, "peanuts", query="peanuts")), **more)
        known = await states(service, "allergic")
        right = await asked(service, asks, session_id="right")
        wrong = await asked(service, "Is my daughter Lea allergic to peanuts?", session_id="wrong")
        told_after = await story(service)

    assert "penicillin" in told_before
    assert known["My daughter Lea is allergic to penicillin."] == ("holding", 0)
    assert known["My daughter Lea is allergic to peanuts."][1] == 1
    assert "penicillin" in json.dumps(right["flashbacks"])
    assert "peanuts" not in json.dumps((right["flashbacks"], wrong["flashbacks"]))
    assert ("penicillin" in told_after, "peanuts" in told_after) == (True, False)


@pytest.mark.parametrize(
    ("what", "kind", "more"),
    [("wrong", "fact", {}), ("wrong", "turn", {}), ("edit", "turn", {"to": "My mother Ingrid lives in Nice."})],
)
async def test_what_the_bot_said_again_goes_with_it_until_the_decision_is_taken_back(tmp_path, what, kind, more):
    """Broken: a decision reaches the turns alone that it names."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        target = {"turn": {"kind": "turn", "id": "episode:1"}, "fact": by_id("fact", await fact_of(service))}[kind]
        answer = said("Your mother Ingrid lives in Lyon.", "2026-01-10T18:30:05Z", "assistant")
        await service.keep("ada", said(ASKS, "2026-01-10T18:30:00Z"), answer, session_id="chat")
        await service.digested("ada")
        made = await correct(service, what, target, **more)
        after = await asked(service, session_id="after")
        on_purpose = [one for one in await remembered(service, limit=20) if "Lyon" in one["text"]]
        known = await states(service, "Lyon")
        await undo(service, made)
        undone = await asked(service, session_id="undone")

    assert "Lyon" not in after["block"]
    assert ("Nice" in after["block"]) == bool(more)
    assert on_purpose
    assert all(one["corrections"] for one in on_purpose)
    assert known == {MOTHER: ("wrong", 1), "I said: Your mother Ingrid lives in Lyon.": ("wrong", 1)}
    assert "I said: Your mother Ingrid lives in Lyon." in undone["block"]


async def test_a_word_that_looks_like_a_muted_name_does_not_silence_what_it_stands_in(tmp_path):
    """Broken: names are compared without their case."""
    uncle, bill = "My uncle Bill fishes in the lake.", "The electricity bill is 80 euros a month."
    async with running(tmp_path) as service:
        await told(service, uncle, bill, *OTHERS)
        before = await story(service)
        await correct(service, "mute", {"kind": "entity", "text": "Bill"})
        found = await asked(service, "How much do I pay for electricity?", session_id="bill")
        silent = await asked(service, "Where does my uncle fish?", session_id="uncle")
        after = await story(service)

    assert bill in json.dumps(found["flashbacks"])
    assert "Bill" not in json.dumps(silent["flashbacks"])
    assert (uncle in before, bill in before) == (True, True)
    assert (uncle in after, bill in after) == (False, True)


@pytest.mark.parametrize(
    ("was", "to", "asks"),
    [
        (
            "Ingrid keeps the freezer in Lyon at 18 degrees.",
            "Ingrid keeps the freezer in Lyon at -18 degrees.",
            "How cold is the freezer that Ingrid keeps in Lyon?",
        ),
        ("Zoe keeps a parrot in Lyon.", "Zoë keeps a parrot in Lyon.", "Who keeps a parrot in Lyon?"),
    ],
)
async def test_an_edit_may_change_nothing_but_a_sign_or_an_accent(tmp_path, was, to, asks):
    """Broken: an edit is compared by its words alone, and is 422."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, was, *OTHERS)
            fact = by_id("fact", await fact_of(service, query=was))
            same = await correct(service, "edit", fact, to=f" {was} ", status=422)
            made = await correct(service, "edit", fact, to=to)
            found = await asked(service, asks)

    assert "says what the memory says already" in json.dumps(same)
    assert made["to"] == to
    assert [one["raw"] for one in found["flashbacks"]] == [to]


async def test_a_name_can_be_spelt_anew(tmp_path):
    """Broken: a new name with the same key is 422."""
    async with running(tmp_path) as service:
        await told(service, "My neighbour Zoe has a parrot.", *OTHERS)
        await correct(service, "rename", {"kind": "entity", "text": "Zoe"}, to="Zoë")
        again = await correct(service, "rename", {"kind": "entity", "text": "Zoe"}, to="Zoë", status=422)
        called = [one["called"] for one in (await service.http.get("/v1/minds/ada/entities")).json()["items"]]
        await correct(service, "rename", {"kind": "entity", "text": "Zoë"}, to="Zoe")

    assert "Zoë" in called
    assert "another name" in json.dumps(again)


WROTE = {"say": "Otto owns a yacht in Kiel.", "edit": "My mother Ingrid lives in Kiel."}


@pytest.mark.parametrize("what", WROTE)
async def test_a_persons_own_words_are_found_marked_when_they_are_called_wrong(tmp_path, what):
    """Broken: ``remember`` looks only for what stands of what people said."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, "The harbour of Kiel is large.", *OTHERS)
        target = by_id("fact", await fact_of(service)) if what == "edit" else None
        made = await correct(service, what, target, to=WROTE[what])
        before = await remembered(service, WROTE[what])
        await correct(service, "wrong", {"kind": "fact", "id": f"fact:{made['id']}"})
        after = await remembered(service, WROTE[what])
        surfaced = await asked(service, WROTE[what])

    places = {one["id"]: at for at, one in enumerate(after)}
    harbour = next(one["id"] for one in after if "harbour" in one["text"])
    marked = after[places[f"fact:{made['id']}"]]
    assert marked["id"] in [one["id"] for one in before]
    assert places[marked["id"]] > places[harbour]
    assert [one["what"] for one in marked["corrections"]] == ["wrong"]
    assert made["id"] not in json.dumps(surfaced["flashbacks"])


async def test_words_whose_turn_was_told_otherwise_since_are_found_marked(tmp_path):
    """Broken: such words are found without a mark, or are not found."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        made = await correct(service, "edit", by_id("fact", await fact_of(service)), to="Ingrid lives in Kiel.")
        whole = await correct(service, "edit", {"kind": "turn", "id": "episode:1"}, to="Ingrid lives in Porto.")
        found = {one["id"]: one for one in await remembered(service, "Does Ingrid live in Kiel?")}

    assert [one["id"] for one in found[f"fact:{made['id']}"]["corrections"]] == [whole["id"]]
    assert next(iter(found)) == f"fact:{whole['id']}"
