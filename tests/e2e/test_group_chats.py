"""
Several people with names in one mind: what one says of themselves changes nothing of what another told.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running, settings_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

ASKS_COFFEE = "What does Ann drink her coffee with?"


def by(name, content, day=1):
    """A message of somebody with a name, or without one."""
    named = {"name": name} if name else {}
    return {"role": "user", "content": content, "timestamp": f"2026-01-0{day}T18:30:00Z", **named}


def bot(content, day=1):
    return {"role": "assistant", "content": content, "timestamp": f"2026-01-0{day}T18:30:00Z"}


async def asked(service, name, question, *, session_id="new", **more):
    """What a pre-turn call of somebody answers."""
    found = await service.resonate("hut", [by(name, question, 9)], session_id=session_id, **more)
    assert found.status_code == 200, found.text
    return found.json()


async def talked(service, name, message, answer):
    """A whole exchange in the group: what surfaced before it, and the turn that was kept."""
    found = await asked(service, name, message, session_id="group")
    kept = await service.keep(
        "hut", by(name, message, 5), bot(answer, 5), session_id="group", trace_id=found["trace_id"]
    )
    assert kept.status_code == 202, kept.text
    await service.digested("hut")
    return found


async def outcomes_of(service, found):
    return (await service.http.get(f"/v1/minds/hut/traces/{found['trace_id']}")).json()["outcomes"]


async def after_a_no(service, name, no, *, told="I drink my coffee with oat milk.", asker="Ben", teller="Ann"):
    """The outcomes of what Ann told and somebody asked for, once somebody with this name has said *no*."""
    await service.keep("hut", by(teller, told), bot("OK."), session_id="old")
    await service.digested("hut")
    found = await talked(service, asker, ASKS_COFFEE, "Ann drinks her coffee with oat milk.")
    await eventually(lambda: outcomes_of(service, found), bool)
    await talked(service, name, no, "Noted.")
    await talked(service, "Dora", "The oat field near the hut is green, milk and honey.", "Nice.")
    return found


# -- who says no


@pytest.mark.parametrize("no", ["No, I drink my coffee black.", "No, not me, I drink my coffee black."])
async def test_who_says_no_of_themselves_contradicts_nobody_elses_memory(tmp_path, no):
    """Broken: whoever begins with "no" denies the answer before it."""
    async with running(tmp_path) as service:
        found = await after_a_no(service, "Cleo", no)
        noticed = {one["outcome"] for one in await outcomes_of(service, found)}
        later = await asked(service, "Dora", ASKS_COFFEE)

    assert noticed == {"used"}
    assert "oat milk" in later["block"], later["silence"]


@pytest.mark.parametrize(
    ("name", "no"),
    [
        ("Ann", "No, I drink my coffee black."),
        ("Cleo", "No, Ann drinks her coffee black."),
        (None, "No, I drink my coffee black."),
    ],
)
async def test_a_no_of_who_told_it_or_about_them_or_of_nobody_known_contradicts_it(tmp_path, name, no):
    """Broken: nobody contradicts anything in a group."""
    async with running(tmp_path) as service:
        found = await after_a_no(service, name, no)
        noticed = await eventually(
            lambda: outcomes_of(service, found), lambda noted: any(one["outcome"] == "contradicted" for one in noted)
        )

    assert noticed


async def test_a_no_of_whom_the_memory_is_about_contradicts_it(tmp_path):
    """Broken: only who spoke before may deny."""
    async with running(tmp_path) as service:
        await service.keep("hut", by("Ann", "Cleo drinks her coffee with oat milk."), bot("OK."), session_id="old")
        await service.digested("hut")
        found = await talked(service, "Ben", "What does Cleo drink her coffee with?", "Cleo drinks it with oat milk.")
        await eventually(lambda: outcomes_of(service, found), bool)
        await talked(service, "Cleo", "No, I drink my coffee black.", "Noted.")
        noticed = await eventually(
            lambda: outcomes_of(service, found), lambda noted: any(one["outcome"] == "contradicted" for one in noted)
        )

    assert noticed


async def test_who_cannot_come_takes_nothing_from_what_another_brings(tmp_path):
    """Broken: the turn of whoever says no stands for the turn before it."""
    async with running(tmp_path) as service:
        drill = bot("Great, you bring the drill on Friday, Ann.")
        await service.keep("hut", by("Ann", "I'll bring my drill on Friday."), drill)
        await service.keep("hut", by("Cleo", "No, I can't come on Friday, my mother is ill."), bot("Pity."))
        await service.digested("hut")
        found = await asked(service, "Dora", "Who brings the drill?")

    first = max(found["flashbacks"], key=lambda one: one["score"])
    assert "drill" in first["raw"]


# -- who quotes another

PEANUTS = "I'm allergic to peanuts, please keep that in mind."
MATRIX = "> <@ann:matrix.org> I live in Lyon and I work as a nurse."


async def quoting(service):
    """Ann tells, Ben and Cleo answer to what she said, as chats quote it."""
    for turn in (
        (by("Ann", PEANUTS), bot("I will.")),
        (by("Ann", MATRIX.partition("> ")[2].partition("> ")[2]), bot("Nice.")),
        (by("Ben", "I work in a bakery and I like rye bread.", 2), bot("Yum.", 2)),
        (by("Ben", f"> {PEANUTS}\nGood to know, thanks Ann!", 3), bot("Yes.", 3)),
        (by("Cleo", f"{MATRIX}\n\nKöln is nicer, I think.", 4), bot("Ha!", 4)),
    ):
        await service.keep("hut", *turn)
    await service.digested("hut")


async def test_what_somebody_quotes_is_not_told_as_their_words(tmp_path):
    """Broken: the mark of a quotation is taken out like that of a list, and the words stay."""
    async with running(tmp_path) as service:
        await quoting(service)
        found = await asked(service, "Dora", "What is Ben allergic to?")
        live = await asked(service, "Dora", "Where does Cleo live?", session_id="other")
        anns = await asked(service, "Dora", "What is Ann allergic to?", session_id="third")

    raw = [one["raw"] for answer in (found, live, anns) for one in answer["flashbacks"]]
    assert f"Ann told me: {PEANUTS}" in raw
    assert [one for one in raw if not one.startswith("Ann") and ("peanuts" in one or "Lyon" in one)] == []


async def test_a_remark_below_anothers_words_does_not_lead_what_its_writer_told(tmp_path):
    """Broken: quoted words are near those of the question, and the newer turn says what holds now."""
    mill = "I work at the bakery on Mill Street, mornings only."
    said_by = (
        ("Ann", "I work at Siemens as a software engineer."),
        ("Ben", mill),
        ("Ann", f"> {mill}\nHow nice, Ben!"),
    )
    async with running(tmp_path) as service:
        for day, (name, text) in enumerate((*said_by, ("Cleo", "I bake bread.")), start=1):
            await service.keep("hut", by(name, text, day), bot("Ah.", day))
        await service.digested("hut")
        found = await asked(service, "Ann", "Where do I work?")

    assert "Siemens" in found["flashbacks"][0]["raw"]


async def test_facts_and_the_story_hold_what_is_quoted_as_the_words_of_who_said_it(tmp_path):
    """Broken: the quoting model and the story read quoted lines as the speaker's."""
    async with running(tmp_path, settings=settings_of(tmp_path, story={"threshold_tokens": 0})) as service:
        await quoting(service)
        facts = (await service.http.get("/v1/minds/hut/facts")).json()["items"]
        await service.http.post("/v1/minds/hut/consolidation", json={"wait": True})
        story = (tmp_path / "minds" / "hut" / "STORY.md").read_text()

    assert [one["text"] for one in facts if "Lyon" in one["text"]] == [
        "Ann told me: I live in Lyon and I work as a nurse."
    ]
    told = [line for line in story.splitlines() if "peanuts" in line or "Lyon" in line]
    assert any(line.startswith("Ann") for line in told)
    assert [line for line in told if line.startswith(("Ben", "Cleo"))] == []


