"""What is set for one mind, over HTTP: where each value comes from, whose change wins, and that every path honours it."""

import pytest

from tests.e2e.test_entity_kinds import KINDS, SAID, extraction, found, read
from tests.e2e.test_phases import ASKS_AGAIN, ASKS_FOR_AUNT, AUNT, remembering, surfacing
from tests.e2e.test_story_syncing import bot, compact, kept, user
from tests.support.archives import exported, imported, members
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

PATH = "/v1/minds/ada/settings"
SALARY, ASKS_FOR_SALARY = "My salary is 5,000 euros.", "What is my salary?"


async def settings_in(service, path=PATH):
    answer = await service.http.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == answer.json()["etag"]
    return answer.json()


async def patch(service, changes, *, etag="*"):
    return await service.http.patch(PATH, json=changes, headers={"If-Match": etag} if etag else {})


def write(home, text, mind_id="ada"):
    folder = home / "minds" / mind_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text(text)


async def test_each_value_says_where_it_comes_from(tmp_path):
    settings = settings_of(tmp_path, resonance={"max_fragments": 7}, entity_kinds=KINDS)
    async with running(tmp_path, settings=settings) as service:
        await service.keep("ada", AUNT)
        changed = await patch(service, {"relevance": 0.25, "language": "de"})
        told = (await settings_in(service))["settings"]

    assert changed.status_code == 200 and changed.json()["settings"] == told
    assert told["relevance"] == {"value": 0.25, "source": "mind"}
    assert told["max_fragments"] == {"value": 7, "source": "service"}
    assert told["echo_turns"] == {"value": 25, "source": "default"}
    assert told["language"] == {"value": "de", "source": "mind"}
    assert told["never_keep"] == {"value": [], "source": "default"}
    assert [told["entity_kinds"]["source"], *(one["name"] for one in told["entity_kinds"]["value"])] == [
        "service", "Person", "Place",
    ]  # fmt: skip


async def test_null_takes_a_value_away_and_comments_stay(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        write(tmp_path, "# hers\nrelevance = 0.1 # bold\nmax_tokens = 300\n")
        etag = (await settings_in(service))["etag"]
        answer = await patch(service, {"max_tokens": None, "relevance": 0.2}, etag=etag)

    assert answer.json()["settings"]["max_tokens"] == {"value": 1200, "source": "default"}
    assert (tmp_path / "minds/ada/settings.toml").read_text() == "# hers\nrelevance = 0.2 # bold\n"


async def test_a_person_who_saves_between_a_read_and_a_change_wins(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        etag = (await settings_in(service))["etag"]
        write(tmp_path, "relevance = 0.9\n")
        stale, missing = await patch(service, {"relevance": 0.2}, etag=etag), await patch(service, {}, etag=None)
        problem = stale.json()
        fresh = await patch(service, {"max_fragments": 1}, etag=problem["etag"])

    assert (stale.status_code, problem["type"]) == (412, "/problems/settings-changed")
    assert problem["current"] == "relevance = 0.9\n"
    assert missing.status_code == 428
    assert fresh.status_code == 200
    assert (tmp_path / "minds/ada/settings.toml").read_text() == "relevance = 0.9\nmax_fragments = 1\n"


async def test_what_only_a_person_can_change_is_refused(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        write(tmp_path, by_hand := 'never_keep = [\n  "salary",\n]\n')
        answer = await patch(service, {"never_keep": []})

    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/settings-by-hand")
    assert "edit the file" in answer.json()["detail"]
    assert (tmp_path / "minds/ada/settings.toml").read_text() == by_hand


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"relevance": 1.5}, "#/relevance"),
        ({"max_fragments": "3"}, "#/max_fragments"),
        ({"language": "german, please"}, "#/language"),
        ({"never_keep": [" "]}, "#/never_keep/0"),
        ({"entity_kinds": [{"name": "A", "colour": "red"}]}, "#/entity_kinds/0/colour"),
        ({"story_tokens": 1}, "#/story_tokens"),
    ],
)
async def test_a_bad_value_is_refused_at_its_place(tmp_path, changes, pointer):
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        answer = await patch(service, changes)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert not (tmp_path / "minds/ada/settings.toml").exists()


