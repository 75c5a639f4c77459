"""
`mind-memory keys`: made, listed and revoked in the home itself; a service that runs there sees it at once.

No door of the service makes keys, so a key can never make another.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

from rich.table import Table

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import checked_mind_id
from service.access.caller import OWNER
from service.access.keyring import Keyring
from service.access.keys import Key, digest_of, key_text
from service.adapters.chance import fresh_key_id, fresh_secret
from service.audit import Audit
from service.cli.configuration import read_settings
from service.cli.expiry import expiry_of
from service.cli.faults import CommandFailed
from service.cli.home import make_home
from service.cli.terminal import counted, note, one_line, out
from service.cli.zone import here
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LONGEST_NAME = 100


def create(*, name: str, minds: Sequence[str], expires: str | None, home: Path | None) -> None:
    """Make a key; it alone goes to stdout. Raises CommandFailed, InvalidMindId, KeysUnreadable."""
    folder = _home(home)
    clock = SystemClock()
    if not (name.strip() and name.isprintable() and len(name) <= _LONGEST_NAME):
        raise CommandFailed(f"--name must be printable text of at most {_LONGEST_NAME} characters")
    now = clock.now()
    opens = tuple(dict.fromkeys(checked_mind_id(mind) for mind in minds)) or None
    ends = expiry_of(expires, now=now, zone=here()) if expires is not None else None
    keyring, key_id, secret = Keyring(folder), fresh_key_id(), fresh_secret()
    is_first = not keyring.ring()
    while key_id in keyring.ring():
        key_id = fresh_key_id()
    keyring.add(Key(key_id, name.strip(), digest_of(secret), opens, now, ends))
    _note(folder, clock, "key.created", key=key_id, minds=list(opens) if opens else None)
    out().print(key_text(key_id, secret), soft_wrap=True)
    until = f", until {_told(ends)}" if ends else ""
    note(f"Key {key_id} opens {_opened(opens)}{until}. It is shown this once: only its SHA-256 is kept.")
    if is_first:
        note("From now on every call needs a key: `Authorization: Bearer mm_…`. Commands on this machine do not.")


def listed(*, home: Path | None) -> None:
    """Print a table. Raises KeysUnreadable."""
    now = SystemClock().now()
    keys = Keyring(_home(home)).ring()
    if not keys:
        out().print("No keys: whoever reaches the service on this machine may use it.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("id", "name", "opens", "created", "expires", "last used", "state"):
        table.add_column(heading, overflow="fold")
    for key in keys.values():
        used = _told(key.last_used_at) if key.last_used_at else "never"
        ends = _told(key.expires_at) if key.expires_at else "never"
        state = "revoked" if key.revoked_at else "live" if key.is_live(now) else "expired"
        opens = _opened(key.minds)
        table.add_row(key.key_id, one_line(key.name), opens, _told(key.created_at), ends, used, state)
    out().print(table)


def revoke(*, key: str, home: Path | None) -> None:
    """Revoke it; one that is revoked stays so. Raises CommandFailed where there is no such key, KeysUnreadable."""
    folder = _home(home)
    clock = SystemClock()
    keyring = Keyring(folder)
    found = keyring.ring().get(key)
    if found is None:
        raise CommandFailed("there is no key of this id; `mind-memory keys list` shows them")
    if found.revoked_at is not None:
        out().print(f"Key {key} ({one_line(found.name)}) was revoked on {_told(found.revoked_at)} already.")
        return
    keyring.revoke(key, now=clock.now())
    _note(folder, clock, "key.revoked", key=key)
    left = sum(one.is_live(clock.now()) for one in keyring.ring().values())
    rest = counted(left, "key") if left else "no key"
    out().print(f"Key {key} ({one_line(found.name)}) is revoked and opens nothing any more; {rest} still does.")


def _note(folder: Path, clock: SystemClock, action: str, *, key: str, **details: object) -> None:
    asyncio.run(Audit(folder, clock=clock).note(action, by=OWNER.name, mind_id=None, key=key, **details))


def _home(home: Path | None) -> Path:
    configure_logs(level="ERROR", as_json=False)
    folder = read_settings(home=home).folder
    make_home(folder)
    return folder


def _opened(minds: Sequence[str] | None) -> str:
    return "all minds" if minds is None else ", ".join(minds)


def _told(instant: datetime) -> str:
    """``2026-01-09 18:30``, where the person lives."""
    return f"{instant.astimezone(here()):%Y-%m-%d %H:%M}"
