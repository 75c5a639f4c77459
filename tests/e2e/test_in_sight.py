"""What the context window holds does not surface; what only repeats its words does not hide anything else."""

import pytest

from tests.e2e.test_phases import said, surfacing, AUNT, ASKS_FOR_AUNT
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_what_repeats_words_of_long_ago_hides_nothing_that_followed_them(tmp_path):
    """Broken: all that is newer than the oldest turn that says any message of the window counts as in sight."""
    greeting = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello! How can I help you today?"}]
    asked_before = [said(ASKS_FOR_AUNT), said("I do not know that.", role="assistant")]
    async with running(tmp_path) as service:
        for turn in (greeting, asked_before, [said(AUNT)], [said("Bruno sings.")], greeting):
            await service.keep("ada", *turn, session_id="s2")
        await service.digested("ada")
        next_day = await surfacing(service, [*greeting, {"role": "user", "content": ASKS_FOR_AUNT}])
    assert AUNT in next_day["flashbacks"][0]["raw"]
