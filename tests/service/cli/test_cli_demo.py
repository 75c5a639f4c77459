"""`mind-memory demo`: the example life in a terminal."""

import pytest

from tests.support.cli_process import call

pytestmark = pytest.mark.timeout(900)  # a minute on a quiet machine


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the demo shows, and its home."""
    home = tmp_path_factory.mktemp("demo")
    return call("demo", "--home", home), home


def test_it_asks_three_questions_and_says_what_surfaced_and_why(shown):
    said, _ = shown

    assert said.exit_code == 0, said.output
    assert said.output.count("Ann › ") == 3
    assert "Porto" in said.output and "hazelnut" in said.output
    assert "0.50 needed" in said.output and "nothing surfaced" in said.output


def test_it_shows_how_the_story_begins_and_what_to_do_next(shown):
    said, _ = shown

    assert "The timetable office of Avonline" in said.output
    assert "demo --remove" in said.output
    assert "\x1b[" not in said.output


def test_the_example_goes_only_when_asked(shown):
    _, home = shown

    removed, again = (call("demo", "--remove", "--home", home) for _ in range(2))

    assert removed.exit_code == 0, removed.output
    assert "erased" in removed.output
    assert again.exit_code == 1 and "no example to remove" in again.output
