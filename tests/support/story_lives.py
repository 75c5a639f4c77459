"""A mind whose story is told while a process dies, a model is away and a person edits; and what must be true of it."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from consolidation.corrections.correction_log import CorrectionLog
from consolidation.corrections.record import Correction, Target, Undo, What
from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelTimedOut, ModelTruncated, ModelUnavailable
from consolidation.kernel.ports import Reply
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.story.anchor import read_marks
from consolidation.story.chapter_turns import ErasedTurns
from consolidation.story.chapters import parse
from consolidation.story.consolidation import ConsolidationService
from consolidation.story.edits import check_unchanged, edited, etag_of
from consolidation.story.ledger import read_ledger
from consolidation.story.narrator import Narrator, Voice
from consolidation.story.run import MindStory
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.log import Transcript
from prompts.responses import StoryChapter, StoryChapters

VOICE = Voice("the bot", "", None)
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
ANCHOR = re.compile(r"^<!-- LAST_PROCESSED.*\n", re.MULTILINE)
CURSOR = re.compile(r"^<!-- CURSOR.*\n", re.MULTILINE)
MARKS = re.compile(r"^<!-- (?:LAST_PROCESSED|CURSOR).*\n", re.MULTILINE)
PAIR = ("CURSOR", "LAST_PROCESSED")
ID, HUMAN = re.compile(r"\bBruno\d+\b"), re.compile(r"^HUMAN\d+$", re.MULTILINE)
FILLER = "It was a long day and nothing else of it is worth more words than these few ones here."


def anchored(seconds):
    return f"<!-- LAST_PROCESSED: {(FIRST + timedelta(seconds=seconds)).isoformat(timespec='milliseconds')} -->\n"


class Crash(BaseException):
    """The process ends here."""


class Echo:
    """
    A narrator that writes down who was met in its turns, or does not answer; ``meanwhile`` runs as it thinks.

    It takes at most ``bears`` turns in, and is too slow for more than ``in_time``. ``shown`` is of how many it was asked.
    """

    is_hosted = False
    meanwhile = fails_at = dies = bears = in_time = None
    asked = 0

    def __init__(self):
        self.shown = []

    async def answer(self, ask):
        self.asked += 1
        if self.dies == "before asking":
            raise Crash
        if self.fails_at is not None and self.asked > self.fails_at:
            raise ModelUnavailable("away")
        batch = ask.words["batch"]
        self.shown.append(len(batch))
        if self.in_time is not None and len(batch) > self.in_time:
            raise ModelTimedOut("not within 300 s")
        if self.bears is not None and len(batch) > self.bears:
            raise ModelTruncated("too long")
        met = ID.findall(" ".join(one.content for turn in batch for one in turn["said"]))
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        if self.dies == "after asking":
            raise Crash
        text = f"She met {', and she met '.join(met)}. {FILLER}"
        return Reply(StoryChapters(append=(StoryChapter(at=batch[0]["when"], title="A day", text=text),)))

    async def converse(self, messages):
        raise NotImplementedError


class Dying(StoryFile):
    """Dies before or after a replace, when it is told to; ``puts`` counts them."""

    dies, dies_at, puts = None, 0, 0

    def change(self, plan):
        is_now = self.dies is not None and self.puts == self.dies_at
        self.puts += 1
        if is_now and self.dies == "before the replace":
            raise Crash
        change = super().change(plan)
        if is_now and self.dies == "after the replace":
            raise Crash
        return change


class Life:
    """A mind, a person at its story, and what must be true of both."""

    def __init__(self, folder, *, most_words):
        self.path = Path(folder) / "STORY.md"
        self.path.write_text("# Mine\n")  # a missing file is believed only after a while
        self.ledger = self.path.parent / "story-history/published.json"
        self.most_words = most_words
        self.number = 0
        self.ids, self.again, self.gone, self.lines = [], set(), set(), set()
        self.erased, self.edited = set(), set()
        self.muted, self.brought_back = {}, False

    async def start(self):
        """As a process that has just begun."""
        self.transcript = await Transcript(self.path.parent / "transcript", clock=SystemClock()).open()
        self.echo = Echo()
        kept = {"history": self.path.parent / "story-history", "clock": SystemClock()}
        self.file, self.hand = Dying(self.path, **kept), StoryFile(self.path, **kept)
        self.corrections = CorrectionLog(self.path.parent / "corrections.jsonl", torn=self.path.parent / "torn")
        self.subject = MindStory(self.transcript, self.file, self.ledger, self.corrections)
        narrator = Narrator((self.echo,))
        self.service = ConsolidationService(narrator, clock=SystemClock(), batch_tokens=3, most_words=self.most_words)

    async def keep(self, seconds, *, kind=TurnKind.TURN):
        self.number += 1
        said = Message(Speaker.USER, f"She met Bruno{self.number}.", FIRST + timedelta(seconds=seconds))
        turn = Turn(f"t{self.number}", f"s{self.number % 3}", (said,), kind)
        self.ids += [f"Bruno{self.number}"] if kind is TurnKind.TURN else []
        await self.transcript.append(turn, tokens=1)

    async def tell(self, *, dies=None, dies_at=0, fails_at=None, meanwhile=None, bears=None):
        self.echo.fails_at, self.echo.asked, self.echo.bears = fails_at, 0, bears
        self.echo.dies = self.file.dies = dies
        self.file.dies_at, self.file.puts = dies_at, 0
        if meanwhile is not None:
            self.echo.meanwhile = lambda: self.act(*meanwhile)
        try:
            return await self.service.update_narrative_story(
                self.subject, voice=VOICE, trigger="manual", progress=lambda _: None
            )
        except Crash:
            await self.transcript.close()
            await self.start()
        finally:
            self.echo.meanwhile = self.echo.dies = self.file.dies = None

    async def act(self, what, number):
        """Something that a person, or a bot, may do at any moment."""
        text = self.path.read_text()
        match what:
            case "keep":
                await self.keep(number)
            case "line above":
                self.path.write_text(f"{self.line()}\n\n{text}")
            case "line below":
                self.path.write_text(f"{text}\n{self.line()}\n")
            case "copied marks":
                self.path.write_text("".join(found[0] for found in MARKS.finditer(text)) + text)
            case "no anchor":
                self.path.write_text(ANCHOR.sub("", text))
            case "no cursor" if not self.is_ledger_behind():
                self.path.write_text(CURSOR.sub("", text))
            case "no marks" if not self.is_ledger_behind():
                self.path.write_text(MARKS.sub("", text))
            case "garbled anchor":
                self.path.write_text(ANCHOR.sub("<!-- LAST_PROCESSED: yesterday -->\n", text))
            case "moved anchor":
                self.moved(text, number)
                self.path.write_text(ANCHOR.sub(anchored(number), text))
            case "put":
                mine = f"{self.line()}\n\n{MARKS.sub('', text)}"
                self.put(text, mine)
            case "put, moved":
                self.moved(text, number)
                self.put(text, f"{self.line()}\n\n{ANCHOR.sub(anchored(number), text)}")
            case "put, forged":
                forged = f"<!-- CURSOR: v1 seq={abs(number)} for=2999-01-01T00:00:00.000Z -->\n"
                self.put(text, f"{self.line()}\n\n{MARKS.sub('', text)}{forged}")
            case "restore" if version := self.version(number):
                await asyncio.to_thread(self.hand.change, lambda story: edited(story, MARKS.sub("", version)))
                self.lines = set(HUMAN.findall(version))
                self.brought_back = True  # what was muted, too: a person wants just this text
                self.gone |= set(ID.findall(text)) - set(ID.findall(version))

    async def rewind(self, number):
        if version := self.version(number):
            self.again |= set(self.ids)
            self.brought_back = True
            self.lines = set(HUMAN.findall(version))
            await self.service.rewind(self.subject, version=version)

    async def skip(self):
        waiting = await self.service.pending(self.subject)
        self.gone |= {f"Bruno{kept.turn.turn_id[1:]}" for kept in waiting}
        await self.service.skip(self.subject, trigger="manual")

    async def erase(self, number, dies=None):
        """Erase a turn; what a person's own chapter says of it stays, and is named."""
        if not self.ids:
            return
        met = self.ids.pop(number % len(self.ids))
        sequence = self.transcript.positions.sequence_of(f"t{met[5:]}")
        await self.transcript.erase([sequence])
        erased = ErasedTurns(frozenset({sequence}), (f"{met},", f"{met}."))
        self.file.dies, self.file.dies_at, self.file.puts = dies, 0, 0
        try:
            taken = await self.service.erase(self.subject, erased)
        except Crash:
            await self.transcript.close()
            await self.start()
            taken = await self.service.erase(self.subject, erased)
        finally:
            self.file.dies = None
        self.erased.add(met)
        self.edited |= {met} if taken.edited else set()

    async def put_right(self, number, dies=None):
        """Say that a turn is never to be told again; or, of one that is not, take that back."""
        if not self.ids:
            return
        met, now = self.ids[number % len(self.ids)], FIRST + timedelta(days=1)
        if met in self.muted:
            self.corrections.undo(Undo(f"undo-{self.muted[met]}", now, "owner", self.muted.pop(met)))
        else:
            self.number += 1
            target = Target("turn", met, (f"t{met[5:]}",))
            made = Correction(f"c{self.number}", now, "owner", What.MUTE, target)
            self.muted[met] = self.corrections.add(made, check=lambda _: None).id
        self.file.dies, self.file.dies_at, self.file.puts = dies, 0, 0
        try:
            await self.service.put_right(self.subject)
        except Crash:
            await self.transcript.close()
            await self.start()
            await self.service.put_right(self.subject)
        finally:
            self.file.dies = None

    def version(self, number):
        versions = self.file.versions()
        return self.file.version(versions[abs(number) % len(versions)].name) if versions else None

    def put(self, story, mine):
        def plan(standing):
            check_unchanged(standing, expected=etag_of(story))
            return edited(standing, mine)

        self.hand.change(plan)

    def line(self):
        self.number += 1
        self.lines.add(f"HUMAN{self.number}")
        return f"HUMAN{self.number}"

    def moved(self, text, seconds):
        then = read_marks(text).tied_to or read_ledger(self.ledger).anchor
        if then is None or FIRST + timedelta(seconds=seconds) < then:
            self.again |= set(self.ids)  # moved back: asked for again

    def is_ledger_behind(self):
        """Then who takes the cursor away takes the only proof of what was told last."""
        return (read_marks(self.path.read_text()).sequence or 0) > (read_ledger(self.ledger).sequence or 0)

    async def settle(self):
        """Tell until nothing waits; a last turn, so that the last thing is a tale, not an edit."""
        await self.keep(0)
        for _ in range(12):
            if not await self.service.pending(self.subject):
                return
            assert (await self.tell()).error is None
        raise AssertionError("never done")

    def check(self):
        story = self.path.read_text()
        found = ID.findall(story)
        for met in self.ids:
            told = found.count(met)
            assert told >= 1 or met in self.gone or met in self.muted, f"{met} is lost:\n{story}"
            assert told <= 1 or met in self.again, f"{met} is told {told} times:\n{story}"
        ours = read_ledger(self.ledger).digests
        told = {met for one in parse(story).chapters if one.digest in ours for met in ID.findall(one.text)}
        assert not told & self.erased, f"erased and told:\n{story}"
        assert self.brought_back or not told & self.muted.keys(), f"muted and told:\n{story}"
        assert not set(found) & self.erased - self.edited, f"a person's, and not named:\n{story}"
        for version in self.file.versions():
            assert not set(ID.findall(self.file.version(version.name))) & self.erased - self.edited
        log = "".join(file.read_text() for file in self.path.parent.glob("transcript/*.jsonl"))
        assert not set(ID.findall(log)) & self.erased
        assert set(HUMAN.findall(story)) == self.lines
        assert [len(re.findall(rf"^<!-- {mark}.*\d", story, re.MULTILINE)) for mark in PAIR] == [1, 1]
