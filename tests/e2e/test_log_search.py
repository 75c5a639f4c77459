"""Search in the log: literal, newest first, with its surroundings; nothing erased, nothing private, nothing by half."""

import json

import pytest

from tests.support.service import running

pytestmark = pytest.mark.anyio


async def search(service, query, **more):
    answer = await service.http.get("/v1/minds/ada/log", params={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts(found):
    return [item["text"] for item in found["items"]]


async def test_a_message_is_found_word_for_word_with_its_age_and_its_neighbours(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "The shop on Rue d'Austerlitz closed.", "Closed for good?", turn_id="one")
        await service.keep("ada", "Yes, for good.", "A pity.")
        await service.keep("ada", "Elsewhere the shop is open.", session_id="s9")

        found = await search(service, "CLOSED for", context=2)

        (item,) = found["items"]
        assert (item["turn_id"], item["session_id"], item["role"]) == ("one", "s1", "assistant")
        assert item["text"] == "Closed for good?"
        assert [line["text"] for line in item["before"]] == ["The shop on Rue d'Austerlitz closed."]
        assert [line["text"] for line in item["after"]] == ["Yes, for good.", "A pity."]
        assert item["age"] == "a moment ago"
        assert item["cycles_ago"] is None
        assert found["next_cursor"] is None
        assert texts(await search(service, "cl.sed")) == []
        assert texts(await search(service, "for  good")) == []


async def test_the_newest_come_first_and_a_cursor_leads_through_all_of_them(tmp_path):
    async with running(tmp_path / "home") as service:
        for number in range(7):
            await service.keep("ada", f"Run {number} began.", f"Run {number} ended.")

        seen, cursor = [], None
        for _ in range(20):
            page = await search(service, "run", limit=3, **({"cursor": cursor} if cursor else {}))
            assert len(page["items"]) <= 3
            seen += texts(page)
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert seen == [f"Run {number} {what}." for number in reversed(range(7)) for what in ("ended", "began")]


async def test_role_session_and_times_narrow_it(tmp_path):
    async with running(tmp_path / "home") as service:
        for day, session in ((1, "s1"), (2, "s2"), (3, "s1")):
            at = f"2026-01-0{day}T12:00:00Z"
            said = [
                {"role": "user", "content": f"Import {day}?", "timestamp": at},
                {"role": "tool", "content": f"import {day}: ok", "name": "shell", "timestamp": at},
            ]
            await service.keep("ada", *said, session_id=session)

        assert texts(await search(service, "import", role="tool", limit=9)) == [f"import {n}: ok" for n in (3, 2, 1)]
        assert texts(await search(service, "import", role="user", session_id="s1")) == ["Import 3?", "Import 1?"]
        assert texts(await search(service, "import", role="user", since="2026-01-02T12:00:00Z")) == [
            "Import 3?",
            "Import 2?",
        ]
        assert texts(await search(service, "import", role="user", until="2026-01-01T12:00:00Z")) == ["Import 1?"]
        assert texts(await search(service, "import", role="user", exclude_from="2026-01-03T12:00:00Z")) == [
            "Import 2?",
            "Import 1?",
        ]
        assert texts(await search(service, "import", since="2100-01-01T00:00:00Z")) == []


async def test_the_age_is_told_in_the_zone_and_language_of_the_caller(tmp_path):
    async with running(tmp_path / "home") as service:
        said = {"role": "user", "content": "Der Zug fährt um neun.", "timestamp": "2026-01-01T23:30:00Z"}
        await service.keep("ada", said)

        (german,) = (await search(service, "zug", language="de", timezone="Europe/Paris"))["items"]
        (english,) = (await search(service, "zug", language="en"))["items"]

        assert (german["date"], english["date"]) == ("2. Jan.", "Jan 1")
        assert german["age"].startswith("vor")
        assert english["age"].endswith("ago")


async def test_what_was_erased_masked_or_off_the_record_is_not_found(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "The canary sings of Xanadu.", turn_id="erased")
        await service.keep("ada", "Xanadu is private. #offtherecord")
        await service.keep("ada", "My card is 4111 1111 1111 1111, says Xanadu.")
        await service.keep("ada", "A quiet day.")
        assert (await service.http.delete("/v1/minds/ada/turns/erased")).status_code == 200

        found = await search(service, "xanadu", context=5, limit=100)

        assert len(found["items"]) == 1
        shown = json.dumps(found)
        assert "4111" not in shown
        assert "canary" not in shown
        assert "private" not in shown
        assert texts(await search(service, "4111 1111")) == []


async def test_a_long_message_is_cut_around_the_words(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", f"{'before ' * 400}the needle is here{' after' * 400}", "x" * 2000)

        (item,) = (await search(service, "NEEDLE IS"))["items"]

        assert "the needle is here" in item["text"]
        assert item["text"].startswith("… ")
        assert item["text"].endswith(" …")
        assert len(item["text"]) < 620
        assert len(item["after"][0]["text"]) < 310


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"limit": 1_000_000}, "query/limit"),
        ({"limit": 0}, "query/limit"),
        ({"context": 6}, "query/context"),
        ({"query": ""}, "query/query"),
        ({"query": " \n "}, "query/query"),
        ({"role": "boss"}, "query/role"),
        ({"cursor": "1'; --"}, "query/cursor"),
        ({"cursor": "99999999999999999999.1"}, "query/cursor"),
        ({"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "query/until"),
        ({"exclude_from": "yesterday"}, "query/exclude_from"),
        ({"timezone": "Mars/Olympus"}, "query/timezone"),
        ({"language": "../../etc"}, "query/language"),
    ],
)
async def test_a_bad_question_is_refused_with_its_parameter(tmp_path, asked, pointer):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "My mother lives in Lyon.")

        answer = await service.http.get("/v1/minds/ada/log", params={"query": "lyon", **asked})

        assert answer.status_code == 422, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_a_mind_without_a_turn_is_not_made_by_a_search(tmp_path):
    async with running(tmp_path / "home") as service:
        assert (await service.http.get("/v1/minds/ada/log", params={"query": "x"})).status_code == 404
        assert not (tmp_path / "home" / "minds" / "ada").exists()
