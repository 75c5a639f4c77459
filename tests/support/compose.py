"""`docker compose up` for a test: a copy of this project with a data folder and a port of its own, the real images."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess

import httpx2

from tests.support.free_ports import free_port
from tests.support.paths import ROOT
from tests.support.waiting import until

TAKEN = ("compose.yaml", "docker", ".dockerignore", "pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE",
         "requirements.lock", "client", "client-ts", "console", "consolidation", "prompts", "service",
         "workspace_template")  # fmt: skip
LEFT = shutil.ignore_patterns("node_modules", "dist", "static", "__pycache__")  # what .dockerignore leaves out as well
LONG = 600


def has_engine():
    """Whether a Docker engine answers here."""
    if shutil.which("docker") is None:
        return False
    return not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode


class Composed:
    """One project; ``http`` is its service."""

    WORDS: tuple[str, ...] = ()  # of `docker compose`, that choose another file
    ENV = ".env"

    def __init__(self, folder, **variables):
        self.folder = folder / "checkout"
        self.folder.mkdir()
        for name in TAKEN:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.folder / name, ignore=LEFT)
            else:
                shutil.copy2(ROOT / name, self.folder / name)
        self.data = self.folder / "data"
        self.port = free_port()
        self.project = f"mind-memory-test-{self.port}"
        self.http = httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)
        user = os.getuid() or 1000
        self.environ(MIND_MEMORY_PORT=self.port, MIND_MEMORY_UID=user, MIND_MEMORY_GID=os.getgid() or user, **variables)

    def environ(self, **variables):
        """Write ``.env``, as a person would."""
        text = "".join(f"{name}={value}\n" for name, value in variables.items())
        with (self.folder / self.ENV).open("a") as file:
            file.write(text)

    def call(self, *words, fine=True):
        """`docker compose …`; an error is told with all that was said, unless it is wanted."""
        done = subprocess.run(
            ["docker", "compose", *self.WORDS, "--project-name", self.project, *map(str, words)],
            cwd=self.folder, capture_output=True, text=True, timeout=LONG, check=False,
        )  # fmt: skip
        assert not (fine and done.returncode), f"{words}: {done.stdout}{done.stderr}{self.logs()}"
        return done

    def up(self):
        """Start everything, and return when it is healthy."""
        self.call("up", "--detach", "--wait", "--wait-timeout", "300")

    def command(self, *words):
        """What `mind-memory …` says in the running container."""
        return self.call("exec", "-T", "memory", "mind-memory", *words).stdout

    def logs(self, *services):
        """What the containers have said."""
        words = ["docker", "compose", *self.WORDS, "--project-name", self.project, "logs", "--no-color", *services]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False).stdout

    def inspected(self, service):
        """The container as the engine sees it."""
        container = self.call("ps", "--all", "--quiet", service).stdout.strip()
        return json.loads(subprocess.check_output(["docker", "inspect", container]))[0]

    def kill(self, service):
        """SIGKILL to its first process, from outside: `docker kill` would count as stopped on purpose."""
        state = self.inspected(service)
        killing = f"import os; os.kill({state['State']['Pid']}, 9)"
        image = self.inspected("memory")["Image"]
        words = ["docker", "run", "--rm", "--pid", "host", "--user", "0:0", image, "python", "-c", killing]
        subprocess.run(words, check=True, capture_output=True, timeout=LONG)
        until(lambda: self.inspected(service)["RestartCount"] > state["RestartCount"])

    def keep(self, mind_id, turn_id, said):
        """Post a turn, again and again until it is accepted."""
        body = {"turn_id": turn_id, "session_id": "s1", "messages": [{"role": "user", "content": said}]}

        def is_kept():
            try:
                return self.http.post(f"/v1/minds/{mind_id}/turns", json=body).status_code == 202
            except httpx2.TransportError:
                return False

        until(is_kept)

    def digested(self, mind_id):
        """The mind's status, once all its turns are in the graph."""

        def found():
            try:
                status = self.http.get(f"/v1/minds/{mind_id}").json()
            except httpx2.TransportError:
                return None
            graph = status.get("graph", {})
            done = graph and graph["available"] and not graph["lag"] and graph["saved"] == status["last_sequence"]
            return status if done else None

        return until(found)

    def transcript(self, mind_id):
        """The ids of the turns on the disk, in their order."""
        lines = self.call("exec", "-T", "memory", "sh", "-c", f"cat /data/minds/{mind_id}/transcript/*.jsonl").stdout
        return [json.loads(line)["turn_id"] for line in lines.splitlines()]

    def remembered(self, mind_id, query):
        """The texts of the episodes that `remember` finds."""
        asked = {"query": query, "kinds": "episode", "limit": 50}
        found = self.http.get(f"/v1/minds/{mind_id}/remember", params=asked).raise_for_status().json()
        return "\n".join(one["text"] for one in found["memories"])

    def end(self):
        """Take everything down, its volumes too."""
        self.http.close()
        self.call("down", "--volumes", "--remove-orphans", "--timeout", "20", fine=False)


class ComposedCluster(Composed):
    """The several services of docker/cluster.yaml; ``http`` is their proxy."""

    WORDS = ("--file", "docker/cluster.yaml")
    ENV = "docker/.env"

    def __init__(self, folder):
        port = free_port() % 250
        passwords = {"DATABASE_PASSWORD": secrets.token_hex(8), "REPLICATION_PASSWORD": secrets.token_hex(8)}
        super().__init__(folder, FALKORDB_NET=f"172.30.{port}", **passwords)

    def postgres(self, server, *words, fine=True):
        """What docs/several-machines.md has an operator say to one of the two."""
        return self.call("exec", "-T", server, "bash", "/opt/postgres.sh", *words, fine=fine)

    def ask(self, server, statement):
        """What a server answers to its superuser."""
        return self.call("exec", "-T", server, "psql", "-U", "postgres", "-Atc", statement).stdout.strip()

    def turns(self, mind_id):
        """How many turns a mind has."""
        return self.http.get(f"/v1/minds/{mind_id}").raise_for_status().json()["turns"]
