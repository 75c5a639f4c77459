"""
The Helm chart: rendered by helm itself, held to the image, to the containers of Compose and to Kubernetes' own schemas.

Without a helm, what is rendered can not be tested: `make helm` fetches one.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft7Validator

from service.access.keys import parse_key
from service.settings.loading import known_variables, read_settings
from tests.support.helm import HELM
from tests.support.paths import ROOT
from tests.support.service import running, settings_of
from tests.support.waiting import GIVE_UP

CHART = ROOT / "docker" / "chart"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
ABOUT = (CHART / "README.md").read_text()
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
OLDEST = re.search(r"kubeVersion: \">=(\d\.\d+)", (CHART / "Chart.yaml").read_text())[1]
ELSEWHERE = {"falkordb": {"enabled": False, "url": "rediss://graph.example.com:6380"}}
EVERYTHING = {
    "image": {"repository": "registry.example.com/mind-memory-service", "tag": "0.1.0"},
    "imagePullSecrets": [{"name": "registry"}],
    "settings": {"MIND_MEMORY_MODEL": "openai/gpt-4o-mini", "MIND_MEMORY_MAX_BODY_BYTES": 2000000, "MIND_MEMORY_LOG_JSON": True,
                 "MIND_MEMORY_ENTITY_KINDS": [{"name": "Boat", "description": "A ship \"with\" 'marks': {x}"}]},
    "secrets": {"OPENAI_API_KEY": "sk-secret"},
    "existingSecret": "model-keys",
    "access": {"trustNetwork": True, "allowedHosts": ["memory.example.com"]},
    "persistence": {"size": "1Ti", "storageClass": "fast", "accessMode": "ReadWriteOncePod"},
    "service": {"type": "NodePort", "port": 80, "annotations": {"example.com/a": "b"}},
    "probes": {"startup": {"initialDelaySeconds": 1}},
    "podAnnotations": {"prometheus.io/scrape": "true"},
    "podLabels": {"team": "bots"},
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
}  # fmt: skip
SHARED = {"database": {"url": "postgresql://memory@one,two:6432/memory"}, "replicas": 3, "existingSecret": "database"}
CASES = {
    "as it is": {},
    "several pods": SHARED | ELSEWHERE,
    "as many pods as are needed": {
        "database": {"existingSecret": "database"},
        "autoscaling": {"enabled": True},
        "access": {"trustNetwork": True},
    },
    "everything": EVERYTHING,
    "a graph elsewhere": ELSEWHERE,
    "a graph whose address is a secret": {"falkordb": {"enabled": False, "existingSecret": "graph"}},
    "a claim": {"persistence": {"existingClaim": "old-data"}},
}

needs_helm = pytest.mark.skipif(HELM is None, reason="there is no helm here: `make helm`")


def helm(*words, values=None):
    return subprocess.run(
        [HELM, *map(str, words), *(["--values", "-"] if values is not None else [])],
        input=json.dumps(values or {}), capture_output=True, text=True, timeout=GIVE_UP,
    )  # fmt: skip


def rendered(values, *, name="memory"):
    """What helm makes of the chart, by kind and name."""
    done = helm("template", name, CHART, "--namespace", "bots", values=values)
    assert done.returncode == 0, done.stderr
    return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(done.stdout) if one}


def pod_of(found, name="memory-mind-memory"):
    kind = next(kind for kind, one in found if one == name and kind in {"StatefulSet", "Deployment"})
    return found[kind, name]["spec"]["template"]["spec"]


def environment_of(container):
    return {one["name"]: one["value"] for one in container["env"] if "value" in one}


def leaves(values, path=""):
    """Every value, by its dotted name."""
    for name, value in values.items():
        if isinstance(value, dict) and value and name not in {"startup", "liveness", "readiness", "resources"}:
            yield from leaves(value, f"{path}{name}.")
        else:
            yield f"{path}{name}"


def test_the_values_are_what_the_schema_allows_and_each_is_explained():
    Draft7Validator.check_schema(SCHEMA)

    assert list(Draft7Validator(SCHEMA).iter_errors(VALUES)) == []
    told = re.findall(
        r"`([A-Za-z.]+)`", "\n".join(line.split("|")[1] for line in ABOUT.splitlines() if line.startswith("| `"))
    )
    assert sorted(told) == sorted(leaves(VALUES))


def test_each_value_has_its_place_in_the_schema():
    def known(schema, path=""):
        for name, inner in schema["properties"].items():
            is_open = "properties" not in inner or name in {"startup", "liveness", "readiness", "resources"}
            yield from [f"{path}{name}"] if is_open else known(inner, f"{path}{name}.")

    assert sorted(known(SCHEMA)) == sorted(["global", *leaves(VALUES)])


def test_the_chart_is_of_this_version():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]

    assert (chart["version"], chart["appVersion"]) == (project, project)
    assert f"mind-memory-{project}.tgz" in ABOUT


@needs_helm
def test_helm_finds_nothing_to_warn_of():
    done = helm("lint", "--strict", CHART, values={})

    assert done.returncode == 0, done.stdout
    assert "[WARNING]" not in done.stdout and "[ERROR]" not in done.stdout


@needs_helm
@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
@pytest.mark.parametrize("case", CASES)
def test_kubernetes_would_take_what_is_rendered(case, version):
    found = rendered(CASES[case])

    for document in found.values():
        kubernetes_validate.validate(document, version, strict=True)
    assert ("StatefulSet", "memory-mind-memory-falkordb") in found or "falkordb" in CASES[case]


@needs_helm
def test_kubernetes_would_not_take_everything():
    found = rendered({})["StatefulSet", "memory-mind-memory"]
    found["spec"]["template"]["spec"]["containers"][0]["port"] = 1

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found, OLDEST, strict=True)


@needs_helm
@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"image": {"tga": "1"}}, "/image"),
        ({"image": {"repository": ""}}, "/image/repository"),
        ({"replicas": 2}, "/replicas"),
        ({"replicas": 0, **{"database": SHARED["database"]}}, "/replicas"),
        ({"autoscaling": {"enabled": True}}, "/autoscaling/enabled"),
        (SHARED | {"autoscaling": {"enabled": True, "minReplicas": 5, "maxReplicas": 2}}, "/autoscaling/minReplicas"),
        (SHARED | {"settings": {"MIND_MEMORY_WORKERS": 4}}, "/settings/MIND_MEMORY_WORKERS"),
        ({"database": {"url": "postgresql://memory:secret@db/memory"}}, "/database/url"),
        ({"database": {"url": "mysql://db/memory"}}, "/database/url"),
        ({"database": {"url": "postgresql://db/memory", "existingSecret": "x"}}, "/database"),
        ({"secrets": {"MIND_MEMORY_DATABASE": "postgresql://db/memory"}}, "MIND_MEMORY_DATABASE"),
        ({"scratch": {"size": "ten"}}, "/scratch/size"),
        ({"persistence": {"size": "ten"}}, "/persistence/size"),
        ({"persistence": {"accessMode": "ReadWriteMany"}}, "/persistence/accessMode"),
        ({"service": {"port": 0}}, "/service/port"),
        ({"service": {"type": "Ingress"}}, "/service/type"),
        ({"settings": {"MIND_MEMORY_PORT": 9}}, "MIND_MEMORY_PORT"),
        ({"settings": {"model": "x"}}, "'model'"),
        ({"secrets": {"FALKORDB_URL": "redis://x"}}, "FALKORDB_URL"),
        ({"access": {"trustNetwork": "yes"}}, "/access/trustNetwork"),
        ({"falkordb": {"enabled": False}}, "/falkordb"),
        ({"falkordb": {"url": "redis://elsewhere:6379"}}, "/falkordb"),
        ({"falkordb": {"enabled": False, "url": "http://x"}}, "/falkordb/url"),
        ({"falkordb": {"image": {"tag": "latest"}}}, "/falkordb/image/tag"),
        ({"resources": {"limits": {"memory": "much"}}}, "/resources/limits/memory"),
        ({"probes": {"readiness": {"path": "/"}}}, "/probes/readiness"),
        ({"terminationGracePeriodSeconds": 1}, "/terminationGracePeriodSeconds"),
    ],
)
def test_a_wrong_value_fails_and_is_named(wrong, place):
    done = helm("template", "memory", CHART, values=wrong)

    assert done.returncode != 0
    assert place in done.stderr, done.stderr


@needs_helm
def test_the_pod_is_what_the_image_is():
    pod = pod_of(rendered({}))
    [container] = pod["containers"]
    [user] = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    home, host, port = re.search(
        r"MIND_MEMORY_HOME=(\S+) MIND_MEMORY_HOST=(\S+) MIND_MEMORY_PORT=(\S+)", DOCKERFILE
    ).groups()
    told = environment_of(container)

    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == tuple(map(int, user))
    assert pod["securityContext"]["fsGroup"] == int(user[1])
    assert (told["MIND_MEMORY_HOME"], told["MIND_MEMORY_HOST"], told["MIND_MEMORY_PORT"]) == (home, host, port)
    assert [one["containerPort"] for one in container["ports"]] == [int(port)]
    assert f"EXPOSE {port}" in DOCKERFILE
    assert [(one["name"], one["mountPath"]) for one in container["volumeMounts"]] == [("data", home), ("tmp", "/tmp")]
    assert "command" not in container  # the image's own
    assert pod["terminationGracePeriodSeconds"] == int(COMPOSE["memory"]["stop_grace_period"].removesuffix("s"))


@needs_helm
@pytest.mark.parametrize("case", CASES)
def test_a_variable_is_known_to_who_reads_it(case):
    [container] = pod_of(rendered(CASES[case]))["containers"]

    named = {one["name"] for one in container["env"]}
    assert {name for name in named if name.startswith("MIND_MEMORY_")} - set(known_variables()) == set()
    assert "FALKORDB_URL" in named and len(named) == len(container["env"])


@needs_helm
def test_the_environment_is_a_configuration_that_works(monkeypatch):
    [container] = pod_of(rendered(EVERYTHING))["containers"]
    for name, value in environment_of(container).items():
        monkeypatch.setenv(name, value)

    settings = read_settings()

    assert (str(settings.home), settings.host, settings.port) == ("/data", "0.0.0.0", 8001)
    assert settings.falkordb_url.get_secret_value() == "redis://memory-mind-memory-falkordb:6379"
    assert (settings.model, settings.max_body_bytes, settings.log_json) == ("openai/gpt-4o-mini", 2_000_000, True)
    assert settings.entity_kinds[0].description == "A ship \"with\" 'marks': {x}"
    assert settings.trust_network
    assert settings.access.allowed_hosts == (
        "memory-mind-memory", "memory-mind-memory.bots", "memory-mind-memory.bots.svc",
        "memory-mind-memory.bots.svc.cluster.local", "memory.example.com",
    )  # fmt: skip


@needs_helm
def test_a_secret_stands_in_a_secret_alone():
    found = rendered(EVERYTHING)
    holding = {kind for (kind, _), document in found.items() if "sk-secret" in json.dumps(document)}
    pod = pod_of(found)

    assert holding == {"Secret"}
    assert [one["secretRef"]["name"] for one in pod["containers"][0]["envFrom"]] == ["model-keys", "memory-mind-memory"]
    changed = rendered({**EVERYTHING, "secrets": {"OPENAI_API_KEY": "sk-other"}})
    assert (
        changed["StatefulSet", "memory-mind-memory"]["spec"]["template"]["metadata"]["annotations"]
        != found["StatefulSet", "memory-mind-memory"]["spec"]["template"]["metadata"]["annotations"]
    )


@needs_helm
def test_nobody_has_more_rights_than_in_compose():
    found = rendered({})
    for name in ("memory-mind-memory", "memory-mind-memory-falkordb"):
        pod = pod_of(found, name)
        assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False
        for container in [*pod.get("initContainers", ()), *pod["containers"]]:
            rights = container["securityContext"]
            compose = COMPOSE["falkordb" if "falkordb" in name else "memory"]
            assert rights["allowPrivilegeEscalation"] is False
            assert rights["capabilities"]["drop"] == compose["cap_drop"]
            assert rights["capabilities"].get("add", []) == compose.get("cap_add", [])
            assert rights.get("readOnlyRootFilesystem", False) == compose.get("read_only", False)


@needs_helm
def test_falkordb_is_the_one_of_compose_and_only_the_service_reaches_it():
    found = rendered({})
    [container] = pod_of(found, "memory-mind-memory-falkordb")["containers"]
    policy = found["NetworkPolicy", "memory-mind-memory-falkordb"]["spec"]
    labels = found["StatefulSet", "memory-mind-memory"]["spec"]["template"]["metadata"]["labels"]
    [source] = policy["ingress"][0]["from"]

    assert f"${{FALKORDB_IMAGE:-{container['image']}}}" == COMPOSE["falkordb"]["image"]
    assert environment_of(container) == COMPOSE["falkordb"]["environment"]
    assert f"falkordb:{container['volumeMounts'][0]['mountPath']}" == COMPOSE["falkordb"]["volumes"][0]
    assert source["podSelector"]["matchLabels"].items() <= labels.items()
    assert policy["egress"] == []


@needs_helm
def test_a_graph_elsewhere_is_asked_there_and_none_is_run():
    found = rendered(ELSEWHERE)
    secret = pod_of(rendered({"falkordb": {"enabled": False, "existingSecret": "graph"}}))["containers"][0]["env"]

    assert not [name for _, name in found if "falkordb" in name]
    assert environment_of(pod_of(found)["containers"][0])["FALKORDB_URL"] == ELSEWHERE["falkordb"]["url"]
    assert {"name": "FALKORDB_URL", "valueFrom": {"secretKeyRef": {"name": "graph", "key": "FALKORDB_URL"}}} in secret


@needs_helm
def test_a_pod_that_shares_a_database_answers_until_nobody_is_sent_to_it():
    alone, shared = (pod_of(rendered(values))["containers"][0] for values in ({}, SHARED))

    assert shared["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "5"]
    assert "lifecycle" not in alone


@needs_helm
def test_with_a_database_pods_are_alike_and_none_has_a_volume():
    found = rendered(SHARED)
    pods, pod = found["Deployment", "memory-mind-memory"]["spec"], pod_of(found)
    alone = pod_of(rendered({}))

    assert ("StatefulSet", "memory-mind-memory") not in found
    assert pods["replicas"] == 3 and pods["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert {one["name"]: sorted(one)[0] for one in pod["volumes"]} == {"data": "emptyDir", "tmp": "emptyDir"}
    assert pod["containers"][0]["securityContext"] == alone["containers"][0]["securityContext"]
    assert pod["containers"][0]["volumeMounts"] == alone["containers"][0]["volumeMounts"]
    assert environment_of(pod["containers"][0])["MIND_MEMORY_DATABASE"] == SHARED["database"]["url"]
    assert {"secretRef": {"name": "database"}} in pod["containers"][0]["envFrom"]


@needs_helm
def test_a_pod_of_several_is_called_once_it_has_started_whatever_is_away_and_never_before():
    found = rendered(SHARED)
    service = found["Service", "memory-mind-memory"]["spec"]

    assert pod_of(found)["containers"][0]["readinessProbe"]["httpGet"]["path"] == "/healthz"
    assert "publishNotReadyAddresses" not in service
    assert service["selector"] == found["Deployment", "memory-mind-memory"]["spec"]["selector"]["matchLabels"]
    budget = found["PodDisruptionBudget", "memory-mind-memory"]["spec"]
    assert budget == {"maxUnavailable": 1, "selector": {"matchLabels": service["selector"]}}


@needs_helm
def test_as_many_pods_as_are_needed_have_no_number_of_their_own():
    found = rendered(CASES["as many pods as are needed"])
    scaler = found["HorizontalPodAutoscaler", "memory-mind-memory"]["spec"]

    assert "replicas" not in found["Deployment", "memory-mind-memory"]["spec"]
    assert scaler["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "memory-mind-memory"}
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (2, 6)
    assert {
        "name": "MIND_MEMORY_DATABASE",
        "valueFrom": {"secretKeyRef": {"name": "database", "key": "MIND_MEMORY_DATABASE"}},
    } in pod_of(found)["containers"][0]["env"]


@needs_helm
def test_pods_of_a_database_wait_for_a_key_that_a_person_makes(database_url, tmp_path):
    [init] = pod_of(rendered(SHARED))["initContainers"]
    env = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path), "MIND_MEMORY_HOME": str(tmp_path), "MIND_MEMORY_DATABASE": database_url,
    }  # fmt: skip
    waiting = subprocess.Popen(init["command"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
    try:
        first = waiting.stdout.readline()
        make = ["mind-memory", "keys", "create", "--name", "my bot"]
        made = subprocess.run(make, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=GIVE_UP)
        assert waiting.wait(timeout=GIVE_UP) == 0
    finally:
        waiting.kill()
        waiting.communicate()

    assert "mind-memory keys create" in first
    assert parse_key(made.stdout.strip()) is not None, made.stderr
    notes = helm("install", "memory", CHART, "--namespace", "bots", "--dry-run=client", values=SHARED).stdout
    assert "kubectl -n bots exec deploy/memory-mind-memory -c first-key -- mind-memory keys create" in notes


@needs_helm
def test_the_services_find_their_pods_and_those_that_are_not_ready_too():
    found = rendered({}, name="mind-memory")  # a release that is named like the chart says it once
    service = found["Service", "mind-memory"]["spec"]
    pods = found["StatefulSet", "mind-memory"]["spec"]

    assert service["selector"] == pods["selector"]["matchLabels"]
    assert service["selector"].items() <= pods["template"]["metadata"]["labels"].items()
    assert service["publishNotReadyAddresses"] is True
    assert pods["replicas"] == 1


def first_key(home):
    """What the pod runs before the service, on this home."""
    [init] = pod_of(rendered({}))["initContainers"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        init["command"], cwd=home, capture_output=True, text=True, timeout=GIVE_UP,
        env={"PATH": path, "MIND_MEMORY_HOME": str(home), "HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    key = (home / "first-key").read_text().strip()
    assert parse_key(key) is not None and key not in done.stdout + done.stderr
    assert (home / "first-key").stat().st_mode & 0o077 == 0
    return key


@needs_helm
@pytest.mark.anyio
async def test_the_first_start_makes_a_key_that_opens_the_service_and_one_alone(tmp_path):
    key = first_key(tmp_path)
    assert first_key(tmp_path) == key

    (tmp_path / "first-key").rename(tmp_path / "first-key.part")  # it died before the key was in its place
    again = first_key(tmp_path)

    for revoked in (key, again):
        words = [Path(sys.executable).parent / "mind-memory", "keys", "revoke", parse_key(revoked).key_id]
        subprocess.run(words, env=os.environ | {"MIND_MEMORY_HOME": str(tmp_path)}, check=True, timeout=GIVE_UP)
    again = first_key(tmp_path)  # else no pod would start again, and nobody could make one in it

    async with running(tmp_path) as service, service.client(address="10.0.0.7", key=again) as bot:
        assert again != key and (await bot.get("/v1/status")).status_code == 200
        async with service.client(address="10.0.0.7") as stranger:
            assert (await stranger.get("/v1/status")).status_code == 401


@needs_helm
@pytest.mark.anyio
@pytest.mark.parametrize("trusted", [True, False])
async def test_the_service_answers_the_probes_of_another_machine(tmp_path, trusted):
    pod = pod_of(rendered({"access": {"trustNetwork": trusted}}))
    if not trusted:
        first_key(tmp_path)

    async with running(tmp_path, settings=settings_of(tmp_path, trust_network=trusted)) as service:
        async with service.client(address="10.0.0.1") as kubelet:
            for name in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = pod["containers"][0][name]["httpGet"]
                answer = await kubelet.get(asked["path"], headers={"Host": "10.0.0.9:8001"})
                assert answer.status_code in ({200, 503} if asked["path"] == "/readyz" else {200}), answer.text


@needs_helm
def test_whoever_installs_it_is_told_how_to_reach_it():
    guarded = helm("install", "memory", CHART, "--namespace", "bots", "--dry-run=client", values={}).stdout
    trusted = helm("install", "memory", CHART, "--dry-run=client", values={"access": {"trustNetwork": True}}).stdout

    assert "kubectl -n bots exec memory-mind-memory-0 -c memory -- cat /data/first-key" in guarded
    assert "first-key" not in trusted.partition("NOTES:")[2] and "keys create" in trusted
    assert "http://memory-mind-memory.bots:8001" in guarded
