"""Running `mind-memory` at a terminal, as a person does: colours, questions, bars."""

from __future__ import annotations

import contextlib
import os
import pty
import signal

from tests.support.cli_process import environment
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.waiting import GIVE_UP, end


def at_a_terminal(*words, said="", interrupted_after=None, **more):
    """
    Its exit code, and what it printed there, both streams in one; *said* is typed ahead.

    It is interrupted, as by Ctrl-C, once it has printed *interrupted_after*.
    """
    ours, theirs = pty.openpty()
    process = ForkedProcess(
        [MIND_MEMORY, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(TERM="xterm", **more)
    )
    os.close(theirs)
    os.write(ours, said.encode())
    printed = b""
    with contextlib.suppress(OSError):  # how Linux says that the other side has gone
        while piece := os.read(ours, 65536):
            printed += piece
            if interrupted_after is not None and interrupted_after.encode() in printed:
                process.send_signal(signal.SIGINT)
                interrupted_after = None
    os.close(ours)
    try:
        process.wait(GIVE_UP)
    finally:
        end(process)
    return process.returncode, printed.decode()
