"""
What must not be stored: secrets, and what was said off the record.

Of a turn off the record no word is stored, only who spoke, when, and under which id. So the turn is recognised when it
is posted again.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, TurnKind
from consolidation.secrets.redaction import redact, redact_value
from consolidation.text.folding import folded
from consolidation.text.injected_blocks import without_injected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import Turn
    from consolidation.secrets.redaction import Ids

_DENSE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # no blanks between words
_LETTER = rf"[^\W{_DENSE}]"
_AT_ONCE = re.compile(rf"[{_DENSE}()\[\]{{}}<>]")  # what may stand at a marker's edge with a letter beside it
# What other memories' APIs keep in the metadata. Ids are not searched: two that are masked would be the same.
_IDS: Ids = {
    "mem0": dict.fromkeys(("user_id", "agent_id", "app_id", "run_id")),
    "graphiti": {"group_id": None},
    "zep": {"graph_id": None, "user": {"user_id": None}, "thread": {"user_id": None}},
}
MARKERS = ("#offtherecord", "[off the record]")


@dataclass(frozen=True, slots=True)
class FilteredTurn:
    """A turn without its secrets, the kinds of those secrets by message, and of those in the metadata."""

    turn: Turn
    kinds: Mapping[int, tuple[str, ...]]
    metadata_kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrivacyFilter:
    """
    What the settings withhold; a marker in a user's message takes its exchange off the record.

    So it does in a memory that is saved on purpose: it is somebody's words, although a thought of the bot.
    """

    redacts: bool = True
    markers: tuple[str, ...] = MARKERS

    def cleaned(self, text: str) -> str:
        """A message's text as it would be stored."""
        plain = without_injected(text)
        return redact(plain).text if self.redacts else plain

    def note(self, text: str) -> str:
        """A note beside the turns, such as a reason, as it would be stored; "" where it is off the record."""
        return "" if self.has_marker(text) else self.cleaned(text).strip()

    def without_secrets(self, turn: Turn) -> FilteredTurn:
        """*turn* as it may be stored."""
        return without_secrets(turn) if self.redacts else FilteredTurn(turn, {}, ())

    def is_off_the_record(self, turn: Turn) -> bool:
        """Whether the caller said so, or a user in it, or whoever saved it as a memory."""
        is_memory = turn.kind is TurnKind.MEMORY
        return turn.kind is TurnKind.OFF_THE_RECORD or any(
            self.has_marker(message.content) if is_memory else self._is_marked(message) for message in turn.messages
        )

    def off_the_record(self, messages: Sequence[Message]) -> frozenset[int]:
        """The places of messages off the record: whole exchanges, from a user's messages to what answers them."""
        found: list[int] = []
        exchange: list[int] = []
        for at, message in enumerate(messages):
            opens = message.role is Speaker.USER and at > 0 and messages[at - 1].role is not Speaker.USER
            if opens and any(self._is_marked(messages[one]) for one in exchange):
                found += exchange
            if opens:
                exchange = []
            exchange.append(at)
        if any(self._is_marked(messages[one]) for one in exchange):
            found += exchange
        return frozenset(found)

    def _is_marked(self, message: Message) -> bool:
        return message.role is Speaker.USER and self.has_marker(message.content)

    def has_marker(self, text: str) -> bool:
        """Whether a marker stands in *text*, whoever wrote it."""
        return bool(self.markers) and any(_marker(self.markers).search(one) for one in _read(text))


def without_secrets(turn: Turn) -> FilteredTurn:
    """*turn* with every secret in its messages, their names and its metadata replaced by a mark. Ids stay."""
    messages, kinds = [], {}
    for at, message in enumerate(turn.messages):
        said, name = redact(message.content), redact(message.name or "")
        messages.append(replace(message, content=said.text, name=name.text or message.name))
        if found := tuple(dict.fromkeys((*said.kinds, *name.kinds))):
            kinds[at] = found
    metadata, metadata_kinds = redact_value(dict(turn.metadata), ids=_IDS)
    assert isinstance(metadata, dict)  # noqa: S101 - as it was
    return FilteredTurn(replace(turn, messages=tuple(messages), metadata=metadata), kinds, metadata_kinds)


def is_same(kept: Turn, posted: Turn) -> bool:
    """
    Whether two turns of one id are the same, although one may hold a secret that was removed from the other.

    The time of a message counts only where both have one: a client may add it when it sends a turn later.
    """
    kept, posted = _with_times_of(posted, kept), _with_times_of(kept, posted)
    return kept.digest == posted.digest or without_secrets(kept).turn.digest == without_secrets(posted).turn.digest


def _with_times_of(other: Turn, turn: Turn) -> Turn:
    """*turn*, whose messages without a time have that of the same message of *other*."""
    pairs = zip_longest(turn.messages, other.messages[: len(turn.messages)])
    messages = (replace(one, timestamp=one.timestamp or (same and same.timestamp)) for one, same in pairs)
    return replace(turn, messages=tuple(messages))


def voided(turn: Turn) -> Turn:
    """What is stored of a turn off the record: that there was one."""
    silent = tuple(Message(message.role, "", message.timestamp, None, message.id) for message in turn.messages)
    return replace(turn, messages=silent, kind=TurnKind.OFF_THE_RECORD, metadata={})


@lru_cache(maxsize=512)  # minds may have markers of their own
def _marker(markers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_whole(_read(marker)[-1]) for marker in markers))


def _whole(marker: str) -> str:
    """A pattern for a marker that is not part of a word, in scripts with blanks between words; a bracket never is."""
    words = r"\s+".join(re.escape(word) for word in marker.split())
    before, after = ("" if _AT_ONCE.match(edge) else _LETTER for edge in (marker[0], marker[-1]))
    return (f"(?<!{before})" if before else "") + words + (f"(?!{after})" if after else "")


def _read(text: str) -> tuple[str, ...]:
    """*text* in letters of one width and case: as it is written, and as it is seen, without invisible letters."""
    seen = folded(text)
    return tuple(unicodedata.normalize("NFKC", one).casefold() for one in (text, seen and seen.text) if one)
