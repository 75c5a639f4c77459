"""A telephone call by the Python client: it comes to memory whole and once, whatever breaks off between them."""

import asyncio
import subprocess
import sys

import httpx2
import pytest

import mind_memory_client as mm
from mind_memory_client import AsyncMemoryClient, MemoryClient

from tests.client.conftest import stored_turns, through_faults
from tests.support.cli_process import serving, until_digested
from tests.support.speech import call, frames, speech, spoken
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import ScriptedProvider

LYON, BIRTHDAY, BICYCLE = "My mother lives in Lyon.", "Her birthday is on May 4.", "I will give her a bicycle."
CALL = call(2.0, 1.0, 3.0)


def by_length(recorded):
    return LYON if 2.2 < recorded.seconds < 3.0 else BIRTHDAY if recorded.seconds < 2.2 else BICYCLE


@pytest.fixture(scope="module")
def provider():
    with ScriptedProvider(hears=by_length) as found:
        yield found


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("voice") / "home"


@pytest.fixture(scope="module")
def url(home, provider):
    section = "MIND_MEMORY_MODELS__TRANSCRIPTION__"
    model = {"MODEL": "openai/whisper-1", "API_BASE": provider.url, "API_KEY": "k"}
    with serving(home, **{f"{section}{name}": value for name, value in model.items()}) as (_, found):
        yield found


def said_in(home, mind):
    return [words for session, messages in stored_turns(home, mind) for _, words in messages]


def test_a_call_comes_to_memory(url, mind, home):
    with MemoryClient(url) as memory:
        found = list(memory.listen(mind, "call/1", frames(CALL), stream="CA1", name="Ada"))

    assert [one.text for one in found] == said_in(home, mind) == [LYON, BIRTHDAY, BICYCLE]
    assert [one.sequence for one in found] == [1, 2, 3]
    assert all(0 <= one.start_ms < one.end_ms <= 10_100 for one in found)
    assert {session for session, _ in stored_turns(home, mind)} == {"call/1"}


async def bring(memory, mind, live):
    return [one.text async for one in memory.listen(mind, "call-1", live, stream="CA1")]


def test_the_awaited_twin_does_the_same(url, mind, home):
    async def live():
        for frame in frames(CALL):
            yield frame

    async def main():
        async with AsyncMemoryClient(url) as memory:
            return await bring(memory, mind, live())

    assert asyncio.run(main()) == said_in(home, mind) == [LYON, BIRTHDAY, BICYCLE]


def test_what_was_said_comes_while_the_call_goes_on(url, mind):
    def live():
        yield from frames(CALL[: int(3.6 * 8_000)])
        assert heard == [] or heard == [LYON]
        while not heard:
            yield b""
        yield from frames(CALL[int(3.6 * 8_000) :])

    heard = []
    with MemoryClient(url) as memory:
        for said in memory.listen(mind, "call-1", live()):
            heard.append(said.text)

    assert heard == [LYON, BIRTHDAY, BICYCLE]


def test_a_line_that_breaks_again_and_again_loses_nothing_and_doubles_nothing(url, mind):
    with through_faults(url) as (proxy, address), MemoryClient(address) as memory:

        def live():
            for at, frame in enumerate(frames(CALL)):
                if at in {100, 230, 320}:
                    proxy.cut()
                yield frame

        heard = list(memory.listen(mind, "call-1", live(), stream="CA1"))
    with MemoryClient(url) as memory:
        stored = memory.turns(mind).items[::-1]

    assert [one.turn_id for one in heard] == [one.turn_id for one in stored]
    marks = [one.metadata["mind_memory.spoken"] for one in stored]
    spans = [(one["start_ms"], one["end_ms"]) for one in marks]
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    assert sum(end - start for start, end in spans) >= 6_000 - 300  # all that was said, but for pauses inside of it
    assert proxy.connections > 1


