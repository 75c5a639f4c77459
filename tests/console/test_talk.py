"""Talking in the console while the service is away."""

from playwright.sync_api import expect

from tests.support.browser import remember

AUNT = "My aunt Ursula lives in Graz."


def say(visitor, words):
    visitor.page.get_by_role("textbox", name="Your message").fill(words)
    visitor.page.get_by_role("button", name="Say it").click()


def kept(life, mind_id):
    """What people said to a mind, as it is stored."""
    return [one["content"] for turn in life.kept(mind_id) for one in turn["messages"] if one["role"] == "user"]


def test_what_was_said_while_the_service_was_away_is_sent_again(visitor, life):
    """Broken: the page says that it is kept, and it can not be sent again."""
    visitor.open("ada/talk")
    visitor.page.route("**/v1/minds/**", lambda route: route.abort())
    say(visitor, AUNT)
    log = visitor.page.get_by_role("log", name="What was said")
    expect(log).to_contain_text("Not kept yet.")
    assert AUNT not in kept(life, "ada")
    visitor.page.unroute("**/v1/minds/**")
    say(visitor, "What is for dinner?")
    life.until(lambda: "What is for dinner?" in kept(life, "ada"))
    log.get_by_role("button", name="Send again").click()
    life.until(lambda: AUNT in kept(life, "ada"))

    expect(log).not_to_contain_text("Not kept yet.")
    assert kept(life, "ada").count(AUNT) == 1
    expect(log.get_by_text(AUNT, exact=True)).to_have_count(1)


def test_what_arrived_and_was_not_answered_is_kept_once(visitor, life):
    """Broken: it is stored again when it is sent again."""
    words = "My uncle Anselm keeps bees."

    def lose(route):
        route.fetch()
        route.abort()

    visitor.open("ada/talk")
    visitor.page.route("**/v1/minds/ada/turns", lose)
    say(visitor, words)
    again = visitor.page.get_by_role("button", name="Send again")
    expect(again).to_be_enabled()
    assert words in kept(life, "ada")
    visitor.page.unroute("**/v1/minds/ada/turns")
    again.click()
    expect(again).to_have_count(0)
    visitor.page.wait_for_timeout(500)

    assert kept(life, "ada").count(words) == 1


def test_what_is_typed_outlives_another_page_and_an_erasure_elsewhere(visitor, life):
    """Broken: it is lost, and "Off the record" with it."""
    remember(life.http, "drafts", "I bake bread.", "I sing.", days_ago=2)
    visitor.open("drafts/talk")
    message = visitor.page.get_by_role("textbox", name="Your message")
    message.fill("A long thought, half")
    visitor.page.get_by_role("checkbox", name="Off the record").check()
    visitor.page.get_by_role("link", name="Facts", exact=True).click()
    visitor.page.get_by_role("button", name="Say something new").click()
    words = visitor.page.get_by_role("dialog").get_by_label("It is so")
    words.fill("Oskar is afraid of geese")
    turn = life.http.get("/v1/minds/drafts/turns").json()["items"][0]["turn_id"]
    visitor.page.wait_for_timeout(1000)  # the stream of events is open
    life.http.delete(f"/v1/minds/drafts/turns/{turn}").raise_for_status()
    visitor.page.wait_for_timeout(1500)  # the page is read anew
    expect(words).to_have_value("Oskar is afraid of geese")
    visitor.page.go_back()
    expect(visitor.page.get_by_role("dialog")).to_be_hidden()

    expect(message).to_have_value("A long thought, half")
    expect(visitor.page.get_by_role("checkbox", name="Off the record")).to_be_checked()
    visitor.page.go_forward()
    visitor.page.get_by_role("button", name="Say something new").click()
    expect(words).to_have_value("Oskar is afraid of geese")


def test_what_is_too_long_is_not_cut(visitor, life):
    """Broken: the end of a pasted text is lost without a word, and the rest is kept."""
    visitor.open("ada/talk")
    message = visitor.page.get_by_role("textbox", name="Your message")
    message.fill("a" * 19_950)
    expect(visitor.page.get_by_text("50 letters left")).to_be_visible()
    message.fill("a" * 20_001)
    expect(visitor.page.get_by_text("1 letter too many")).to_be_visible()

    expect(visitor.page.get_by_role("button", name="Say it")).to_be_disabled()
    visitor.open("ada/facts")
    visitor.page.get_by_role("button", name="Say something new").click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_label("It is so").fill("a" * 2_001)
    expect(dialog).to_contain_text("1 letter too many")
    expect(dialog.get_by_role("button", name="Say it")).to_be_disabled()
