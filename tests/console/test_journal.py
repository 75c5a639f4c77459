"""A person's file in the console: a save, and somebody else's saves before, between and after."""

import pytest
from playwright.sync_api import expect

FILE = "/v1/minds/ada/journal/file"
MEMORY = {"path": "MEMORY.md"}


@pytest.fixture
def notes(visitor, life):
    """MEMORY.md with words of yours, opened to be edited; returns how to type behind its end."""

    def edit(text, words):
        put(life, text)
        visitor.open("ada/journal/MEMORY.md")
        visitor.page.get_by_role("button", name="Edit", exact=True).click()
        visitor.page.get_by_role("textbox", name="MEMORY.md, in Markdown").click()
        visitor.page.keyboard.press("Control+End")
        visitor.page.keyboard.type(words)

    return edit


def read(life):
    return life.http.get(FILE, params=MEMORY).json()["text"]


def put(life, text):
    """Save as somebody else does, elsewhere."""
    etag = life.http.get(FILE, params=MEMORY).headers["etag"]
    answer = life.http.put(FILE, params=MEMORY, json={"text": text}, headers={"If-Match": etag})
    answer.raise_for_status()


def save(visitor):
    visitor.page.get_by_role("button", name="Save", exact=True).click()


def save_merged(visitor):
    visitor.page.get_by_role("button", name="Save this").click()


def said(visitor, words):
    """Wait until the page says *words* of what was just done."""
    expect(visitor.page.locator(".toast")).to_contain_text(words)


def test_a_save_that_comes_while_both_texts_are_compared_is_shown_and_stays(notes, visitor, life):
    notes("# A\n\nOne.\n\n# B\n\nTwo.\n", "\n\nMine.")
    put(life, "# A\n\nOne, first of theirs.\n\n# B\n\nTwo.\n")
    save(visitor)
    both = visitor.page.get_by_role("region", name="Somebody else saved meanwhile")
    expect(both).to_be_visible()
    put(life, "# A\n\nOne, second of theirs.\n\n# B\n\nTwo.\n")
    save_merged(visitor)
    said(visitor, "They saved again")

    expect(both).to_contain_text("One, second of theirs.")
    save_merged(visitor)
    said(visitor, "Saved.")
    assert read(life).split("\n\n") == ["# A", "One, second of theirs.", "# B", "Two.", "Mine."]


def test_what_was_chosen_holds_when_they_save_again(notes, visitor, life):
    notes("# A\n\nOne.\n\n# B\n\nTwo.", " Mine.")
    put(life, "# A\n\nOne.\n\n# B\n\nTwo. Theirs.")
    save(visitor)
    visitor.page.get_by_label("Keep theirs").check()
    put(life, "# A\n\nOne, theirs too.\n\n# B\n\nTwo. Theirs.")
    save_merged(visitor)
    said(visitor, "They saved again")
    save_merged(visitor)
    said(visitor, "Saved.")

    assert read(life) == "# A\n\nOne, theirs too.\n\n# B\n\nTwo. Theirs."


def test_sections_that_two_people_add_at_the_end_stay_two(notes, visitor, life):
    notes("# A\n\nOne.\n", "\n\n# Mine\n\nI like tea.")
    put(life, "# A\n\nOne, theirs.\n\n# Theirs\n\nThey like coffee.\n")
    save(visitor)
    save_merged(visitor)
    said(visitor, "Saved.")

    assert sorted(read(life).split("\n\n# ")) == [
        "# A\n\nOne, theirs.",
        "Mine\n\nI like tea.",
        "Theirs\n\nThey like coffee.",
    ]


def test_undo_of_both_texts_leaves_theirs(notes, visitor, life):
    notes("# A\n\nOne.\n\n# B\n\nTwo.", "\n\nMine.")
    put(life, "# A\n\nOne, theirs.\n\n# B\n\nTwo.")
    save(visitor)
    save_merged(visitor)
    said(visitor, "Saved.")
    visitor.page.get_by_role("button", name="Undo").click()
    said(visitor, "Taken back.")

    assert read(life) == "# A\n\nOne, theirs.\n\n# B\n\nTwo."


def test_undo_takes_no_later_save_of_somebody_else_back(notes, visitor, life):
    notes("# A\n\nOne.", " Mine.")
    save(visitor)
    said(visitor, "Saved.")
    put(life, "# A\n\nOne. Mine. Theirs, saved after mine.")
    visitor.page.get_by_role("button", name="Undo").click()
    said(visitor, "Somebody saved since. Nothing was taken back.")

    assert read(life) == "# A\n\nOne. Mine. Theirs, saved after mine."


def test_what_was_replaced_in_a_file_is_shown_and_brought_back(notes, visitor, life):
    """Broken: the page says that earlier versions are kept, and none is."""
    notes("# A\n\nOne.", " Mine.")
    put(life, "# A\n\nOne, theirs.")
    save(visitor)
    both = visitor.page.get_by_role("region", name="Somebody else saved meanwhile")
    expect(both).to_contain_text("No earlier version of a file is kept")
    visitor.page.get_by_label("Keep mine").check()
    save_merged(visitor)
    said(visitor, "Saved.")
    assert read(life) == "# A\n\nOne. Mine."
    visitor.page.get_by_text("What somebody else had saved").click()
    expect(visitor.page.get_by_text("# A One, theirs.")).to_be_visible()
    visitor.page.get_by_role("button", name="Bring it back").click()
    said(visitor, "It is as they had saved it.")

    assert read(life) == "# A\n\nOne, theirs."
    expect(visitor.page.get_by_role("button", name="Bring it back")).to_have_count(0)


def test_what_was_replaced_can_be_read_where_somebody_saved_since(notes, visitor, life):
    notes("# A\n\nOne.", " Mine.")
    put(life, "# A\n\nOne, theirs.")
    save(visitor)
    visitor.page.get_by_label("Keep mine").check()
    save_merged(visitor)
    said(visitor, "Saved.")
    put(life, "# A\n\nA third one.")
    visitor.page.get_by_text("What somebody else had saved").click()
    visitor.page.get_by_role("button", name="Bring it back").click()
    said(visitor, "Somebody saved since. Nothing was taken back.")

    expect(visitor.page.get_by_text("# A One, theirs.")).to_be_visible()
    assert read(life) == "# A\n\nA third one."


@pytest.mark.parametrize("is_edited", [False, True], ids=["read", "edited"])
def test_an_open_file_shows_what_was_saved_elsewhere(visitor, life, is_edited):
    put(life, "# A\n\nOne.")
    visitor.open("ada/journal/MEMORY.md")
    if is_edited:
        visitor.page.get_by_role("button", name="Edit", exact=True).click()
    file = visitor.page.get_by_role("article", name="MEMORY.md")
    expect(file).to_contain_text("One.")
    (life.home / "minds" / "ada" / "MEMORY.md").write_text("# A\n\nOne, in another editor.")

    expect(file).to_contain_text("One, in another editor.", timeout=10_000)


def test_a_note_that_is_not_saved_is_seen_when_one_comes_back_to_it(visitor, notes):
    """Broken: the page shows what is kept, and what was typed looks lost."""
    notes("A note.\n", "More of it.")
    visitor.page.get_by_role("link", name="Facts", exact=True).click()
    visitor.page.get_by_role("heading", name="What it knows").wait_for()
    visitor.page.go_back()
    text = visitor.page.get_by_role("textbox", name="MEMORY.md, in Markdown")
    expect(text).to_contain_text("More of it.")
    visitor.page.get_by_role("button", name="Edit", exact=True).click()

    expect(visitor.page.get_by_text("What you wrote is not saved yet")).to_be_visible()
