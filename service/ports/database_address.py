"""The address of a PostgreSQL, as libpq takes it, shown without its user, password and options."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from consolidation.secrets.redaction import without_secrets_of

_WORD = re.compile(r"\b(host|hostaddr|port|dbname|password)\s*=\s*(?:'([^']*)'|(\S+))")


def shown_database(address: str) -> str:
    """Return where *address* leads: hosts and database, of ``postgresql://…`` as of ``host=… dbname=…``."""
    if "://" in address:
        scheme, _, rest = address.partition("://")
        return f"{scheme}://…" if "://" in rest.partition("?")[0] else without_secrets_of(address)
    found = _words(address)
    port = f":{found['port']}" if "port" in found else ""
    return f"postgresql://{found.get('host', '')}{port}/{found.get('dbname', '')}"


def database_hosts(address: str) -> tuple[str, ...]:
    """Return the hosts that *address* names, and folders of sockets; none where libpq finds one in its variables."""
    if "://" in address:
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
    """Return the password of ``host=… password=…``; none of a URL."""
    return () if "://" in address else tuple(one for one in (_words(address).get("password"),) if one)


def _without_port(host: str) -> str:
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _words(address: str) -> dict[str, str]:
    return {name: quoted or bare for name, quoted, bare in _WORD.findall(address)}
