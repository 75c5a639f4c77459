"""
Several people in one mind: a correction is of the person whose words it puts right, and a card has its person's lines.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running, settings_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

LYON, GRAZ, LINZ = (f"I live in {place}." for place in ("Lyon, near the river", "Graz, near the castle", "Linz now"))
PEANUTS = "I am allergic to peanuts from Brazil."
CHAT = """12/10/2026, 18:00 - Ann: I am vegetarian and live in Lyon.
12/10/2026, 18:01 - Ben: I am vegetarian and live in Graz.
12/10/2026, 18:02 - Cleo: I live in Lyon near the river.
"""


def by(name, content):
    return {"role": "user", "name": name, "content": content}


async def told(service, *turns):
    """Keep each of these turns, a list of messages."""
    for number, messages in enumerate(turns):
        await service.keep("ada", *messages, turn_id=f"t{number}")
    await service.digested("ada")


async def facts(service):
    return (await service.http.get("/v1/minds/ada/facts")).json()["items"]


async def states(service):
    return {one["text"]: one["state"] for one in await facts(service)}


async def fact_of(service, name, words=""):
    found = [one for one in await facts(service) if one["text"].startswith(f"{name} told me:") and words in one["text"]]
    return {"kind": "fact", "id": found[0]["id"]}


async def correct(service, what, target=None, **more):
    body = {"what": what, **({"target": target} if target else {}), **more}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def asked(service, who, question):
    body = {"session_id": question, "messages": [by(who, question)], "deadline_ms": 0}
    return (await service.http.post("/v1/minds/ada/resonance", json=body)).json()


async def cards(service):
    found = (await service.http.get("/v1/minds/ada/people")).json()["people"]
    return {one["name"]: [line["text"] for line in one["lines"]] for one in found}


async def story(service):
    ran = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
    assert ran.status_code == 200, ran.text
    return (await service.http.get("/v1/minds/ada/story")).json()["text"]


@pytest.mark.parametrize("kind", ["fact", "turn"])
async def test_an_edit_stays_with_whoever_told_what_it_puts_right(tmp_path, kind):
    """Broken: an edit surfaces without a name; the story has the bot say it; the card of the first person has it."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", LYON)], [by("Ben", GRAZ)])
        target = await fact_of(service, "Ben") if kind == "fact" else {"kind": "turn", "turn_ids": ["t1"]}
        await correct(service, "edit", target, to=LINZ)
        found = await asked(service, "Ann", "Where do I live?")
        evidence = (await service.http.post("/v1/minds/ada/ask", json={"question": "Who lives in Linz?"})).json()
        shown, known = await cards(service), await states(service)
        text = await story(service)

    assert f"Ben told me: {LINZ}" in found["block"]
    assert f"Ben told me: {LINZ}" in [one["text"] for one in evidence["evidence"]]
    assert known[f"Ben told me: {LINZ}"] == "holding"
    assert shown == {"Ben": [LINZ]}
    assert f"Ben told me: “{LINZ}”" in text
    assert "I noted" not in text


async def test_an_edit_of_an_edit_stays_with_its_teller_and_may_name_it_by_its_words(tmp_path):
    """Broken: what a person said has no teller as a target."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", LYON)], [by("Ben", GRAZ)])
        await correct(service, "edit", await fact_of(service, "Ben"), to="I live in Wels.")
        await correct(service, "edit", {"kind": "fact", "text": "Ben told me: I live in Wels."}, to=LINZ)
        known = await states(service)

    assert known[f"Ben told me: {LINZ}"] == "holding"
    assert known["Ben told me: I live in Wels."] == "wrong"


async def test_words_that_name_their_teller_stand_alone(tmp_path):
    """Broken: "Ben told me: Ben lives in Linz"."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", LYON)], [by("Ben", GRAZ)])
        await correct(service, "edit", await fact_of(service, "Ben"), to="Ben lives in Linz.")
        known, shown = await states(service), await cards(service)

    assert "Ben lives in Linz." in known
    assert shown == {"Ben": ["Ben lives in Linz."]}


