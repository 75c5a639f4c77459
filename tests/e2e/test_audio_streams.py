"""Telephone streams over a real WebSocket: what was said is stored, in order and exactly once, whatever breaks off."""

import asyncio
import json
import shutil
import subprocess

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from service.access.keyring import Keyring
from tests.support.api_keys import id_of, make_key
from tests.support.scripted_models import free
from tests.support.speech import call, frames, noise, silence, speech
from tests.support.voice import address, calling, hearing, serving, turns_of
from tests.support.waiting import GIVE_UP, eventually, until_async
from tests.twins.provider import Fails, Hangs, ScriptedProvider

pytestmark = pytest.mark.anyio

LYON, BIRTHDAY, BICYCLE = "My mother lives in Lyon.", "Her birthday is on May 4.", "I will give her a bicycle."
SAID = (2.0, 1.0, 3.0)
CALL = call(*SAID)  # 0.5 s, then each and 1.2 s: 10.1 s
RATE = 8_000
FIRST = CALL[: int(3.6 * RATE)]  # up to before the second utterance


def by_length(recorded):
    """Each utterance of ``CALL`` by its length, wherever it was cut."""
    return LYON if 2.2 < recorded.seconds < 3.0 else BIRTHDAY if recorded.seconds < 2.2 else BICYCLE


@pytest.fixture
def provider():
    with ScriptedProvider(hears=by_length) as found:
        yield found


@pytest.fixture
async def service(tmp_path, provider):
    async with serving(hearing(tmp_path / "home", provider)) as found:
        yield found


async def test_what_is_said_on_the_telephone_surfaces_later(service, provider):
    async with calling(service.url, stream="CA1", name="Ada") as caller:
        await caller.send(*frames(CALL))
        told = await caller.rest()
    await service.digested("ada")

    found = (await service.resonate("ada", "Where does my mother live?")).json()

    assert [one["text"] for one in told if one["type"] == "turn"] == [LYON, BIRTHDAY, BICYCLE]
    assert told[-1] == {"type": "ended", "offset": len(CALL), "problem": None}
    assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]
    assert "Ada told me: My mother lives in Lyon." in [one["text"] for one in found["flashbacks"]]
    assert [one.name for one in provider.recorded] == ["speech.wav"] * 3


async def test_a_turn_says_when_and_by_whom_it_was_said(service):
    begun = "2026-01-09T18:30:00Z"
    async with calling(service.url, session="telephone/42", stream="CA1", role="assistant", started_at=begun) as caller:
        await caller.send(FIRST)
        told = await caller.rest()

    [turn] = (await service.http.get("/v1/minds/ada/turns")).json()["items"]
    [event] = [one for one in told if one["type"] == "turn"]
    assert (turn["turn_id"], turn["sequence"], turn["session_id"]) == (event["turn_id"], 1, "telephone/42")
    assert turn["messages"][0]["role"] == "assistant"
    assert turn["occurred_at"] == f"2026-01-09T18:30:00.{event['start_ms']:03}000Z"
    assert turn["metadata"]["mind_memory.spoken"] == {
        "stream": "CA1", "start_ms": event["start_ms"], "end_ms": event["end_ms"], "model": "openai/whisper-1",
    }  # fmt: skip


async def test_an_utterance_is_told_while_the_call_goes_on(service):
    async with calling(service.url) as caller:
        await caller.send(*frames(CALL[: int(3.5 * RATE)]))

        assert (await caller.until("turn"))["text"] == LYON


