"""What can be seen of the containers without an engine; `make compose` starts them."""

import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import yaml

from service.adapters.falkordb import server as embedded
from service.settings.loading import known_variables, read_settings
from tests.support.compose import TAKEN
from tests.support.paths import ROOT

DOCKER = ROOT / "docker"


class Reader(yaml.SafeLoader):
    """YAML as Compose reads it."""


Reader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))


def read(path):
    return yaml.load((ROOT / path).read_text(), Reader)


COMPOSE = read("docker/compose.yaml")
SERVICES = COMPOSE["services"]
MEMORY, FALKORDB = SERVICES["memory"], SERVICES["falkordb"]
LASTING = [name for name in SERVICES if name != "prepare"]
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
EXAMPLE = re.findall(r"^# ([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
USED = set(
    re.findall(r"(?<!\$)\$\{([A-Z_]+)", (DOCKER / "compose.yaml").read_text() + (DOCKER / "open.yaml").read_text())
)


def default_of(text):
    """What stands there when no variable is set."""
    return re.sub(r"\$\{[A-Z_]+:-([^}]*)\}", r"\1", str(text))


def test_up_in_the_root_is_the_same_with_paths_of_the_root():
    found = read("compose.yaml")

    assert found == {"name": "mind-memory", "include": [{"path": "docker/compose.yaml", "project_directory": "."}]}


def test_only_this_machine_reaches_the_service_and_nobody_else_is_published():
    assert [default_of(port) for port in MEMORY["ports"]] == ["127.0.0.1:8001:8001"]
    assert [name for name in SERVICES if name != "memory" and "ports" in SERVICES[name]] == []
    assert COMPOSE["networks"]["graph"] == {"internal": True}
    assert FALKORDB["networks"] == ["graph"]


def test_without_a_key_the_network_is_trusted_only_where_the_port_is_on_loopback():
    opened = read("docker/open.yaml")["services"]["memory"]

    assert MEMORY["environment"]["MIND_MEMORY_TRUST_NETWORK"] == "true"
    assert opened["environment"]["MIND_MEMORY_TRUST_NETWORK"] == "false"
    assert [default_of(port) for port in opened["ports"]] == ["0.0.0.0:8001:8001"]


def test_the_service_is_nobody_and_writes_nothing_but_its_data():
    assert default_of(MEMORY["user"]) == "1000:1000"
    assert MEMORY["read_only"] is True
    assert MEMORY["cap_drop"] == ["ALL"]
    assert "cap_add" not in MEMORY
    assert MEMORY["tmpfs"] == ["/tmp"]
    assert [(default_of(one["source"]), one["target"]) for one in MEMORY["volumes"]] == [("./data", "/data")]
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["1000:1000"]


@pytest.mark.parametrize("name", SERVICES)
def test_nobody_gains_privileges_and_no_log_fills_the_disk(name):
    service = SERVICES[name]

    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}


@pytest.mark.parametrize("name", LASTING)
def test_what_dies_is_started_again(name):
    assert SERVICES[name]["restart"] == "unless-stopped"


def test_falkordb_keeps_what_it_is_told_where_its_image_looks_for_it():
    words = FALKORDB["environment"]["REDIS_ARGS"]

    assert "--appendonly yes" in words
    assert "--appendfsync everysec" in words
    assert FALKORDB["volumes"] == ["falkordb:/var/lib/falkordb/data"]
    assert "falkordb" in COMPOSE["volumes"]


def test_falkordb_writes_nobodys_words_into_its_log_when_it_crashes():
    words = FALKORDB["environment"]["REDIS_ARGS"]

    assert "--crash-log-enabled no" in words
    assert words in (DOCKER / "chart/templates/falkordb.yaml").read_text()


def test_falkordb_is_told_the_same_as_the_embedded_one():
    assert FALKORDB["environment"]["FALKORDB_ARGS"].split() == list(embedded._MODULE_OPTIONS)


@pytest.mark.parametrize("name", ["falkordb", "ollama"])
def test_images_of_others_are_pinned(name):
    assert re.fullmatch(r"[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", default_of(SERVICES[name]["image"]))


def test_the_image_stands_on_the_python_of_the_project_and_on_hashes():
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)

    assert set(bases) == {f"python:{(ROOT / '.python-version').read_text().strip()}-slim-trixie"}
    assert "syntax=" not in DOCKERFILE
    assert DOCKERFILE.count("--require-hashes") == 2
    assert "--hash=sha256:" in (DOCKER / "uv.txt").read_text()


COPIED = {word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()}


def test_all_that_is_copied_is_let_through_and_no_secret_is():
    told = (ROOT / ".dockerignore").read_text().splitlines()
    ignored = [line for line in told if not line.startswith("#")]
    let_through = {line[1:] for line in ignored if line.startswith("!")}

    assert ignored[0] == "*"
    assert COPIED == let_through
    assert all((ROOT / name).exists() for name in COPIED)


