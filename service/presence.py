"""
Where a running service is found: ``<home>/service.json``, written while it listens, removed when it stops.

Only its owner can read the file: the token in it opens the service to the commands of whoever could read the home. A
file left behind by a service that was killed names a process that is gone: it is ignored.
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
    """A service that listens: its process, its address, since when (aware, UTC), and what opens it to its owner."""

    pid: int
    url: str
    started_at: datetime
    token: SecretStr


@contextmanager
def announced(home: Path, presence: Presence) -> Iterator[None]:
    """Tell whoever looks into *home* where the service listens, for as long as the block runs, if the disk has room."""
    file = home / FILE
    said = {
        "pid": presence.pid,
        "url": presence.url,
        "started_at": presence.started_at.isoformat(),
        "token": presence.token.get_secret_value(),
    }
    try:
        replace_text(file, json.dumps(said) + "\n")
    except OSError as error:
        log.warning("presence.unwritable", file=str(file), reason=str(error))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def find_service(home: Path) -> Presence | None:
    """The service that announced itself in *home*, if its process is alive; whether it answers is for you to ask."""
    try:
        said = json.loads((home / FILE).read_text(encoding="utf-8"))
        began, token = datetime.fromisoformat(said["started_at"]), SecretStr(str(said.get("token", "")))
        found = Presence(int(said["pid"]), str(said["url"]), began, token)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if _is_alive(found.pid) else None


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