async def test_in_a_mind_of_one_person_an_edit_is_shown_without_their_name_and_stays_theirs_in_the_story(tmp_path):
    """Broken: their name stands in front of each edit, or in the log of corrections; the story tells it as the bot's."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", LYON)], [by("Ann", "My sister Ines plays the cello in Marseille.")])
        await correct(service, "edit", await fact_of(service, "Ann", LYON), to=LINZ)
        await correct(service, "say", to=PEANUTS)
        found, shown = await asked(service, "Ann", "Where do I live?"), await cards(service)
        text = await story(service)
    log = (tmp_path / "minds/ada/corrections.jsonl").read_text()

    assert f"they told me: {LINZ}" in found["block"]
    assert "Ann told me: I live in Linz" not in found["block"]
    assert shown == {"Ann": [PEANUTS, LINZ]}
    assert f"Ann told me: “{LINZ}" in text
    assert "teller" not in log


@pytest.mark.parametrize(
    ("told_first", "edited", "question", "shown"),
    [
        (
            "I take 20 mg of Lisinopril.",
            "I take 10 mg of Lisinopril.",
            "What dose of Lisinopril do I take?",
            "they told me: ",
        ),
        ("Ich wohne in Lyon.", "Ich wohne in Linz.", "Wo wohne ich?", "mir wurde erzählt: "),
        ("Vivo en Lyon desde hace años.", "Vivo en Linz desde mayo.", "¿Dónde vivo?", "me contó: "),
        ("Mon médecin est à Lyon.", "Mon médecin est à Linz.", "Où est mon médecin ?", "on m'a dit : "),
        ("我住在里昂。", "我住在林茨。", "我住在哪里？", "对方告诉我："),
        ("My brother Oskar lives in Lyon.", "Oskar lives in Linz.", "Where does Oskar live?", ""),
    ],
)
@pytest.mark.parametrize("kind", ["turn", "say"])
async def test_what_somebody_without_a_name_put_right_is_not_the_bots(
    tmp_path, kind, told_first, edited, question, shown
):
    """Broken: "I" stands in the prompt with nobody who says it, and so is the bot's."""
    async with running(tmp_path) as service:
        await service.keep("ada", told_first, turn_id="t0")
        await service.digested("ada")
        target = {"kind": "turn", "turn_ids": ["t0"]} if kind == "turn" else None
        await correct(service, "edit" if target else "say", target, to=edited)
        body = {"session_id": "s9", "messages": [{"role": "user", "content": question}], "deadline_ms": 0}
        found = (await service.http.post("/v1/minds/ada/resonance", json=body)).json()
        searched = (await service.http.get("/v1/minds/ada/remember", params={"query": question})).json()
        evidence = (await service.http.post("/v1/minds/ada/ask", json={"question": question})).json()
        known = await states(service)

    assert f"{shown}{edited}" in [one["text"] for one in found["flashbacks"]]
    assert f"{shown}{edited}" in [one["text"] for one in searched["memories"]]
    assert f"{shown}{edited}" in [one["text"] for one in evidence["evidence"]]
    assert known[f"{shown}{edited}"] == "holding"


async def test_what_somebody_wrote_of_an_entity_in_the_first_person_is_not_the_bots(tmp_path):
    """Broken: "Ines: My boss since May" is the bot's boss."""
    async with running(tmp_path) as service:
        await service.keep("ada", "Ines Albrecht works in Lyon with Bernd.", turn_id="t0")
        await service.digested("ada")
        await correct(service, "edit", {"kind": "entity", "text": "Ines Albrecht"}, to="My new boss since May.")
        body = {
            "session_id": "s9",
            "messages": [{"role": "user", "content": "Who is Ines Albrecht?"}],
            "deadline_ms": 0,
        }
        found = (await service.http.post("/v1/minds/ada/resonance", json=body)).json()
        searched = (await service.http.get("/v1/minds/ada/remember", params={"query": "Ines Albrecht"})).json()
        [ines] = [
            one for one in (await service.http.get("/v1/minds/ada/entities")).json()["items"] if "Ines" in one["name"]
        ]

    told = "Ines Albrecht: they told me: My new boss since May."
    assert told in [one["text"] for one in found["flashbacks"]]
    assert told in [one["text"] for one in searched["memories"]]
    assert ines["summary"] == "My new boss since May."


