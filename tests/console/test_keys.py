"""One-letter keys: every list is walked by them, and "?" names those that do something on the page."""

import re

import pytest
from playwright.sync_api import expect


def press(visitor, *keys):
    for key in keys:
        visitor.page.keyboard.press(key)


def focused(visitor):
    return visitor.page.locator(":focus")


@pytest.mark.parametrize(
    ("place", "reached", "opened"),
    [
        ("ada/facts", "li.fact", "/ada/entity/"),
        ("ada/facts?show=entities", "li.entity-row", "/ada/entity/"),
        ("ada/journal", "nav[aria-label=Files] a", "/ada/journal/"),
        ("ada/story", "nav[aria-label=Chapters] a", "/ada/story/"),
        ("ada", "section[aria-labelledby=since] li", "/ada/"),
    ],
)
def test_j_and_k_walk_a_list_and_enter_opens(visitor, place, reached, opened):
    visitor.open(place)
    items = visitor.page.locator(reached)
    items.nth(1).wait_for()
    press(visitor, "j", "j")
    expect(items.nth(1)).to_be_focused()
    press(visitor, "k")
    expect(items.first).to_be_focused()
    press(visitor, "Enter")

    expect(visitor.page).to_have_url(re.compile(re.escape(opened)))


def test_in_a_conversation_w_tells_why_and_e_puts_right(visitor):
    visitor.open("ada/replay/today")
    turns = visitor.page.locator("article.turn")
    turns.nth(1).wait_for()
    press(visitor, "j", "j", "k")
    expect(turns.first).to_be_focused()
    press(visitor, "w")
    expect(visitor.page.get_by_role("region", name="Why", exact=True)).to_contain_text("came to mind")
    press(visitor, "e")

    expect(turns.first.get_by_role("button", name="Edit")).to_be_focused()


def test_the_list_of_keys_names_what_works_on_the_page(visitor):
    visitor.open("ada/facts")
    visitor.page.locator("li.fact").first.wait_for()
    press(visitor, "?")
    keys = visitor.page.get_by_role("dialog", name="Keys of this page")
    expect(keys).to_contain_text("where it comes from")
    press(visitor, "Escape")
    visitor.open("ada/settings")
    press(visitor, "?")

    expect(keys).to_contain_text("all minds")
    expect(keys).not_to_contain_text("the next one")


def test_a_key_means_the_dialog_and_not_what_lies_behind_it(visitor):
    visitor.open("ada/facts")
    visitor.page.locator("li.fact").first.wait_for()
    press(visitor, "j", "?")
    visitor.page.get_by_role("dialog", name="Keys of this page").wait_for()
    press(visitor, "j", "Escape")

    expect(visitor.page.locator("li.fact").first).to_be_focused()
