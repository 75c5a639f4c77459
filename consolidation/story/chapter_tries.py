"""
One model's tries at telling a batch. What is good in an answer is kept; only the chapters at fault are asked for again.

Where the second try is still at fault, the sentences at fault are left out, if that mends the chapter: one wrong word
costs a sentence, not the batch. A revision that forgets what its chapter told is left out as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.story.checks import ChapterFault, adds_to, forgets, repetition, without_repetitions
from consolidation.story.compression import body
from consolidation.story.invention import in_sentence_case
from prompts.responses import StoryChapter, StoryChapters, StoryRevision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from consolidation.story.chapters import Book, Chapter
    from consolidation.story.checks import ChapterChecks

    type Told = StoryChapter | StoryRevision


class ChapterTries:
    """The tries of one model: at most a first one and a second one."""

    def __init__(
        self,
        checks: ChapterChecks,
        *,
        book: Book,
        revisable: Sequence[Chapter],
        is_again: bool,
        left_out: Callable[[str], None],
    ) -> None:
        """
        The *revisable* chapters may be revised, by number. *left_out* is told of each chapter that lost sentences.

        With *is_again*, an answer may have nothing new.
        """
        self._revisable = dict(enumerate(revisable, start=1))
        self._checks = checks
        self._book = book
        self._is_again = is_again
        self._left_out = left_out
        self._kept = StoryChapters(append=())
        self._faults: tuple[ChapterFault, ...] = ()

    def merged(self, answer: StoryChapters) -> StoryChapters:
        """*answer* with what was kept of the one before, and with the old chapters that it does not write anew."""
        answer = answer.model_copy(
            update={
                "append": tuple(self._in_sentence_case(one) for one in answer.append),
                "revise": tuple(self._in_sentence_case(one) for one in answer.revise if one.number in self._revisable),
            }
        )
        if not self._faults:
            return answer
        kept = self._kept
        new = _new(answer.append, kept.append)
        revised = {one.number: one for one in (*_revisions(self._faults), *answer.revise, *kept.revise)}
        written = {one.at.strip() for one in new}
        missing = [one for one in _chapters(self._faults) if one.at.strip() not in written]
        if len(new) >= len(_chapters(self._faults)):  # written anew at other times
            missing = []
        append = sorted((*kept.append, *new, *missing), key=lambda one: one.at.strip())
        notes = {"people": answer.people or kept.people, "open": answer.open or kept.open}
        return answer.model_copy(update={"append": tuple(append), "revise": tuple(revised.values()), **notes})

    def fault(self, answer: StoryChapters) -> str:
        """Why *answer* can not be used as it is, all of it; "" when it can. What is good in it is kept."""
        is_second = bool(self._faults)
        chapters: tuple[Told, ...] = (*answer.append, *answer.revise)
        found = [fault for one in chapters if (fault := self._fault_of(one))]
        self._faults = tuple(found)
        at_fault = [one.chapter for one in found]
        self._kept = answer.model_copy(
            update={
                "append": tuple(one for one in answer.append if one not in at_fault),
                "revise": tuple(one for one in answer.revise if one not in at_fault),
            }
        )
        if found and not (is_second and all(one.mended is not None for one in found)):
            return "; ".join(f"the chapter {one.chapter.title.strip()[:60]!r}: {one.reason}" for one in found)
        if self._is_again:
            return ""
        if not answer.append and not answer.revise:
            return "it has no chapter"
        told = self._mended(answer)
        return "" if told.append or any(self._adds(one) for one in told.revise) else _REPEATS

    def usable(self, answer: StoryChapters) -> StoryChapters:
        """*answer*, in which nothing that is wrong is left: chapters at fault have lost their sentences at fault."""
        for fault in self._faults:
            self._left_out(f"left out of {fault.chapter.title.strip()[:60]!r}: {fault.reason}")
        return self._mended(answer)

    def in_part(self) -> tuple[StoryChapters, tuple[StoryChapter, ...]] | None:
        """
        What can be used of an answer that can not be used as a whole, and its chapters that can not.

        None where it is not known of which turns those are.
        """
        lost = [one for one in self._faults if one.mended is None]
        chapters = _chapters(lost)
        if len(chapters) < len(lost) or not all(map(self._checks.is_timed, chapters)):
            return None
        return self._with_mended(self._kept), tuple(chapters)

    def quoted(self, answer: StoryChapters) -> StoryChapters:
        """An answer that only quotes, which may find nothing worth quoting."""
        return without_repetitions(answer, book=self._book) if self._is_again else answer

    def words(self) -> Mapping[str, object]:
        """For the prompt of the second try: the chapters at fault, each with what is wrong, and those that stand."""
        kept: tuple[Told, ...] = (*self._kept.append, *self._kept.revise)
        return {
            "faulty": tuple(
                {
                    "at": getattr(one.chapter, "at", ""),
                    "number": getattr(one.chapter, "number", 0),
                    "title": one.chapter.title.strip(),
                    "text": one.chapter.text.strip(),
                    "reason": one.reason,
                }
                for one in self._faults
            ),
            "kept": tuple(one.title.strip() for one in kept),
        }

    def _mended(self, answer: StoryChapters) -> StoryChapters:
        return without_repetitions(self._with_mended(answer), book=self._book)

    def _with_mended(self, answer: StoryChapters) -> StoryChapters:
        mended = [one.mended for one in self._faults if one.mended is not None]
        append = (*self._kept.append, *(one for one in mended if isinstance(one, StoryChapter)))
        revise = (*self._kept.revise, *(one for one in mended if not isinstance(one, StoryChapter)))
        revise = tuple(one for one in revise if not self._is_old(one))
        return answer.model_copy(update={"append": append, "revise": revise})

    def _fault_of(self, told: Told) -> ChapterFault | None:
        """What is wrong with a chapter. A revision that forgets is mended by the chapter as it is."""
        found = self._checks.fault_of(told)
        if isinstance(told, StoryChapter):
            return found
        old, language = self._revisable[told.number], self._checks.sources.language
        left = found.mended if found is not None else told
        if left is None or not (reason := forgets(left.text, old, language=language)):
            return found
        unchanged = told.model_copy(update={"title": old.title, "text": body(old)})
        return ChapterFault(told, found.reason if found is not None else reason, unchanged)

    def _adds(self, revision: StoryRevision) -> bool:
        return adds_to(self._revisable[revision.number], revision.text, language=self._checks.sources.language)

    def _is_old(self, revision: StoryRevision) -> bool:
        """Whether it is the chapter as it is."""
        return revision.text.strip() == body(self._revisable[revision.number]).strip()

    def _in_sentence_case[One: (StoryChapter, StoryRevision)](self, one: One) -> One:
        return one.model_copy(update={"title": in_sentence_case(one.title.strip(), sources=self._checks.sources)})


_REPEATS = "it repeats what the story already says"


def _chapters(faults: Iterable[ChapterFault]) -> list[StoryChapter]:
    return [one.chapter for one in faults if isinstance(one.chapter, StoryChapter)]


def _revisions(faults: Iterable[ChapterFault]) -> list[StoryRevision]:
    return [one.chapter for one in faults if not isinstance(one.chapter, StoryChapter)]


def _new(append: Iterable[StoryChapter], kept: Iterable[StoryChapter]) -> list[StoryChapter]:
    """The chapters that do not tell again what was kept."""
    standing = {one.at.strip() for one in kept}
    story = "\n".join(one.text for one in kept)
    return [one for one in append if one.at.strip() not in standing and not repetition(one.text, story=story)]
