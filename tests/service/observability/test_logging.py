"""Telling events: it never stops who tells, and shows no secret: in no field, traceback, other library's line, or last words."""

import json
import subprocess
import sys

import pytest

from service.observability.redaction import Redactor
from service.settings.settings import Settings
from tests.support.paths import ROOT

TOKEN = "ghp_" + "Q1w2" * 9
PASSWORD = "canary of the graph"
SCRIPT = """
import logging, sys, threading
import structlog
from service.observability.logging import configure_logs

HANDLER = logging.StreamHandler(sys.stderr)
logging.getLogger("uvicorn").addHandler(HANDLER)
configure_logs(level="DEBUG", as_json=%r, secrets=(%r,))
secret, token = %r, %r

def fail():
    raise RuntimeError(f"could not log in with {secret} and {token}")

log = structlog.get_logger()
log.info("event.happened", token=token, list=[{"password": secret, "n": 1}], object=ValueError(secret), number=7)
try:
    fail()
except RuntimeError:
    log.exception("event.failed")
    logging.getLogger("httpx2").error("asked %%s with %%s", "https://h/?x=1", secret, exc_info=True)
    logging.getLogger("uvicorn").error("it failed with %%s", token, exc_info=True, stack_info=True)
logging.getLogger("broken").error("two %%s %%s", secret)
for name in ("httpx", "httpx2"):
    logging.getLogger(name).info("GET https://h/?key=quiet")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
fail()
"""


@pytest.mark.parametrize("as_json", [True, False])
def test_nothing_that_is_logged_shows_a_secret(as_json):
    script = SCRIPT % (as_json, PASSWORD, PASSWORD, TOKEN)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.returncode == 1
    assert done.stdout == ""
    assert TOKEN not in done.stderr
    assert PASSWORD not in done.stderr
    assert "quiet" not in done.stderr
    assert done.stderr.count("could not log in with [hidden] and [redacted: GitHub token]") == 6
    assert done.stderr.count("Traceback (most recent call last)") == 6
    assert "it failed with [redacted: GitHub token]" in done.stderr
    assert "asked https://h/?x=1 with [hidden]" in done.stderr
    if as_json:
        first = json.loads(done.stderr.splitlines()[0])
        assert first["list"] == [{"password": "[hidden]", "n": 1}]
        assert (first["token"], first["number"]) == ("[redacted: GitHub token]", 7)
        [other] = (json.loads(line) for line in done.stderr.splitlines() if '"logger": "httpx2"' in line)
        assert (other["event"], other["level"]) == ("asked https://h/?x=1 with [hidden]", "error")
        assert other["exception"].startswith("Traceback (most recent call last)") and "timestamp" in other


def test_what_is_set_is_hidden_wherever_it_stands_and_the_longest_first(monkeypatch):
    monkeypatch.setenv("SOMEBODYS_API_KEY", "key-of-somebody")
    settings = Settings(
        api_key="long-key-of-the-model",
        api_base="https://u:pass%20word@h/v1?key=of-the-base",
        falkordb_url="redis://ada:graph-pass@h:1",
        database="host=one,two dbname=memory password='base-pass'",
        models={"chat": {"api_key": "long-key"}, "narrative": {"api_key": "none"}},
        embedder={"api_key": "ollama"},
    )
    hide = Redactor(settings.secrets)

    for value in (
        "long-key-of-the-model",
        "pass word",
        "pass%20word",
        "of-the-base",
        "graph-pass",
        "base-pass",
        "long-key",
        "key-of-somebody",
    ):
        assert hide.text(f"<{value}>") == "<[hidden]>"
    assert hide.text("none of ollama/llama3") == "none of ollama/llama3"


TELL = """
import structlog
from service.observability.logging import configure_logs
configure_logs(level="INFO", as_json={as_json})
log = structlog.get_logger()
log.warning("disk.full", free=0)
try:
    1 / 0
except ZeroDivisionError:
    log.exception("job.failed")
print("it goes on")
"""


def test_an_event_that_no_disk_takes_stops_nobody():
    for as_json in (False, True):
        with open("/dev/full", "w") as full:
            words = [sys.executable, "-c", TELL.format(as_json=as_json)]
            told = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, text=True, timeout=60)

        assert told.stdout == "it goes on\n"