async def test_the_figures_tell_what_was_heard_and_what_became_of_it(tmp_path):
    answers = {LYON: LYON, BIRTHDAY: "", BICYCLE: Fails(400)}
    with ScriptedProvider(hears=lambda recorded: answers[by_length(recorded)]) as provider:
        async with serving(hearing(tmp_path / "home", provider, voice={"idle_seconds": 600})) as service:
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(CALL))
                await caller.until("turn")
                during = await service.figures()
                ended = (await caller.rest())[-1]
            async with calling(service.url, stream="CA2") as caller:
                await caller.send(*frames(silence(2)))
                await caller.socket.send("what?")
                await caller.until("ended")
            await eventually(service.figures, lambda found: not found["mind_memory_open_audio_streams",])
            after = await service.figures()

    heard = {one: after["mind_memory_utterances_total", ("outcome", one)] for one in ("stored", "wordless", "unread")}
    over = {one: after["mind_memory_audio_streams_total", ("outcome", one)] for one in ("ended", "failed")}
    assert ended["problem"] is None
    assert during["mind_memory_open_audio_streams",] == 1
    assert heard == {"stored": 1, "wordless": 1, "unread": 1}
    assert over == {"ended": 1, "failed": 1}
    assert after["mind_memory_audio_heard_seconds_total",] == pytest.approx(len(CALL) / RATE + 2, abs=0.1)
    assert after["mind_memory_utterance_seconds_count",] == 3
    assert after["mind_memory_model_call_seconds_count", ("role", "transcription")] >= 3


async def test_no_model_is_asked_for_silence_and_the_noise_of_a_line(service, provider):
    async with calling(service.url) as caller:
        await caller.send(*frames(silence(25) + noise(30, level=40) + silence(5), size=8_000))
        told = await caller.rest()

    assert provider.recorded == []
    assert [one["type"] for one in told[:3]] == ["ready", "settled", "settled"]
    assert told[-1]["offset"] == 60 * RATE


async def test_noise_that_holds_no_words_makes_no_turn(tmp_path):
    with ScriptedProvider(hears=lambda _: "") as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url) as caller:
                await caller.send(*frames(CALL))
                told = await caller.rest()

            assert "turn" not in {one["type"] for one in told}
            assert len(provider.recorded) == 3
            assert (await service.http.get("/v1/minds/ada")).status_code == 404


async def test_what_was_being_said_when_the_line_broke_is_stored(service):
    async with calling(service.url, stream="CA1") as caller:
        await caller.send(*frames(CALL[: int(2.2 * RATE)]))
        caller.socket.transport.abort()

    await until_async_turns(service, [BIRTHDAY])


async def until_async_turns(service, wanted):
    """Wait until the mind holds these words."""
    async with asyncio.timeout(GIVE_UP):
        while (await service.http.get("/v1/minds/ada")).status_code == 404 or await turns_of(service) != wanted:
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("resends", ["everything", "what was not settled"])
async def test_a_call_goes_on_after_it_broke_off_and_nothing_is_stored_twice(service, resends):
    async with calling(service.url, stream="CA1") as caller:
        await caller.send(*frames(CALL[: 5 * RATE]))
        settled = (await caller.until("turn"))["offset"]
        caller.socket.transport.abort()

    offset = 0 if resends == "everything" else settled
    async with calling(service.url, stream="CA1", offset=offset) as caller:
        ready = caller.told[0]["offset"]
        await caller.send(*frames(CALL[offset:]))
        await caller.rest()

    assert ready >= settled
    assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]


async def test_a_second_connection_takes_the_stream_over(service):
    async with calling(service.url, stream="CA1") as first:
        await first.send(*frames(CALL[: 5 * RATE]))
        async with calling(service.url, stream="CA1", offset=0) as second:
            await second.send(*frames(CALL))
            await second.rest()
        ended = await first.until("ended")

    assert ended["offset"] >= 2 * RATE
    assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]


async def test_two_tracks_of_one_call_are_two_streams(service):
    async with (
        calling(service.url, stream="CA1") as caller,
        calling(service.url, stream="CA1", role="assistant") as bot,
    ):
        await caller.send(*frames(FIRST))
        await bot.send(*frames(FIRST))
        await caller.rest()
        await bot.rest()

    assert await turns_of(service) == [LYON, LYON]


async def test_a_call_of_a_hundred_minutes_is_stored_whole(tmp_path):
    minute = silence(20) + noise(20, level=30) + speech(2.0) + silence(18)
    with ScriptedProvider(hears=lambda recorded: f"Thing {len(provider.recorded)} of the day.") as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url) as caller:
                for _ in range(100):
                    await caller.send(*frames(minute, size=8_000))
                told = await caller.rest()

            assert [one["text"] for one in told if one["type"] == "turn"] == [
                f"Thing {n} of the day." for n in range(1, 101)
            ]
            assert told[-1]["offset"] == 100 * 60 * RATE
            assert len(await turns_of(service)) == 100


