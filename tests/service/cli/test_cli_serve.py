"""`mind-memory serve`, as a process of its own."""

import fcntl
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from service.http.server import bind
from service.runtime.service_file import find_service
from service.settings.settings import Settings
from tests.support.cli_process import ROOT, call, log_of_ended, run, said_by_service, serving
from tests.support.waiting import GIVE_UP


def test_a_service_answers_announces_itself_and_leaves_nothing_behind_when_it_is_ended(tmp_path):
    home = tmp_path / "home"
    with serving(home) as (process, url):
        told = json.loads((home / "service.json").read_text())
        assert told["pid"] == process.pid
        assert find_service(home).url == url

        second = call("serve", "--home", home, "--port", "0")
        process.send_signal(signal.SIGTERM)
        err = log_of_ended(process, home)

        assert second.exit_code == 1
        assert second.stderr == (
            f"{home} is in use by another mind-memory, process {process.pid}, at {url}; stop it, or set MIND_MEMORY_HOME "
            "to another folder\n"
        )
        assert process.returncode == 0
        told = [line.split()[3] for line in err.splitlines()]
        assert told == ["service.started", *("service.warmed" for _ in told[2:]), "service.stopping"]
        assert not (home / "service.json").exists()


def test_a_command_for_a_copy_of_a_home_in_use_reaches_the_copy_alone(tmp_path):
    """Broken: the copied service.json leads to the service of the home, and what is erased is the mind that is in use."""
    home, copy = tmp_path / "home", tmp_path / "copy"
    with serving(home):
        run("save", "My mother lives in Lyon.", "--mind", "ada", "--home", home)
        subprocess.run(["cp", "-a", home, copy], check=True)

        erased = run("erase", "--mind", "ada", "--yes", "--home", copy)

        assert erased.returncode == 0, erased.stderr
        assert not (copy / "minds/ada").exists()
        assert "Lyon" in run("remember", "Where does my mother live?", "--mind", "ada", "--home", home).stdout


def test_the_log_names_the_graphs_server(tmp_path):
    """Broken: the whole address counts as a secret, although nothing in it is one, and the log says [hidden]."""
    with serving(tmp_path, FALKORDB_URL="redis://127.0.0.1:1") as (process, _):
        process.terminate()
        err = log_of_ended(process, tmp_path)

    assert "graph=redis://127.0.0.1:1 " in err


