#!/usr/bin/env python3
"""The container's health check: succeeds if the service in it answers `/healthz`. Imports none of our packages."""

import os
import socket
import sys

_SECONDS = 4
_REQUEST = b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"
_OK = b" 200 "

if __name__ == "__main__":
    try:
        with socket.create_connection(("127.0.0.1", int(os.environ["MIND_MEMORY_PORT"])), timeout=_SECONDS) as service:
            service.sendall(_REQUEST)
            answer = service.makefile("rb").readline()
    except OSError as error:
        sys.exit(f"no answer: {error}")
    sys.exit(None if _OK in answer else f"answered {answer!r}")
