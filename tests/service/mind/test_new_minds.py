"""A caller may begin so many minds per minute, at every door; known minds are never held up."""

import pytest

from tests.support.api_keys import make_key
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

SAID = [{"role": "user", "content": "My mother lives in Lyon."}]
DOORS = {
    "turns": lambda mind: (f"/v1/minds/{mind}/turns", {"session_id": "s1", "messages": SAID}),
    "compaction": lambda mind: (f"/v1/minds/{mind}/sessions/s1/compaction", {"messages": SAID}),
    "trim": lambda mind: (f"/v1/minds/{mind}/sessions/s1/trim", {"messages": SAID, "keep": 0}),
    "chat": lambda mind: ("/v1/chat/completions", {"model": "memory", "user": mind, "messages": SAID}),
}


@pytest.mark.parametrize("door", DOORS)
async def test_the_fourth_new_mind_of_a_key_is_refused_and_known_ones_go_on(tmp_path, door):
    settings = settings_of(tmp_path, access={"new_minds_per_minute": 3})
    async with running(tmp_path, settings=settings) as service:
        one, other = (make_key(tmp_path) for _ in range(2))

        async def post(key, mind):
            path, body = DOORS[door](mind)
            async with service.client(key=key) as http:
                return await http.post(path, json=body)

        first = [(await post(one, mind)).status_code for mind in ("a", "b", "c", "a", "b")]
        refused = await post(one, "d")
        known, others = await post(one, "c"), await post(other, "e")
        minds = service.memory.minds.ids()

    assert all(status in {200, 202} for status in (*first, known.status_code, others.status_code))
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert "too many new minds" in refused.text
    assert "d" not in minds
