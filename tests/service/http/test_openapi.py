"""The documentation is real: each example is posted to a live service, and answered as the document says."""

import json

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from consolidation.dreams.dream_log import DreamLog, DreamRecord
from consolidation.dreams.observations import read_dated
from consolidation.dreams.sleep_state import SleepState, write_sleep_state
from service.app import create_app
from service.http.openapi import EVERYWHERE
from service.http.problems import KINDS, MEDIA_TYPE
from service.http.schemas import (
    access,
    batch,
    chat,
    conversations,
    corrections,
    erasures,
    evaluations,
    example,
    examples,
    fatigue,
    imports,
    files,
    journal,
    knowledge,
    log,
    memories,
    news,
    observations,
    outcomes,
    people,
    service_settings,
    sessions,
    settings,
    timeline,
    traces,
    trim,
    turns,
    waking,
    webhooks,
)
from service.http.schemas import ask as asking
from service.http.schemas import erasure as erasing
from service.http.schemas import mcp as tools
from service.http.schemas import sleep as sleeping
from service.http.schemas import status as standing
from service.http.schemas.problem import Problem
from service.settings.settings import Settings
from tests.support.api_keys import make_key
from tests.support.openapi import shipped_document
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

MIND = "global-user-memory"
EXAMPLES = {
    "POST /v1/session": sessions.SESSION,
    "GET /v1/session": sessions.STANDING,
    "POST /v1/session/tickets": sessions.TICKET,
    "GET /v1/keys": access.KEYS,
    "GET /v1/audit": access.AUDIT,
    "GET /v1/webhooks": webhooks.WEBHOOKS,
    "POST /v1/webhooks/{name}/retry": webhooks.WEBHOOK_RETRIED,
    "GET /v1/settings": service_settings.SERVICE_SETTINGS,
    "POST /v1/minds/{mind_id}/turns": examples.KEPT,
    "POST /v1/minds/{mind_id}/turns/batch": batch.BATCH_KEPT,
    "POST /v1/minds/{mind_id}/resonance": examples.RESONATED,
    "GET /v1/minds/{mind_id}/traces": traces.TRACES,
    "GET /v1/minds/{mind_id}/traces/{trace_id}": examples.TRACED,
    "POST /v1/minds/{mind_id}/outcomes": outcomes.APPLIED,
    "POST /v1/minds/{mind_id}/corrections": corrections.CORRECTION,
    "GET /v1/minds/{mind_id}/corrections": corrections.CORRECTIONS,
    "GET /v1/minds/{mind_id}/corrections/{correction_id}": corrections.CORRECTION,
    "DELETE /v1/minds/{mind_id}/corrections/{correction_id}": corrections.UNDONE,
    "GET /v1/minds/{mind_id}/people": people.PEOPLE,
    "GET /v1/minds/{mind_id}/settings": settings.SETTINGS,
    "PATCH /v1/minds/{mind_id}/settings": settings.SETTINGS,
    "GET /v1/minds": examples.MINDS,
    "GET /v1/minds/{mind_id}": examples.MIND,
    "POST /v1/minds/{mind_id}/parked/retry": examples.RETRIED,
    "POST /v1/minds/{mind_id}/rebuild": examples.REBUILDING,
    "GET /v1/minds/{mind_id}/events": None,
    "GET /v1/minds/{mind_id}/timeline": timeline.TIMELINE,
    "GET /v1/minds/{mind_id}/news": news.NEWS,
    "GET /v1/example": example.EXAMPLE_READY,
    "POST /v1/example": example.EXAMPLE_READY,
    "GET /v1/minds/{mind_id}/export": None,
    "POST /v1/minds/{mind_id}/import": examples.IMPORTED,
    "GET /v1/minds/{mind_id}/remember": examples.REMEMBERED,
    "POST /v1/minds/{mind_id}/ask": asking.ANSWERED,
    "GET /v1/minds/{mind_id}/log": log.LOG_FOUND,
    "GET /v1/minds/{mind_id}/sessions": conversations.SESSIONS,
    "GET /v1/minds/{mind_id}/turns": conversations.TURNS,
    "GET /v1/minds/{mind_id}/turns/{turn_id}": conversations.TURN,
    "GET /v1/minds/{mind_id}/facts": knowledge.FACTS,
    "GET /v1/minds/{mind_id}/facts/{fact_id}": knowledge.FACT,
    "GET /v1/minds/{mind_id}/entities": knowledge.ENTITIES,
    "GET /v1/minds/{mind_id}/entities/{entity_id}": knowledge.ENTITY,
    "GET /v1/minds/{mind_id}/graph": knowledge.GRAPH,
    "GET /v1/minds/{mind_id}/waking": waking.WAKING,
    "POST /v1/minds/{mind_id}/memories": memories.MEMORIES_SAVED,
    "GET /v1/minds/{mind_id}/journal/search": journal.JOURNAL_FOUND,
    "GET /v1/minds/{mind_id}/journal/file": journal.JOURNAL_FILE,
    "PUT /v1/minds/{mind_id}/journal/file": journal.JOURNAL_FILE,
    "GET /v1/minds/{mind_id}/journal": journal.JOURNAL_FILES,
    "GET /v1/minds/{mind_id}/files": files.FILES,
    "GET /v1/minds/{mind_id}/files/{path}": files.FILE,
    "PUT /v1/minds/{mind_id}/files/{path}": files.FILE,
    "DELETE /v1/minds/{mind_id}/files/{path}": files.FILE_LISTED,
    "GET /v1/minds/{mind_id}/story": examples.STORY,
    "PUT /v1/minds/{mind_id}/story": examples.STORY,
    "GET /v1/minds/{mind_id}/story/sources": examples.SOURCES,
    "GET /v1/minds/{mind_id}/story/history": examples.HISTORY,
    "GET /v1/minds/{mind_id}/story/history/{version}": examples.VERSION,
    "GET /v1/minds/{mind_id}/story/diff": examples.DIFFERENCE,
    "POST /v1/minds/{mind_id}/story/restore": examples.STORY,
    "GET /v1/minds/{mind_id}/observations": observations.OBSERVED,
    "PUT /v1/minds/{mind_id}/observations": observations.OBSERVED,
    "GET /v1/minds/{mind_id}/consolidation": examples.CONSOLIDATED,
    "POST /v1/minds/{mind_id}/consolidation": examples.CONSOLIDATED,
    "POST /v1/minds/{mind_id}/sessions/{session_id}/compaction": examples.COMPACTED,
    "POST /v1/minds/{mind_id}/sessions/{session_id}/trim": trim.TRIMMED,
    "POST /v1/minds/{mind_id}/sessions/{session_id}/actions": sleeping.ACTIONS_KEPT,
    "POST /v1/minds/{mind_id}/sleep": sleeping.SLEPT,
    "GET /v1/minds/{mind_id}/sleep": sleeping.STATUS,
    "POST /v1/minds/{mind_id}/wake": sleeping.STATUS,
    "POST /v1/minds/{mind_id}/dreams": sleeping.DREAMT,
    "GET /v1/minds/{mind_id}/dreams": sleeping.DREAMT,
    "POST /v1/minds/{mind_id}/dreams/{dream}/undo": sleeping.UNDREAMT,
    "DELETE /v1/minds/{mind_id}/dreams/{dream}/undo": sleeping.REDREAMT,
    "GET /v1/minds/{mind_id}/fatigue": fatigue.FATIGUE,
    "GET /v1/minds/{mind_id}/evaluations": evaluations.EVALUATIONS,
    "POST /v1/minds/{mind_id}/evaluations/{dream}/accept": evaluations.ACCEPTED,
    "DELETE /v1/minds/{mind_id}/turns/{turn_id}": erasing.ERASED,
    "DELETE /v1/minds/{mind_id}/sessions/{session_id}": erasing.ERASED,
    "DELETE /v1/minds/{mind_id}": erasing.ERASED_MIND,
    "GET /v1/minds/{mind_id}/erasures": erasures.ERASURES,
    "GET /v1/erasures": erasures.ERASURES,
    "POST /v1/minds/{mind_id}/import/conversations": imports.SURVEYED,
    "GET /v1/minds/{mind_id}/import/conversations/{import_id}": imports.IMPORT_PROGRESS,
    "POST /mcp": tools.MCP_TOLD,
    "POST /v1/chat/completions": chat.COMPLETED,
    "GET /v1/models": chat.MODELS,
    "GET /v1/models/{model}": chat.MODEL,
    "GET /healthz": examples.ALIVE,
    "GET /readyz": examples.READY,
    "GET /v1/status": standing.STANDING,
}
TEXT = {"GET /metrics"}  # not JSON: what is in it is tested with what it tells
EMPTY = {"DELETE /v1/session", "DELETE /v1/keys/{key_id}"}  # 204: tests/service/access
ROUTES = EXAMPLES.keys()
MEASURED = {"timings_ms", "arms", "relevance"}  # what is in them depends on what was found