@pytest.mark.parametrize(
    ("what", "state"), [("wrong", "wrong"), ("mute", "holding"), ("edit", "wrong")], ids=["wrong", "mute", "edit"]
)
async def test_what_another_person_said_in_the_same_words_of_the_same_turn_stays(tmp_path, what, state):
    """Broken: a fact is compared without who told it; its words go from each message of the turn."""
    more = {"to": "I am allergic to walnuts."} if what == "edit" else {}
    async with running(tmp_path) as service:
        await told(service, [by("Ann", PEANUTS), by("Ben", PEANUTS)])
        await correct(service, what, await fact_of(service, "Ben"), **more)
        items = {one["text"]: (one["state"], len(one["corrections"])) for one in await facts(service)}
        block = (await asked(service, "Dora", "Who is allergic to peanuts?"))["block"]
        text = await story(service)

    assert items[f"Ben told me: {PEANUTS}"] == (state, 1)
    assert items[f"Ann told me: {PEANUTS}"] == ("holding", 0)
    assert f"Ann told me: {PEANUTS}" in block
    assert f"Ben told me: {PEANUTS}" not in block
    assert f"Ann told me: “{PEANUTS}”" in text
    assert f"Ben told me: “{PEANUTS}”" not in text


async def test_both_may_be_put_right_one_after_the_other(tmp_path):
    """Broken: the second one says what the first one did, and is not kept."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", PEANUTS), by("Ben", PEANUTS)])
        bens = await correct(service, "wrong", await fact_of(service, "Ben"))
        anns = await correct(service, "wrong", await fact_of(service, "Ann"))
        both = set((await states(service)).values())
        await service.http.delete(f"/v1/minds/ada/corrections/{bens['id']}")
        one = await states(service)

    assert not anns["duplicate"]
    assert both == {"wrong"}
    assert one == {f"Ben told me: {PEANUTS}": "holding", f"Ann told me: {PEANUTS}": "wrong"}


async def test_an_edit_in_an_imported_chat_leaves_what_the_others_said(tmp_path):
    """Broken: a chat of several people is one turn, and each message that is like the corrected one goes."""
    async with running(tmp_path, settings=settings_of(tmp_path, story={"threshold_tokens": 0})) as service:
        await told(service, [by("Dora", "Hello!")])
        answer = await service.http.post(
            "/v1/minds/ada/import/conversations",
            params={"filename": "WhatsApp Chat with Hut.txt", "timezone": "UTC"},
            content=CHAT.encode(),
            headers={"Content-Type": "application/octet-stream"},
        )
        assert answer.status_code == 202, answer.text
        await eventually(lambda: facts(service), lambda known: len(known) == CHAT.count("\n"))
        target = await fact_of(service, "Ben", "vegetarian")
        await correct(service, "edit", target, to="I am vegan and live in Graz.")
        block = (await asked(service, "Dora", "Where does Ann live?"))["block"]
        text = await story(service)

    assert "Ann told me: I am vegetarian and live in Lyon." in block
    assert "Ann told me: “I am vegetarian and live in Lyon.”" in text
    assert "I am vegetarian and live in Graz." not in text + block
    assert "I am vegan and live in Graz." in text


async def test_a_line_that_says_my_is_on_the_card_of_whoever_said_it(tmp_path):
    """Broken: a line is on the card of each person that it names, and what names nobody on the first one's."""
    chess, nurse = "My brother Tom plays chess with Ann on Sundays.", "I am a nurse in Lyon."
    async with running(tmp_path) as service:
        await told(service, [by("Ben", chess)], [by("Ann", nurse)])
        for name in ("Ann", "Ben"):
            await correct(service, "pin", await fact_of(service, name))
        await correct(service, "say", to="I am allergic to penicillin.")
        await correct(service, "say", to="Ann and Ben share a tent.")
        shown = await cards(service)

    assert shown == {"Ann": [nurse, "Ann and Ben share a tent."], "Ben": [chess, "Ann and Ben share a tent."]}