def test_the_checkout_that_make_compose_builds_has_all_that_is_copied():
    assert {name.split("/")[0] for name in COPIED} <= set(TAKEN)


@pytest.mark.parametrize("name", sorted({name for name, _ in EXAMPLE} | USED | set(MEMORY["environment"])))
def test_a_variable_is_known_to_who_reads_it(name):
    assert not name.startswith("MIND_MEMORY_") or name in known_variables()


@pytest.mark.parametrize("name", sorted(USED))
def test_what_can_be_set_stands_in_the_example(name):
    assert name in dict(EXAMPLE)


@pytest.mark.parametrize("page", [".env.example", "docker/README.md"])
def test_what_compose_fixes_is_said_where_settings_are_set(page):
    fixed = {name for name, value in MEMORY["environment"].items() if "${" not in value}

    assert fixed == {"MIND_MEMORY_HOME", "MIND_MEMORY_HOST", "MIND_MEMORY_TRUST_NETWORK"}
    assert [name for name in fixed if name not in (ROOT / page).read_text()] == []


def test_the_example_is_a_configuration_that_works(monkeypatch):
    for name, value in EXAMPLE:
        monkeypatch.setenv(name, value)

    settings = read_settings()

    assert settings.model == "ollama_chat/llama3.2"  # the last of two: a person takes one
    assert settings.embedder.dimension == 1024


def test_what_the_example_leaves_alone_is_what_compose_does():
    defaults = dict(re.findall(r"\$\{([A-Z_]+):-([^}]*)\}", (DOCKER / "compose.yaml").read_text()))
    told = dict(EXAMPLE)

    assert {name: told[name] for name in defaults if name != "OLLAMA_API_BASE"} == {
        name: value for name, value in defaults.items() if name != "OLLAMA_API_BASE"
    }


def test_the_environment_of_the_service_is_a_configuration_that_works(monkeypatch):
    for name, value in MEMORY["environment"].items():
        monkeypatch.setenv(name, default_of(value))

    settings = read_settings()

    assert (str(settings.home), settings.host, settings.port) == ("/data", "0.0.0.0", 8001)
    assert settings.trust_network
    assert settings.access.allowed_hosts == ("memory",)
    assert settings.falkordb_url.get_secret_value() == "redis://falkordb:6379"


class Health(BaseHTTPRequestHandler):
    """Answers `/healthz` with what the server was given."""

    def do_GET(self):
        self.send_response(self.server.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *words):
        pass


@pytest.mark.parametrize(("status", "is_healthy"), [(200, True), (503, False), (None, False)])
def test_the_health_check_goes_by_the_answer(status, is_healthy):
    with HTTPServer(("127.0.0.1", 0), Health) as server:
        server.status = status
        port = server.server_port
        if status is not None:
            threading.Thread(target=server.handle_request, daemon=True).start()
        else:
            server.server_close()
        words = [sys.executable, "-IS", DOCKER / "healthy.py"]
        done = subprocess.run(words, env={"MIND_MEMORY_PORT": str(port)}, capture_output=True, timeout=30)

    assert (done.returncode == 0) is is_healthy


CLUSTER = read("docker/cluster.yaml")
OF_CLUSTER = CLUSTER["services"]
REPLICAS = [name for name in OF_CLUSTER if name.startswith("memory")]
NODES = [name for name in OF_CLUSTER if name.startswith("falkordb")]
PROXY = (DOCKER / "cluster" / "haproxy.cfg").read_text()
CLUSTER_TEXT = (DOCKER / "cluster.yaml").read_text()


def test_a_cluster_is_three_services_alike_a_proxy_a_pair_and_three_shards_with_a_replica_each():
    ended = ["join"]

    assert [*OF_CLUSTER] == ["proxy", *REPLICAS, "pg1", "pg2", *NODES, *ended]
    assert (len(REPLICAS), len(NODES)) == (3, 6)
    assert all(OF_CLUSTER[name] == OF_CLUSTER["memory1"] for name in REPLICAS)
    for name, service in OF_CLUSTER.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}
        assert service["mem_limit"] and (service["restart"] == "unless-stopped" or name in ended)
        assert name in [*REPLICAS, *ended] or "healthcheck" in service  # the image of the service has its own


def test_only_this_machine_reaches_a_cluster_and_only_its_proxy():
    assert [name for name, one in OF_CLUSTER.items() if "ports" in one] == ["proxy"]
    assert [default_of(port) for port in OF_CLUSTER["proxy"]["ports"]] == ["127.0.0.1:8001:8001"]
    assert CLUSTER["networks"]["graph"]["internal"] and CLUSTER["networks"]["database"]["internal"]
    assert {name for name, one in OF_CLUSTER.items() if "default" in one["networks"]} == {"proxy", *REPLICAS}


