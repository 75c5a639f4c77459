"""No secret of the configuration or of what is said is ever shown: not in logs, answers, traces, or files of the service."""

import json
import time

import httpx2

from tests.support.cli_process import call, log_of_ended, run, said_by_service, serving
from tests.support.free_ports import free_port
from tests.twins.provider import Fails, ScriptedProvider

TOKEN = "ghp_" + "Q1w2" * 9  # made of parts, so that no scanner of this repository takes it for a real one
KEY, IN_BASE, IN_URL = "canary-of-the-model", "canaryofthebase", "canaryofthegraph"
PATH = "/v1/minds/ada"


def answers_of(url, asked):
    """What each question is answered, headers and all."""
    with httpx2.Client(base_url=url, timeout=60) as http:
        said = []
        for method, path, sent in asked:
            answer = http.request(method, path, **sent)
            text = answer.text
            if (
                path.endswith("/resonance") and answer.is_success
            ):  # which gives the caller's own words back as they were
                text = str({**answer.json(), "messages": []})
            said.append((answer.status_code, f"{answer.headers} {text}"))
        return said


def turn(**more):
    return {"session_id": "s1", "messages": [{"role": "user", "content": f"My umbrella {TOKEN} is in Rome."}], **more}


GOOD = [
    ("POST", f"{PATH}/turns", {"json": turn()}),
    ("POST", f"{PATH}/resonance", {"json": turn(deadline_ms=3000)}),
    ("POST", f"{PATH}/consolidation", {"json": {}}),
]
BAD = [
    ("POST", f"{PATH}/turns", {"json": turn(**{TOKEN: 1})}),
    ("POST", f"{PATH}/turns", {"json": turn(unknown=TOKEN)}),
    ("POST", f"{PATH}/turns", {"json": turn(kind=TOKEN)}),
    (
        "POST",
        f"{PATH}/turns",
        {"json": {**turn(), "messages": [{"role": TOKEN, "content": TOKEN, "timestamp": TOKEN}]}},
    ),
    ("POST", f"{PATH}/turns", {"content": f'{{"{TOKEN}": {TOKEN}'}),
    ("POST", f"{PATH}/turns", {"json": turn(turn_id="t1"), "headers": {"Idempotency-Key": TOKEN}}),
    ("POST", f"{PATH}/resonance", {"json": turn(timezone=TOKEN)}),
    ("POST", f"/v1/minds/{TOKEN}%07/turns", {"json": turn()}),
    ("GET", f"/v1/minds/{TOKEN.lower()[:60]}", {}),
    ("GET", f"/nothing/{TOKEN}", {}),
    ("GET", f"{PATH}/remember", {"params": {"query": "umbrella", "kinds": TOKEN}}),
    ("PUT", f"{PATH}/story", {"json": {"text": 1, TOKEN: TOKEN}, "headers": {"If-Match": TOKEN}}),
]
LOOKS = [
    ("GET", path, {})
    for path in (PATH, f"{PATH}/traces", f"{PATH}/consolidation", f"{PATH}/story", "/readyz", "/v1/minds")
]


def test_a_provider_that_quotes_its_key_is_quoted_by_nobody(tmp_path):
    home = tmp_path / "home"

    def refuse(_):
        return Fails(401, f"Incorrect API key provided: {KEY}; asked at ?key={IN_BASE}, {TOKEN}")

    with ScriptedProvider(respond=refuse) as provider:
        roles = {
            "MIND_MEMORY_MODEL": "openai/scripted",
            "MIND_MEMORY_API_BASE": provider.url,
            "MIND_MEMORY_API_KEY": KEY,
            "MIND_MEMORY_MODELS__NARRATIVE__API_BASE": f"{provider.url}?key={IN_BASE}",
            "MIND_MEMORY_LOG_LEVEL": "DEBUG",
            "MIND_MEMORY_LOG_JSON": "true",
        }
        with serving(home, **roles) as (process, url):
            good = answers_of(url, GOOD)
            refused = answers_of(url, BAD)
            _until(lambda: json.loads(httpx2.get(f"{url}{PATH}").text)["graph"]["waiting_for"])
            looked = answers_of(url, LOOKS)
            known = (home / "service.json").read_text()
            process.terminate()
            err = log_of_ended(process, home)

    assert provider.chats
    assert [status for status, _ in good] == [202, 200, 200]
    assert [status for status, _ in refused if not 400 <= status < 500] == []
    assert "refused the key" in str(looked)
    assert "lane.waiting" in err
    shown = [str(good), str(refused), str(looked), known, err, said_by_service(home)]
    for secret in (KEY, IN_BASE, TOKEN, TOKEN.lower()[:60]):
        assert [text[max(0, text.index(secret) - 200) :][:300] for text in shown if secret in text] == []
        assert [file for file in home.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()] == []


def test_a_graph_that_is_away_does_not_give_its_password_away(tmp_path):
    home = tmp_path / "home"
    port = free_port()
    graph = {
        "FALKORDB_URL": f"redis://ada:{IN_URL}@127.0.0.1:{port}/0?password={IN_BASE}",
        "MIND_MEMORY_LOG_LEVEL": "DEBUG",
    }
    with serving(home, **graph) as (process, url):
        said = answers_of(url, GOOD[:2])
        _until(lambda: "FalkorDB" in str(json.loads(httpx2.get(f"{url}{PATH}").text)["graph"]["waiting_for"]))
        looked = answers_of(url, LOOKS)
        process.terminate()
        err = log_of_ended(process, home)
    doctor = call("doctor", "--home", home, **graph)
    wrong = run("serve", "--home", home, FALKORDB_URL=f"http://ada:{IN_URL}@127.0.0.1?password={IN_BASE}")

    assert [status for status, _ in said] == [202, 200]
    shown = [
        str(said),
        str(looked),
        err,
        said_by_service(home),
        doctor.stdout,
        doctor.stderr,
        wrong.stdout,
        wrong.stderr,
    ]
    for secret in (IN_URL, IN_BASE):
        assert [text[max(0, text.index(secret) - 200) :][:300] for text in shown if secret in text] == []


def _until(is_so):
    until = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.1)