async def test_what_was_put_right_before_another_person_came_stays_on_its_card(tmp_path):
    """Broken: where the correction knows no teller, its turns are not asked."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", LYON)])
        await correct(service, "edit", await fact_of(service, "Ann"), to=LINZ)
        alone = await cards(service)
        await service.keep("ada", by("Aaron", GRAZ))
        await service.digested("ada")
        await correct(service, "say", to="Aaron plays the cello.")
        shown = await cards(service)

    assert alone == {"Ann": [LINZ]}
    assert shown == {"Aaron": ["Aaron plays the cello."], "Ann": [LINZ]}


async def test_two_names_of_one_person_have_one_card(tmp_path):
    """Broken: a card is of a name."""
    cello = "My sister Ines plays the cello in Marseille."
    async with running(tmp_path) as service:
        await told(service, [by("Ann", cello)], [by("Ben", GRAZ)], [by("Annie", PEANUTS)])
        await correct(service, "merge", {"kind": "entity", "text": "Annie"}, to="Ann")
        for name in ("Annie", "Ann"):
            await correct(service, "pin", await fact_of(service, name))
        shown = await cards(service)

    assert shown == {"Ann": [cello, PEANUTS]}


async def test_a_bot_that_has_a_name_makes_no_second_person(tmp_path):
    """Broken: the bot's name counts among the people's; what is said of Ann is then on no card."""
    async with running(tmp_path) as service:
        greeting = {"role": "assistant", "name": "Robi", "content": "Hello Ann!"}
        await told(service, [by("Ann", "I live in Lyon."), greeting], [by("Ann", "I have a cat."), greeting])
        await correct(service, "say", to="I am allergic to penicillin.")
        await correct(service, "edit", {"kind": "turn", "turn_ids": ["t0"]}, to="I live in Linz.")
        found = await cards(service)

    assert "I am allergic to penicillin." in found["Ann"]
    assert "I live in Linz." in found["Ann"]


REX, MAX, MORITZ = (f"My dog is called {name}." for name in ("Rex", "Max", "Moritz"))


async def first_of(service, who, question):
    """What leads before a turn, and what a search on purpose finds first."""
    raw = [one["raw"] for one in (await asked(service, who, question))["flashbacks"]]
    found = await service.http.get("/v1/minds/ada/remember", params={"query": question, "asker": who})
    return raw[0], found.json()["memories"][0]["text"]


async def test_of_a_turn_of_two_each_is_led_by_what_they_told_after_one_is_edited(tmp_path):
    """Broken: an edit, and what is left of its turn, fit as well as the turn, whoever of the two asks."""
    async with running(tmp_path) as service:
        await told(service, [by("Ann", REX), by("Ben", MAX)])
        await correct(service, "edit", await fact_of(service, "Ben"), to=MORITZ)
        bens = await first_of(service, "Ben", "What is my dog called?")
        of_ben = await first_of(service, "Ann", "What is Ben's dog called?")
        anns = (await asked(service, "Ann", "What is my dog called?"))["flashbacks"]

    assert {*bens, *of_ben} == {f"Ben told me: {MORITZ}"}
    assert anns[0]["raw"] == f"Ann told me: {REX}"


async def test_an_edit_of_a_whole_turn_of_two_names_both(tmp_path):
    """Broken: "they told me", as if the one who asks had told it."""
    async with running(tmp_path) as service:
        await told(service, [by("Ben", "My birthday is on June 9."), by("Ann", "My birthday is on March 3.")])
        await correct(service, "edit", {"kind": "turn", "turn_ids": ["t0"]}, to="My birthday is on June 10.")
        found = [await first_of(service, who, "When is my birthday?") for who in ("Ann", "Ben")]
        known, shown = await states(service), await cards(service)

    assert {text for both in found for text in both} == {"Ann/Ben told me: My birthday is on June 10."}
    assert known["Ann/Ben told me: My birthday is on June 10."] == "holding"
    assert shown == {}


async def test_a_pin_of_a_turn_of_two_is_on_the_card_of_each(tmp_path):
    """Broken: nobody knows whose the turn is, and it is on no card."""
    async with running(tmp_path) as service:
        await told(service, [by("Ben", "I am diabetic."), by("Ann", "I am allergic to nuts.")])
        await correct(service, "pin", {"kind": "turn", "turn_ids": ["t0"]})
        shown = await cards(service)

    assert shown == {"Ben": ["I am diabetic."], "Ann": ["I am allergic to nuts."]}
