"""A turn that no JSON can hold harms itself alone; half an emoji harms nothing."""

from datetime import datetime, timezone

import httpx2
import pytest

from mind_memory_client import AsyncMemoryClient, MemoryClient, TurnUnsaved, Unsendable
from tests.client.conftest import ASKS, MOTHER, stored_turns

pytestmark = pytest.mark.anyio

HALVES = "\ud83d", "\ude00"
NESTED = []
NESTED.append(NESTED)
BAD = [{"at": datetime(2026, 1, 1, tzinfo=timezone.utc)}, {"x": float("nan")}, {"x": NESTED}, {"x": "\ud83d"}]


@pytest.mark.parametrize("metadata", BAD, ids=["date", "nan", "circle", "half"])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_turn_that_can_not_be_sent_holds_up_no_later_one(url, mind, home, caplog, metadata, is_async):
    said = [(MOTHER, {"metadata": metadata, "turn_id": "bad"}), ("One.", {}), ("Two.", {})]
    if is_async:
        async with AsyncMemoryClient(url) as memory:
            for words, more in said:
                async with memory.turn(mind, "s", words, **more) as turn:
                    turn.answer("Nice.")
    else:
        with MemoryClient(url) as memory:
            for words, more in said:
                with memory.turn(mind, "s", words, **more) as turn:
                    turn.answer("Nice.")

    assert [messages[0][1] for _, messages in stored_turns(home, mind)] == ["One.", "Two."]
    assert len(memory.unsaved) == 0
    assert "turn bad of" in caplog.text and "is lost: it can not be sent as JSON" in caplog.text


def test_whoever_wants_to_know_is_told(memory, mind):
    with pytest.raises(TurnUnsaved) as caught, memory.turn(mind, "s", MOTHER, metadata=BAD[1], on_unsaved="raise"):
        pass
    with pytest.raises(Unsendable, match="can not be sent as JSON"):
        memory.store_turn(mind, "s", MOTHER, metadata=BAD[0])

    assert isinstance(caught.value.unsaved.error, Unsendable)


WRONG = [
    ({"filter": {"metadata": BAD[0]}}, "it can not be sent as JSON"),
    ({"timezone": "Mars/Phobos"}, "#/timezone: "),
]


@pytest.mark.parametrize(("asked", "why"), WRONG, ids=["unsendable", "refused"])
def test_a_chat_goes_on_where_a_recall_is_wrong_and_the_log_says_why(memory, mind, home, caplog, asked, why):
    with memory.turn(mind, "s", MOTHER, **asked) as turn:
        turn.answer("Nice.")

    assert turn.resonance.degraded == ("memory_unavailable",)
    assert f"nothing surfaces in {mind}: " in caplog.text
    assert why in caplog.text
    assert stored_turns(home, mind) == [("s", [("user", MOTHER), ("assistant", "Nice.")])]


def test_half_an_emoji_is_stored_as_a_mark_and_two_halves_as_one(memory, mind, home):
    with memory.turn(mind, "s", f"Hello{HALVES[0]}") as turn:
        for piece in ("Hi ", *HALVES):
            turn.add(piece)
    with memory.turn(mind, "s", f"And {''.join(HALVES)}") as turn:
        turn.answer(f"Hi {HALVES[1]}")
    with memory.turn(mind, "s", f"Hello{HALVES[0]}") as turn:
        turn.answer("Again.")

    assert [[words for _, words in messages] for _, messages in stored_turns(home, mind)] == [
        ["Hello�", "Hi 😀"],
        ["And 😀", "Hi �"],
        ["Hello�", "Again."],
    ]


def test_an_error_of_the_callers_own_http_client_loses_no_turn_that_waits(url, mind, home, caplog):
    """Broken: it is raised by the turn that was just stored, and by each later one."""
    faults = []

    def breaks(request):
        body = request.read().decode()
        if "Lost." in body and faults:
            raise faults.pop()

    http = httpx2.Client(event_hooks={"request": [breaks]})
    with http, MemoryClient(url, http=http) as memory:
        faults += [KeyError("token")] * 2
        with pytest.raises(KeyError), memory.turn(mind, "s", ASKS, turn_id="t1") as turn:
            turn.answer("Lost.")
        with memory.turn(mind, "s", "One.") as turn:
            turn.answer("Nice.")
        assert len(memory.unsaved) == 1
        with memory.turn(mind, "s", "Two.") as turn:
            turn.answer("Nice.")

    assert [messages[0][1] for _, messages in stored_turns(home, mind)] == ["One.", "Two.", ASKS]
    assert "turn t1 of" in caplog.text
