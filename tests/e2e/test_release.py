"""
A release, as a stranger has it: wheels in a clean environment, from another folder, with the checkout removed.

The environment gets the locked packages from uv's cache, without a network. Where that cache lacks one, as on a machine whose
environment was made by other means, the tests that need it are skipped and say so; what is in the wheels is tested all the same.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from consolidation.kernel.release import DISTRIBUTION
from tests.support.cli_process import until_digested
from tests.support.helm import HELM
from tests.support.once import made_once
from tests.support.paths import ROOT
from tests.support.waiting import GIVE_UP, end, until


CONSOLE = "service/console/static"
COMPILED = "client-ts/dist/src"
NODE_TOOLS = [found for name in ("node", "npm") if (found := shutil.which(name))]
PACKAGES = ("service", "consolidation", "prompts", "workspace_template")
NAME = f"{DISTRIBUTION}-{tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['version']}"

pytestmark = pytest.mark.skipif(
    not (ROOT / CONSOLE / "index.html").exists(), reason="the console is not built: `make console`"
)

SCRIPT = """
import { MemoryClient } from "mind-memory-client";
import { memoryMiddleware } from "mind-memory-client/ai-sdk";

const memory = new MemoryClient();
await memory.storeTurn("ada", "chat-1", "My mother lives in Lyon.");
for (;;) {
  const { block } = await memory.resonance("ada", "chat-2", "Where does my mother live?", { deadlineMs: 0 });
  if (block) { console.log(block, typeof memoryMiddleware); break; }
  await new Promise((go) => setTimeout(go, 30));
}
"""


def runs(uv):
    """Whether this is a uv: a version manager leaves a stand-in on the path, which knows one in some folders only."""
    if uv is None or not Path(uv).exists():
        return False
    return subprocess.run([uv, "--version"], cwd=ROOT, capture_output=True).returncode == 0


UV = next(filter(runs, [ROOT / ".venv" / "uv" / "bin" / "uv", shutil.which("uv")]), None)


def tracked(*folders):
    """The files of these folders that a commit holds, or would hold."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def release(checkout, to, **more):
    return subprocess.run(
        [sys.executable, "release/build.py", "--to", str(to)],
        cwd=checkout, capture_output=True, text=True, timeout=GIVE_UP, env={**os.environ, **more},
    )  # fmt: skip


def copied(folder):
    """A copy of the checkout in *folder*, with a stray file of an older build in it."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    shutil.copytree(ROOT / CONSOLE, folder / CONSOLE)
    if (ROOT / COMPILED / "schema.d.ts").is_file():
        shutil.copytree(ROOT / COMPILED, folder / COMPILED)
    stale = folder / "build" / "lib" / "service" / "stale.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return copied(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A release by a machine without Docker, twice the same; the copy that it was made of is gone afterwards."""
    return made_once(tmp_path_factory, "release", released) / "dist"


def released(folder):
    tools, source, to = folder / "tools", folder / "removed", folder / "dist"
    for made in (tools, source):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
    for tool in NODE_TOOLS:
        (tools / Path(tool).name).symlink_to(Path(tool).resolve())
    copied(source)
    made, again = (release(source, where, PATH=str(tools)) for where in (to, to.with_name("again")))
    assert made.returncode == again.returncode == 0, made.stderr + again.stderr
    assert "no Docker answers here" in made.stdout
    assert (to / "SHA256SUMS").read_text() == (to.with_name("again") / "SHA256SUMS").read_text()
    shutil.rmtree(source)


def wheel_of(dist, distribution):
    [file] = dist.glob(f"{distribution}-*.whl")
    return file


def names_in(wheel):
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


def test_each_file_has_its_checksum(dist):
    told = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())

    assert told == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in dist.iterdir() if file.name != "SHA256SUMS"
    }
    assert {f"{NAME}-docker.tar.gz", f"{NAME}-requirements.lock"} < told.keys()


def test_all_that_the_packages_hold_is_in_the_wheel(dist):
    held = {
        name
        for name in tracked(*PACKAGES)
        if not (name.startswith(("service", "consolidation")) and name.endswith(".md"))
    }
    held |= {file.relative_to(ROOT).as_posix() for file in (ROOT / CONSOLE).rglob("*") if file.is_file()}

    packed = names_in(wheel_of(dist, "mind_memory_service"))

    assert held - packed == set()
    assert "service/stale.py" not in packed
    assert {name.split("/")[0] for name in packed if ".dist-info" not in name} == {*PACKAGES, "mind_memory_client"}


def test_the_clients_wheel_is_the_client_alone(dist):
    packed = names_in(wheel_of(dist, "mind_memory_client"))

    assert {name.removeprefix("client/") for name in tracked("client/mind_memory_client")} - packed == set()
    assert {name.split("/")[0] for name in packed if ".dist-info" not in name} == {"mind_memory_client"}


