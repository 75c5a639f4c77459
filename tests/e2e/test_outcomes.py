"""
Outcomes over HTTP: a memory that was contradicted stays away, and one that helped ranks higher.

Every docstring says what was broken, once, to see the test fail.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.support.service import running, settings_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

NOW = "2026-01-12T09:00:00Z"
AUNT, ASKS = "My aunt Carla lives in Lyon.", "Where does my aunt Carla live?"
OTHERS = (
    "We painted the fence green.",
    "The dentist wants to see me in March.",
    "I ordered a new saddle for my bicycle.",
    "Our choir sings Verdi this winter.",
    "The car has a flat tyre again.",
)


def said(content, at="2026-01-09T18:30:00Z", role="user"):
    return {"role": role, "content": content, "timestamp": at}


async def told(service, *contents, mind_id="ada", session_id="s0"):
    for one in contents:
        answer = await service.keep(mind_id, said(one), session_id=session_id)
        assert answer.status_code == 202, answer.text
    await service.digested(mind_id)


async def asked(service, message=ASKS, *, mind_id="ada", session_id="s2", **more):
    answer = await service.resonate(mind_id, message, session_id=session_id, now=NOW, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def report(service, found, outcome, *, place=0, mind_id="ada"):
    outcomes = [{"id": found["flashbacks"][place]["id"], "outcome": outcome}]
    answer = await service.http.post(
        f"/v1/minds/{mind_id}/outcomes", json={"trace_id": found["trace_id"], "outcomes": outcomes}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def trace_of(service, found, mind_id="ada"):
    return (await service.http.get(f"/v1/minds/{mind_id}/traces/{found['trace_id']}")).json()


async def test_what_was_contradicted_does_not_surface_again_and_is_found_on_purpose(tmp_path):
    """Broken: ``prove`` holds nothing back; ``remember`` does not ask what was contradicted."""
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        first = await asked(service)
        for number in range(5):
            again = await asked(service, session_id=f"c{number}")
            if not again["surfaced"]:
                break
            assert await report(service, again, "contradicted") == {"applied": 1, "unknown": []}
        after = await asked(service, session_id="later")
        trace = await trace_of(service, after)
        remembered = await service.http.get("/v1/minds/ada/remember", params={"query": ASKS})

    assert "Lyon" in first["block"]
    assert (after["surfaced"], after["block"]) == (False, "")
    assert "outcome: contradicted" in trace["phases"]["filters"]["dropped"].values()
    found = remembered.json()["memories"]
    assert any("Lyon" in one["text"] and one["is_contradicted"] for one in found)


async def test_a_fact_that_was_contradicted_takes_its_sentence_and_leaves_the_rest_of_its_turn(tmp_path):
    """Broken: ``_left`` is "" always; ``told`` changes nothing."""
    told_both = "Anna Keller manages the harbour museum in Gdynia. My dog Rufus is afraid of thunder."
    async with running(tmp_path) as service:
        await told(service, told_both, *OTHERS)
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
        [wrong] = [one["id"] for one in facts if "Gdynia" in one["text"]]
        body = {"outcomes": [{"id": wrong, "outcome": "contradicted"}]}
        await service.http.post("/v1/minds/ada/outcomes", json=body)
        dog = await asked(service, "What is my dog Rufus afraid of?")
        museum = await asked(service, "Who manages the harbour museum in Gdynia?", session_id="s3")

    assert "thunder" in dog["block"]
    assert "Gdynia" not in json.dumps(dog)
    assert not museum["surfaced"]


async def test_a_memory_that_is_said_again_surfaces_again(tmp_path):
    """Broken: ``is_held_back`` does not look at the turns that a memory rests on."""
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        await report(service, await asked(service), "contradicted")
        await told(service, "My aunt Carla lives in Lyon again.", session_id="s1")
        found = await asked(service, session_id="later")

    assert "Lyon again" in found["block"]


async def test_what_helped_ranks_higher_but_brings_up_nothing_that_is_not_meant(tmp_path):
    """Broken: ``select`` multiplies by nothing; it multiplies before what is weak is dropped."""
    gardens = ("Ben grows tomatoes in his garden.", "Ben keeps two goats in his garden.")
    async with running(tmp_path) as service:
        await told(service, *gardens, *OTHERS)
        before = await asked(service, "What is in Ben's garden?")
        second = before["flashbacks"][1]["id"]
        await report(service, before, "acted", place=1)
        trace = await trace_of(service, await asked(service, "What is in Ben's garden?", session_id="s3"))
        other = await asked(service, "What is seven times eight?", session_id="s4")

    assert trace["shown"][0]["id"] == second
    assert trace["phases"]["filters"]["salience"][second] > 1
    assert not other["surfaced"]


async def test_an_outcome_counts_once_and_another_takes_its_place(tmp_path):
    """Broken: every report is added; the first one stays."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        found = await asked(service)
        for _ in range(3):
            await report(service, found, "acted")
        once = (await service.status("ada"))["outcomes"]
        await report(service, found, "dismissed")
        trace = await trace_of(service, found)
        twice = (await service.status("ada"))["outcomes"]
        lines = (tmp_path / "minds" / "ada" / "outcomes.jsonl").read_text().splitlines()

    assert once == {"acted": 1, "used": 0, "deferred": 0, "dismissed": 0, "contradicted": 0}
    assert twice == {"acted": 0, "used": 0, "deferred": 0, "dismissed": 1, "contradicted": 0}
    assert [one["outcome"] for one in trace["outcomes"]] == ["dismissed"]
    assert [json.loads(line)["outcome"] for line in lines] == ["acted", "dismissed"]


