"""A mind's own prompts come from whoever can write its folder: they decide words, and can neither fail nor stall."""

import anyio.to_thread
import pytest

from tests.support.api_keys import make_key
from tests.support.archives import exported, imported, members, zipped
from tests.support.cli_process import call
from tests.support.exports import jsonl
from tests.support.service import running

pytestmark = pytest.mark.anyio

ENDLESS = b"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}x"
PROTOCOL = "prompts/recall_protocol.md"


@pytest.fixture(scope="module")
async def archive(anyio_backend, tmp_path_factory):
    """A mind's archive with a template that would never end."""
    async with running(tmp_path_factory.mktemp("one")) as service:
        await service.keep("ada", "My mother lives in Lyon.", "How often do you see her?")
        await service.digested("ada")
        held = members(await exported(service))
    return zipped({**held, PROTOCOL: ENDLESS})


async def test_a_posted_archive_brings_no_prompts_unless_a_key_for_all_minds_says_so(tmp_path, archive):
    async with running(tmp_path) as service:
        everybodys, adas = make_key(tmp_path), make_key(tmp_path, minds=("ada", "bo"))
        async with service.client(key=adas) as http:
            service.http, own = http, service.http
            refused = await imported(service, archive, "ada", prompts="true")
            plain = await imported(service, archive, "bo")
        async with service.client(key=everybodys) as http:
            service.http = http
            whole = await imported(service, archive, "cy", prompts="true")
        service.http = own

    assert (refused.status_code, refused.json()["type"]) == (403, "/problems/access-refused")
    assert not (tmp_path / "minds/ada").exists()
    assert (plain.status_code, plain.json()["prompts_left_out"]) == (201, 1)
    assert not (tmp_path / "minds/bo/prompts").exists()
    assert (whole.status_code, whole.json()["prompts_left_out"]) == (201, 0)
    assert (tmp_path / "minds/cy" / PROTOCOL).read_bytes() == ENDLESS


async def test_a_template_without_end_costs_a_pre_turn_call_nothing(tmp_path, archive):
    async with running(tmp_path) as service:
        await imported(service, archive, "cy", prompts="true")
        answer = (await service.resonate("cy", "Where does my mother live?", deadline_ms=5_000)).json()
        ours = (await service.resonate("nobody", "Hello")).status_code

    assert ours == 200
    assert "prompt_unusable" in answer["degraded"]
    assert "story_skipped" not in answer["degraded"]
    assert "MY MEMORY" in answer["stable"]["text"]


@pytest.mark.parametrize("wrong", ["{{ nope }}", "{% if %}", '{% include "gone.md" %}'])
async def test_an_error_in_the_recall_protocol_is_named_and_ours_is_used_until_it_is_mended(tmp_path, wrong):
    async with running(tmp_path) as service:
        await service.keep("ada", "My mother lives in Lyon.", "How often do you see her?")
        copy = tmp_path / "minds/ada" / PROTOCOL
        ours = (await service.resonate("ada", "Hello")).json()
        copy.parent.mkdir()
        copy.write_text(wrong)
        answer = await service.resonate("ada", "Hello")
        copy.write_text("By my own rules.")
        mended = (await service.resonate("ada", "Hello")).json()

    assert (answer.status_code, answer.json()["stable"]) == (200, ours["stable"])
    assert answer.json()["degraded"] == ["prompt_unusable"]
    assert "By my own rules." in mended["stable"]["text"]
    assert mended["degraded"] == ours["degraded"] == []


def test_doctor_names_the_file_the_line_and_the_reason(tmp_path):
    call("import", jsonl(tmp_path / "own.jsonl"), "--home", tmp_path / "home", "--mind", "ada")
    copy = tmp_path / "home/minds/ada/prompts/seeds.md"
    copy.parent.mkdir()
    copy.write_text("Hello\n{{ nope }}")

    done = call("doctor", "--home", tmp_path / "home")

    said = " ".join(done.stdout.split())
    assert "seeds.md: line 2: `nope` is not one of its words: acts, agent, asker, message, now, purpose, recent" in said
    assert "ours is used meanwhile" in said
    assert done.exit_code == 0


async def test_the_command_line_takes_prompts_when_it_is_told_to(tmp_path, archive):
    (tmp_path / "ada.zip").write_bytes(archive)

    def imported_as(mind, *more):
        return call("import", tmp_path / "ada.zip", "--mind", mind, *more, "--home", tmp_path / "home")

    plain = await anyio.to_thread.run_sync(imported_as, "bo")  # each has an event loop of its own
    whole = await anyio.to_thread.run_sync(imported_as, "cy", "--prompts")

    assert "1 prompt of its own left out: read them, then import with --prompts" in " ".join(plain.stdout.split())
    assert "left out" not in whole.stdout
    assert [(tmp_path / "home/minds" / mind / PROTOCOL).exists() for mind in ("bo", "cy")] == [False, True]
