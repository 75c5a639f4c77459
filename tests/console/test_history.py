"""Back, forward, reload and a copied address lead to the same view."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import visiting
from tests.support.waiting import until

HIGH = 400  # pixels; further down than any heading


@pytest.fixture(scope="module")
def many(life):
    """A mind that knows more than a page of a list."""
    life.http.post(
        "/v1/minds/many/turns", json={"session_id": "s", "messages": [{"role": "user", "content": "Hello."}]}
    )
    for number in range(40):
        said = {"what": "say", "to": f"Book number {number} of the shelf is red."}
        life.http.post("/v1/minds/many/corrections", json=said).raise_for_status()


def scrolled(visitor):
    return visitor.page.evaluate("Math.round(scrollY)")


def is_noted(visitor):
    """Whether the browser's history holds how far the page is scrolled: it does once that rests."""
    return visitor.page.evaluate("history.state?.top === Math.round(scrollY)")


@pytest.mark.parametrize("width", ["desk", "phone"])
def test_back_and_reload_lead_to_where_one_was_in_a_list(browser, life, many, width):
    """Broken: the list begins anew, at its top and without what "More" had brought."""
    with visiting(browser, str(life.http.base_url).rstrip("/"), width=width) as visitor:
        facts = visitor.page.get_by_role("listitem").filter(has_text="of the shelf is red")
        visitor.open("many/facts")
        expect(facts).to_have_count(30)
        visitor.page.get_by_role("button", name="More", exact=True).click()
        expect(facts).to_have_count(40)
        facts.nth(35).scroll_into_view_if_needed()
        until(lambda: is_noted(visitor))
        before = scrolled(visitor)
        assert before > HIGH
        visitor.page.evaluate("location.hash = '#/many/settings'")
        expect(visitor.page.get_by_role("heading", name="Settings")).to_be_visible()
        visitor.page.go_back()
        expect(facts.nth(35)).to_be_in_viewport()
        assert abs(scrolled(visitor) - before) < 10
        visitor.page.reload()

        expect(facts.nth(35)).to_be_in_viewport()
        expect(facts).to_have_count(40)


def test_another_page_begins_at_its_top(visitor, many):
    visitor.open("many/facts")
    visitor.page.mouse.wheel(0, 1500)
    until(lambda: scrolled(visitor) > HIGH and is_noted(visitor))
    visitor.page.get_by_role("link", name="Entities", exact=True).first.evaluate("(link) => link.click()")
    expect(visitor.page.get_by_label("Order")).to_be_visible()

    assert scrolled(visitor) < HIGH


def test_back_leads_to_the_question_before(visitor):
    """Broken: it leaves the page, and the first question is gone."""
    visitor.open("ada/ask?q=Minka")
    question = visitor.page.get_by_label("Question")
    question.fill("Ingrid")
    visitor.page.keyboard.press("Enter")
    expect(visitor.page).to_have_url(f"{visitor.url}/console/#/ada/ask?q=Ingrid")
    visitor.page.go_back()
    expect(question).to_have_value("Minka")
    visitor.page.go_forward()

    expect(question).to_have_value("Ingrid")


def test_a_question_is_asked_once(visitor):
    asked = []
    visitor.open("ada/ask?q=Minka")
    visitor.page.on("request", lambda one: asked.append(one.post_data) if one.url.endswith("/minds/ada/ask") else None)
    visitor.page.get_by_label("Question").fill("Ingrid")
    visitor.page.keyboard.press("Enter")
    visitor.settled()
    visitor.page.wait_for_timeout(500)
    assert len(asked) == 1 and "Ingrid" in asked[0]
    visitor.page.get_by_role("button", name="Ask", exact=True).click()
    visitor.page.wait_for_timeout(500)

    assert len(asked) == 2
