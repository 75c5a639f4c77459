"""The containers as a person runs them: up, down, killed, opened. `make compose`; not part of `make test`."""

import os
import re
import subprocess

import pytest

from tests.support.compose import Composed, has_engine
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(not os.environ.get("COMPOSE"), reason="`make compose` runs these"),
    pytest.mark.timeout(1800),
]
MOST_BYTES = (
    850 * 1000 * 1000
)  # 630 of our packages, 160 of these the weights of two embedders; the rest is Python's image
TURNS = 24


@pytest.fixture(scope="module")
def engine():
    if not has_engine():
        pytest.skip("no Docker engine answers")


@pytest.fixture(scope="module")
def composed(engine, tmp_path_factory):
    project = Composed(tmp_path_factory.mktemp("composed"))
    try:
        project.up()
        yield project
    finally:
        project.end()


@pytest.fixture
def another(engine, tmp_path):
    project = Composed(tmp_path)
    try:
        yield project
    finally:
        project.end()


def said(at):
    return f"My friend number {at} lives in house {at * 37 + 11} of the harbour street."


def assert_nothing_lost(project, mind_id):
    assert project.transcript(mind_id) == [f"t{at}" for at in range(TURNS)]
    status = project.digested(mind_id)
    assert (status["last_sequence"], status["graph"]["episodes"], status["graph"]["parked"]) == (TURNS, TURNS, [])
    for at in (0, TURNS // 2, TURNS - 1):
        assert f"house {at * 37 + 11} " in project.remembered(mind_id, said(at))


def test_the_data_folder_is_made_for_the_person_and_its_service_says_where_it_is_found(composed):
    logs = composed.logs("memory")

    assert composed.data.stat().st_uid == (os.getuid() or 1000)
    assert f"http://127.0.0.1:{composed.port}" in logs
    assert "FalkorDB at redis://falkordb:6379" in logs
    assert "Traceback" not in logs


def test_nobody_is_root_and_nothing_but_the_data_can_be_written(composed):
    found = composed.inspected("memory")

    assert found["Config"]["User"].split(":")[0] not in {"", "0", "root"}
    assert found["HostConfig"]["ReadonlyRootfs"]
    assert composed.call("exec", "-T", "memory", "touch", "/opt/mind-memory/x", fine=False).returncode != 0
    capabilities = composed.call("exec", "-T", "memory", "grep", "CapBnd", "/proc/self/status").stdout
    assert int(capabilities.split()[-1], 16) == 0


def test_only_this_machine_reaches_the_service_and_nobody_reaches_falkordb(composed):
    published = composed.inspected("memory")["HostConfig"]["PortBindings"]

    assert {one["HostIp"] for ports in published.values() for one in ports} == {"127.0.0.1"}
    assert not composed.inspected("falkordb")["HostConfig"]["PortBindings"]


def test_the_image_is_small(composed):
    size = subprocess.check_output(["docker", "image", "inspect", "--format", "{{.Size}}", "mind-memory:local"])

    assert int(size) < MOST_BYTES


def test_the_command_works_in_the_container(composed):
    composed.keep("grace", "t0", "My sister plays the oboe.")
    composed.digested("grace")

    assert "grace" in composed.command("status")
    assert "Nothing is broken." in composed.command("doctor")


def test_the_console_is_in_the_image(composed):
    page = composed.http.get("/console/").raise_for_status().text
    script = re.search(r'src="(assets/[^"]+)"', page).group(1)

    assert "is not built" not in page
    assert composed.http.get(f"/console/{script}").headers["content-type"].startswith("text/javascript")


def test_a_turn_and_a_persons_edit_of_the_story_survive_down_and_up(composed):
    composed.keep("ada", "t0", "My mother lives in Lyon.")
    composed.digested("ada")
    composed.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).raise_for_status()
    story = composed.data / "minds" / "ada" / "STORY.md"
    assert "Lyon" in story.read_text()
    story.write_text(f"{story.read_text()}\n### [2020-01-01 00:00] Before all that\n\nI was written by hand.\n")

    composed.call("down")
    composed.up()

    assert "I was written by hand." in composed.http.get("/v1/minds/ada/story").json()["text"]
    assert composed.transcript("ada") == ["t0"]
    status = composed.digested("ada")
    assert status["graph"]["episodes"] == 1
    assert "Lyon" in composed.remembered("ada", "Where does my mother live?")


@pytest.mark.parametrize("service", ["memory", "falkordb"])
def test_kill_9_of_a_container_in_the_middle_of_talk_loses_nothing(composed, service):
    mind_id = f"killed-{service}"
    for at in range(TURNS):
        if at == TURNS // 3:
            composed.kill(service)
        composed.keep(mind_id, f"t{at}", said(at))

    assert_nothing_lost(composed, mind_id)


def test_both_killed_at_once_lose_nothing(composed):
    for at in range(TURNS):
        composed.keep("killed-both", f"t{at}", said(at))
    composed.kill("falkordb")
    composed.kill("memory")

    until(lambda: composed.inspected("memory")["State"]["Health"]["Status"] == "healthy")
    assert_nothing_lost(composed, "killed-both")


def test_it_ends_in_order_when_it_is_stopped(composed):
    composed.call("stop", "memory")

    assert composed.inspected("memory")["State"]["ExitCode"] == 0
    composed.up()


def test_beyond_this_machine_it_answers_only_with_a_key(another):
    another.environ(COMPOSE_FILE="compose.yaml:docker/open.yaml")
    another.call("up", "--detach")
    until(lambda: "no key protects the memory" in another.logs("memory"))

    made = another.call("run", "--rm", "-T", "memory", "mind-memory", "keys", "create", "--name", "bot").stdout
    another.up()

    key = re.search(r"mm_\w+", made).group()
    assert another.inspected("memory")["HostConfig"]["PortBindings"][f"{another.port}/tcp"][0]["HostIp"] == "0.0.0.0"
    assert another.http.get("/v1/minds").status_code == 401
    assert another.http.get("/v1/minds", headers={"Authorization": f"Bearer {key}"}).status_code == 200


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_data_folder_of_somebody_else_is_told_of_with_the_way_to_mend_it(another):
    another.data.mkdir(mode=0o700)
    os.chown(another.data, 4242, 4243)

    assert another.call("up", "--detach", fine=False).returncode != 0
    assert "MIND_MEMORY_UID=4242 and MIND_MEMORY_GID=4243" in another.logs("prepare")

    another.environ(MIND_MEMORY_UID=4242, MIND_MEMORY_GID=4243)
    another.up()
    assert "Nothing is broken." in another.command("doctor")
