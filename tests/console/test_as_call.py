"""The calls of a page, to copy: run in a terminal, they do what the page did."""

import json
import os
import subprocess

import pytest
from playwright.sync_api import expect

from tests.support.api_keys import make_key
from tests.support.browser import remember, visiting
from tests.support.openai_proxy import proxied


@pytest.fixture
def guarded(tmp_path):
    """A service with a key, and the key."""
    with proxied(tmp_path / "home") as service:
        remember(service.http, "ada", "My mother lives in Lyon.")
        yield str(service.http.base_url).rstrip("/"), make_key(service.home)


def run(visitor, beginning, *, key):
    """The answer to the command of the page that begins so, run by somebody who has a key."""
    lines = visitor.page.locator(".as-call pre").inner_text().splitlines()
    command = next(line for line in lines if line.startswith(beginning))
    ran = subprocess.run(
        ["bash", "-c", f"{command} -sS"],
        env={**os.environ, "MIND_MEMORY_KEY": key},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(ran.stdout)


def test_a_copied_call_does_what_the_page_meant_to_do(browser, guarded):
    """Broken: it has neither the key nor If-Match, so that it is answered 401, and 428 with a key."""
    url, key = guarded
    with visiting(browser, url) as visitor:
        page = visitor.page
        page.goto(f"{url}/console/#/ada/settings")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        field = page.get_by_label("Memories in one answer, at most")
        expect(field).to_be_visible()
        page.route("**/settings", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
        field.fill("7")
        field.press("Enter")
        expect(page.get_by_text("Not saved")).to_be_visible()
        page.get_by_text("As a call").click()
        changed = run(visitor, "curl -X PATCH", key=key)
        shown = page.locator(".as-call").inner_text()

    assert changed["settings"]["max_fragments"]["value"] == 7
    assert "mms_" not in shown and key not in shown
    assert "MIND_MEMORY_KEY" in shown


def test_where_the_page_may_not_copy_it_says_so(visitor):
    """Broken: nothing happens where the console is opened from another machine by plain HTTP."""
    visitor.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    visitor.open("ada")
    visitor.page.get_by_text("As a call").click()
    visitor.page.get_by_role("button", name="Copy", exact=True).click()

    expect(visitor.page.get_by_role("status").filter(has_text="Mark the text")).to_be_visible()
    assert visitor.troubles == []
