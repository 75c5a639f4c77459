"""Ports of loopback on which nobody listens."""

import socket
from contextlib import ExitStack


def free_ports(count):
    """As many, each another one."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in found]


def free_port():
    return free_ports(1)[0]
