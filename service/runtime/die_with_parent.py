"""
Becomes another program that dies with its parent: `python die_with_parent.py PARENT PROGRAM [WORD]…`, run as a script.

It is a program of its own and not a `preexec_fn`, because that makes Python fork, and a fork first waits for what
libraries have to finish. OpenBLAS then waits for its threads, for ever when they are busy: the whole service hung.
"""

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2): Linux only


def main() -> None:
    """Ask the kernel to kill us with our parent, then become the program."""
    parent, *words = sys.argv[1:]
    # Not SIGTERM: the next owner may come before a slow shutdown ends.
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("the parent is gone already")
    os.execv(words[0], words)  # noqa: S606 - the words are the caller's


if __name__ == "__main__":
    main()
