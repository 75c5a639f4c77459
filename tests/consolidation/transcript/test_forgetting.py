"""A transcript that forgets: the words are nowhere, every other turn is where it was, and nothing comes back."""

import asyncio
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import TranscriptUnwritable, TurnErased
from consolidation.kernel.turns import Message, Speaker, StoredTurn, TurnKind
from consolidation.text.injected_blocks import without_injected
from consolidation.transcript.records import decode, encode, encode_tombstone
from consolidation.transcript.tombstones import not_erased, tombstone_of
from tests.consolidation.transcript.test_log import NOON, everything, full_disk, keep, opened, turn_of
from tests.support import strategies

pytestmark = pytest.mark.anyio


def bytes_of(folder):
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


async def kept_of(transcript, *contents, session_id="s1"):
    for number, content in enumerate(contents, start=1):
        await transcript.append(turn_of(f"secret-{number}", content, session_id=session_id), tokens=number)


async def test_an_erased_turn_is_nowhere_and_the_others_are_where_they_were(tmp_path):
    transcript = await opened(tmp_path)
    await kept_of(transcript, "I live in Lyon.", "My mother is called Zerlina.", "We have a dog.")
    places = [transcript.positions.place(sequence) for sequence in (1, 3)]
    assert await transcript.erase([2]) == 1
    again = await opened(tmp_path)

    for one in (transcript, again):
        assert [kept.turn.turn_id for kept in await everything(one) if kept.is_remembered] == ["secret-1", "secret-3"]
        assert [one.positions.place(sequence) for sequence in (1, 3)] == places
        assert (len(one.positions), one.positions.last, one.positions.tokens_after(0)) == (2, 3, 4)
        assert one.positions.remembered_after(1) == 1 and one.positions.in_session("s1") == (1, 3)
        assert one.damages == ()
    assert b"Zerlina" not in bytes_of(tmp_path) and b"secret-2" not in bytes_of(tmp_path)


async def test_an_erased_turn_is_not_kept_again_and_the_next_one_goes_on_behind_it(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, "a", "b")
    await transcript.erase([2])
    for one in (transcript, await opened(tmp_path)):
        with pytest.raises(TurnErased):
            await one.append(turn_of("b"), tokens=1)
    assert await keep(transcript, "a", "c") == [1, 3]


async def test_a_whole_session_goes_over_several_months_and_erasing_again_is_harmless(tmp_path):
    clock = FixedClock(NOON)
    transcript = await opened(tmp_path, clock=clock)
    for month in range(3):
        await transcript.append(turn_of(f"t{month}", f"Secret of month {month}.", session_id="s1"), tokens=1)
        await transcript.append(turn_of(f"u{month}", f"Open in month {month}.", session_id="s2"), tokens=1)
        clock.advance(timedelta(days=31))
    gone = transcript.positions.in_session("s1")
    assert await transcript.erase(gone, session_id="s1") == 3
    assert await transcript.erase(gone, session_id="s1") == 0

    assert b"Secret" not in bytes_of(tmp_path) and bytes_of(tmp_path).count(b"Open in month") == 3
    assert transcript.positions.sessions() == 1 and transcript.positions.in_session("s1") == ()


async def test_torn_copies_of_it_go_and_whole_turns_among_them_stay(tmp_path):
    transcript = await opened(tmp_path)
    await kept_of(transcript, "I live in Lyon.", "My mother is called Zerlina Quittenbaum.", "We have a dog.")
    await transcript.close()
    [file] = tmp_path.glob("*.jsonl")
    first, second, third = file.read_bytes().splitlines()
    file.write_bytes(first + b"\n" + second[:-30] + third + b"\n" + first + b"\n")  # a torn write, and a line twice
    transcript = await opened(tmp_path)
    await kept_of(transcript, "I live in Lyon.", "My mother is called Zerlina Quittenbaum.")  # a retry of both
    assert len(transcript.damages) == 1 and b"Zerlina" in bytes_of(tmp_path / "torn")
    await transcript.erase([transcript.positions.sequence_of("secret-2"), 1])
    again = await opened(tmp_path)

    assert b"Zerlina" not in bytes_of(tmp_path) and b"Lyon" not in bytes_of(tmp_path)
    assert [kept.turn.turn_id for kept in await everything(again) if kept.is_remembered] == ["secret-3"]
    assert transcript.damages == again.damages == ()


