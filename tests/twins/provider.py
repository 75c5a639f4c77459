"""
A scripted model provider: OpenAI's HTTP API on loopback, that says what a test tells it to, faults included.

    with ScriptedProvider("hello", Fails(429), Hangs()) as provider:
        ...  # provider.url is the api_base; provider.asked holds every request, in order

A script is a queue of answers, taken one a request, then ``respond(request) -> answer`` if it is given.
A ``str`` stands for ``Says(text)``, any other JSON value for ``Says`` of that value as JSON. A request
beyond the script is answered 500 "the script is over", so that a test notices. Vectors are made of
words' hashes, unless ``vectors`` scripts them. Transcriptions have a script of their own, ``hears``.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import socket
import struct
import sys
import threading
import wave
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, assert_never

import numpy as np

_FEWEST_LETTERS, _MOST_PIECES = 8, 100  # of a streamed text: litellm takes its time for each piece


@dataclass(frozen=True, slots=True)
class Says:
    """A text; after ``delay`` seconds, and, when streamed, in pieces with ``drip`` seconds between them."""

    text: str | None
    finish: str = "stop"
    delay: float = 0.0
    drip: float = 0.0
    counted: bool = True  # whether the provider tells the tokens
    refusal: str | None = None
    tokens: Mapping[str, int] | None = None  # those that it tells; without them, words are counted


@dataclass(frozen=True, slots=True)
class Body:
    """A whole HTTP body that need not be a completion: a JSON value, or bytes as they are."""

    value: object
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error, worded as OpenAI words it."""

    status: int
    message: str = "scripted failure"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hangs:
    """Reads the request and never answers, until the caller hangs up."""


@dataclass(frozen=True, slots=True)
class Drips:
    """Headers at once, then a byte every ``pause`` seconds, for ever."""

    pause: float = 0.05


@dataclass(frozen=True, slots=True)
class Closes:
    """Closes the connection without a word."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """Bytes that are not HTTP."""

    bytes: bytes = b"\x00\xff\x13\x37 this is not HTTP\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Breaks:
    """A stream that says ``text``, then is reset (``reset``), or ends as if nothing were missing."""

    text: str
    reset: bool = True


@dataclass(frozen=True, slots=True)
class Stumbles:
    """A stream that says ``text``, then sends an error event."""

    text: str
    message: str = "the server is overloaded"
    code: int | str | None = None


Answer = Says | Body | Fails | Hangs | Drips | Closes | Garbage | Breaks | Stumbles
Respond = Callable[[dict[str, Any]], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def words(self) -> str:
        """The last message's text."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that was sent to be transcribed, and the fields beside it."""

    file: bytes
    name: str
    fields: Mapping[str, str]
    headers: Mapping[str, str]

    @property
    def seconds(self) -> float:
        """The length of a WAV file."""
        with wave.open(io.BytesIO(self.file)) as wav:
            return wav.getnframes() / wav.getframerate()