@pytest.fixture(scope="module")
def document():
    return shipped_document()


@pytest.fixture(scope="module")
def operations(document):
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


@pytest.fixture(scope="module")
def models():
    routes = [route for route in create_app(Settings()).routes if isinstance(route, APIRoute)]
    return {f"{method} {route.path_format}": route.response_model for route in routes for method in route.methods}


@pytest.fixture(scope="module")
async def answered(anyio_backend, tmp_path_factory, document):
    """Every route, asked with its documented example, on a mind that holds the documented turn alone."""
    asked = {}

    home = tmp_path_factory.mktemp("home")
    async with running(home, settings=settings_of(home, resonance={"deadline_ms": 600_000}, webhooks=HOOKS)) as service:

        async def ask(route, headers=None, body=None, params=None, content=None, **filled):
            method, path = route.split(" ")
            operation = document["paths"][path][method.lower()]
            params = {one["name"]: one["example"] for one in _examples(operation, "query")} | (params or {})
            body = body or (_body_example(document, operation) if content is None else None)
            filled = {"mind_id": MIND, **filled}
            answer = await service.http.request(
                method, path.format(**filled), params=params, json=body, content=content, headers=headers
            )
            asked[route] = answer
            return answer.json() if answer.headers["content-type"].endswith("json") else answer.content

        await ask("POST /v1/minds/{mind_id}/turns")
        await service.digested(MIND)
        for route in (
            "GET /v1/minds/{mind_id}/remember",
            "POST /v1/minds/{mind_id}/ask",
            "POST /mcp",
        ):  # before anything is built anew
            await ask(route)
        for name in ("sessions", "turns", "graph"):
            await ask(f"GET /v1/minds/{{mind_id}}/{name}")
        [fact, *_] = (await ask("GET /v1/minds/{mind_id}/facts"))["items"]
        await ask("GET /v1/minds/{mind_id}/facts/{fact_id}", fact_id=fact["id"])
        await ask("GET /v1/minds/{mind_id}/entities")
        await ask("GET /v1/minds/{mind_id}/entities/{entity_id}", entity_id=fact["source_id"])
        await ask("GET /v1/minds/{mind_id}/turns/{turn_id}", turn_id="2026-01-09-0001")
        trace_id = (await ask("POST /v1/minds/{mind_id}/resonance"))["trace_id"]
        await ask("POST /v1/minds/{mind_id}/outcomes", body={**outcomes.REPORTED, "trace_id": trace_id})
        (fact,) = (await service.http.get(f"/v1/minds/{MIND}/remember?query=Lyon&kinds=fact")).json()["memories"]
        meant = {"kind": "fact", "id": fact["id"]}
        made = await ask("POST /v1/minds/{mind_id}/corrections", body={**corrections.CORRECTS, "target": meant})
        for route in ("GET /v1/minds/{mind_id}/corrections/{correction_id}", "GET /v1/minds/{mind_id}/corrections"):
            await ask(route, correction_id=made["id"])
        await ask("DELETE /v1/minds/{mind_id}/corrections/{correction_id}", correction_id=made["id"])
        pin = {"what": "pin", "target": meant}
        pinned = (await service.http.post(f"/v1/minds/{MIND}/corrections", json=pin)).json()
        await ask("GET /v1/minds/{mind_id}/people")
        await service.http.delete(f"/v1/minds/{MIND}/corrections/{pinned['id']}")
        (home / "minds" / MIND / journal.JOURNAL_FILE["path"]).write_text(journal.JOURNAL_FILE["text"])
        write_agent_files(home / "minds" / MIND)
        await ask("GET /v1/minds/{mind_id}")
        await ask("GET /v1/minds")
        archive = await ask("GET /v1/minds/{mind_id}/export")
        await ask("POST /v1/minds/{mind_id}/import", content=archive, mind_id="another")
        await ask_imports(ask, service)
        await ask("PUT /v1/minds/{mind_id}/journal/file", {"If-Match": "*"})
        for method in ("GET", "PUT", "DELETE"):
            await ask(f"{method} /v1/minds/{{mind_id}}/files/{{path}}", {"If-Match": "*"}, path=files.FILE["path"])
        await ask("PUT /v1/minds/{mind_id}/files/{path}", {"If-None-Match": "*"}, path=files.FILE["path"])
        await ask("GET /v1/minds/{mind_id}/files")
        await ask("POST /v1/minds/{mind_id}/consolidation")
        await service.memory.background.drain(MIND, seconds=60)  # the story's fidelity is computed behind the run
        await ask("GET /v1/minds/{mind_id}/news")
        etag = (await ask("GET /v1/minds/{mind_id}/story"))["etag"]
        await ask("PUT /v1/minds/{mind_id}/story", {"If-Match": etag})
        etag = (await service.http.get(f"/v1/minds/{MIND}/observations")).json()["etag"]
        await ask("PUT /v1/minds/{mind_id}/observations", {"If-Match": etag})
        await ask("PATCH /v1/minds/{mind_id}/settings", {"If-Match": "*"})
        version = (await ask("GET /v1/minds/{mind_id}/story/history"))["versions"][0]["version"]
        await ask("GET /v1/minds/{mind_id}/story/diff", params={"from": version})
        await ask("POST /v1/minds/{mind_id}/story/restore", body={"version": version})
        await ask("GET /v1/minds/{mind_id}/waking")
        for route in ("GET sleep", "POST dreams", "GET dreams"):  # of a mind of which nothing is erased
            method, name = route.split()
            await ask(f"{method} /v1/minds/{{mind_id}}/{name}", mind_id="another")
        for method in ("POST", "DELETE"):
            await ask(f"{method} /v1/minds/{{mind_id}}/dreams/{{dream}}/undo", mind_id="another", dream=1)
        for name in ("sessions/{session_id}/actions", "sleep", "wake"):
            await ask(f"POST /v1/minds/{{mind_id}}/{name}", mind_id="another", session_id="cycle-3")
        await ask("GET /v1/minds/{mind_id}/fatigue", mind_id="another")
        write_evaluation(home / "minds" / "another")
        await ask("GET /v1/minds/{mind_id}/evaluations", mind_id="another")
        await ask("POST /v1/minds/{mind_id}/evaluations/{dream}/accept", mind_id="another", dream=10)
        of_erasures = ("GET /v1/minds/{mind_id}/erasures", "GET /v1/erasures")
        others = [
            one
            for one in ROUTES - asked.keys()
            if not one.startswith("DELETE") and "/example" not in one and one not in of_erasures
        ]
        for route in sorted(others, key=lambda route: "sessions" in route):
            await ask(route, trace_id=trace_id, version=version, session_id="telegram:42", name="crm", model="memory")
        await service.digested(MIND)
        await service.http.post("/v1/example")  # it answers 200 from then on
        for method in ("POST", "GET"):
            await ask(f"{method} /v1/example")
        await service.http.delete("/v1/minds/example")
        for route in ("turns/{turn_id}", "sessions/{session_id}", ""):
            path = f"/v1/minds/{{mind_id}}/{route}".rstrip("/")
            for listed in () if route else of_erasures:  # while something of it is left
                await ask(listed)
            await ask(f"DELETE {path}", turn_id="2026-01-09-0001", session_id="telegram:42")
        key = make_key(home)
        for route in ("POST /v1/session", "GET /v1/keys", "GET /v1/audit"):
            await ask(route, {"Authorization": f"Bearer {key}"}, body={"key": key} if "POST" in route else None)
    return asked


