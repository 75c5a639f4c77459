"""Guards on what is told of the service: each figure, span and event has its line, each panel asks for what there is."""

import ast
import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.paths import ROOT
from tests.support.service import running

pytestmark = pytest.mark.anyio

WATCHING = (ROOT / "docs" / "operations.md").read_text().partition("## Watching it")[2]
DASHBOARD = json.loads((ROOT / "docker" / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [
    (panel["title"], target["expr"].replace("$__rate_interval", "1m"))
    for panel in PANELS
    for target in panel["targets"]
] + [("annotation", one["expr"]) for one in DASHBOARD["annotations"]["list"]]
SOURCES = [file for package in ("consolidation", "service") for file in (ROOT / package).rglob("*.py")]
LEVELS = {"debug", "info", "warning", "error", "exception"}
FUNCTIONS = set(
    "sum min max by rate increase changes histogram_quantile vector or le and on ignoring avg count topk".split()
)


@pytest.fixture(scope="module")
async def families(anyio_backend, tmp_path_factory):
    """Every family of figures, by name."""
    async with running(tmp_path_factory.mktemp("observed")) as service:
        told = (await service.http.get("/metrics")).text
    return {family.name: family for family in text_string_to_metric_families(told)}


def samples(families):
    """Every name that may stand in a query."""
    for family in families.values():
        if family.type == "counter":
            yield f"{family.name}_total"
        elif family.type == "histogram":
            yield from (f"{family.name}_{part}" for part in ("bucket", "count", "sum"))
        else:
            yield family.name


def rows(title):
    """What stands in the first column of the table under *title*, without backticks."""
    table = WATCHING.partition(f"### {title}")[2].partition("\n### ")[0]
    return set(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE))


async def test_every_figure_stands_in_the_readme(families):
    ours = {name for name in samples(families) if name.startswith("mind_memory_")}
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) if "_seconds_" in name else name for name in ours}

    assert rows("Metrics") == {name.partition("{")[0] for name in rows("Metrics")}
    assert rows("Metrics") == ours


def strings(pattern, *, calls):
    """The first arguments of calls that look like names, of functions that *calls* picks."""
    for file in SOURCES:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and node.args and calls(node.func):
                first = node.args[0]
                text = first.value if isinstance(first, ast.Constant) else _of_template(first)
                if isinstance(text, str) and re.fullmatch(pattern, text):
                    yield text


def _of_template(node):
    """``lane.{lane}`` of an f-string."""
    if not isinstance(node, ast.JoinedStr):
        return None
    return "".join(
        part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}" for part in node.values
    )


async def test_every_event_stands_in_the_readme():
    def logs(function):
        return isinstance(function, ast.Attribute) and function.attr in LEVELS

    assert rows("Events") == set(strings(r"[a-z_]+\.[a-z_]+", calls=logs))


async def test_every_span_stands_in_the_readme():
    def opens(function):
        return isinstance(function, ast.Attribute) and function.attr in {"inside", "apart"}

    assert rows("Spans") - {"{method} {route}"} == set(strings(r"[a-z._{}]+", calls=opens))


@pytest.mark.parametrize(("title", "query"), QUERIES, ids=[f"{at} {title}" for at, (title, _) in enumerate(QUERIES)])
async def test_every_panel_asks_for_figures_that_there_are(families, title, query):
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\{[^}]*\}|by \([a-z_, ]+\)', " ", query)
    names = {word for word in re.findall(r"[a-z_][a-z_0-9]*", bare)} - FUNCTIONS

    assert names, query
    assert names <= set(samples(families)), query


@pytest.mark.parametrize(("title", "query"), QUERIES, ids=[f"{at} {title}" for at, (title, _) in enumerate(QUERIES)])
async def test_every_panel_asks_by_labels_that_there_are(title, query):
    asked = set(re.findall(r"([a-z_]+)=~?\"", query))
    for group in re.findall(r"by \(([^)]*)\)", query):
        asked |= set(group.split(", "))

    assert asked - {"instance", "le", *_labels()} == set()


def _labels():
    table = WATCHING.partition("### Metrics")[2].partition("\n### ")[0]
    return {
        label
        for row in table.splitlines()
        for label in re.findall(r"`([a-z]+)`", row.split("|")[2] if row.count("|") > 2 else "")
    }


async def test_the_dashboard_can_be_imported_anywhere():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    sources = {one["datasource"]["uid"] for panel in PANELS for one in (panel, *panel["targets"])}

    assert len(set(ids)) == len(ids)
    assert rows == ["Is it well?", "The turn", "Is memory useful?", "Digestion", "Cost", "Voice"]
    assert sources == {"${datasource}"}
    assert DASHBOARD["templating"]["list"][0]["type"] == "datasource"
    assert all(panel["description"] and panel["title"] for panel in PANELS)


async def test_no_panel_stands_on_another():
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


async def test_the_scrape_configuration_is_the_one_in_the_readme():
    told = [line.strip() for line in (ROOT / "docker" / "prometheus.yml").read_text().splitlines()]

    assert [line for line in told if not line.startswith("#") and line not in WATCHING] == []