async def test_where_somebody_only_quotes_it_stands_in_quotation_marks(tmp_path):
    """Broken: nothing is shown of such a turn, or it is shown as theirs."""
    async with running(tmp_path) as service:
        await service.keep("hut", by("Ben", "> The boiler says E42 since Monday."), bot("Oh."))
        await service.keep("hut", by(None, "> The router says E77 since Sunday.\nI pulled the plug."), bot("Oh."))
        await service.digested("hut")
        boiler = await asked(service, "Dora", "What does the boiler say?")
        router = await asked(service, None, "What does the router say?", session_id="other")

    assert "Ben told me: “The boiler says E42 since Monday.”" in [one["raw"] for one in boiler["flashbacks"]]
    alone = "they told me: “The router says E77 since Sunday.” I pulled the plug."
    assert alone in [one["raw"] for one in router["flashbacks"]]


async def test_what_somebody_quoted_is_still_found_by_its_words(tmp_path):
    """Broken: quoted lines are not indexed."""
    async with running(tmp_path) as service:
        await service.keep("hut", by("Ben", "> panic: socket ECONNREFUSED\nIt was the firewall after all."), bot("Ah."))
        await service.digested("hut")
        found = (await service.http.get("/v1/minds/hut/remember", params={"query": "ECONNREFUSED"})).json()

    assert "Ben told me: It was the firewall after all." in [one["text"] for one in found["memories"]]


