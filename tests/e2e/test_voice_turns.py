"""Turns and pre-turn calls whose messages were spoken: over HTTP, with real litellm against a scripted transcription model."""

import asyncio
import base64
import contextlib
import json
import threading

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.text.content import AUDIO_MARK
from service.voice.g711 import as_wav
from tests.support.punctuality import timed_async
from tests.support.scripted_models import free
from tests.support.service import running
from tests.support.speech import audio_part, call, frames, speech, spoken
from tests.support.voice import calling, hearing, serving, turns_of
from tests.support.waiting import GIVE_UP, until_async
from tests.twins.provider import Body, Closes, Fails, Hangs, ScriptedProvider

pytestmark = pytest.mark.anyio

MOTHER, WHERE = speech(1.5, pitch=120), speech(1.0, pitch=180)
SAYS = {len(as_wav(MOTHER)): "My mother lives in Lyon.", len(as_wav(WHERE)): "Where does my mother live?"}


def by_length(recorded):
    return SAYS[len(recorded.file)]


@pytest.fixture
def provider():
    with ScriptedProvider(hears=by_length) as found:
        yield found


@pytest.fixture
async def service(tmp_path, provider):
    async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as found:
        yield found


def files_below(home):
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and not file.is_symlink())


async def test_what_was_spoken_surfaces_later_and_the_audio_is_not_kept(service, provider, tmp_path):
    kept = await service.keep("ada", spoken(MOTHER), "How often do you see her?")
    await service.digested("ada")

    found = (await service.resonate("ada", [spoken(WHERE)])).json()

    assert kept.status_code == 202
    assert found["flashbacks"][0]["text"] == "they told me: My mother lives in Lyon."
    assert await turns_of(service) == ["My mother lives in Lyon.", "How often do you see her?"]
    [turn] = (await service.http.get("/v1/minds/ada/turns")).json()["items"]
    mark = turn["metadata"]["mind_memory.spoken"]
    assert (mark["messages"], mark["seconds"], mark["model"]) == ([0], 1.5, "openai/whisper-1")
    stored = files_below(tmp_path / "home")
    assert MOTHER[4_000:4_400] not in stored
    assert as_wav(MOTHER)[9_000:9_400] not in stored
    assert base64.b64encode(MOTHER)[4_000:4_400] not in stored


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (audio_part(MOTHER), "speech.wav"),
        (audio_part(as_wav(MOTHER), kind="wav"), "speech.wav"),
        (audio_part(b"ID3\x04" + b"0" * 500, kind="mp3"), "speech.mp3"),
    ],
)
async def test_every_format_reaches_the_model_as_a_file(tmp_path, part, name):
    with ScriptedProvider(hears=["Good morning, Ada."]) as provider:
        settings = hearing(tmp_path / "home", provider, model={"language": "en"})
        async with running(tmp_path / "home", settings=settings) as service:
            await service.keep("ada", {"role": "user", "content": [part]})

            assert await turns_of(service) == ["Good morning, Ada."]
    [sent] = provider.recorded
    assert (sent.name, sent.fields["model"], sent.fields["language"]) == (name, "whisper-1", "en")
    data = base64.b64decode(part["input_audio"]["data"])
    assert sent.file == (as_wav(MOTHER) if part["input_audio"]["format"] == "g711_ulaw" else data)


async def test_written_and_spoken_parts_stand_in_their_order(service):
    await service.keep("ada", spoken("Look:", MOTHER, "That is all."))

    assert await turns_of(service) == ["Look:\nMy mother lives in Lyon.\nThat is all."]


async def test_parts_of_text_alone_need_no_model(tmp_path):
    async with running(tmp_path / "home") as service:
        kept = await service.keep("ada", spoken("My mother", "lives in Lyon."))

        assert kept.status_code == 202
        assert await turns_of(service) == ["My mother\nlives in Lyon."]


