"""Nothing twice, nothing lost: turns in any order of time, failing models, crashes, and a person at the file."""

import asyncio
import os
import tempfile
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.ports import Reply
from consolidation.kernel.turns import TurnKind
from consolidation.story.anchor import read_marks, with_marks, without_marks
from consolidation.story.chapters import as_chapter
from consolidation.story.consolidation import ConsolidationService
from consolidation.story.draft import StoryDraft
from consolidation.story.draft import apply_draft
from consolidation.story.narrator import Narrator
from consolidation.story.storyfile import StoryFile
from prompts.responses import StoryChapters, StoryRevision
from service.adapters.extractive_model import ExtractiveModel
from tests.support.story_lives import CURSOR, FILLER, FIRST, ID, VOICE, Crash, Echo, Life

pytestmark = pytest.mark.anyio

seconds = st.integers(-50, 50)
acts = st.tuples(
    st.sampled_from(
        ["keep", "line above", "line below", "copied marks", "no anchor", "no cursor", "no marks", "garbled anchor"]
        + ["moved anchor", "put", "put, moved", "put, forged", "restore"]
    ),
    seconds,
)
deaths = st.sampled_from(["before asking", "after asking", "before the replace", "after the replace"])
tales = st.fixed_dictionaries(
    {},
    optional={
        "dies": deaths,
        "dies_at": st.integers(0, 2),
        "fails_at": st.integers(0, 2),
        "bears": st.integers(1, 3),
        "meanwhile": acts,
    },
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), seconds),
        st.tuples(st.just("keep"), st.just(0)),
        st.tuples(st.just("beat"), seconds),
        st.tuples(st.just("tell"), st.just({})),
        st.tuples(st.just("tell"), tales),
        st.tuples(st.just("act"), acts),
        st.tuples(st.just("rewind"), seconds),
        st.tuples(st.just("skip"), st.just(0)),
        st.tuples(
            st.just("put right"), st.tuples(seconds, st.sampled_from([None, "before the replace", "after the replace"]))
        ),
        st.tuples(
            st.just("erase"), st.tuples(seconds, st.sampled_from([None, "before the replace", "after the replace"]))
        ),
    ),
    max_size=22,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps, st.sampled_from([60, 10_000]))
def test_each_turn_is_told_exactly_once_and_no_edit_is_gone(script, most_words):
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(live(Life(folder, most_words=most_words), script))


async def live(life, script):
    await life.start()
    for step, what in script:
        match step:
            case "keep":
                await life.keep(what)
            case "beat":
                await life.keep(what, kind=TurnKind.HEARTBEAT)
            case "tell":
                await life.tell(**what)
            case "act":
                await life.act(*what)
            case "rewind":
                await life.rewind(what)
            case "skip":
                await life.skip()
            case "put right":
                await life.put_right(*what)
            case "erase":
                await life.erase(*what)
    await life.settle()
    await life.transcript.close()
    life.check()


@pytest.fixture
async def life(tmp_path):
    life = Life(tmp_path, most_words=10_000)
    await life.start()
    yield life
    await life.transcript.close()


def told(life):
    return sorted(ID.findall(life.path.read_text()))


async def test_what_is_asked_for_again_is_told_again_though_a_batch_of_it_fails(life):
    for seconds in (50, 40, 30, 20, 10, 5):
        await life.keep(seconds)
    await life.tell()
    marks = read_marks(life.path.read_text())
    bare = with_marks(
        "# Mine\n", sequence=marks.sequence, anchor=marks.anchor - timedelta(seconds=60), tied_to=marks.anchor
    )
    life.path.write_text(bare)  # a person empties the story, and moves the anchor back to have it told again
    await life.tell(fails_at=1)
    await life.tell()

    assert set(told(life)) == set(life.ids)


async def test_an_anchor_of_before_tells_again_what_came_after_it_and_not_its_own_turn(life):
    await life.keep(10.000512)
    await life.tell()
    before = life.path.read_text()
    await life.keep(20.000512)
    await life.tell()
    marks = read_marks(life.path.read_text())
    text, anchor = without_marks(before), read_marks(before).anchor
    life.path.write_text(with_marks(text, sequence=marks.sequence, anchor=anchor, tied_to=marks.anchor))
    run = await life.tell()

    assert (run.turns, run.reason) == (1, "a person moved the anchor back: narrated again from there")