# -- who instructs the bot

GERMAN, ENGLISH = "Please always answer me in German.", "Please always answer me in English."


async def instructed(service, *told):
    """These gave the bot an instruction, one a day; each is a name and the words."""
    for day, (name, content) in enumerate(told, start=1):
        await service.keep("hut", by(name, content, day), bot("OK.", day), session_id=f"s{day}")
    await service.digested("hut")


async def comes_up(service, name):
    """What comes up before a task of somebody, without the words that say who told it."""
    found = await asked(service, name, "How do I boil an egg?", session_id=f"asks {name}")
    return {one["raw"].partition(": ")[2] for one in found["flashbacks"]}


async def test_an_instruction_is_of_the_person_who_gave_it(tmp_path):
    """Broken: the speaker of an instruction is not kept: the later one ends the other's, and is everybody's."""
    async with running(tmp_path) as service:
        await instructed(service, ("Ben", GERMAN), ("Ann", "Call me Annie from now on."), ("Cleo", ENGLISH))
        found = {name: await comes_up(service, name) for name in ("Ben", "Ann", "Cleo", "Dora")}

    assert found == {"Ben": {GERMAN}, "Ann": {"Call me Annie from now on."}, "Cleo": {ENGLISH}, "Dora": set()}


async def test_a_later_instruction_of_the_same_person_ends_an_earlier_one(tmp_path):
    """Broken: nobody's later instruction ends any."""
    async with running(tmp_path) as service:
        await instructed(service, ("Ben", GERMAN), ("Cleo", GERMAN), ("ben", ENGLISH))
        found = {name: await comes_up(service, name) for name in ("Ben", "Cleo")}

    assert found == {"Ben": {ENGLISH}, "Cleo": {GERMAN}}


async def test_an_instruction_of_nobody_known_is_everybodys_and_to_nobody_known_all_come_up(tmp_path):
    """Broken: without a name nothing applies."""
    async with running(tmp_path) as service:
        await instructed(service, ("Ben", GERMAN), (None, "Please keep your answers short."))
        found = {name: await comes_up(service, name) for name in ("Ben", "Cleo", None)}

    short = "Please keep your answers short."
    assert found == {"Ben": {GERMAN, short}, "Cleo": {short}, None: {GERMAN, short}}


async def test_an_instruction_without_a_name_ends_one_of_a_person(tmp_path):
    """Broken: only who has the same name ends anything."""
    async with running(tmp_path) as service:
        await instructed(service, ("Ben", GERMAN), (None, ENGLISH))

        assert await comes_up(service, "Ben") == {ENGLISH}