def test_a_pause_in_which_nothing_comes_does_not_end_the_call(tmp_path, provider, mind):
    """Broken: a caller on hold is given up for good, and what they say then is lost."""
    section = "MIND_MEMORY_MODELS__TRANSCRIPTION__"
    model = {f"{section}MODEL": "openai/whisper-1", f"{section}API_BASE": provider.url, f"{section}API_KEY": "k"}
    with serving(tmp_path / "home", **model, MIND_MEMORY_VOICE__IDLE_SECONDS="0.5") as (_, found):

        def held():
            yield from frames(CALL[: int(3.6 * 8_000)])
            until(lambda: len(heard) == 1 and 'audio_streams_total{outcome="failed"} 1' in figures(found))
            yield from frames(CALL[int(3.6 * 8_000) :])

        heard = []
        with MemoryClient(found) as memory:
            for said in memory.listen(mind, "call-1", held(), stream="CA1"):
                heard.append(said.text)

    assert heard == [LYON, BIRTHDAY, BICYCLE]


def figures(url):
    return httpx2.get(f"{url}/metrics", timeout=GIVE_UP).text


def test_a_service_that_stays_away_is_waited_for_as_long_as_the_caller_wants(mind, caplog):
    """Broken: a number of connections that fail ends a call, however long the call still is."""
    with MemoryClient("http://127.0.0.1:9") as memory, pytest.raises(mm.Unreachable):
        list(memory.listen(mind, "call-1", frames(CALL), retry_seconds=0.1))

    assert "kept here until it can be brought, for 0.1 s" in caplog.text


def test_a_service_without_a_model_says_so(tmp_path, mind):
    with serving(tmp_path / "home") as (_, found), MemoryClient(found) as memory:
        with pytest.raises(mm.InvalidRequest, match="no model transcribes") as refused:
            list(memory.listen(mind, "call-1", frames(CALL)))

    assert refused.value.slug == "transcription-not-configured"


def test_what_was_said_before_the_frames_broke_off_is_stored_and_then_their_fault_is_raised(url, mind, home):
    def broken():
        yield from frames(CALL[: int(2.6 * 8_000)])
        raise ValueError("the microphone is gone")

    heard = []
    with MemoryClient(url) as memory, pytest.raises(ValueError, match="microphone"):
        for said in memory.listen(mind, "call-1", broken()):
            heard.append(said.text)

    assert heard == said_in(home, mind) == [LYON]


def test_frames_that_wait_for_something_that_is_cancelled_end_the_call(url, mind, home):
    """Broken: who takes the frames is gone without a word, and `listen` waits for ever."""

    async def hung_up():
        for frame in frames(CALL[: int(2.6 * 8_000)]):
            yield frame
        raise asyncio.CancelledError

    async def main():
        async with AsyncMemoryClient(url) as memory, asyncio.timeout(GIVE_UP):
            await bring(memory, mind, hung_up())

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert said_in(home, mind) == [LYON]


def test_who_stops_listening_leaves_nothing_running(url, mind):
    with MemoryClient(url) as memory:
        for said in memory.listen(mind, "call-1", frames(CALL)):
            assert said.text == LYON
            break


def test_without_the_package_the_client_says_what_it_needs(url, mind):
    code = "import sys; sys.modules['websockets.asyncio.client'] = None\n" + (
        f"import mind_memory_client as mm\nlist(mm.MemoryClient({url!r}).listen('ada', 's', [b'x']))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)

    assert "pip install websockets" in run.stderr


def test_a_turn_and_a_pre_turn_call_send_what_was_spoken_where_that_is_wanted(url, mind, home):
    with MemoryClient(url) as memory:
        memory.store_turn(mind, "call-1", [spoken("Listen:", speech(2.4)), spoken(speech(1.0))], with_audio=True)
        memory.store_turn(mind, "call-1", [spoken("Nobody listens:", speech(2.4))])
        until_digested(url, mind)
        found = memory.resonance(mind, "call-2", [spoken(speech(1.0))], with_audio=True, deadline_ms=0)

    assert said_in(home, mind) == [f"Listen:\n{LYON}", BIRTHDAY, "Nobody listens:"]
    assert found.flashbacks
    assert not found.degraded
