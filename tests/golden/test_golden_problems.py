"""Every problem document that the service can answer with: status, headers, body."""

import httpx
import pytest
from fastapi import FastAPI

from service.http.problems import KINDS, add_problem_handlers
from tests.support.golden import GOLDEN, as_json, assert_golden, is_writing

pytestmark = pytest.mark.anyio

FOLDER = GOLDEN / "problems"
HEADERS = ("content-type", "retry-after", "www-authenticate")


def fault_of(kind):
    if kind.__name__ == "ImportUnreadable":
        return kind("a place", found="nothing", known_formats=("JSONL",))
    if kind.__name__ == "AmbiguousMemory":
        return kind("what went wrong", candidates={"fact:1": "Ada met Bo.", "fact:2": "Ada met Bo."})
    return kind("what went wrong")


async def document_of(error):
    app = FastAPI()
    add_problem_handlers(app)

    @app.get("/v1/minds/ada")
    async def route():
        raise error

    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        answer = await http.get("/v1/minds/ada")
    headers = {name: answer.headers[name] for name in HEADERS if name in answer.headers}
    return {"status": answer.status_code, "headers": headers, "body": answer.json()}


def test_every_golden_file_is_a_problem_that_there_is():
    gone = {file.stem for file in FOLDER.glob("*.json")} - {kind.slug for kind in KINDS.values()}
    if is_writing():
        for slug in gone:
            (FOLDER / f"{slug}.json").unlink()
    else:
        assert gone == set()


@pytest.mark.parametrize("fault", KINDS, ids=[kind.slug for kind in KINDS.values()])
async def test_a_problem_is_told_as_it_was(fault):
    assert_golden(FOLDER / f"{KINDS[fault].slug}.json", as_json(await document_of(fault_of(fault))))