async def ask_imports(ask, service):
    """Bring the documented conversation in, to another mind."""
    route, file = "POST /v1/minds/{mind_id}/import/conversations", json.dumps(TALK).encode()
    begun = await service.http.post("/v1/minds/imported/import/conversations", content=file)
    await ask(route, content=file, mind_id="imported", params={"dry_run": True})
    await service.memory.background.drain("imported", seconds=60)
    progress = "GET /v1/minds/{mind_id}/import/conversations/{import_id}"
    await ask(progress, mind_id="imported", import_id=begun.json()["import_id"])


HOOKS = {
    "endpoints": [{"name": "crm", "url": "http://127.0.0.1:9", "secret": f"whsec_{'A' * 32}", "kinds": ["turn.parked"]}]
}
TALK = {**turns.POSTED, "messages": [*turns.POSTED["messages"], {"role": "user", "content": ""}]}


def write_agent_files(folder):
    """The files of an agent that slept once."""
    slept, example = "2026-01-10T06:00:00Z", waking.WAKING
    [seen] = example["observations"]
    (folder / "observations.md").write_text(f"## {seen['day']}\n\n{seen['level']} {seen['at']} {seen['text']}\n")
    (folder / "priorities.md").write_text(f"- {example['priorities'][0]}\n")
    (folder / "rules.md").write_text(f"- {example['rules'][0]}\n")
    (folder / "briefing.md").write_text(f"{example['briefing']}\n")
    state = SleepState(cycle=3, asleep_at=slept, wake_at=example["woke_at"], kind="dream")
    write_sleep_state(folder / "sleep.json", state)
    [line] = read_dated([f"{seen['day']} {seen['level']} {seen['at']} {seen['text']}"])
    words = {"reflection": example["reflection"], "priority": example["priority"]}
    record = DreamRecord(t=slept, dream=1, sources={line.digest: (1,)}, levels={line.digest: line.level}, **words)
    DreamLog(folder / "dreams.jsonl").add(record)


