"""A query parameter that a call does not have is refused, whatever the call."""

from __future__ import annotations

import re

import pytest

from tests.support.openapi import shipped_document
from tests.support.service import running

pytestmark = pytest.mark.anyio

OF_OTHERS = {"/v1/chat/completions", "/v1/models", "/v1/models/{model}"}  # OpenAI's


@pytest.fixture(scope="module")
async def service(tmp_path_factory):
    async with running(tmp_path_factory.mktemp("home")) as opened:
        yield opened


async def test_every_call_refuses_a_parameter_that_it_does_not_have(service):
    calls = [
        (method, path)
        for path, methods in shipped_document()["paths"].items()
        if path.startswith("/v1/") and path not in OF_OTHERS
        for method in methods
    ]
    assert len(calls) > 80

    for method, path in calls:
        place = re.sub(r"\{\w+\}", "x", path)
        answer = await service.http.request(method, place, params={"nobody_has_this": "1"})

        assert answer.status_code == 422, f"{method} {path}: {answer.text}"
        assert answer.json()["errors"][0]["pointer"] == "query/nobody_has_this", f"{method} {path}"


async def test_a_misspelt_filter_is_told_which_there_are(service):
    await service.keep("ada", "My mother lives in Lyon.")

    answer = await service.http.get("/v1/minds/ada/remember", params={"query": "Lyon", "session_id": "s1"})

    assert answer.status_code == 422
    assert "session_ids" in answer.json()["detail"]


async def test_what_a_call_has_is_taken_in_every_form(service):
    await service.keep("ada", "My mother lives in Lyon.")

    found = await service.http.get(
        "/v1/minds/ada/remember", params=[("query", "Lyon"), ("session_ids", "s1"), ("session_ids", "s2")]
    )
    erased = await service.http.delete("/v1/minds/ada", params={"dry_run": "true"})

    assert found.status_code == erased.status_code == 200


def single_parameters():
    """Each parameter of a query that has one value, with its call."""
    for path, methods in shipped_document()["paths"].items():
        for method, call in methods.items() if path not in OF_OTHERS else ():
            for one in call.get("parameters", ()) if isinstance(call, dict) else ():
                shapes = one["schema"].get("anyOf", [one["schema"]])
                if one["in"] == "query" and all(shape.get("type") != "array" for shape in shapes):
                    yield method, path, one["name"]


async def test_every_call_refuses_two_values_of_a_parameter_that_has_one(service):
    """Broken: the last one counts, so that `dry_run=true&dry_run=false` erases."""
    found = [one for one in single_parameters() if one[1].startswith("/v1/")]
    assert len(found) > 80

    for method, path, name in found:
        place = re.sub(r"\{\w+\}", "x", path)
        answer = await service.http.request(method, place, params=[(name, "1"), (name, "2")])

        assert answer.status_code == 422, f"{method} {path} {name}: {answer.text}"
        assert answer.json()["errors"] == [
            {"pointer": f"query/{name}", "detail": "has two values, of which only one can be meant"}
        ]
