"""When Python looks for cycles: not when a process ends."""

import subprocess
import sys

import pytest

from tests.support.cli_process import environment

CYCLE = """
import os, sys
from service.runtime.garbage import collect_no_cycles_at_exit

class Cycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        os.write(1, b"collected")

{before}
Cycle()
"""


@pytest.mark.parametrize(("before", "said"), [("", "collected"), ("collect_no_cycles_at_exit()", "")])
def test_a_process_ends_without_a_search_for_cycles(before, said):
    program = [sys.executable, "-c", CYCLE.format(before=before)]

    assert subprocess.run(program, stdout=subprocess.PIPE, text=True, env=environment(), check=True).stdout == said