def write_evaluation(folder):
    """What a deep sleep measured, as the example of the API has it."""
    (folder / "evaluation.jsonl").write_text(f"{json.dumps(evaluations.EVALUATION)}\n")


def _examples(operation, place):
    for one in operation.get("parameters", ()):
        examples = one["schema"].get("examples") or ([one["example"]] if "example" in one else [])
        if one["in"] == place and examples:
            yield {"name": one["name"], "example": examples[0]}


def _body_example(document, operation):
    if "requestBody" not in operation:
        return None
    content = operation["requestBody"]["content"].get("application/json", {"example": "a zip"})
    if "example" in content:
        return content["example"]
    reference = content["schema"]["$ref"]
    return document["components"]["schemas"][reference.rsplit("/", 1)[1]]["examples"][0]


def _success(operation):
    status = min(status for status in operation["responses"] if status.startswith("2"))
    return int(status), operation["responses"][status]["content"].get("application/json")


def shape(value, name="", *, with_nulls=False):
    """The keys of an answer, all the way down; lists by their first item. FastAPI leaves nulls out of its document."""
    if isinstance(value, dict):
        found = {key: inner for key, inner in value.items() if with_nulls or inner is not None}
        return {key: shape(inner, key, with_nulls=with_nulls) for key, inner in found.items() if name not in MEASURED}
    if isinstance(value, list):
        return [shape(value[0], with_nulls=with_nulls)] if value else []
    return None