class ScriptedProvider:
    """The server; use as a context manager. Leaving it frees every caller that still waits."""

    def __init__(
        self,
        *script: object,
        respond: Respond | None = None,
        vectors: Iterable[object] = (),
        hears: Iterable[object] | Callable[[Recorded], object] = (),
        dimension: int = 32,
        models: tuple[str, ...] = ("scripted",),
    ) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self.hung_up = 0  # callers that did not wait for the end of an answer
        self.dimension = dimension
        self.models = models
        self._script = deque(script)
        self._vectors = deque(vectors)
        self.recorded: list[Recorded] = []
        self._hears = hears if callable(hears) else deque(hears)
        self._respond = respond
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.provider = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The api_base to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[Asked]:
        """What was asked of the chat endpoint."""
        return [asked for asked in self.asked if asked.path == "/v1/chat/completions"]

    @property
    def embeddings(self) -> list[Asked]:
        """What was asked of the embeddings endpoint."""
        return [asked for asked in self.asked if asked.path == "/v1/embeddings"]

    def then(self, *script: object) -> None:
        """Append to the script."""
        with self._lock:
            self._script.extend(script)

    def forget(self) -> None:
        """Drop what is left of the script."""
        with self._lock:
            self._script.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.drop_connections()
        self._server.server_close()
        self._thread.join(5)

    def next_answer(self, asked: Asked) -> Answer:
        """What the script says to a chat request."""
        with self._lock:
            scripted = self._script.popleft() if self._script else None
        if scripted is None and self._respond is not None:
            scripted = self._respond(asked.body)
        return Fails(500, "the script is over") if scripted is None else _as_answer(scripted)

    def next_vectors(self, asked: Asked) -> Answer:
        """What the script says to an embedding request: hashed vectors unless told otherwise."""
        with self._lock:
            scripted = self._vectors.popleft() if self._vectors else None
        if scripted is not None and not isinstance(scripted, list):
            return _as_answer(scripted)
        given = asked.body["input"]
        texts = [given] if isinstance(given, str) else given
        rows = scripted if scripted is not None else [hashed_vector(str(t), dimension=self.dimension) for t in texts]
        data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return Body({"object": "list", "model": asked.body.get("model"), "data": data, "usage": usage})

    def next_words(self, recorded: Recorded) -> Answer:
        """What the script says to a recording: a ``str`` stands for its words."""
        with self._lock:
            self.recorded.append(recorded)
            if not callable(self._hears):
                scripted = self._hears.popleft() if self._hears else Fails(500, "the script is over")
        if callable(self._hears):
            scripted = self._hears(recorded)
        return Body({"text": scripted}) if isinstance(scripted, str) else _as_answer(scripted)

    def record(self, asked: Asked) -> None:
        """Remember a request."""
        with self._lock:
            self.asked.append(asked)

    def wait(self, seconds: float) -> bool:
        """Sleep, unless the test is over first; whether it is over."""
        return self._over.wait(seconds)


def hashed_vector(text: str, *, dimension: int) -> list[float]:
    """A unit vector made of a text's hash: equal texts, equal vectors."""
    seed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(dimension)
    return [float(x) for x in vector / np.linalg.norm(vector)]


