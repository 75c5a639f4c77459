"""
The story's own code in processes that are killed many times a second: no service, no graph, only what tells and writes.

A nest has everything imported and forks, each time it is asked, a child that keeps turns, tells them and puts edits
until it is killed; the last one tells what is left and ends by itself.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import random
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import StoryChanged, StoryFault
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.story.consolidation import ConsolidationService
from consolidation.story.edits import check_unchanged, edited, etag_of
from consolidation.story.narrator import Narrator, Voice
from consolidation.story.quotes import quote
from consolidation.story.run import MindStory
from consolidation.story.storyfile import StoryFile
from consolidation.text.language import detect
from consolidation.text.tokens import cut_to_tokens
from consolidation.transcript.log import Transcript
from consolidation.workspace import Workspace
from service.adapters.extractive_model import ExtractiveModel
from tests.support.editors import PLACES, Desk, with_line
from tests.support.forked_process import ForkedProcess
from tests.support.paths import ROOT
from tests.support.story_processes import SAID, day_of, token_of
from tests.support.waiting import GIVE_UP

VOICE = Voice("the bot", "", None)
ENDS = 2  # turns that the last child keeps: a save into a displaced version is merged at the next change


class Nest:
    """The process that forks; children are ended by their id."""

    def __init__(self, mind, desk, *, seed):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = ForkedProcess(["tests.support.story_alone", mind, desk, seed], **pipes, text=True, cwd=ROOT)

    def begin(self, *, is_last=False):
        """The id of a new child."""
        return int(self._said("last" if is_last else "begin"))

    def ended(self):
        """How the child ended; waits for it."""
        return int(self._said("wait"))

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(GIVE_UP)

    def _said(self, word):
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


class Child:
    """A process that tells, until it is killed."""

    def __init__(self, workspace, desk, rng):
        self._workspace, self._desk, self._rng = workspace, desk, rng
        self._file = StoryFile(workspace.story, history=workspace.history, clock=SystemClock())

    async def live(self, *, is_last):
        clock = SystemClock()
        narrator = Narrator((ExtractiveModel(),))
        transcript = await Transcript(self._workspace.transcript, clock=clock).open()
        service = ConsolidationService(narrator, clock=clock, most_words=10**9)
        subject = MindStory(transcript, self._file, self._workspace.published)
        if not is_last:
            threading.Thread(target=self._put_for_ever, daemon=True).start()
        for _ in range(ENDS if is_last else 10**9):
            await _keep(transcript, self._rng.randint(1, 3))
            await _tell(service, subject)

    def _put_for_ever(self):
        while True:
            with suppress(StoryFault):  # nobody knows whether the line stands: it is given up, and not counted
                self._put()

    def _put(self):
        """What a client of the doors does: a line is put in, upon the very story that was seen."""
        line, place = f"EDIT-put-{time.time_ns()}", self._rng.choice(PLACES)
        seen = self._file.read()
        time.sleep(self._rng.uniform(0.0, 1.0))
        while True:
            new = with_line(seen.encode(), line, place=place, rng=self._rng).decode()
            try:
                with self._desk.turn():
                    self._file.change(lambda story: _guarded(story, seen, new))
                    return self._desk.note(line=line, place=place, at=time.time())
            except StoryChanged as changed:
                seen = changed.current


def _guarded(story, seen, new):
    check_unchanged(story, expected=etag_of(seen))
    return edited(story, new)


async def _keep(transcript, turns):
    for number in range(transcript.positions.last + 1, transcript.positions.last + 1 + turns):
        said = Message(Speaker.USER, SAID.format(token=token_of(number)), day_of(number))
        await transcript.append(Turn(f"turn-{token_of(number)}", "s1", (said,), TurnKind.TURN), tokens=17)


async def _tell(service, subject):
    while True:
        run = await service.update_narrative_story(subject, voice=VOICE, trigger="manual", progress=lambda _: None)
        if run.error is None:
            return


def _warm():
    """Load what is slow to load, so that no child has to."""
    quote([{"when": "2015-01-01 09:00", "said": (Message(Speaker.USER, SAID),)}], language=detect(SAID))
    cut_to_tokens(SAID, limit=5)
    importlib.import_module("anyio._backends._asyncio")


def main():
    mind, desk, seed = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    _warm()
    number = child = 0
    for word in sys.stdin:
        if word.strip() == "wait":
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            continue
        number += 1
        child = os.fork()
        if child == 0:
            rng = random.Random(f"{seed} {number}")
            asyncio.run(Child(Workspace(mind), Desk(desk, "put"), rng).live(is_last=word.strip() == "last"))
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
