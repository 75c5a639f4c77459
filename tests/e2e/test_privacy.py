"""What must not be kept is not: no secret and no word said off the record is anywhere in the home, by any way in."""

import json

import pytest

from tests.e2e.test_story_syncing import bot, compact, consolidate, kept, user
from tests.support.scripted_models import Brain, hosted, prompts, provider_of
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

CARD = "4111 1111 1111 1111"
MARK = "[redacted: card number]"


def token(letter):
    """A GitHub token made of parts, so that no scanner of this repository takes it for a real one."""
    return f"ghp_{letter}" + "a1B2" * 9


def quiet(home, **more):
    return settings_of(home, story={"threshold_tokens": 0, "idle_seconds": 0, **more.pop("story", {})}, **more)


def found_in(home, *words, but=()):
    """The files below *home* that hold any of *words*, with which."""
    files = [file for file in home.rglob("*") if file.is_file() and not any(file.match(one) for one in but)]
    return {(file.name, word) for file in files for word in words if word.encode() in file.read_bytes()}


def jsonl(path, *messages):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))


async def test_no_secret_is_anywhere_in_the_home_by_any_way_in(tmp_path):
    home, sessions = tmp_path / "home", tmp_path / "sessions"
    secrets = [token(letter) for letter in "PNMRCSLA"]
    posted, name, metadata, _, compacted, session, legacy, asked = secrets
    settings = quiet(home, story={"sessions_folder": sessions, "sessions_mind": "ada"})

    async with running(home, settings=settings) as service:
        message = {"role": "user", "content": f"The umbrella key is {posted}.", "name": f"Ada {name}"}
        answer = await service.keep("ada", message, metadata={"note": [metadata], "password": "hunter22"})
        await compact(service, user(f"The lantern key is {compacted}."), session_id="s2")
        jsonl(sessions / "s3.jsonl", user(f"The kettle key is {session}."), bot("I see."))
        await consolidate(service, trigger="global_sync")
        note = home / "minds/ada/memory/2025-03-04.md"
        note.write_text(f"The ladder key is {legacy}.\n")
        await consolidate(service, trigger="bootstrap")
        await service.digested("ada")
        resonated = (await service.resonate("ada", f"Which umbrella key is {asked}?", relevance=0)).json()
        status = await service.status("ada")
        story = (await service.http.get("/v1/minds/ada/story")).text
        trace = (await service.http.get(f"/v1/minds/ada/traces/{resonated['trace_id']}")).text
        contents = [content for _, content in await kept(service)]

    assert answer.json()["dropped"] == [
        {"index": 0, "reason": "secret: GitHub token"},
        {"index": None, "reason": "secret: GitHub token"},
        {"index": None, "reason": "secret: password"},
    ]
    assert "The umbrella key is [redacted: GitHub token]." in contents
    assert "[redacted: GitHub token]" in trace
    assert asked in resonated["messages"][-1]["content"]  # the caller's own words come back as they were
    assert not any(secret in found for secret in secrets for found in (json.dumps(status), story, trace))
    for said in ("umbrella", "lantern", "kettle", "ladder"):  # else the search for secrets would prove nothing
        assert {kind for kind in ("*.aof", "*.jsonl") if is_held(home, kind, said)} == {"*.aof", "*.jsonl"}, said
    assert found_in(home, *secrets, "hunter22", but=["memory/2025-03-04.md"]) == set()


def is_held(home, pattern, word):
    return any(word.encode() in file.read_bytes() for file in home.rglob(pattern))


async def test_passwords_and_pins_that_people_tell_of_are_nowhere_in_the_home(tmp_path):
    said = [
        "Password for the umbrella: Summer2024!",
        "My pin is 47110815.",
        "пароль от почты: Vesna2024!",
        "--password Winter#77",
    ]
    async with running(tmp_path) as service:
        answer = (await service.keep("ada", *said)).json()
        await service.digested("ada")
        contents = [content for _, content in await kept(service)]

    assert [one["reason"] for one in answer["dropped"]] == [
        "secret: password",
        "secret: PIN",
        "secret: password",
        "secret: password",
    ]
    assert contents == [
        "Password for the umbrella: [redacted: password]",
        "My pin is [redacted: PIN].",
        "пароль от почты: [redacted: password]",
        "--password [redacted: password]",
    ]
    assert is_held(tmp_path, "*.jsonl", "umbrella")
    assert found_in(tmp_path, "Summer2024", "47110815", "Vesna2024", "Winter#77") == set()


