"""Ask: an edit there begins with the whole turn, and the answer changes with what was put right."""

import pytest
from playwright.sync_api import expect

from tests.support.browser import remember

DEPOT = "/v1/minds/depot"
LONG = " ".join(f"Sentence {at}: aunt Adelgund brought cupboard {at} to Wernigerode." for at in range(1, 16))


@pytest.fixture(scope="module")
def depot(life):
    """A mind with a long message, a turn of two messages, and an uncle."""
    http = life.http
    remember(http, "depot", LONG, "My uncle Ottokar lives in Rostock.", days_ago=3)
    said = [{"role": "user", "content": text} for text in ("My dentist is Doctor Bird.", "She moved to Porto.")]
    http.post(f"{DEPOT}/turns", json={"session_id": "teeth", "messages": said}).raise_for_status()
    life.digested("depot")
    return life


def corrections(service):
    return service.http.get(f"{DEPOT}/corrections").json()["items"]


def editor(page, item):
    """Open the edit of a memory; returns the field of its words."""
    item.get_by_role("button", name="Put it right…").click()
    item.get_by_role("button", name="Edit").click()
    return page.get_by_role("dialog", name="How is it really?").get_by_label("It is like this")


def found_word_for_word(visitor, words):
    visitor.open(f"depot/ask?q={words}")
    return visitor.page.get_by_role("region", name="Word for word").get_by_role("listitem").first


def test_one_word_of_a_long_turn_is_put_right_and_the_rest_stays(visitor, depot):
    """Broken: the form holds the excerpt that a search shows."""
    visitor.open("depot/ask?q=Adelgund+cupboard+Wernigerode")
    remembered = visitor.page.get_by_role("region", name="Remembered")
    item = remembered.get_by_role("listitem").filter(has=visitor.page.locator(".badge", has_text="turn")).first
    words = editor(visitor.page, item)
    expect(words).to_have_value(LONG)
    words.fill(LONG.replace("cupboard 2 ", "wardrobe 2 "))
    visitor.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(words).to_be_hidden()
    made = corrections(depot)[0]
    depot.http.delete(f"{DEPOT}/corrections/{made['id']}").raise_for_status()

    assert (made["what"], made["to"]) == ("edit", LONG.replace("cupboard 2 ", "wardrobe 2 "))


def test_a_turn_of_two_messages_is_put_right_whole(visitor, depot):
    """Broken: the form holds the message that was found, and what is saved stands for both."""
    words = editor(visitor.page, found_word_for_word(visitor, "Porto"))

    expect(words).to_have_value("My dentist is Doctor Bird.\nShe moved to Porto.")


def test_a_mute_shows_where_it_was_made_and_is_taken_back_there(visitor, depot):
    """Broken: the button never shows as pressed, and each click is one more correction."""
    item = found_word_for_word(visitor, "Porto")
    item.get_by_role("button", name="Put it right…").click()
    mute = item.get_by_role("button", name="Mute")
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "true")
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "false")

    assert [(one["what"], one["state"]) for one in corrections(depot)][0] == ("mute", "undone")


def test_what_was_called_wrong_is_not_told_on(visitor, depot):
    """Broken: the answer goes on telling it until the page is loaded anew."""
    visitor.open("depot/ask?q=Where+does+my+uncle+Ottokar+live")
    answer = visitor.page.get_by_role("region", name="Answer", exact=True)
    holds = answer.locator("section").filter(has=visitor.page.get_by_role("heading", name="It holds"))
    expect(holds).to_contain_text("Rostock")
    item = (
        visitor.page.get_by_role("region", name="Remembered").get_by_role("listitem").filter(has_text="Rostock").first
    )
    item.get_by_role("button", name="Put it right…").click()
    item.get_by_role("button", name="Wrong").click()

    expect(holds.filter(has_text="Rostock")).to_have_count(0, timeout=10_000)
    depot.http.delete(f"{DEPOT}/corrections/{corrections(depot)[0]['id']}").raise_for_status()
    expect(holds).to_contain_text("Rostock")


def test_what_a_model_said_before_a_correction_is_marked_and_asked_again(visitor, depot):
    asked = {"question": "Where does my uncle Ottokar live?"}
    found = depot.http.post(f"{DEPOT}/ask", json=asked).json()
    line = {"text": "In Rostock.", "sources": [found["evidence"][0]["id"]]}
    visitor.page.route("**/ask", lambda route: route.fulfill(json={**found, "by_model": True, "answer": [line]}))
    visitor.open("depot/ask?q=Where+does+my+uncle+Ottokar+live")
    answer = visitor.page.get_by_role("region", name="Answer", exact=True)
    expect(answer).to_contain_text("In Rostock.")
    say = {"what": "say", "to": "Ottokar has a red bicycle."}
    depot.http.post(f"{DEPOT}/corrections", json=say).raise_for_status()
    with visitor.page.expect_request("**/ask"):
        answer.get_by_role("button", name="Ask again").click()

    expect(answer.get_by_role("button", name="Ask again")).to_be_hidden()


def test_the_same_question_is_asked_again(visitor, depot):
    """Broken: nothing happens."""
    visitor.open("depot/ask?q=Where+does+my+uncle+Ottokar+live")
    expect(visitor.page.get_by_role("region", name="Answer", exact=True)).to_contain_text("Rostock")

    with (
        visitor.page.expect_request("**/ask", timeout=5000),
        visitor.page.expect_request("**/remember?*", timeout=5000),
    ):
        visitor.page.get_by_role("button", name="Ask", exact=True).click()
