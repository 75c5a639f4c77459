"""Which process has which mind: exactly one, the same one in every process and after every start."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.workers.share import WHOLE, MindElsewhere, Share, owner_of

IDS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,60}", fullmatch=True)


@given(mind_id=IDS, workers=st.integers(1, 64))
def test_each_mind_has_exactly_one_worker(mind_id, workers):
    shares = [Share(number, workers) for number in range(workers)]

    assert [share.number for share in shares if share.owns(mind_id)] == [owner_of(mind_id, of=workers)]


def test_the_owner_is_the_same_in_every_release():
    assert [owner_of(f"mind-{number}", of=4) for number in range(8)] == [0, 2, 0, 2, 1, 3, 1, 3]


def test_minds_are_spread_evenly():
    counts = [sum(owner_of(f"user_{number}", of=3) == worker for number in range(3_000)) for worker in range(3)]

    assert min(counts) > 900


def test_one_process_has_every_mind_and_the_one_in_front_none():
    assert WHOLE.is_whole and WHOLE.owns("ada") and not WHOLE.is_front and not WHOLE.is_worker
    front = Share.of_front(2)
    assert front.is_front and not front.is_worker and not front.owns("ada")
    assert Share(0, 2).is_worker
    with pytest.raises(MindElsewhere) as raised:
        front.check("ada")
    assert raised.value.mind_id == "ada"