@pytest.fixture(scope="module")
def npm_package(dist):
    """The TypeScript client as it is released."""
    if len(NODE_TOOLS) < 2 or not (ROOT / COMPILED / "schema.d.ts").is_file():
        pytest.skip("the TypeScript client is not compiled: `make client`")
    [file] = dist.glob("mind-memory-client-*.tgz")
    return file


def test_the_npm_package_is_the_client_alone(npm_package):
    with tarfile.open(npm_package) as packed:
        held = {name.removeprefix("package/") for name in packed.getnames()}

    modules = {Path(name).stem for name in tracked("client-ts/src") if name.endswith(".ts")}
    assert held == {"package.json", "README.md", "LICENSE", "NOTICE", "dist/src/schema.d.ts"} | {
        f"dist/src/{name}{ending}" for name in modules for ending in (".js", ".d.ts")
    }
    assert npm_package.name == f"mind-memory-client-{NAME.rpartition('-')[2]}.tgz"


def test_where_there_is_no_npm_the_release_says_that_it_lacks_the_client(checkout, tmp_path):
    (tmp_path / "tools").mkdir()

    made = release(checkout, tmp_path / "dist", PATH=str(tmp_path / "tools"))

    assert made.returncode == 0 and "it is left out, and `make client` says why" in made.stdout
    assert not [*(tmp_path / "dist").glob("mind-memory-client-*.tgz")]


def test_the_image_is_built_of_what_the_archive_holds(dist):
    with tarfile.open(dist / f"{NAME}-docker.tar.gz") as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
        owners = {(member.uid, member.uname) for member in packed.getmembers()}

    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "docker" / "Dockerfile").read_text(), re.MULTILINE)
    assert {source.rstrip("/") for words in copied for source in words.split()} - held == set()
    assert {"compose.yaml", "docker/compose.yaml", "docker/Dockerfile", ".dockerignore"} <= held
    assert not any(set(Path(name).parts) & {"__pycache__", "node_modules", ".env", "static"} for name in held)
    assert owners == {(0, "")}


def test_the_chart_is_packed_as_helm_packs_it_and_is_the_one_of_the_checkout(dist, tmp_path):
    version = NAME.removeprefix(f"{DISTRIBUTION}-")
    file = dist / f"mind-memory-{version}.tgz"
    with tarfile.open(file) as packed:
        held = {one.name: packed.extractfile(one).read() for one in packed}
    there = {f"mind-memory/{Path(name).relative_to('docker/chart')}": (ROOT / name) for name in tracked("docker/chart")}

    assert held == {name: path.read_bytes() for name, path in there.items()}
    assert next(iter(held)) == "mind-memory/Chart.yaml"
    if HELM is None:
        pytest.skip("there is no helm here, which packs it, too: `make helm`")
    made = subprocess.run([HELM, "package", ROOT / "docker" / "chart", "--destination", tmp_path], capture_output=True)
    assert made.returncode == 0, made.stderr
    with tarfile.open(tmp_path / file.name) as packed:
        assert set(packed.getnames()) == set(held)
    linted = subprocess.run([HELM, "lint", "--strict", file], capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout


def test_a_chart_of_another_version_ends_the_release(tmp_path):
    checkout = copied(tmp_path / "checkout")
    about = checkout / "docker" / "chart" / "Chart.yaml"
    about.write_text(about.read_text().replace("version: 0.1.0", "version: 0.0.9"))

    made = release(checkout, tmp_path / "dist")

    assert made.returncode != 0 and "docker/chart/Chart.yaml has the versions" in made.stderr


def test_where_docker_answers_the_image_is_in_the_release(checkout, tmp_path):
    tools, to = tmp_path / "tools", tmp_path / "dist"
    tools.mkdir()
    (tools / "docker").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ncase $1 in save) echo layers;; build) test -f docker/Dockerfile;; esac\n'
    )
    (tools / "docker").chmod(0o755)

    made = release(checkout, to, PATH=f"{tools}:{os.environ['PATH']}")

    tag = NAME.replace("-0", ":0")
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "calls").read_text().splitlines()[1:] == [
        f"build --tag {tag} --file docker/Dockerfile .", f"save {tag}",
    ]  # fmt: skip
    assert f"{NAME}-image.tar.gz" in (to / "SHA256SUMS").read_text()


