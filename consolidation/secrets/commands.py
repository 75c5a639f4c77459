"""Finds secrets in what a shell and a request show: ``DB_PASS=…``, ``curl -u user:…``, ``sshpass -p …``, cookies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.secrets.assignments import PASSWORD, SECRET
from consolidation.secrets.likeness import is_filled, is_mixed, is_password, is_secret, is_stand_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:[A-Z][A-Z0-9_]{0,60}_(?:PASS|PW)|SSHPASS)[\"']?\s{0,3}[=:]|--(?:[a-z]{1,20}-){0,3}pass[ =])"
    r"\s{0,3}[\"']?(?P<value>[^\s\"'`;&|<>]{6,256})"
)
_KEY = re.compile(  # AZURE_OPENAI_KEY=…; none that says that it is public, or names a row
    r"(?<![A-Za-z0-9])(?![A-Z0-9_]{0,60}(?:PUBLI|SITE_|GPG|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|IDEMPOTENCY))[A-Z][A-Z0-9_]{0,60}_KEY"
    r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<value>(?!\[redacted:)[^\s\"'`;&|<>,]{16,256})"
)
_LOGIN = re.compile(  # "user: bob, pass: …"
    r"(?<![a-z])(?:user(?:name)?|login|e-?mail|account)[\"']?\s{0,3}[:=]\s{0,3}[^\s,;|]{1,80}[\s,;/|]{1,4}[\"']?pass[\"']?"
    r"\s{0,3}[:=]\s{0,3}[\"']?(?P<value>(?!\[redacted:)[^\s\"'`;&|<>]{6,256})",
    re.IGNORECASE,
)
_USER = re.compile(
    r"(?<![a-z])(?:curl|wget|https?)\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]{0,2}[\"']?"
    r"[^\s:\"'/]{1,100}:(?P<value>(?!\[redacted:)[^\s\"'`]{1,200})"
)
_GIVEN = (
    r"(?:\"(?P<double>[^\s\"]{1,200})\"|'(?P<single>[^\s']{1,200})'|(?P<value>(?!\[redacted:)[^\s\"'`;|&<>]{1,200}))"
)
_OPTION = re.compile(  # with what reads it as a password; -p of others is a port
    r"(?<![\w-])(?:sshpass(?:\s-[vV]|\s-P\s?\S{1,40}){0,3}\s-p\s?"
    r"|(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?\s-p(?=\S)"
    r"|(?:docker|podman|helm registry|nerdctl|oc|az) login\b[^\n|;&]{0,200}?\s-p[ =]"
    r"|redis-cli\b[^\n|;&]{0,200}?\s-a\s|(?:7za?|unrar|rar)\s[^\n|;&]{0,200}?\s-h?p(?=\S))" + _GIVEN
)
_RUNS = re.compile(r"\s{1,3}(?:ssh|scp|sftp|rsync|git|autossh)\b")  # what sshpass is for
_COOKIE = re.compile(
    r"(?<![a-z])(?:set-)?cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<cookies>[^\n\"']{8,4000})", re.IGNORECASE
)
_PAIR = re.compile(r"(?:^|;\s{0,3})[!#$%&*+.^_|~0-9A-Za-z-]{1,80}=(?P<value>[^\s;,\"']{8,})")
_OF_A_COOKIE = re.compile(r"(?:path|domain|expires|max-age|samesite)=", re.IGNORECASE)
_AT_END = ".,:;?)"


def find_in_commands(text: str) -> Iterator[tuple[int, int, str]]:
    """Secrets of commands and requests: start, end, kind."""
    if "PASS" in text or "_PW" in text or "pass" in text:
        yield from _spans(_VARIABLE, text, is_one=is_password)
    if "_KEY" in text:
        yield from _spans(_KEY, text, is_one=is_secret, kind=SECRET)
    if "pass" in text.lower():
        yield from _spans(_LOGIN, text, is_one=is_password)
    if " -u" in text or "-user" in text:
        yield from _spans(_USER, text, is_one=is_filled)
    if " -p" in text or " -a " in text or " -hp" in text:
        yield from _options(text)
    if "ookie" in text or "OOKIE" in text:
        yield from _cookies(text)


def _spans(
    form: re.Pattern[str], text: str, *, is_one: Callable[[str], bool], kind: str = PASSWORD
) -> Iterator[tuple[int, int, str]]:
    for found in form.finditer(text):
        if is_one(found["value"]):
            yield *found.span("value"), kind


def _options(text: str) -> Iterator[tuple[int, int, str]]:
    """In quotes and before the command that gets it, anything; else what no sentence has: "sshpass -p is unsafe"."""
    for found in _OPTION.finditer(text):
        place = next(name for name in ("double", "single", "value") if found[name] is not None)
        start, end = found.span(place)
        if place == "value" and _RUNS.match(text, end) is None:
            end = start + len(found[place].rstrip(_AT_END))
            if text[start:end].isalpha():
                continue
        value = text[start:end]
        if is_filled(value) and not is_stand_in(value):
            yield start, end, PASSWORD


def _cookies(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _COOKIE.finditer(text):
        first = found.start("cookies")
        for pair in _PAIR.finditer(found["cookies"]):
            if _OF_A_COOKIE.search(pair[0]) is None and is_mixed(pair["value"]):
                yield first + pair.start("value"), first + pair.end("value"), "cookie"
