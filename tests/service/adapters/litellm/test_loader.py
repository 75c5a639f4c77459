"""litellm is imported once, by one thread, however many ask for it at once; and anew where that failed."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

# In litellm's place, since its own import fails at no step one could name: slow, and broken where SPOILED says so.
PACKAGE = """
import os, time
imported = int(os.environ.get("IMPORTED", 0)) + 1
os.environ["IMPORTED"] = str(imported)
from .exceptions import Timeout
time.sleep(0.5)
if imported <= int(os.environ["SPOILED"]):
    raise ImportError("a package of its is half there")
"""
ASKED_AT_ONCE = """
import asyncio, os
from service.adapters.litellm.loader import open_litellm

async def ask(later):
    await asyncio.sleep(later / 10)
    try:
        litellm = await open_litellm()
        return f"{litellm.exceptions.Timeout.__name__} {litellm.telemetry}"
    except ImportError as error:
        return str(error)

async def main():
    print(sorted(await asyncio.gather(*map(ask, range(4)))), os.environ["IMPORTED"])

asyncio.run(main())
"""
WHOLE, BROKEN = "Timeout False", "a package of its is half there"


@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        (0, f"{[WHOLE] * 4} 1"),
        (1, f"{[WHOLE, WHOLE, WHOLE, BROKEN]} 2"),
        (3, f"{[WHOLE] + [BROKEN] * 3} 4"),
    ],
)
def test_whoever_asks_gets_a_whole_module_or_the_reason(tmp_path, spoiled, said):
    (tmp_path / "litellm").mkdir()
    (tmp_path / "litellm/__init__.py").write_text(PACKAGE)
    (tmp_path / "litellm/exceptions.py").write_text("class Timeout(Exception):\n    pass\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}", "SPOILED": str(spoiled)}

    done = subprocess.run([sys.executable, "-c", ASKED_AT_ONCE], env=env, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr


IMPORTED_AGAIN = """
import asyncio, sys
from service.adapters.litellm.loader import open_litellm

asyncio.run(open_litellm())
del sys.modules["litellm"]  # as an import leaves it that failed outside of ours; its submodules stay
print(asyncio.run(open_litellm()).exceptions.Timeout.__name__)
"""


def test_a_package_that_is_imported_a_second_time_has_the_submodules_that_are_there(tmp_path):
    (tmp_path / "litellm").mkdir()
    (tmp_path / "litellm/__init__.py").write_text("from .exceptions import Timeout\n")
    (tmp_path / "litellm/exceptions.py").write_text("class Timeout(Exception):\n    pass\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}"}

    done = subprocess.run([sys.executable, "-c", IMPORTED_AGAIN], env=env, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout.strip()) == (0, "Timeout"), done.stderr


WARNED = """
import asyncio, warnings
from pydantic import BaseModel
from service.adapters.litellm.loader import open_litellm

class Message(BaseModel):
    content: str

asyncio.run(open_litellm())
print(Message.model_construct(content=["My mother lives in Lyon."]).model_dump())
"""


def test_an_answer_of_another_shape_than_litellm_has_is_not_quoted_on_stderr(tmp_path):
    """Broken: pydantic warns of the field, with what it holds, when litellm passes the answer on."""
    (tmp_path / "litellm").mkdir()
    (tmp_path / "litellm/__init__.py").write_text("from .exceptions import Timeout\n")
    (tmp_path / "litellm/exceptions.py").write_text("class Timeout(Exception):\n    pass\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}"}

    done = subprocess.run([sys.executable, "-c", WARNED], env=env, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout.strip()) == (0, "{'content': ['My mother lives in Lyon.']}"), done.stderr
    assert "Lyon" not in done.stderr


CALLED = """
import asyncio, sys
from service.adapters.litellm.loader import open_litellm
from tests.twins.provider import ScriptedProvider

async def main():
    litellm = await open_litellm()
    known = set(sys.modules)
    with ScriptedProvider(respond=lambda _: "In Lyon.") as provider:
        to = {"api_base": provider.url, "api_key": "k"}
        asked = [{"role": "user", "content": "Where does my mother live?"}]
        await litellm.acompletion(model="openai/scripted", messages=asked, **to)
        async for _ in await litellm.acompletion(model="openai/scripted", messages=asked, stream=True, **to):
            pass
        await litellm.aembedding(model="openai/scripted", input=["Lyon"], encoding_format="float", **to)
    print(sorted(name for name in set(sys.modules) - known if name.startswith("openai.")))

asyncio.run(main())
"""


def test_two_first_calls_import_nothing_of_openais_at_once():
    """Broken: the warm-up and a first chat each waited for what the other imported, and one of them failed."""
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"}

    done = subprocess.run([sys.executable, "-c", CALLED], env=env, capture_output=True, text=True, timeout=120)

    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
