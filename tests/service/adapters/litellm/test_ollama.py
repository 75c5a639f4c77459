"""The Ollama of docker/compose.yaml, as .env.example says to use it: a scripted one, spoken to by the real litellm."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.ports import Role
from service.adapters.litellm.embedder import LitellmEmbedder
from service.cli.output.configuration import network_of
from service.composition.models import open_models
from service.observability.model_usage import UsageLedger
from service.settings.loading import read_settings
from tests.support.paths import ROOT

pytestmark = pytest.mark.anyio
EXAMPLE = ROOT / ".env.example"
WANTED = ("MIND_MEMORY_MODEL=ollama", "MIND_MEMORY_EMBEDDER__")
ANSWERS = {
    "/api/embed": {"embeddings": [[0.1] * 1024], "prompt_eval_count": 3},
    "/api/show": {"model_info": {}, "template": "", "capabilities": ["completion"]},
    "/api/chat": {"message": {"role": "assistant", "content": "here"}, "done": True, "done_reason": "stop"},
}


class Ollama(BaseHTTPRequestHandler):
    """Answers as Ollama does, each stream in one line, and keeps what it was asked."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, asked.get("model")))
        answer = {"model": asked.get("model"), "created_at": "2026-01-09T18:30:00Z", **ANSWERS[self.path]}
        content = f"{json.dumps(answer)}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words):
        pass


@pytest.fixture
def ollama(monkeypatch):
    lines = [line.removeprefix("# ") for line in EXAMPLE.read_text().splitlines() if line.startswith("# ")]
    for line in lines:
        if line.startswith(WANTED):
            monkeypatch.setenv(*line.split("=", 1))
    with ThreadingHTTPServer(("127.0.0.1", 0), Ollama) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OLLAMA_API_BASE", f"http://127.0.0.1:{server.server_port}")
        yield server
        server.shutdown()


async def test_the_example_reaches_the_models_that_are_fetched(ollama):
    settings = read_settings()
    chosen = settings.embedder
    embedder = LitellmEmbedder(
        chosen.model, api_base=None, api_key=None, timeout_seconds=60, dimension=chosen.dimension
    )

    vectors = await embedder.embed(("Where does my mother live?",))
    async with open_models(settings, clock=SystemClock(), ledger=UsageLedger()) as models:
        reply = await models[Role.CHAT].converse(({"role": "user", "content": "Are you there?"},))

    assert vectors.shape == (1, 1024)
    assert reply.content == "here"
    assert {("/api/embed", "bge-m3"), ("/api/chat", "llama3.2")} <= set(ollama.asked)


def test_a_model_in_a_container_of_ours_is_no_place_that_words_leave_for(ollama):
    assert network_of(read_settings()) == "none: nothing leaves this machine"
