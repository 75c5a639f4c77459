"""A mind's own copy of a template wins, and what a person does to it counts at the next call."""

import os
import re

import pytest

from prompts.library import HOUSE, render, unusable

WORDS = {"agent": "Ada", "purpose": "", "now": "now", "acts": False, "asker": "", "message": "hello", "recent": []}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "prompts").mkdir()
    return tmp_path / "prompts"


def test_a_copy_wins_over_ours_in_its_own_mind_alone(tmp_path, folder):
    (folder / "seeds.md").write_text("mine, {{ agent }}")

    assert render("seeds", overrides=folder, **WORDS) == "mine, Ada"
    assert render("seeds", overrides=tmp_path / "other", **WORDS) == render("seeds", **WORDS) != "mine, Ada"


def test_a_copy_that_is_made_edited_and_removed_counts_at_the_next_call(folder):
    ours = render("seeds", overrides=folder, **WORDS)

    (folder / "seeds.md").write_text("first")
    assert render("seeds", overrides=folder, **WORDS) == "first"
    (folder / "seeds.md").write_text("second")
    assert render("seeds", overrides=folder, **WORDS) == "second"
    (folder / "seeds.md").unlink()
    assert render("seeds", overrides=folder, **WORDS) == ours


def test_an_edit_that_leaves_the_time_of_the_file_is_seen(folder):
    (folder / "seeds.md").write_text("first")
    os.utime(folder / "seeds.md", (1, 1))
    assert render("seeds", overrides=folder, **WORDS) == "first"

    (folder / "new.md").write_text("other")  # as an editor saves: beside it, then in its place
    os.utime(folder / "new.md", (1, 1))
    (folder / "new.md").replace(folder / "seeds.md")

    assert render("seeds", overrides=folder, **WORDS) == "other"


def test_a_folder_that_comes_later_is_seen(tmp_path):
    late = tmp_path / "late"
    words = {**dict.fromkeys(("is_alone", "is_known", "can_remember", "can_search"), True), "rules": ()}
    ours = render("mcp_instructions", overrides=late, mind="ada", **words)

    late.mkdir()
    (late / "recall_protocol.md").write_text("by my own rules")

    assert "by my own rules" in render("mcp_instructions", overrides=late, mind="ada", **words) != ours


LOOPS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}x"
WRONG = (
    *(
        "{{ nobody }}",
        "{% if %}",
        '{% include "../secret.md" %}',
        '{% include "/etc/hostname" %}',
        "{{ ''.__class__ }}",
    ),
    *(LOOPS, '{{ ("a" * 400000000) | length }}', "{{ 9 ** 9999999 }}", "{{ lipsum(n=9999) }}", "{{ recent[0] }}"),
    *("{{ cycler }}", "{{ self }}", "{{ message.format }}", "{% set a = message %}", "{% macro a() %}{% endmacro %}"),
    *("{% for a in message %}{% for b in message %}{% endfor %}{% endfor %}", "{% include message %}"),
    *("{% for a in recent recursive %}{% endfor %}", "{% for a in 'abc' %}{% endfor %}", "{{ message | list }}"),
    *('{% for a in recent %}{% include "seeds.md" %}{% endfor %}', '{% include "seeds.md" %}', "{{ agent ~ agent }}"),
    *("{{ message | join('" + "x" * 101 + "') }}", "{{ message | join(',') | join(',') }}"),
    *("{{" + "not " * 20_000 + "now }}", "{% if now %}" * 200 + "{% endif %}" * 200, "x" * 70_000, "{{ now }}" * 2_000),
    *("{% if now %}{% elif now %}" + "{% elif now %}" * 3_000 + "{% endif %}", "{{ 9" + "9" * 5_000 + " }}"),
)


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_ours_takes_the_place_of_a_copy_that_is_wrong_or_does_too_much_until_it_is_mended(folder, text):
    (folder.parent / "secret.md").write_text("a secret")
    (folder / "seeds.md").write_text(text)

    for _ in range(2):
        assert render("seeds", overrides=folder, **WORDS) == render("seeds", **WORDS)
        assert unusable(folder).keys() == {"seeds.md"}

    (folder / "seeds.md").write_text("mine, {{ agent }}")
    assert render("seeds", overrides=folder, **WORDS) == "mine, Ada"
    assert unusable(folder) == {}


def test_a_copy_that_fails_with_the_words_alone_is_named_from_then_on(folder):
    (folder / "seeds.md").write_text("{% if agent < 3 %}{% endif %}")

    assert render("seeds", overrides=folder, **WORDS) == render("seeds", **WORDS)
    assert "seeds.md" in unusable(folder)


def test_a_copy_is_rendered_to_two_million_letters_and_no_more(folder):
    (folder / "seeds.md").write_text("{% for a in recent %}{{ message }}{% endfor %}")
    few, many = (
        {**WORDS, "recent": [{"role": "user", "known_as": "", "content": "x"}] * times, "message": "m" * 100_000}
        for times in (20, 21)
    )

    assert len(render("seeds", overrides=folder, **few)) == 2_000_000
    assert render("seeds", overrides=folder, **many) == render("seeds", **many)


def test_every_template_of_ours_may_be_copied_with_what_it_includes_put_in(folder):
    for file in sorted(HOUSE.glob("*.md")):
        text = re.sub(r'{% include "(.+)" %}', lambda found: (HOUSE / found[1]).read_text(), file.read_text())
        (folder / file.name).write_text(f"{text}\n")

    assert unusable(folder) == {}


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_a_copy_is_a_file_of_its_own(folder, kind):
    secret, copy = folder.parent / "secret.md", folder / "seeds.md"
    secret.write_text("a secret")
    match kind:
        case "link":
            copy.symlink_to(secret)
        case "hard link":
            copy.hardlink_to(secret)
        case "pipe":
            os.mkfifo(copy)
        case "folder":
            copy.mkdir()

    assert render("seeds", overrides=folder, **WORDS) == render("seeds", **WORDS)
    assert unusable(folder).keys() == {"seeds.md"}


def test_a_linked_folder_is_not_read(tmp_path, folder):
    (folder / "seeds.md").write_text("mine")
    (tmp_path / "linked").symlink_to(folder)

    assert render("seeds", overrides=tmp_path / "linked", **WORDS) == render("seeds", **WORDS)
    assert unusable(tmp_path / "linked").keys() == {"seeds.md"}


def test_a_template_is_compiled_once(folder):
    from prompts.library import _copies_in

    (folder / "seeds.md").write_text("mine")
    render("seeds", overrides=folder, **WORDS)
    environment = _copies_in(folder)._environment

    assert environment.get_template("seeds.md") is environment.get_template("seeds.md")


def test_what_is_no_letter_is_sent_to_no_model(folder):
    """Broken: a story that was saved in Latin-1 can not be sent, and the error blames the model."""
    latin = "café".encode("latin-1").decode("utf-8", "surrogateescape")
    (folder / "seeds.md").write_text("mine, {{ agent }}")

    assert "caf?" in render("seeds", **{**WORDS, "message": latin})
    assert render("seeds", overrides=folder, **{**WORDS, "agent": latin}) == "mine, caf?"