async def test_what_a_mind_never_keeps_is_not_kept_by_a_correction(tmp_path):
    """Broken: it was stored as it was said, and came up."""
    async with running(tmp_path) as service:
        await service.keep("ada", "My umbrella is in Lyon.")
        address, wanted = "/v1/minds/ada/settings", {"never_keep": ["Quillzanne"]}
        etag = (await service.http.get(address)).headers["etag"]
        await service.http.patch(address, json=wanted, headers={"if-match": etag})
        said = {"what": "say", "to": "Quillzanne has the pink umbrella."}
        refused = await service.http.post("/v1/minds/ada/corrections", json=said)
        said = {"what": "say", "to": "The umbrella is green.", "reason": "quillzanne told me"}
        made = await service.http.post("/v1/minds/ada/corrections", json=said)

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/to")
    assert (made.status_code, made.json()["reason"]) == (201, None)
    assert is_held(tmp_path, "corrections.jsonl", "green")
    assert found_in(tmp_path, "pink", "quillzanne", but=["settings.toml"]) == set()


async def test_no_secret_of_a_filter_is_in_the_trace_of_its_call(tmp_path):
    """Broken: what a pre-turn call asked its turns for was written down as it was sent."""
    asked = {"metadata": {"order": token("F"), "password": "hunter22", "city": "Oslo"}, "speakers": [token("s")]}
    async with running(tmp_path) as service:
        await service.keep("ada", "My umbrella is in Lyon.")
        found = (await service.resonate("ada", "Where is my umbrella?", filter=asked)).json()
        trace = (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).json()

    assert trace["phases"]["retrieval"]["turns"] == {
        "speaker": ["[redacted: GitHub token]"],
        "metadata.order": ['"[redacted: GitHub token]"'],
        "metadata.password": ['"[redacted: password]"'],
        "metadata.city": ['"Oslo"'],
    }
    assert is_held(tmp_path, "subconscious-*.jsonl", "Oslo")
    assert found_in(tmp_path, token("F"), token("s"), token("s").casefold(), "hunter22") == set()


async def test_the_same_turn_posted_again_is_the_same_turn(tmp_path):
    async with running(tmp_path) as service:
        first = (await service.keep("ada", f"card {CARD}", turn_id="t1")).json()
        again = await service.keep("ada", f"card {CARD}", turn_id="t1")
        other = await service.keep("ada", f"my card {CARD}", turn_id="t1")

    assert again.json() == {**first, "duplicate": True}
    assert first["dropped"] == [{"index": 0, "reason": "secret: card number"}]
    assert other.status_code == 409


async def test_a_turn_kept_before_secrets_were_redacted_is_still_a_duplicate(tmp_path):
    async with running(tmp_path, settings=quiet(tmp_path, redact_secrets=False)) as service:
        first = (await service.keep("ada", f"card {CARD}", turn_id="t1")).json()
        assert await kept(service) == [("user", f"card {CARD}")]
    async with running(tmp_path) as service:
        again = (await service.keep("ada", f"card {CARD}", turn_id="t1")).json()

    assert (first["dropped"], first["duplicate"]) == ([], False)
    assert (again["sequence"], again["duplicate"]) == (first["sequence"], True)


async def test_a_message_may_be_noise_and_hold_a_secret(tmp_path):
    async with running(tmp_path) as service:
        answer = (await service.keep("ada", "", f"card {CARD}, cvv 123", f"card {CARD}", kind="probe")).json()

    assert answer["dropped"] == [
        {"index": 0, "reason": "empty"},
        {"index": 1, "reason": "probe"},
        {"index": 1, "reason": "secret: card number"},
        {"index": 1, "reason": "secret: card security code"},
        {"index": 2, "reason": "probe"},
        {"index": 2, "reason": "secret: card number"},
    ]


