"""
What surfaces for people who write in a chat as people do: short forms, no accents, names in small letters.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio


async def told(service, mind, *turns):
    for number, (said, answered) in enumerate(turns):
        day = f"2026-{1 + number % 9:02}-1{number // 9}T10:00:00Z"
        messages = [
            {"role": "user", "content": said, "timestamp": day},
            {"role": "assistant", "content": answered, "timestamp": day},
        ]
        await service.keep(mind, *messages, turn_id=f"t{number}", session_id=f"s{number}")
    await service.digested(mind)


async def surfaced(service, mind, *window, session_id="now"):
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(window)]
    answer = await service.resonate(mind, messages, session_id=session_id, now="2026-11-20T10:00:00Z")
    return answer.json()


def turns_of(found):
    return [source["turn_id"] for one in found["flashbacks"] for source in one["sources"]]


async def trace_of(service, mind, found):
    return (await service.http.get(f"/v1/minds/{mind}/traces/{found['trace_id']}")).json()


ADVICE = (
    ("joes bday is soon what do i get him", "What does he like?"),
    ("stephs bday was good we went to the bingo", "Happy birthday to Steph!"),
    ("joe likes fishing n old maps", "An old map of the river he fishes on, framed."),
    ("joe met alfie at the park", "Ducks are a fine beginning."),
    ("joe does anatomy w me, got a cat", "A strong start."),
    ("bus late again", "It has a character."),
)


async def test_what_u_said_is_what_the_assistant_said(tmp_path):
    """Broken: "did u say" did not ask for what the bot said, as "did you say" does: its answer came behind others."""
    turns = (
        ("i told joe he should try fishing, or a map", "He may like both."),
        ("what do i get joe, he is hard to please", "An old map of the river he fishes on, framed."),
        ("joe and a map, joe gets lost", "Some do."),
        ("got lost w joe, no map", "Again?"),
    )
    async with running(tmp_path) as service:
        await told(service, "dani", *turns, *ADVICE)
        asked = [await surfaced(service, "dani", f"what did {who} say i should get joe") for who in ("u", "you")]
        assert "t1" in turns_of(asked[0])
        assert turns_of(asked[0]) == turns_of(asked[1])


@pytest.mark.parametrize(
    ("language", "typed", "read"),
    [
        ("en", "can u remind me of joes appt w/ the dentist tmrw", "can you remind me of joes appointment with the dentist tomorrow"),
        ("pt", "vc lembra qd é o niver da minha mae, hj ou amn?", "você lembra quando é o aniversário da minha mae, hoje ou amanhã?"),
        ("es", "xq no me acuerdo dnd vive mi hermana tb, hoy x la noche?", "porque no me acuerdo donde vive mi hermana también, hoy por la noche?"),
    ],
)  # fmt: skip
async def test_short_forms_are_searched_for_written_out_and_the_trace_says_what_was_typed(
    tmp_path, language, typed, read
):
    """Broken: short forms were looked for as they stood: "tmrw" found no appointment, and "qd" asked for no time."""
    async with running(tmp_path) as service:
        await told(service, "dani", *ADVICE)
        found = await surfaced(service, "dani", typed)
        trace = await trace_of(service, "dani", found)
        assert (trace["language"], trace["message"]) == (language, typed)
        assert trace["phases"]["retrieval"]["queries"][0] == read


async def test_a_short_form_in_what_was_told_is_found_by_its_word(tmp_path):
    """Broken: a turn with "appt" had not the word "appointment", by which it was asked for."""
    async with running(tmp_path) as service:
        await told(service, "dani", *ADVICE, ("alfies appt is at crookes", "Noted."))
        found = await surfaced(service, "dani", "Alfie's appointment")
        trace = await trace_of(service, "dani", found)
        found = next(one for one in trace["phases"]["retrieval"]["candidates"] if one["sequences"] == [7])
        assert found["arms"]["words"] == 1 and "concepts" in found["arms"]


DAYS = {
    "que hice el sabado?": "t1",
    "o que eu fiz no sabado passado?": "t1",
    "qu'est-ce que j'ai fait la semaine derniere ?": "t1",
    "que hice en agosto del año pasado? y en el ano pasado?": "t0",
    "qu'est-ce que j'ai fait en fevrier ?": "t2",
    "o que eu fiz em marco?": "t3",
    "Em marco, o que eu fiz?": "t3",
}


async def test_days_without_accents_are_days(tmp_path):
    """Broken: "el sabado", "la semaine derniere", "em marco": without its accent no day or month was one."""
    days = ("2025-08-12", "2026-11-14", "2026-02-10", "2026-03-10")
    async with running(tmp_path) as service:
        for number, day in enumerate(days):
            said = {
                "role": "user",
                "content": f"Went to see number {number} with the others.",
                "timestamp": f"{day}T10:00:00Z",
            }
            await service.keep("ana", said, turn_id=f"t{number}", session_id=f"s{number}")
        await service.digested("ana")
        first = {asked: turns_of(await surfaced(service, "ana", asked, session_id=asked))[:1] for asked in DAYS}
    assert first == {asked: [turn] for asked, turn in DAYS.items()}


async def test_marco_is_somebody_where_no_word_says_in(tmp_path):
    """Broken: "marco", as "março" is typed, was a month wherever it stood."""
    async with running(tmp_path) as service:
        await told(service, "ana", ("comprei um vinho pro marco", "Boa!"), ("the wine for Marco is here", "Good."))
        trace = await trace_of(service, "ana", await surfaced(service, "ana", "what did I buy for Marco?"))
        arms = [arm for one in trace["phases"]["retrieval"]["candidates"] for arm in one["arms"]]
        assert arms and not {"period", "days"} & set(arms)


async def test_the_story_of_ones_own_is_asked_for_and_not_to_be_made_up(tmp_path):
    """Broken: "Me conta a historia da minha…" was a wish for a story, and nothing surfaced; with an accent, too."""
    turns = (
        ("to pensando em fazer um mestrado", "Que bom!"),
        ("passei no mestrado!", "Parabéns!"),
        ("meu mestrado começa em agosto", "Logo."),
    )
    async with running(tmp_path) as service:
        await told(service, "rafa", *turns, *ADVICE)
        found = await surfaced(service, "rafa", "me conta a historia do meu mestrado desde o comeco")
        assert {"t0", "t1", "t2"} <= set(turns_of(found))


async def test_the_bots_error_that_is_asked_again_is_denied(tmp_path):
    """Broken: "Thiago??? it's Mei": the wrong invitation stayed, as if nobody had said a word against it."""
    wrong = ("write the invitation for the party", '"Rafa and Thiago invite you to the party!"')
    right = ("THIAGO??? lol its MEI", 'Sorry! "Rafa and Mei invite you to the party!"')
    async with running(tmp_path) as service:
        for number, (said, answered) in enumerate((wrong, right)):
            await service.keep("rafa", said, answered, turn_id=f"t{number}")
        await service.digested("rafa")
        found = await surfaced(service, "rafa", "what did we write in the invitation for the party?")
        trace = await trace_of(service, "rafa", found)
        assert "t1" in turns_of(found)
        assert trace["phases"]["filters"]["dropped"]["episode:1"].startswith("denied")


async def test_a_school_that_nobody_told_of_stays_untold_without_accents(tmp_path):
    """Broken: "Ensino medio" was no school, so whatever was near came up in its place."""
    async with running(tmp_path) as service:
        await told(service, "rafa", ("to fazendo pos em curitiba, a escola é boa", "Que bom!"), *ADVICE)
        assert turns_of(await surfaced(service, "rafa", "em q escola eu fiz o ensino medio")) == []


async def test_a_relative_whose_name_has_no_capital_is_known(tmp_path):
    """Broken: "My sister kelly" gave no name to "my sister", so what was told of kelly was not found by it."""
    turns = (("my sister kelly says hi", "Hi, Kelly!"), ("kelly works nights on the kids ward", "Hard."), *ADVICE[1:])
    async with running(tmp_path) as service:
        await told(service, "dani", *turns)
        found = await surfaced(service, "dani", "what does my sister do")
        trace = await trace_of(service, "dani", found)
        assert "what does Kelly do" in trace["phases"]["retrieval"]["queries"]
        assert "t1" in turns_of(found)


async def test_who_was_there_together_stands_in_the_message_before(tmp_path):
    """Broken: "What class did we do together" was searched for without her whom the message before it names."""
    async with running(tmp_path) as service:
        await told(service, "dani", ("doing legs bums n tums on wednesdays w/ kelly", "Good for you!"), *ADVICE)
        window = ("saw kelly in asda", "How is she?", "good. what class did we do together again")
        assert "t0" in turns_of(await surfaced(service, "dani", *window))