async def test_a_full_disk_leaves_the_transcript_as_it_was(tmp_path):
    transcript = await opened(tmp_path)
    await kept_of(transcript, "I live in Lyon.", "My mother is called Zerlina.")
    [file] = tmp_path.glob("*.jsonl")
    before = file.read_bytes()
    with full_disk(tmp_path, spare=-10), pytest.raises(TranscriptUnwritable):
        await transcript.erase([2])

    assert file.read_bytes() == before and len(await everything(transcript)) == 2
    assert await transcript.erase([2]) == 1 and await keep(transcript, "c") == [3]


async def test_turns_are_read_and_kept_while_others_are_erased(tmp_path):
    transcript = await opened(tmp_path)
    await keep(transcript, *(f"t{number}" for number in range(60)))

    async def read():
        for _ in range(40):
            assert {kept.sequence for kept in await everything(transcript)} >= set(range(1, 61))

    async def erase():
        for sequence in range(2, 40, 2):
            await transcript.erase([sequence])

    await asyncio.gather(read(), erase(), keep(transcript, *(f"u{number}" for number in range(40))))
    found = await everything(await opened(tmp_path))

    assert transcript.damages == () and len(found) == 100
    assert [kept.sequence for kept in found if kept.turn.kind is TurnKind.ERASED] == list(range(2, 40, 2))


@given(strategies.kept, st.text("0123456789abcdef", min_size=32, max_size=32))
def test_what_stays_of_a_turn_takes_the_room_of_its_line_and_holds_none_of_its_words(kept, salt):
    line = encode(kept).rstrip(b"\n")
    stays = encode_tombstone(tombstone_of(kept, salt=salt), length=len(line))

    assert len(stays) == len(line)
    assert decode(stays) == tombstone_of(kept, salt=salt)
    assert not kept.is_remembered or not decode(stays).is_remembered


@settings(max_examples=50)
@given(
    st.lists(strategies.messages.filter(lambda one: one.content), max_size=6), st.lists(strategies.messages, max_size=6)
)
def test_what_was_erased_does_not_come_back_and_what_is_new_does(erased, new):
    tombstone = tombstone_of(StoredTurn(1, NOON, type(turn_of("t"))("t", "s", tuple(erased))), salt="1" * 16)
    posted = [*erased, *new]
    left = not_erased(posted, [tombstone])

    words = [(one.role, " ".join(one.content.split())) for one in posted]
    assert len(left) >= len(new)
    assert [
        at
        for at in left
        if at < len(erased) and without_injected(posted[at].content) and words[at] not in words[len(erased) :]
    ] == []


def test_what_is_said_anew_after_it_was_erased_is_said():
    said = Message(Speaker.USER, "ok")
    tombstone = tombstone_of(StoredTurn(1, NOON, turn_of("t", "ok")), salt="2" * 16)

    assert not_erased([said], [tombstone]) == ()
    assert not_erased([said, said], [tombstone]) == (1,)
    assert not_erased([Message(Speaker.ASSISTANT, "ok")], [tombstone]) == (0,)


def test_what_was_off_the_record_and_then_erased_is_still_known_by_its_id_or_its_time():
    silent = (Message(Speaker.USER, "", NOON, None, None), Message(Speaker.USER, "", None, None, "m2"))
    tombstone = tombstone_of(StoredTurn(1, NOON, replace(turn_of("t"), messages=silent)), salt="3" * 16)
    posted = [Message(Speaker.USER, "A secret.", NOON), Message(Speaker.USER, "Another.", None, None, "m2")]

    assert not_erased(posted, [tombstone]) == ()
    assert not_erased([Message(Speaker.USER, "A secret.")], [tombstone]) == (0,)


def test_what_was_kept_without_its_secret_is_known_when_it_comes_with_it():
    tombstone = tombstone_of(StoredTurn(1, NOON, turn_of("t", "It is [redacted].")), salt="4" * 16)

    def cleaned(text):
        return text.replace("1234", "[redacted]")

    assert not_erased([Message(Speaker.USER, "It is 1234.")], [tombstone], cleaned=cleaned) == ()


def test_nothing_is_made_by_an_erase_that_finds_nothing():
    async def erase(folder):
        transcript = await opened(folder)
        await transcript.erase([7])
        return sorted(folder.rglob("*"))

    with tempfile.TemporaryDirectory() as folder:
        assert asyncio.run(erase(Path(folder))) == []
