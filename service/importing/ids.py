"""
Ids for what an export left without one: the same bytes always get the same ids, so importing twice adds nothing.

An id is made from the session, the content, and how often that content came before in the session. The line number is
not used: a file that is repaired or grows must not rename its turns. An exchange that grows gets another id; those that
its beginnings had are given with it. Secrets are left out: a fingerprint of a card number reveals the number to anyone
who tries them all.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import has_dot_step
from consolidation.secrets.redaction import redact
from service.importing.fields import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message

LONGEST_ID = 200
_DIGEST_BYTES = 8


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
    """A turn's id, and ids under which its first messages may be stored from an earlier export, the most first."""

    turn_id: str
    earlier: tuple[str, ...] = ()


class IdAssigner:
    """The ids given so far in one file. ``stem`` is the file's name without folder and ending."""

    def __init__(self, *, stem: str) -> None:
        self._stem = clean(stem)
        self._session_id = ""
        self._uses: Counter[str] = Counter()
        self._contents: dict[str, str] = {}

    def session(self, first: Message) -> str:
        """The session of messages that name none: one per file, told apart by its first message."""
        if not self._session_id:
            self._session_id = identifier(f"import:{self._stem[:100]}-{_content((first,))}")
        return self._session_id

    def turn(self, session: str, *, own: str = "", messages: Sequence[Message]) -> str:
        """The turn's id: the export's own unless another turn has it already, else one made from the content."""
        return self.turn_ids(session, own=own, messages=messages).turn_id

    def turn_ids(self, session: str, *, own: str = "", messages: Sequence[Message]) -> TurnIds:
        """The turn's id, as ``turn`` gives it; where it is made from the content, with those of its beginnings."""
        *beginnings, content = _contents(messages)
        if own and self._contents.setdefault(own, content) == content:
            return TurnIds(identifier(own))
        earlier = tuple(self._made(session, one) for one in reversed(beginnings))
        turn_id = self._made(session, content)
        self._uses[digest_of(session, content)] += 1
        return TurnIds(turn_id, earlier)

    def _made(self, session: str, content: str) -> str:
        """The id of the next turn with this content."""
        digest = digest_of(session, content)
        return identifier(f"{session}:{digest_of(digest, self._uses[digest] + 1)}")


def _content(messages: Sequence[Message]) -> str:
    """A fingerprint of what was said, by whom and when."""
    return _contents(messages)[-1]


def _contents(messages: Sequence[Message]) -> list[str]:
    """The fingerprint of each beginning of *messages*; the last one is of all, as ``digest_of`` makes it."""
    running = hashlib.blake2b(b"[", digest_size=_DIGEST_BYTES)
    found = []
    for at, m in enumerate(messages):
        said = [m.role, redact(m.content).text, m.timestamp and m.timestamp.isoformat(), m.name, m.id]
        running.update(f"{', ' * bool(at)}{json.dumps(said, ensure_ascii=False)}".encode("utf-8", "surrogatepass"))
        whole = running.copy()
        whole.update(b"]")
        found.append(whole.hexdigest())
    return found
