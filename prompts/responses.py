"""The shapes we ask models to answer in, one per prompt that wants structure."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema  # noqa: TC002 – pydantic reads it at run time


class Shape(BaseModel):
    """An answer: frozen, and nothing in it that was not asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    is_of_use_in_part: ClassVar[bool] = False  # where it breaks off; else the model is asked again


def _first(most: int) -> BeforeValidator:
    """Leaves out what a model names beyond *most*, rather than refusing all of it."""
    return BeforeValidator(lambda named: named[:most] if isinstance(named, list | tuple) else named)


class Wonder(Shape):
    """A lateral hypothesis, with a query of words that would literally stand in the log."""

    hypothesis: str
    query: str


class Seeds(Shape):
    """Answer to seeds.md: where memory might be touched."""

    is_of_use_in_part = True
    entities: Annotated[tuple[str, ...], _first(12)] = Field(default=(), max_length=12)
    queries: Annotated[tuple[str, ...], _first(4)] = Field(default=(), max_length=4)
    wonders: Annotated[tuple[Wonder, ...], _first(3)] = Field(default=(), max_length=3)


class Line(Shape):
    """How one candidate memory is told."""

    number: int = Field(ge=1)
    surfaces: SkipJsonSchema[bool | None] = None  # what copies of narration.md of before November 26, 2026 ask for
    text: str = ""


class Narration(Shape):
    """Answer to narration.md: the numbers of the candidates that surface, what matters most first; a line for each."""

    is_of_use_in_part = True
    surfaces: tuple[int, ...] | SkipJsonSchema[None] = None
    lines: tuple[Line, ...] = ()

    @property
    def chosen(self) -> tuple[int, ...] | None:
        """
        The numbers that were chosen, by the lines where they alone say it; None where each line has its verdict.

        A choice of nothing beside lines that tell something is not meant.
        """
        if self.surfaces or (self.surfaces is not None and not any(line.text.strip() for line in self.lines)):
            return self.surfaces
        if not self.lines or any(line.surfaces is not None for line in self.lines):
            return None
        return tuple(line.number for line in self.lines)


class Entity(Shape):
    """Something with a name: a person, a place, a thing, a work, an event; ``kind`` is one of those given, or ""."""

    name: str
    kind: str = ""


class Fact(Shape):
    """
    A statement that joins two entities, with the time it holds for (RFC 3339 or None).

    ``message`` is the number of the message that says it; ``importance`` is in 0…1.
    """

    source: str
    relation: str
    target: str
    fact: str
    message: int | None = None
    importance: float | None = None
    valid_at: str | None = None
    invalid_at: str | None = None


class Extraction(Shape):
    """Answer to extraction.md: the entities and the facts of one turn."""

    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()


class Identity(Shape):
    """One new entity, and the number of the known one it is, or None when it is new."""

    number: int
    same_as: int | None = None


class Identities(Shape):
    """Answer to identities.md: which of the extracted entities are already known."""

    identities: tuple[Identity, ...] = ()


class Settlement(Shape):
    """One new fact against known ones: the numbers it repeats, the numbers it makes untrue."""

    number: int
    repeats: tuple[int, ...] = ()
    contradicts: tuple[int, ...] = ()


class Settlements(Shape):
    """Answer to settlements.md: how the new facts of a turn stand to the known ones."""

    settlements: tuple[Settlement, ...] = ()


class StoryChapter(Shape):
    """A chapter: the time it begins (YYYY-MM-DD HH:MM), a short title, prose without headings."""

    at: str
    title: str
    text: str


class StoryRevision(Shape):
    """A chapter told again: its number among those that may be revised, and what it says from now on."""

    number: int
    title: str
    text: str


class NotedPerson(Shape):
    """Somebody in the story, and who that is, in a line."""

    name: str
    who: str


class OpenMatter(Shape):
    """A promise, plan, hope or question that is not settled: since which day, and what was said of it last."""

    what: str
    since: str = ""
    last: str = ""


class StoryChapters(Shape):
    """Answer to story_first.md and story_next.md: new chapters, revised chapters, and the narrator's notes."""

    append: tuple[StoryChapter, ...]
    revise: tuple[StoryRevision, ...] = ()
    people: tuple[NotedPerson, ...] = ()
    open: tuple[OpenMatter, ...] = ()


class ShorterChapter(Shape):
    """What stands for the chapters numbered *first* to *last* from now on."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)
    title: str
    text: str


class StoryShortened(Shape):
    """Answer to story_compress.md: the same life in fewer words."""

    chapters: tuple[ShorterChapter, ...] = Field(min_length=1)


class DreamtObservation(Shape):
    """A fact of the log: its level, when it was (HH:MM), and the numbers of earlier observations that it ends."""

    level: Literal["RED", "YLW", "GRN"]
    at: str
    text: str
    supersedes: tuple[int, ...] = ()


class DreamtRules(Shape):
    """Rules that are new, and the beginnings of those that proved wrong."""

    add: tuple[str, ...] = Field(default=(), max_length=15)
    remove: tuple[str, ...] = Field(default=(), max_length=15)


class Dream(Shape):
    """Answer to dream.md: observations, a reflection, the next priority; perhaps rules and a briefing."""

    observations: tuple[DreamtObservation, ...] = Field(default=(), max_length=40)
    reflection: str
    priority: str
    rules: DreamtRules = DreamtRules()
    briefing: str | None = None


class Relevelled(Shape):
    """An observation's number, and its level from now on."""

    number: int
    level: Literal["RED", "YLW", "GRN"]


class DeepSleep(Shape):
    """Answer to deep_sleep.md: which observations are over, what matters from now on, and the diary."""

    superseded: tuple[int, ...] = ()
    levels: tuple[Relevelled, ...] = ()
    priorities: tuple[str, ...] = Field(min_length=1, max_length=5)
    diary: str


class AnswerLine(Shape):
    """A sentence of an answer, and the numbers of the evidence that it rests on."""

    text: str
    evidence: tuple[int, ...] = Field(default=(), max_length=50)


class AnswerOfMemory(Shape):
    """Answer to ask.md: lines, what memory does not hold, and which evidence can not be true together."""

    answer: tuple[AnswerLine, ...] = Field(max_length=30)
    missing: tuple[str, ...] = Field(default=(), max_length=20)
    contradictions: tuple[tuple[int, ...], ...] = Field(default=(), max_length=20)
