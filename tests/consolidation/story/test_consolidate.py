"""Nothing twice, nothing lost: turns in any order of time, failing models, crashes, and a person at the file."""

import asyncio
import re
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelUnavailable, StoryUnreadable
from consolidation.kernel.ports import Reply
from consolidation.kernel.turns import Kind, Message, Speaker, Turn
from consolidation.story.consolidate import ConsolidationService
from consolidation.story.run import Subject
from consolidation.story.narrator import Narrator, Voice
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.log import Transcript
from prompts.responses import StoryChapter, StoryChapters

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
ANCHOR = re.compile(r"^<!-- LAST_PROCESSED.*\n", re.MULTILINE)
MARKS = re.compile(r"^<!-- (?:LAST_PROCESSED|CURSOR).*\n", re.MULTILINE)


class Echo:
    """A narrator that writes down the ids it was told, or does not answer."""

    is_hosted = False

    def __init__(self):
        self.is_away = False

    async def answer(self, ask):
        if self.is_away:
            raise ModelUnavailable("away")
        batch = ask.words["batch"]
        ids = " ".join(re.findall(r"\bid\d+\b", " ".join(turn["text"] for turn in batch)))
        return Reply(StoryChapters(append=(StoryChapter(at=batch[0]["when"], title=f"Of {ids}", text="Told."),)))

    async def converse(self, messages):
        raise NotImplementedError


class Crashing(StoryFile):
    """Dies before or after a replace, when it is told to."""

    crash = None

    def change(self, plan):
        crash, self.crash = self.crash, None
        if crash == "before":
            raise StoryUnreadable("crashed")
        text = super().change(plan)
        if crash == "after":
            raise StoryUnreadable("crashed")
        return text


def edit(path, how, number):
    text = path.read_text() if path.exists() else ""
    match how:
        case "line":
            path.write_text(f"HUMAN{number}\n\n{text}")
        case "no anchor":
            path.write_text(ANCHOR.sub("", text))
        case "no marks":
            path.write_text(MARKS.sub("", text))
        case "future":
            path.write_text(ANCHOR.sub("<!-- LAST_PROCESSED: 2999-01-01T00:00:00.000Z -->\n", text))
        case "garbage":
            path.write_text(ANCHOR.sub("<!-- LAST_PROCESSED: yesterday -->\n", text))


steps = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), st.integers(-50, 50)),
        st.tuples(st.just("heartbeat"), st.integers(0, 1)),
        st.tuples(st.just("tell"), st.sampled_from(["well", "well", "away", "before", "after"])),
        st.tuples(st.just("edit"), st.sampled_from(["line", "no anchor", "no marks", "future", "garbage"])),
    ),
    max_size=18,
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps)
def test_each_turn_is_told_exactly_once_and_no_edit_is_gone(script):
    asyncio.run(live(script))


async def live(script):
    with tempfile.TemporaryDirectory() as folder:
        path, echo = Path(folder) / "STORY.md", Echo()
        path.write_text(
            "# Mine\n"
        )  # a missing file is believed only after a while, which would be waited for each time
        transcript = await Transcript(Path(folder) / "transcript", clock=SystemClock()).open()
        file = Crashing(path, history=path.parent / "story-history", clock=SystemClock())
        ledger = path.parent / "story-history/published.json"
        subject = Subject(transcript, file, ledger, Voice("the bot", "", None))
        service = ConsolidationService(Narrator((echo,)), clock=SystemClock(), batch_tokens=3)
        ids, lines, is_ledger_behind = [], [], False

        async def tell(how):
            echo.is_away = how == "away"
            file.crash = how if how in {"before", "after"} else None
            return await service.update_narrative_story(subject, trigger="manual", progress=lambda _: None)

        for number, (step, what) in enumerate(script):
            if step == "keep":
                ids.append(f"id{number}")
                said = Message(Speaker.USER, f"This is id{number}.", FIRST + timedelta(seconds=what))
                await transcript.append(Turn(f"t{number}", "s", (said,)), tokens=1)
            elif step == "heartbeat":
                said = Message(Speaker.USER, "beat", FIRST)
                await transcript.append(Turn(f"t{number}", "s", (said,), Kind.HEARTBEAT), tokens=1)
            elif step == "tell":
                run = await tell(what)
                is_ledger_behind = what == "after" and run.error is not None
            elif what != "no marks" or not is_ledger_behind:
                # A crash and a person who deletes both marks at once leave no proof of the last chapter.
                edit(path, what, number)
                lines += [f"HUMAN{number}"] if what == "line" else []
        while await service.pending(subject):
            assert (await tell("well")).error is None
        story = path.read_text() if path.exists() else ""
        await transcript.close()

    told = re.findall(r"\bid\d+\b", story)
    assert sorted(told) == sorted(ids)
    assert all(line in story.splitlines() for line in lines)