async def test_a_model_that_hangs_holds_up_the_sender_and_memory_is_bounded(tmp_path):
    with ScriptedProvider(hears=lambda _: Hangs()) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url, stream="CA1") as caller:
                flood = asyncio.create_task(caller.send(*frames(call(*[8.0] * 200), size=8_000)))
                [stream] = service.memory.voice.streams._live.values()
                await until_async(stream._is_full)
                await asyncio.sleep(0.5)

                assert not flood.done()
                assert stream._waiting_bytes < 120 * RATE + 64 * 1024 + 30 * RATE
                flood.cancel()
                free(provider)


async def test_a_model_that_fails_ends_the_stream_and_the_words_come_with_the_next_connection(tmp_path):
    with ScriptedProvider(hears=lambda _: Fails(503)) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(CALL))
                ended = await caller.until("ended")
                with pytest.raises(ConnectionClosed) as closed:
                    await caller.next()
            provider._hears = by_length
            async with calling(service.url, stream="CA1") as caller:
                await caller.send(*frames(CALL))
                await caller.rest()

            assert (ended["offset"], ended["problem"]["type"]) == (0, "/problems/model-unavailable")
            assert closed.value.rcvd.code == 1013
            assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]


async def test_a_model_that_stumbles_once_is_asked_again(tmp_path):
    answers = [Fails(503)]
    with ScriptedProvider(hears=lambda one: answers.pop() if answers else by_length(one)) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url) as caller:
                await caller.send(*frames(CALL))
                await caller.rest()

            assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]


async def test_one_utterance_that_no_model_can_read_does_not_stop_the_others(tmp_path):
    def stumble(recorded):
        return Fails(400, "audio is too odd") if by_length(recorded) == BIRTHDAY else by_length(recorded)

    with ScriptedProvider(hears=stumble) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url) as caller:
                await caller.send(*frames(CALL))
                told = await caller.rest()

            assert await turns_of(service) == [LYON, BICYCLE]
            [unread] = [one["unread"] for one in told if one.get("unread")]
            assert "did not understand the request" in unread


async def test_secrets_are_masked_and_what_is_off_the_record_is_not_stored(tmp_path):
    words = {LYON: "My card is 4111 1111 1111 1111.", BIRTHDAY: "Off the record, she is ill.", BICYCLE: BICYCLE}
    with ScriptedProvider(hears=lambda one: words[by_length(one)]) as provider:
        settings = hearing(tmp_path / "home", provider, off_the_record_markers=["off the record"])
        async with serving(settings) as service:
            async with calling(service.url) as caller:
                await caller.send(*frames(CALL))
                told = [one for one in await caller.rest() if one["type"] == "turn"]

            assert [one["text"] for one in told] == ["My card is [redacted: card number].", "", BICYCLE]
            assert [one["dropped"] for one in told] == [
                [{"index": 0, "reason": "secret: card number"}], [{"index": 0, "reason": "off_the_record"}], [],
            ]  # fmt: skip
    home = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    assert b"4111 1111" not in home
    assert b"she is ill" not in home


# -- who may, and what is refused


async def refused(url, **more):
    """The answer to a connection that is not accepted."""
    with pytest.raises(InvalidStatus) as found:
        async with connect(url, **more):
            pass
    return found.value.response.status_code, json.loads(found.value.response.body)


