"""
The files that one agent's sleep writes, and every step of writing them: each is one atomic replace or one append.

A file that people edit too is changed by compare-and-swap, with a history, as the story is.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from consolidation.dreams.dream_draft import read_draft, write_draft
from consolidation.dreams.evaluation import read_evaluations
from consolidation.dreams.observations import merged, pruned, read_observations, relevelled
from consolidation.dreams.rules import changed_rules, deleted_rules, read_rules
from consolidation.dreams.sleep_state import read_sleep_state, write_sleep_state
from consolidation.dreams.writings import (
    OurLines,
    deleted_lines,
    diary_entry_again,
    diary_heading,
    line_digests,
    new_briefing,
    new_priorities,
    with_diary_entry,
)
from consolidation.kernel.errors import DreamUnwritable, StoryFault
from consolidation.kernel.files import append_synced, remove
from consolidation.kernel.links import open_regular
from consolidation.story.storyfile import StoryFile
from consolidation.transcript.recovery import seal_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo

    from consolidation.dreams.dream_draft import DreamDraft, DreamStep
    from consolidation.dreams.dream_log import DreamLog, DreamRecord, Dreams
    from consolidation.dreams.dreamer import Tidied
    from consolidation.dreams.evaluation import Acceptance, Evaluation
    from consolidation.dreams.sleep_state import OwedDream, SleepState
    from consolidation.dreams.writings import Rewritten
    from consolidation.kernel.ports import Clock
    from consolidation.workspace import Workspace

OBSERVATIONS, PRIORITIES, DIARY, RULES, BRIEFING = "observations", "priorities", "diary", "rules", "briefing"
WRITINGS = (OBSERVATIONS, PRIORITIES, DIARY, RULES, BRIEFING)


class DreamFiles:
    """The sleep files of one mind. All methods block, and raise DreamUnwritable."""

    def __init__(self, workspace: Workspace, log: DreamLog, *, clock: Clock) -> None:
        """Nothing is read or made until a method is called."""
        self.log = log
        self._workspace = workspace
        self._clock = clock

    def writing(self, name: str) -> StoryFile:
        """One of the agent's own writings."""
        workspace = self._workspace
        return StoryFile(workspace.writing(name), history=workspace.writing_history(name), clock=self._clock)

    def read(self, name: str) -> str:
        """The text of one of the agent's own writings; "" where there is none."""
        return _told(self.writing(name).read)

    def exist(self) -> bool:
        """Whether the agent ever slept, or wrote anything."""
        workspace = self._workspace
        files = (workspace.dreams, workspace.dreaming, workspace.sleep_state, *map(workspace.writing, WRITINGS))
        return any(file.exists() for file in files)

    def ours(self, name: str) -> frozenset[str]:
        """The digests of all lines that dreams wrote into priorities.md, briefing.md or diary.md."""
        dreams = self.dreams()
        return dreams.lines(name) | self._last_lines(name, dreams)

    def written(self, name: str) -> str:
        """What we wrote last into one of the writings, whatever a person made of it since."""
        return _told(self.writing(name).written)

    def change(self, name: str, plan: Callable[[str], str]) -> str:
        """Put ``plan(text)`` in the place of one of the writings, as ``StoryFile.change`` does; returns the text."""
        return _told(lambda: self.writing(name).change(plan)).story

    def redact(self, name: str, plan: Callable[[str], str]) -> int:
        """Put ``plan(text)`` in the place of every earlier version of one of the writings; returns how many changed."""
        return _told(lambda: self.writing(name).redact(plan))

    def forget_reasons(self, *, session_id: str | None = None) -> None:
        """
        Drop what was written down of why a dream failed or an agent was woken: it may quote what was said.

        A dream that is promised to the session *session_id* no longer names it.
        """
        state = self.state()

        def forgotten(owed: OwedDream | None) -> OwedDream | None:
            if owed is None:
                return None
            is_named = owed.session_id == session_id
            return owed.model_copy(update={"error": ""} | ({"session_id": ""} if is_named else {}))

        promised = {"owed": forgotten(state.owed), "owed_next": forgotten(state.owed_next)}
        new = state.model_copy(update={**promised, "reason": "", "error": ""})
        if new != state:
            self.set_state(new)

    def dreams(self) -> Dreams:
        """All dreams."""
        return _told(self.log.read)

    def state(self) -> SleepState:
        """Whether the agent sleeps, and which dream is owed."""
        return _told(lambda: read_sleep_state(self._workspace.sleep_state))

    def set_state(self, state: SleepState) -> None:
        """Put another state in its place; it is on disk then."""
        _told(lambda: write_sleep_state(self._workspace.sleep_state, state))

    def draft(self) -> DreamDraft | None:
        """The dream that is being written."""
        return _told(lambda: read_draft(self._workspace.dreaming))

    def keep(self, draft: DreamDraft) -> None:
        """Write down what a dream will write."""
        _told(lambda: write_draft(self._workspace.dreaming, draft))

    def drop_draft(self) -> None:
        """Forget the dream that is being written; all of it is, or an erased turn is in it."""
        _told(lambda: remove(self._workspace.dreaming))

    def write(self, draft: DreamDraft) -> DreamRecord:
        """Take every step of *draft* that is not done yet, the dream's line last. Returns the record as written."""
        steps: dict[DreamStep, Callable[[DreamDraft], DreamDraft]] = {
            "observations": self._write_observations,
            "rules": self._write_rules,
            "briefing": self._write_briefing,
            "line": self._write_line,
        }
        for name, step in steps.items():
            if name not in draft.done:
                draft = step(draft)
                draft = draft.model_copy(update={"done": (*draft.done, name)})
                self.keep(draft)
        self.drop_draft()
        return draft.record

    def tidy(self, tidied: Tidied, *, record: DreamRecord, now: datetime, zone: tzinfo) -> bool:
        """
        Take the steps of a deep sleep: prune observations, rewrite priorities, append to the diary.

        False, and nothing is done, where a person took it back meanwhile.
        """
        if not self._counts(record):
            return False
        levels = {digest: level.value for digest, level in tidied.levels.items()}
        new = {
            "relevelled": levels,
            "superseded": (*record.superseded, *tidied.superseded),
            "is_untidied": False,  # as long as nothing is evaluated, it is owed all the same
        }
        self.replace(record.dream, lambda one: one.model_copy(update=new))
        dreams = self.dreams()
        self.change(OBSERVATIONS, lambda text: relevelled(text, tidied.levels, is_ours=dreams.is_ours))
        self.prune(record=record, now=now, zone=zone)
        if tidied.priorities:
            earlier = self.dreams().before(record.dream)
            self._write_priorities(tidied.priorities, number=record.dream, earlier=earlier)
        if tidied.diary:
            self._write_diary(tidied.diary, record=record, zone=zone)
        return True

    def tidy_again(self, tidied: Tidied, *, record: DreamRecord) -> None:
        """Write again what an erasure took of a deep sleep: its entry of the diary, and priorities if they are its."""
        number = record.dream
        dreams = self.dreams()
        writer = dreams.last_writer(PRIORITIES)
        if tidied.priorities and writer is not None and writer.dream == number:
            self._write_priorities(tidied.priorities, number=number, earlier=dreams)
        written = next((one.lines_of(DIARY) for one in dreams.records if one.dream == number), ())
        if written:
            new = line_digests(tidied.diary)
            self.replace(number, lambda one: one.with_lines(DIARY, (*one.lines_of(DIARY), *new)))
            self.change(DIARY, lambda text: diary_entry_again(text, tidied.diary, written=written))
        self.replace(number, lambda one: one.model_copy(update={"is_untidied": False}))

    def note_deleted_lines(self) -> None:
        """Note which of the lines that dreams wrote last into priorities.md and briefing.md a person deleted."""
        for name in (PRIORITIES, BRIEFING):
            writer, written = self.dreams().last_writer(name), line_digests(self.written(name))
            if writer is not None:
                self._note_deleted(name, writer, written)

    def _note_deleted(self, name: str, writer: DreamRecord, written: tuple[str, ...]) -> None:
        lines = writer.lines_of(name)
        left = frozenset(lines).intersection(written or lines)  # an imported mind does not know what it wrote last
        before = OurLines(left=left, deleted=writer.deleted.get(name, ()))
        deleted = deleted_lines(self.read(name), before)
        self.replace(writer.dream, lambda one: one.with_lines(name, lines, deleted=deleted))

    def prune(self, *, record: DreamRecord, now: datetime, zone: tzinfo) -> None:
        """
        Take out of the observations what is over. The deep sleep *record* says which lines went.

        Nothing goes where a person took it back meanwhile.
        """
        if not self._counts(record):
            return
        dreams, text = self.dreams(), self.read(OBSERVATIONS)

        def plan(text: str) -> str:
            return pruned(text, is_ours=dreams.is_ours, superseded=dreams.superseded, now=now, zone=zone)

        left = {one.dated for one in read_observations(plan(text))}
        gone = [one.dated for one in read_observations(text) if one.dated not in left]
        if gone:
            self.replace(
                record.dream,
                lambda one: one.model_copy(update={"pruned": tuple(dict.fromkeys((*one.pruned, *gone)))}),
            )
            self.change(OBSERVATIONS, plan)

    def _counts(self, record: DreamRecord) -> bool:
        return any(one.dream == record.dream and not one.is_undone for one in self.dreams().records)

    def replace(self, number: int, plan: Callable[[DreamRecord], DreamRecord]) -> None:
        """Put ``plan(record)`` in the place of the record of a dream."""
        _told(lambda: self.log.replace(lambda one: plan(one) if one.dream == number else one))

    def replace_all(self, plan: Callable[[DreamRecord], DreamRecord]) -> int:
        """Put ``plan(record)`` in the place of the record of every dream; returns how many changed."""
        return _told(lambda: self.log.replace(plan))

    def evaluated(self) -> int:
        """The number of the last deep sleep that was tidied up after; 0 before the first."""
        numbers = (one.get("dream") for one in self._evaluation_lines() if isinstance(one, dict))
        return max((number for number in numbers if isinstance(number, int)), default=0)

    def evaluations(self) -> tuple[Evaluation, ...]:
        """What deep sleeps measured, oldest first."""
        return read_evaluations(self._evaluation_lines())

    def _evaluation_lines(self) -> list[object]:
        def read() -> list[object]:
            try:
                with open_regular(self._workspace.evaluation) as lines:
                    return [_decoded(line) for line in lines]
            except FileNotFoundError:
                return []

        return _told(read)

    def add_evaluation(self, line: dict[str, Any]) -> None:
        """Append what a deep sleep measured. It also says that the deep sleep is complete."""
        _told(lambda: self._append_evaluation(json.dumps(line, ensure_ascii=False)))

    def accept_evaluation(self, given: Acceptance) -> None:
        """Append that a person accepted what an evaluation proposes."""
        _told(lambda: self._append_evaluation(given.model_dump_json()))

    def _append_evaluation(self, line: str) -> None:
        with suppress(FileNotFoundError):
            seal_end(self._workspace.evaluation)  # a kill may have left half a line
        append_synced(self._workspace.evaluation, f"{line}\n".encode())

    def _write_observations(self, draft: DreamDraft) -> DreamDraft:
        if not draft.observations:
            return draft
        # A dream that was killed here may have written them, and a person reworded one since.
        written = read_observations(self.written(OBSERVATIONS))
        drafted = [one.observation for one in draft.observations]
        new = [one for one in drafted if one not in written]
        text = self.change(OBSERVATIONS, lambda text: merged(text, new))
        dreams, record = self.dreams(), draft.record
        standing = {one.said: one.digest for one in read_observations(text) if dreams.is_ours(one)}
        for one in drafted:
            if standing.get(one.said, one.digest) != one.digest:
                record = record.saying(standing[one.said], as_own=one.digest)
        return draft.model_copy(update={"record": record})

    def _write_rules(self, draft: DreamDraft) -> DreamDraft:
        if not (draft.rules_added or draft.rules_removed):
            return draft
        ours, earlier, dream = self.dreams().rules, draft.record.rules_removed, draft.record.dream
        left, before = self._rules_before(draft.record, ours)
        wanted = {" ".join(words.split()) for words in draft.rules_added}
        added: tuple[str, ...] = ()
        removed: tuple[str, ...] = ()
        deleted: tuple[str, ...] = ()
        kept: tuple[str, ...] = ()

        def plan(text: str) -> str:
            nonlocal added, removed, deleted, kept
            deleted = deleted_rules(text, left=left, before=before)
            new, _ = changed_rules(
                text, add=draft.rules_added, remove=draft.rules_removed, dream=dream, ours=ours, deleted=deleted
            )
            # Also those that this dream wrote, or took out, before it was killed.
            added = tuple(rule.digest for rule in read_rules(new) if rule.dream == dream and rule.text in wanted)
            gone = (rule.line for rule in read_rules(text) if rule not in read_rules(new))
            removed = tuple(dict.fromkeys((*earlier, *gone)))
            kept = tuple(rule.beginning for rule in read_rules(new) if rule.digest in ours.union(added))
            return new

        def noted() -> DreamDraft:
            record = draft.record.model_copy(update={"rules": added, "rules_removed": removed})
            return draft.model_copy(update={"record": record.with_lines(RULES, kept, deleted=deleted)})

        plan(self.read(RULES))
        self.keep(noted())  # a kill in between must not lose what it took out
        self.change(RULES, plan)
        return noted()

    def _rules_before(self, record: DreamRecord, ours: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
        """
        The beginnings of our rules that dreams before *record* left in the file, and of those that a person deleted.

        Rules of dreams that were taken back went with them. Of a write that was interrupted, only the latter are known.
        """
        if RULES in record.deleted:
            return frozenset(), record.deleted[RULES]
        earlier = self.dreams()
        left = earlier.last_lines(RULES)
        if left is None:
            left = frozenset(rule.beginning for rule in read_rules(self.written(RULES)) if rule.digest in ours)
        undone = "\n".join(line for one in earlier.records if one.undone is not None for line in one.undone.rules)
        return left.difference(rule.beginning for rule in read_rules(undone)), earlier.last_deleted(RULES)

    def _write_briefing(self, draft: DreamDraft) -> DreamDraft:
        briefing = draft.briefing
        if briefing is None:
            return draft

        def note(plan: Callable[[DreamRecord], DreamRecord]) -> None:
            nonlocal draft
            draft = draft.model_copy(update={"record": plan(draft.record)})
            self.keep(draft)

        before = self._before(BRIEFING, draft.record, earlier=self.dreams())
        self._rewrite(BRIEFING, lambda text: new_briefing(text, briefing, before=before), before=before, note=note)
        return draft

    def _write_priorities(self, items: tuple[str, ...], *, number: int, earlier: Dreams) -> None:
        def note(plan: Callable[[DreamRecord], DreamRecord]) -> None:
            self.replace(number, plan)

        record = next(one for one in self.dreams().records if one.dream == number)
        before = self._before(PRIORITIES, record, earlier=earlier)
        self._rewrite(PRIORITIES, lambda text: new_priorities(text, items, before=before), before=before, note=note)

    def _before(self, name: str, record: DreamRecord, *, earlier: Dreams) -> OurLines:
        """
        What is known of our lines in one of the writings, which the dream *record* is about to write after *earlier*.

        Where it was interrupted before, nobody noted whether it had written: then what was written last says it.
        """
        if name not in (record.lines or {}):
            left = self._last_lines(name, earlier)
            return OurLines(left, left, earlier.last_deleted(name))
        # What was written last has people's lines too, so only those that were noted count.
        left, written = earlier.last_lines(name) or frozenset(), frozenset(line_digests(self.written(name)))
        known = left.union(record.lines_of(name))
        return OurLines(known, known & written if written else left, record.deleted.get(name, ()))

    def _rewrite(
        self,
        name: str,
        plan: Callable[[str], Rewritten],
        *,
        before: OurLines,
        note: Callable[[Callable[[DreamRecord], DreamRecord]], None],
    ) -> None:
        """
        Put ``plan(text)`` in the place of one of the writings, and note which of its lines are ours.

        Until it is written, those that were ours *before* stay noted as well: a kill in between makes none a person's.
        """
        rewritten = plan(self.read(name))
        note(lambda one: one.with_lines(name, (*before.known, *rewritten.ours), deleted=rewritten.deleted))

        def planned(text: str) -> str:
            nonlocal rewritten
            rewritten = plan(text)
            return rewritten.text

        self.change(name, planned)
        note(lambda one: one.with_lines(name, rewritten.ours, deleted=rewritten.deleted))

    def _write_diary(self, entry: str, *, record: DreamRecord, zone: tzinfo) -> None:
        dreams = self.dreams()
        heading = diary_heading(record, dreams.records, zone=zone)
        earlier = line_digests(self.written(DIARY)) if dreams.last_lines(DIARY) is None else ()
        new = (*earlier, *line_digests(f"{heading}\n{entry.strip()}"))
        self.replace(record.dream, lambda one: one.with_lines(DIARY, (*one.lines_of(DIARY), *new)))
        self.change(DIARY, lambda text: with_diary_entry(text, entry, heading=heading))

    def _last_lines(self, name: str, dreams: Dreams) -> frozenset[str]:
        """The digests of the lines that *dreams* wrote last; all that was, where an earlier version noted none."""
        found = dreams.last_lines(name)
        return found if found is not None else frozenset(line_digests(self.written(name)))

    def _write_line(self, draft: DreamDraft) -> DreamDraft:
        record, dreams = draft.record, self.dreams()
        if all(one.dream != record.dream for one in dreams.records):
            _told(lambda: self.log.add(record))
        elif record.is_owed:
            self._write_again(draft, dreams)
        return draft

    def _write_again(self, draft: DreamDraft, dreams: Dreams) -> None:
        """
        Put what an owed dream came to into its line.

        The rules that stand are noted where the next dream looks for them. Lines of a dream that was taken back go
        with it, as the others did.
        """
        new = draft.record
        last = dreams.last_writer(RULES)
        keeper = max(new.dream, last.dream if last is not None else 0)
        standing, deleted = new.lines_of(RULES), new.deleted.get(RULES, ())
        lines = {name: digests for name, digests in (new.lines or {}).items() if name != RULES}
        noted = {name: digests for name, digests in new.deleted.items() if name != RULES}
        made = new.model_copy(update={"lines": lines, "deleted": noted})
        rules = tuple(rule.line for rule in read_rules(self.read(RULES)) if rule.digest in new.rules)
        observed = tuple(one.observation.dated for one in draft.observations)

        def plan(one: DreamRecord) -> DreamRecord:
            if one.dream == keeper and RULES in (new.lines or {}):
                one = one.with_lines(RULES, standing, deleted=deleted)
            if one.dream != new.dream or not one.is_owed:
                return one
            undone = one.undone
            if undone is not None and undone.phase != "returning":
                kept = {
                    "observations": tuple(dict.fromkeys((*undone.observations, *observed))),
                    "rules": tuple(dict.fromkeys((*undone.rules, *rules))),
                }
                one = one.model_copy(update={"undone": undone.model_copy(update={**kept, "phase": "leaving"})})
            return one.made_again(made)

        self.replace_all(plan)


def _told[Found](work: Callable[[], Found]) -> Found:
    """What *work* returns. Raises DreamUnwritable where a file can not be read or written."""
    try:
        return work()
    except (OSError, StoryFault) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DreamUnwritable(f"the files of its sleep: {reason or error}") from error


def _decoded(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
