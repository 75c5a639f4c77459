"""
Finds a template (a mind's own copy first) and fills it, strictly.

A copy that can not be used never fails a call: ours takes its place, and ``unusable`` says why.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import jinja2

    from prompts.limits import Vocabulary

HOUSE = Path(__file__).parent
# The tags that our templates put around what was said: the text between them can neither close nor open one.
FRAMES = (
    "before briefing candidates chapter chapters dates dreams earlier evidence happened known message narration new "
    "notes observations purpose question recent rules said soul story turn"
).split()
_FRAME = re.compile(rf"[<＜](?=[^\w>\n]{{0,32}}(?:{'|'.join(FRAMES)})\b)", re.IGNORECASE)
_ENDING = ".md"
TEMPLATES = frozenset(file.name for file in HOUSE.glob(f"*{_ENDING}")) - {"README.md"}
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # without O_NONBLOCK, a pipe would block

type _Version = tuple[Path, int, int, int] | None


class PromptError(LookupError):
    """One of our own templates is missing, malformed, or was given the wrong words."""


class _CopyRefused(ValueError):
    """A mind's own copy can not be used; the message says why."""


def render(name: str, /, *, overrides: Path | None = None, **words: object) -> str:
    """
    Fill the template ``<name>.md`` with *words*, refusing to leave a blank.

    The folder *overrides* wins over ours, file by file, where its file can be used. Raises PromptError.
    """
    if overrides is not None and overrides.is_dir():
        try:
            return _in_whole_letters(_copies_in(overrides).render(f"{name}{_ENDING}", words))
        except _CopyRefused:  # only now, with these words
            pass
    return _in_whole_letters(_house_text(f"{name}{_ENDING}", words))


def _in_whole_letters(text: str) -> str:
    """*text* with "?" in place of bytes that are not UTF-8, as a file may hold: they can not be sent to a model."""
    return text.encode("utf-8", "replace").decode()


def unusable(overrides: Path) -> dict[str, str]:
    """Why a copy in *overrides* is not used, by the file's name, if there is such a copy. Does blocking I/O."""
    try:
        there = sorted(TEMPLATES.intersection(one.name for one in overrides.iterdir()))
    except OSError:
        return {}
    copies = _copies_in(overrides)
    return {name: fault for name in there if (fault := copies.fault_of(name)) is not None}


def fault_of_copy(name: str, text: str) -> str | None:
    """Why *text* could not be used as a copy of *name*, one of ``TEMPLATES``; None if it could."""
    from prompts.limits import MOST_BYTES

    if len(text.encode()) > MOST_BYTES:
        return f"it is larger than {MOST_BYTES} bytes"
    return _fault_in(name, text)


