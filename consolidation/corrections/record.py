"""The values of corrections: what a person decided about a memory, which memory that is, and a decision taken back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter, ValidationError

from consolidation.transcript.records import DamagedRecord, sealed, unsealed

type TargetKind = Literal["fact", "entity", "turn"]

MOST_TURNS = 1_000  # that a target is named by
_BEGINNING = 200  # characters of a turn, for whoever reads the log
_IGNORING = ConfigDict(extra="ignore")


class What(StrEnum):
    """
    What a person can decide.

    ``edit``: it was otherwise. ``wrong`` and ``right``: it is not, or it is, as it is told. ``say``: something new.
    ``pin``: it comes up first. ``mute``: it never comes up by itself. ``merge``: two names are one thing. ``split``:
    one name is two things. ``rename``: it is called otherwise.
    """

    EDIT = "edit"
    WRONG = "wrong"
    RIGHT = "right"
    SAY = "say"
    PIN = "pin"
    MUTE = "mute"
    MERGE = "merge"
    SPLIT = "split"
    RENAME = "rename"


OF_ENTITIES = frozenset({What.MERGE, What.SPLIT, What.RENAME})
NEEDS_WORDS = frozenset({What.EDIT, What.SAY}) | OF_ENTITIES


@dataclass(frozen=True, slots=True)
class Target:
    """
    A memory, named by what a rebuild does not change: its words, and the turns that it comes from.

    ``text`` is a fact's words, an entity's name, or the beginning of the first turn. ``joins`` are the names
    that a fact joins. ``teller`` is who told it, by name, where several people talk in the mind.
    """

    __pydantic_config__ = _IGNORING

    kind: TargetKind
    text: str = ""
    turn_ids: Annotated[tuple[str, ...], Field(max_length=MOST_TURNS)] = ()
    joins: tuple[str, ...] = ()
    teller: str | None = None


def beginning_of(turn: str) -> str:
    """The words of a *turn* that a target has of it."""
    return " ".join(turn.split())[:_BEGINNING]


@dataclass(frozen=True, slots=True)
class Correction:
    """
    One decision, made ``by`` a key, the owner, or whoever called a service without keys.

    ``to`` are the words of an edit or of something said, the entity that another one is merged into, or a new name.
    """

    __pydantic_config__ = _IGNORING

    id: str
    at: AwareDatetime
    by: str
    what: What
    target: Target
    to: str | None = None
    reason: str | None = None

    def says(self, other: Correction) -> bool:
        """Whether it decides what *other* does."""
        is_alike = self.target.text == other.target.text and self.what is other.what  # of most, the cheapest to tell
        return is_alike and self.target == other.target and self.to == other.to


@dataclass(frozen=True, slots=True)
class Undo:
    """A decision taken back: ``of`` is its id."""

    __pydantic_config__ = _IGNORING

    id: str
    at: AwareDatetime
    by: str
    of: str
    what: Literal["undo"] = "undo"


type Line = Correction | Undo

_LINE: TypeAdapter[Line] = TypeAdapter(Correction | Undo)


def encoded(line: Line) -> bytes:
    """One line of the log with its checksum, without the newline."""
    return sealed(_LINE.dump_json(line, exclude_none=True))


def decoded(line: bytes) -> Line:
    """
    One line of the log. Lines of earlier versions have no checksum.

    Raises DamagedRecord for what is none: it was torn, damaged, or edited into another shape.
    """
    try:
        return _LINE.validate_json(unsealed(line) or line)
    except ValidationError as error:
        raise DamagedRecord("not a decision that is known here") from error
