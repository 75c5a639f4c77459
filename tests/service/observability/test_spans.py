"""Spans, over the real exporter to a collector on loopback: what a turn and a call are made of, and nobody's words."""

import json
import subprocess
import sys

import httpx2
import pytest
from structlog.testing import capture_logs

from consolidation.kernel.errors import ConfigurationFault
from service.settings.settings import Settings
from tests.support.cli_process import serving
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running, settings_of
from tests.twins.collector import ScriptedCollector
from tests.twins.provider import Fails, ScriptedProvider

pytestmark = pytest.mark.anyio

MIND, SAID, ASKED = "zebulon-42", "My aunt Xenia lives in Trondheim.", "Where does my aunt Xenia live?"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
FROM_A_CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
PHASES = {f"resonance.{name}" for name in ("seeds", "retrieval", "filters", "labels", "narration", "injection")}


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")


def traced(home, collector, **more):
    return settings_of(home, telemetry={"otlp_endpoint": collector.url}, **more)


@pytest.fixture(scope="module")
async def collector(anyio_backend, tmp_path_factory):
    """A collector that was told of a turn, of what became of it, of a call before the next, and of a story."""
    home = tmp_path_factory.mktemp("traced") / "home"
    with ScriptedCollector() as collector, provider_of(Brain()) as provider:
        settings = hosted(home, provider, telemetry={"otlp_endpoint": collector.url})
        async with running(home, settings=settings) as service:
            service.http.headers.update(FROM_A_CALLER)
            await service.keep(MIND, SAID, turn_id="turn-7")
            service.http.headers.pop("traceparent")
            await service.digested(MIND)
            await service.resonate(MIND, ASKED, relevance=0)
            await service.http.post(f"/v1/minds/{MIND}/consolidation", json={"trigger": "manual", "wait": True})
            await service.http.get("/v1/nowhere")
        yield collector


def one(collector, name):
    [span] = collector.named(name)
    return span


async def test_a_turn_is_in_the_trace_of_the_caller_who_posted_it(collector):
    root = one(collector, "POST /v1/minds/{mind_id}/turns")
    kept = one(collector, "turn.accept")

    assert (root.trace_id, root.parent_id) == (TRACE, PARENT)
    assert root.attributes["http.response.status_code"] == 202
    assert (kept.trace_id, kept.parent_id) == (TRACE, root.span_id)
    assert kept.attributes["mind_memory.turn_id"] == "turn-7"
    assert kept.attributes["mind_memory.outcome"] == "accepted"
    assert root.resource["service.name"] == "mind-memory"


@pytest.mark.parametrize("lane", ["indexing", "saving", "extracting"])
async def test_what_is_made_of_a_turn_is_a_trace_of_its_own_linked_to_the_turn(collector, lane):
    span = one(collector, f"lane.{lane}")

    assert span.trace_id != TRACE
    assert (span.parent_id, span.links) == ("", (TRACE,))
    assert span.attributes["mind_memory.turn_id"] == "turn-7"
    assert span.attributes["mind_memory.mind_id"] == MIND


async def test_each_phase_of_a_resonance_is_a_span_within_it(collector):
    root = one(collector, "POST /v1/minds/{mind_id}/resonance")
    resonance = one(collector, "resonance")
    phases = [span for span in collector.spans if span.name.startswith("resonance.")]

    assert resonance.parent_id == root.span_id
    assert root.parent_id == ""
    assert {span.name for span in phases} == PHASES
    assert {span.parent_id for span in phases} == {resonance.span_id}
    assert {span.trace_id for span in phases} == {root.trace_id}
    told = resonance.attributes
    assert (told["mind_memory.outcome"], told["mind_memory.flashbacks"]) == ("surfaced", 1)
    assert (told["mind_memory.degraded"], told["mind_memory.model_calls"]) == ([], 2)
    [filters] = [span for span in phases if span.name == "resonance.filters"]
    assert filters.attributes["mind_memory.kept"] == 1


async def test_a_run_of_a_story_is_a_span(collector):
    [run] = [span for span in collector.named("story.run") if span.attributes["mind_memory.trigger"] == "manual"]

    assert (run.attributes["mind_memory.turns"], run.parent_id) == (1, "")


async def test_a_route_that_is_none_is_no_name_of_a_span(collector):
    assert one(collector, "GET other").attributes["http.response.status_code"] == 404


async def test_spans_hold_nobodys_words(collector):
    sent = b"".join(collector.bodies).lower()

    for word in (b"xenia", b"trondheim", b"aunt", b"live"):
        assert word not in sent
    assert MIND.encode() in sent


async def test_an_error_is_told_by_its_type_alone(tmp_path):
    with ScriptedCollector() as collector, ScriptedProvider(respond=lambda _: Fails(500, SAID)) as provider:
        settings = hosted(tmp_path / "home", provider, "extraction", telemetry={"otlp_endpoint": collector.url})
        async with running(tmp_path / "home", settings=settings) as service:
            await service.keep(MIND, "Hello.")
            await service.until(MIND, lambda status: (status["graph"]["waiting_for"] or "").startswith("Model"))

        failed = [span for span in collector.named("lane.extracting") if span.is_error]

    assert failed[0].attributes["error.type"] == "ModelUnavailable"
    assert (failed[0].message, failed[0].events) == ("", 0)
    assert b"Trondheim" not in b"".join(collector.bodies)


