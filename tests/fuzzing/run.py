"""
Schemathesis against the whole service over HTTP: every route of the OpenAPI document, with what it allows and what not.

`make fuzz` runs it for long and prints what it found; `tests/service/http/test_fuzzing.py` runs a short one. Routes are read
from the document, so a new one is covered by being there. Needs nothing but this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx2
import uvicorn

from service.adapters.minilm import limit_threads
from service.app import create_app
from service.http.server import bind, url_of
from service.observability.logging import configure_logs
from service.settings.settings import Settings
from tests.fuzzing.tenants import cross
from tests.support.api_keys import make_key

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent
_MIND = "global-user-memory"  # the mind of the document's examples
_TURN = {
    "session_id": "telegram:42",
    "messages": [{"role": "user", "content": "My mother lives in Lyon."}, {"role": "assistant", "content": "Nice!"}],
}
PHASES = "examples,coverage,fuzzing,stateful"


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """What a run did: requests, of how many operations, the failures in words, and all that schemathesis said."""

    requests: int
    operations: int
    untested: int
    failures: tuple[str, ...]
    printed: str


class FromEverywhere:
    """ASGI middleware: every request comes from another address, so that failed keys are not held back as a flood."""

    def __init__(self, app):
        self._app = app
        self._numbers = count()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            number = next(self._numbers)
            scope = {**scope, "client": (f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", 5)}
        await self._app(scope, receive, send)


@contextmanager
def served(home):
    """The service on *home*, on a free port of this machine, and a key for it."""
    key = make_key(home)
    settings = Settings(
        home=home,
        log_level="ERROR",
        access={"key_requests_per_minute": 0},
        digestion={"first_retry_seconds": 0.05, "most_retry_seconds": 0.2},
    )
    with closing(bind(settings.model_copy(update={"port": 0}))) as listener:
        config = uvicorn.Config(FromEverywhere(create_app(settings)), log_config=None, access_log=False, lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            yield url_of(settings, listener), key
        finally:
            server.should_exit = True
            thread.join(timeout=60)


_LEFT_OUT = 3  # operations that schemathesis.toml leaves out, and says why


def fuzz(home, *, examples, seed, phases=PHASES, workers=1):
    """Ask up to *examples* times an operation and phase; the coverage phase asks as often as the document has cases."""
    with served(home) as (url, key), tempfile.TemporaryDirectory() as folder:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=url, headers=headers, timeout=60) as http:
            http.post(f"/v1/minds/{_MIND}/turns", json=_TURN).raise_for_status()
            report = Path(folder) / "report.json"
            words = [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(_HERE / "schemathesis.toml")),
                *("run", f"{url}/openapi.json", "--header", f"Authorization: Bearer {key}"),
                *("--phases", phases, "--max-examples", str(examples), "--seed", str(seed), "--workers", str(workers)),
                *("--report", "json", "--report-json-path", str(report)),
            ]
            environment = {**os.environ, "PYTHONPATH": str(_ROOT), "SCHEMATHESIS_HOOKS": "tests.fuzzing.hooks"}
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
            if not report.exists():
                raise RuntimeError(done.stdout + done.stderr)
            told = json.loads(report.read_text())
            return Fuzzed(
                requests=told["test_cases"]["generated"],
                operations=told["operations"]["total"],
                untested=told["operations"]["total"] - told["operations"]["tested"] - _LEFT_OUT,
                failures=(*_failures(told), *_damage(http)),
                printed=done.stdout + done.stderr,
            )


def fuzz_tenants(home, *, requests, seed):
    """Send *requests* of one tenant that name another's mind, ids and words wherever they can."""
    with served(home) as (url, _):
        return cross(url, home, requests=requests, seed=seed)


def _failures(told):
    for one in told["failures"]:
        yield f"{one['count']} × {one['title']}: {', '.join(one['operations'])}"
    for one in told["errors"]:
        yield f"{one['count']} × {one['title']}"


def _damage(http):
    """What is wrong with what the service holds after all that."""
    for listed in http.get("/v1/minds").raise_for_status().json()["minds"]:
        answer = http.get(f"/v1/minds/{listed['mind_id']}")
        if answer.status_code != httpx2.codes.OK or answer.json()["damaged"]:
            yield f"the mind {listed['mind_id']} was harmed: {answer.text}"


def main():
    """Run it, say what was found, and exit with 1 where anything was."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--examples", type=int, default=110, help="times an operation and phase (110)")
    parser.add_argument("--seed", type=int, default=0, help="another run (0)")
    parser.add_argument("--phases", default=PHASES, help=f"({PHASES})")
    parser.add_argument("--tenants", type=int, default=5_000, help="requests of one tenant that name another's (5,000)")
    parser.add_argument("--workers", type=int, default=2, help="at the same time (2)")
    words = parser.parse_args()
    tenants = vars(words).pop("tenants")
    limit_threads()
    configure_logs(level="ERROR", as_json=False)
    with tempfile.TemporaryDirectory(prefix="mm-fuzz-") as folder:
        found = fuzz(Path(folder) / "home", **vars(words))
        crossed = fuzz_tenants(Path(folder) / "tenants", requests=tenants, seed=words.seed)
    if found.failures:
        print(found.printed)
    print(f"{found.requests} requests of {found.operations} operations (seed {words.seed}), {found.untested} untested")
    print(f"{len(found.failures)} failures", *found.failures, sep="\n- ")
    print(f"{crossed.requests} requests of a tenant that named another's, {len(crossed.failures)} failures")
    print(*crossed.failures[:20], sep="\n- ")
    sys.exit(bool(found.failures or found.untested or crossed.failures))


if __name__ == "__main__":
    main()
