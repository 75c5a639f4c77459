"""Forget: the counts are those of what is chosen, and behind a receipt something else can be chosen."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import remember, visiting

LETTERS = "/v1/minds/letters"


@pytest.fixture(scope="module")
def letters(life):
    """A mind with conversations; what one test forgets, no other one looks for."""
    remember(life.http, "letters", "My aunt Berta keeps bees.", days_ago=14)
    remember(life.http, "letters", "My uncle Bertil collects stamps.", "He lives in Oslo.", days_ago=10)
    remember(life.http, "letters", "My neighbour Vera plays chess.", days_ago=7)
    remember(life.http, "letters", "My niece Ida paints horses.", days_ago=5)
    life.digested("letters")
    return life


def test_another_choice_disarms_what_was_confirmed(visitor, letters):
    """Broken: until it is loaded, the counts are the former one's, and the button is armed."""
    page = visitor.page
    visitor.open("letters/erase?session=day-10")
    forget, turns = page.get_by_role("button", name="Forget it"), page.get_by_role("row", name="turns, each")
    expect(turns).to_contain_text("2")
    page.get_by_role("textbox").last.fill("letters")
    expect(forget).to_be_enabled()
    held = []
    page.route("**/sessions/day-5?*", lambda route: held.append(route))
    choice = page.get_by_role("combobox", name="What to forget")
    choice.focus()
    choice.select_option("day-5")
    expect(page.get_by_role("heading", name="What would go: the conversation day-5")).to_be_visible()
    expect(forget).to_have_count(0, timeout=5000)
    expect(turns).to_have_count(0)
    expect(choice).to_be_focused()
    held[0].continue_()

    expect(turns).to_contain_text("1")
    expect(page.get_by_role("textbox").last).to_have_value("")
    expect(forget).to_be_disabled()


def test_the_choice_names_a_single_turn(visitor, letters):
    """Broken: it says "Everything"."""
    turn = letters.http.get(f"{LETTERS}/turns?limit=1").json()["items"][0]
    visitor.open(f"letters/erase?turn={turn['turn_id']}")
    choice = visitor.page.get_by_role("combobox", name="What to forget")
    expect(choice.locator("option:checked")).to_have_text("One turn", timeout=5000)
    choice.select_option("Everything")

    expect(visitor.page.get_by_role("heading", name="What would go: everything")).to_be_visible()
    expect(choice.locator("option", has_text="One turn")).to_have_count(0)


@pytest.mark.parametrize("way", ["the pages", "the button"])
def test_after_a_receipt_something_else_can_be_forgotten(visitor, letters, way):
    """Broken: the receipt stays, whatever is clicked."""
    page, session = visitor.page, {"the pages": "day-14", "the button": "day-7"}[way]
    visitor.open(f"letters/erase?session={session}")
    expect(page.get_by_role("row", name="turns, each")).to_be_visible()
    page.get_by_role("textbox").last.fill("letters")
    page.get_by_role("button", name="Forget it").click()
    receipt = page.get_by_role("heading", name="Receipt", exact=True)
    expect(receipt).to_be_visible()
    if way == "the pages":
        page.get_by_role("navigation", name="Pages").get_by_role("link", name="Forget").click()
    else:
        page.get_by_role("button", name="Forget something else").click()

    expect(receipt).to_be_hidden(timeout=5000)
    expect(page.get_by_role("heading", name="What would go: everything")).to_be_visible()
    expect(page.get_by_role("combobox", name="What to forget").locator(f"option[value={session}]")).to_have_count(0)


def test_what_is_erased_elsewhere_leaves_every_open_page(browser, letters):
    """Broken: other tabs go on showing it."""
    url = str(letters.http.base_url).rstrip("/")
    remember(letters.http, "letters", "My cousin Ragnhild breeds llamas.", days_ago=3)
    letters.digested("letters")
    with visiting(browser, url) as replay, visiting(browser, url) as asked:
        replay.open("letters/replay/day-3")
        asked.open("letters/ask?q=llamas")
        for one in (replay, asked):
            expect(one.page.locator("#main")).to_contain_text("Ragnhild breeds")
        letters.http.delete(f"{LETTERS}/sessions/day-3").raise_for_status()

        for one in (replay, asked):
            expect(one.page.locator("#main")).not_to_contain_text("Ragnhild", timeout=15_000)


def test_a_mind_that_is_erased_leaves_an_open_page(browser, life):
    remember(life.http, "brief", "My cousin Ragnhild breeds llamas.")
    life.digested("brief")
    with visiting(browser, str(life.http.base_url).rstrip("/")) as visitor:
        visitor.open("brief/replay")
        expect(visitor.page.locator("#main")).to_contain_text("Ragnhild breeds")
        life.http.request("DELETE", "/v1/minds/brief").raise_for_status()

        expect(visitor.page.locator("#main")).not_to_contain_text("Ragnhild", timeout=15_000)
