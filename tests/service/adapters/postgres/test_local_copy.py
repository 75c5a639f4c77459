"""A machine's copy of a mind is made anew while others have its files open."""

import threading
from contextlib import suppress

from service.adapters.postgres.local_copy import LocalCopy


def test_a_copy_takes_the_place_of_one_in_which_somebody_makes_files(tmp_path):
    """Broken: ``_TRIES`` is 1."""
    copy, stop = LocalCopy("ada", tmp_path / "minds" / "ada"), threading.Event()
    copy.folder.mkdir(parents=True)

    def makes_files():
        while not stop.is_set():
            with suppress(OSError):  # its place is moved just now
                (copy.folder / "derived").mkdir(parents=True, exist_ok=True)

    other = threading.Thread(target=makes_files)
    other.start()
    try:
        for version in range(1, 301):
            fresh = LocalCopy("ada", tmp_path / "anew" / "ada", version=version)
            fresh.folder.mkdir(parents=True)
            (fresh.folder / "STORY.md").write_text(str(version))
            copy.become(fresh)
            assert (copy.version, (copy.folder / "STORY.md").read_text()) == (version, str(version))
    finally:
        stop.set()
        other.join()
