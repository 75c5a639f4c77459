"""The TypeScript client: its own tests on each runtime, against a real service, and its package as a stranger has it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from contextlib import ExitStack, contextmanager

import pytest

from mind_memory_client import MemoryClient

from tests.client.conftest import ASKS, stored_turns
from tests.support.browser import CHROMIUM, chromium
from tests.support.cli_process import calling, serving, serving_commands
from tests.support.free_ports import free_port
from tests.support.once import made_once
from tests.support.paths import ROOT
from tests.support.scripted_bot import KNOWS, bot
from tests.support.waiting import GIVE_UP

CLIENT = ROOT / "client-ts"
PACKAGE = json.loads((CLIENT / "package.json").read_text())
PLACES = {"node-22": "node-linux-*/bin/node", "deno": "@deno/*/deno", "bun": "@oven/*/bin/bun"}
ON_NODE = ("--test", "--test-timeout=600000", "--test-force-exit")
WORDS = {"deno": ("test", "--allow-all", "--no-check"), "bun": ("test", "--timeout=600000")}
SUITE = ("dist/test/client.test.js", "dist/test/retry.test.js")
FRAMEWORKS = {"ai-6": ("ai_sdk", "mastra"), "ai-7": ("ai_sdk",)}
IN_A_PAGE = {"client.test.js": 22, "retry.test.js": 38, "browser/page.test.js": 2}
sys.path.insert(0, str(ROOT / "console"))
from build import node_is_new_enough  # noqa: E402

pytestmark = pytest.mark.timeout(900)
needs_node = pytest.mark.skipif(not node_is_new_enough(), reason="there is no npm with Node 20 or newer on the path")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Compile the client and its tests, and bring what they run on, once. Returns what was said."""
    return (made_once(tmp_path_factory, "client-ts", build) / "said.txt").read_text()


def build(folder):
    words = [sys.executable, CLIENT / "build.py", "--tests"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=GIVE_UP * 6)
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-4_000:]
    (folder / "said.txt").write_text(done.stdout)


@pytest.fixture(scope="module")
def runtime(built):
    """Find a runtime that works here by its name, or skip the test with the reason."""

    def find(name):
        if name == "node":
            return shutil.which("node")
        found = next((CLIENT / "runtimes" / "node_modules").glob(PLACES[name]), None)
        if found is None:
            pytest.skip(f"{name} can not be had here: {built}")
        asked = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=GIVE_UP)
        if asked.returncode:
            pytest.skip(f"{name} does not run here: {asked.stderr.strip()}")
        return str(found)

    return find


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """What tests call as Python, only to run `mind-memory`: the command is forked, so that a service starts at once."""
    file = tmp_path_factory.mktemp("python") / "python"
    with serving_commands() as path:
        file.write_text(f'#!/bin/sh\nshift 2  # -c and the code\n{calling(path)} "$@"\n')
        file.chmod(0o755)
        yield file


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory, python):
    """The environment of a runtime, whose tests start the service of this checkout."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MIND_MEMORY_")}
    quiet = {"NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1", "DENO_DIR": str(tmp_path_factory.mktemp("deno"))}
    return own | quiet | {"TEST_PYTHON": str(python), "TEST_ROOT": str(ROOT)}


def passed(words, *, env):
    """Run tests, all of which must pass. Returns how many did."""
    done = subprocess.run(words, cwd=CLIENT, capture_output=True, text=True, timeout=GIVE_UP * 5, env=env)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-12_000:]
    return int("".join(re.findall(r"pass (\d+)$|(\d+) pass", said, re.MULTILINE)[-1]))


@needs_node
@pytest.mark.parametrize("name", ["node", *PLACES])
def test_a_runtime_keeps_recalls_streams_and_repeats(name, runtime, surroundings):
    files = [f"./{file}" for file in SUITE]

    assert passed([runtime(name), *WORDS.get(name, ON_NODE), *files], env=surroundings) == 60


@needs_node
def test_the_frameworks_of_node_20_remember(runtime, surroundings):
    files = [f"dist/test/{name}.test.js" for name in ("ai_sdk", "mastra")]

    assert passed([runtime("node"), *ON_NODE, *files], env=surroundings) == 9


@needs_node
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_newer_frameworks_remember(name, built, runtime, surroundings):
    folder = CLIENT / "frameworks" / name / "dist" / "test"
    if not folder.is_dir():
        pytest.skip(f"{name} can not be had here: {built}")
    files = [str(folder / f"{one}.test.js") for one in FRAMEWORKS[name]]

    assert passed([runtime("node-22"), *ON_NODE, *files], env=surroundings) == 7 + len(files)


@contextmanager
def pages(surroundings):
    """The address of a server whose pages run the tests, with the services that they start under the same origin."""
    words = ["node", CLIENT / "dist" / "test" / "browser" / "harness.js"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, text=True, env=surroundings, **pipes) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.wait(GIVE_UP)


@needs_node
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: apt-get install chromium")
@pytest.mark.parametrize("file", IN_A_PAGE)
def test_a_page_keeps_recalls_streams_and_repeats(file, built, surroundings):
    with pages(surroundings) as url, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{url}/tests?{file}")
        results = page.evaluate("results")

    assert [one for one in results if one["error"]] == []
    assert len(results) == IN_A_PAGE[file]


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A folder in which the package is installed, as npm packs it."""
    folder = tmp_path_factory.mktemp("stranger")
    words = ["npm", "pack", "--ignore-scripts", "--offline", f"--pack-destination={folder}"]
    subprocess.run(words, cwd=CLIENT, check=True, capture_output=True, timeout=GIVE_UP)
    [file] = folder.glob("mind-memory-client-*.tgz")
    with tarfile.open(file) as packed:
        packed.extractall(folder / "node_modules", filter="data")
    (folder / "node_modules" / "package").rename(folder / "node_modules" / PACKAGE["name"])
    (folder / "node_modules" / "@types").symlink_to(CLIENT / "node_modules" / "@types")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def compiled(folder, **texts):
    """Compile *texts*, by their names, with the types of the package alone. Returns what the compiler finds wrong."""
    for name, text in texts.items():
        (folder / f"{name}.ts").write_text(text)
    tsc = CLIENT / "node_modules" / "typescript" / "bin" / "tsc"
    words = ["node", tsc, "--strict", "--target", "ES2022", "--module", "NodeNext", *(f"{name}.ts" for name in texts)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=GIVE_UP).stdout