@pytest.mark.parametrize("door", ["turns", "resonance"])
async def test_without_a_model_audio_is_refused_with_its_place(tmp_path, door):
    async with running(tmp_path / "home") as service:
        body = {"session_id": "s", "messages": [spoken("hi"), spoken("listen", MOTHER)]}
        refused = await service.http.post(f"/v1/minds/ada/{door}", json=body)

        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/transcription-not-configured")
        assert refused.json()["errors"][0]["pointer"] == "#/messages/1/content/1/input_audio"
        assert "MIND_MEMORY_MODELS__TRANSCRIPTION__MODEL" in refused.json()["detail"]
        assert (await service.http.get("/v1/minds/ada")).status_code == 404


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        ([], "#/messages/0/content"),
        (7, "#/messages/0/content"),
        ([{"type": "image_url"}], "#/messages/0/content/0/type"),
        ([{"type": "input_audio", "input_audio": {"data": "AAAA"}}], "#/messages/0/content/0/input_audio/format"),
        ([audio_part(MOTHER, kind="opus")], "#/messages/0/content/0/input_audio/format"),
        ([audio_part(MOTHER), audio_part(MOTHER, kind="wav")], "#/messages/0/content/1/input_audio/data"),
        ([{"type": "text", "text": "a\0b"}], "#/messages/0/content/0/text"),
    ],
)
async def test_a_wrong_part_is_refused_with_its_place(service, content, pointer):
    refused = await service.keep("ada", {"role": "user", "content": content})

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("kind", ["image_url", ["text"], None])
async def test_who_sends_a_part_of_another_kind_is_told_of_both(service, kind):
    refused = await service.keep("ada", {"role": "user", "content": [{"type": kind, "text": "Look."}]})

    assert refused.status_code == 422
    assert refused.json()["detail"] == "#/messages/0/content/0/type: must be 'text' or 'input_audio'"


async def test_a_retry_gets_the_first_answer_after_a_restart_although_the_model_hears_it_otherwise(tmp_path):
    home, said = tmp_path / "home", {"turn_id": "t-1", "metadata": {"call": "CA1"}}
    with ScriptedProvider(hears=["My mother lives in Lyon.", "My mother leaves in lion."]) as provider:
        answers = []
        for _ in range(2):
            async with running(home, settings=hearing(home, provider)) as service:
                answers += [await service.keep("ada", spoken(MOTHER), "When?", **said) for _ in range(2)]
        async with running(home, settings=hearing(home, provider)) as service:
            other = await service.keep("ada", spoken(WHERE), "When?", **said)
            another = await service.keep("ada", spoken(MOTHER), "Why?", **said)

            assert await turns_of(service) == ["My mother lives in Lyon.", "When?"]
    assert [one.status_code for one in answers] == [202] * 4
    assert [one.json()["duplicate"] for one in answers] == [False, True, True, True]
    assert other.status_code == 409
    assert another.status_code in {409, 502}


async def test_secrets_that_were_spoken_are_masked(tmp_path):
    with ScriptedProvider(hears=["My password is hunter2secret99, and my card is 4111 1111 1111 1111."]) as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            kept = await service.keep("ada", spoken(MOTHER))

            assert {one["reason"] for one in kept.json()["dropped"]} == {"secret: card number", "secret: password"}
            assert "hunter2" not in "".join(await turns_of(service))
    assert b"4111 1111" not in files_below(tmp_path / "home")


@pytest.mark.parametrize(
    ("message", "more"),
    [
        (spoken(MOTHER), {"off_the_record": True}),
        (spoken("#offtherecord", MOTHER), {}),
        (spoken(MOTHER), {"kind": "heartbeat"}),
    ],
)
async def test_no_model_hears_what_is_off_the_record_or_no_memory(service, provider, message, more):
    kept = await service.keep("ada", message, **more)

    assert kept.status_code == 202
    assert provider.recorded == []


async def test_what_is_said_to_be_off_the_record_is_not_stored(tmp_path):
    with ScriptedProvider(hears=lambda _: "Off the record: my mother lives in Lyon.") as provider:
        settings = hearing(tmp_path / "home", provider, off_the_record_markers=["off the record"])
        async with running(tmp_path / "home", settings=settings) as service:
            kept = await service.keep("ada", spoken(MOTHER), turn_id="t-1")
            again = await service.keep("ada", spoken(MOTHER), turn_id="t-1")

    assert kept.json()["dropped"] == [{"index": 0, "reason": "off_the_record"}]
    assert again.json()["duplicate"]
    assert b"Lyon" not in files_below(tmp_path / "home")