def test_no_answer_waits_until_its_head_is_acknowledged(tmp_path):
    with (
        bind(Settings(home=tmp_path, port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_start_message_tells_what_is_configured_and_its_calls_can_be_pasted(tmp_path):
    home = tmp_path / "home"
    with serving(home) as (process, url):
        out = said_by_service(home)
        lines = [line.strip() for line in out.splitlines()]
        pasted = [f"{line[:-1]} {lines[at + 1]}" for at, line in enumerate(lines) if line.startswith("curl")]
        answers = [json.loads(subprocess.check_output(["bash", "-c", call])) for call in pasted]
        process.send_signal(signal.SIGINT)  # Ctrl-C
        err = log_of_ended(process, home)

    for words in (url, str(home), "none: memories are quoted as they were said", "nothing leaves this machine"):
        assert words in out
    assert answers[0]["sequence"] == 1
    command = next(line.split()[3] for line in lines if line.startswith("Talk to it: "))
    assert subprocess.check_output([command, "--version"], cwd=ROOT).startswith(b"mind-memory ")
    talk = next(line for line in lines if line.startswith("Talk to it: "))
    assert shlex.split(talk)[4:] == ["chat", "--home", str(home)]  # broken: it talked to another home
    assert answers[1]["mind_id"] == "demo"
    assert (process.returncode, "Traceback" in err) == (0, False)


def test_the_start_message_tells_what_a_model_would_do_and_which_variables_name_it(tmp_path):
    with serving(tmp_path):
        out = said_by_service(tmp_path)

    assert "judges what surfaces" in out
    assert "MIND_MEMORY_MODEL=openai/gpt-4o-mini OPENAI_API_KEY=" in out
    assert "no key" not in out


def test_the_start_message_names_the_model_of_each_task_and_the_variable_of_a_key_that_is_missing(tmp_path):
    """Broken: ``_facts`` does not ask for ``missing_keys``."""
    models = {
        "MIND_MEMORY_MODEL": "openai/gpt-4o-mini",
        "MIND_MEMORY_MODELS__NARRATIVE__MODEL": "ollama/llama3.2",
        "MIND_MEMORY_PROXY__MODELS": '["mistral/mistral-small"]',  # which clients may name
    }
    without = {"OPENAI_API_KEY": "", "MISTRAL_API_KEY": "", "MIND_MEMORY_MODELS__LAST_RESORT": ""}
    with serving(tmp_path, **models, **without) as (_, _url):
        lines = said_by_service(tmp_path).splitlines()

    assert any("answers" in line and "openai/gpt-4o-mini" in line for line in lines)
    assert any("tells the story" in line and "ollama/llama3.2" in line for line in lines)
    problems = [line for line in lines if "has no key" in line]
    assert "openai/gpt-4o-mini has no key: set OPENAI_API_KEY" in problems[0]
    assert "mistral/mistral-small has no key: set MISTRAL_API_KEY" in problems[1]
    assert len(problems) == 2


def test_a_container_without_a_key_says_what_keeps_it_from_strangers(tmp_path):
    with serving(tmp_path, "--host", "0.0.0.0", MIND_MEMORY_TRUST_NETWORK="true", MIND_MEMORY_UID="1000"):
        out = said_by_service(tmp_path)

    assert "without a key, to all who reach its published port: keep that on loopback" in out


@pytest.mark.parametrize(
    ("words", "variables", "said"),
    [
        (("--host", "0.0.0.0"), {}, "and no key protects the memory: make one with `mind-memory keys create --home "),
        (("--host", "::"), {}, "and no key protects the memory: make one with `mind-memory keys create --home "),
        ((), {"MIND_MEMORY_PRT": "1"}, "MIND_MEMORY_PRT is not a setting; did you mean MIND_MEMORY_PORT?"),
        ((), {"FALKORDB_URL": "http://me:secret@host"}, "FALKORDB_URL is not an address of a FalkorDB"),
        ((), {"FALKORDB_URL": "redis://host/abc"}, "FALKORDB_URL names a database that is not a number"),
        (("--home", "/dev/null"), {}, "/dev/null can not be the home (it is a file)"),
    ],
)
def test_what_can_not_work_is_said_in_one_sentence(tmp_path, words, variables, said):
    done = call("serve", "--home", tmp_path, "--port", "0", *words, **variables)

    assert done.exit_code == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr


@pytest.mark.parametrize("name", ["minds", "graph"])
def test_a_file_in_the_place_of_a_folder_of_the_home_is_named(tmp_path, name):
    (tmp_path / name).touch()

    done = call("serve", "--home", tmp_path, "--port", "0")

    assert done.exit_code == 1
    assert str(tmp_path / name) in done.stderr
    assert "a file stands where a folder belongs: move it away" in done.stderr


def arenas(pid):
    """How many arenas of the allocator a process has beside its heap: each begins at a multiple of 64 MB."""
    starts = [
        line.split("-")[0]
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines()
        if " rw-p 00000000 00:00 0" in line
    ]
    return sum(int(start, 16) % (64 << 20) == 0 for start in starts)


def of_a_busy_service(home, **more):
    """The arenas of a service whose threads were all at work."""
    with serving(home, **more) as (process, url), ThreadPoolExecutor(12) as callers:
        said = {"session_id": "s", "messages": [{"role": "user", "content": "Where does my mother live now?"}]}
        for door in ("turns", "resonance"):
            paths = [f"{url}/v1/minds/m{number}/{door}" for number in range(12)]
            list(callers.map(lambda path: httpx2.post(path, json=said, timeout=GIVE_UP).raise_for_status(), paths))
        return arenas(process.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator is meant")
def test_threads_of_a_service_share_few_arenas_of_the_allocator(tmp_path):
    as_shipped = of_a_busy_service(tmp_path / "one")
    as_the_allocator_would = of_a_busy_service(tmp_path / "other", MALLOC_ARENA_MAX="16")

    assert as_shipped < as_the_allocator_would / 2


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("serve", "--home", tmp_path, "--port", port)

    assert done.exit_code == 1
    assert done.stderr.startswith(f"port {port} on 127.0.0.1 is not available (address already in use)")
    assert not (tmp_path / "service.json").exists()


def test_an_address_of_another_machine_is_named(tmp_path):
    done = call("serve", "--home", tmp_path, "--host", "192.0.2.1", MIND_MEMORY_TRUST_NETWORK="true")

    assert done.exit_code == 1
    assert done.stderr.startswith("192.0.2.1 is not an address of this machine (cannot assign requested address)")


def test_a_service_file_of_a_process_that_is_gone_is_ignored(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / "service.json").write_text(
        json.dumps({"pid": gone.pid, "url": "http://127.0.0.1:9", "started_at": "2026-01-01T00:00:00+00:00"})
    )

    assert find_service(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"pid": -1, "url": "u", "started_at": "2026-01-01"}'])
def test_a_damaged_service_file_is_ignored(tmp_path, text):
    (tmp_path / "service.json").write_text(text)

    assert find_service(tmp_path) is None


def test_the_module_is_the_command():
    said = subprocess.check_output([sys.executable, "-m", "service.cli.main", "--version"], cwd=ROOT)

    assert said.startswith(b"mind-memory ")


def test_help_and_version_import_nothing_heavy(tmp_path):
    assert run("--version").stdout.startswith("mind-memory 0.")
    code = "import sys, service.cli.main; print([m for m in ('numpy', 'httpx', 'httpx2', 'fastapi', 'pydantic') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stdout.strip() == "[]"


def test_a_log_that_nobody_reads_holds_nobody_up_and_says_later_how_much_is_lost(tmp_path):
    """Broken: once the pipe is full, whoever logs waits for its reader, and so does each turn."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4_096)
    with serving(tmp_path / "home", log=writer, MIND_MEMORY_LOG_LEVEL="DEBUG") as (process, url):
        os.close(writer)
        with httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
            for batch in range(25):
                said = [{"role": "user", "content": "The sea was calm."}]
                turns = [{"turn_id": f"{batch}-{at}", "session_id": "s1", "messages": said} for at in range(100)]
                http.post("/v1/minds/ada/turns/batch", json={"turns": turns}).raise_for_status()
        with open(reader) as log:
            until_said = next(line for line in log if "log.lines_lost" in line)
            process.terminate()
            rest = log.read()

    assert int(until_said.rpartition("lines=")[2]) > 0
    assert "service.stopping" in rest
