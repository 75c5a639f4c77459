"""What both clients offer: the same methods, which show their parameters, for every route of the service's document."""

import inspect
import io
import re
import typing
from contextlib import redirect_stdout
from importlib import import_module
from pkgutil import iter_modules

import pytest
from pydantic import BaseModel

import mind_memory_client as mm
from mind_memory_client import AsyncMemoryClient, MemoryClient, _ask, _corrections, _files, _records, errors
from mind_memory_client import _catalog as catalog_api
from mind_memory_client import _endpoints as api
from mind_memory_client import _insight_endpoints as insight
from mind_memory_client.turn import begin_turn
from tests.support.openapi import shipped_document
from tests.support.paths import ROOT

DOCUMENT = shipped_document()
MODULES = [import_module(f"mind_memory_client.{one.name}") for one in iter_modules(mm.__path__) if one.name[0] == "_"]
ENDPOINTS = {name: one for module in MODULES for name, one in vars(module).items() if isinstance(one, api.Endpoint)}
WITH_MODEL = sorted(name for name, one in ENDPOINTS.items() if isinstance(one.read, api.AsModel))
ASYNC_NAMES = {"close": "aclose"}
NOT_OURS = {  # routes that something else speaks
    ("get", "/metrics"): "Prometheus reads it",
    ("post", "/mcp"): "hosts of MCP speak JSON-RPC",
    ("post", "/v1/chat/completions"): "OpenAI's SDKs speak it",
    ("get", "/v1/models"): "the same",
    ("get", "/v1/models/{model}"): "the same",
}


