"""
What is set for one mind alone: ``settings.toml`` in its folder, which a person may write by hand.

Invariant: a file that can not be understood sets nothing, except words that are never kept: a mistake in another line
must not let them in.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
import tomllib
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import anyio.to_thread
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from consolidation.dreams.sleep_state import agent_zone
from consolidation.kernel.errors import InvalidMindId, SettingsByHand, SettingsChanged, StoryChanged
from consolidation.kernel.files import exclusive, replace_text
from consolidation.kernel.links import LinkRefused, is_secret, open_regular
from consolidation.kernel.shared_files import stamp_of, until_unchanged
from consolidation.story.edits import check_unchanged, etag_of
from consolidation.text.surrogates import as_text
from consolidation.workspace import LONGEST_MIND_NAME, mind_id_of
from service.mind.settings_lines import BYTE_ORDER_MARK, edited

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping
    from datetime import tzinfo
    from pathlib import Path

    from pydantic_core import ErrorDetails

    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.minds import Mind

LOCK_SECONDS = 5.0
MOST_BYTES = 64 * 1024
_LONGEST_KEY = 100
MOST_ALSO_READ = 5
_UNKNOWN = (-1,)  # the stamp of no file
_UNREADABLE = (tomllib.TOMLDecodeError, RecursionError)
_AT_LINE = re.compile(r"\(?at line (\d+)")


_LANGUAGE = r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$"
_KIND_NAME = r"^[A-Za-z][A-Za-z0-9_]{0,40}$"


def _language_tag(tag: str) -> str:
    if re.fullmatch(_LANGUAGE, tag) is None:
        raise ValueError("is not a language tag, like de or pt-BR")
    return tag


def _kind_name(name: str) -> str:
    if re.fullmatch(_KIND_NAME, name) is None:
        raise ValueError("must be a word of at most 41 letters a-z, digits and _ that begins with a letter")
    return name


# How OpenAPI describes the rules, whose error messages help more than a pattern would.
Language = Annotated[str, Field(max_length=35, json_schema_extra={"pattern": _LANGUAGE}), AfterValidator(_language_tag)]
KindName = Annotated[str, Field(json_schema_extra={"pattern": _KIND_NAME}), AfterValidator(_kind_name)]


@dataclass(frozen=True, slots=True)
class OwnKind:
    """A kind of entities that extraction tells apart in this mind; the description is for the model."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: KindName
    description: Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")] = ""


def _each_once(kinds: tuple[OwnKind, ...]) -> tuple[OwnKind, ...]:
    if len({kind.name.casefold() for kind in kinds}) < len(kinds):
        raise ValueError("names a kind twice")
    return kinds


def _mind_id(name: str) -> str:
    try:
        return mind_id_of(name)
    except InvalidMindId as error:
        raise ValueError("is not the name of a mind") from error


def zone_name(name: str) -> str:
    """The name itself, of a time zone. Raises ValueError."""
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError("is not a time zone of the IANA list, like Europe/Paris") from error
    return name


def _phrase(text: str) -> str:
    said = unicodedata.normalize("NFKC", text).casefold()
    if not said.strip() or not text.isprintable():
        raise ValueError("must be printable words: blank, it would keep every turn off the record")
    return text.strip()


