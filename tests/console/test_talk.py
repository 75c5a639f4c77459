"""Talking in the console while the service is away."""

from playwright.sync_api import expect

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