async def test_what_was_not_shown_is_told_back_and_a_strange_trace_is_not_found(tmp_path):
    """Broken: ids are not compared with what the trace showed; a trace of any mind is taken."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        await told(service, AUNT, mind_id="bea")
        found = await asked(service)
        both = [{"id": found["flashbacks"][0]["id"], "outcome": "used"}, {"id": "episode:99", "outcome": "acted"}]
        known = await service.http.post(
            "/v1/minds/ada/outcomes", json={"trace_id": found["trace_id"], "outcomes": both}
        )
        of_bea = await service.http.post(
            "/v1/minds/bea/outcomes", json={"trace_id": found["trace_id"], "outcomes": both[:1]}
        )
        lost = await service.http.post("/v1/minds/ada/outcomes", json={"trace_id": "f" * 32, "outcomes": both})
        nobody = await service.http.post("/v1/minds/none/outcomes", json={"outcomes": both})

    assert known.json() == {"applied": 1, "unknown": ["episode:99"]}
    assert [answer.status_code for answer in (of_bea, lost, nobody)] == [404, 404, 404]
    assert of_bea.json()["type"] == lost.json()["type"] == "/problems/trace-not-found"


@pytest.mark.parametrize(
    ("outcomes", "pointer"),
    [
        ([{"id": "episode:1", "outcome": "liked"}], "#/outcomes/0/outcome"),
        ([{"id": "episode:1"}], "#/outcomes/0/outcome"),
        ([{"id": "e", "outcome": "acted"}, {"id": "e", "outcome": "used"}], "#/outcomes"),
        ([], "#/outcomes"),
        ([{"id": "e", "outcome": "acted"}] * 101, "#/outcomes"),
    ],
)
async def test_a_report_that_can_not_be_meant_changes_nothing(tmp_path, outcomes, pointer):
    """Broken: no validation; what can be read of it is applied."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        answer = await service.http.post("/v1/minds/ada/outcomes", json={"outcomes": outcomes})
        counts = (await service.status("ada"))["outcomes"]

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert set(counts.values()) == {0}


async def test_a_turn_is_stored_whatever_comes_of_its_outcomes_and_a_retry_may_bring_another(tmp_path):
    """Broken: outcomes are a part of the turn's metadata, so that the retry is another turn (409)."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        found = await asked(service)
        one = found["flashbacks"][0]["id"]
        turn = {"session_id": "s2", "turn_id": "t9", "messages": [said(ASKS)], "trace_id": found["trace_id"]}
        kept = [
            (await service.http.post("/v1/minds/ada/turns", json={**turn, **more})).json()
            for more in (
                {"outcomes": [{"id": one, "outcome": "deferred"}]},
                {"outcomes": [{"id": one, "outcome": "acted"}, {"id": "episode:77", "outcome": "acted"}]},
                {"trace_id": "gone", "outcomes": [{"id": one, "outcome": "acted"}]},
                {},
            )
        ]
        counts = (await service.status("ada"))["outcomes"]

    assert [answer["duplicate"] for answer in kept] == [False, True, True, True]
    assert [answer["outcomes"] for answer in kept] == [
        {"applied": 1, "unknown": []},
        {"applied": 1, "unknown": ["episode:77"]},
        {"applied": 0, "unknown": [one]},
        None,
    ]
    assert (counts["acted"], counts["deferred"]) == (1, 0)


async def test_a_person_puts_a_memory_right_by_hand_and_brings_it_back(tmp_path):
    """Broken: ids without a trace are unknown; ``contradicted`` by hand counts for nothing."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        url, params = "/v1/minds/ada", {"query": ASKS}
        found = (await service.http.get(f"{url}/remember", params=params)).json()["memories"]
        ids = [one["id"] for one in found if "Lyon" in one["text"]]
        wrong = [{"id": one, "outcome": "contradicted"} for one in ids]
        answer = await service.http.post(
            f"{url}/outcomes", json={"outcomes": [*wrong, {"id": "fact:no", "outcome": "used"}]}
        )
        silent = await asked(service)
        right = [{"id": one, "outcome": "acted"} for one in ids]
        await service.http.post(f"{url}/outcomes", json={"outcomes": right})
        back = await asked(service, session_id="s3")

    assert answer.json() == {"applied": len(ids), "unknown": ["fact:no"]}
    assert not silent["surfaced"]
    assert "Lyon" in back["block"]


