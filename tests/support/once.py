"""What costs long to make and only is read is made once for all processes of a test run."""

import os

from filelock import FileLock

from tests.support.waiting import GIVE_UP


def made_once(tmp_path_factory, name, make):
    """The folder *name* that *make* fills, whichever process of this run comes first; a failure is everybody's own."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock", timeout=6 * GIVE_UP):
        done = folder / ".made"
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
