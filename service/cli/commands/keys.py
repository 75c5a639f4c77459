"""
`mind-memory keys`: made, listed and revoked in the home itself; a service that runs there sees it at once.

No route of the service makes keys, so a key can never make another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import mind_id_of
from service.access.audit_log import AuditLog
from service.access.keyring import FILE, Keyring
from service.access.keys import ApiKey, digest_of, key_text
from service.access.principal import OWNER
from service.adapters.local_zone import here
from service.adapters.random_ids import fresh_key_id, fresh_secret
from service.cli.command import CommandFailed, Context, command, group, make_home
from service.cli.connection import elsewhere
from service.cli.output.terminal import (
    counted,
    minute,
    note,
    one_line,
    out,
    plain_table,
    ready_to_type,
    shortened,
    show_json,
    typed,
)
from service.settings.settings import Settings

app = group("Make and revoke API keys; once there is one, every call needs one.")

_LONGEST_NAME = 100
_SPAN = re.compile(r"([0-9]{1,5})([hdwy])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "y": 24 * 365}


@app.command()
@command(has_url=False)
async def create(
    context: Context,
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Who or what will hold it.")],
    mind: Annotated[
        list[str] | None, typer.Option("--mind", metavar="ID", help="A mind it opens, repeatable; all without one.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="WHEN", help="After 90d or 12h, or at a time; never without.")
    ] = None,
) -> None:
    """Make a key and print it, this once; it alone goes to stdout."""
    settings, now = context.settings(), SystemClock().now()
    is_made = settings.database is None and not settings.folder.exists()
    with _opened_home(settings) as folder:
        if is_made:
            note(f"Made a home at {shortened(folder)}.")
        if not (name.strip() and name.isprintable() and len(name) <= _LONGEST_NAME):
            raise CommandFailed(f"--name must be printable text of at most {_LONGEST_NAME} characters")
        minds = tuple(dict.fromkeys(map(mind_id_of, mind or ()))) or None
        ends = expiry_of(expires, now=now, zone=here()) if expires is not None else None
        keyring, key_id, secret = Keyring(folder), fresh_key_id(), fresh_secret()
        is_first = not keyring.ring()
        while key_id in keyring.ring():
            key_id = fresh_key_id()
        keyring.add(ApiKey(key_id, name.strip(), digest_of(secret), minds, now, ends))
        await _audit(settings, "key.created", folder=folder, key=key_id, minds=list(minds) if minds else None)
        out().print(key_text(key_id, secret), soft_wrap=True)
        until = f", until {minute(ends)}" if ends else ""
        note(f"Key {key_id} opens {_opened(minds)}{until}. It is shown this once: only its SHA-256 is stored.")
        if is_first:
            note("From now on every call needs a key: `Authorization: Bearer mm_…`. Commands on this machine do not.")


@app.command("list")
@command(has_url=False, json="As JSON, like `GET /v1/keys`, with each state.")
async def list_(context: Context) -> None:
    """List the keys: what they open, until when, and when last used."""
    now = SystemClock().now()
    with _opened_home(context.settings_of_home()) as folder:
        keys = Keyring(folder).ring()
    if context.as_json:
        show_json({"keys": [_as_json(one, now) for one in keys.values()]})
        return
    if not keys:
        out().print("No keys: whoever reaches the service on this machine may use it.")
        return
    table = plain_table("id", "name", "opens", "created", "expires", "last used", "state")
    for key in keys.values():
        times = (minute(at) if at else "never" for at in (key.created_at, key.expires_at, key.last_used_at))
        table.add_row(key.key_id, one_line(key.name), _opened(key.minds), *times, _state(key, now))
    out().print(table)


@app.command()
@command(has_url=False)
async def revoke(
    context: Context, key: Annotated[str, typer.Argument(metavar="KEY", help="Its id, as `keys list` shows it.")]
) -> None:
    """Close a key, at once and for ever."""
    settings, now = context.settings_of_home(), SystemClock().now()
    with _opened_home(settings) as folder:
        keyring = Keyring(folder)
        found = keyring.ring().get(key)
        if found is None:
            raise CommandFailed(f"there is no key with this id; {typed('keys list')} shows them")
        if found.revoked_at is not None:
            out().print(f"Key {key} ({one_line(found.name)}) was revoked on {minute(found.revoked_at)} already.")
            return
        keyring.revoke(key, now=now)
        await _audit(settings, "key.revoked", folder=folder, key=key)
        left = sum(one.is_live(now) for one in keyring.ring().values())
        rest = f"{counted(left, 'key')} still {'does' if left == 1 else 'do'}" if left else "no key does any more"
        out().print(f"Key {key} ({one_line(found.name)}) is revoked and opens nothing; {rest}.")
        if not left:
            without = (
                f"; without any, delete {shortened(folder / FILE)}, and whoever is on this machine may call"
                if settings.database is None
                else ""
            )
            note(
                f"Every call is refused now, but for commands on this machine. `{ready_to_type('keys create')}` "
                f"makes a key that works at once{without}."
            )


@contextmanager
def _opened_home(settings: Settings) -> Iterator[Path]:
    """
    The folder with keys and audit log, which may be changed inside the block, wherever they are kept.

    Raises CommandFailed where a service elsewhere may be meant, whose keys are not here.
    """
    if (url := elsewhere(settings)) is not None:
        raise CommandFailed(
            f"MIND_MEMORY_URL names the service at {url}, whose keys are made where it runs: run this command there. "
            "For a home on this machine, name it with --home or MIND_MEMORY_HOME"
        )
    if settings.database is None:
        make_home(settings)
    from service.composition.shared_home import files_of_home  # what it needs is not needed elsewhere

    with files_of_home(settings) as folder:
        yield folder


def expiry_of(text: str, *, now: datetime, zone: ZoneInfo) -> datetime:
    """The instant, in UTC; a time without an offset is one of *zone*, a day its first moment. Raises CommandFailed."""
    span = _SPAN.fullmatch(text.strip())
    try:
        if span is not None:
            ends = now + timedelta(hours=int(span[1]) * _HOURS[span[2]])
        else:
            found = datetime.fromisoformat(text.strip())
            ends = (found if found.tzinfo is not None else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CommandFailed("--expires must be a span, like 12h, 90d, 4w or 1y, or a time, like 2027-01-31") from error
    if ends <= now:
        raise CommandFailed(f"--expires {text} is in the past: such a key would open nothing")
    return ends


async def _audit(settings: Settings, action: str, *, folder: Path, key: str, **details: object) -> None:
    audit_log = AuditLog(folder, clock=SystemClock(), key=settings.access.audit_key)
    await audit_log.note(action, by=OWNER.name, mind_id=None, key=key, **details)


def _state(key: ApiKey, now: datetime) -> str:
    return "revoked" if key.revoked_at else "live" if key.is_live(now) else "expired"


def _as_json(key: ApiKey, now: datetime) -> dict[str, object]:
    times = {"created_at": key.created_at, "expires_at": key.expires_at, "last_used_at": key.last_used_at}
    return {
        "id": key.key_id,
        "name": key.name,
        "minds": None if key.minds is None else list(key.minds),
        **{name: at.isoformat() if at is not None else None for name, at in times.items()},
        "state": _state(key, now),
    }


def _opened(minds: Sequence[str] | None) -> str:
    return "all minds" if minds is None else ", ".join(minds)
