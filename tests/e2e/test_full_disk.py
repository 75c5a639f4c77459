"""A full disk is the same error at every door, and a chat that it refuses is answered."""

import pytest

from tests.e2e.test_failing_disk import is_digested, no_file_above, post, status
from tests.support.outages import AUNT
from tests.support.service_process import serving
from tests.support.waiting import until_answered


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home")) as found:
        yield found


def test_a_full_disk_is_one_error_at_every_door(served):
    """Broken: it was a story that can not be written, a home that can not be used, or 507, by what was asked for."""
    assert post(served, "dee", AUNT, "t0").status_code == 202
    until_answered(lambda: status(served, "dee"), is_digested)
    mind = "/v1/minds/dee"
    etags = [{"If-Match": served.http.get(f"{mind}/{part}").json()["etag"]} for part in ("story", "settings")]
    with no_file_above(served, 1):
        refused = [
            served.http.put(f"{mind}/story", json={"text": "Mine."}, headers=etags[0]),
            served.http.patch(f"{mind}/settings", json={"relevance": 0.4}, headers=etags[1]),
            served.http.post(f"{mind}/memories", json={"memories": [{"text": "She rows."}]}),
            served.http.get(f"{mind}/export"),
            served.http.delete(f"{mind}/turns/t0"),
            served.http.delete(mind),
        ]

    assert {(one.status_code, one.json()["type"]) for one in refused} == {(507, "/problems/disk-full")}
    assert all(int(one.headers["retry-after"]) > 0 for one in refused)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_chat_that_a_full_disk_refuses_is_answered_and_its_caller_is_told(served, is_streamed):
    """Broken: the answer was as if the chat had been stored."""
    chat = {"model": "memory", "stream": is_streamed, "messages": [{"role": "user", "content": "I moved to Ghent."}]}
    headers = {"X-Mind-Id": f"cy-{is_streamed}".lower()}
    with no_file_above(served, 1):
        refused = served.http.post("/v1/chat/completions", json=chat, headers=headers)
    stored = served.http.post("/v1/chat/completions", json=chat, headers=headers)

    assert (refused.status_code, stored.status_code) == (200, 200)
    if is_streamed:
        assert refused.text.endswith("\n\n: X-Memory-Not-Stored: disk-full\n\ndata: [DONE]\n\n")
        assert "Not-Stored" not in stored.text
    else:
        assert refused.headers["x-memory-not-stored"] == "disk-full"
        assert "x-memory-not-stored" not in stored.headers
    assert status(served, headers["X-Mind-Id"])["turns"] == 1
