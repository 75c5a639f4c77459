"""Threads of a service share two arenas of the allocator, unless the environment says otherwise."""

import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

# Each of eight threads allocates while all others do, so that the allocator would give each an arena of its own.
LOOK = """
import re, threading
from service.adapters.memory_arenas import keep_few_arenas
print(keep_few_arenas())
together, kept = threading.Barrier(8), []
def allocate():
    for _ in range(50):
        together.wait()
        kept.append([bytes(2_000) for _ in range(300)])
threads = [threading.Thread(target=allocate) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
import ctypes, ctypes.util
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(b"arenas.xml", b"w")
libc.malloc_info(0, ctypes.c_void_p(file)); libc.fclose(ctypes.c_void_p(file))
print(len(re.findall("<heap nr", open("arenas.xml").read())))
"""


def arenas(folder, **more):
    """What ``keep_few_arenas`` answers in a process of its own, and how many arenas there are after threads allocated."""
    env = {**{name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}, **more}
    words = [sys.executable, "-c", LOOK]
    said = subprocess.run(
        words, cwd=folder, env={**env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    is_kept, count = said.stdout.split()
    return is_kept == "True", int(count)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's allocator is meant")
def test_threads_share_two_arenas_unless_the_environment_says_how_many(tmp_path):
    is_left_alone, many = arenas(tmp_path, MALLOC_ARENA_MAX="16")

    assert arenas(tmp_path) == (True, 2)
    assert is_left_alone is False and many > 2
