"""
A person who denies a wrong answer, and says again what memory had, contradicts the bot and not the memory.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_outcomes import OTHERS, asked, exchange, told, trace_of, until_noticed
from tests.support.service import running
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("memory", "asks", "answer", "denial", "later"),
    [
        ("I have a dog, Rex, he is an old beagle.", "Do you remember what my dog is called?",
         "Your dog is called Max, right?", "No, that is wrong. He is called Rex, not Max.", "What breed is my dog?"),
        ("Ich bin seit der Schulzeit allergisch gegen Walnüsse.", "Wogegen bin ich allergisch?", "Gegen Erdnüsse.",
         "Nein, das stimmt nicht, gegen Walnüsse.", "Wogegen bin ich allergisch?"),
        ("I take 20 mg of Lisinopril in the evening.", "How much Lisinopril do I take?",
         "You take 40 mg of Lisinopril.", "No, that is wrong! I take 20 mg of Lisinopril.",
         "What is my dose of Lisinopril?"),
        ("My flight to Oslo leaves at 7 am on Friday.", "When does my flight leave?", "At 9 am on Friday.",
         "No, that's wrong, it leaves at 7 am.", "What time is my flight to Oslo?"),
    ],
)  # fmt: skip
async def test_a_person_who_repeats_the_memory_does_not_contradict_it(tmp_path, memory, asks, answer, denial, later):
    """Broken: a denial that shares words with a memory denies it, and what was right comes up no more."""
    async with running(tmp_path) as service:
        await told(service, memory, *OTHERS)
        found = await exchange(service, asks, answer)
        denied = await exchange(service, denial, "Sorry, you are right!")
        seen = await exchange(service, later, f"As you told me: {memory}", session_id="later")
        await until_noticed(service, seen)  # and so was everything before it
        outcomes = {one["outcome"] for one in (await trace_of(service, found))["outcomes"]}
        again = await asked(service, later, session_id="again")

    assert found["surfaced"]
    assert denied["trace_id"] != found["trace_id"]
    assert "contradicted" not in outcomes
    assert again["surfaced"]


@pytest.mark.parametrize(
    "denial",
    [
        "Nein, meine Schwester heißt nicht Mirjam, sondern Svenja.",
        "Nein, das ist falsch, sie heißt Svenja.",
        "Falsch! Sie heißt Svenja.",
    ],
)
async def test_a_plain_denial_of_a_name_contradicts_what_has_it(tmp_path, denial):
    """Broken: a denial has to repeat a word of the memory; what the answer used stays noted as used."""
    async with running(tmp_path) as service:
        await told(service, "Meine Schwester Mirjam wohnt in Ulm.", "Ich esse gern Suppe.", "Mein Fahrrad ist rot.")
        found = await exchange(service, "Wie heißt meine Schwester?", "Deine Schwester heißt Mirjam.")
        await exchange(service, denial, "Entschuldige, Svenja also.")

        async def noticed():
            return {one["id"]: one["outcome"] for one in (await trace_of(service, found))["outcomes"]}

        outcomes = await eventually(noticed, lambda known: "contradicted" in known.values())

    assert found["surfaced"]
    assert set(outcomes.values()) == {"contradicted"}