async def test_what_was_learnt_outlives_a_restart_a_lost_projection_and_a_rebuild(tmp_path):
    """Broken: the projection begins empty; the cursor is not read; ``rebuild`` forgets the log."""
    home, derived = tmp_path / "minds" / "ada", tmp_path / "minds" / "ada" / "derived"
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        found = await asked(service)
        await report(service, found, "contradicted")
    with (home / "outcomes.jsonl").open("a") as log:
        log.write('{"torn": ')  # a kill in the middle of a line
    async with running(tmp_path) as service:
        restarted = await asked(service, session_id="s3")
    for file in derived.glob("outcomes*"):
        file.unlink()
    async with running(tmp_path) as service:
        replayed = await asked(service, session_id="s4")
        assert (await service.http.post("/v1/minds/ada/rebuild")).status_code == 202
        await service.digested("ada")
        rebuilt = await asked(service, session_id="s5")
        counts = (await service.status("ada"))["outcomes"]

    assert [one["surfaced"] for one in (restarted, replayed, rebuilt)] == [False, False, False]
    assert counts["contradicted"] == 1


async def test_erasing_a_turn_erases_what_was_reported_of_it(tmp_path):
    """Broken: ``_forget_traces`` leaves the outcomes."""
    async with running(tmp_path) as service:
        kept = (await service.keep("ada", said(AUNT), session_id="s0")).json()
        await told(service, "Ben grows tomatoes in his garden.", *OTHERS)
        await report(service, await asked(service), "acted")
        await report(service, await asked(service, "What does Ben grow in his garden?"), "acted")
        receipt = await service.http.delete(f"/v1/minds/ada/turns/{kept['turn_id']}")
        counts = (await service.status("ada"))["outcomes"]
        lines = (tmp_path / "minds" / "ada" / "outcomes.jsonl").read_text()

    assert receipt.status_code == 200, receipt.text
    counted = {one["place"]: (one["count"], one["unit"]) for one in receipt.json()["erased"]}
    assert counted["outcomes"] == (1, "outcomes")
    assert counts["acted"] == 1
    assert json.loads(lines)["sequences"] == [2]