@pytest.mark.parametrize(
    ("answer", "status", "slug"),
    [
        (Fails(500), 502, "model-unavailable"),
        (Fails(401), 502, "model-unavailable"),
        (Closes(), 502, "model-unavailable"),
        (Hangs(), 504, "model-timed-out"),
        (Fails(400, "Invalid file format."), 422, "recording-refused"),
        (Body(b"<html>Please sign in</html>", "text/html; charset=utf-8"), 502, "model-unavailable"),
        (Body({"text": "My mother."}, "text/plain"), 502, "model-unavailable"),
        (Body({"words": "My mother."}), 502, "model-unavailable"),
    ],
)
async def test_a_model_that_fails_is_an_error_and_nothing_is_stored(tmp_path, answer, status, slug):
    with ScriptedProvider(hears=lambda _: answer) as provider:
        settings = hearing(tmp_path / "home", provider, model={"timeout_seconds": 1.0})
        async with running(tmp_path / "home", settings=settings) as service:
            refused = await service.keep("ada", spoken(MOTHER), turn_id="t-1")

            assert (refused.status_code, refused.json()["type"]) == (status, f"/problems/{slug}")
            provider._hears = by_length
            assert (await service.keep("ada", spoken(MOTHER), turn_id="t-1")).status_code == 202
            assert await turns_of(service) == ["My mother lives in Lyon."]


@pytest.mark.parametrize(("kind", "found"), [("text/html", "text/html"), ("", "without a Content-Type")])
async def test_an_answer_that_is_not_json_is_said_to_be_so(tmp_path, kind, found):
    with ScriptedProvider(hears=lambda _: Body({"text": "My mother."}, kind)) as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            refused = await service.keep("ada", spoken(MOTHER))

    words = f"openai/whisper-1 answered {found}, not JSON: is API_BASE the model's address?"
    assert refused.json()["detail"] == words


async def test_a_recording_that_is_larger_than_the_provider_takes_is_said_to_be_so(tmp_path):
    with ScriptedProvider(hears=lambda _: Fails(413, "Request Entity Too Large")) as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            refused = await service.keep("ada", spoken(MOTHER))

    assert refused.json()["type"] == "/problems/recording-refused"
    assert refused.json()["detail"] == "openai/whisper-1: the recording is larger than it takes"


async def test_words_that_no_file_can_hold_are_stored_without_what_is_not_text(tmp_path):
    said = {"text": "My mother\0 lives \ud83c\udfe1 in Lyon\ud800."}
    with ScriptedProvider(hears=lambda _: Body(said)) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            kept = await service.keep("ada", spoken(MOTHER))
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(call(1.5)))
                told = await caller.rest()

            assert (kept.status_code, told[-1]["problem"]) == (202, None)
            assert await turns_of(service) == ["My mother lives 🏡 in Lyon�."] * 2


async def test_audio_in_which_nobody_speaks_leaves_its_mark(tmp_path):
    with ScriptedProvider(hears=lambda _: " ") as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            kept = await service.keep("ada", spoken(MOTHER), "I can not hear you.")

            assert kept.status_code == 202
            assert await turns_of(service) == [AUDIO_MARK, "I can not hear you."]
            await service.keep("ada", "My mother lives in Lyon.", "Nice.")
            await service.digested("ada")
            found = (await service.resonate("ada", "Which audio did I send you?", session_id="later")).json()
            assert AUDIO_MARK not in json.dumps(found["flashbacks"])


async def test_a_body_with_audio_may_be_larger_only_where_a_model_hears(tmp_path, provider):
    long = {"session_id": "s", "messages": [spoken(speech(120.0))]}
    SAYS[len(as_wav(speech(120.0)))] = "A long story."
    async with running(tmp_path / "one", settings=hearing(tmp_path / "one", provider)) as service:
        assert (await service.http.post("/v1/minds/ada/turns", json=long)).status_code == 202
        assert (await service.http.post("/v1/minds/ada/memories", json=long)).status_code == 413
    async with running(tmp_path / "two") as service:
        assert (await service.http.post("/v1/minds/ada/turns", json=long)).status_code == 413


async def test_a_recording_is_heard_once_for_the_calls_before_and_after_the_turn(service, provider):
    await service.resonate("ada", [spoken(WHERE)])
    await service.keep("ada", spoken(WHERE))
    await service.resonate("ada", [spoken(WHERE), {"role": "assistant", "content": "Tell me."}, spoken(MOTHER)])

    assert [one.seconds for one in provider.recorded] == [1.0, 1.5]


