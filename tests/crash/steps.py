"""
What happens to the process that is to die: each step of a turn's way, of an outcome's, of a correction's and of a dream's is
counted, and at the armed one the deed is done.

Nothing of it is in the product. The seams are the system calls that the transcript and the logs make,
the methods of the graph, the statements of Graphiti, the publication of the story, the writes of a dream: wrapped here,
in the process of the harness, and only there.
"""

from __future__ import annotations

import errno
import functools
import inspect
import json
import os
import signal
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module

from tests.support.embedded_graph import redis_pids

STEPS = (
    "accepted",  # nothing is written yet
    "torn",  # half of the line is
    "appended",  # all of it, not synced
    "synced",
    "answered",  # 202 has left
    "indexed",  # in full text
    "saved",  # the episode and its vectors are in the graph
    "half extracted",  # Graphiti has written entities, not yet their facts
    "extracted",
    "facts indexed",
    "cursor moved",
    "chapter noted",  # in the ledger, not yet in the story
    "story exchanged",  # the file is the new one, its folder not synced
    "story written",
    "outcome torn",  # half of what became of memories is in its log
    "outcome synced",  # all of it, nothing of it is counted yet
    "outcome counted",
    "correction torn",  # half of what a person put right is in its log
    "correction synced",
)
RESTING_STEPS = (  # of a mind that nobody uses, and that somebody uses again
    "mind at rest",  # closed, and its row says so
    "checkpoint written",  # its graph is in a file, and in the server's memory
    "graph evicted",
    "mind awake",  # its row says so; nothing of it is open
    "graph restored",  # it is in the server's memory again, the file is still there
    "checkpoint deleted",
)
ACTION_STEPS = STEPS[:4]  # of actions, which are stored as turns
DREAM_STEPS = (  # of one dream, in the order of its writes
    "sleep owed",  # sleep.json says that a dream is owed; the sleep is not answered yet
    "dream drafted",  # it is thought through, nothing of it is written
    "observations exchanged",  # the file is the new one, what we wrote last is not noted
    "observations written",
    "observations noted",  # in the draft
    "rules exchanged",
    "rules written",
    "rules noted",
    "briefing exchanged",
    "briefing written",
    "briefing noted",
    "dream torn",  # half of its line is in dreams.jsonl
    "dream logged",
    "dream noted",
    "draft deleted",
    "sleep paid",  # sleep.json owes nothing
)
DEEP_STEPS = (  # of the deep sleep behind it
    "levels written",
    "dreams replaced",
    "observations pruned",
    "priorities exchanged",
    "priorities written",
    "diary exchanged",
    "diary written",
    "evaluation torn",
    "evaluated",
)
STOCK_STEPS = ("accepted", "answered", "extracted")  # what the published pattern has of them
DEEDS = ("service", "graph", "both", "full disk")
FULL_WRITES = 12  # that a full disk lasts


@dataclass(frozen=True)
class Arm:
    """
    At the *hit*-th time that *step* is reached, *deed*: what is killed, that the disk is full for a while, or ``stop``,
    which stops the process until somebody lets it go on.
    """

    step: str
    hit: int
    deed: str


class Steps:
    """Counts the steps in a file that outlives us: ``reached STEP``, and ``STEP: DEED`` before the armed deed."""

    def __init__(self, log, arm):
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._arm = arm
        self._hits = Counter()
        self._lock = threading.Lock()
        self.full = 0  # writes that the disk still refuses

    def reach(self, step):
        if self.is_due(step):
            self.act()

    def is_due(self, step):
        """Count the step; whether it is the armed one."""
        with self._lock:
            self._hits[step] += 1
            with suppress(OSError):  # a test may refuse every file of ours to grow
                os.write(self._log, f"reached {step}\n".encode())
            return self._arm is not None and (step, self._hits[step]) == (self._arm.step, self._arm.hit)

    def arm_next(self, arms):
        """From now on be armed with what *arms* holds, as JSON: a step, at its next hit, and a deed. For a signal."""
        found = json.loads(arms.read_text())
        self._arm = Arm(found["step"], self._hits[found["step"]] + 1, found["deed"])

    def act(self):
        os.write(self._log, f"{self._arm.step}: {self._arm.deed}\n".encode())
        if self._arm.deed == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        if self._arm.deed == "full disk":
            self.full = FULL_WRITES
            return
        if self._arm.deed in {"graph", "both"}:
            for pid in redis_pids():
                os.kill(pid, signal.SIGKILL)
        if self._arm.deed in {"service", "both"}:
            os.kill(os.getpid(), signal.SIGKILL)