@needs_node
def test_the_package_carries_its_types(installed):
    good = """
        import { MemoryClient } from "mind-memory-client";
        import { memoryMiddleware } from "mind-memory-client/ai-sdk";
        import type { paths } from "mind-memory-client/schema";
        const path: keyof paths = "/v1/minds/{mind_id}/turns";
        const { sequence } = await new MemoryClient().storeTurn("ada", "s1", "Hello.");
        const number: number = sequence;
        memoryMiddleware(new MemoryClient(), { mind: "ada", session: "s1" });
    """
    bad = good.replace(": number", ": string").replace("/turns", "/nothing")

    found = re.findall(r"^(\S+)\((\d+),\d+\): error", compiled(installed, good=good, bad=bad), re.MULTILINE)

    assert found == [("bad.ts", "5"), ("bad.ts", "7")]


@needs_node
def test_messages_of_an_sdk_or_of_your_own_go_in_and_come_out_as_what_they_are(installed):
    """As OpenAI's SDK has them: interfaces, one for each role, of which other calls take no other."""
    good = """
        import { MemoryClient } from "mind-memory-client";
        interface Part { type: "text"; text: string }
        interface System { role: "system"; content: string | Part[]; name?: string }
        interface User { role: "user"; content: string | Part[]; name?: string }
        interface Assistant { role: "assistant"; content?: string | Part[] | null; tool_calls?: { id: string }[] }
        interface Tool { role: "tool"; content: string | Part[]; tool_call_id: string }
        declare function create(body: { messages: (System | User | Assistant | Tool)[] }): Promise<{ choices: object[] }>;
        const memory = new MemoryClient();
        const history: (System | User | Assistant | Tool)[] = [];
        await memory.turn("ada", "s1", history, async (turn) => turn.answer(await create(turn)));
        await memory.turn("ada", "s1", "Hello.", async (turn) => turn.answer(await create(turn)));
        await memory.turn("ada", "s1", [{ role: "user", content: "Hi." }], async (turn) => turn.answer(await create(turn)));
        const turn = await memory.begin("ada", "s1", history);
        await create(turn);
        await memory.end(turn);
        await memory.resonance("ada", "s1", history);
        await memory.storeTurn("ada", "s1", history);
        await memory.storeTurns("ada", [{ session_id: "s1", messages: history }]);
        await memory.chat({ messages: history }, { mind: "ada" });
        await memory.storeTurn("ada", "s1", [{ role: "user", content: "Hi.", name: "Ann", mood: "merry" }]);
    """
    bad = good.replace("history: (System", "history: ({ role: 'critic' } | System")

    found = re.findall(r"^(\S+)\((\d+),\d+\): error", compiled(installed, good=good, bad=bad), re.MULTILINE)

    assert found == [("bad.ts", "11"), ("bad.ts", "15")]


