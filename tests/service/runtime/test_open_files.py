"""A service may open as many files as the system allows it."""

import resource
import subprocess
import sys

from tests.support.paths import ROOT

LOOK = "import resource; from service.runtime.open_files import allow_many_open_files as allow; allow(); print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"


def test_a_low_limit_is_raised_as_far_as_it_may_be():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)

    said = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard)),
    )

    assert int(said.stdout) == most