class _Disk:
    """``os`` as the transcript sees it."""

    def __init__(self, steps):
        self._steps = steps

    def __getattr__(self, name):
        return getattr(os, name)

    def write(self, handle, content):
        self._steps.reach("accepted")
        if self._steps.full:
            return self._refused(handle, content)
        half = len(content) // 2
        written = os.write(handle, content[:half])
        self._steps.reach("torn")
        written += os.write(handle, content[half:])
        self._steps.reach("appended")
        return written

    def _refused(self, handle, content):
        """What a disk does whose last blocks are taken: a part of it, without an error, then the error."""
        self._steps.full -= 1
        if self._steps.full % 2:
            return os.write(handle, content[: max(1, len(content) // 2)])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Tearing:
    """``os`` as the writer of files sees it: what a thread writes for a log that is torn goes out in two halves."""

    def __init__(self, steps):
        self._steps = steps
        self._thread = threading.local()

    def __getattr__(self, name):
        return getattr(os, name)

    def write(self, handle, content):
        step = getattr(self._thread, "step", None)
        if step is None:
            return os.write(handle, content)
        half = len(content) // 2
        written = os.write(handle, content[:half])
        self._steps.reach(step)
        return written + os.write(handle, content[half:])

    def tear(self, append, step):
        """*append*, with all that it writes torn at *step*."""

        @functools.wraps(append)
        def torn(*words):
            self._thread.step = step
            try:
                append(*words)
            finally:
                self._thread.step = None

        return torn


def install(steps):
    """Wrap the seams of the service in this process."""
    log = import_module("consolidation.transcript.log")
    graph = import_module("service.adapters.falkordb.mind_graph").FalkorMindGraph
    text = import_module("service.index.text_index").TextIndex
    publish = import_module("consolidation.story.publish")
    storyfile = import_module("consolidation.story.storyfile")
    log.os = _Disk(steps)
    _after(log, "_sync", steps, "synced")
    _after(text, "add_turns", steps, "indexed")
    _after(text, "add_knowledge", steps, "facts indexed")
    _after(graph, "save", steps, "saved")
    _after(
        import_module("service.adapters.falkordb.graphiti_store").GraphitiStore,
        "node_save_bulk",
        steps,
        "half extracted",
    )
    _after(graph, "extract", steps, "extracted")
    _after(graph, "mark_extracted", steps, "cursor moved")
    _after(publish, "record_ours", steps, "chapter noted")
    _after(storyfile, "put_in_place", steps, "story exchanged")
    _after(storyfile.StoryFile, "change", steps, "story written")
    outcomes = import_module("service.mind.outcomes")
    files = import_module("consolidation.kernel.files")
    files.os = _Tearing(steps)
    outcomes.append_synced = files.os.tear(outcomes.append_synced, "outcome torn")
    _after(outcomes, "append_synced", steps, "outcome synced")
    _after(outcomes.OutcomeIndex, "add", steps, "outcome counted")
    corrections = import_module("consolidation.corrections.correction_log")
    corrections.append_synced = files.os.tear(corrections.append_synced, "correction torn")
    _after(corrections, "append_synced", steps, "correction synced")
    _install_resting(steps)
    _install_dreams(steps, files.os)
    _before(import_module("service.mind.events").MindEvents, "publish", steps, before_event)


def before_event(_, mind_id, kind, **about):
    """The step of an event that is about to be published: what it tells of is written."""
    return f"event {kind}"


def _install_resting(steps):
    """Wrap how a mind is closed and its graph leaves memory and comes back; who rests is looked for all the time."""
    checkpoints = import_module("service.adapters.falkordb.checkpoints")
    import_module("service.ingest.ingestion")._CLOSE_SECONDS = 0.1
    import_module("service.mind.graph_eviction")._LOOK_SECONDS = 0.1
    import_module("service.adapters.falkordb.graphs").FalkorGraphs.__init__.__kwdefaults__["settle_seconds"] = 0.5
    _after(import_module("service.mind.resting").RestingMinds, "rest", steps, "mind at rest")
    _after(import_module("service.mind.resting").RestingMinds, "wake", steps, "mind awake")
    _after(checkpoints, "write_checkpoint", steps, "checkpoint written")
    _after(checkpoints.GraphCheckpoints, "_take_out", steps, "graph evicted")
    _after(checkpoints.GraphCheckpoints, "_bring_back", steps, "graph restored")
    _after(checkpoints, "_delete", steps, "checkpoint deleted")


def _install_dreams(steps, tearing):
    """Wrap what a dream and a deep sleep write."""
    storyfile, dream_log = (
        import_module("consolidation.story.storyfile"),
        import_module("consolidation.dreams.dream_log"),
    )
    dream_files = import_module("consolidation.dreams.dream_files")
    files, log = dream_files.DreamFiles, dream_log.DreamLog
    _after(storyfile, "put_in_place", steps, lambda _, file: f"{file.stem} exchanged" * file.stem.islower())
    _after(files, "set_state", steps, lambda _, state: "sleep owed" if state.owed else "sleep paid")
    _after(files, "keep", steps, _noted)
    _after(files, "_write_observations", steps, "observations written")
    _after(files, "_write_rules", steps, "rules written")
    _after(files, "_write_briefing", steps, "briefing written")
    _after(files, "_write_line", steps, "dream logged")
    _after(files, "drop_draft", steps, "draft deleted")
    _before(log, "replace", steps, "levels written")
    _after(log, "replace", steps, "dreams replaced")
    _after(files, "prune", steps, "observations pruned")
    _after(files, "change", steps, lambda _, name, plan: f"{name} written" * (name in {"priorities", "diary"}))
    _after(files, "add_evaluation", steps, "evaluated")
    dream_log.append_synced = tearing.tear(dream_log.append_synced, "dream torn")
    dream_files.append_synced = tearing.tear(dream_files.append_synced, "evaluation torn")


def _noted(_, draft):
    if not draft.done:
        return "dream drafted"
    return "dream noted" if draft.done[-1] == "line" else f"{draft.done[-1]} noted"


def answering(app, steps, *, ending):
    """*app*, and a step once a POST to a path of this *ending* was answered with 202."""

    async def asgi(scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith(ending):
            return await app(scope, receive, send)
        status = 0

        async def sending(message):
            nonlocal status
            status = message.get("status", status)
            await send(message)
            if status == 202 and message["type"] == "http.response.body" and not message.get("more_body"):
                steps.reach("answered")

        return await app(scope, receive, sending)

    return asgi


def _before(owner, name, steps, step):
    wrapped = getattr(owner, name)

    @functools.wraps(wrapped)
    def reaching(*words, **more):
        steps.reach(step(*words, **more) if callable(step) else step)
        return wrapped(*words, **more)

    setattr(owner, name, reaching)


def _after(owner, name, steps, step):
    """Reach *step*, or what it names of the words of the call, once *name* has returned; "" is none."""
    wrapped = getattr(owner, name)

    def reach(*words, **more):
        if named := step(*words, **more) if callable(step) else step:
            steps.reach(named)

    if inspect.iscoroutinefunction(wrapped):

        @functools.wraps(wrapped)
        async def reaching(*words, **more):
            done = await wrapped(*words, **more)
            reach(*words, **more)
            return done
    else:

        @functools.wraps(wrapped)
        def reaching(*words, **more):
            done = wrapped(*words, **more)
            reach(*words, **more)
            return done

    setattr(owner, name, reaching)
