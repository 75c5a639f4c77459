"""
What is said of another stands behind what is asked for, though it came later and is much like it.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio

PAIRS = [
    ("My mother lives in Lyon.", "My brother lives in Bordeaux.", "Where does my mother live?"),
    ("I am allergic to peanuts.", "My son is allergic to shellfish.", "What am I allergic to?"),
    ("My cat is called Minou.", "My dog is called Rex.", "What is my cat called?"),
    ("Zelda lives in Oslo.", "Carla lives in Turku.", "Where does Zelda live?"),
    ("The gym opens at 6 on weekdays.", "The library opens at 10 on weekdays.", "When does the gym open?"),
    ("Mein Hausarzt heißt Dr. Weiß.", "Mein Zahnarzt heißt Dr. Braun.", "Wie heißt mein Hausarzt?"),
    ("Ma mère habite à Lyon.", "Ma sœur habite à Bordeaux.", "Où habite ma mère ?"),
    ("我妈妈住在里昂。", "我哥哥住在波尔多。", "我妈妈住在哪里？"),
]
CHANGES = [
    ("My mother lives in Lyon.", "My mother moved to Nice, closer to the sea.", "Where does my mother live?"),
    ("I work at Siemens in Munich.", "I work at Bosch in Munich now.", "Do I work at Siemens?"),
    ("Meine Chefin ist Karin.", "Karin ist weg, meine neue Chefin ist Petra.", "Wer ist meine Chefin?"),
]


async def leads(home, *told, asked):
    """The turn that stands first."""
    async with running(home) as service:
        for number, content in enumerate(told):
            at = f"2026-01-{20 * number + 1:02}T12:00:00Z"
            messages = [{"role": "user", "content": content, "timestamp": at}]
            await service.keep("ada", content, session_id=f"s{number}", messages=messages)
        await service.digested("ada")
        answer = await service.resonate("ada", asked, session_id="new", now="2026-03-01T12:00:00Z")
    return answer.json()["flashbacks"][0]["id"]


@pytest.mark.parametrize(("older", "newer", "asked"), PAIRS)
async def test_what_is_told_of_another_later_does_not_lead(tmp_path, older, newer, asked):
    """Broken: nothing is about another."""
    assert await leads(tmp_path, older, newer, asked=asked) == "episode:1"


@pytest.mark.parametrize(("older", "newer", "asked"), CHANGES)
async def test_a_change_of_the_same_leads(tmp_path, older, newer, asked):
    """Broken: every turn is about another."""
    assert await leads(tmp_path, older, newer, asked=asked) == "episode:2"


async def test_a_question_without_its_mark_is_as_near_to_what_answers_it(tmp_path):
    """Broken: queries are embedded as they are typed."""
    told = ("I moved in with Ana, on the fourth floor above the bakery.", "The bakery sells bread with seeds.")
    found = []
    async with running(tmp_path) as service:
        for content in told:
            await service.keep("ada", content)
        await service.digested("ada")
        for asked in ("which floor do i live on?", "which floor do i live on"):
            answer = (await service.resonate("ada", asked, session_id=asked)).json()
            trace = (await service.http.get(f"/v1/minds/ada/traces/{answer['trace_id']}")).json()
            found.append(trace["phases"]["filters"]["relevance"]["probability"])
    assert found[0] == found[1]
