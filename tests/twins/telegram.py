"""Telegram's bot API on loopback: a person who writes some messages, and a record of what the bot answers."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def telegram(*texts):
    """The address of the API. Its chat 7 has these messages of Ann, each after the one before was answered."""
    answered = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/sendMessage"):
                answered.append(asked["text"])
                self._answer({"message_id": 100 + len(answered)})
                return
            time.sleep(0.1)  # a long poll would wait for longer
            at = len(answered)
            is_new = at < len(texts) and at >= asked["offset"]
            person = {"chat": {"id": 7}, "from": {"first_name": "Ann"}}
            self._answer([{"update_id": at, "message": {**person, "text": texts[at]}}] if is_new else [])

        def _answer(self, result):
            body = json.dumps({"ok": True, "result": result}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(OSError):  # a bot that was ended does not wait for its long poll
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
