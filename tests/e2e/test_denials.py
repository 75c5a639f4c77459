"""
What a person says was wrong: "no, I sing alto" comes before what is newer. And what is only polite denies nothing.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_phases import said, surfacing, trace_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

OTHERS = (
    ("We painted the kitchen green, two coats.", "Sounds great."),
    ("My bike is a blue Kona, from a colleague.", "Nice bike."),
    ("The kids built an igloo in the yard.", "Fun!"),
    ("Started reading Middlemarch, it is long but funny.", "A classic."),
)


async def told(service, *turns, session_id="s0", mind_id="ada"):
    """Keep turns, each the person's words and the answer, one a day, and wait until they are digested."""
    for day, turn in enumerate(turns, start=1):
        pair = zip(turn, ("user", "assistant"), strict=True)
        messages = [said(one, f"2026-01-0{day}T18:30:00Z", role) for one, role in pair]
        await service.keep(mind_id, *messages, session_id=session_id)
    await service.digested(mind_id)


async def test_what_a_person_put_right_leads_before_something_newer_of_the_same_subject(tmp_path):
    """Broken: ``denials`` is empty: the girl leads."""
    right = "No, that's wrong, I sing alto."
    async with running(tmp_path) as service:
        for day, *turn in (
            (1, "I joined a choir on Bathurst Street.", "Lovely!"),
            (2, "Write a line about me for the choir's leaflet.", "Mia sings soprano in the choir."),
            (2, right, "Sorry: Mia sings alto in the choir."),
            (4, "Now it's just waiting, a girl in the choir waited eleven months.", "So long!"),
        ):
            at, roles = f"2026-01-0{day}T18:30:00Z", ("user", "assistant")
            messages = [said(one, at, role) for one, role in zip(turn, roles, strict=True)]
            await service.keep("ada", *messages, session_id="s0")
        await service.digested("ada")
        found = await surfacing(service, "What part do I sing in the choir?")

    first, second, *_ = sorted(found["flashbacks"], key=lambda one: -one["score"])
    assert right in first["text"] and "eleven months" in second["text"]


async def test_what_the_bot_takes_back_is_put_right_without_a_no(tmp_path):
    """Broken: "BASS. tenor is Lothar" was no denial, so the bot's tenor was shown, and what put it right was not."""
    async with running(tmp_path) as service:
        await told(
            service,
            ("Write a line about me for the leaflet of the choir.", "Jochen sings tenor in the choir."),
            ("BASS. tenor is Lothar, he would be glad", "Pardon: “Jochen sings bass in the choir.”"),
            *OTHERS,
        )
        found = await surfacing(service, "What part do I sing in the choir?")
        trace = await trace_of(service, found)

    best = max(found["flashbacks"], key=lambda one: one["score"])
    assert "BASS" in best["text"] and not any("sings tenor" in one["text"] for one in found["flashbacks"])
    assert trace["phases"]["filters"]["dropped"]["episode:1"].startswith("denied")


@pytest.mark.parametrize(
    ("flight", "noted", "no", "bye", "question", "answer"),
    [
        (
            "My flight to Oslo is on 12 May at 7:40.",
            "Noted, your flight to Oslo is on 12 May at 7:40.",
            "No, that's all for today.",
            "Alright, talk soon!",
            "When is my flight to Oslo?",
            "12 May",
        ),
        (
            "My flight to Oslo is on 12 May at 7:40.",
            "Noted. I hope you have a great trip!",
            "Nope, can't wait!",
            "Enjoy!",
            "When is my flight to Oslo?",
            "12 May",
        ),
        (
            "Mein Flug nach Oslo geht am 12. Mai um 7:40.",
            "Dein Flug nach Oslo am 12. Mai ist notiert.",
            "Nein, danke, das war alles.",
            "Gern.",
            "Wann geht mein Flug nach Oslo?",
            "12. Mai",
        ),
        (
            "Mi vuelo a Oslo sale el 12 de mayo a las 7:40.",
            "He apuntado el vuelo a Oslo del 12 de mayo.",
            "No, gracias, eso es todo.",
            "De nada.",
            "¿Cuándo sale mi vuelo a Oslo?",
            "12 de mayo",
        ),
    ],
)
async def test_what_was_told_is_found_though_a_harmless_no_followed_it(
    tmp_path, flight, noted, no, bye, question, answer
):
    """Broken: whoever begins with "no" denies, and the "no" stands in the place of the flight."""
    async with running(tmp_path) as service:
        await told(service, *OTHERS, (flight, noted), (no, bye))
        found = await surfacing(service, question)

    best = max(found["flashbacks"], key=lambda one: one["score"])
    assert answer in best["text"]


