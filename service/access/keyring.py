"""
The API keys of a home: ``<home>/keys.json``, for its owner's eyes only, read again as soon as it changes.

Invariant: the file is a whole old or a whole new ring, and who changes it holds its lock: a command creates and revokes
while the service notes what was used. A file that is there and can not be read lets nobody in.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import KeysUnreadable
from consolidation.kernel.files import exclusive, replace_text, sync_folder
from service.access.keys import Key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE = "keys.json"
_LOCK_SECONDS = 10
_TIMES = ("created_at", "expires_at", "revoked_at", "last_used_at")

type Ring = dict[str, Key]
type _Mark = tuple[int, int, int]


class Keyring:
    """The keys of one home, by id, in order of creation."""

    def __init__(self, home: Path) -> None:
        """Bind to *home*; nothing is made until a key is added."""
        self._file = home / FILE
        self._known: tuple[_Mark | None, Ring] = (None, {})  # one value: two threads may look at once

    def ring(self) -> Ring:
        """All keys, revoked and expired ones too; a glance at a file that has not changed. Raises KeysUnreadable."""
        try:
            mark, (known, keys) = self._marked(), self._known
            if mark != known:
                keys = _read(self._file.read_text(encoding="utf-8")) if mark else {}
                self._known = mark, keys
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise KeysUnreadable(f"{FILE} in the home can not be read as keys: mend it, or put a copy back") from error
        return keys

    def add(self, key: Key) -> None:
        """Keep one more. Raises KeysUnreadable, StoryLocked, OSError."""
        self._change(lambda keys: keys | {key.key_id: key})

    def revoke(self, key_id: str, *, now: datetime) -> Key:
        """Close *key_id*, which must exist; one that is revoked stays as it is. Raises as ``add``."""
        return self._change(lambda keys: keys | {key_id: _revoked(keys[key_id], now)})[key_id]

    def note_use(self, key_id: str, *, now: datetime) -> None:
        """Note when *key_id* was last used, if it is still there. Raises as ``add``."""
        self._change(
            lambda keys: keys | ({key_id: replace(keys[key_id], last_used_at=now)} if key_id in keys else {}),
        )

    def _change(self, plan: Callable[[Ring], Ring]) -> Ring:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with exclusive(self._file, seconds=_LOCK_SECONDS):
            changed = plan(self.ring())
            replace_text(self._file, _written(changed))
            sync_folder(self._file.parent)
        return changed

    def _marked(self) -> _Mark | None:
        """What differs when another file stands there; None for no file."""
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def _revoked(key: Key, now: datetime) -> Key:
    return key if key.revoked_at is not None else replace(key, revoked_at=now)


def _written(keys: Ring) -> str:
    return json.dumps({"version": 1, "keys": [_out(key) for key in keys.values()]}, indent=1) + "\n"


def _out(key: Key) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in asdict(key).items()}


def _read(text: str) -> Ring:
    content = json.loads(text)
    if content["version"] != 1:
        raise ValueError("of another version")
    return {one["key_id"]: _in(one) for one in content["keys"]}


def _in(one: dict[str, Any]) -> Key:
    times = {name: datetime.fromisoformat(one[name]) if one[name] is not None else None for name in _TIMES}
    if any(time is not None and time.tzinfo is None for time in times.values()):
        raise ValueError("a time without its offset")
    minds = tuple(map(str, one["minds"])) if one["minds"] is not None else None
    texts = {name: str(one[name]) for name in ("key_id", "name", "digest")}
    return Key(**texts, minds=minds, **times)  # type: ignore[arg-type] # created_at is always there