async def test_without_a_model_a_stream_is_refused(tmp_path):
    with ScriptedProvider() as provider:
        settings = hearing(tmp_path / "home", provider, model={"model": None})
        async with serving(settings) as service:
            status, problem = await refused(address(service.url, "ada", "s"))

    assert (status, problem["type"]) == (422, "/problems/transcription-not-configured")


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"offset": "-1"}, "query/offset"),
        ({"stream": "a b"}, "query/stream"),
        ({"role": "system"}, "query/role"),
        ({"started_at": "noon"}, "query/started_at: must be an RFC 3339 time as text, like 2026-01-28T13:45:00Z"),
        ({"started_at": "2190-01-01T00:00:00Z"}, "query/started_at"),
        ({"name": "assistant"}, "query/name"),
        ({"track": "inbound"}, "query/track"),
        ({"stream": ["a", "b"]}, "query/stream"),  # broken: the last one counts
        ({"stream": "a", "offset": [0, 5]}, "query/offset"),
    ],
)
async def test_a_wrong_parameter_is_refused_with_its_name(service, query, detail):
    status, problem = await refused(address(service.url, "ada", "s", **query))

    assert (status, problem["errors"][0]["pointer"]) == (422, detail.partition(":")[0])
    assert problem["detail"].startswith(detail)


async def test_names_of_minds_are_those_of_every_other_route(service):
    async with calling(service.url, mind="Ada%20Lovelace") as caller:
        await caller.send(*frames(FIRST))
        await caller.rest()

    assert await turns_of(service, "Ada%20Lovelace") == [LYON]
    status, problem = await refused(address(service.url, "%00", "s"))
    assert (status, problem["type"]) == (422, "/problems/invalid-mind-id")


@pytest.mark.parametrize("text", ["hello", '{"type": "stop"}', "[" * 5_000])
async def test_text_that_means_nothing_ends_the_stream_after_what_was_said(service, text):
    async with calling(service.url) as caller:
        await caller.send(*frames(FIRST), text)
        ended = await caller.until("ended")

    assert ended["problem"]["type"] == "/problems/invalid-request"
    assert await turns_of(service) == [LYON]


async def test_a_message_that_is_too_large_ends_the_connection_and_not_the_service(service):
    async with calling(service.url) as caller:
        await caller.send(FIRST)
        await caller.until("turn")
        await caller.send(silence(60))
        with pytest.raises(ConnectionClosed) as closed:
            await caller.until("ended")

    assert closed.value.rcvd.code == 1009
    assert await turns_of(service) == [LYON]


async def test_a_stream_without_audio_is_ended(tmp_path, provider):
    settings = hearing(tmp_path / "home", provider, voice={"idle_seconds": 0.5}, header_seconds=0.3)
    async with serving(settings) as service, calling(service.url) as caller:
        await caller.send(*frames(CALL[: 2 * RATE]))
        ended = await caller.until("ended")

        assert "no audio came for 0.5 s" in ended["problem"]["detail"]
        assert await turns_of(service) == [BIRTHDAY]


async def test_a_stream_outlives_the_deadline_of_headers(tmp_path, provider):
    async with serving(hearing(tmp_path / "home", provider, header_seconds=0.2)) as service:
        async with calling(service.url) as caller:
            await asyncio.sleep(0.6)  # longer than headers may take
            await caller.send(*frames(CALL))
            await caller.rest()

        assert await turns_of(service) == [LYON, BIRTHDAY, BICYCLE]


async def test_only_so_many_streams_are_open_at_once(tmp_path, provider):
    async with serving(hearing(tmp_path / "home", provider, voice={"most_streams": 1})) as service:
        async with calling(service.url, stream="one") as caller:
            status, problem = await refused(address(service.url, "ada", "call-1", stream="two"))
            await caller.rest()
        async with asyncio.timeout(GIVE_UP):
            while service.memory.voice.streams._live:
                await asyncio.sleep(0.02)
        async with calling(service.url, stream="two"):
            pass

    assert (status, problem["type"]) == (429, "/problems/rate-limited")


async def test_a_key_opens_the_streams_of_its_minds_alone(tmp_path, provider):
    key = make_key(tmp_path / "home", minds=("ada",))
    bearer = {"Authorization": f"Bearer {key}"}
    async with serving(hearing(tmp_path / "home", provider)) as service:
        async with calling(service.url, headers=bearer) as caller:
            await caller.send(*frames(FIRST))
            told = await caller.rest()
        without = await refused(address(service.url, "ada", "s"))
        other = await refused(address(service.url, "bob", "s"), additional_headers=bearer)

    assert [one["text"] for one in told if one["type"] == "turn"] == [LYON]
    assert (without[0], without[1]["type"]) == (401, "/problems/unauthenticated")
    assert (other[0], other[1]["type"]) == (404, "/problems/mind-not-found")