def test_a_service_of_a_cluster_is_that_of_compose_without_a_folder():
    [one] = {name: OF_CLUSTER[name] for name in REPLICAS[:1]}.values()

    for name in ("image", "pull_policy", "read_only", "cap_drop", "security_opt", "restart", "stop_grace_period"):
        assert one[name] == MEMORY[name], name
    assert "volumes" not in one and "ports" not in one
    assert [place.partition(":")[0] for place in one["tmpfs"]] == ["/tmp", one["environment"]["MIND_MEMORY_HOME"]]
    assert "uid=1000,gid=1000,mode=0700" in one["tmpfs"][1] and one["user"] == "1000:1000"


def test_a_node_of_a_cluster_is_the_falkordb_of_compose():
    for name in NODES:
        node = OF_CLUSTER[name]
        assert node["image"] == FALKORDB["image"] and node["healthcheck"] == FALKORDB["healthcheck"]
        assert node["environment"]["REDIS_ARGS"].startswith(FALKORDB["environment"]["REDIS_ARGS"])
        assert "--cluster-require-full-coverage no" in node["environment"]["REDIS_ARGS"]
        assert node["environment"] | {"REDIS_ARGS": ""} == FALKORDB["environment"] | {"REDIS_ARGS": ""}
        assert node["volumes"] == [f"{name}:/var/lib/falkordb/data"] and name in CLUSTER["volumes"]
    addresses = [default_of(OF_CLUSTER[name]["networks"]["graph"]["ipv4_address"]) for name in NODES]
    assert addresses == [f"172.29.83.{number}" for number in range(2, 8)]


@pytest.mark.parametrize("name", ["proxy", "pg1", "pg2"])
def test_images_of_a_cluster_are_pinned(name):
    assert re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?", default_of(OF_CLUSTER[name]["image"]))


@pytest.mark.parametrize("name", ["DATABASE_PASSWORD", "REPLICATION_PASSWORD"])
def test_a_password_has_no_default_and_who_forgets_it_is_told_what_to_do(name):
    used = re.findall(r"\$\{" + name + r"([^}]*)\}", CLUSTER_TEXT)

    assert used and all(one.startswith(f":?Set {name} in docker/.env") for one in used)


def test_the_environment_of_a_cluster_is_a_configuration_that_works(monkeypatch):
    for name, value in OF_CLUSTER["memory1"]["environment"].items():
        monkeypatch.setenv(name, default_of(value))

    settings = read_settings()

    assert settings.database.get_secret_value() == "postgresql://memory@pg1,pg2/memory"
    assert settings.falkordb_url.get_secret_value() == f"redis://{','.join(NODES)}"
    assert settings.trust_network and settings.access.allowed_hosts == ("memory",)
    assert OF_CLUSTER["proxy"]["networks"]["default"]["aliases"] == ["memory"]


def test_the_proxy_knows_every_service_and_asks_it_whether_it_is_ready_or_at_least_alive():
    backends = dict(re.findall(r"^backend (\w+)\n(.*?)(?=^\S|\Z)", PROXY, re.MULTILINE | re.DOTALL))
    port = OF_CLUSTER["memory1"]["environment"]["MIND_MEMORY_PORT"]

    assert {name: re.findall(r"httpchk GET (\S+)", body) for name, body in backends.items()} == {
        "ready": ["/readyz"],
        "alive": ["/healthz"],
    }
    for body in backends.values():
        assert re.findall(r"server (\S+) (\S+)", body) == [(name, f"{name}:{port}") for name in REPLICAS]
        assert "balance hash var(txn.mind)" in body and "hash-type consistent" in body
    assert "disable-l7-retry unless METH_GET" in PROXY and "use_backend alive if { nbsrv(ready) eq 0 }" in PROXY


def test_the_proxy_sends_a_browser_that_signs_in_or_has_to_one_service_whatever_mind_it_names():
    """Broken: its calls went in turns and by mind, and the services that had not begun the session answered 401."""
    conditions = dict(re.findall(r"^    acl (\w+) (.+)$", PROXY, re.MULTILINE))
    placed = re.findall(r"^    http-request set-var\(txn\.mind\) (.+?) if (.+)$", PROXY, re.MULTILINE)
    signed_in = re.compile(conditions["in_session"].rpartition("-i ")[2], re.IGNORECASE)

    assert re.findall(r"^    acl signs_in (.+)$", PROXY, re.MULTILINE) == ["path /v1/session", "path_beg /v1/session/"]
    assert conditions["in_session"].startswith("req.hdr(authorization) -m reg -i ")
    assert signed_in.match("Bearer mms_1a2b3c4d_0") and not signed_in.match("Bearer mm_1a2b3c4d_0")
    assert placed[0] == ("src", "signs_in or in_session")
    assert placed[1] == ("path,field(4,/)", "!signs_in !in_session { path_beg /v1/minds/ }")
    assert all("!{ var(txn.mind) -m found }" in condition for _, condition in placed[2:])