@needs_node
def test_the_lines_of_the_readme_remember(installed, url, told_mind, home):
    [block] = re.findall(r"```ts\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    with bot() as provider:
        changed = block.replace("https://api.openai.com/v1", provider.url).replace('"ada"', json.dumps(told_mind))
        assert compiled(installed, readme=changed) == ""
        env = {**os.environ, "MIND_MEMORY_URL": url, "OPENAI_API_KEY": "k"}
        done = subprocess.run(["node", "readme.js"], cwd=installed, capture_output=True, text=True, env=env)

    assert done.returncode == 0, done.stderr
    assert stored_turns(home, told_mind)[1:] == [("chat-1", [("user", ASKS), ("assistant", KNOWS)])]


@needs_node
def test_deno_gives_it_leave_for_the_network_alone(installed, runtime, surroundings, url, told_mind):
    (installed / "asks.js").write_text(f"""
        import {{ MemoryClient }} from "mind-memory-client";
        const memory = new MemoryClient({{ url: "{url}" }});
        console.log((await memory.resonance("{told_mind}", "later", "{ASKS}", {{ deadlineMs: 0 }})).block);
    """)
    words = [runtime("deno"), "run", "--no-prompt", f"--allow-net={url.partition('//')[2]}", "asks.js"]

    done = subprocess.run(words, cwd=installed, capture_output=True, text=True, timeout=GIVE_UP, env=surroundings)

    assert "Lyon" in done.stdout, done.stderr


FOLLOWS = """
    import { MemoryClient } from "mind-memory-client";
    const memory = new MemoryClient({ url: process.argv[2], retry: { firstBackoffSeconds: 0.01 } });
    for await (const { kind } of memory.events("ada", { lastId: "unknown" })) console.log(kind);
"""


@needs_node
def test_events_go_on_when_the_service_starts_again(installed, tmp_path):
    """Broken: a restart ended them with Unreachable."""
    (installed / "follows.js").write_text(FOLLOWS)
    words = ["--port", str(port := free_port())]
    with ExitStack() as stack, MemoryClient(address := f"http://127.0.0.1:{port}") as memory:
        with serving(tmp_path / "home", *words):
            memory.store_turn("ada", "s1", "Hello.")
            node = ["node", "follows.js", address]
            following = stack.enter_context(subprocess.Popen(node, cwd=installed, text=True, stdout=subprocess.PIPE))
            stack.callback(following.kill)
            assert following.stdout.readline() == "reset\n"
        with serving(tmp_path / "home", *words):
            assert "reset\n" in following.stdout  # behind what else came of the first turn
            memory.store_turn("ada", "s1", "She likes tea.")
            assert "turn.kept\n" in following.stdout


def test_it_has_no_dependency_at_run_time():
    assert not {"dependencies", "optionalDependencies"} & PACKAGE.keys()
    assert all(PACKAGE["peerDependenciesMeta"][name]["optional"] for name in PACKAGE["peerDependencies"])
    for file in (CLIENT / "src").glob("*.ts"):
        sources = re.findall(r'(?:from|import) "([^"]+)"', file.read_text()) if file.name != "schema.d.ts" else []
        assert [one for one in sources if not one.startswith("./")] == [], file.name


@pytest.mark.parametrize("folder", ["", "runtimes", "frameworks"])
def test_its_locks_name_packages_by_their_hashes_and_no_registry(folder):
    locked = json.loads((CLIENT / folder / "package-lock.json").read_text())["packages"]
    packages = {
        place: one for place, one in locked.items()
        if place.startswith("node_modules/") and not one.get("inBundle") and not one.get("link")
    }  # fmt: skip

    assert packages
    assert all("integrity" in one and "resolved" not in one for one in packages.values())


def version(folder, place, parts):
    """The first *parts* of the version that is locked."""
    locked = json.loads((CLIENT / folder / "package-lock.json").read_text())["packages"]
    return ".".join(locked[place]["version"].split(".")[:parts])


def test_the_readme_names_the_versions_that_are_tested():
    text = (CLIENT / "README.md").read_text()
    at = "node_modules/"
    sdk = [version("", at + "ai", 1), version("frameworks", at + "ai", 1), version("frameworks", f"ai-7/{at}ai", 1)]
    mastra = [version(folder, at + "@mastra/core", 2) for folder in ("", "frameworks")]

    assert f"Vercel AI SDK {', '.join(sdk)} |" in text
    assert f"Mastra {', '.join(mastra)} |" in text
    assert f"Deno {version('runtimes', at + 'deno', 2)}, Bun {version('runtimes', at + 'bun', 2)}" in text


def test_make_reaches_it():
    makefile = (ROOT / "Makefile").read_text()

    assert "client-ts/build.py --check" in makefile
    assert "make check" in (ROOT / ".ci" / "run").read_text()
