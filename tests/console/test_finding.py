"""Finding by words and by days: the days are those of who looks."""

import datetime
import re
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.support.browser import remember, visiting

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = (datetime.datetime.now(BERLIN) - datetime.timedelta(days=20)).replace(hour=0, minute=30, second=0)
DAY = f"{NIGHT:%Y-%m-%d}"


@pytest.fixture(scope="module")
def nights(life):
    """A mind that was told something half an hour after midnight in Berlin, which is the day before by UTC."""
    said = {"role": "user", "content": "Uncle Ottokar moved to Warnemünde.", "timestamp": NIGHT.isoformat()}
    body = {"session_id": "night", "messages": [said, {"role": "assistant", "content": "I see."}]}
    life.http.post("/v1/minds/nights/turns", json=body).raise_for_status()
    life.digested("nights")
    return life


@pytest.fixture
def berliner(browser, nights):
    with visiting(browser, str(nights.http.base_url).rstrip("/"), timezone="Europe/Berlin") as found:
        yield found


def test_what_was_told_after_midnight_is_found_on_its_day(berliner):
    """Broken: it is found on the day before."""
    berliner.open(f"nights/facts?q=Ottokar&since={DAY}&until={DAY}")
    facts = berliner.page.get_by_role("region", name="Facts", exact=True)
    expect(facts).to_contain_text("Warnemünde", timeout=10_000)
    before = f"{NIGHT - datetime.timedelta(days=1):%Y-%m-%d}"
    berliner.open(f"nights/facts?q=Ottokar&since={before}&until={before}")

    expect(facts).to_contain_text("No fact is like that")


def test_a_conversation_to_be_forgotten_has_its_day(berliner):
    """Broken: its day is that of UTC."""
    berliner.open("nights/erase")

    named = berliner.page.get_by_role("combobox", name="What to forget").locator("option", has_text="Ottokar")
    assert named.inner_text().startswith(f"{NIGHT.day} ")


def test_a_question_as_of_a_day_is_one_of_its_end(berliner):
    """Broken: of its end by UTC."""
    with berliner.page.expect_request("**/ask") as asked:
        berliner.open(f"nights/ask?q=Where+is+Ottokar&at={DAY}")

    at = datetime.datetime.fromisoformat(asked.value.post_data_json["at"]).astimezone(BERLIN)
    assert at == NIGHT.replace(hour=23, minute=59, second=59, microsecond=999_000)


@pytest.mark.parametrize(("place", "name"), [("facts", "Words"), ("facts?show=entities", "Name")])
def test_a_pause_after_a_space_does_not_swallow_it(visitor, life, place, name):
    """Broken: "Oma", a space, a pause, "Kate" is searched for as "OmaKate"."""
    visitor.open(f"ada/{place}")
    box = visitor.page.get_by_role("searchbox", name=name, exact=True)
    box.press_sequentially("Oma ")
    visitor.page.wait_for_timeout(600)
    box.press_sequentially("Kate")
    visitor.page.wait_for_timeout(600)

    expect(box).to_have_value("Oma Kate", timeout=5000)
    assert "q=Oma+Kate" in visitor.page.url


def test_words_that_were_just_typed_do_not_follow_to_another_page(visitor, life):
    visitor.open("ada/facts")
    visitor.page.get_by_role("searchbox", name="Words").fill("Minka")
    visitor.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Settings").click()
    visitor.page.wait_for_timeout(600)

    assert visitor.page.url.endswith("#/ada/settings")


def test_show_all_empties_the_box(visitor, life):
    remember(life.http, "boxes", "My cat Minka broke the blue vase.")
    life.digested("boxes")
    visitor.open("boxes/facts?q=nobody")
    visitor.page.get_by_role("button", name="Show all").click()

    expect(visitor.page.get_by_role("searchbox", name="Words")).to_have_value("")


def test_an_address_of_another_day_is_followed_while_the_graph_is_open(visitor):
    """Broken: the page goes on showing the day that it was opened with."""
    days = [datetime.date.today() - datetime.timedelta(days=ago) for ago in (150, 60)]
    visitor.open(f"ada/graph?at={days[0]}")
    slider = visitor.page.get_by_role("slider", name="As of")
    first = slider.get_attribute("aria-valuetext")
    visitor.page.evaluate(f"location.hash = '#/ada/graph?at={days[1]}'")
    expect(slider).not_to_have_attribute("aria-valuetext", first)
    visitor.page.go_back()

    expect(slider).to_have_attribute("aria-valuetext", first)
    expect(visitor.page).to_have_url(re.compile(f"at={days[0]}$"))


def test_a_correction_that_is_being_written_outlives_its_fact_in_the_list(visitor, life):
    """Broken: the dialog is part of the item, and goes when the item leaves the end of the list."""
    people = ("Ruben", "Clara", "Tamara", "Boris", "Selma", "Anton", "Greta", "Milan")
    remember(life.http, "village", *(f"{one} lives in Genoa." for one in people[:5]), days_ago=1)
    life.digested("village")
    visitor.open("village")
    learned = visitor.page.locator("section[aria-labelledby=since] li").filter(has_text="Learned")
    oldest = learned.last.locator(".said").inner_text()
    learned.last.get_by_role("button", name="Put it right").click()
    learned.last.get_by_role("button", name="Edit").click()
    words = visitor.page.get_by_role("dialog", name="How is it really?").get_by_label("It is like this")
    words.fill("Half of what I mean to say")
    visitor.page.wait_for_timeout(1000)  # the stream of events is open
    remember(life.http, "village", *(f"{one} lives in Split." for one in people[5:]))
    expect(learned.filter(has_text=oldest)).to_have_count(0)

    expect(words).to_have_value("Half of what I mean to say")


def test_as_of_a_day_says_what_it_is_about(visitor, life):
    visitor.open("ada/ask?q=Where+does+my+mother+live&at=2026-01-01")

    expect(visitor.page.get_by_label("Facts that held on")).to_have_value("2026-01-01")
    expect(visitor.page.get_by_text("What was said later is shown, too.")).to_be_visible()


def test_of_how_often_an_entity_came_up_nothing_untrue_is_said(visitor, life):
    """Broken: "mentioned in 0 turns" of whom many turns mention, but no fact."""
    visitor.open("ada/facts?show=entities")
    expect(visitor.page.locator("li.entity-row").first).to_be_visible()

    expect(visitor.page.get_by_text("mentioned in")).to_have_count(0)