@pytest.mark.parametrize("times", [True, False])
async def test_a_window_with_secrets_compacted_twice_is_kept_once(tmp_path, times):
    stamp = {"timestamp": "2026-01-28T14:00:00Z"} if times else {}
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await service.keep("ada", {**user(f"card {CARD}"), **stamp})
        first = await compact(service, user(f"card {CARD}", **stamp), user(f"key {token('Q')}", **stamp))
        again = await compact(service, user(f"card {CARD}", **stamp), user(f"key {token('Q')}", **stamp))
        contents = [content for _, content in await kept(service)]

    assert (first["new_messages"], first["known_messages"]) == (1, 1)
    assert first["dropped"] == [{"index": 1, "reason": "secret: GitHub token"}]
    assert (again["new_messages"], again["known_messages"]) == (0, 2)
    assert contents == [f"card {MARK}", "key [redacted: GitHub token]"]


async def test_a_model_before_the_turn_is_not_told_a_secret(tmp_path):
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider)) as service:
            await service.keep("ada", "Ada keeps her umbrella in Prague.")
            await service.digested("ada")
            window = [user(f"card {CARD}"), bot("Thanks."), user(f"And the umbrella with {token('Q')}?")]
            await service.resonate("ada", window, relevance=0)
            words = json.dumps([one.body for one in provider.asked])

    assert prompts(provider, "seeds")
    assert prompts(provider, "narration")
    assert MARK in words
    assert CARD not in words
    assert token("Q") not in words


OFF = {
    "said so": ({"off_the_record": True}, "My heirloom is in Prague."),
    "marked": ({}, "My heirloom is in Prague. #OffTheRecord"),
    "marked and a heartbeat": ({"kind": "heartbeat"}, "My heirloom is in Prague. [off the record]"),
}


@pytest.mark.parametrize("how", OFF)
async def test_a_turn_off_the_record_leaves_no_word_and_a_retry_is_answered_as_the_first_time(tmp_path, how):
    more, said = OFF[how]
    home = tmp_path / "home"

    async def post(service):
        answer = await service.keep(
            "ada", said, "An heirloom, well.", turn_id="t1", metadata={"topic": "heirloom"}, **more
        )
        assert answer.status_code == 202
        return answer.json()

    async with running(home, settings=quiet(home)) as service:
        await service.keep("ada", "The umbrella is in Rome.")
        first = await post(service)
        again = await post(service)
        other = await service.keep("ada", "Something else", turn_id="t1")
        await service.keep("ada", "The lantern is in Rome.")
        await consolidate(service)
        status = await service.digested("ada")
        remembered = (await service.http.get("/v1/minds/ada/remember", params={"query": "heirloom in Prague"})).text
    async with running(home, settings=quiet(home)) as service:
        later = await post(service)

    assert first["dropped"] == [{"index": at, "reason": "off_the_record"} for at in (0, 1)]
    assert (first["sequence"], first["duplicate"]) == (2, False)
    assert again == {**first, "duplicate": True}
    assert later == {**again, "pending_tokens": later["pending_tokens"]}  # told meanwhile
    assert other.status_code == 409
    assert (status["last_sequence"], status["graph"]["episodes"], status["graph"]["parked"]) == (3, 2, [])
    assert status["story"]["pending_turns"] == 0
    assert "heirloom" not in remembered
    assert found_in(home, "heirloom", "Prague") == set()
    assert is_held(home, "*.aof", "umbrella")


async def test_markers_are_set_by_the_configuration(tmp_path):
    settings = quiet(tmp_path, off_the_record_markers=["nicht merken"])
    async with running(tmp_path, settings=settings) as service:
        answer = (await service.keep("ada", "Bitte NICHT merken!")).json()
        plain = (await service.keep("ada", "#offtherecord")).json()

    assert answer["dropped"] == [{"index": 0, "reason": "off_the_record"}]
    assert plain["dropped"] == []