@pytest.mark.timing
async def test_a_pre_turn_call_of_300_ms_does_not_wait_for_a_model_that_hangs(tmp_path):
    with ScriptedProvider(
        hears=lambda recorded: Hangs() if recorded.seconds == 1.0 else by_length(recorded)
    ) as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            await service.keep("ada", spoken(MOTHER))
            await service.digested("ada")
            await service.resonate("ada", "Is everything warm?")
            window = [{"role": "user", "content": "Does my mother live in Lyon?"}, spoken(WHERE)]

            answer, took, in_time = await timed_async(
                lambda: service.resonate("ada", window, deadline_ms=300), within=0.3
            )
            free(provider)

    assert in_time, took
    assert "transcription_skipped" in answer.json()["degraded"]
    assert answer.json()["trace_id"]


async def test_no_model_hears_what_was_spoken_where_nobody_knows_in_time_what_is_never_kept(service, provider):
    """Broken: the settings are waited for without a limit; or the model hears it before they are read."""
    await service.keep("ada", spoken(MOTHER))
    await service.digested("ada")
    heard = len(provider.recorded)
    async with asyncio.timeout(GIVE_UP):
        with service.memory.minds.get("ada").settings._mutex:  # as whoever reads the file of a disk that stalls has it
            late = (await service.resonate("ada", [spoken(WHERE)], deadline_ms=300)).json()

    assert late["degraded"] == ["transcription_skipped", "deadline"]
    assert len(provider.recorded) == heard


async def test_words_that_come_late_are_there_for_the_turn(tmp_path):
    with ScriptedProvider(hears=by_length) as provider:
        gate = []

        def slow(recorded):
            provider.wait(0.6) if not gate else None
            gate.append(recorded)
            return by_length(recorded)

        provider._hears = slow
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            early = (await service.resonate("ada", [spoken("ok"), spoken(MOTHER)], deadline_ms=300)).json()
            first = (await service.keep("ada", spoken(MOTHER))).status_code
            early = (await service.resonate("ada", [spoken(WHERE)], deadline_ms=300)).json()

            assert first == 202
            assert await turns_of(service) == ["My mother lives in Lyon."]
            assert "transcription_skipped" not in early["degraded"]
    assert [one.seconds for one in gate] == [1.5, 1.0]


@contextlib.contextmanager
def hearing_at_last(words):
    """A model that hears *words* when it is told to, by the event that comes with it."""
    go_on = threading.Event()
    with ScriptedProvider(hears=lambda _: go_on.wait(GIVE_UP) and words) as provider:
        yield provider, go_on


@pytest.mark.parametrize("part", ["", "/sessions/s1"])
async def test_what_was_posted_before_an_erasure_is_not_stored_after_it(tmp_path, part):
    """Broken: the erasure waits for half a minute, says that all is gone, and then the words begin a new mind."""
    with hearing_at_last("My mother is ill.") as (provider, go_on):
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            await service.keep("ada", "Hello there, I am Ada.", session_id="s1")
            await service.digested("ada")
            post = asyncio.create_task(service.keep("ada", spoken(MOTHER), session_id="s1"))
            await until_async(lambda: provider.recorded)
            erased = await service.http.delete(f"/v1/minds/ada{part}")
            go_on.set()
            refused = await post

            assert erased.status_code == 200
            assert (refused.status_code, refused.json()["type"]) == (409, "/problems/mind-erasing")
            assert (await service.keep("ada", "Good evening.", session_id="s1")).status_code == 202
            assert await turns_of(service) == ["Good evening."]


async def test_an_erasure_of_another_session_lets_what_was_posted_be_stored(tmp_path):
    with hearing_at_last("My mother is well.") as (provider, go_on):
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            await service.keep("ada", "Hello there, I am Ada.", session_id="s1")
            post = asyncio.create_task(service.keep("ada", spoken(MOTHER), session_id="s2"))
            await until_async(lambda: provider.recorded)
            erasing = asyncio.create_task(service.http.delete("/v1/minds/ada/sessions/s1"))
            await until_async(lambda: service.memory.minds.gate.paused("ada"))
            go_on.set()

            assert (await post).status_code == 202
            assert (await erasing).status_code == 200
            assert await turns_of(service) == ["My mother is well."]


