"""What a hostile caller posts, and what every answer to it must be."""

import json
import uuid
from contextlib import asynccontextmanager

from tests.support.service import running

MIND = "ada"
TURNS = f"/v1/minds/{MIND}/turns"
RESONANCE = f"/v1/minds/{MIND}/resonance"
SECRET = "hunter2-Xyzzy"
JSON = {"content-type": "application/json"}


@asynccontextmanager
async def service_of_one_turn(folder):
    """A service whose mind MIND has lived the turn `first`."""
    async with running(folder) as found:
        kept = await found.keep(MIND, "My mother lives in Lyon.", "Nice!", turn_id="first")
        assert kept.status_code == 202
        yield found


@asynccontextmanager
async def nothing_kept(service):
    """Whatever happens inside, no turn is kept and no mind made."""
    home = service.memory.settings.folder / "minds"
    before = await service.status(MIND), sorted(home.rglob("*.jsonl")), sorted(home.iterdir())
    yield
    after = await service.status(MIND), sorted(home.rglob("*.jsonl")), sorted(home.iterdir())
    assert (before[0]["turns"], before[0]["last_sequence"], *before[1:]) == (
        after[0]["turns"],
        after[0]["last_sequence"],
        *after[1:],
    )


def turn(**changed):
    body = {
        "turn_id": uuid.uuid4().hex,
        "session_id": "s1",
        "messages": [{"role": "user", "content": "I said something."}],
        **changed,
    }
    return {name: value for name, value in body.items() if value is not ...}


def said(**changed):
    message = {"role": "user", "content": "I said something.", **changed}
    return turn(messages=[{name: value for name, value in message.items() if value is not ...}])


def asked(**changed):
    return {"session_id": "s2", "messages": [{"role": "user", "content": "Where?"}], "deadline_ms": 300, **changed}


async def post(service, path, body, **headers):
    """Post *body*, which may hold what no honest encoder writes: lone surrogates go out as JSON escapes."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await service.http.post(path, content=content, headers={**JSON, **headers})


def problem_of(answer, status, *, pointer=None):
    """The problem document of *answer*, checked for all that every problem must be."""
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert {"type", "title", "status", "detail", "instance"} <= document.keys()
    assert document["status"] == status
    assert SECRET not in answer.text
    if pointer is not None:
        assert [one["pointer"] for one in document["errors"]][:1] == [pointer], document
        assert all(one["detail"] for one in document["errors"])
    return document


async def refused(service, body, pointer, *, path=TURNS, status=422):
    return problem_of(await post(service, path, body), status, pointer=pointer)
