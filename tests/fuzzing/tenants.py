"""
Two tenants with a key each: one sends requests of every kind that name the other's mind, ids and words wherever they can.

Routes, their parameters and the examples of their bodies are read from the OpenAPI document, so that a new one is covered
by being there. No answer may hold one of the other's words, none may be a 5xx, and the other's mind must stay as it was.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx2

from tests.support.api_keys import make_key

OURS, THEIRS = "eve", "bob"
WORDS = ("Vortquible", "Zibblewock", "Quandrillo", "Mibblethrax")  # said, asked and written nowhere else
_TOOLS = (
    "remember",
    "search_log",
    "list_facts",
    "list_entities",
    "save_memory",
    "set_sleep",
    "correct_memory",
    "resonance",
    "read_story",
    "store_turn",
    "journal_memory_search",
    "journal_memory_get",
)
_HEADERS = (
    "X-Mind-Id",
    "X-Session-Id",
    "X-User-Id",
    "X-Forwarded-For",
    "X-Original-URL",
    "X-Rewrite-URL",
    "Idempotency-Key",
)
_SEARCHED = ("dentist", "sister", "story", "password", "*", "what do you know", "mind:bob")


@dataclass(slots=True)
class Crossings:
    """What was sent, and what went wrong: each as a sentence with the request that did it."""

    requests: int = 0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it is sent; ``path`` is raw, with its query."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.headers} {self.body and self.body[:300]!r}"


def cross(url, home, *, requests, seed):
    """Tell the other tenant's secrets, then send *requests* as ours; what crossed. Both minds are of *home*."""
    keys = {mind: make_key(home, minds=(mind,), name=mind) for mind in (OURS, THEIRS)}
    found = Crossings()
    with _client(url, keys[THEIRS]) as their, _client(url, keys[OURS]) as our:
        known = _told(their)
        _keep(our, OURS, "I like tea.", "s1", "t1")
        before = _state(their)
        chance = random.Random(seed)
        operations = _operations(our.get("/openapi.json").raise_for_status().json())
        for _ in range(requests):
            request = _request(chance, operations, known)
            answer = our.build_request(request.method, "/", headers=request.headers, content=request.body)
            answer.url = answer.url.copy_with(raw_path=request.path.encode())
            _look(our.send(answer), request, found)
        try:
            after = _state(their)
        except httpx2.HTTPStatusError as error:
            after = str(error)
    if after != before:
        found.failures.append(f"the other's mind changed: {before} is now {after}")
    return found


def _client(url, key):
    return httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)


def _keep(http, mind, said, session, turn):
    body = {"session_id": session, "turn_id": turn, "messages": [{"role": "user", "content": said}]}
    http.post(f"/v1/minds/{mind}/turns", json=body).raise_for_status()


def _told(their):
    """Everything that the other tenant has: turns, a story, a note, a trace; the ids of it all."""
    _keep(
        their, THEIRS, f"My sister {WORDS[0]} sees the dentist {WORDS[1]} on Monday.", f"s-{WORDS[2]}", f"t-{WORDS[3]}"
    )
    asked = {"session_id": "s2", "messages": [{"role": "user", "content": f"When does {WORDS[0]} see {WORDS[1]}?"}]}
    trace = their.post(f"/v1/minds/{THEIRS}/resonance", json=asked).raise_for_status().json()["trace_id"]
    their.post(f"/v1/minds/{THEIRS}/consolidation", json={"wait": True}).raise_for_status()
    versions = their.get(f"/v1/minds/{THEIRS}/story/history").raise_for_status().json()["versions"]
    return (
        *(THEIRS, f"s-{WORDS[2]}", f"t-{WORDS[3]}", trace, "s2", "memory/2026-01-01.md", "STORY.md"),
        *(one["version"] for one in versions),
    )


def _state(their):
    """What must stay as it is: how much the other tenant holds, and their story."""
    status = their.get(f"/v1/minds/{THEIRS}").raise_for_status().json()
    story = their.get(f"/v1/minds/{THEIRS}/story", headers={"Accept": "text/markdown"})
    listed = [one["mind_id"] for one in their.get("/v1/minds").raise_for_status().json()["minds"]]
    return status["turns"], status["last_sequence"], story.text, listed


def _operations(document):
    """Every operation: method, path, parameters in the query, and an example of each body."""
    found = []
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            if (method, path) == ("post", "/v1/example"):  # a minute's work that touches nobody's mind
                continue
            queries = [each["name"] for each in one.get("parameters", ()) if each["in"] == "query"]
            bodies = one.get("requestBody", {}).get("content", {})
            examples = [(kind, _example(document, content)) for kind, content in bodies.items()]
            found.append((method.upper(), path, queries, examples))
    return found


def _example(document, content):
    schema = content.get("schema", {})
    if "example" in content:
        return content["example"]
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return (schema.get("examples") or [{}])[0]


