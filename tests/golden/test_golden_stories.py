"""STORY.md as the offline narrator tells a small conversation: the conversation above the mark, the story below."""

import pytest

from tests.support.golden import assert_golden, cases, given
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("case", cases("stories"), ids=lambda case: case.stem)
async def test_a_conversation_is_told_as_it_was(tmp_path, case):
    async with running(tmp_path, settings=settings_of(tmp_path, story={"threshold_tokens": 0})) as service:
        for turn in given(case):
            assert (await service.keep("ada", *turn)).status_code == 202
        run = await service.http.post("/v1/minds/ada/consolidation", json={"wait": True})

    assert run.json()["last_run"]["error"] is None
    assert_golden(case, (tmp_path / "minds/ada/STORY.md").read_text())