async def test_what_the_person_told_is_found_though_the_answer_to_it_was_wrong(tmp_path):
    """Broken: the whole turn is left out, not only what the assistant said in it."""
    ines = ("My sister Ines got the job at Arup.", "Congratulations, and to your brother at Arup, too!")
    async with running(tmp_path) as service:
        await told(service, *OTHERS, ines, ("No, my brother is at WSP.", "Sorry, I mixed them up."))
        found = await surfacing(service, "Where does my sister Ines work?")
        reasons = (await trace_of(service, found))["phases"]["filters"]["dropped"]

    assert any(ines[0] in one["text"] for one in found["flashbacks"]), reasons
    assert ines[1] not in found["block"]


async def test_what_only_the_assistant_said_is_left_out_once_it_was_denied(tmp_path):
    """Broken: a turn is shown again though its person only asked."""
    asked = ("Where does my aunt Carla live?", "Your aunt Carla lives in Lyon.")
    async with running(tmp_path) as service:
        await told(service, *OTHERS, asked, ("No, my aunt Carla lives in Porto.", "Sorry, Porto."))
        found = await surfacing(service, "Where does my aunt Carla live?")

    assert "Porto" in found["block"]
    assert "Lyon" not in found["block"]


@pytest.mark.parametrize(
    ("fact", "thanks", "question", "answer", "word"),
    [
        (
            "My car insurance is with Aviva, it costs 410 a year.",
            "Good to know.",
            "Who is my car insurance with?",
            "I don't know, you haven't told me.",
            "Aviva",
        ),
        (
            "I'm allergic to penicillin.",
            "I'll remember that.",
            "What am I allergic to?",
            "You're allergic to penicillin. I don't know of any other allergy.",
            "penicillin",
        ),
        (
            "Meine Autoversicherung ist bei der Allianz, sie kostet 410 im Jahr.",
            "Gut zu wissen.",
            "Bei wem ist meine Autoversicherung?",
            "Das weiß ich leider nicht.",
            "Allianz",
        ),
    ],
)
async def test_an_answer_that_did_not_know_silences_no_memory(tmp_path, fact, thanks, question, answer, word):
    """Broken: only what was told later counts as told, and "I don't know" makes any answer an unknown one."""
    async with running(tmp_path) as service:
        await told(service, *OTHERS, (fact, thanks))
        before = await surfacing(service, question, session_id="s1")
        await told(service, (question, answer), session_id="s2")
        after = await surfacing(service, question, session_id="s3")

    assert word in before["block"]
    assert word in after["block"], after["silence"]


@pytest.mark.parametrize(
    ("claim", "no", "asks"),
    [
        ("Ben's birthday is on 3 June.", "No, it's on 4 June.", "When is Ben's birthday?"),
        ("Ben's birthday is on 3 June, right?", "That's wrong, it's 4 June.", "When is Ben's birthday?"),
        ("Ben hat am 3. Juni Geburtstag.", "Nein, am 4. Juni.", "Wann hat Ben Geburtstag?"),
    ],
)
async def test_a_short_no_of_another_person_leads_what_it_puts_right(tmp_path, claim, no, asks):
    """Broken: the no does not hold the words of the question, and the wrong date stands alone."""
    said_by = (("Dave", claim), ("Ben", no), ("Carla", "I bake bread."), ("Ann", "It rains a lot."))
    async with running(tmp_path) as service:
        for day, (name, text) in enumerate(said_by, start=1):
            await service.keep("ada", {**said(text, f"2026-01-0{day}T18:30:00Z"), "name": name}, session_id="s0")
        await service.digested("ada")
        found = await surfacing(service, [{**said(asks), "name": "Ann"}])

    assert no in found["flashbacks"][0]["raw"]


async def test_a_no_to_a_no_leads_both(tmp_path):
    """Broken: a denial tells what the denied turn said, and not what that one denied."""
    said_by = (("Dave", "Ben's birthday is on 3 June."), ("Ann", "No, it's on 4 June."), ("Ben", "No, it's on 5 June."))
    async with running(tmp_path) as service:
        for day, (name, text) in enumerate((*said_by, ("Ann", "It rains a lot.")), start=1):
            await service.keep("ada", {**said(text, f"2026-01-0{day}T18:30:00Z"), "name": name}, session_id="s0")
        await service.digested("ada")
        found = await surfacing(service, [{**said("When is Ben's birthday?"), "name": "Ann"}])

    assert "5 June" in found["flashbacks"][0]["raw"]


async def test_a_short_no_to_the_bot_tells_what_it_puts_right(tmp_path):
    """Broken: what was denied is held back, and what denies it does not tell what is asked for: silence."""
    async with running(tmp_path) as service:
        claim = ("Ben's birthday is on 3 June, right?", "Yes, Ben's birthday is on 3 June.")
        await told(service, claim, ("No, it's on 4 June.", "Sorry, 4 June then."), *OTHERS)
        found = await surfacing(service, "When is Ben's birthday?")

    assert "4 June" in found["flashbacks"][0]["raw"]
