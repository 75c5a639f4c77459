"""
Where commands find a running service: ``<home>/service.json``, which exists while the service listens.

The token in it lets commands of the home's owner in without a key, so only the owner can read the file. A service that
was killed leaves its file behind; the file then names a process that is gone, and is ignored. So is a file in a copy of
a home that was in use: a command that is meant for the copy must not reach the service of the home itself.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import structlog
from pydantic import SecretStr

from consolidation.kernel.files import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "service.json"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Presence:
    """
    A service that listens: its process and address, since when (aware, UTC), and the token of the home's owner.

    ``is_of_host`` where `mind-memory mcp` opened the home for an MCP host, since no service was running.
    """

    pid: int
    url: str
    started_at: datetime
    token: SecretStr
    is_of_host: bool = False


@contextmanager
def announced(home: Path, presence: Presence) -> Iterator[None]:
    """
    Write the service's address into *home* for as long as the block runs.

    Where that fails, the service runs all the same, and commands do not find it.
    """
    file = home / FILE
    try:
        document = {
            "pid": presence.pid,
            "url": presence.url,
            "started_at": presence.started_at.isoformat(),
            "token": presence.token.get_secret_value(),
            "is_of_host": presence.is_of_host,
            "folder": _number(home),
        }
        replace_text(file, json.dumps(document) + "\n")
    except OSError as error:
        log.warning("service_file.unwritable", file=str(file), reason=str(error))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def find_service(home: Path) -> Presence | None:
    """The service that wrote its address into *home*, if its process is alive. It may not answer yet, or any more."""
    try:
        document = json.loads((home / FILE).read_text(encoding="utf-8"))
        found = Presence(
            pid=int(document["pid"]),
            url=str(document["url"]),
            started_at=datetime.fromisoformat(document["started_at"]),
            token=SecretStr(str(document.get("token", ""))),
            is_of_host=document.get("is_of_host") is True,
        )
        is_copied = document.get("folder", _number(home)) != _number(home)  # older versions write none
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if not is_copied and _is_alive(found.pid) else None


def _number(home: Path) -> str:
    """The number by which the disk knows the folder. It stays the same when the folder is moved; a copy has another."""
    found = home.stat()
    return f"{found.st_dev}:{found.st_ino}"


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
