"""Every route of the document, with what it allows and what not: no failure, and nothing said that the document hides."""

import pytest

from tests.fuzzing.run import fuzz

SEEDS = (1,)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_document_says_is_what_the_service_does(tmp_path, seed):
    found = fuzz(tmp_path / "home", examples=8, seed=seed, phases="examples,fuzzing")

    assert not found.failures, found.printed
    assert not found.untested
    assert found.requests > 8 * found.operations
