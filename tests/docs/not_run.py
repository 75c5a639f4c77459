"""The blocks of the documentation that do not run in `test_blocks.py`, by page and first line, each with its reason."""

INSTALLS = "it installs packages from an index; tests/e2e/test_release.py and tests/test_first_start.py install"
CLUSTER = "it needs Docker: `make compose` does the same in tests/e2e/test_cluster_lives.py"
SHAPE = "it shows a shape, with … for what is left out"

NOT_RUN = {
    ("README.md", "---"): "it shows a block of other days; tests/golden/blocks has such blocks, letter by letter",
    ("README.md", "make serve                                   # ends with a link: the console, in your browser"): INSTALLS,
    ("README.md", "docker compose up"): "it needs Docker: `make compose`",
    ("docs/recipes/fastapi.md", "pip install ./client fastapi uvicorn openai"): INSTALLS,
    ("docs/recipes/langchain.md", "pip install './client[langchain]' langchain langchain-openai"): INSTALLS,
    ("docs/recipes/messenger.md", "pip install ./client openai httpx2"): INSTALLS,
    ("client/README.md", "pip install ./client  # from a clone, or ./mind_memory_client-….whl of a release; extras: "
     "[voice] [langchain] [openai-agents] [pydantic-ai] [litellm]"): INSTALLS,
    ("release/README.md", "uvx --python 3.12 --constraints mind-memory-service-0.1.0-requirements.lock "
     "./mind_memory_service-0.1.0-py3-none-any.whl serve"): INSTALLS,
    ("release/README.md", "python3.12 -m venv memory"): INSTALLS,
    ("docs/archive-format.md", '{"format": "mind-memory archive", "version": 1, "mind_id": "ada",'): SHAPE,
    ("docs/archive-format.md", '{"node": "Entity", "properties": {"uuid": "…", "name": "Lyon", "summary": "…"}, '
     '"vectors": {"name_embedding": "…"}}'): SHAPE,
    ("docs/problems.md", '{"type": "/problems/mind-not-found", "title": "The mind does not exist", "status": 404, '
     '"detail": "no mind is called \'nobody\'; its first turn creates it", "instance": "/v1/minds/nobody"}'): "a call that is refused fails its block",
    ("docs/voice.md", "WebSocket /v1/minds/{mind_id}/sessions/{session_id}/audio?stream=CA1&offset=0"):
        "it is an address; tests/e2e/test_audio_streams.py calls it",
    ("docs/importing.md", "mind-memory import redis://localhost:6379/my_graph --mind ada"):
        "it needs a FalkorDB of somebody else; tests/service/cli imports from one",
    ("client-ts/README.md", 'import { MemoryClient } from "mind-memory-client";'): (
        "tests/client/test_typescript.py runs it, with the package installed"
    ),
    ("docs/command-line.md", "MIND_MEMORY_URL=https://memory.example.org MIND_MEMORY_KEY=mm_… mind-memory mount --mind ada ~/ada"):
        "it runs until Ctrl-C, against a service elsewhere; tests/service/cli/mounting runs it",
    ("docs/several-machines.md", "printf 'DATABASE_PASSWORD=%s\\nREPLICATION_PASSWORD=%s\\n' $(openssl rand -hex 24) "
     "$(openssl rand -hex 24) > docker/.env"): CLUSTER,
    ("docs/several-machines.md", "for who in ada bo cy; do"): CLUSTER,
    ("docs/several-machines.md", "kubectl create secret generic database --from-literal=PGPASSWORD=…"):
        "it needs Kubernetes; tests/test_chart.py renders the chart with such values",
    ("docs/several-machines.md", "haproxy.org/backend-config-snippet: |"): "it is an annotation for somebody's ingress",
    ("docs/several-machines.md", "docker compose -f docker/cluster.yaml stop pg1"): CLUSTER,
    ("docs/several-machines.md", "docker compose -f docker/cluster.yaml exec -T pg2 pg_dump -U postgres -Fc memory > memory.dump"): CLUSTER,
    ("docs/several-machines.md", "docker compose -f docker/cluster.yaml build memory1"): CLUSTER,
    ("docs/several-machines.md", "docker compose -f docker/cluster.yaml stop memory1 memory2 memory3"): CLUSTER,
    ("docs/several-machines.md", "MIND_MEMORY_HOME=/old/home mind-memory export --mind ada --output ada.zip"):
        "it needs two homes and a database; tests/e2e/test_shared_home_moves.py does it",
    ("docs/sleep.md", "python client/examples/agent.py"): "tests/client/test_examples.py runs it",
}  # fmt: skip