def _request(chance, operations, known):
    method, path, queries, bodies = chance.choice(operations)
    for name in ("mind_id", "session_id", "turn_id", "trace_id", "version"):
        if f"{{{name}}}" in path:
            chosen = _mind(chance) if name == "mind_id" else quote(chance.choice(known), safe="")
            path = path.replace(f"{{{name}}}", chosen)
    if chance.random() < 0.1:
        path = _bent(chance, path)
    asked = {name: _text(chance, known) for name in queries if chance.random() < 0.6}
    if chance.random() < 0.4:
        asked[chance.choice(("mind", "mind_id", "user", "home"))] = THEIRS
    query = "&".join(f"{quote(name)}={quote(value)}" for name, value in asked.items())
    headers = {chance.choice(_HEADERS): chance.choice(known) for _ in range(chance.randrange(3))}
    kind, body = _body(chance, path, bodies, known)
    if kind:
        headers["Content-Type"] = kind
    if chance.random() < 0.2:
        headers["Accept"] = chance.choice(("text/markdown", "application/json", "text/event-stream", "*/*"))
    if chance.random() < 0.2:
        headers["If-Match"] = "*"
    return Request(method, f"{path}?{query}" if query else path, headers, body)


def _mind(chance):
    """The other's mind, in a way that a careless comparison takes for ours, or ours."""
    ways = (
        THEIRS,
        OURS,
        "BOB",
        "b%6fb",
        "%62ob",
        f"{OURS}%2F..%2F{THEIRS}",
        f"{OURS}/../{THEIRS}",
        "bob%00",
        "bob%20",
        "bob.",
    )
    return chance.choice(
        (*ways, f"./{THEIRS}", f"{THEIRS};x=1", f"{OURS}%2f%2e%2e%2f{THEIRS}", quote("ｂｏｂ"), "bob%0a", THEIRS)
    )


def _bent(chance, path):
    return chance.choice(
        (f"/{path}", path.replace("/v1/", "/v1//"), f"{path}/", path.upper(), f"/v1/minds/{OURS}/..{path}")
    )


def _text(chance, known):
    return chance.choice((*known, *_SEARCHED, "2026-01-01T00:00:00Z", "1", "true"))


def _body(chance, path, bodies, known):
    """A body of the operation, with the other's ids and mind at any place of it; or none."""
    if path.startswith("/mcp"):
        return "application/json", json.dumps(_tool_call(chance, known)).encode()
    if not bodies:
        return None, None
    kind, example = chance.choice(bodies)
    if kind == "application/zip":
        return kind, _archive(chance, known)
    if kind == "text/markdown":
        return kind, b"### [2026-01-01] Tea\nI like tea.\n"
    body = _mixed(chance, example, known)
    if isinstance(body, dict):
        for name in ("mind_id", "mind", "user", "session_id", "metadata"):
            if chance.random() < 0.3:
                body[name] = {"mind_id": THEIRS, "session_id": chance.choice(known)} if name == "metadata" else THEIRS
    return kind, json.dumps(body).encode()


def _mixed(chance, value, known):
    if isinstance(value, dict):
        return {key: _mixed(chance, one, known) for key, one in value.items()}
    if isinstance(value, list):
        return [_mixed(chance, one, known) for one in value]
    return _text(chance, known) if isinstance(value, str) and chance.random() < 0.4 else value


def _tool_call(chance, known):
    if chance.random() < 0.2:
        kind = chance.choice(("story", "waking"))
        uri = chance.choice((f"{kind}://{THEIRS}", f"{kind}://{OURS}/../{THEIRS}", f"{kind}://{THEIRS.upper()}"))
        return {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}
    if chance.random() < 0.1:
        method = chance.choice(("resources/list", "tools/list", "resources/templates/list", "prompts/list"))
        return {"jsonrpc": "2.0", "id": 1, "method": method}
    arguments = {
        "query": _text(chance, known),
        "message": _text(chance, known),
        "path": _text(chance, known),
        "session_id": chance.choice(known),
        "turn_id": chance.choice(known),
        "messages": [{"role": "user", "content": "I like tea."}],
        "mind": chance.choice((THEIRS, "BOB", OURS, f"../{THEIRS}")),
    }
    kept = {key: value for key, value in arguments.items() if chance.random() < 0.6}
    tool = {"name": chance.choice(_TOOLS), "arguments": kept}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}


def _archive(chance, known):
    """A small archive whose manifest and members name the other's mind."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": 1, "mind_id": THEIRS, "files": {}}))
        archive.writestr(chance.choice((f"../{THEIRS}/STORY.md", f"minds/{THEIRS}/STORY.md", "STORY.md")), "tea")
        archive.writestr("transcript/000001.jsonl", json.dumps({"sequence": 1, "turn_id": chance.choice(known)}))
    return packed.getvalue()


def _look(answer, request, found):
    """Note what is wrong with an *answer*; the words of the request itself may come back in it."""
    found.requests += 1
    said = f"{request} {answer.request.url}"
    shown = f"{answer.headers} {answer.text}"
    crossed = [word for word in WORDS if word in shown and word not in said]
    if crossed:
        found.failures.append(f"{', '.join(crossed)} came back from {request}: {shown[:600]}")
    if answer.is_server_error:
        found.failures.append(f"{answer.status_code} from {request}: {answer.text[:300]}")
