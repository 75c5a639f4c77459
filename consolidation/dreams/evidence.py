"""
The evidence of a dream: actions with their results, what people said, and both ends of what the agent told itself.

Agents describe their own work more kindly than their logs do. So each action stands as its log has it, with its number.
A saved memory is what somebody wants known. It says nothing of what the agent intends, so it is not among its thoughts.
What people took out of a turn is not evidence; what they put in its place is told like a thought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.corrections.taken_out import as_put_right
from consolidation.dreams.actions import action_of
from consolidation.kernel.turns import Speaker, TurnKind
from consolidation.text.language import detect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, tzinfo

    from consolidation.corrections.standing import Standing
    from consolidation.dreams.actions import Action
    from consolidation.kernel.turns import Message, StoredTurn

MOST_ITEMS, _FIRST_ITEMS = 400, 50
_MESSAGE, _ANSWER, _ARGUMENTS, _OUTCOME, _END = 500, 300, 200, 200, 120  # characters
_NARRATION = 2_000  # of its beginning, and of its end
_LANGUAGE_FROM = 8_000
_CUT = " […]"

type _Found = tuple[StoredTurn, str, str, Action | None, bool]  # the turn, who, a line, the action, is_persons


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """
    One thing that happened: its number in the evidence, its turn, its local time, who, and one line of text.

    ``action`` is what the agent did, None where somebody spoke. ``is_persons`` says that a person told the agent so,
    under whatever name.
    """

    number: int
    sequence: int
    at: datetime
    who: str
    text: str
    action: Action | None = None
    is_persons: bool = False

    @property
    def when(self) -> str:
        """Its time, as a prompt shows it."""
        return f"{self.at:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    What was lived since the last dream, oldest first.

    ``left_out`` counts the items between the first and the newest that had no room. ``narration`` is the beginning and
    the end of what the agent told itself, ``last_words`` its newest thought.
    """

    items: tuple[EvidenceItem, ...] = ()
    left_out: int = 0
    narration: tuple[str, ...] = ()
    last_words: str = ""
    first_sequence: int = 0
    actions: int = 0
    failed_calls: int = 0
    session_id: str = ""
    language: str = "en"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to dream of."""
        return not self.items and not self.narration

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text that a dream may take names and numbers from."""
        return (*(f"{one.when} {one.who} {one.text}" for one in self.items), *self.narration)

    @property
    def counts(self) -> tuple[str, ...]:
        """What a dream may have counted: calls, those that failed, those that went well, and what is left out."""
        found = (self.actions, self.failed_calls, self.actions - self.failed_calls, self.left_out)
        return tuple(map(str, found))

    @property
    def failures(self) -> tuple[EvidenceItem, ...]:
        """What failed."""
        return tuple(one for one in self.items if one.action is not None and one.action.has_failed)


def gather_evidence(turns: Sequence[StoredTurn], *, zone: tzinfo, standing: Standing) -> Evidence:
    """
    The evidence in *turns*, with times in *zone*, as far as it may be told by what stands.

    ``first_sequence``, the session and the counts are of all turns, also of those of which nothing is left.
    """
    found: list[_Found] = []
    thoughts: list[str] = []
    for stored in turns:
        left = as_put_right(stored, standing)
        if left is None:
            continue
        action, messages = _action_left(stored, left), left.turn.messages
        notes = notes_in(left, stored, standing)
        if stored.turn.kind is TurnKind.MEMORY:
            found += [(stored, "memory", _one_line(one.content, _MESSAGE), None, False) for one in messages]
        elif action is not None and action.kind == "thought":
            thoughts += [message.content for message in messages]
        elif action is not None:
            found.append((stored, _who(action), _line(action), action, action.kind == "message"))
            thoughts += [one.content for one in messages[1:] if one.content not in notes]
        elif stored.is_remembered:
            thoughts += [one.content for one in messages if one.role is Speaker.THOUGHT and one.content not in notes]
            said = (one for one in messages if _is_said(one))
            found += [(stored, one.who, _said(one), None, one.role is Speaker.USER) for one in said]
        found += [(stored, who, _one_line(text, _MESSAGE), None, True) for text, who in notes.items()]
    items = _items(found, zone=zone)
    calls = [action for one in turns if one.is_tool_call and (action := action_of(one)) is not None]
    return Evidence(
        items=items,
        left_out=len(found) - len(items),
        narration=_ends("\n".join(thoughts)),
        last_words=thoughts[-1].strip() if thoughts else "",
        first_sequence=turns[0].sequence if turns else 0,
        actions=len(calls),
        failed_calls=sum(call.has_failed for call in calls),
        session_id=turns[-1].turn.session_id if turns else "",
        language=_language(found, thoughts),
    )


def _items(found: Sequence[_Found], *, zone: tzinfo) -> tuple[EvidenceItem, ...]:
    """The first and the newest of what was found, numbered."""
    kept = found if len(found) <= MOST_ITEMS else [*found[:_FIRST_ITEMS], *found[_FIRST_ITEMS - MOST_ITEMS :]]
    return tuple(
        EvidenceItem(number, stored.sequence, stored.occurred_at.astimezone(zone), who, text, action, is_persons)
        for number, (stored, who, text, action, is_persons) in enumerate(kept, start=1)
    )


def _action_left(stored: StoredTurn, left: StoredTurn) -> Action | None:
    """The action that is left of a turn: none where all that is left of it is what people put in its place."""
    if stored.turn.kind is not TurnKind.ACTION or left.turn.messages[0].role is not stored.turn.messages[0].role:
        return None
    return action_of(left)


def _language(found: Iterable[_Found], thoughts: Sequence[str]) -> str:
    """The language of what was said and thought: what tools print says nothing of it."""
    said = [text for _, _, text, action, _ in found if action is None or action.kind == "message"]
    return detect("\n".join((*said, *thoughts))[:_LANGUAGE_FROM])


def notes_in(left: StoredTurn, stored: StoredTurn, standing: Standing) -> dict[str, str]:
    """The notes of what people put in the place of what a person said, as far as one is *left*, with who said it."""
    who = next((one.who for one in stored.turn.messages if one.role is Speaker.USER), None)
    told = {one.content for one in left.turn.messages if one.role is Speaker.THOUGHT}
    said = (one.text for one in standing.statements_of(stored.turn.turn_id) if one.text in told)
    return dict.fromkeys(said, who) if who is not None else {}


def _is_said(message: Message) -> bool:
    return message.role is not Speaker.THOUGHT and bool(message.content.strip())


def _said(message: Message) -> str:
    return _one_line(message.content, _MESSAGE if message.role is Speaker.USER else _ANSWER)


def _who(action: Action) -> str:
    return {"message": "user", "tool_call": "action", "error": "error"}.get(action.kind, action.kind)


def _line(action: Action) -> str:
    if action.kind == "message":
        return _one_line(action.text, _MESSAGE)
    ends = action.outcome
    outcome = " … ".join(_one_line(one, _OUTCOME if len(ends) == 1 else _END) for one in ends)
    if action.kind != "tool_call":
        return outcome
    arguments = _one_line(action.arguments, _ARGUMENTS)
    return f"{action.tool}: {arguments} → {'ok' if action.is_ok else 'FAIL'}" + (f": {outcome}" if outcome else "")


def _ends(text: str) -> tuple[str, ...]:
    text = text.strip()
    if len(text) <= 2 * _NARRATION:
        return (text,) if text else ()
    return text[:_NARRATION] + _CUT, _CUT.strip() + " " + text[-_NARRATION:]


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most].rstrip() + _CUT
