"""A scripted Ollama: it answers as Ollama does, and cuts what is longer than its window without a word, as Ollama does."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from consolidation.text.tokens import count_tokens

DEFAULT_WINDOW = 4096  # of a model for which nobody asks for another one
SHOWN = {"model_info": {"llama.context_length": 131_072}, "template": "", "capabilities": ["completion"]}


@dataclass(frozen=True)
class Broken:
    """An error, with which Ollama may end a stream as well; its status is 200 there, and here."""

    words: str


class Ollama(BaseHTTPRequestHandler):
    """``server.respond`` makes the words of an answer from a chat's body; a value that is not a text is said as JSON."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, asked))
        answer = {
            "/api/embed": {"embeddings": [[0.1] * 1024], "prompt_eval_count": 3},
            "/api/show": SHOWN,
            "/api/chat": self.chat,
        }[self.path]
        told = answer(asked) if callable(answer) else answer
        content = (
            f"{json.dumps({'model': asked.get('model'), 'created_at': '2026-01-09T18:30:00Z', **told})}\n".encode()
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def chat(self, asked):
        window = asked.get("options", {}).get("num_ctx", DEFAULT_WINDOW)
        taken = count_tokens("\n".join(message["content"] for message in asked["messages"]))
        if taken + asked["options"].get("num_predict", 0) > window:
            self.server.cut.append((taken, asked["options"]))
        with self.server.busy:
            self.server.answering += 1
            self.server.most = max(self.server.most, self.server.answering)
        said = self.server.respond(asked)
        if isinstance(said, Broken):
            return {"error": said.words}
        with self.server.busy:
            self.server.answering -= 1
        text = said if isinstance(said, str) else json.dumps(said)
        message = {"role": "assistant", "content": text}
        return {"message": message, "done": True, "done_reason": "stop", "prompt_eval_count": taken, "eval_count": 5}

    def log_message(self, *words):
        pass


@contextmanager
def ollama(respond=lambda _: "here"):
    """
    One that listens on loopback: ``url``, ``asked`` (path and body of each request), ``cut`` (what did not fit).

    ``most`` chats were to be answered at once.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), Ollama) as server:
        server.respond, server.asked, server.cut = respond, [], []
        server.busy, server.answering, server.most = threading.Lock(), 0, 0
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
