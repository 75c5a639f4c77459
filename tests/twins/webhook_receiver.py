"""A receiver of webhooks: it checks each signature as Standard Webhooks says, and answers by a script."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four bytes").decode()


def is_signed(headers, body):
    """Whether a delivery is signed by who knows the secret; written here from the convention's own text."""
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{expected}" in headers["webhook-signature"].split(" ")


class Receiver:
    """What came, and what is answered: ``script`` has statuses (or headers with them), then 204 for ever."""

    def __init__(self):
        self.script = []
        self.all = []
        self.taken = []
        self.unsigned = 0
        self._mutex = threading.Lock()

    def answer(self, headers, body):
        with self._mutex:
            self.unsigned += not is_signed(headers, body)
            self.all.append((headers["webhook-id"], json.loads(body)))
            status, more = self.script.pop(0) if self.script else (204, {})
            if status < 300:
                self.taken.append((headers["webhook-id"], json.loads(body)))
            return status, more

    def kinds(self):
        """The kinds that were taken, in order."""
        return [body["type"] for _, body in self.taken]


@contextmanager
def receiving(port=0, *, family=socket.AF_INET):
    """A receiver on loopback, with its ``url``."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(length := int(self.headers["content-length"]))
            if len(body) < length:  # whoever sent it died in the middle
                return
            status, more = receiver.answer(self.headers, body)
            self.send_response(status)
            for name, value in {"Content-Length": "0", **more}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        address_family = family

    host, shown = ("::1", "[::1]") if family == socket.AF_INET6 else ("127.0.0.1", "127.0.0.1")
    server = Server((host, port), Handler)
    receiver.port = server.server_address[1]
    receiver.url = f"http://{shown}:{receiver.port}/hooks?token=abc"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