async def test_a_process_that_died_before_a_replace_does_not_stop_the_next_one(life):
    await life.keep(1)
    (life.path.parent / f".STORY.md.{os.getpid()}.new").write_text("half of it")  # in a container it has the same id
    run = await life.tell()

    assert (run.error, told(life)) == (None, life.ids)


async def test_a_process_that_dies_while_it_goes_back_to_an_earlier_story_loses_no_turn(life):
    await life.keep(0)
    await life.tell()
    version = life.path.read_text()
    await life.keep(-50)
    await life.tell()
    life.file.dies, life.file.dies_at, life.file.puts = "after the replace", 0, 0
    with pytest.raises(Crash):
        await life.service.rewind(life.subject, version=version)
    await life.start()
    await life.tell()

    assert set(told(life)) == set(life.ids)


async def test_going_back_to_a_story_whose_cursor_a_person_had_deleted_loses_no_turn(life):
    await life.keep(0)
    await life.tell()
    version = CURSOR.sub("", life.path.read_text())
    await life.keep(-50)
    await life.service.rewind(life.subject, version=version)
    await life.tell()

    assert set(told(life)) == set(life.ids)


async def test_the_story_of_another_tool_is_told_on_from_its_anchor(life):
    life.path.write_text("# Theirs\n\n<!-- LAST_PROCESSED: 2026-01-01T00:00:00.000Z -->\n")
    for seconds in (-50, 0, 50, 60):
        await life.keep(seconds)
    await life.tell()
    await life.keep(70)
    await life.tell()

    assert told(life) == ["Bruno3", "Bruno4", "Bruno5"]


LATE = {
    "the title": lambda text: text.replace("Mine", "All mine"),
    "the last line": lambda text: text.replace("First text.", "First text, edited late."),
    "a line below": lambda text: f"{text}And more, late.\n",
    "the anchor": lambda text: text.replace("LAST_PROCESSED: 2026-01-01", "LAST_PROCESSED: 2025-12-01"),
    "the marks": lambda text: without_marks(text),
}


@pytest.mark.parametrize("what", LATE)
def test_who_saves_late_into_the_version_we_displaced_takes_none_of_our_chapters_away(tmp_path, what):
    first, second = (FIRST + timedelta(days=day) for day in (0, 1))
    path = tmp_path / "STORY.md"
    path.write_text(with_marks("# Mine\n\n### [2026-01-01 10:00] One\n\nFirst text.\n", sequence=1, anchor=first))
    file = StoryFile(path, history=tmp_path / "story-history", clock=SystemClock())
    new = StoryDraft((as_chapter("### [2026-01-02 10:00] Two\n\nSecond text.\n\n"),))
    with path.open("r+") as editor:
        late = LATE[what](editor.read())
        file.change(lambda text: with_marks(apply_draft(without_marks(text), new), sequence=2, anchor=second))
        editor.seek(0)
        editor.write(late)
        editor.truncate()
    file.change(lambda text: with_marks(without_marks(text), sequence=2, anchor=second))

    story = path.read_text()
    assert story.count("Second text.") == 1
    assert set(without_marks(late).split()) <= set(story.split())


async def test_what_a_chapter_told_besides_an_erased_turn_is_told_again_once(life):
    for seconds in range(5):
        await life.keep(seconds)
    await life.tell()
    await life.erase(1)
    left = told(life)
    run = await life.tell()

    assert "Bruno2" not in left and len(left) < 4  # with it went who was met in the same chapter
    assert (run.error, told(life)) == (None, ["Bruno1", "Bruno3", "Bruno4", "Bruno5"])
    assert await life.service.pending(life.subject) == ()


async def test_what_is_never_to_be_told_is_told_again_when_that_is_taken_back(life):
    for seconds in range(5):
        await life.keep(seconds)
    await life.tell()
    await life.put_right(1)
    await life.tell()
    muted = told(life)
    await life.put_right(1)
    await life.tell()

    assert muted == ["Bruno1", "Bruno3", "Bruno4", "Bruno5"]
    assert told(life) == ["Bruno1", "Bruno2", "Bruno3", "Bruno4", "Bruno5"]