def _as_answer(scripted: object) -> Answer:
    if isinstance(scripted, Answer):
        return scripted
    return Says(scripted if isinstance(scripted, str) else json.dumps(scripted))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    provider: ScriptedProvider

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        self.provider.connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up is no news, but counted."""
        self.provider.hung_up += isinstance(sys.exception(), OSError)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *args: object) -> None:
        """Silence."""

    def do_GET(self) -> None:
        provider = self.server.provider
        provider.record(Asked(self.path, dict(self.headers), {}))
        listed = [{"id": model, "object": "model", "owned_by": "twin"} for model in provider.models]
        self._send(200, json.dumps({"object": "list", "data": listed}).encode())

    def do_POST(self) -> None:
        provider = self.server.provider
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/v1/audio/transcriptions":
            self._give(provider.next_words(_recorded(raw, self.headers)), Asked(self.path, dict(self.headers), {}))
            return
        body = json.loads(raw)
        asked = Asked(self.path, dict(self.headers), body)
        provider.record(asked)
        if self.path == "/v1/chat/completions":
            self._give(provider.next_answer(asked), asked)
        elif self.path == "/v1/embeddings":
            self._give(provider.next_vectors(asked), asked)
        else:
            self._give(Fails(404, f"no such path: {self.path}"), asked)

    def _give(self, answer: Answer, asked: Asked) -> None:
        match answer:
            case Says():
                self._say(answer, asked)
            case Body(value=bytes() as raw):
                self._send(200, raw, content_type=answer.content_type)
            case Body():
                self._send(200, json.dumps(answer.value).encode(), content_type=answer.content_type)
            case Fails():
                error = {"message": answer.message, "type": "scripted", "param": None, "code": answer.code}
                self._send(answer.status, json.dumps({"error": error}).encode(), headers=answer.headers)
            case Hangs():
                self._hang()
            case Drips():
                self._drip(answer)
            case Closes():
                self.close_connection = True
            case Garbage():
                self.wfile.write(answer.bytes)
                self.close_connection = True
            case Breaks():
                self._break(answer, asked)
            case Stumbles():
                self._stumble(answer, asked)
            case _:
                assert_never(answer)

    def _hang(self) -> None:
        provider, self.close_connection = self.server.provider, True
        self.connection.setblocking(False)
        while not provider.wait(0.02):
            with contextlib.suppress(BlockingIOError):
                if not self.connection.recv(1, socket.MSG_PEEK):
                    provider.hung_up += 1
                    return

    def _say(self, answer: Says, asked: Asked) -> None:
        if answer.delay and self.server.provider.wait(answer.delay):
            self.close_connection = True
            return
        if not asked.body.get("stream"):
            self._send(200, json.dumps(_completion(answer, asked.body)).encode())
            return
        self._open_stream(chunked=True)
        for piece in _pieces(answer.text or ""):
            self._event(_chunk(asked.body, content=piece))
            if answer.drip and self.server.provider.wait(answer.drip):
                self.close_connection = True
                return
        if answer.refusal:
            self._event(_chunk(asked.body, refusal=answer.refusal))
        self._event(_chunk(asked.body, finish=answer.finish))
        if answer.counted and (asked.body.get("stream_options") or {}).get("include_usage"):
            self._event({**_chunk(asked.body), "choices": [], "usage": _usage(answer, asked.body)})
        self._write_chunk(b"data: [DONE]\n\n")
        self._write_chunk(b"")

    def _break(self, answer: Breaks, asked: Asked) -> None:
        self._open_stream(chunked=answer.reset)
        for piece in _pieces(answer.text):
            self._event(_chunk(asked.body, content=piece), chunked=answer.reset)
        self.close_connection = True
        if answer.reset:
            self.server.provider.wait(0.05)  # let the caller read what was said
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()  # with linger 0 this sends RST

    def _stumble(self, answer: Stumbles, asked: Asked) -> None:
        self._open_stream(chunked=True)
        for piece in _pieces(answer.text):
            self._event(_chunk(asked.body, content=piece))
        self._event({"error": {"message": answer.message, "type": "server_error", "code": answer.code}})
        self._write_chunk(b"data: [DONE]\n\n")
        self._write_chunk(b"")

    def _drip(self, answer: Drips) -> None:
        self._open_stream(chunked=True)
        self.close_connection = True
        with contextlib.suppress(OSError):
            while not self.server.provider.wait(answer.pause):
                self._write_chunk(b" ")

    def _open_stream(self, *, chunked: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")))
        self.end_headers()

    def _event(self, value: object, *, chunked: bool = True) -> None:
        line = b"data: " + json.dumps(value).encode() + b"\n\n"
        self._write_chunk(line) if chunked else self.wfile.write(line)

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _recorded(raw: bytes, headers: Message) -> Recorded:
    """A form with a file, as a multipart message."""
    kind = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    parts = [part for part in message_from_bytes(kind + raw).walk() if not part.is_multipart()]
    named = {str(part.get_param("name", header="content-disposition")): part for part in parts}
    file = named.pop("file")
    fields = {name: bytes(part.get_payload(decode=True)).decode() for name, part in named.items()}
    return Recorded(bytes(file.get_payload(decode=True)), str(file.get_filename()), fields, dict(headers))


def _completion(answer: Says, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    whole: dict[str, Any] = {
        "id": "chatcmpl-twin",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }
    if answer.counted:
        whole["usage"] = _usage(answer, body)
    return whole


def _chunk(
    body: dict[str, Any], *, content: str | None = None, refusal: str | None = None, finish: str | None = None
) -> dict[str, Any]:
    delta = {k: v for k, v in (("content", content), ("refusal", refusal)) if v is not None}
    return {
        "id": "chatcmpl-twin",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body.get("model"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _usage(answer: Says, body: dict[str, Any]) -> dict[str, int]:
    asked = sum(len(str(message.get("content")).split()) for message in body["messages"])
    said = len((answer.text or "").split())
    if answer.tokens is not None:
        asked, said = answer.tokens["prompt_tokens"], answer.tokens["completion_tokens"]
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _pieces(text: str) -> Iterator[str]:
    size = max(_FEWEST_LETTERS, -(-len(text) // _MOST_PIECES))
    return (text[at : at + size] for at in range(0, len(text), size))