async def test_a_fault_is_told_and_the_services_values_hold(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        write(tmp_path, "max_fragments = 3\nrelevance = 7\n")
        told, status = await settings_in(service), await service.status("ada")

    assert (told["fault"]["key"], told["fault"]["line"]) == ("relevance", 2)
    assert {one["source"] for one in told["settings"].values()} == {"default"}
    assert status["settings_fault"] == told["fault"]


async def test_a_mind_of_which_nothing_is_known_has_no_settings(tmp_path):
    async with running(tmp_path) as service:
        answers = [await service.http.get(PATH), await patch(service, {"relevance": 0.1})]

    assert [one.status_code for one in answers] == [404, 404]
    assert not (tmp_path / "minds/ada").exists()


# -- honoured


async def test_a_call_that_says_nothing_has_the_minds_numbers(tmp_path):
    """Broken: ``_request`` takes the service's numbers."""
    async with running(tmp_path) as service:
        await remembering(service, AUNT, "My aunt Carla has a dog in Lyon.")
        await patch(service, {"relevance": 0, "max_fragments": 1})
        one = await surfacing(service, ASKS_FOR_AUNT, session_id="s2")
        asked = await surfacing(service, ASKS_FOR_AUNT, session_id="s3", max_fragments=0)
        await patch(service, {"relevance": 1.0, "max_fragments": None})
        silent = await surfacing(service, ASKS_FOR_AUNT, session_id="s4")
        called = await surfacing(service, ASKS_FOR_AUNT, session_id="s5", relevance=0)

    assert [len(one["flashbacks"]), len(asked["flashbacks"]), len(silent["flashbacks"])] == [1, 0, 0]
    assert len(called["flashbacks"]) > 1


async def test_a_block_is_as_long_as_the_mind_has_it(tmp_path):
    """Broken: ``_request`` takes the service's ``max_tokens``."""
    async with running(tmp_path) as service:
        await remembering(service, AUNT)
        await patch(service, {"max_tokens": 0})
        found = await surfacing(service, ASKS_FOR_AUNT)

    assert found["block"] == ""


async def test_the_proxy_has_the_minds_numbers(tmp_path):
    """Broken: the proxy's ``_request`` takes the service's relevance."""
    body = {"model": "memory", "messages": [{"role": "user", "content": ASKS_FOR_AUNT}]}
    async with running(tmp_path) as service:
        await remembering(service, AUNT)
        said = []
        for relevance in (1.0, 0):
            await patch(service, {"relevance": relevance})
            headers = {"X-Mind-Id": "ada", "X-Session-Id": f"p{relevance}"}
            answer = await service.http.post("/v1/chat/completions", json=body, headers=headers)
            said.append(answer.headers["X-Memory"])

    assert said == ["silent", "surfaced"]


async def test_days_of_a_call_without_a_time_zone_are_those_of_the_mind(tmp_path):
    """Broken: ``OwnSettings.zone`` takes UTC."""
    at, now = "2026-01-10T23:30:00Z", "2026-01-11T12:00:00Z"
    async with running(tmp_path) as service:
        await remembering(service, user(AUNT, timestamp=at))
        await patch(service, {"timezone": "Asia/Tokyo"})
        own = await surfacing(service, ASKS_FOR_AUNT, session_id="s2", now=now)
        asked = await surfacing(service, ASKS_FOR_AUNT, session_id="s3", now=now, timezone="UTC")
        logged = [
            (await service.http.get("/v1/minds/ada/log", params={"query": "aunt", "language": "en"} | more)).json()
            for more in ({}, {"timezone": "UTC"})
        ]

    assert [found["flashbacks"][0]["date"] for found in (own, asked)] == ["Jan 11", "Jan 10"]
    assert [found["items"][0]["date"] for found in logged] == ["Jan 11", "Jan 10"]


async def test_a_memory_comes_back_after_as_many_turns_as_the_mind_has_it(tmp_path):
    """Broken: ``Filters`` takes the service's ``echo_turns``."""
    async with running(tmp_path) as service:
        await remembering(service, AUNT)
        first, again = await surfacing(service, ASKS_FOR_AUNT), await surfacing(service, ASKS_AGAIN)
        await patch(service, {"echo_turns": 0})
        back = await surfacing(service, ASKS_AGAIN)

    assert first["surfaced"] and not again["surfaced"]
    assert back["surfaced"]


async def test_flashbacks_are_in_the_minds_language_and_are_found_in_the_messages_own(tmp_path):
    """Broken: ``told_in`` is the message's language."""
    async with running(tmp_path) as service:
        await remembering(service, AUNT)
        await patch(service, {"language": "de", "echo_turns": 0})
        found = await surfacing(service, ASKS_FOR_AUNT)
        trace = (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).json()

    assert found["flashbacks"][0]["label"] == "vor ein paar Tagen"
    assert trace["language"] == "en"


async def test_a_turn_with_a_word_that_is_never_kept_is_off_the_record_at_every_door(tmp_path):
    """Broken: ``Intake`` and ``observe`` look for the service's markers alone."""
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        await patch(service, {"never_keep": ["Salary"]})
        stored = (await service.keep("ada", SALARY, "Nice!")).json()
        mentioned = (await service.keep("ada", "I work a lot.", "For a salary?")).json()
        asked = await surfacing(service, ASKS_FOR_SALARY)
        queried = await surfacing(service, "What do I earn?", query=ASKS_FOR_SALARY)
        await compact(service, user(SALARY), bot("Nice!"), user("I bought a kite."), bot("Red?"), session_id="s7")
        await compact(service, user(SALARY), bot("Nice!"), user("I bought a kite."), bot("Red?"), session_id="s7")
        contents = [content for _, content in await kept(service)]

    assert [one["reason"] for one in stored["dropped"]] == ["off_the_record", "off_the_record"]
    assert mentioned["dropped"] == []  # the bot said it
    assert all("off_the_record" in one["degraded"] for one in (asked, queried))
    assert contents == [AUNT, "", "", "I work a lot.", "For a salary?", "I bought a kite.", "Red?"]
    traces = (tmp_path / "minds/ada").glob("subconscious*.jsonl")
    assert not any("salary" in file.read_text().casefold() for file in traces)


async def test_a_trimmed_window_leaves_out_what_is_never_kept(tmp_path):
    """Broken: ``ContextWindows`` looks for the service's markers alone."""
    window = [user(SALARY), bot("Nice!"), user("I bought a kite."), bot("Red?"), user("Yes.")]
    async with running(tmp_path) as service:
        await service.keep("ada", AUNT)
        await patch(service, {"never_keep": ["salary"]})
        path = "/v1/minds/ada/sessions/s7/trim"
        for keep in (4, 1):  # the first cuts the exchange in two
            answer = await service.http.post(path, json={"messages": window, "keep": keep})
            assert answer.status_code == 200, answer.text
            window = answer.json()["messages"]
        contents = [content for _, content in await kept(service)]

    assert "Nice!" not in contents and SALARY not in contents
    assert "I bought a kite." in contents


async def test_what_is_never_kept_holds_for_the_first_turn_of_a_mind(tmp_path):
    async with running(tmp_path) as service:
        write(tmp_path, 'never_keep = ["salary"]\n')
        stored = (await service.keep("ada", SALARY)).json()

    assert [one["reason"] for one in stored["dropped"]] == ["off_the_record"]


async def test_a_mind_has_its_own_kinds_of_entities(tmp_path):
    """Broken: ``TurnReaders`` asks for the service's kinds."""
    with provider_of(Brain(extraction=extraction)) as model:
        async with running(tmp_path, settings=hosted(tmp_path, model, "extraction")) as service:
            write(tmp_path, 'entity_kinds = [{name = "Person"}]\n')
            await service.keep("ada", SAID)
            await read(service)
            entities = await found(service, kinds="entity")

    kinds = {one["text"].partition(":")[0]: one["entity_kind"] for one in entities}
    assert kinds == {"Ines": "Person", "Lyon": None, "Grenoble": None}


async def test_an_archive_carries_what_is_set_for_a_mind(tmp_path):
    text = "# hers\nrelevance = 0.25\n"
    async with running(tmp_path) as service:
        await remembering(service, AUNT)
        write(tmp_path, text)
        archive = await exported(service)
        answer = await imported(service, archive, "copy")
        told = await settings_in(service, "/v1/minds/copy/settings")

    assert members(archive)["settings.toml"].decode() == text
    assert answer.status_code == 201, answer.text
    assert told["settings"]["relevance"] == {"value": 0.25, "source": "mind"}
    assert (tmp_path / "minds/copy/settings.toml").read_text() == text
