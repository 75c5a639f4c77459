"""
What is put right leaves what else is known of an entity, however alike its words are.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_corrections import OTHERS, correct, remembered, told, undo
from tests.support.service import running

pytestmark = pytest.mark.anyio

MONTHS = {
    "en": ("The electricity bill from Vattenfall was {} in {}.", ("January", "February", "March", "April", "May")),
    "de": ("Die Stromrechnung von Vattenfall war {} im {}.", ("Januar", "Februar", "März", "April", "Mai")),
    "pl": ("Rachunek za prąd od Vattenfall to {}, miesiąc {}.", ("styczeń", "luty", "marzec", "kwiecień", "maj")),
    "ru": ("Счёт за свет от Ваттенфаль был {}, месяц {}.", ("январь", "февраль", "март", "апрель", "май")),
    "ar": ("فاتورة الكهرباء من Vattenfall كانت {} في {}.", ("يناير", "فبراير", "مارس", "أبريل", "مايو")),
}
BILLS = {
    language: [sentence.format(sum_, month) for sum_, month in zip((41, 44, 39, 47, 52), months, strict=True)]
    for language, (sentence, months) in MONTHS.items()
}
FOODS = [f"My aunt Ingrid buys {food} at the old market near the bridge." for food in ("milk", "cheese", "bread")]


async def summaries(service):
    found = (await service.http.get("/v1/minds/ada/entities", params={"limit": 100})).json()["items"]
    return {one["name"]: one["summary"].splitlines() for one in found if one["summary"]}


async def facts(service, words):
    found = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
    return [one for one in found if words in one["text"]]


def without(known, words):
    left = {name: [line for line in lines if words not in line] for name, lines in known.items()}
    return {name: lines for name, lines in left.items() if lines}


@pytest.mark.parametrize("what", ["wrong", "edit"])
@pytest.mark.parametrize(
    ("bills", "words"), [*((bills, bills[3]) for bills in BILLS.values()), (FOODS, FOODS[1])], ids=[*BILLS, "foods"]
)
async def test_a_fact_that_is_put_right_takes_no_other_out_of_a_summary(tmp_path, bills, words, what):
    """Broken: every line that shares three words of five with it goes; the rest has spaces for line breaks."""
    more = {"to": "The bill was forgiven."} if what == "edit" else {}
    async with running(tmp_path) as service:
        await told(service, *bills)
        before = await summaries(service)
        first, *_ = await facts(service, words)
        made = await correct(service, what, {"kind": "fact", "id": first["id"]}, **more)
        after = await summaries(service)
        await undo(service, made)
        undone = await summaries(service)

    assert max(map(len, before.values())) == len(bills)
    assert after == without(before, words)
    assert undone == before


async def test_a_turn_that_is_put_right_takes_only_its_own_facts_out_of_a_summary(tmp_path):
    """Broken: a line goes if three words of five are in the turn."""
    async with running(tmp_path) as service:
        await told(service, *FOODS, *BILLS["en"])
        before = await summaries(service)
        for place in (1, 6):
            await correct(service, "wrong", {"kind": "turn", "turn_ids": [f"s0-{place}"]})
        after = await summaries(service)

    assert after == without(without(before, "cheese"), "47")


async def test_a_wrong_fact_takes_nothing_out_of_what_is_known_of_others(tmp_path):
    """Broken: what "Jonas" of another city is told as goes, too; of the city, its name alone is remembered."""
    cities = [
        f"Jonas number {number} has a house in {city} with {number + 3} windows."
        for number, city in enumerate(("Paris", "Madrid", "Seoul", "Seoul", "Seoul"), 145)
    ]
    async with running(tmp_path) as service:
        await told(service, *cities, *OTHERS)
        before = await summaries(service)
        wrong, *_ = await facts(service, "number 149")
        await correct(service, "wrong", {"kind": "fact", "id": wrong["id"]})
        after = await summaries(service)
        found = [one["text"] for one in await remembered(service, "house in Seoul", kinds="entity")]

    assert len(before["Seoul"]) == 3
    assert after == without(before, "number 149")
    assert "\n".join(("Seoul: " + after["Seoul"][0], *after["Seoul"][1:])) in found
