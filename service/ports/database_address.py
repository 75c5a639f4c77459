"""The address of a PostgreSQL, as libpq takes it, shown without its user, password and options."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_WORD = re.compile(
    r"\b(host|hostaddr|port|dbname|password|sslpassword)\s*=\s*"
    r"(?:'((?:[^'\\]|\\.)*)'|((?:[^\s\\]|\\.)+))"
)
_ESCAPED = re.compile(r"\\(.)")
_URL = re.compile(r"\s*[a-z][a-z\d+.-]*://", re.IGNORECASE)  # and no "password=a://b"
_PASSWORDS = ("password", "sslpassword")


def shown_database(address: str) -> str:
    """Return where *address* leads: hosts and database, of ``postgresql://…`` as of ``host=… dbname=…``."""
    if _URL.match(address):
        scheme, _, rest = address.partition("://")
        head, _, query = rest.partition("?")
        is_doubtful = "://" in head or "@" in query  # which may be of a password
        return f"{scheme}://" + ("…" if is_doubtful else head.rpartition("@")[2].partition("#")[0])
    found = _words(address)
    port = f":{found['port']}" if "port" in found else ""
    return f"postgresql://{found.get('host', '')}{port}/{found.get('dbname', '')}"


def database_hosts(address: str) -> tuple[str, ...]:
    """Return the hosts that *address* names, and folders of sockets; none where libpq finds one in its variables."""
    if _URL.match(address):
        try:
            parts = urlsplit(address)
        except ValueError:
            return ()
        named = parts.netloc.rpartition("@")[2].split(",")
        words = {"host": ",".join(unquote(_without_port(one)) for one in named), **dict(parse_qsl(parts.query))}
    else:
        words = _words(address)
    found = (words.get("hostaddr") or words.get("host", "")).split(",")
    return tuple(one.strip() for one in found if one.strip())


def password_in(address: str) -> tuple[str, ...]:
    """Return the passwords of an address, as written and as meant."""
    if not _URL.match(address):
        found = [quoted or bare for name, quoted, bare in _WORD.findall(address) if name in _PASSWORDS]
        return tuple(dict.fromkeys(one for each in found if each for one in (each, _meant(each))))
    head, _, query = address.partition("://")[2].partition("?")
    pairs = [pair.partition("=") for pair in query.split("&")]
    written = [head.rpartition("@")[0].partition(":")[2], *(value for name, _, value in pairs if name in _PASSWORDS)]
    return tuple(dict.fromkeys(one for each in written if each for one in (each, unquote(each))))


def has_bare_marks(address: str) -> bool:
    """Whether a URL has an @ where only %40 can be meant, so that a part of its password would be taken for a host."""
    head = address.partition("://")[2].partition("?")[0] if _URL.match(address) else ""
    return head.count("@") > 1 or "@" in head.partition("/")[2]


def _without_port(host: str) -> str:
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _words(address: str) -> dict[str, str]:
    return {name: _meant(quoted or bare) for name, quoted, bare in _WORD.findall(address)}


def _meant(value: str) -> str:
    return _ESCAPED.sub(r"\1", value)
