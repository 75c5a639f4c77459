"""The part of an examination about who may call: the keys, their file, and the audit log's chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import KeysUnreadable
from service.access.keyring import FILE as KEYS
from service.access.keyring import Keyring
from service.audit import FILE as AUDIT
from service.audit import Audit
from service.cli.findings import Finding, broken, doubtful, noted, sound
from service.cli.terminal import counted
from service.doorkeeping import is_guarded

if TYPE_CHECKING:
    from pathlib import Path

    from service.settings import Settings

_OTHERS = 0o077
_SHOWN_DIGITS = 16


def examine_access(settings: Settings) -> list[Finding]:
    """Keys and audit; nothing is made where there is neither."""
    home = settings.folder
    return [*_keys(settings), *_secrecy(home), *_audit(home)]


def _keys(settings: Settings) -> list[Finding]:
    now = SystemClock().now()
    try:
        ring = Keyring(settings.folder).ring()
    except KeysUnreadable as fault:
        return [broken("keys", str(fault), mend="until then every key is refused; commands on this machine work on")]
    live = sum(key.is_live(now) for key in ring.values())
    if not is_guarded(settings, now=now):
        mend = "make one with `mind-memory keys create`, or listen on 127.0.0.1"
        return [broken("keys", f"none that is live, and {settings.host} can be reached from outside", mend=mend)]
    if not ring:
        return [noted("keys", "none: whoever is on this machine may call")]
    return [sound("keys", f"{counted(live, 'live key')} of {len(ring)}: every call needs one")]


def _secrecy(home: Path) -> list[Finding]:
    open_to_others = [name for name in (KEYS, AUDIT) if _is_open(home / name)]
    return [
        doubtful(name, "can be read by other users of this machine", mend=f"chmod 600 {home / name}")
        for name in open_to_others
    ]


def _audit(home: Path) -> list[Finding]:
    chain = Audit(home, clock=SystemClock()).check()
    if chain.broken_at is not None:
        found = f"line {chain.broken_at} of {AUDIT} does not follow the one before it: lines were changed or taken out"
        return [broken("audit", found, mend="compare it with a backup; move it away to begin a new one")]
    if not chain.lines:
        return []
    torn = f", {counted(chain.torn, 'line')} torn by a power cut" if chain.torn else ""
    return [
        sound("audit", f"{counted(chain.lines, 'line')}, none changed{torn}; the last is {chain.head[:_SHOWN_DIGITS]}…")
    ]


def _is_open(file: Path) -> bool:
    return file.exists() and bool(file.stat().st_mode & _OTHERS)
