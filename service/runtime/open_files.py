"""How many files and sockets this process may have open: what it is given is often too little for many minds."""

from __future__ import annotations

import sys
from contextlib import suppress

_MOST = 65_536


def allow_many_open_files() -> None:
    """Raise the limit as far as the system allows, to 65,536; the graph server, started later, gets it too."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST if hard == resource.RLIM_INFINITY else min(hard, _MOST)
    if soft < most:
        with suppress(ValueError, OSError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