async def test_what_was_skipped_after_an_erase_is_not_told_again(life):
    for seconds in range(3):
        await life.keep(seconds)
    await life.tell()
    await life.erase(0)
    await life.skip()
    await life.keep(9)
    await life.tell()

    assert told(life) == ["Bruno4"]


class Reviser(Echo):
    """Tells a batch by writing the newest chapter anew, with what is new; ``chapters`` are those that it was shown."""

    is_hosted = True
    chapters = ()

    async def answer(self, ask):
        [new] = (await super().answer(ask)).content.append
        new = new.model_copy(update={"text": new.text.removesuffix(FILLER).strip()})
        self.chapters = ask.words["chapters"]
        [number, *_] = [one["number"] for one in reversed(self.chapters) if one["number"]] or [0]
        if not number:
            return Reply(StoryChapters(append=(new,)))
        known = self.chapters[number - 1]["text"].partition("\n")[2].strip()
        whole = StoryRevision(number=number, title="A day", text=f"{known} {new.text}")
        return Reply(StoryChapters(append=(), revise=(whole,)))


def revised_by(life, reviser):
    life.echo = reviser
    life.service = ConsolidationService(Narrator((reviser,)), clock=SystemClock(), batch_tokens=3)


async def test_what_a_revision_told_is_told_again_where_a_person_edits_the_chapter_meanwhile(life):
    """Broken: the revision is dropped for the person's edit, and its turns count as told."""
    revised_by(life, Reviser())
    await life.keep(0)
    await life.tell()
    await life.keep(1)

    async def edit():
        life.path.write_text(life.path.read_text().replace("She met Bruno1", "She met my Bruno1"))

    life.echo.meanwhile = edit
    failed = await life.tell()
    left = await life.service.pending(life.subject)
    again = await life.tell()

    assert failed.error == "ChangedElsewhere: a chapter was edited while it was told anew; try again"
    assert ([one.turn.turn_id for one in left], again.error) == (["t2"], None)
    assert told(life) == ["Bruno1", "Bruno2"]
    assert "my Bruno1" in life.path.read_text()


async def test_what_a_revision_told_is_owed_where_a_persons_save_slips_in_and_wins(life):
    """Broken: the merge drops the revision, and nobody learns of it."""
    revised_by(life, Reviser())
    await life.keep(0)
    await life.tell()
    await life.keep(1)
    swap, saved = life.file.change, life.path.read_text().replace("Bruno1.", "Bruno1, whom I like.")

    def slipped(plan):
        with life.path.open("r+") as editor:  # as an editor that holds the version which is displaced
            swap(plan)
            editor.truncate()
            editor.write(saved)
        change = swap(lambda text: text)
        return change

    life.file.change = slipped
    await life.tell()
    life.file.change = swap
    left = await life.service.pending(life.subject)
    await life.tell()

    assert [one.turn.turn_id for one in left] == ["t2"]
    assert told(life) == ["Bruno1", "Bruno2"]
    assert "whom I like" in life.path.read_text()


async def test_a_turn_that_no_model_can_end_is_quoted_in_the_third_run_and_those_behind_it_are_told(life):
    """Broken: one turn stops the story for ever."""
    life.echo.bears = 0
    life.service = ConsolidationService(
        Narrator((life.echo,), quoting=ExtractiveModel()), clock=SystemClock(), batch_tokens=3
    )
    await life.keep(0)
    runs = [await life.tell(bears=0) for _ in range(3)]

    assert [(run.error is None, run.narrated, run.quoted) for run in runs] == [(False, 0, 0)] * 2 + [(True, 1, 1)]
    assert "Bruno1" in life.path.read_text()