Relevance = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
Fragments = Annotated[int, Field(ge=0, le=50, strict=True)]
Tokens = Annotated[int, Field(ge=0, le=100_000, strict=True)]
EchoTurns = Annotated[int, Field(ge=0, le=10_000, strict=True)]
Zone = Annotated[str, Field(max_length=64, json_schema_extra={"format": "iana-time-zone"}), AfterValidator(zone_name)]
Kinds = Annotated[tuple[OwnKind, ...], Field(max_length=20), AfterValidator(_each_once)]
Phrase = Annotated[
    str, Field(min_length=1, max_length=100, json_schema_extra={"format": "printable-text"}), AfterValidator(_phrase)
]
Phrases = Annotated[tuple[Phrase, ...], Field(max_length=100)]
MindName = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_MIND_NAME, json_schema_extra={"format": "printable-text"}),
    AfterValidator(_mind_id),
]
MindNames = Annotated[
    tuple[MindName, ...],
    Field(max_length=MOST_ALSO_READ),
]


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """
    A mind's own settings; None where it has none, and the service's hold.

    ``language`` is a tag such as "de". ``never_keep`` are words or phrases that keep a turn off the record.
    ``also_read`` are other minds whose memories surface here, too. ``timezone`` is that of its days.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    relevance: Relevance | None = None
    max_fragments: Fragments | None = None
    max_tokens: Tokens | None = None
    echo_turns: EchoTurns | None = None
    language: Language | None = None
    entity_kinds: Kinds | None = None
    never_keep: Phrases | None = None
    also_read: MindNames | None = None
    timezone: Zone | None = None

    def zone(self, asked: str | None, *, otherwise: tzinfo = UTC) -> tzinfo:
        """The time zone that a call *asked* for, else the mind's own."""
        name = asked or self.timezone
        return ZoneInfo(name) if name is not None else otherwise

    def privacy(self, service: PrivacyFilter) -> PrivacyFilter:
        """The *service*'s filter, to which a word that is never kept is one more marker."""
        if not self.never_keep:
            return service
        return replace(service, markers=(*service.markers, *self.never_keep))


@dataclass(frozen=True, slots=True)
class SettingsFault:
    """Why a file does not count: what is wrong, of which key and in which line, from 1, as far as that is known."""

    detail: str
    key: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """A mind's settings file as it was read. One that ``is_readable`` has a text; a missing one has an empty text."""

    text: str = ""
    own: OwnSettings = OwnSettings()
    fault: SettingsFault | None = None
    is_readable: bool = True

    @property
    def etag(self) -> str:
        """The fingerprint of the text."""
        return etag_of(self.text)


async def own_settings_of(mind: Mind) -> OwnSettings:
    """The settings of a mind that was just found, which brought its files up to date."""
    return (await anyio.to_thread.run_sync(mind.settings.read, abandon_on_cancel=True)).own


def zone_of(mind: Mind) -> tzinfo:
    """The time zone of what the mind tells and is told: its own, else UTC. Reads a file."""
    return mind.settings.read().own.zone(None)


def agent_zone_of(mind: Mind) -> tzinfo:
    """The time zone of the mind's agent: the one that it named last, else the mind's own. Reads files."""
    return agent_zone(mind.workspace.sleep_state, otherwise=zone_of(mind))


async def in_time(reading: Awaitable[OwnSettings], *, seconds: float | None) -> OwnSettings:
    """What *reading* finds within *seconds*; nothing where it takes longer: a call that is so late finds nothing."""
    try:
        async with asyncio.timeout(seconds):
            return await reading
    except TimeoutError:
        return OwnSettings()