async def test_an_archive_brings_what_was_learnt(tmp_path):
    """Broken: ``outcomes.jsonl`` is not among the files of an archive."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        await report(service, await asked(service), "contradicted")
        archive = await service.http.get("/v1/minds/ada/export")
        arrived = await service.http.post(
            "/v1/minds/eve/import", content=archive.content, headers={"Content-Type": "application/zip"}
        )
        assert arrived.status_code == 201, arrived.text
        await service.digested("eve")
        found = await asked(service, mind_id="eve")

    assert not found["surfaced"]


# -- seen without being told


async def exchange(service, message, answer, *, session_id="s2", mind_id="ada"):
    """A whole turn: what surfaced, what was said; its trace is told."""
    found = await asked(service, message, session_id=session_id, mind_id=mind_id)
    kept = await service.http.post(
        f"/v1/minds/{mind_id}/turns",
        json={
            "session_id": session_id,
            "messages": [said(message, at=NOW), said(answer, at=NOW, role="assistant")],
            "trace_id": found["trace_id"],
        },
    )
    assert kept.status_code == 202, kept.text
    return found


async def until_noticed(service, found):
    return await until_outcomes(service, found, bool)


async def until_outcomes(service, found, is_so, *, mind_id="ada"):
    async def outcomes():
        return (await trace_of(service, found, mind_id))["outcomes"]

    return await eventually(outcomes, is_so)


async def test_an_answer_that_repeats_a_memory_used_it(tmp_path):
    """Broken: ``used_in`` finds nothing; it counts words that the person said as well."""
    async with running(tmp_path) as service:
        await told(service, AUNT, "Ben grows tomatoes in his garden.", *OTHERS)
        found = await exchange(service, ASKS, "She lives in Lyon, as far as I remember.")
        noticed = await until_noticed(service, found)
        other = await exchange(service, "What does Ben grow in his garden?", "I would have to look at his garden.")
        figures = await service.figures()
        learnt = (await service.http.get("/v1/status")).json()["learnt"]
        unnoticed = (await trace_of(service, other))["outcomes"]

    assert found["surfaced"]
    assert other["surfaced"], other["silence"]
    assert [(one["outcome"], one["reporter"]) for one in noticed] == [("used", "noticed")]
    assert unnoticed == []
    assert figures["mind_memory_outcomes_total", ("outcome", "used")] == learnt["outcomes"]["used"] == 1
    assert learnt["surfaced"] >= 2


@pytest.mark.parametrize("denial", ["No, that's wrong.", "No, she moved away from Lyon years ago."])
async def test_a_person_who_denies_an_answer_contradicts_the_memory_behind_it(tmp_path, denial):
    """Broken: ``contradicted_by`` finds nothing; the trace before is not looked for."""
    async with running(tmp_path) as service:
        await told(service, AUNT, "Ben grows tomatoes in his garden.", *OTHERS)
        found = await exchange(service, ASKS, "She lives in Lyon.")
        await until_noticed(service, found)
        await exchange(service, denial, "Oh, I am sorry. Where does she live now?")
        outcomes = await until_outcomes(service, found, lambda noted: noted[0]["outcome"] == "contradicted")
        later = await asked(service, session_id="s9")

    assert outcomes[0]["reporter"] == "noticed"
    assert "lives in Lyon" not in later["block"]


@pytest.mark.parametrize(
    ("told_before", "asks", "answer", "denial"),
    [
        (AUNT, ASKS, "She lives in Lyon.", "Absolutely not."),
        ("Meine Tante Carla wohnt in Lyon.", "Wo wohnt meine Tante Carla?", "In Lyon.", "Das habe ich nie gesagt."),
        ("Mi tía Carla vive en Lyon.", "¿Dónde vive mi tía Carla?", "Carla vive en Lyon.", "Estás equivocado."),
        ("Ma tante Carla habite à Lyon.", "Où habite ma tante Carla ?", "Elle habite à Lyon.", "Vous vous trompez."),
        ("Моя тётя Карла живёт в Лионе.", "Где живёт моя тётя Карла?", "Карла живёт в Лионе.", "Это неправда."),
        ("我姑姑卡拉住在里昂。", "我姑姑卡拉住在哪里？", "你姑姑卡拉住在里昂。", "你错了。"),
    ],
)
async def test_a_plain_denial_is_heard_in_any_language(tmp_path, told_before, asks, answer, denial):
    """Broken: only a "no" and a few words more are a denial."""
    async with running(tmp_path) as service:
        await told(service, told_before, *OTHERS)
        found = await exchange(service, asks, answer)
        await until_noticed(service, found)
        await exchange(service, denial, "…")
        outcomes = await until_outcomes(service, found, lambda noted: noted[0]["outcome"] == "contradicted")

    assert outcomes[0]["reporter"] == "noticed"


@pytest.mark.parametrize("answer", ["She lives in Lyon.", "She lives in Lyon. Anything else? 😊"])
async def test_thanks_and_praise_contradict_nothing(tmp_path, answer):
    """Broken: whoever says "No, thanks" or "You have …" denies the answer."""
    thanks = ("You have a great memory!", "No, thanks.", "You got it!", "That's not bad!", "No, that's all.")
    noticed = {}
    async with running(tmp_path) as service:
        for number, polite in enumerate(thanks):
            mind_id = f"ada-{number}"
            await told(service, AUNT, *OTHERS, mind_id=mind_id)
            found = await exchange(service, ASKS, answer, mind_id=mind_id)
            await until_outcomes(service, found, bool, mind_id=mind_id)
            await exchange(service, polite, "You're welcome.", mind_id=mind_id)
            again = await exchange(service, ASKS, answer, session_id="s3", mind_id=mind_id)
            assert again["surfaced"], polite
            await until_outcomes(service, again, bool, mind_id=mind_id)
            noticed[polite] = {one["outcome"] for one in (await trace_of(service, found, mind_id))["outcomes"]}

    assert noticed == dict.fromkeys(thanks, {"used"})


async def test_a_no_to_a_question_or_to_something_else_contradicts_nothing(tmp_path):
    """Broken: every "no" is a denial of what surfaced."""
    async with running(tmp_path) as service:
        await told(service, AUNT, "Ben grows tomatoes in his garden.", *OTHERS)
        found = await exchange(service, ASKS, "She lives in Lyon. Shall I look for trains?")
        await until_noticed(service, found)
        await exchange(service, "No, I would rather drive there with my own car.", "As you like.")
        outcomes = (await trace_of(service, found))["outcomes"]

    assert [one["outcome"] for one in outcomes] == ["used"]


async def test_what_a_caller_reported_is_not_taken_back_by_what_was_noticed(tmp_path):
    """Broken: ``Outcomes.add`` takes the last of both."""
    async with running(tmp_path) as service:
        await told(service, AUNT)
        found = await asked(service)
        await report(service, found, "dismissed")
        messages = [said(ASKS, at=NOW), said("She lives in Lyon.", at=NOW, role="assistant")]
        await service.http.post(
            "/v1/minds/ada/turns", json={"session_id": "s2", "messages": messages, "trace_id": found["trace_id"]}
        )
        await service.digested("ada")
        outcomes = (await trace_of(service, found))["outcomes"]

    assert [(one["outcome"], one["reporter"]) for one in outcomes] == [("dismissed", "caller")]


async def test_the_service_notices_nothing_where_it_may_not(tmp_path):
    """Broken: the setting is read by nobody."""
    async with running(tmp_path, settings=settings_of(tmp_path, resonance={"notice_outcomes": False})) as service:
        await told(service, AUNT)
        found = await exchange(service, ASKS, "She lives in Lyon.")
        await service.digested("ada")
        outcomes = (await trace_of(service, found))["outcomes"]

    assert outcomes == []


async def contradicted(service, times):
    """The memory was shown in so many traces, and is reported as wrong in each; the ids that were shown."""
    shown = [await asked(service, session_id=f"c{number}") for number in range(times)]
    for one in shown:
        assert await report(service, one, "contradicted") == {"applied": 1, "unknown": []}
    return [one["id"] for one in shown[0]["flashbacks"]]


async def by_hand(service, ids, outcome):
    outcomes = [{"id": one, "outcome": outcome} for one in ids]
    answer = await service.http.post("/v1/minds/ada/outcomes", json={"outcomes": outcomes})
    assert answer.json() == {"applied": len(ids), "unknown": []}


@pytest.mark.parametrize("times", [1, 3])
async def test_what_helped_before_does_not_surface_once_it_was_contradicted(tmp_path, times):
    """Broken: what spoke for a memory outweighs the word that it is wrong."""
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        for number in range(times):
            await report(service, await asked(service, session_id=f"a{number}"), "acted")
        await contradicted(service, 1)
        after = await asked(service, session_id="later")

    assert not after["surfaced"]


async def test_a_memory_comes_back_by_hand_however_often_it_was_contradicted_and_as_often_as_it_is_said(tmp_path):
    """Broken: the sum of all reports decides; the same report by hand counts once for ever."""
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        ids = await contradicted(service, 3)
        await by_hand(service, ids, "acted")
        await by_hand(service, ids, "acted")
        back = await asked(service, session_id="back")
        await report(service, back, "contradicted")
        silent = await asked(service, session_id="silent")
        await by_hand(service, ids, "acted")
        again = await asked(service, session_id="again")
        lines = (tmp_path / "minds" / "ada" / "outcomes.jsonl").read_text().splitlines()

    reported = [json.loads(line)["outcome"] for line in lines]
    assert reported == [*["contradicted"] * 3, "acted", "contradicted", "acted"]
    assert [one["surfaced"] for one in (back, silent, again)] == [True, False, True]


async def test_what_an_earlier_version_made_of_the_reports_is_made_anew(tmp_path):
    """Broken: the projection has no other version, though it comes to something else."""
    async with running(tmp_path) as service:
        await told(service, AUNT, *OTHERS)
        await report(service, await asked(service), "acted")
        await contradicted(service, 1)
    with closing(sqlite3.connect(next((tmp_path / "minds/ada/derived").glob("outcomes*.sqlite*")))) as file:
        file.executescript("DELETE FROM salience; PRAGMA user_version = 1;")
    async with running(tmp_path) as service:
        found = await asked(service, session_id="later")

    assert not found["surfaced"]
