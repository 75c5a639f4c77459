"""
Ids for what an export left without one: the same bytes always get the same ids, so importing twice adds nothing.

An id is made from the session, the content, and, where this has no time, how many turns of the session began with it
before. The line number is not used: a file that is repaired or grows must not rename its turns. A time without a zone
counts as it is written, not as an instant: the zone that a caller names must not rename them either. An exchange that
grows gets another id; those that its beginnings had, or that earlier versions of ours gave, are given with it. Secrets
are left out: a fingerprint of a card number reveals the number to anyone who tries them all.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import TYPE_CHECKING

from consolidation.kernel.turns import has_dot_step
from consolidation.secrets.redaction import redact
from service.importing.fields import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, tzinfo

    from consolidation.kernel.turns import Message

LONGEST_ID = 200
_DIGEST_BYTES = 8


def one_spelling(name: str) -> str:
    """A file's name however its letters are composed: macOS may write an accent as a letter of its own."""
    return unicodedata.normalize("NFC", name)


def digest_of(*parts: object) -> str:
    """A short fingerprint of cleaned JSON values."""
    whole = json.dumps(parts, ensure_ascii=False)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def identifier(text: str) -> str:
    """
    The text itself if it is printable and short; else its printable start and a digest of the whole.

    So is one with a step "." or "..", which HTTP clients take out of an address.
    """
    has_dots = has_dot_step(text)
    if text.isprintable() and len(text) <= LONGEST_ID and not has_dots:
        return text
    digest = digest_of(clean(text))
    start = (text.replace("/", "-") if has_dots else text)[: LONGEST_ID - len(digest) - 1]
    return "".join(char if char.isprintable() else "\ufffd" for char in start) + "~" + digest


@dataclass(frozen=True, slots=True)
class TurnIds:
    """A turn's id, and ids under which it, or its first messages, may be stored from before, the most first."""

    turn_id: str
    earlier: tuple[str, ...] = ()


class IdAssigner:
    """
    The ids given so far in one file. ``stem`` is the file's name without folder and ending.

    Times in *zone* are those that the file has without one. ``former_session`` is where an earlier version, which made
    ids from instants and from the file's name letter by letter, has stored the messages that name no session; empty
    where that is the same.
    """

    def __init__(self, *, stem: str, zone: tzinfo = UTC) -> None:
        self._former_stem = clean(stem)
        self._stem = one_spelling(self._former_stem)
        self._zone = zone
        self._session_id = ""
        self._whole: Counter[str] = Counter()  # turns with this content
        self._begun: Counter[str] = Counter()  # turns that begin with it
        self._contents: dict[str, str] = {}
        self.former_session = ""

    def session(self, first: Message) -> str:
        """The session of messages that name none: one per file, told apart by its first message."""
        if not self._session_id:
            both = self._written_and_former((first,))
            stems = (self._stem, self._former_stem)
            now, former = (identifier(f"import:{stem[:100]}-{one[0]}") for stem, one in zip(stems, both, strict=True))
            self._session_id, self.former_session = now, former if former != now else ""
        return self._session_id

    def turn(self, session: str, *, own: str = "", messages: Sequence[Message]) -> str:
        """An id for one more turn: *own* unless another turn has it already, else one made from the content."""
        return self._turn_ids(session, own=own, messages=messages, is_one_more=True).turn_id

    def turn_ids(self, session: str, *, own: str = "", messages: Sequence[Message]) -> TurnIds:
        """
        A turn's id: the export's own unless another turn has it already, else one made from the content.

        With the latter, those it may have had before. The same words at the same instant are one turn, written twice.
        """
        is_timed = messages[0].timestamp is not None
        return self._turn_ids(session, own=own, messages=messages, is_one_more=not is_timed)

    def _turn_ids(self, session: str, *, own: str, messages: Sequence[Message], is_one_more: bool) -> TurnIds:
        written, former = self._written_and_former(messages)
        if own and self._contents.setdefault(own, written[-1]) == written[-1]:
            return TurnIds(identifier(own))
        both = (written,) if written == former else (written, former)
        contents = [[digest_of(session, one) for one in reversed(some)] for some in both]
        turn_id, *earlier = dict.fromkeys(chain.from_iterable(self._made(session, one) for one in chain(*contents)))
        if is_one_more:
            is_unmistakable = bool(messages[0].timestamp or messages[0].id)  # as nothing else in the file begins
            for some in contents:
                self._whole[some[0]] += 1
                self._begun.update(some[:1] if is_unmistakable else set(some))
        return TurnIds(turn_id, tuple(earlier))

    def _written_and_former(self, messages: Sequence[Message]) -> tuple[list[str], list[str]]:
        """The fingerprint of each beginning, with times as they are written; and with instants, as they were made."""
        written = _contents(messages, zone=self._zone)
        local = [m.timestamp for m in messages if m.timestamp is not None and m.timestamp.tzinfo is self._zone]
        return written, _contents(messages, zone=None) if any(at.utcoffset() for at in local) else written

    def _made(self, session: str, digest: str) -> Iterator[str]:
        """The id of the next turn with this content; and the one that it had when whole turns alone were counted."""
        for count in (self._begun[digest], self._whole[digest]):
            yield identifier(f"{session}:{digest_of(digest, count + 1)}")


def _contents(messages: Sequence[Message], *, zone: tzinfo | None) -> list[str]:
    """
    The fingerprints of the first of *messages*, of the first two, and so on to all: what was said, by whom and when.

    Times in *zone* count as they are written. The last fingerprint is the one that ``digest_of`` makes of all.
    """
    running = hashlib.blake2b(b"[", digest_size=_DIGEST_BYTES)
    found = []
    for at, m in enumerate(messages):
        said = [m.role, redact(m.content).text, m.timestamp and _as_text(m.timestamp, zone), m.name, m.id]
        running.update(f"{', ' * bool(at)}{json.dumps(said, ensure_ascii=False)}".encode("utf-8", "surrogatepass"))
        whole = running.copy()
        whole.update(b"]")
        found.append(whole.hexdigest())
    return found


def _as_text(at: datetime, zone: tzinfo | None) -> str:
    """A time as an import without a zone has it, where it is in *zone*; else the instant."""
    if at.tzinfo is zone:
        return at.replace(tzinfo=UTC).isoformat()
    return (at.astimezone(UTC) if zone is None else at).isoformat()