def test_a_folder_of_other_things_is_left_alone(checkout, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")

    made = release(checkout, tmp_path)

    assert made.returncode != 0 and "holds something else than a release" in made.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def uv(*words):
    """uv, without a network. Where its cache lacks a package, the test is skipped."""
    command = [str(UV), *map(str, words), "--offline"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GIVE_UP)
    if "network was disabled" in done.stderr or "network connectivity is disabled" in done.stderr.lower():
        pytest.skip(f"uv's cache lacks a locked package: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stderr


def environment_of(folder, wheel, lock, *, dependencies="--require-hashes"):
    """A clean environment with the locked packages and *wheel*."""
    if UV is None:
        pytest.skip("there is no uv here, whose cache the packages come from")
    python = folder / "bin" / "python"
    uv("venv", "-q", "--python", sys.executable, folder)
    uv("pip", "sync", "-q", dependencies, "--python", python, lock)
    uv("pip", "install", "-q", "--no-deps", "--python", python, wheel)
    return folder / "bin"


@pytest.fixture(scope="module")
def installed(dist, tmp_path_factory):
    """The commands of an environment with the service's wheel; the copy it was made of is gone."""
    folder = tmp_path_factory.mktemp("clean") / "env"
    return environment_of(folder, wheel_of(dist, "mind_memory_service"), dist / f"{NAME}-requirements.lock")


def surroundings(folder):
    """What a shell in *folder* hands on: no path of the project."""
    return {"PATH": os.defpath, "HOME": str(folder), "MIND_MEMORY_HOME": str(folder / "home"), "COLUMNS": "200"}


def run(command, *words, folder):
    return subprocess.run(
        [command, *words], cwd=folder, capture_output=True, text=True, timeout=GIVE_UP, env=surroundings(folder)
    )


@contextmanager
def served(commands, folder):
    """The address of the installed service on a free port."""
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [commands / "mind-memory", "serve", "--port", "0"],
            cwd=folder,
            stdout=log,
            stderr=log,
            env=surroundings(folder),
        )
    try:
        until(lambda: process.poll() is not None or "http://127.0.0.1:" in (folder / "log.txt").read_text())
        assert process.poll() is None, (folder / "log.txt").read_text()
        yield re.search(r"http://127\.0\.0\.1:\d+", (folder / "log.txt").read_text()).group()
    finally:
        end(process)


def said(session_id, words):
    return {"session_id": session_id, "messages": [{"role": "user", "content": words}]}


@pytest.mark.parametrize("command", ["mind-memory", "mind-memory-service"])
def test_the_command_explains_itself(installed, tmp_path, command):
    helped = run(installed / command, "--help", folder=tmp_path)
    versioned = run(installed / command, "--version", folder=tmp_path)

    assert helped.returncode == 0 and "doctor" in helped.stdout
    assert versioned.stdout == f"mind-memory {NAME.rpartition('-')[2]}\n"


def test_the_doctor_finds_nothing_broken(installed, tmp_path):
    done = run(installed / "mind-memory", "doctor", folder=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "multilingual-e5-small, weights verified" in done.stdout


def test_a_turn_surfaces_later_and_the_console_is_served(installed, tmp_path):
    with served(installed, tmp_path) as url, httpx2.Client(base_url=url, timeout=GIVE_UP) as http:
        kept = http.post("/v1/minds/ada/turns", json=said("chat-1", "My mother lives in Lyon."))
        until_digested(url, "ada")
        found = http.post(
            "/v1/minds/ada/resonance", json=said("chat-2", "Where does my mother live?") | {"deadline_ms": 0}
        )
        console = http.get("/console/")
        example = http.post("/v1/example")

    assert kept.status_code == 202
    assert "Lyon" in found.json()["volatile"]["text"], found.text
    assert console.status_code == 200 and "<script" in console.text
    assert example.is_success, example.text
    assert (tmp_path / "home" / "minds" / "ada" / "SOUL.md").exists()


def test_a_script_with_the_npm_package_remembers(npm_package, installed, tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "script.js").write_text(SCRIPT)
    nowhere = {**surroundings(tmp_path), "PATH": f"{Path(NODE_TOOLS[0]).parent}:{os.defpath}"}
    words = ["npm", "install", "--offline", "--no-audit", "--no-fund", str(npm_package)]

    added = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=GIVE_UP, env=nowhere)
    assert added.returncode == 0, added.stderr
    with served(installed, tmp_path) as url:
        nowhere["MIND_MEMORY_URL"] = url
        done = subprocess.run(
            ["node", "script.js"], cwd=tmp_path, capture_output=True, text=True, timeout=GIVE_UP, env=nowhere
        )

    assert done.returncode == 0 and "My mother lives in Lyon" in done.stdout, done.stderr


def test_the_client_is_installed_without_the_service(dist, tmp_path):
    needed = {"anyio", "httpx2", "httpcore2", "pydantic", "pydantic-core", "typing-extensions", "typing-inspection"}
    needed |= {"annotated-types", "idna", "h11", "certifi", "truststore", "sniffio"}
    lock = tmp_path / "client.lock"
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", (dist / f"{NAME}-requirements.lock").read_text(), re.MULTILINE)
    lock.write_text("".join(f"{name}=={version}\n" for name, version in pins if name in needed))
    commands = environment_of(tmp_path / "env", wheel_of(dist, "mind_memory_client"), lock, dependencies="--no-config")
    words = (
        "import importlib.util as u, mind_memory_client as m; print(m.MemoryClient.__name__, u.find_spec('service'))"
    )

    done = run(commands / "python", "-I", "-c", words, folder=tmp_path)

    assert done.stdout == "MemoryClient None\n", done.stderr