async def test_what_was_said_in_a_call_before_an_erasure_is_settled_and_not_stored(tmp_path):
    said = call(2.0)
    with hearing_at_last("My mother is ill.") as (provider, go_on):
        async with serving(hearing(tmp_path / "home", provider)) as service:
            await service.keep("ada", "Hello there, I am Ada.", session_id="s1")
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(said))
                await until_async(lambda: provider.recorded)
                erased = await service.http.delete("/v1/minds/ada")
                go_on.set()
                told = await caller.rest()

            assert erased.status_code == 200
            assert ([one["type"] for one in told], told[-1]["offset"]) == (["ready", "settled", "ended"], len(said))
            assert (await service.http.get("/v1/minds/ada")).status_code == 404


async def test_a_model_that_refuses_all_that_it_is_sent_is_a_failure_and_settles_nothing_more(tmp_path):
    """Broken: whole calls are settled without a word, and the service says that it is ready."""
    said = call(2.0, 1.0, 3.0)
    refuses = Fails(400, "Language 'ga' is not supported.")
    with ScriptedProvider(hears=lambda _: refuses) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            posted = [await service.keep("ada", spoken(speech(1.0, pitch=pitch))) for pitch in (120, 120, 180)]
            before = (await service.ready())[1]
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(said))
                ended = await caller.until("ended")
            ready, parts = await service.ready()
            provider._hears = lambda _: "Good morning, Ada."
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(said))
                await caller.rest()

            assert [one.status_code for one in posted] == [422] * 3
            assert (ended["problem"]["type"], ended["offset"]) == ("/problems/model-unavailable", 0)
            assert ready == 503
            assert ["recordings or more were refused" in json.dumps(one) for one in (before, parts)] == [False, True]
            assert await turns_of(service) == ["Good morning, Ada."] * 3
            assert "were refused" not in json.dumps((await service.ready())[1])


async def test_a_pre_turn_call_off_the_record_is_heard_by_no_model(service, provider):
    found = await service.resonate("ada", [spoken(MOTHER)], off_the_record=True)

    assert found.status_code == 200
    assert provider.recorded == []


async def test_the_calls_of_the_model_are_counted_and_its_trouble_is_shown(tmp_path):
    with ScriptedProvider(hears=["Hello, Ada."]) as provider:
        async with running(tmp_path / "home", settings=hearing(tmp_path / "home", provider)) as service:
            await service.keep("ada", spoken(MOTHER))
            [call] = (await service.http.get("/v1/status")).json()["model_calls"]
            provider._hears = lambda _: Fails(401)
            await service.keep("ada", spoken(WHERE))

            ready, parts = await service.ready()

    assert (call["role"], call["model"], call["outcome"]) == ("transcription", "openai/whisper-1", "answered")
    assert "refused the key" in json.dumps(parts)
    assert ready in {200, 503}


class LeapingClock(SystemClock):
    """A clock whose time goes on at once by what ``ahead`` says."""

    ahead = 0.0

    def monotonic(self):
        return super().monotonic() + self.ahead


@pytest.mark.parametrize("door", ["resonance", "chat"])
async def test_what_hearing_took_is_part_of_the_deadline(tmp_path, door):
    """Broken: the deadline begins once the words are there."""
    clock, leap = LeapingClock(), 0.0

    def hears(recorded):
        clock.ahead += leap
        return by_length(recorded)

    with ScriptedProvider(hears=hears) as provider:
        settings = hearing(tmp_path / "home", provider, resonance={"deadline_ms": 300_000})
        async with running(tmp_path / "home", settings=settings, clock=clock) as service:
            await service.keep("ada", "My mother lives in Lyon.")
            await service.digested("ada")
            in_time = await asked(service, door, spoken(WHERE), session_id="a")
            leap = 301.0
            late = await asked(service, door, spoken(speech(1.0, pitch=181)), session_id="b")

    assert ("Lyon" in in_time, "Lyon" in late) == (True, False)


async def asked(service, door, message, *, session_id):
    """What came to mind for a message, by one of the doors; without a model, a chat answers with what did."""
    if door == "resonance":
        return (await service.resonate("ada", [message], session_id=session_id, deadline_ms=300_000)).json()["block"]
    headers = {"X-Mind-Id": "ada", "X-Session-Id": session_id}
    answer = await service.http.post(
        "/v1/chat/completions", json={"model": "memory", "messages": [message]}, headers=headers
    )
    return answer.json()["choices"][0]["message"]["content"]
