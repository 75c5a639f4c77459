"""Every failure is a problem document, and no kind of failure is forgotten."""

import importlib
import logging
import pkgutil
import re

import httpx2
import pytest
from fastapi import FastAPI

import consolidation
import prompts
import service
from consolidation.kernel import errors, sharing_errors
from service.http.problems import KINDS, MEDIA_TYPE, add_problem_handlers
from tests.support.service import running

pytestmark = pytest.mark.anyio

SECRET = "hunter2-Xyzzy"


def every_fault():
    for package in (consolidation, prompts, service):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    waiting = [errors.MemoryFault]
    while waiting:
        fault = waiting.pop()
        waiting.extend(fault.__subclasses__())
        yield fault


def tree():
    """The trees of the two docstrings: each fault with the one above it."""
    for module in (errors, sharing_errors):
        above = []
        for indent, name in re.findall(r"^( *)[*x+-] (\w+)", module.__doc__, re.MULTILINE):
            above = [*above[: len(indent) // 2], name]
            yield name, above[-2] if len(above) > 1 else "Exception"


def test_every_fault_has_a_kind_of_its_own():
    assert [fault.__name__ for fault in every_fault() if fault not in KINDS] == []
    slugs = [kind.slug for kind in KINDS.values()]
    assert len(slugs) == len(set(slugs))


def test_every_fault_stands_in_the_tree_below_its_parent():
    drawn = dict(tree())

    assert drawn == {fault.__name__: fault.__base__.__name__ for fault in every_fault()}


def test_every_fault_says_what_it_is():
    assert [fault.__name__ for fault in every_fault() if not fault.__doc__] == []


@pytest.mark.parametrize(("fault", "kind"), KINDS.items())
async def test_every_kind_is_spoken_as_a_problem(fault, kind):
    more = {
        "ImportUnreadable": {"found": "nothing", "known_formats": ("JSONL",)},
        "AmbiguousMemory": {"candidates": {"fact:1": "Ada met Bo."}},
    }
    made = fault("what went wrong", **more.get(fault.__name__, {}))

    answer = await answered_by(made)

    assert answer.status_code == kind.status
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert answer.json()["type"] == f"/problems/{kind.slug}"
    assert answer.json()["instance"] == "/break"
    assert ("retry-after" in answer.headers) == (kind.status in {429, 503, 507})
    assert ("www-authenticate" in answer.headers) == (kind.status == 401)
    assert ("errors" in answer.json()) == isinstance(made, errors.InvalidRequest)


async def test_an_unforeseen_error_is_a_problem_that_tells_nothing():
    answer = await answered_by(ZeroDivisionError(SECRET))

    assert answer.status_code == 500
    assert answer.headers["content-type"] == MEDIA_TYPE
    assert SECRET not in answer.text
    assert "ZeroDivision" not in answer.text
    assert "Traceback" not in answer.text


async def test_an_unknown_route_and_a_wrong_method_are_problems(tmp_path):
    async with running(tmp_path) as found:
        missing = await found.http.get("/v1/nothing")
        wrong = await found.http.delete("/v1/minds")

    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/not-found")
    assert (wrong.status_code, wrong.json()["type"]) == (405, "/problems/method-not-allowed")
    assert wrong.headers["allow"] == "GET"
    for answer in (missing, wrong):
        assert answer.headers["content-type"] == MEDIA_TYPE
        assert {"type", "title", "status", "detail", "instance"} <= answer.json().keys()


async def answered_by(error):
    app = FastAPI()
    add_problem_handlers(app)

    @app.get("/break")
    async def breaks():
        raise error

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://memory") as http:
        return await http.get("/break")