def methods(kind):
    """The public methods of a client, by name."""
    return {name: one for name, one in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


METHODS = sorted(methods(MemoryClient))


# -- real methods


def test_both_clients_have_the_same_methods():
    assert sorted(ASYNC_NAMES.get(name, name) for name in METHODS) == sorted(methods(AsyncMemoryClient))


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_the_same_parameters_in_both_clients(name):
    blocking, awaited = methods(MemoryClient)[name], methods(AsyncMemoryClient)[ASYNC_NAMES.get(name, name)]

    assert shape(blocking) == shape(awaited)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_in_both_clients_what_it_does(name):
    blocking, awaited = methods(MemoryClient)[name], methods(AsyncMemoryClient)[ASYNC_NAMES.get(name, name)]

    assert blocking.__doc__
    assert " ".join(inspect.getdoc(blocking).split()) == in_blocking_words(inspect.getdoc(awaited))


@pytest.mark.parametrize("name", METHODS)
def test_what_follows_the_first_parameter_is_named_unless_the_readme_does_not(name):
    positional = {
        "turn": 3,
        "resonance": 3,
        "probe": 3,
        "store_turn": 3,
        "remember": 2,
        "ask": 2,
        "search_log": 2,
        "save_memories": 2,
        "act": 3,
        "listen": 3,
        "sleep": 2,
        "trim": 3,
        "report_outcomes": 2,
        "correct": 3,
        "request": 2,
    }

    kinds = [one.kind for one in list(inspect.signature(methods(MemoryClient)[name]).parameters.values())[1:]]

    assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= positional.get(name, 1)


@pytest.mark.parametrize("kind", [MemoryClient, AsyncMemoryClient])
def test_help_and_a_signature_show_the_real_parameters(kind):
    shown = io.StringIO()
    with redirect_stdout(shown):
        help(kind.resonance)

    assert "deadline_ms: int | None = None" in re.sub(r"['\"]", "", shown.getvalue())
    assert "what surfaces" in shown.getvalue()
    assert list(inspect.signature(kind().resonance).parameters)[:4] == ["mind", "session", "messages", "now"]
    assert callable(kind.resonance)


def test_all_that_the_package_offers_is_listed_in_order():
    assert sorted(mm.__all__) == mm.__all__
    assert all(hasattr(mm, name) for name in mm.__all__)


def test_every_error_is_drawn_in_the_tree_and_offered():
    def below(kind):
        return {kind.__name__}.union(*map(below, kind.__subclasses__()))

    assert below(mm.MindMemoryError) == set(re.findall(r"^ *[*x+-] (\w+)", errors.__doc__, re.MULTILINE))
    assert below(mm.MindMemoryError) <= set(mm.__all__)


# -- the service's document


def test_every_route_has_an_endpoint_and_every_endpoint_a_route():
    routes = {(method, path) for path, operations in DOCUMENT["paths"].items() for method in operations}
    ours = {(one.method.lower(), one.path) for one in ENDPOINTS.values()}

    assert ours <= routes
    assert routes - ours == NOT_OURS.keys() & routes


@pytest.mark.parametrize("kind", [MemoryClient, AsyncMemoryClient])
def test_every_endpoint_is_called_by_a_method(kind):
    source = "".join(inspect.getsource(inspect.getmodule(one)) for one in kind.__mro__ if one is not object)
    source += "".join(map(inspect.getsource, (one for one in MODULES if one is not api)))
    functions = {
        name: inspect.getsource(one)
        for module in MODULES
        for name, one in vars(module).items()
        if inspect.isfunction(one) and one.__module__ == module.__name__
    }
    called = source + "".join(text for name, text in functions.items() if f"api.{name}(" in source)

    assert [name for name in ENDPOINTS if not re.search(rf"\b{name}\.call\(", called)] == []


SENT = [
    api.resonance("ada", "s", "hi", now="2026-01-01T00:00:00Z", timezone="UTC", deadline_ms=1, max_fragments=1,
                  max_tokens=1, placement="tail", known_story_etag="e", off_the_record=True, kind="turn",
                  relevance=0.1, query="q", include=["flashbacks"], filter={"speakers": ["x"]}, also_read=["bob"]),
    insight.probe("ada", "s", "hi", as_of="2026-01-01T00:00:00Z", without=["model"], again_of="t1"),
    insight.news("ada", since="2026-01-01T00:00:00Z", limit=5),
    api.store_turn("ada", "s", "hi", turn_id="t", kind="turn", off_the_record=True, metadata={"a": 1}, trace_id="x",
                   outcomes={"f": "used"}),
    api.store_turns("ada", [{"session_id": "s", "messages": "hi"}], fresh_id=lambda: "i"),
    api.save_memories("ada", "x", importance=0.5, session="s", fresh_id=lambda: "i"),
    _corrections.correct("ada", "edit", "fact:1", to="x", reason="y"),
    api.act("ada", "s", {"kind": "thought", "text": "hi"}, fresh_id=lambda: "i"),
    api.sleep("ada", seconds=60, session="s", timezone="UTC", wait=True),
    api.dream("ada", deep=True, timezone="UTC", wait=True),
    api.edit_story("ada", text="x", etag="y"),
    catalog_api.SESSIONS.call(mind_id="ada", query={"before": 9, "cursor": "c", "limit": 5}),
    catalog_api.KEPT_TURNS.call(mind_id="ada", query={"session_id": "s", "after": 1, "before": 9, "cursor": "c", "limit": 5}),
    catalog_api.FACTS.call(mind_id="ada", query={"entity": "e", "state": "ended", "since": "x", "until": "y", "query": "q",
                                                 "cursor": "c", "limit": 5}),
    catalog_api.ENTITIES.call(mind_id="ada", query={"query": "q", "kind": "k", "sort": "name", "cursor": "c", "limit": 5}),
    catalog_api.GRAPH.call(mind_id="ada", query={"since": "x", "until": "y", "limit": 5}),
    api.STORY_SOURCES.call(mind_id="ada", query={"after": 0, "limit": 20}),
    api.WAKING.call(mind_id="ada", query={"session_id": "s", "max_tokens": 200, "timezone": "UTC"}),
    _ask.ask("ada", "where?", limit=1, since="2026-01-01T00:00:00Z", until="2026-01-02T00:00:00Z",
             at="2026-01-01T00:00:00Z", language="en", timezone="UTC", asker="Ann"),
    api.consolidate("ada", trigger="manual", wait=True, skip=True),
    api.import_archive("ada", archive=b"PK", reembed=True, prompts=True),
    *(_records.preview("ada", session=s, turn_id=t) for s, t in ((None, None), ("s", None), (None, "t"))),
    _records.survey("ada", file=b"{}", filename="x.json"),
    _records.import_conversations("ada", file=b"{}", filename="x.json"),
    _files.put_file("ada", path="memory/a.md", text="x", etag=None),
    _records.put_journal_file("ada", path="MEMORY.md", text="x", etag="y"),
    _records.ERASURES.call(mind_id="ada", query={"limit": 5, "cursor": "c"}),
    _records.ALL_ERASURES.call(query={"limit": 5, "cursor": "c"}),
]  # fmt: skip


@pytest.mark.parametrize("call", SENT, ids=lambda call: f"{call.endpoint.method} {call.path}")
def test_what_a_call_sends_is_what_the_document_knows(call):
    route = DOCUMENT["paths"][call.endpoint.path][call.endpoint.method.lower()]
    query = {one["name"] for one in route.get("parameters", ()) if one["in"] == "query"}

    assert {name for name, _ in call.query} <= query
    if call.body is not None:
        sent = {name for one in SENT if one.endpoint == call.endpoint and one.body for name in one.body}
        assert sent == properties(route["requestBody"]["content"]["application/json"]["schema"])


MEANT = {  # of a route with ``dry_run``, the status that an endpoint reads
    "PREVIEW": "200", "PREVIEW_SESSION": "200", "PREVIEW_TURN": "200", "SURVEY": "200", "IMPORT_CONVERSATIONS": "202",
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_MODEL)
def test_an_answer_has_each_field_that_the_document_knows_and_no_other(name):
    endpoint = ENDPOINTS[name]
    answers = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"]
    schemas = [one["content"]["application/json"]["schema"] for status, one in answers.items() if status[0] == "2"
               and status == MEANT.get(name, status) and "application/json" in one.get("content", {})]  # fmt: skip

    assert schemas
    for schema in schemas:
        compare(endpoint.read.model, meant(endpoint.read.model, schema))


def meant(model, schema):
    """Of what a route may answer (a receipt, or with ``dry_run`` a preview), what *model* reads."""
    options = schema.get("anyOf", [schema])
    return max(options, key=lambda one: len(properties(one) & set(model.model_fields)))


def compare(model, schema):
    """Each field of *model* and of the models in it, against the document's."""
    found = resolved(schema)
    fields = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    assert set(fields) == set(found["properties"]), model.__name__
    for name, annotation in fields.items():
        inner = models_in(annotation)
        parts = refs(found["properties"][name])
        if inner:
            assert len(inner) == len(parts), f"{model.__name__}.{name}"
            for one, part in zip(inner, parts, strict=True):
                compare(one, {"$ref": part})


def models_in(annotation):
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for one in typing.get_args(annotation) for model in models_in(one)]


def refs(schema):
    return re.findall(r"'\$ref': '([^']+)'", str(schema))


def resolved(schema):
    return DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema


def properties(schema):
    return set(resolved(schema)["properties"])


def shape(method):
    """Names, kinds and defaults; of *archive*, *file* and *frames* the type differs."""
    parameters = inspect.signature(method).parameters.values()
    return [
        (one.name, one.kind, one.default, one.name in {"archive", "file", "frames"} or one.annotation)
        for one in parameters
    ]


def in_blocking_words(text):
    words = {"async with": "with", "async for": "for", "an asynchronous stream": "an open binary file or a stream"}
    for awaited, blocking in words.items():
        text = text.replace(awaited, blocking)
    return " ".join(text.split())


def test_the_readme_names_only_methods_that_exist():
    text = (ROOT / "client" / "README.md").read_text()
    called = set(re.findall(r"\bmemory\.(\w+)\(", text)) | set(re.findall(r"\bturn\.(\w+)\b", text))

    turn = begin_turn("ada", "s", "hi")
    assert {"turn", "resend", "messages", "add"} <= called
    offered = {*dir(MemoryClient), *dir(mm.SubconsciousMemory), *dir(turn)}
    assert called - offered == set()