async def test_a_compacted_window_does_not_bring_back_what_was_off_the_record(tmp_path):
    times = [f"2026-01-28T14:0{number}:00Z" for number in range(6)]
    window = [
        user("My heirloom is in Prague.", timestamp=times[0]),
        bot("An heirloom, well.", timestamp=times[1]),
        user("[off the record] and a second", timestamp=times[2]),
        bot("A second heirloom.", timestamp=times[3]),
        user("The umbrella is in Rome.", timestamp=times[4]),
        bot("I see.", timestamp=times[5]),
    ]
    async with running(tmp_path, settings=quiet(tmp_path)) as service:
        await service.keep("ada", *window[:2], off_the_record=True)
        first = await compact(service, *window)
        again = await compact(service, *window)
        contents = [content for _, content in await kept(service)]

    assert contents == ["", "", "The umbrella is in Rome.", "I see."]
    assert first["dropped"] == again["dropped"] == [{"index": at, "reason": "off_the_record"} for at in (2, 3)]
    assert (first["new_messages"], first["known_messages"], again["new_messages"]) == (2, 2, 0)
    assert found_in(tmp_path, "heirloom", "Prague") == set()


async def test_session_files_are_read_without_what_is_off_the_record(tmp_path):
    home, sessions = tmp_path / "home", tmp_path / "sessions"
    settings = quiet(home, story={"sessions_folder": sessions, "sessions_mind": "ada"})
    async with running(home, settings=settings) as service:
        await service.keep("ada", "The lantern.")
        jsonl(
            sessions / "s3.jsonl",
            user("My heirloom is in Prague. #offtherecord"), user("Another heirloom."), bot("I see."), user("The umbrella."),
        )  # fmt: skip
        run = await consolidate(service, trigger="global_sync")
        contents = [content for _, content in await kept(service)]

    assert contents == ["The lantern.", "The umbrella."]
    assert run["gathered"]["skipped"] == ["s3.jsonl: 3 messages off the record"]
    assert found_in(home, "heirloom", "Prague") == set()


@pytest.mark.parametrize("how", ["flag", "marker"])
async def test_a_call_off_the_record_answers_asks_no_model_and_leaves_no_words(tmp_path, how):
    home = tmp_path / "home"
    with provider_of(Brain()) as provider:
        async with running(home, settings=hosted(home, provider)) as service:
            await service.keep("ada", "Ada keeps her umbrella in Prague.")
            await service.digested("ada")
            before = len(provider.asked)
            said = "Where is the umbrella of my mistress?" + ("" if how == "flag" else " #offtherecord")
            more = {"off_the_record": True} if how == "flag" else {}
            answer = (await service.resonate("ada", said, relevance=0, **more)).json()
            trace = (await service.http.get(f"/v1/minds/ada/traces/{answer['trace_id']}")).json()
            off = len(provider.asked)
            again = (await service.resonate("ada", "Where is the umbrella?", relevance=0)).json()
            assert len(provider.asked) > off

    assert before == off
    assert answer["surfaced"]
    assert "umbrella in Prague" in answer["block"]
    assert answer["degraded"] == ["off_the_record"]
    assert answer["messages"][-1]["content"] == said
    assert trace["off_the_record"]
    assert (trace["message"], trace["block"], trace["phases"], trace["shown"][0]["text"]) == ("", "", {}, "")
    assert trace["shown"][0]["sequences"] == [1]
    assert not again["surfaced"]  # an echo, all the same
    assert found_in(home, "mistress") == set()


async def test_what_was_off_the_record_earlier_in_the_window_does_not_reach_the_trace_or_a_model(tmp_path):
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider)) as service:
            await service.keep("ada", "Ada keeps her umbrella in Prague.")
            await service.digested("ada")
            window = [user("My mistress waits. #offtherecord"), bot("The mistress, yes."), user("ok")]
            answer = (await service.resonate("ada", window)).json()
            words = json.dumps([one.body for one in provider.asked])

    assert answer["degraded"] == []
    assert "mistress" not in words
    assert found_in(tmp_path, "mistress") == set()


async def test_the_mark_of_a_secret_is_neither_an_entity_nor_told_of_in_a_fact(tmp_path):
    key = "ghp_" + "aB3dE5gH7jK9mN2pQ4sT6vX8zaB3dE5gH7jK9"
    async with running(tmp_path) as service:
        await service.keep("ada", {"role": "user", "content": f"My deploy token is {key}, and Ines knows it as well."})
        await service.digested("ada")
        entities = (await service.http.get("/v1/minds/ada/entities")).json()["items"]
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]

    assert "Ines" in {one["name"] for one in entities}
    assert not [one["name"] for one in entities if "git" in one["name"].casefold()]
    assert [one["target"] for one in facts] == ["Ines"]
