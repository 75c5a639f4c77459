"""
Ends the PostgreSQL servers of a folder and deletes it, once nobody uses it any more: `postgres_guard.py FOLDER`.

A process of its own, because the tests that use them may be killed. Every process that uses the servers holds the FIFO
``users`` open for writing, which the kernel closes however the process ends.
"""

import fcntl
import os
import select
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

PATIENCE = 20.0  # seconds that a server may take to end


def main():
    folder = Path(sys.argv[1])
    users = os.open(folder / "users", os.O_RDONLY | os.O_NONBLOCK)  # the starter holds it already
    if os.fork():
        os._exit(0)  # so that the starter has no child to look after
    os.setsid()
    with (folder / "lock").open() as lock:
        while True:
            select.select([users], [], [])
            fcntl.flock(lock, fcntl.LOCK_EX)  # while it is held nobody begins to use the servers
            if not is_held(users):
                break
            fcntl.flock(lock, fcntl.LOCK_UN)
        (folder / "users").unlink()
        for file in folder.rglob("*.pid"):
            end(file)
        shutil.rmtree(folder, ignore_errors=True)


def is_held(users):
    """Whether a process has it open; otherwise reading finds its end."""
    try:
        return bool(os.read(users, 1))
    except BlockingIOError:
        return True


def end(pid_file):
    """Stop a server at once, as PostgreSQL provides: its processes go, and give back what they share."""
    with suppress(OSError, ValueError, IndexError, psutil.NoSuchProcess):
        server = psutil.Process(int(pid_file.read_text().split()[0]))
        if not any(word.startswith(str(pid_file.parent)) for word in server.cmdline()):
            return  # the server was killed, and its number went to somebody else
        server.send_signal(signal.SIGCONT)
        server.send_signal(signal.SIGQUIT)
        give_up_at = time.monotonic() + PATIENCE
        while is_alive(server) and time.monotonic() < give_up_at:
            time.sleep(0.02)
        server.kill()


def is_alive(process):
    """Whether it runs; one that ended stays in the list of processes until somebody takes note of that."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


if __name__ == "__main__":
    main()