async def test_a_persons_chapter_of_any_length_leaves_room_for_the_turns(life):
    """Broken: twelve whole chapters are shown, and a pasted diary fills the window of a model for good."""
    revised_by(life, Reviser())
    diary = "".join(f"### [2025-12-{day:02} 10:00] Diary\n\n{FILLER * 90}\n\n" for day in range(1, 13))
    life.path.write_text(f"# Mine\n\n{diary}### [2025-12-31 10:00] A long one\n\n{FILLER * 900}\n")
    await life.keep(0)
    run = await life.tell()
    shown = life.echo.chapters

    assert (run.error, told(life)) == (None, ["Bruno1"])
    assert [one["text"].splitlines()[0] for one in shown] == ["### [2025-12-31 10:00] A long one"]
    assert len(shown[0]["text"]) < len(FILLER) * 500 and shown[0]["text"].endswith("[…]")


async def told_in_two_places(life):
    """
    The run of a service in whose thinking another one tells the same turns.

    That one has the same story and a lock of its own, as where a service lost its lease while the narrator was thinking.
    """
    other = ConsolidationService(Narrator((Echo(),)), clock=SystemClock(), batch_tokens=3)

    async def tell_elsewhere():
        await other.update_narrative_story(life.subject, voice=VOICE, trigger="manual", progress=lambda _: None)

    life.echo.meanwhile = tell_elsewhere
    return await life.tell()


async def test_what_another_process_has_told_meanwhile_is_not_told_again(life):
    await life.keep(1)
    await life.keep(2)
    run = await told_in_two_places(life)
    again = await life.tell()

    assert run.error.startswith("ChangedElsewhere: ")
    assert (again.error, told(life)) == (None, life.ids)


async def test_what_another_process_has_told_of_owed_turns_is_not_told_again(life):
    for seconds in range(3):
        await life.keep(seconds)
    await life.tell()
    await life.erase(1)
    run = await told_in_two_places(life)
    again = await life.tell()

    assert run.error.startswith("ChangedElsewhere: ")
    assert (again.error, told(life)) == (None, ["Bruno1", "Bruno3"])


def tell_in_batches_of(life, tokens):
    """A service that has just begun, with another size of batches; what the narrator was shown is counted anew."""
    life.echo.shown = []
    life.service = ConsolidationService(
        Narrator((life.echo,)), clock=SystemClock(), batch_tokens=tokens, most_words=10_000
    )


async def test_what_a_narrator_is_too_slow_for_is_told_in_smaller_batches_in_the_next_runs_too(life):
    """Broken: ``_in_batches`` shrinks nothing where a model takes too long; ``_note_run`` writes no size down."""
    for seconds in range(16):
        await life.keep(seconds)
    life.echo.in_time = 4
    tell_in_batches_of(life, 16)
    first = await life.tell()
    shown = [life.echo.shown]
    tell_in_batches_of(life, 16)
    second = await life.tell()
    shown.append(life.echo.shown)

    assert shown == [[16, 8], [4, 8, 4, 4, 4]]
    assert (first.error, first.quoted) == ("ModelTimedOut: not within 300 s", 0)
    assert (second.error, second.narrated, second.quoted) == (None, 16, 0)
    assert set(told(life)) == set(life.ids)


async def test_batches_grow_again_when_a_narrator_is_in_time_again(life):
    """Broken: ``grow`` does nothing."""
    for seconds in range(8):
        await life.keep(seconds)
    life.echo.in_time = 2
    tell_in_batches_of(life, 8)
    await life.tell()
    shown = [life.echo.shown]
    life.echo.in_time = None
    for _ in range(2):
        tell_in_batches_of(life, 8)
        await life.tell()
        shown.append(life.echo.shown)
        for seconds in range(8):
            await life.keep(seconds + 100)

    assert shown == [[8, 4], [2, 4, 2], [8]]


async def test_a_narrator_that_hangs_is_asked_twice_in_a_run_and_nothing_is_quoted(life):
    """Broken: batches shrink as long as they can, at the price of a time limit each; a turn is quoted in the end."""
    for seconds in range(16):
        await life.keep(seconds)
    life.echo.in_time = 0
    tell_in_batches_of(life, 16)
    runs = [await life.tell() for _ in range(4)]

    assert life.echo.shown == [16, 8, 4, 2, 1, 1]
    assert {(one.narrated, one.quoted) for one in runs} == {(0, 0)}
    assert told(life) == []
