import os
import threading

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import StoryUnreadable
from consolidation.story.storyfile import StoryFile

BASE = "# Mine\n\nFirst line.\nMiddle line.\nLast line.\n"


def in_place(path, text):
    path.write_text(text)


def as_vim(path, text):
    path.rename(f"{path}~")
    path.write_text(text)
    os.unlink(f"{path}~")


def by_rename(path, text):
    other = path.with_name("swap")
    other.write_text(text)
    other.replace(path)


STYLES = pytest.mark.parametrize("save", [in_place, as_vim, by_rename])


@pytest.fixture
def path(tmp_path):
    (tmp_path / "STORY.md").write_text(BASE)
    return tmp_path / "STORY.md"


@pytest.fixture
def story(path):
    return StoryFile(path, history=path.parent / "story-history", clock=SystemClock())


def append(text):
    return text if "### New" in text else f"{text}### New\n"


@STYLES
def test_a_save_while_we_plan_is_kept_with_what_we_add(story, path, save):
    saves = [BASE.replace("Middle", "Corrected")]

    def plan(text):
        if saves:
            save(path, saves.pop())
        return append(text)

    story.change(plan)

    assert path.read_text() == BASE.replace("Middle", "Corrected") + "### New\n"


def test_a_write_into_the_version_we_displaced_is_merged_at_the_next_change(story, path):
    with path.open("r+") as editor:
        story.change(append)
        editor.write(BASE.replace("First", "Edited late"))
        editor.flush()

    story.change(append)

    assert "Edited late" in path.read_text() and path.read_text().count("### New") == 1


def test_a_story_that_a_person_begins_meanwhile_is_planned_upon(story, path):
    path.unlink()

    def plan(text):
        if not path.exists():
            path.write_text("# Begun\n")
        return append(text)

    assert story.change(plan).story == "# Begun\n### New\n"


def test_a_link_that_leads_back_to_itself_is_refused_and_creating_the_object_looks_at_nothing(tmp_path):
    link = tmp_path / "STORY.md"
    link.symlink_to(link)
    loop = StoryFile(link, history=tmp_path / "story-history", clock=SystemClock())

    with pytest.raises(StoryUnreadable):
        loop.read()


def test_permissions_line_ends_and_odd_bytes_are_kept(story, path):
    path.write_bytes(b"\xef\xbb\xbfMine\r\nlatin caf\xe9\r\n")
    path.chmod(0o640)

    story.change(lambda text: f"{text}More\r\n")

    assert path.read_bytes() == b"\xef\xbb\xbfMine\r\nlatin caf\xe9\r\nMore\r\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_that_is_followed_stays_a_link(tmp_path):
    vault, mind = tmp_path / "vault/story.md", tmp_path / "home/minds/ada"
    for folder in (vault.parent, mind):
        folder.mkdir(parents=True)
    vault.write_text(BASE)
    link = mind / "STORY.md"
    link.symlink_to(vault)

    file = StoryFile(link, history=mind / "story-history", clock=SystemClock(), linked_folders=(vault.parent,))
    file.change(append)

    assert link.is_symlink() and vault.read_text().endswith("### New\n")


def test_earlier_versions_can_be_read_and_only_fifty_are_kept(story, path):
    for number in range(55):
        story.change(lambda text, number=number: f"{text}{number}\n")

    versions = story.versions()
    assert len(versions) == 50
    assert story.version(versions[0].name).endswith("53\n")
    assert story.version("../STORY") is None


def killed_before_it_was_noted(story, path):
    """The files of a change that was killed when the story was exchanged."""
    history = path.parent / "story-history"
    story.change(append)
    [late], [latest] = history.glob("*.late"), history.glob("*.latest")
    latest.rename(late.with_suffix(".latest.copy"))


@STYLES
@pytest.mark.parametrize("said", [None, "# A person's\n"])
def test_what_we_wrote_last_is_known_where_the_write_was_killed_before_that_was_noted(story, path, save, said):
    killed_before_it_was_noted(story, path)
    if said is not None:
        save(path, said)

    before = story.written()
    story.change(lambda text: text)

    assert before == story.written() == f"{BASE}### New\n"
    assert not list((path.parent / "story-history").glob("*.copy"))


def test_what_a_killed_write_did_not_publish_is_not_what_we_wrote_last(story, path):
    killed_before_it_was_noted(story, path)
    [late] = (path.parent / "story-history").glob("*.late")
    text = path.read_bytes()
    path.write_bytes(late.read_bytes())
    late.write_bytes(text)

    assert story.written() == ""


@STYLES
@pytest.mark.parametrize("said", ["", "x", BASE.upper()])
def test_what_we_wrote_last_is_a_version_as_soon_as_somebody_saves_something_else(story, path, save, said):
    story.change(append)
    before = story.versions()

    save(path, said)

    [version, *older] = story.versions()
    assert tuple(older) == before and len(older) == 1
    assert story.version(version.name) == f"{BASE}### New\n"
    story.change(lambda text: f"{text}More.\n")
    assert [story.version(one.name) for one in story.versions()] == [said, f"{BASE}### New\n", BASE]
    assert version in story.versions()


def test_what_we_wrote_last_is_a_version_when_the_story_is_deleted_and_none_twice(story, path):
    story.change(append)
    story.change(lambda text: f"{text}More.\n")
    path.unlink()

    assert [story.version(one.name) for one in story.versions()] == [
        f"{BASE}### New\nMore.\n",
        f"{BASE}### New\n",
        BASE,
    ]
    assert story.change(append).story == "### New\n"
    assert len(story.versions()) == 3


def test_what_we_wrote_last_is_redacted_like_every_version(story, path):
    story.change(append)
    path.write_text("Mine.\n")

    assert story.redact(lambda text: text.replace("### New\n", "")) == 1
    assert [story.version(one.name) for one in story.versions()] == [BASE]  # the two are the same now


def test_a_version_of_which_nothing_is_left_is_deleted(story, path):
    story.change(append)
    story.change(lambda text: f"{text}More.\n")

    assert story.redact(lambda text: None if "### New" not in text else text) == 3  # with the pair that was displaced
    assert [story.version(one.name) for one in story.versions()] == [f"{BASE}### New\n"]


def test_many_writers_and_an_editor_lose_nothing(story, path):
    def add(name):
        story.change(lambda text: f"{text}{name}\n")

    writers = [threading.Thread(target=add, args=(f"ours {number}",)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert {f"ours {number}" for number in range(8)} <= set(path.read_text().splitlines())
    assert [found.name for found in path.parent.iterdir() if found.name.endswith(".new")] == []
