"""Minds whose graphs leave memory, at a service killed at every step of it, lose and double nothing."""

import pytest

from tests.crash.counting import broken_memories
from tests.crash.resting_life import Life
from tests.crash.talk import number_of


@pytest.mark.timeout(240)
def test_minds_that_rest_at_a_service_that_dies_lose_and_double_nothing(tmp_path, nest):
    outcome = Life(tmp_path, nest, seed=5, deeds=("service",)).live()

    assert not any(outcome.broken.values()), outcome.table

    unheard = broken_memories(tmp_path / "home", [number_of("ada", 99_999)])
    assert unheard["not kept once"] and unheard["lost from the graph"] and unheard["lost facts"]