class _Copies:
    """The templates of one folder over ours. One is compiled again when a person edits, adds or removes its file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._failed: dict[str, tuple[_Version, str]] = {}  # while it was rendered, by name
        self._environment = _environment(self._load)

    def render(self, name: str, words: Mapping[str, object]) -> str:
        """Raises _CopyRefused; then ours is to be rendered."""
        from jinja2 import TemplateError

        from prompts.limits import MOST_LETTERS

        known, parts, letters = _version(name, (self._folder, HOUSE)), list[str](), 0
        try:
            for part in self._environment.get_template(name).generate(words):
                parts.append(part)
                letters += len(part)
                if letters > MOST_LETTERS:
                    raise _CopyRefused(f"it was rendered to more than {MOST_LETTERS} letters")
        except (TemplateError, TypeError, ValueError, RecursionError) as error:
            self._failed[name] = known, _reason(error)
            raise _CopyRefused(_reason(error)) from error
        return "".join(parts)

    def fault_of(self, name: str) -> str | None:
        """Why the copy *name* can not be used; None if it can, or if there is none."""
        version, reason = self._failed.get(name, (None, ""))
        if version is not None and version == _version(name, (self._folder,)):
            return reason
        try:
            self._source(name)
        except FileNotFoundError:
            return None
        except (_CopyRefused, OSError) as error:
            return _reason(error)
        return None

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]]:
        # The loader's own check would look at the file it once found alone: a copy put before ours later, or a quick
        # second edit that leaves the same time, would not be seen.
        known = _version(name, (self._folder, HOUSE))

        def is_current() -> bool:
            return _version(name, (self._folder, HOUSE)) == known

        if self.fault_of(name) is None:
            try:
                return self._source(name), str(self._folder / name), is_current
            except (_CopyRefused, OSError):
                pass  # there is none, or it changed just now
        return _house_source(name), str(HOUSE / name), is_current

    def _source(self, name: str) -> str:
        """The text of the copy, if it can be used. Raises _CopyRefused, OSError."""
        source = _read(self._folder, name)
        fault = _fault_in(name, source)
        if fault is not None:
            raise _CopyRefused(fault)
        return source


def _read(folder: Path, name: str) -> str:
    """A file of *folder*, over no link. Raises _CopyRefused, OSError."""
    from prompts.limits import MOST_BYTES

    place = os.open(folder, _READING | os.O_DIRECTORY)
    try:
        handle = os.open(name, _READING, dir_fd=place)
    finally:
        os.close(place)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise _CopyRefused(
                "it is not a file of its own: it is a folder or a pipe, or the file has another name too"
            )
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _CopyRefused(f"it is larger than {MOST_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _CopyRefused("it is not text in UTF-8") from error


@lru_cache(maxsize=256)
def _fault_in(name: str, source: str) -> str | None:
    """What is wrong with *source* as a copy of our template *name*."""
    from jinja2 import TemplateError

    from prompts.limits import check

    environment = _environment(_from_house)
    try:
        check(environment.parse(source), _vocabulary(name))
        environment.from_string(source)  # what is too deep to be compiled
    except (TemplateError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        return _reason(error)
    return None


@lru_cache(maxsize=len(TEMPLATES))
def _vocabulary(name: str) -> Vocabulary:
    from prompts.limits import Vocabulary, vocabulary_of

    source = _house_source(name)
    own = vocabulary_of(source, _environment(_from_house).parse(source))
    included = [_vocabulary(one) for one in own.includes]  # a copy may hold what it would include
    return Vocabulary(own.words, own.parts.union(*(one.parts for one in included)), own.includes)


def _house_text(name: str, words: Mapping[str, object]) -> str:
    import jinja2

    try:
        return _house().get_template(name).render(words)
    except jinja2.TemplateError as error:
        raise PromptError(f"prompt {name.removesuffix(_ENDING)!r}: {error}") from error


@lru_cache(maxsize=1)
def _house() -> jinja2.Environment:
    return _environment(_from_house)


@lru_cache(maxsize=64)
def _copies_in(folder: Path) -> _Copies:
    return _Copies(folder)


def _environment(load: Callable[[str], tuple[str, str, Callable[[], bool]]]) -> jinja2.Environment:
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=jinja2.FunctionLoader(load),
        auto_reload=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        finalize=_framed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.clear()
    return environment


def _from_house(name: str) -> tuple[str, str, Callable[[], bool]]:
    known = _version(name, (HOUSE,))
    return _house_source(name), str(HOUSE / name), lambda: _version(name, (HOUSE,)) == known


def _house_source(name: str) -> str:
    import jinja2

    if name not in TEMPLATES:
        raise jinja2.TemplateNotFound(name)
    return (HOUSE / name).read_text(encoding="utf-8")


def _framed(value: object) -> object:
    """A word of a template, unable to leave the frame it is put into."""
    return _FRAME.sub("‹", value) if isinstance(value, str) else value


def _reason(error: BaseException) -> str:
    """Why, in one line, and without the words that a template was filled with."""
    if isinstance(error, OSError):
        return f"it can not be read: {error.strerror}"
    line, name = getattr(error, "lineno", None), type(error).__name__
    text = " ".join(str(error).split())[:300] or name
    return f"line {line}: {text}" if line and not text.startswith("line ") else text


def _version(name: str, folders: tuple[Path, ...]) -> _Version:
    """Which file is in force, and a mark of its content."""
    for folder in folders:
        try:
            found = (folder / name).lstat()
        except OSError:
            continue
        return folder, found.st_mtime_ns, found.st_size, found.st_ino
    return None
