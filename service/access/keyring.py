"""
The API keys of a home: ``<home>/keys.json``, readable by its owner only, read again as soon as it changes.

Invariant: the file always holds a complete set of keys, and whoever changes it holds its lock, since commands create
and revoke keys while the service notes their use. If the file exists and can not be read, nobody who needs a key is let
in.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import KeysUnreadable
from consolidation.kernel.files import exclusive, replace_text
from consolidation.kernel.shared_files import stamp_of, until_unchanged
from service.access.keys import ApiKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE = "keys.json"
_LOCK_SECONDS = 10
_TIMES = ("created_at", "expires_at", "revoked_at", "last_used_at")

type KeySet = dict[str, ApiKey]
type _Mark = tuple[int, int, int]


class Keyring:
    """The keys of one home, by id, in order of creation."""

    def __init__(self, home: Path) -> None:
        """Nothing is written until a key is added."""
        self._file = home / FILE
        self._known: tuple[_Mark | None, KeySet] = (
            None,
            {},
        )  # one attribute, replaced whole: two threads may read at once

    def ring(self) -> KeySet:
        """All keys, revoked and expired ones included. An unchanged file is not read again. Raises KeysUnreadable."""
        try:
            mark, (known, keys) = self._file_mark(), self._known
            if mark != known:
                keys = _read(self._file.read_text(encoding="utf-8")) if mark else {}
                self._known = mark, keys
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise KeysUnreadable(f"{FILE} in the home can not be read as keys: repair it, or restore a copy") from error
        return keys

    def add(self, key: ApiKey) -> None:
        """Add a key. Raises KeysUnreadable, Locked, OSError."""
        self._change(lambda keys: keys | {key.key_id: key})

    def revoke(self, key_id: str, *, now: datetime) -> ApiKey:
        """Revoke *key_id*, which must exist. A revoked key stays revoked. Raises as ``add``."""
        return self._change(lambda keys: keys | {key_id: _revoked(keys[key_id], now)})[key_id]

    def note_use(self, key_id: str, *, now: datetime) -> None:
        """Note when *key_id* was last used, if it still exists. Raises as ``add``."""
        self._change(
            lambda keys: keys | ({key_id: replace(keys[key_id], last_used_at=now)} if key_id in keys else {}),
        )

    def _change(self, plan: Callable[[KeySet], KeySet]) -> KeySet:
        return until_unchanged(lambda: self._change_once(plan))

    def _change_once(self, plan: Callable[[KeySet], KeySet]) -> KeySet:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            seen = stamp_of(self._file)
            changed = plan(self.ring())
            replace_text(self._file, _written(changed), seen=seen)
        return changed

    def _file_mark(self) -> _Mark | None:
        """What differs when another file is in its place; None if there is no file."""
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def _revoked(key: ApiKey, now: datetime) -> ApiKey:
    return key if key.revoked_at is not None else replace(key, revoked_at=now)


def _written(keys: KeySet) -> str:
    return json.dumps({"version": 1, "keys": [_as_json(key) for key in keys.values()]}, indent=1) + "\n"


def _as_json(key: ApiKey) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in asdict(key).items()}


def _read(text: str) -> KeySet:
    content = json.loads(text)
    if content["version"] != 1:
        raise ValueError("of another version")
    return {entry["key_id"]: _as_key(entry) for entry in content["keys"]}


def _as_key(entry: dict[str, Any]) -> ApiKey:
    times = {name: datetime.fromisoformat(entry[name]) if entry[name] is not None else None for name in _TIMES}
    if any(time is not None and time.tzinfo is None for time in times.values()):
        raise ValueError("a time without its offset")
    minds = tuple(map(str, entry["minds"])) if entry["minds"] is not None else None
    texts = {name: str(entry[name]) for name in ("key_id", "name", "digest")}
    return ApiKey(**texts, minds=minds, **times)  # type: ignore[arg-type] # created_at is always there
