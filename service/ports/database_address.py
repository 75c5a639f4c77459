"""The address of a PostgreSQL, as libpq takes it, shown without its user, password and options."""

from __future__ import annotations

import re

from consolidation.secrets.redaction import without_secrets_of

_WORD = re.compile(r"\b(host|port|dbname|password)\s*=\s*(?:'([^']*)'|(\S+))")


def shown_database(address: str) -> str:
    """Return where *address* leads: hosts and database, of ``postgresql://…`` as of ``host=… dbname=…``."""
    if "://" in address:
        scheme, _, rest = address.partition("://")
        return f"{scheme}://…" if "://" in rest.partition("?")[0] else without_secrets_of(address)
    found = _words(address)
    port = f":{found['port']}" if "port" in found else ""
    return f"postgresql://{found.get('host', '')}{port}/{found.get('dbname', '')}"


def password_in(address: str) -> tuple[str, ...]:
    """Return the password of ``host=… password=…``; none of a URL."""
    return () if "://" in address else tuple(one for one in (_words(address).get("password"),) if one)


def _words(address: str) -> dict[str, str]:
    return {name: quoted or bare for name, quoted, bare in _WORD.findall(address)}
