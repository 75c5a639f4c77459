"""The frame around the pages: the way in, keys, colours, what the page called."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import visiting


@pytest.mark.parametrize("path", ["/", "/console", "/console/"])
def test_the_address_that_the_service_prints_leads_to_the_only_mind(visitor, path):
    visitor.page.goto(visitor.url + path)

    expect(visitor.page.get_by_role("heading", name="Since you were here")).to_be_visible()
    assert visitor.page.url.endswith("/console/#/ada")


def test_back_leaves_the_only_mind_for_where_one_came_from(visitor):
    """Broken: the list of minds leads back to the only one, each time."""
    visitor.page.goto(f"{visitor.url}/docs")
    visitor.page.goto(f"{visitor.url}/console/")
    expect(visitor.page.get_by_role("heading", name="Since you were here")).to_be_visible()
    visitor.page.go_back()

    expect(visitor.page).to_have_url(f"{visitor.url}/docs", timeout=10_000)


def test_the_policy_lets_nothing_in_and_assets_are_kept(visitor):
    page = visitor.page.goto(visitor.url + "/console/")
    script = visitor.page.locator("script").get_attribute("src")
    asset = visitor.page.request.get(f"{visitor.url}/console/{script}")
    unknown = visitor.page.request.get(f"{visitor.url}/console/assets/..%2Findex.html")

    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "trusted-types 'none'" in policy and "unsafe" not in policy
    assert page.headers["cache-control"] == "no-cache"
    assert "immutable" in asset.headers["cache-control"]
    assert unknown.status == 404


def test_the_first_page_is_light(visitor):
    """Weight of all that the first page loads, gzipped by us: the service may stand behind something that does so."""
    import gzip

    bodies = []
    visitor.page.on("response", lambda answer: bodies.append(answer) if "/console/" in answer.url else None)
    visitor.open("ada")
    weights = {one.url.rpartition("/")[2]: len(gzip.compress(one.body())) for one in bodies if one.ok}

    assert sum(weights.values()) < 61_200, weights


def test_keys_go_to_pages_and_can_be_switched_off(visitor):
    visitor.open("ada")
    visitor.page.keyboard.press("g")
    visitor.page.keyboard.press("x")
    expect(visitor.page.get_by_role("heading", name="Forget", exact=True)).to_be_visible()
    visitor.page.keyboard.press("?")
    visitor.page.get_by_role("checkbox", name="One-letter keys").uncheck()
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.press("g")
    visitor.page.keyboard.press("o")

    expect(visitor.page.get_by_role("heading", name="Forget", exact=True)).to_be_visible()


def test_the_first_tab_leads_past_the_pages(visitor):
    visitor.open("ada")
    visitor.page.keyboard.press("Tab")
    expect(visitor.page.get_by_role("link", name="To the page")).to_be_focused()
    visitor.page.keyboard.press("Enter")

    expect(visitor.page.locator("main")).to_be_focused()
    assert visitor.page.url.endswith("#/ada")


def test_colours_are_switched_and_kept(visitor):
    visitor.open("ada")
    visitor.page.get_by_role("button", name="Dark colours").click()
    visitor.page.reload()

    expect(visitor.page.get_by_role("button", name="Light colours")).to_be_visible()
    assert visitor.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_page_shows_its_calls(visitor):
    visitor.open("ada")
    visitor.page.get_by_text("As a call").click()

    shown = visitor.page.locator("pre")
    expect(shown).to_contain_text(f"curl '{visitor.url}/v1/minds/ada/timeline?bucket=day'")


def test_a_page_that_is_not_there_leads_back(visitor):
    visitor.open("ada/nowhere")
    visitor.page.get_by_role("link", name="To the overview").click()

    expect(visitor.page.get_by_role("heading", name="Since you were here")).to_be_visible()


def test_a_mind_that_is_not_there_is_said(visitor):
    visitor.open("nobody")

    expect(visitor.page.get_by_role("alert")).to_contain_text("nobody")


@pytest.mark.parametrize("page", ["", "/ask?q=Where"])
def test_what_several_parts_are_refused_for_is_said_once_and_asked_again_for_all(visitor, page):
    visitor.open(f"nobody{page}")
    expect(visitor.page.get_by_text("no mind is called 'nobody'")).to_have_count(1)
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url) if "/minds/nobody" in request.url else None)
    visitor.page.get_by_role("button", name="Try again").click()
    visitor.page.wait_for_timeout(500)

    assert len({url.partition("?")[0] for url in asked}) > 1
    expect(visitor.page.get_by_text("no mind is called 'nobody'")).to_have_count(1)


@pytest.mark.parametrize("width", [1180, 1200, 1280, 1366, 1440])
@pytest.mark.parametrize("mind", ["ada", "a-mind-with-a-name-of-forty-letters-or-so"])
def test_the_frame_is_one_line_on_a_desk(visitor, width, mind):
    visitor.page.set_viewport_size({"width": width, "height": 860})
    visitor.open(mind)

    assert visitor.page.locator("header.top").bounding_box()["height"] < 64
    assert not visitor.is_cut()
    assert visitor.page.get_by_role("searchbox").bounding_box()["width"] > 60


def test_a_service_that_went_away_is_said_in_words(browser, life):
    with visiting(browser, str(life.http.base_url).rstrip("/")) as visitor:
        visitor.open("ada")
        visitor.page.route("**/v1/**", lambda route: route.abort())
        visitor.page.get_by_role("link", name="Settings").click()

        expect(visitor.page.get_by_role("alert").first).to_contain_text("does not answer")


def test_on_a_phone_the_pages_are_one_line_and_the_shown_one_is_in_it(browser, life):
    with visiting(browser, str(life.http.base_url).rstrip("/"), width="phone") as visitor:
        for place, name in (("ada", "Overview"), ("ada/settings", "Settings")):
            visitor.open(place)
            shown = visitor.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name)

            expect(shown).to_be_in_viewport(ratio=1)
            assert shown.evaluate("(link) => link.parentElement.clientHeight < 2 * link.offsetHeight")


def test_a_page_that_was_opened_while_the_service_was_away_opens_when_it_is_back(visitor):
    """Broken: it stays away for as long as the tab is open, and asks whether the service was updated."""
    visitor.open("ada/facts")
    for address in ("**/console/assets/**", "**/healthz"):
        visitor.page.route(address, lambda route: route.abort())
    visitor.page.get_by_role("link", name="Graph").click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("The service does not answer")
    visitor.page.unroute_all()
    visitor.page.get_by_role("button", name="Try again").click()

    expect(visitor.page.get_by_role("slider", name="As of")).to_be_visible()


def test_an_editor_that_can_not_be_loaded_comes_when_it_is_asked_for_again(visitor):
    visitor.open("ada/facts")
    visitor.page.route("**/console/assets/codemirror*", lambda route: route.abort())
    visitor.page.get_by_role("link", name="Story").click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("A part of the console can not be loaded")
    visitor.page.unroute_all()
    visitor.page.get_by_role("button", name="Try again").click()

    expect(visitor.page.get_by_role("textbox", name="The story, in Markdown")).to_be_visible()


def test_a_browser_of_another_language_shows_english_times(browser, life, visitor):
    """Broken: "Kept silent in 50 % of the 4 times it was asked, last asked vor 4 Minuten"."""
    with visiting(browser, visitor.url, language="de-DE") as german:
        german.open("ada")
        expect(
            german.page.get_by_text(re.compile(r"came to mind in \d+% of the \d+ times it was asked"))
        ).to_be_visible()
        overview = german.page.locator("#main").inner_text()
        german.open("ada/replay")
        talk = german.page.locator("#main").inner_text()

    assert re.search(r"\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec) \d{4}", talk)
    assert not re.search(r"\bvor \d|gestern|\d %", overview + talk)
