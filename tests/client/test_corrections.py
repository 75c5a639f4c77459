"""Corrections through the Python client: by an id or by words, listed in pages, taken back."""

import pytest
from mind_memory_client import AsyncMemoryClient, NotFound

from tests.client.conftest import ASKS, MOTHER


def test_a_memory_is_put_right_by_its_id_and_that_is_taken_back(memory, told_mind):
    (fact, *_) = memory.remember(told_mind, ASKS, kinds=["fact"]).memories or memory.remember(told_mind, ASKS).memories
    made = memory.correct(told_mind, "wrong", fact.id, reason="she moved")
    marked = memory.remember(told_mind, ASKS)
    back = memory.undo_correction(told_mind, correction_id=made.id)

    assert (made.what, made.state, made.duplicate) == ("wrong", "stands", False)
    assert any(two.id == made.id for one in marked.memories for two in one.corrections)
    assert (back.state, memory.correction(told_mind, correction_id=made.id).state) == ("undone", "undone")


def test_what_was_put_right_is_listed_in_pages(memory, told_mind):
    for number in range(3):
        memory.correct(told_mind, "say", to=f"Ada has {number} boats.")

    first = memory.corrections(told_mind, limit=2)
    rest = memory.corrections(told_mind, cursor=first.next_cursor)

    assert [one.to for one in (*first.items, *rest.items)] == [f"Ada has {number} boats." for number in (2, 1, 0)]
    assert rest.next_cursor is None


def test_an_id_that_is_no_memorys_is_refused_before_it_is_sent(memory, told_mind):
    with pytest.raises(ValueError, match="begins with"):
        memory.correct(told_mind, "wrong", "journal:1")
    with pytest.raises(NotFound):
        memory.correct(told_mind, "mute", "episode:99")


@pytest.mark.anyio
async def test_the_client_that_is_awaited_does_the_same(url, told_mind):
    async with AsyncMemoryClient(url) as memory:
        made = await memory.correct(told_mind, "pin", {"kind": "turn", "id": "episode:1"})
        again = await memory.correct(told_mind, "pin", "episode:1")
        listed = await memory.corrections(told_mind)
        await memory.undo_correction(told_mind, correction_id=made.id)
        back = await memory.correction(told_mind, correction_id=made.id)

    assert (again.id, again.duplicate) == (made.id, True)
    assert MOTHER in listed.items[0].target.text
    assert back.state == "undone"
