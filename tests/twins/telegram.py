"""Telegram's bot API on loopback: a person who writes some messages, and a record of what the bot answers."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# A first name may have 64 letters, and marks that are not seen.
ANN = {"chat": {"id": 7}, "from": {"first_name": "Ann\u200f" + "a" * 60, "username": "ann7"}}
BLOCKED = {"chat": {"id": 8}, "from": {"first_name": "Ben"}}


@contextmanager
def telegram(*texts):
    """
    The address of the API. Its chat 7 has these messages of Ann, each after the one before was answered. Before her, Ben
    wrote in chat 8 and blocked the bot, so that an answer to him is refused. The first call finds a gateway that fails.
    """
    answered, failures = [], [502]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if failures:
                self._answer("Bad Gateway", failures.pop())
                return
            if self.path.endswith("/sendMessage") and str(asked["chat_id"]) == str(BLOCKED["chat"]["id"]):
                self._answer("Forbidden: bot was blocked by the user", 403)
                return
            if self.path.endswith("/sendMessage"):
                answered.append(asked["text"])
                self._answer({"message_id": 100 + len(answered)})
                return
            time.sleep(0.1)  # a long poll would wait for longer
            written = [{**BLOCKED, "text": "Hello."}, *({**ANN, "text": text} for text in texts)]
            at = len(answered) + 1 if asked["offset"] else 0
            is_new = at < len(written) and at >= asked["offset"]
            self._answer([{"update_id": at, "message": written[at]}] if is_new else [])

        def _answer(self, result, status=200):
            body = json.dumps({"ok": status < 400, "result": result}).encode()
            self.send_response(status)
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
