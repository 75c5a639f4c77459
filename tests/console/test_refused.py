"""A page of which a part is refused, or reaches nobody: it says so, says nothing false, and comes back."""

import json
import re

import pytest
from playwright.sync_api import expect

BUSY = "The disk is busy at the moment."


def refuse(visitor, path):
    """Let the service refuse calls whose path is *path*, a pattern, until all of them are let through again."""
    problem = {"type": "about:blank", "title": "Busy", "status": 503, "detail": BUSY}

    def answer(route):
        route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(problem))

    visitor.page.route(re.compile(rf"/v1/{path}(\?|$)"), answer)


PARTS = [
    ("ada/talk", "models"),
    ("ada/replay/day-200", "minds/ada/turns"),
    ("ada/replay/day-200", "minds/ada/corrections"),
    ("ada/story", "minds/ada/story/sources"),
    ("ada/story", "minds/ada/story/history"),
    ("ada/story", "minds/ada/consolidation"),
    ("ada/erase", "minds/ada/sessions"),
    ("ada/erase", "minds/ada/erasures"),
    ("ada", "minds/ada/timeline"),
]


@pytest.mark.parametrize(("place", "path"), PARTS)
def test_a_part_that_is_refused_is_said_and_asked_for_again(visitor, place, path):
    """Broken: the part is missing without a word; Talk waits for ever."""
    refuse(visitor, path)
    visitor.open(place)
    alert = visitor.page.get_by_role("alert").filter(has_text=BUSY)
    expect(alert).to_have_count(1)
    visitor.page.unroute_all()
    alert.get_by_role("button", name="Try again").click()

    expect(alert).to_have_count(0)


def test_who_talks_can_go_on_once_it_is_known_whether_a_model_answers(visitor):
    """Broken: the button says "Waiting…" for as long as the page is open."""
    refuse(visitor, "models")
    visitor.open("ada/talk")
    visitor.page.get_by_role("textbox", name="Your message").fill("My uncle Bruno keeps goats.")
    expect(visitor.page.get_by_role("button", name="Say it")).to_be_disabled()
    visitor.page.unroute_all()
    visitor.page.get_by_role("button", name="Try again").click()
    visitor.page.get_by_role("button", name="Say it").click()

    expect(visitor.page.get_by_role("log")).to_contain_text("My uncle Bruno keeps goats.")


def test_nothing_is_said_of_what_could_not_be_read(visitor):
    """Broken: "Nothing is kept of this conversation", and "nobody asked it what comes to mind", of what was refused."""
    refuse(visitor, "minds/ada/turns")
    visitor.open("ada/replay/day-200")
    expect(visitor.page.get_by_role("alert")).to_contain_text(BUSY)
    replay = visitor.page.locator("main").inner_text()
    refuse(visitor, "minds/ada/timeline")
    visitor.open("ada")
    expect(visitor.page.get_by_text("ada holds")).to_be_visible()

    assert "Nothing is kept" not in replay
    assert "nobody asked" not in visitor.page.locator("main").inner_text()


def test_a_page_comes_back_by_itself_with_the_service(visitor):
    """Broken: it says that the service does not answer until somebody presses "Try again"; the dot says that all is well."""
    visitor.open("ada")
    visitor.page.route("**/v1/**", lambda route: route.abort())
    visitor.page.get_by_role("link", name="Facts", exact=True).click()
    expect(visitor.page.get_by_role("alert")).to_contain_text("The service does not answer")
    expect(visitor.page.locator("header").get_by_role("status")).to_contain_text("The service does not answer")
    visitor.page.unroute_all()

    expect(visitor.page.get_by_text("My mother Ingrid lives in Lyon").first).to_be_visible()
    expect(visitor.page.get_by_role("alert")).to_have_count(0)
    expect(visitor.page.locator("header").get_by_role("status")).to_have_text("All is well")


def test_a_conversation_that_is_read_can_be_forgotten_from_there(visitor):
    """Broken: only a turn can; the conversation has to be found again in the list of Forget."""
    visitor.open("ada/replay/day-200")
    visitor.page.get_by_role("link", name="Forget this conversation").click()

    expect(visitor.page.get_by_role("heading", name="What would go: the conversation day-200")).to_be_visible()
    expect(visitor.page.get_by_role("combobox", name="What to forget")).to_have_value("day-200")