async def test_a_dead_collector_is_told_of_once_and_holds_nothing_up(tmp_path, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.1")
    with ScriptedCollector() as collector:
        collector.status = 503
        with capture_logs() as logs:
            async with running(tmp_path, settings=traced(tmp_path, collector)) as service:
                lost = []
                while len(lost) < 3:
                    assert (await service.keep(MIND, SAID, session_id=f"s{len(lost)}")).status_code == 202
                    assert (await service.resonate(MIND, ASKED)).status_code == 200
                    figures = await service.figures()
                    lost = sorted({*lost, figures["mind_memory_spans_total", ("outcome", "lost")]} - {0})
                collector.status = 200
                while not collector.spans:
                    await service.resonate(MIND, ASKED)

    told = [event for event in logs if event["event"].startswith("telemetry.")]
    assert [event["event"] for event in told] == ["telemetry.unreachable", "telemetry.reached"]
    assert told[0]["collector"] == collector.url.removeprefix("http://")
    assert told[1]["lost"] >= lost[-1]


async def test_a_collector_that_hangs_does_not_keep_a_service_from_ending(tmp_path):
    with ScriptedCollector() as collector:
        collector.hangs = True
        async with running(tmp_path, settings=traced(tmp_path, collector)) as service:
            await service.keep(MIND, SAID)
            while not collector.paths:
                await service.resonate(MIND, ASKED)

    assert collector.spans == []  # and the exporter would have waited ten seconds


@pytest.mark.parametrize(
    ("variables", "endpoint"),
    {
        "none": ({}, None),
        "the standard one": ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}, "http://c:4318/v1/traces"),
        "that of traces": ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/x"}, "http://c:4318/x"),
        "ours first": (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "MIND_MEMORY_TELEMETRY__OTLP_ENDPOINT": "http://own:2"},
            "http://own:2/v1/traces",
        ),
        "switched off": ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_SDK_DISABLED": "true"}, None),
        "no exporter": ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_TRACES_EXPORTER": "none"}, None),
        "of logs alone": ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c:1"}, None),
    }.values(),
)
async def test_spans_go_where_they_are_sent(monkeypatch, variables, endpoint):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert Settings().traces_endpoint == endpoint


async def test_a_collector_that_is_no_address_is_refused_at_the_start(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="must be an http:// or https:// address"):
        settings_of(tmp_path, telemetry={"otlp_endpoint": "localhost:4317"})

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317")
    with pytest.raises(ConfigurationFault, match="OTEL_EXPORTER_OTLP_ENDPOINT is not an http"):
        async with running(tmp_path):
            pass


async def test_what_is_sent_along_to_a_collector_is_a_secret(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20tok-of-the-collector,x-tenant=production")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://ada:pass-of-ada@collector.example")

    secrets = Settings(telemetry={"otlp_endpoint": "https://bob:pass-of-bob@collector.example"}).secrets

    assert {"tok-of-the-collector", "Bearer tok-of-the-collector", "pass-of-ada", "pass-of-bob"} <= set(secrets)
    assert "production" not in secrets


async def test_a_served_process_sends_spans_and_nothing_else_whatever_its_environment_says(tmp_path):
    with ScriptedCollector() as collector:
        wants_all = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "FASTAPI_OTEL_AUTO_CONFIGURE": "true"}
        with serving(tmp_path / "home", **wants_all) as (process, url):
            httpx2.post(
                f"{url}/v1/minds/ada/turns", json={"session_id": SAID}, timeout=20
            )  # refused: it has no message
            httpx2.get(f"{url}/v1/minds/ada/remember", params={"query": SAID}, timeout=20)
            process.terminate()
            process.wait(20)

        assert set(collector.paths) == {"/v1/traces"}
        assert {span.name for span in collector.spans} == {
            "POST /v1/minds/{mind_id}/turns",
            "GET /v1/minds/{mind_id}/remember",
        }
        assert b"Trondheim" not in b"".join(collector.bodies)


LIFE = """
import asyncio, json, sys
from pathlib import Path
from tests.support.service import running

LATER = ("opentelemetry.exporter", "opentelemetry.sdk.trace.export", "service.adapters.otlp_spans")

async def live():
    async with running(Path(sys.argv[1])) as service:
        await service.keep("ada", "My mother lives in Lyon.")
        await service.digested("ada")
        return (await service.resonate("ada", "Where does my mother live?")).status_code

status = asyncio.run(live())
print(json.dumps([status, [name for name in LATER if name in sys.modules]]))
"""


async def test_where_no_collector_is_configured_nothing_is_imported_for_one(tmp_path):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "LANG": "C.UTF-8"}
    words = [sys.executable, "-c", LIFE, str(tmp_path / "home")]

    run = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=90)

    assert run.returncode == 0, run.stderr[-2000:]
    assert json.loads(run.stdout.splitlines()[-1]) == [200, []]