class OwnSettingsFile:
    """The settings file of one mind. Reading and writing block; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        """*file* need not exist."""
        self._file = file
        self._mutex = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._read: SettingsRead | None = None

    @property
    def known(self) -> OwnSettings:
        """The settings as they were read last. No file is read."""
        return self._read.own if self._read is not None else OwnSettings()

    def read(self) -> SettingsRead:
        """The file as it is now. It is read again only where its time or its size has changed."""
        with self._mutex:
            stamp = self._stamp_now()
            if self._read is None or stamp != self._stamp:
                self._read, self._stamp = _read(self._file), stamp
            return self._read

    def change(self, changes: Mapping[str, object], *, expected: str) -> SettingsRead:
        """
        Set each key of *changes*, or take it out where it is None, in the file whose ETag is *expected*.

        The answer is the very text that was written; no line of another key is changed. Raises SettingsChanged when
        the file is another one by now, SettingsByHand where that can not be done, Locked, OSError.
        """
        return until_unchanged(lambda: self._change(changes, expected=expected))

    def _change(self, changes: Mapping[str, object], *, expected: str) -> SettingsRead:
        with exclusive(self._file, seconds=LOCK_SECONDS):
            seen = stamp_of(self._file)
            present = _read(self._file)
            try:
                check_unchanged(present.text, expected=expected)
            except StoryChanged as changed:
                raise SettingsChanged(changed.current, etag=changed.etag) from changed
            if not present.is_readable and present.fault is not None:
                raise SettingsByHand(f"settings.toml {present.fault.detail}: edit the file")
            found = understood(edited(present.text, changes))
            if found.fault is not None:
                raise SettingsByHand(f"settings.toml has a fault: {found.fault.detail}. Edit the file")
            if found.text != present.text:
                replace_text(self._file, found.text, seen=seen)
            with self._mutex:
                self._stamp, self._read = _UNKNOWN, found  # a person may have saved since: the next read looks
            return found

    def _stamp_now(self) -> tuple[int, ...] | None:
        """What tells one state of the file from another; None where there is no file."""
        try:
            found = self._file.lstat()
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size, found.st_ino)


def _read(file: Path) -> SettingsRead:
    try:
        with open_regular(file) as opened:
            if is_secret(os.fstat(opened.fileno()), home=file.parents[2]):
                raise LinkRefused(file, "it is another name of a file that guards the home")
            content = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return SettingsRead()
    except OSError as error:
        reason = "it is a link" if file.is_symlink() else error.strerror or type(error).__name__
        return SettingsRead(fault=SettingsFault(f"can not be read ({reason})"), is_readable=False)
    if len(content) > MOST_BYTES:
        return SettingsRead(fault=SettingsFault(f"has more than {MOST_BYTES:,} bytes"), is_readable=False)
    try:
        return understood(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        text = as_text(content)
        own = OwnSettings(never_keep=_never_kept_by_line(text))
        return SettingsRead(text, own, SettingsFault("is not UTF-8", line=line), is_readable=False)


def understood(text: str) -> SettingsRead:
    """What *text* sets; with a fault, nothing but words that are never kept, where these can be read."""
    try:
        parsed = tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except _UNREADABLE as error:
        at = _AT_LINE.search(str(error))
        own = OwnSettings(never_keep=_never_kept_by_line(text))
        return SettingsRead(text, own, SettingsFault(f"is not TOML: {error}", line=int(at[1]) if at else None))
    try:
        return SettingsRead(text, _SETTINGS.validate_python(parsed))
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False)
        return SettingsRead(text, OwnSettings(never_keep=_never_kept(parsed)), _fault(first, text))


def _never_kept(parsed: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The words that are never kept, each that can be read."""
    found = parsed.get("never_keep")
    words = []
    for one in found if isinstance(found, list) else ():
        try:
            words.append(_PHRASE.validate_python(one))
        except ValidationError:
            continue
    return tuple(words) or None


def _never_kept_by_line(text: str) -> tuple[str, ...] | None:
    """The same of a text that is not TOML, by the one line that sets them."""
    for line in text.removeprefix(BYTE_ORDER_MARK).split("\n"):
        if line.lstrip().startswith("never_keep"):
            try:
                return _never_kept(tomllib.loads(line))
            except _UNREADABLE:
                continue
    return None


def _fault(error: ErrorDetails, text: str) -> SettingsFault:
    key, *within = map(str, error["loc"])
    shown = key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…"
    if error["type"] == "unexpected_keyword_argument" and not within:
        return SettingsFault(f"`{shown}` is not a setting", key=shown, line=_line_of(key, text))
    message = error["msg"].removeprefix("Value error, ")
    place = "".join(f"[{part}]" for part in within)
    return SettingsFault(f"`{shown}`{place}: {message[:1].lower()}{message[1:]}", key=shown, line=_line_of(key, text))


def _line_of(key: str, text: str) -> int | None:
    """The line in which *key* is set, or its table begins."""
    found = re.search(rf"^\ufeff?[ \t]*(\[\[?[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=.\]]", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found is not None else None


_SETTINGS = TypeAdapter(OwnSettings)
_PHRASE = TypeAdapter(Phrase)
