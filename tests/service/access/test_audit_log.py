"""Who changed what: a line each, chained, without anybody's words."""

import asyncio
import hashlib
import json
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.links import SECRETS
from service.access.audit_log import CODE, FILE, KEY_FILE, AuditLog
from service.access.keyring import FILE as KEYS
from service.erasure.receipt_log import FILE as RECEIPTS
from service.observability.logging import configure_logs
from service.runtime.service_file import FILE as SERVICE
from tests.support.api_keys import id_of, make_key
from tests.support.service import running

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
SAID = "### [2026-01-09 18:30] Hunter2-Xyzzy\n\nI was told nothing.\n"


def lines(home):
    return [json.loads(line) for line in (home / FILE).read_text().splitlines()]


def an_audit(home):
    return AuditLog(home, clock=FixedClock(NOON), key=None)


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
        async with service.client(key=service.memory.authenticator.owner_token.get_secret_value()) as http:
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
        (lambda lines: [lines[0].replace("owner", "local"), *lines[1:]], 1),
        (lambda lines: [*lines[:3], lines[3].replace("owner", "local")], 4),
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [lines[0], lines[0], *lines[1:]], 2),
        (lambda lines: [lines[0], "nonsense", *lines[2:]], 3),
    ],
    ids=["changed", "the last changed", "first gone", "middle gone", "swapped", "doubled", "garbled"],
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


def rewritten(home, *, codes):
    """All lines made anew by somebody without the key: another name, each digest right."""
    before, made = "0" * 64, []
    for line in lines(home):
        fields = {**line, "by": "somebody", "after": before}
        if not codes:
            del fields[CODE]
        made.append(json.dumps(fields, ensure_ascii=False))
        before = hashlib.sha256(made[-1].encode()).hexdigest()
    (home / FILE).write_text("".join(f"{line}\n" for line in made))


async def test_a_log_that_is_written_anew_without_the_key_shows(tmp_path):
    await noted(an_audit(tmp_path), 3)
    rewritten(tmp_path, codes=True)
    assert an_audit(tmp_path).check().broken_at == 1

    rewritten(tmp_path, codes=False)
    stripped = an_audit(tmp_path).check()
    assert (stripped.broken_at, stripped.is_signed) == (None, False)


async def test_lines_from_before_there_was_a_key_are_covered_by_the_first_that_has_a_code(tmp_path):
    await noted(an_audit(tmp_path), 3)
    rewritten(tmp_path, codes=False)
    await noted(an_audit(tmp_path), 1)
    whole = an_audit(tmp_path).check()
    text = (tmp_path / FILE).read_text()

    assert (whole.lines, whole.broken_at, whole.is_signed) == (4, None, True)
    (tmp_path / FILE).write_text(text.replace("somebody", "nobody", 1))
    assert an_audit(tmp_path).check().broken_at == 2


async def test_a_key_of_the_settings_stays_outside_the_home_and_another_one_does_not_fit(tmp_path):
    ours, other = (AuditLog(tmp_path, clock=FixedClock(NOON), key=SecretStr(key)) for key in ("ours", "other"))
    await noted(ours)

    assert not (tmp_path / KEY_FILE).exists()
    assert ours.check().broken_at is None
    assert other.check().broken_at == 1


@pytest.fixture
def informed():
    """Events of the level INFO are logged, as by default."""
    configure_logs(level="INFO", as_json=False)
    yield
    configure_logs(level="WARNING", as_json=False)


async def test_the_log_of_the_service_names_the_last_line_so_that_a_cut_end_can_be_seen(tmp_path, informed):
    with capture_logs() as events:
        await noted(an_audit(tmp_path), 2)

    heads = [event["head"] for event in events if event["event"] == "audit.noted"]
    assert heads[-1] == an_audit(tmp_path).check().head
    (tmp_path / FILE).write_text((tmp_path / FILE).read_text().partition("\n")[0] + "\n")
    assert heads[-1] != an_audit(tmp_path).check().head == heads[0]


async def test_a_home_that_others_could_read_is_made_private(tmp_path):
    home = tmp_path / "home"
    for folder in ("", "minds", "incoming", "outgoing"):
        (home / folder).mkdir()
        (home / folder).chmod(0o755)
    make_key(home)
    for name in (FILE, "keys.json", "keys.json.lock"):
        (home / name).touch()
        (home / name).chmod(0o644)
    async with running(home) as service:
        await noted(service.memory.audit_log, 1)
        modes = {file.name: file.stat().st_mode & 0o777 for file in home.iterdir()}
        own = home.stat().st_mode & 0o777

    assert own == 0o700
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}


def test_what_guards_a_home_is_known_by_its_names():
    assert set(SECRETS) == {FILE, KEY_FILE, KEYS, SERVICE, RECEIPTS}
