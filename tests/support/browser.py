"""A person at a browser: the console in a real chromium, under its real policy."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = {"phone": 390, "desk": 1280}
SECONDS = 60
expect.set_options(timeout=SECONDS * 1000)
# What the policy refused is kept where a page that comes later can not lose it.
_WATCH = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.sourceFile}:${event.lineNumber} ${event.sample}`));
"""


@contextmanager
def chromium():
    """The browser. Close it before anything else: it holds on to open streams."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """One tab. ``troubles`` are errors on the browser's console, of scripts, and of the policy."""

    def __init__(self, page, url):
        self.page = page
        self.url = url
        self.troubles = []
        page.set_default_timeout(SECONDS * 1000)
        page.add_init_script(_WATCH)
        page.on("console", lambda said: self._note(said) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))

    def _note(self, said):
        self.troubles.append(f"{said.text} {said.location.get('url', '')}")

    def open(self, place):
        """Open a page by what stands behind the #, and wait until it has loaded what it shows."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/console/#/{place}")
        self.settled()

    def settled(self):
        """Wait until the page has its heading and nothing on it says that it is loading."""
        self.page.locator("#main").wait_for()
        self.page.get_by_text("Loading…", exact=True).last.wait_for(state="hidden")
        self.page.locator("h1").first.wait_for()

    def slow(self, milliseconds):
        """Let each answer of the service come so much later."""
        network = self.page.context.new_cdp_session(self.page)
        network.send("Network.enable")
        conditions = {"offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1}
        network.send("Network.emulateNetworkConditions", conditions)

    def barriers(self):
        """What axe finds, each as rule and place."""
        found = Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {node['target']} {node['html'][:120]}" for one in found for node in one["nodes"]]

    def is_cut(self):
        """Whether the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1")


@contextmanager
def visiting(browser, url, *, colours="light", width="desk", timezone="UTC", language="en-GB"):
    """A visitor of a service; nothing of an earlier one is left."""
    size = {"width": WIDTHS[width], "height": 860}
    context = browser.new_context(viewport=size, color_scheme=colours, timezone_id=timezone, locale=language)
    try:
        yield Visitor(context.new_page(), url)
    finally:
        context.close()


def remember(http, mind_id, *talk, days_ago=0):
    """Keep turns of a user and a bot who answers "Thank you."; returns when each is read."""
    from datetime import UTC, datetime, timedelta

    at = datetime.now(UTC) - timedelta(days=days_ago)
    for number, content in enumerate(talk):
        said = {"role": "user", "content": content, "timestamp": (at + timedelta(minutes=number)).isoformat()}
        body = {"session_id": f"day-{days_ago}", "messages": [said, {"role": "assistant", "content": "Thank you."}]}
        http.post(f"/v1/minds/{mind_id}/turns", json=body).raise_for_status()


def ask(http, mind_id, message, *, session_id="today"):
    """A pre-turn call, and the turn after it. Returns the trace's id."""
    said = {"role": "user", "content": message}
    asked = {"session_id": session_id, "messages": [said]}
    found = http.post(f"/v1/minds/{mind_id}/resonance", json=asked).json()
    kept = {
        **asked,
        "messages": [said, {"role": "assistant", "content": "Let me think."}],
        "trace_id": found["trace_id"],
    }
    http.post(f"/v1/minds/{mind_id}/turns", json=kept).raise_for_status()
    return found["trace_id"]


def kept_in(page, name):
    """What the tab keeps under a name."""
    return page.evaluate(f"sessionStorage.getItem({json.dumps(name)})")
