"""Saves that slip in between our last look at STORY.md and the exchange, kills in the midst of it, stale saves."""

import multiprocessing
import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.story.anchor import with_marks, without_marks
from consolidation.story.chapters import as_chapter, parse, placed
from consolidation.story.consolidation import ConsolidationService
from consolidation.story.edits import check_unchanged, edited, etag_of
from consolidation.story.narrator import Narrator, Voice
from consolidation.story.run import MindStory
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.log import Transcript
from service.adapters.extractive_model import ExtractiveModel

BASE = "# Mine\n\nFirst line.\nMiddle line.\nLast line.\n"
SLIPPED = BASE.replace("Middle", "Corrected")
AT = datetime(2026, 1, 1, tzinfo=UTC)


class Clock(SystemClock):
    """Acts at each look at the time: the second of a publication is between the last look at the file and the swap."""

    def __init__(self, *acts):
        self._acts = list(acts)

    def now(self):
        act = self._acts.pop(0) if self._acts else None
        if act is not None:
            act()
        return super().now()


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "STORY.md"
    file.write_text(BASE)
    return file


def story(path, *acts, **more):
    return StoryFile(path, history=path.parent / "history", clock=Clock(*acts), **more)


def append(text):
    return text if "### New" in text else f"{text}### New\n"


def save(path, text):
    other = path.with_name("swap")
    other.write_text(text)
    other.replace(path)


def truncating(path, content):
    """An editor that truncates the file, and one act later writes *content*, the first bytes of it at once."""
    handles = []

    def truncate(first=b""):
        handles.append(os.open(path, os.O_WRONLY | os.O_TRUNC))
        os.write(handles[0], first)

    def write(rest=content):
        os.write(handles[0], rest)
        os.close(handles[0])

    return truncate, write


def test_a_put_that_was_written_stands_together_with_the_save_that_slipped_in(path):
    def plan(text):
        check_unchanged(text, expected=etag_of(BASE))
        return edited(text, BASE + "put\n")

    story(path, None, lambda: save(path, BASE.replace("Middle", "Corrected"))).change(plan)

    assert "Corrected" in path.read_text() and "put\n" in path.read_text()


def test_what_was_written_is_told_apart_from_the_story_with_the_save_that_slipped_in(path):
    change = story(path, None, lambda: save(path, SLIPPED)).change(append)

    assert change.written == BASE + "### New\n"
    assert change.story == path.read_text() == SLIPPED + "### New\n"


def test_a_second_save_upon_what_we_published_does_not_lose_the_first(path):
    def again():
        save(path, path.read_text().replace("First", "Edited"))

    story(path, None, lambda: save(path, SLIPPED), again, None).change(append)
    story(path).change(append)

    assert "Corrected" in path.read_text() and "Edited" in path.read_text() and path.read_text().count("### New") == 1


@pytest.mark.parametrize("first", [b"", (BASE + "person\n").encode()[:12]])
def test_an_editor_in_the_midst_of_writing_doubles_nothing_and_loses_nothing(path, first):
    content = (BASE + "person\n").encode()
    truncate, write = truncating(path, content)
    story(path, None, lambda: truncate(first), lambda: write(content[len(first) :])).change(append)
    story(path).change(append)

    text = path.read_text()
    assert (text.count("person"), text.count("First line"), text.count("### New")) == (1, 1, 1)


def _die_after(path, kept):
    acts = [None, lambda: save(path, SLIPPED), None, None][:kept]
    story(path, *acts, lambda: os._exit(9)).change(append)


@pytest.mark.parametrize("kept", [1, 2, 3, 4])
def test_a_kill_at_any_step_of_the_exchange_loses_no_save(path, kept):
    child = multiprocessing.get_context("spawn").Process(target=_die_after, args=(path, kept))
    child.start()
    child.join()
    if kept == 1:
        save(path, SLIPPED)
    story(path).change(append)

    text = path.read_text()
    assert "Corrected" in text and text.count("### New") == 1 and text.count("First line") == 1


def test_a_save_in_three_slow_parts_is_whole_in_the_end(path):
    long = "".join(f"Line {number}.\n" for number in range(50))
    path.write_text(long)
    content = (long + "person\n").encode()
    handle = None

    def truncate():
        nonlocal handle
        handle = os.open(path, os.O_WRONLY | os.O_TRUNC)
        os.write(handle, content[:100])

    story(path, None, truncate).change(append)
    os.write(handle, content[100:200])
    story(path).change(append)
    os.write(handle, content[200:])
    os.close(handle)
    story(path).change(append)

    text = path.read_text()
    assert (text.count("person"), text.count("Line 49."), text.count("Line 5."), text.count("### New")) == (1, 1, 1, 1)


def test_a_pause_amid_a_save_leaves_one_pair_of_marks_and_every_line(path):
    days = "".join(f"### [2026-01-{day:02d}] Day\n\nLine {day}.\n\n" for day in range(1, 30))
    path.write_text(with_marks(days, sequence=1, anchor=AT))
    content = ("person\n" + path.read_text()).encode()

    def plan(text):
        bare = without_marks(text)
        new = as_chapter("### [2026-02-01] New\n\nNew words.\n\n")
        told = bare if "New words" in bare else placed(parse(bare), (new,)).text
        return with_marks(told, sequence=2, anchor=AT)

    story(path).change(lambda text: text)
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(handle, content[:200])
    story(path).change(plan)
    os.write(handle, content[200:])
    os.close(handle)
    story(path).change(plan)

    text = path.read_text()
    assert text.count("Line ") == 29 and text.count("person") == 1
    assert text.count("New words") == 1 and text.count("CURSOR") == 1


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")  # noqa: S108
def test_a_story_that_is_linked_from_another_disk_is_written_there(tmp_path):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as vault:  # noqa: S108
        real = Path(vault) / "vault.md"
        real.write_text(BASE)
        link = tmp_path / "home/minds/ada/STORY.md"
        link.parent.mkdir(parents=True)
        link.symlink_to(real)
        story(link, linked_folders=(Path(vault),)).change(append)
        story(link, linked_folders=(Path(vault),)).change(lambda text: text + "more\n")

        assert real.read_text() == BASE + "### New\nmore\n" and link.is_symlink()


@pytest.mark.parametrize("days", [(5, 2, 9), (5, 5.1, 9), (1, 2, 3)])
@pytest.mark.anyio
async def test_a_stale_save_over_a_chapter_has_its_turn_told_again(path, days):
    transcript = await Transcript(path.parent / "transcript", clock=SystemClock()).open()
    file = story(path)
    subject = MindStory(transcript, file, path.parent / "history/published.json")
    service = ConsolidationService(Narrator((ExtractiveModel(),)), clock=SystemClock())

    async def keep_and_tell(number):
        said = f"I told you that Zoe keeps the red box number {number}77 in Lyon."
        at = AT + timedelta(days=days[number - 1])
        await transcript.append(Turn(f"t{number}", "s", (Message(Speaker.USER, said, at),)), tokens=9)
        voice = Voice("bot", "", None)
        await service.update_narrative_story(subject, voice=voice, trigger="manual", progress=lambda _: None)

    await keep_and_tell(1)
    stale = path.read_text()
    await keep_and_tell(2)
    path.write_text("Edited.\n" + stale)
    await keep_and_tell(3)
    await transcript.close()

    assert [path.read_text().count(f"red box number {number}77") for number in (1, 2, 3)] == [1, 1, 1]
    assert "Edited." in path.read_text()
