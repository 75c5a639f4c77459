"""The nights of an agent that works on its own: how tired it was, and what each dream came to."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.agents import call
from tests.support.browser import SECONDS


@pytest.fixture(scope="module")
def nights(life):
    """An agent that worked, slept and works again."""
    path = "/v1/minds/creature"
    for numbers in (range(6), range(6, 9)):
        actions = [call(at, output=f"step {at} done") for at in numbers]
        life.http.post(f"{path}/sessions/cycle-1/actions", json={"actions": actions}).raise_for_status()
        if not numbers.start:
            life.http.post(f"{path}/sleep", json={"seconds": 60, "wait": True}).raise_for_status()
    life.http.post(f"{path}/wake", json={}).raise_for_status()
    return life


def test_fatigue_is_a_line_with_its_table_and_its_sleeps(visitor, nights):
    visitor.open("creature/dreams")
    tired = visitor.page.get_by_role("region", name="How tired it was")
    expect(tired.get_by_role("img")).to_be_visible()
    tired.get_by_role("button", name="As a table").click()
    expect(tired.get_by_role("row")).to_have_count(12)  # nine calls, a dream, now, and the heading
    tired.get_by_text("it slept 1 time").click()

    expect(tired.get_by_role("listitem")).to_have_text(re.compile("^A dream, from "))
    assert visitor.troubles == []


def test_a_dream_is_taken_back_with_what_it_observed_and_counts_again(visitor, nights):
    path = "/v1/minds/creature"
    visitor.open("creature/dreams")
    dream = visitor.page.get_by_role("article", name="Dream 1")
    dream.get_by_text("What it changed").click()
    expect(dream.get_by_role("list").first).to_contain_text("Observed")
    dream.get_by_role("button", name="Take it back").click()
    expect(dream).to_contain_text("does not count", timeout=SECONDS * 1000)
    gone = nights.http.get(f"{path}/observations").json()["observations"]
    visitor.page.keyboard.press("u")
    expect(dream.get_by_role("button", name="Take it back")).to_be_visible(timeout=SECONDS * 1000)

    assert gone == []
    assert nights.http.get(f"{path}/observations").json()["observations"]
    assert visitor.barriers() == []


def test_a_night_is_seen_while_it_is_looked_at(visitor, life):
    """Broken: the page goes on saying that the agent is awake and never dreamt."""
    path = "/v1/minds/sleeper"
    actions = [call(at, output=f"step {at} done") for at in range(6)]
    life.http.post(f"{path}/sessions/cycle-1/actions", json={"actions": actions}).raise_for_status()
    visitor.open("sleeper/dreams")
    page = visitor.page
    expect(page.get_by_text("It is awake")).to_be_visible()
    expect(page.get_by_role("region", name="Observed")).to_contain_text("Nothing yet")
    life.http.post(f"{path}/sleep", json={"seconds": 60, "wait": True}).raise_for_status()
    expect(page.get_by_text("It is asleep")).to_be_visible(timeout=20_000)
    expect(page.get_by_role("article", name="Dream 1")).to_be_visible()
    expect(page.get_by_role("region", name="Observed").get_by_role("listitem").first).to_be_visible(timeout=20_000)
    life.http.post(f"{path}/wake", json={}).raise_for_status()

    expect(page.get_by_text("It is awake")).to_be_visible(timeout=20_000)
