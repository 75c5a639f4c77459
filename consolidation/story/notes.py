"""
The narrator's notes beside the story: who is who, and what is promised, planned or hoped and not settled yet.

A narrator writes them anew with each batch and reads them with the next, so that a plan that lapses is noticed. They
stand in the story's ledger. They are made of words that were said, so an erasure drops them; the next batch makes new
ones of the story that is left.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from consolidation.story.anchor import without_lookalikes
from consolidation.story.invention import invention

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.story.invention import Sources
    from prompts.responses import StoryChapters

_MOST_PEOPLE, _MOST_OPEN = 40, 40
_LONGEST_LINE = 400  # characters


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody in the story, and who that is, in a line."""

    name: str
    who: str


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """What is not settled; ``since`` is a day, as the narrator writes it, ``last`` what was said of it last."""

    what: str
    since: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class StoryNotes:
    """The people, and what is open, each in the narrator's order."""

    people: tuple[KnownPerson, ...] = ()
    open: tuple[OpenMatter, ...] = ()

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        """The notes of a ledger. Raises KeyError, TypeError, ValueError where they are garbled."""
        return cls(
            tuple(KnownPerson(str(one["name"]), str(one["who"])) for one in content.get("people", ())),
            tuple(OpenMatter(str(one["what"]), str(one["since"]), str(one["last"])) for one in content.get("open", ())),
        )

    def written(self) -> dict[str, Any]:
        """As the ledger holds them."""
        return asdict(self)


NO_NOTES = StoryNotes()


def notes_of(answer: StoryChapters, sources: Sources) -> StoryNotes:
    """The notes of an answer, without lines that say what is in none of *sources*."""

    def is_known(text: str) -> bool:
        return not invention(text, sources=sources)

    people = [KnownPerson(_line(one.name), _line(one.who)) for one in answer.people]
    matters = [OpenMatter(_line(one.what), _line(one.since), _line(one.last)) for one in answer.open]
    known = [one for one in people if one.name and is_known(f"{one.name}: {one.who}")]
    carried = [one for one in matters if one.what and is_known(f"{one.what}. {one.since}. {one.last}")]
    return StoryNotes(tuple(known[:_MOST_PEOPLE]), tuple(carried[:_MOST_OPEN]))


def _line(text: str) -> str:
    line = " ".join(without_lookalikes(text).encode("utf-8", "replace").decode().split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rpartition(' ')[0]} …"
