"""
Pictures of the console for README and docs, of the example life: ``make pictures``.

Of every page, in both colours and at both widths, with ``--all FOLDER``: to look at before a change is called done.
"""

import argparse
import tempfile
from pathlib import Path

from tests.support.agents import call
from tests.support.browser import WIDTHS, chromium, visiting
from tests.support.openai_proxy import proxied
from tests.support.waiting import until

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
PAGES = ("", "replay", "story", "graph", "facts", "ask?q=Where+does+my+mother+live", "talk", "dreams", "journal")
TALL = ("replay", "why", "story")  # as high as the window, whatever is in them
OTHERS = ("moving", "erase", "settings")
WEEKEND = "Where could I spend a weekend"


def example(http):
    """Load the example life, and wait until all of it is told."""
    http.post("/v1/example").raise_for_status()
    until(lambda: http.get("/v1/example").json()["state"] == "ready", seconds=600)


def weekend(http):
    """The place of the conversation in which somebody asks for a weekend, with its trace."""
    traces = http.get("/v1/minds/example/traces?limit=100").json()["traces"]
    found = next(one for one in traces if WEEKEND in one["message"])
    return f"example/replay/{found['session_id']}?trace={found['trace_id']}"


def agent(http):
    """An agent's two days: tired, asleep, at work again. Its dreams quote what it did."""
    path = "/v1/minds/agent"
    done = {12: "KeyError: 'date' in row 40", 30: "invoice 4711 is paid", 44: "2 files have no dates"}
    for start in range(0, 75, 15):
        actions = [
            call(at, ok=at not in (12, 44), output=done.get(at, f"row {at} read")) for at in range(start, start + 15)
        ]
        thought = {"kind": "thought", "text": "The rows without a date have to wait for Ann."}
        body = {"actions": [*actions, thought]}
        http.post(f"{path}/sessions/cycle-{start // 30}/actions", json=body).raise_for_status()
        if start in (30, 60):
            http.post(f"{path}/dreams", json={"deep": start == 60, "wait": True}, timeout=120).raise_for_status()
            http.post(f"{path}/sleep", json={"seconds": 60, "wait": True}, timeout=120).raise_for_status()
            http.post(f"{path}/wake", json={"reason": "a message came"}).raise_for_status()
    http.post(f"{path}/dreams/1/undo").raise_for_status()


def for_docs(browser, url, http):
    """The pictures that README and docs show."""
    DOCS.mkdir(exist_ok=True)
    places = {"overview": "example", "replay": weekend(http), "story": "example/story", "graph": "example/graph"}
    for name, place in places.items():
        with visiting(browser, url) as visitor:
            _shoot(visitor, place, DOCS / f"{name}.png")


def every_page(browser, url, http, folder):
    """Each page, in both colours, at both widths."""
    [person, *_] = http.get("/v1/minds/example/entities?limit=1").json()["items"]
    places = {page.partition("?")[0] or "overview": f"example/{page}" for page in (*PAGES, *OTHERS)}
    places |= {"why": weekend(http), "entity": f"example/entity/{person['id']}", "nights": "agent/dreams", "minds": ""}
    folder.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        for colours in ("light", "dark"):
            with visiting(browser, url, colours=colours, width=width) as visitor:
                for name, place in places.items():
                    _shoot(visitor, place, folder / f"{name}-{width}-{colours}.png", full_page=name not in TALL)


def _shoot(visitor, place, file, **how):
    visitor.open(place)
    visitor.page.wait_for_timeout(1500)  # plots and the editor are drawn a moment later
    visitor.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    visitor.page.screenshot(path=file, **how)


def main():
    """Take the pictures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--all", type=Path, metavar="FOLDER", help="every page, into this folder")
    asked = words.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        proxied(Path(home) / "home") as service,
        chromium() as browser,
    ):
        example(service.http)
        url = str(service.http.base_url).rstrip("/")
        if asked.all:
            agent(service.http)
            every_page(browser, url, service.http, asked.all)
        else:
            for_docs(browser, url, service.http)


if __name__ == "__main__":
    main()
