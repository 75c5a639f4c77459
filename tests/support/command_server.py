"""
`mind-memory`, many times and quickly: a process that has imported it forks for each call, which has its own folder and streams.

``main`` serves at a socket's path. Run as a file, with that path and words, it is the command. What is called is the real `main`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from select import select

BACKLOG = 16


def serve(path):
    """Fork for each call, until it is ended."""
    import importlib
    import pkgutil

    import service.cli
    from service.cli.main import main

    for module in pkgutil.walk_packages(service.cli.__path__, "service.cli."):
        importlib.import_module(module.name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(BACKLOG)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that answer
        while True:
            caller, _ = listener.accept()
            with caller:
                if not os.fork():
                    listener.close()
                    _answer(caller, main)


def _answer(caller, main):
    """Fork the command, pass signals on to it, and say how it ended. It goes when its caller is gone. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked, streams, _, _ = socket.recv_fds(caller, 1_000_000, 3)
    child = os.fork()
    if not child:
        caller.close()
        _become(json.loads(asked), streams, main)
    for stream in streams:
        os.close(stream)
    ending = os.pidfd_open(child)
    while ending not in select([caller, ending], [], [])[0]:
        said = caller.recv(1)
        os.kill(child, said[0] if said else signal.SIGKILL)
        if not said:
            break
    _, status = os.waitpid(child, 0)
    with suppress(OSError):
        caller.sendall(str(os.waitstatus_to_exitcode(status) & 255).encode())
    os._exit(0)


def _become(asked, streams, main):
    """Be the command that was called; never returns."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, "r" if number == 0 else "w", closefd=False) for number in range(3)
    )
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = ["mind-memory", *asked["words"]]
    code = 1
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def call(path, words):
    """The status that the command ended with."""
    asked = {"words": words, "folder": os.getcwd(), "env": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as served:
        served.connect(path)
        socket.send_fds(served, [json.dumps(asked).encode()], [0, 1, 2])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: served.sendall(bytes([number])))
        return int(served.recv(8) or b"1")


def main():
    """Serve at the path that is the first word."""
    serve(sys.argv[1])


if __name__ == "__main__":
    sys.exit(call(sys.argv[1], sys.argv[2:]))
