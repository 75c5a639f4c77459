"""Who changed what: a line each, chained, without anybody's words."""

import asyncio
import json
from datetime import UTC, datetime

import pytest
from keyed import id_of, make_key
from running import running
from structlog.testing import capture_logs

from consolidation.kernel.clock import FixedClock
from service.audit import FILE, Audit

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
SAID = "### [2026-01-09 18:30] Hunter2-Xyzzy\n\nI was told nothing.\n"


def lines(home):
    return [json.loads(line) for line in (home / FILE).read_text().splitlines()]


def an_audit(home):
    return Audit(home, clock=FixedClock(NOON))


async def noted(audit, count=3):
    for n in range(count):
        await audit.note("story.edited", by="owner", mind_id="ada", words=n)


async def test_an_edit_and_a_restore_are_noted_with_who_did_them_and_no_word_of_the_story(tmp_path):
    home = tmp_path / "home"
    async with running(home) as service:
        await service.keep("ada", "My mother lives in Lyon.")
        first = await service.http.put(
            "/v1/minds/ada/story", json={"text": SAID}, headers={"If-Match": await etag(service)}
        )
        key = make_key(home)
        async with service.client(key=key) as http:
            second = await http.put(
                "/v1/minds/ada/story", json={"text": "Gone."}, headers={"If-Match": first.json()["etag"]}
            )
            refused = await http.put("/v1/minds/ada/story", json={"text": "No."}, headers={"If-Match": '"stale"'})
            version = (await http.get("/v1/minds/ada/story/history")).json()["versions"][0]["version"]
        async with service.client(key=service.memory.doorkeeper.owner_token.get_secret_value()) as http:
            restored = await http.post("/v1/minds/ada/story/restore", json={"version": version})

    assert [answer.status_code for answer in (first, second, refused, restored)] == [200, 200, 412, 200], restored.text
    told = [(one["by"], one["action"], one["mind_id"], one["etag"]) for one in lines(home)]
    assert told == [
        ("local", "story.edited", "ada", first.json()["etag"]),
        (id_of(key), "story.edited", "ada", second.json()["etag"]),
        ("owner", "story.restored", "ada", restored.json()["etag"]),
    ]
    assert lines(home)[2]["version"] == version
    assert (home / FILE).stat().st_mode & 0o777 == 0o600
    assert "Hunter2" not in (home / FILE).read_text()
    assert an_audit(home).check().broken_at is None


async def etag(service):
    return (await service.http.get("/v1/minds/ada/story")).json()["etag"]


async def test_no_file_is_an_empty_chain(tmp_path):
    assert (an_audit(tmp_path).check().lines, an_audit(tmp_path).check().broken_at) == (0, None)


async def test_a_chain_that_nobody_touched_holds(tmp_path):
    await noted(an_audit(tmp_path))
    await noted(an_audit(tmp_path), 2)

    found = an_audit(tmp_path).check()

    assert (found.lines, found.torn, found.broken_at) == (5, 0, None)


@pytest.mark.parametrize(
    ("change", "broken_at"),
    [
        (lambda lines: [lines[0].replace("owner", "local"), *lines[1:]], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [lines[0], lines[0], *lines[1:]], 2),
        (lambda lines: [lines[0], "nonsense", *lines[2:]], 3),
    ],
    ids=["changed", "first gone", "middle gone", "swapped", "doubled", "garbled"],
)
async def test_a_line_that_was_changed_or_taken_out_shows(tmp_path, change, broken_at):
    await noted(an_audit(tmp_path), 4)
    file = tmp_path / FILE
    file.write_text("".join(f"{line}\n" for line in change(file.read_text().splitlines())))

    assert an_audit(tmp_path).check().broken_at == broken_at


@pytest.mark.parametrize("cut", [1, 2, 40])
async def test_a_line_torn_by_a_power_cut_stays_in_the_chain_and_takes_no_other_with_it(tmp_path, cut):
    await noted(an_audit(tmp_path), 2)
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-cut])

    await noted(an_audit(tmp_path), 2)

    found = an_audit(tmp_path).check()
    assert (found.lines, found.torn, found.broken_at) == (4, int(cut > 1), None)


async def test_many_at_once_from_two_hands_make_one_chain(tmp_path):
    one, other = an_audit(tmp_path), an_audit(tmp_path)

    await asyncio.gather(*(noted(audit, 1) for _ in range(15) for audit in (one, other)))

    found = one.check()
    assert (found.lines, found.broken_at) == (30, None)


async def test_what_can_not_be_noted_is_an_error_in_the_log_and_none_for_the_caller(tmp_path):
    (tmp_path / FILE).mkdir()

    with capture_logs() as logged:
        await noted(an_audit(tmp_path), 1)

    assert [(one["event"], one["log_level"]) for one in logged] == [("audit.unwritable", "error")]


async def test_what_goes_out_comes_in_or_is_erased_is_noted_without_a_word(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "My mother lives in Lyon.", turn_id="of-my-mother")
        await service.digested("ada")
        archive = await service.http.get("/v1/minds/ada/export")
        zipped = {"Content-Type": "application/zip"}
        await service.http.post("/v1/minds/eve/import", content=archive.content, headers=zipped)
        await service.http.post("/v1/minds/eve/rebuild")
        await service.http.delete("/v1/minds/ada/turns/of-my-mother")
        await service.http.delete("/v1/minds/eve")

    assert [(line["action"], line["mind_id"]) for line in lines(tmp_path)] == [
        ("mind.exported", "ada"),
        ("mind.imported", "eve"),
        ("mind.rebuilt", "eve"),
        ("turn.erased", "ada"),
        ("mind.erased", "eve"),
    ]
    assert "of-my-mother" not in (tmp_path / "audit.jsonl").read_text()
