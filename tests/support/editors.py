"""
One person's editor, as a process of its own: reads STORY.md, thinks, saves it with one more line, as real editors do.

    python editors.py vim vim-1 --home HOME --mind ada --desk FOLDER --seed 7

Every editor warns when the file changed since it was read: then it is read again and the line put in anew, so a save
is made upon what was looked at a moment before. Editors take turns by a lock of their own on the desk: one person has
two hands, and what two editors do to each other is nobody else's doing. Each line that was saved is noted on the desk,
synced, after the save. Nothing is imported but the standard library, so that an editor is open at once.
"""

from __future__ import annotations

import argparse
import fcntl
import http.client
import json
import os
import random
import re
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

HEADING = re.compile(rb"^### \[")
MARK = re.compile(rb"^<!-- (?:CURSOR|LAST_PROCESSED)")
CHUNK = 8192  # bytes that vim writes at once
THINKS = (0.010, 0.200)  # seconds
PLACES = ("opening", "behind a chapter", "in a chapter")
AGAIN = 0.05  # seconds until a service that is not there is looked for again


def with_line(text, line, *, place, rng):
    """*text* with *line* put in; every other byte as it was."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    end = next((at for at, one in enumerate(lines) if MARK.match(one)), len(lines))
    heads = [at for at, one in enumerate(lines[:end]) if HEADING.match(one)]
    at = 0
    if heads and place != "opening":
        one = rng.randrange(len(heads))
        behind = heads[one + 1] if one + 1 < len(heads) else end
        at = behind if place == "behind a chapter" else rng.randint(heads[one] + 1, behind)
    lines.insert(at, line.encode() + b"\n")
    return b"".join(lines)


def in_place(file, text, *, chunk=None):
    """Truncate and write, as VS Code does; in chunks, as vim does with backupcopy=yes."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    write_all(handle, text, chunk=chunk)


def by_backup(file, text):
    """Move the old file away, write a new one, let the old one go: vim."""
    backup = f"{file}~"
    os.rename(file, backup)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    write_all(handle, text, chunk=CHUNK)
    os.unlink(backup)


def write_all(handle, text, *, chunk=None):
    try:
        rest = memoryview(text)
        while rest:
            rest = rest[os.write(handle, rest[: chunk or len(rest)]) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def look(file):
    """The text and what an editor compares before it saves; None where there is no file."""
    with suppress(FileNotFoundError):
        stamp = stamp_of(file)
        return file.read_bytes(), stamp
    return None


def stamp_of(file):
    found = os.stat(file)
    return found.st_ino, found.st_size, found.st_mtime_ns


class Desk:
    """What editors share: whose turn it is, when to stop, what was saved."""

    def __init__(self, folder, name):
        self._stop = folder / "stop"
        self._lock = os.open(folder / "turn", os.O_RDWR | os.O_CREAT, 0o600)
        self._log = os.open(folder / f"{name}.saved", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    @property
    def is_closed(self):
        return self._stop.exists()

    @contextmanager
    def turn(self):
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def note(self, **saved):
        os.write(self._log, json.dumps(saved).encode() + b"\n")
        os.fsync(self._log)


class OnFile:
    """An editor of the file itself; *style* is how it saves."""

    def __init__(self, file, style, *, desk, rng):
        self._file, self._style, self._desk, self._rng = file, style, desk, rng

    def edit(self, line, *, place):
        """Read, think, save; False when there is no story yet."""
        with self._desk.turn():
            seen = look(self._file)
        time.sleep(self._rng.uniform(*THINKS))
        if seen is None:
            return False
        with self._desk.turn():
            while not self._saved(*seen, with_line(seen[0], line, place=place, rng=self._rng)):
                seen = look(self._file)
            self._desk.note(line=line, place=place, at=time.time())
        return True

    def _saved(self, _text, stamp, new):
        """Save *new*, unless the file is not what it was; between the look and the save are microseconds."""
        other = self._file.with_name(f"sed{os.getpid()}")
        if self._style == "sed":
            write_all(os.open(other, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), new)
        if stamp_of(self._file) != stamp:
            return False
        match self._style:
            case "sed":
                os.rename(other, self._file)
            case "vim":
                by_backup(self._file, new)
            case "vim-yes":
                in_place(self._file, new, chunk=CHUNK)
            case "vscode":
                in_place(self._file, new)
        return True


class OnDoor:
    """An editor that knows no file: GET, PUT with If-Match, and the line put in anew when another one stands there."""

    def __init__(self, home, mind, *, desk, rng):
        self._home, self._mind, self._desk, self._rng = home, mind, desk, rng

    def edit(self, line, *, place):
        """Read, think, put; True once an answer, or the story after none, says that the line stands."""
        answer = self._ask("GET")
        time.sleep(self._rng.uniform(*THINKS))
        if answer is None or answer[0] != 200:
            return False
        seen, is_unsure = (answer[1]["text"], answer[1]["etag"]), False
        while not self._desk.is_closed:
            with self._desk.turn():
                code, said = self._put(seen, line, place)
                if code == 200:
                    self._desk.note(line=line, place=place, at=time.time())
                    return True
            if code != 412:  # it is away, or could not: nobody knows whether the line stands
                is_unsure = True
                time.sleep(AGAIN)
                continue
            seen = said["current"], said["etag"]
            if is_unsure and line in seen[0].splitlines():
                self._desk.note(line=line, place=place, at=time.time(), is_unanswered=True)
                return True
        return False

    def _put(self, seen, line, place):
        text, etag = seen
        new = with_line(text.encode(), line, place=place, rng=self._rng)
        return self._ask("PUT", new, {"If-Match": etag, "Content-Type": "text/markdown"}) or (0, {})

    def _ask(self, method, body=None, headers=None):
        """The status and the answer; None when nobody answers."""
        try:
            url = urlsplit(json.loads((self._home / "service.json").read_text())["url"])
            door = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
            try:
                door.request(method, f"/v1/minds/{self._mind}/story", body=body, headers=headers or {})
                answer = door.getresponse()
                return answer.status, json.loads(answer.read())
            finally:
                door.close()
        except (OSError, ValueError, http.client.HTTPException):
            return None


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("style", choices=("vim", "vim-yes", "vscode", "sed", "door"))
    words.add_argument("name")
    words.add_argument("--home", type=Path, required=True)
    words.add_argument("--mind", required=True)
    words.add_argument("--desk", type=Path, required=True)
    words.add_argument("--seed", type=int, required=True)
    words.add_argument("--rest", type=float, default=0.5, help="Seconds between two edits, at most.")
    given = words.parse_args()
    desk, rng = Desk(given.desk, given.name), random.Random(f"{given.seed} {given.name}")
    if given.style == "door":
        editor = OnDoor(given.home, given.mind, desk=desk, rng=rng)
    else:
        editor = OnFile(given.home / "minds" / given.mind / "STORY.md", given.style, desk=desk, rng=rng)
    number = 0
    while not desk.is_closed:
        number += editor.edit(f"EDIT-{given.name}-{number}", place=rng.choice(PLACES))
        time.sleep(rng.uniform(0, given.rest))


if __name__ == "__main__":
    main()
