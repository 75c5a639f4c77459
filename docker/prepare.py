#!/usr/bin/env python3
"""
Gives the data folder to the user that the service runs as, or says what to do.

The engine creates a missing folder as root's. This script runs as root, once, before the service starts. It changes the
owner of an empty folder only, since files in a folder belong to somebody.
"""

import os
import sys
from pathlib import Path

_DATA, _CHECKOUT = Path("/data"), Path("/checkout")
_TRIAL = ".can-be-written"
_ROOT = 0
_ALL_USERS = "4294967295"  # in uid_map: root in this container is also root on the machine


def prepare(uid: int, gid: int, name: str) -> str:
    """Return what is wrong and how to repair it; "" if *uid* can write the folder, which people know as *name*."""
    if uid == _ROOT and _is_root_of_machine():
        return "MIND_MEMORY_UID=0 would run the service as root: put your own user id (`id -u`) into .env"
    if _can_write(uid, gid):
        return ""
    return _obstacle(uid, gid, name) or _give_folder(uid, gid, name)


def _obstacle(uid: int, gid: int, name: str) -> str:
    """Why the folder should not be given to *uid*; "" if it may."""
    data, person = _DATA.stat(), _owner_of_checkout()
    if data.st_uid not in {_ROOT, uid}:
        return f"{name} belongs to the user {data.st_uid}, and the service runs as {uid}: {_env_lines(data)}"
    if data.st_uid == _ROOT and any(_DATA.iterdir()):
        return f"{name} belongs to root, and the service runs as {uid}: run `sudo chown -R {uid}:{gid} {name}`"
    if person is not None and person.st_uid == _ROOT and not _is_root_of_machine():
        return f"this engine runs without root, where you are the user 0: {_env_lines(person)}"
    if person is not None and person.st_uid not in {_ROOT, uid}:
        return f"you are the user {person.st_uid}, and {name} would belong to {uid}: {_env_lines(person)}"
    return ""


def _give_folder(uid: int, gid: int, name: str) -> str:
    try:
        _DATA.chmod(0o700)
        os.chown(_DATA, uid, gid)
    except OSError as error:
        return f"{name} can not be given to the user {uid} ({error.strerror}): run `sudo chown {uid}:{gid} {name}`"
    return "" if _can_write(uid, gid) else f"the user {uid} can not write {name}: check its permissions"


def _env_lines(owner: os.stat_result) -> str:
    return f"put MIND_MEMORY_UID={owner.st_uid} and MIND_MEMORY_GID={owner.st_gid} into .env"


def _can_write(uid: int, gid: int) -> bool:
    """Whether that user can make a file in the folder. It is tried, since desktop file systems map owners freely."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
            trial = _DATA / f"{_TRIAL}-{os.getpid()}"
            trial.touch(exist_ok=False)
            trial.unlink()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _owner_of_checkout() -> os.stat_result | None:
    try:
        return _CHECKOUT.stat()
    except OSError:  # SELinux may hide it
        return None


def _is_root_of_machine() -> bool:
    return Path("/proc/self/uid_map").read_text(encoding="ascii").split()[-1] == _ALL_USERS


if __name__ == "__main__":
    problem = prepare(int(os.environ["MEMORY_UID"]), int(os.environ["MEMORY_GID"]), os.environ["MEMORY_DATA"])
    if problem:
        sys.exit(f"The data folder can not be used: {problem}; then `docker compose up` again.")