async def test_every_route_is_listed_here_and_has_a_summary(operations):
    assert operations.keys() == ROUTES | TEXT | EMPTY
    for operation in operations.values():
        assert operation["summary"]
        assert operation["description"]
        assert operation["tags"]


@pytest.mark.parametrize("route", sorted(ROUTES))
async def test_the_documented_example_is_what_a_live_service_answers(route, operations, models, answered):
    status, content = _success(operations[route])

    answer = answered[route]

    assert answer.status_code == status, answer.text
    if content is None:
        assert operations[route]["responses"][str(status)]["content"].keys() == {answer.headers["content-type"]}
        return
    TypeAdapter(models[route]).validate_python(EXAMPLES[route])
    assert shape(content["example"]) == shape(EXAMPLES[route])
    assert shape(EXAMPLES[route], with_nulls=True) == shape(answer.json(), with_nulls=True)


@pytest.mark.parametrize("route", sorted(ROUTES))
async def test_every_request_body_and_required_parameter_has_an_example(route, document, operations):
    operation = operations[route]

    if "requestBody" in operation:
        assert _body_example(document, operation)
    given = {one["name"] for one in (*_examples(operation, "path"), *_examples(operation, "query"))}
    assert {one["name"] for one in operation.get("parameters", ()) if one["required"]} <= given


