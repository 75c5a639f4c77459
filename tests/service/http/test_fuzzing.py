"""Every route of the document, with what it allows and what not: no failure, and nothing said that the document hides."""

import pytest

from tests.fuzzing.run import fuzz, fuzz_tenants

SEEDS = (1,)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_document_says_is_what_the_service_does(tmp_path, seed):
    found = fuzz(tmp_path / "home", examples=5, seed=seed, phases="examples,fuzzing")

    assert not found.failures, found.printed
    assert not found.untested
    assert found.requests > 5 * found.operations


@pytest.mark.timeout(200)
def test_no_word_of_another_tenant_comes_back_from_any_route(tmp_path):
    found = fuzz_tenants(tmp_path / "home", requests=600, seed=1)

    assert found.failures == []
    assert found.requests == 600
