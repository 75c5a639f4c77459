"""
A memory of which something is decided again, over HTTP: the last word holds, whatever was decided before.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_corrections import ASKS, MOTHER, OTHERS, asked, by_id, correct, fact_of, remembered, told, undo
from tests.support.service import running

pytestmark = pytest.mark.anyio

NURSE, DOCTOR = (f"My sister Anna works as a {one} at the hospital." for one in ("nurse", "doctor"))
BOAT = "Ada has a boat called Gull."


def said(correction):
    """What a person said or put in the place of something, as a target."""
    return {"kind": "fact", "id": f"fact:{correction['id']}"}


async def test_a_small_edit_comes_up(tmp_path):
    """Broken: new words that are nearly the old ones are held back as those are."""
    async with running(tmp_path) as service:
        await told(service, NURSE, *OTHERS)
        await correct(service, "edit", by_id("fact", await fact_of(service, "nurse", query=NURSE)), to=DOCTOR)
        found = await asked(service, "Where does my sister Anna work?")
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
        remembered = await fact_of(service, "doctor", query="Where does my sister Anna work?")

    assert DOCTOR in found["block"]
    assert "nurse" not in found["block"]
    assert [one["state"] for one in facts if "doctor" in one["text"]] == ["holding"]
    assert remembered["corrections"] == []


async def test_an_edit_back_brings_the_first_words_back_once(tmp_path):
    """Broken: the words that are put back are held back by the edit that replaced them first."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        edit = await correct(service, "edit", by_id("fact", await fact_of(service)), to=MOTHER.replace("Lyon", "Porto"))
        back = await correct(service, "edit", said(edit), to=MOTHER)
        found = await asked(service, session_id="back")
        await undo(service, back)
        after = await asked(service, session_id="undone")
        states = {
            one["id"]: one["state"] for one in (await service.http.get("/v1/minds/ada/corrections")).json()["items"]
        }

    assert found["block"].count("Lyon") == 1
    assert "Porto" not in found["block"]
    assert "Porto" in after["block"]
    assert (states[edit["id"]], states[back["id"]]) == ("stands", "undone")


@pytest.mark.parametrize("kind", ["fact", "turn"])
async def test_the_newest_edit_of_a_chain_holds_alone_by_whichever_id_it_was_made(tmp_path, kind):
    """Broken: an edit by the first id leaves the last edit of its edit beside it; the id of a replaced edit is of nothing."""
    lyon, porto, nice, bari, turin = (MOTHER.replace("Lyon", one) for one in ("Lyon", "Porto", "Nice", "Bari", "Turin"))
    async with running(tmp_path) as service:
        await told(service, lyon, *OTHERS)
        first = by_id("fact", await fact_of(service)) if kind == "fact" else {"kind": "turn", "id": "episode:1"}

        async def held():
            block = (await asked(service, session_id=f"s{len(found)}"))["block"]
            facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
            holding = {one["text"] for one in facts if "Ingrid" in one["text"] and one["state"] == "holding"}
            holding = {one.removeprefix("they told me: ") for one in holding}
            return holding, {one for one in (lyon, porto, nice, bari, turin) if one in block}

        found = []
        replaced = await correct(service, "edit", first, to=turin)
        edit = await correct(service, "edit", first, to=porto)
        await correct(service, "edit", said(edit), to=nice)
        made = await correct(service, "edit", first, to=bari)
        again = await correct(service, "edit", first, to=bari)
        found.append(await held())
        await undo(service, made)
        found.append(await held())
        by_replaced = await correct(service, "edit", said(replaced), to=turin)
        found.append(await held())
        gone = await correct(service, "mute", said(replaced), status=404)
        refused = await correct(service, "right", first, status=409)
        await correct(service, "wrong", first)
        found.append(await held())

    assert found[:3] == [({one}, {one}) for one in (bari, nice, turin)]
    assert found[3][1] == set()
    assert not found[3][0] & {porto, nice, bari, turin}
    assert again["duplicate"]
    assert f"fact:{by_replaced['id']}" in gone["detail"]
    assert f"fact:{by_replaced['id']}" in refused["detail"]


@pytest.mark.parametrize("kind", ["fact", "turn"])
@pytest.mark.parametrize("first", ["edit", "wrong"])
async def test_by_its_own_id_a_memory_can_be_edited_back_to_its_first_words(tmp_path, kind, first):
    """Broken: an edit is compared with the words that were told, and not with what stands."""
    words = {"to": MOTHER.replace("Lyon", "Porto")} if first == "edit" else {}
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        target = by_id("fact", await fact_of(service)) if kind == "fact" else {"kind": "turn", "id": "episode:1"}
        made = await correct(service, first, target, **words)
        back, again = [await correct(service, "edit", target, to=made["target"]["text"]) for _ in range(2)]
        found = await asked(service, session_id="back")
        facts = await remembered(service, kinds="fact")
        await undo(service, back)
        after = await asked(service, session_id="undone")

    assert (back["what"], back["to"], again["id"], again["duplicate"]) == ("right", None, back["id"], True)
    assert found["block"].count("Lyon") == 1
    assert [("Porto" in one["block"]) for one in (found, after)] == [False, first == "edit"]
    assert "Lyon" not in after["block"]
    assert "Porto" not in str(facts)
    assert all(two["what"] == "right" for one in facts if "Lyon" in one["text"] for two in one["corrections"])


async def test_what_is_said_again_after_it_was_called_wrong_comes_up_and_can_be_called_wrong_again(tmp_path):
    """Broken: the same words are taken for what was said, or called wrong, before."""
    surfaced = []
    async with running(tmp_path) as service:
        await told(service, *OTHERS)
        for number in range(2):
            made = await correct(service, "say", to=BOAT)
            found = await asked(service, "What is Ada's boat called?", session_id=f"said{number}")
            wrong = await correct(service, "wrong", said(made))
            gone = await asked(service, "What is Ada's boat called?", session_id=f"wrong{number}")
            surfaced += [found["surfaced"], gone["surfaced"]]
            assert (made["duplicate"], wrong["duplicate"]) == (False, False)

    assert surfaced == [True, False, True, False]


async def test_a_wrong_fact_that_is_told_again_and_called_wrong_again_does_not_come_up(tmp_path):
    """Broken: a decision that is made again is of the turns of the first time alone."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        await correct(service, "wrong", by_id("fact", await fact_of(service)))
        await told(service, MOTHER, session_id="s5")
        told_again = await asked(service, ASKS, session_id="told")
        await correct(service, "wrong", by_id("fact", await fact_of(service)))
        after = await asked(service, ASKS, session_id="wrong")

    assert (told_again["surfaced"], after["surfaced"]) == (True, False)