@pytest.mark.parametrize(
    ("route", "statuses"),
    {
        "POST /v1/minds/{mind_id}/turns": {400, 404, 409, 410, 413, 422, 502, 503, 504, 507},
        "POST /v1/minds/{mind_id}/turns/batch": {400, 404, 409, 413, 422, 503, 507},
        "POST /v1/minds/{mind_id}/resonance": {400, 404, 413, 422},
        "GET /v1/minds/{mind_id}/traces": {404, 422},
        "GET /v1/minds/{mind_id}/traces/{trace_id}": {404, 422},
        "GET /v1/minds": {422},
        "GET /v1/status": {422},
        "GET /v1/minds/{mind_id}": {404, 422},
        "POST /v1/minds/{mind_id}/parked/retry": {404, 422, 503},
        "POST /v1/minds/{mind_id}/rebuild": {404, 422, 503},
        "GET /v1/minds/{mind_id}/export": {404, 409, 422, 503, 507},
        "POST /v1/minds/{mind_id}/import": {409, 413, 422, 503},
        "GET /v1/minds/{mind_id}/remember": {404, 422},
        "POST /v1/minds/{mind_id}/ask": {400, 404, 413, 422},
        "GET /v1/minds/{mind_id}/sessions": {404, 422, 503},
        "GET /v1/minds/{mind_id}/turns": {404, 422, 503},
        "GET /v1/minds/{mind_id}/turns/{turn_id}": {404, 410, 422, 503},
        "GET /v1/minds/{mind_id}/facts": {404, 422, 503},
        "GET /v1/minds/{mind_id}/facts/{fact_id}": {404, 422, 503},
        "GET /v1/minds/{mind_id}/entities": {404, 422, 503},
        "GET /v1/minds/{mind_id}/entities/{entity_id}": {404, 422, 503},
        "GET /v1/minds/{mind_id}/graph": {404, 422, 503},
        "GET /v1/minds/{mind_id}/news": {404, 409, 422, 503},
        "GET /v1/example": {404},
        "POST /v1/example": {404, 409, 503, 507},
        "GET /v1/minds/{mind_id}/waking": {404, 422, 503},
        "GET /v1/minds/{mind_id}/journal/search": {404, 422, 503},
        "GET /v1/minds/{mind_id}/journal/file": {404, 422, 503},
        "GET /v1/minds/{mind_id}/story": {404, 409, 422},
        "PUT /v1/minds/{mind_id}/story": {400, 404, 409, 412, 413, 422, 428, 503},
        "GET /v1/minds/{mind_id}/story/sources": {404, 409, 422, 503},
        "GET /v1/minds/{mind_id}/story/history": {404, 422},
        "GET /v1/minds/{mind_id}/story/history/{version}": {404, 422},
        "GET /v1/minds/{mind_id}/story/diff": {404, 422},
        "POST /v1/minds/{mind_id}/story/restore": {400, 404, 409, 413, 422, 503},
        "GET /v1/minds/{mind_id}/observations": {404, 409, 422, 503},
        "PUT /v1/minds/{mind_id}/observations": {400, 404, 409, 412, 413, 422, 428, 503},
        "GET /v1/minds/{mind_id}/settings": {404, 422},
        "PATCH /v1/minds/{mind_id}/settings": {400, 404, 409, 412, 413, 422, 428, 503},
        "GET /v1/minds/{mind_id}/consolidation": {404, 422},
        "POST /v1/minds/{mind_id}/consolidation": {400, 404, 413, 422},
        "POST /v1/minds/{mind_id}/sessions/{session_id}/compaction": {400, 404, 409, 413, 422, 503, 507},
        "POST /v1/minds/{mind_id}/sessions/{session_id}/trim": {400, 404, 409, 413, 422, 503, 507},
        "POST /v1/minds/{mind_id}/sessions/{session_id}/actions": {400, 404, 409, 410, 413, 422, 503, 507},
        "POST /v1/minds/{mind_id}/sleep": {400, 404, 413, 422, 503},
        "GET /v1/minds/{mind_id}/sleep": {404, 422, 503},
        "POST /v1/minds/{mind_id}/wake": {400, 404, 413, 422, 503},
        "POST /v1/minds/{mind_id}/dreams": {400, 404, 413, 422, 503},
        "GET /v1/minds/{mind_id}/dreams": {404, 422, 503},
        "POST /v1/minds/{mind_id}/dreams/{dream}/undo": {404, 422, 503},
        "DELETE /v1/minds/{mind_id}/dreams/{dream}/undo": {404, 422, 503},
        "GET /v1/minds/{mind_id}/fatigue": {404, 422, 503},
        "GET /v1/minds/{mind_id}/evaluations": {404, 422, 503},
        "POST /v1/minds/{mind_id}/evaluations/{dream}/accept": {404, 409, 412, 422, 503},
        "GET /healthz": set(),
    }.items(),
)
async def test_every_problem_is_documented_as_a_problem(route, statuses, operations):
    problems = {int(status): found for status, found in operations[route]["responses"].items() if status >= "4"}

    everywhere = set() if route == "GET /healthz" else set(EVERYWHERE)
    of_bodies = {408, 415} if "requestBody" in operations[route] else set()
    of_writing = {507} if 503 in statuses and not route.startswith("GET ") else set()
    assert problems.keys() == statuses | everywhere | of_bodies | of_writing
    for status, found in problems.items():
        [(media_type, content)] = found["content"].items()
        assert media_type == MEDIA_TYPE
        assert Problem.model_validate(content["example"]).status == status
        assert set(content["schema"]["properties"]) == set(Problem.model_fields)


async def test_documented_problem_types_exist(operations):
    slugs = {f"/problems/{kind.slug}" for kind in KINDS.values()} | {
        "/problems/body-too-large",
        "/problems/body-not-utf-8",
        "/problems/body-compressed",
    }
    for operation in operations.values():
        for found in operation["responses"].values():
            if MEDIA_TYPE in found.get("content", {}):
                assert found["content"][MEDIA_TYPE]["example"]["type"] in slugs


async def test_every_call_but_three_is_said_to_need_a_key(document, operations):
    assert document["security"] == [{"key": []}]
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    assert {route for route, operation in operations.items() if "security" in operation} == {
        "GET /healthz",
        "GET /readyz",
        "POST /v1/session",
    }


async def test_no_schema_of_another_library_shows(document):
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_no_route_is_made_again_for_a_service():
    first, second = ({id(one) for one in create_app(Settings()).routes if isinstance(one, APIRoute)} for _ in range(2))

    assert first == second != set()