async def test_a_key_that_is_revoked_during_a_call_ends_it(tmp_path, provider):
    home = tmp_path / "home"
    key = make_key(home)
    make_key(home)  # another one: without any, everybody may call
    async with serving(hearing(home, provider)) as service:
        async with calling(service.url, headers={"Authorization": f"Bearer {key}"}) as caller:
            await caller.send(*frames(FIRST))
            await caller.until("turn")
            Keyring(home).revoke(id_of(key), now=service.memory.clock.now())
            await caller.send(*frames(CALL[len(FIRST) :]))
            ended = await caller.until("ended")

    assert ended["problem"]["type"] == "/problems/unauthenticated"
    assert ended["offset"] <= len(FIRST) + RATE


async def test_each_utterance_is_a_request_of_its_key(tmp_path, provider):
    key = make_key(tmp_path / "home")
    settings = hearing(tmp_path / "home", provider, access={"key_requests_per_minute": 3})
    async with serving(settings) as service:
        async with calling(service.url, headers={"Authorization": f"Bearer {key}"}) as caller:
            await caller.send(*frames(CALL))
            texts = [(await caller.until("turn"))["text"] for _ in range(2)]
            await asyncio.sleep(0.5)

            assert texts == [LYON, BIRTHDAY]
            assert len(provider.recorded) == 2
            answer = await service.http.get("/v1/minds", headers={"Authorization": f"Bearer {key}"})
            assert answer.status_code == 429


async def test_a_web_page_of_another_site_opens_no_stream(service):
    status, problem = await refused(address(service.url, "ada", "s"), origin="https://evil.example")

    assert (status, problem["type"]) == (403, "/problems/origin-refused")


async def test_a_websocket_elsewhere_is_refused(service):
    url = service.url.replace("http", "ws", 1)
    with pytest.raises(InvalidStatus) as found:
        async with connect(f"{url}/v1/minds"):
            pass

    assert found.value.response.status_code == 403


async def test_erasing_a_mind_waits_for_what_was_said_and_ends_with_none_of_it(tmp_path):
    def slow(recorded):
        provider.wait(0.3)
        return by_length(recorded)

    with ScriptedProvider(hears=slow) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url) as caller:
                await caller.send(*frames(CALL))
                await caller.until("turn")
                receipt = await service.http.delete("/v1/minds/ada")

            assert receipt.status_code == 200
            async with asyncio.timeout(GIVE_UP):
                while service.memory.voice.streams._live:
                    await asyncio.sleep(0.02)
            assert service.memory.voice.transcripts._asked == {}
    home = b"".join(file.read_bytes() for file in (tmp_path / "home").rglob("*") if file.is_file())
    assert b"mother lives" not in home


TOOLS = ("espeak-ng", "sox")


def spoken_by_machine(text):
    """*text* as espeak-ng says it over a telephone."""
    wav = subprocess.run(["espeak-ng", "-s", "150", "--stdout", text], capture_output=True, check=True).stdout
    raw = ["-r", "8000", "-c", "1", "-e", "u-law", "-t", "raw", "-"]
    return subprocess.run(["sox", "-t", "wav", "-", *raw], input=wav, capture_output=True, check=True).stdout


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="needs espeak-ng and sox (apt-get install espeak-ng sox)")
async def test_a_machine_that_speaks_on_the_telephone_is_remembered(tmp_path):
    said = [LYON, BIRTHDAY, BICYCLE]
    with ScriptedProvider(hears=list(said)) as provider:
        async with serving(hearing(tmp_path / "home", provider)) as service:
            async with calling(service.url, session="call-1") as caller:
                await caller.send(*frames(call(*map(spoken_by_machine, said))))
                await caller.rest()
            await service.digested("ada")
            found = (await service.resonate("ada", "Where does my mother live?", session_id="call-2")).json()

            assert await turns_of(service) == said
            assert "they told me: My mother lives in Lyon." in [one["text"] for one in found["flashbacks"]]
    assert [one.seconds > 1 for one in provider.recorded] == [True] * 3
