"""
A Graphiti graph, or Zep's, as JSON: episodes become turns, facts and entities become thoughts of the bot's own.

Read: what Graphiti's server and Zep's graph calls answer (`episodes`, `edges` or `facts`, `nodes`, as lists or within
an object), nodes and edges as they stand in the database, and the messages of a Zep thread or session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.speaker_names import role_named
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.exchanges import exchanges, with_times
from service.importing.fields import label_of, list_of, mapping_of, metadata_of, text_of
from service.importing.ids import digest_of, identifier
from service.importing.records import Record
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from service.importing.ids import IdAssigner
    from service.importing.times import Times

_VALID = ("valid_at", "created_at")
_LISTS = ("episodes", "edges", "facts", "nodes")
_WITH_ROLE = re.compile(r"^([^\n():]{0,60})\((user|assistant|system|tool|human|ai)\): ?", re.MULTILINE)
_ACTOR = re.compile(r"^([^\n:]{1,60}):(?: |$)", re.MULTILINE)
_NAME = re.compile(r"(?:[^\W\d_][\w.'’-]*)(?: [^\W\d_][\w.'’-]*){0,3}")
_SPEAKERS = {
    "user": Speaker.USER,
    "human": Speaker.USER,
    "norole": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "ai": Speaker.ASSISTANT,
    "system": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
_ZEP = "zep:"
_KNOWN = ("name", "group_id", "source_description", "invalid_at", "expired_at", "source_node_name", "target_node_name")


def is_graphiti(value: dict[str, object]) -> bool:
    """Whether the object is an episode, a fact or an entity of a graph, or a list of them, or a Zep thread."""
    if "role" in value and "uuid" not in value:
        return False
    return _is_thread(value) or _is_part(value) or any(_is_part(_first(value, name)) for name in _LISTS)


def read_graphiti(
    records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None
) -> Iterator[ImportItem]:
    """The turns of every episode, fact, entity and thread, or of those of the session ``only``."""
    threads = _Threads()
    for record in records:
        for found in _of(record, threads, ids=ids, times=times):
            if only is None or isinstance(found, Skipped) or found.turn.session_id == only:
                yield found


def _of(record: Record, threads: _Threads, *, ids: IdAssigner, times: Times) -> Iterator[ImportItem]:
    value = mapping_of(record.value)
    if _is_thread(value):
        yield from _thread(value, threads, where=record.where, ids=ids, times=times)
    elif _is_part(value):
        yield _part(record, ids=ids, times=times)
    else:
        for name in _LISTS:
            for at, one in enumerate(list_of(value.get(name))):
                yield _part(Record(f"{record.where}#/{name}/{at}", one), ids=ids, times=times)


def _first(value: dict[str, object], name: str) -> dict[str, object]:
    return mapping_of(next(iter(list_of(value.get(name))), None))


def _is_part(value: dict[str, object]) -> bool:
    is_episode = "content" in value and ("source" in value or "source_description" in value or "valid_at" in value)
    is_entity = "name" in value and "summary" in value
    return "uuid" in value and (is_episode or is_entity or "fact" in value)


def _is_thread(value: dict[str, object]) -> bool:
    first = _first(value, "messages")
    return "content" in first and ("role_type" in first or ("uuid" in first and "created_at" in first))


def _part(record: Record, *, ids: IdAssigner, times: Times) -> FoundTurn | Skipped:
    value = mapping_of(record.value)
    if "fact" in value:
        text, at = _fact(value, times), times.read_first(value, _VALID)
        said: tuple[Message, ...] = (Message(Speaker.THOUGHT, text, at),) if text else ()
    elif "content" in value:
        said = _said(value, times)
    else:
        name, summary = text_of(value.get("name")), text_of(value.get("summary"))
        at = times.read(value.get("created_at"))
        said = (Message(Speaker.THOUGHT, f"{name}: {summary}", at),) if summary else ()
    if not said:
        return Skipped(record.where, "an episode, a fact or an entity without words")
    group = label_of(value.get("thread_id")) or label_of(value.get("group_id")) or "graph"
    session = identifier(f"graphiti:{group}")
    own = f"{session}:{uuid}" if (uuid := label_of(value.get("uuid"))) else ""
    known = {name: value[name] for name in _KNOWN if value.get(name) not in (None, "")}
    metadata = {**metadata_of(value.get("metadata")), **metadata_of(known), "uuid": uuid, "source": "graphiti"}
    is_episode = "content" in value and "fact" not in value
    found = ids.turn_ids(session, own=own if is_episode else "", messages=said)
    earlier = (identifier(own),) if own and not is_episode else ()  # facts and summaries change under one uuid
    turn = Turn(found.turn_id, session, said, kind=TurnKind.IMPORT, metadata=metadata)
    return FoundTurn(turn, record.where, found.earlier + earlier)


def _fact(value: dict[str, object], times: Times) -> str:
    """The fact's words; of one that has ended, with the day on which it did."""
    text = text_of(value.get("fact"))
    ended = times.read(value.get("invalid_at"), consequence="when the fact ended is not known")
    return f"{text} (No longer so since {ended:%Y-%m-%d}.)" if text and ended is not None else text


def _said(value: dict[str, object], times: Times) -> tuple[Message, ...]:
    """The messages of an episode: those that its text names speakers of, else its text as a thought."""
    content = text_of(value.get("content"))
    at = times.read_first(value, _VALID)
    role = text_of(value.get("role_type"))
    if role in _SPEAKERS and content:
        return (_message(content, role=role, name=text_of(value.get("role")), at=at),)
    source = text_of(value.get("source"))
    starts = _starts(content, is_message=source == "message") if source in {"", "message"} else []
    if not starts:
        return (Message(Speaker.THOUGHT, content, at),) if content else ()
    ends = [*(one.begin for one in starts[1:]), len(content)]
    found = [(one, content[one.end : end].strip()) for one, end in zip(starts, ends, strict=True)]
    return tuple(_message(text, role=one.role, name=one.name, at=at) for one, text in found if text)


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the words of a speaker begin in the text of an episode: behind "name(role): " or "actor: "."""

    begin: int
    end: int
    role: str
    name: str


def _starts(content: str, *, is_message: bool) -> list[_Start]:
    """Where speakers begin; none where the text does not begin with one. Only a message may have bare actors."""
    found = [_Start(one.start(), one.end(), one[2], one[1].strip()) for one in _WITH_ROLE.finditer(content)]
    if is_message and not found:
        found = list(_actors(content))
    return found if found and found[0].begin == 0 else []


def _actors(content: str) -> Iterator[_Start]:
    """
    Those of "actor: content", as Graphiti asks for it: a role's word, or else a name.

    Behind a role's word, a line "Milk: two litres" is what was said; behind a name, it is another speaker's.
    """
    first = ""
    for one in _ACTOR.finditer(content):
        actor = one[1].strip()
        role = _role_of(actor)
        if one.start() == 0 and not role and _NAME.fullmatch(actor):
            first = actor
        if role:
            yield _Start(one.start(), one.end(), role, "")
        elif first and (actor == first or _is_capitalised(actor)):
            yield _Start(one.start(), one.end(), "user", actor)


def _role_of(actor: str) -> str:
    """The role that an actor is called by; empty for a name."""
    word = actor.casefold() if actor.casefold() in _SPEAKERS else role_named(actor)
    return word if word in _SPEAKERS else ""


def _is_capitalised(actor: str) -> bool:
    """Whether it is written as a name is: from a capital to a capital, where its script has some."""
    words = actor.split()
    return _NAME.fullmatch(actor) is not None and not any(word[0].islower() for word in (words[0], words[-1]))


def _message(text: str, *, role: str, name: str, at: datetime | None, own: str = "") -> Message:
    return Message(_SPEAKERS[role], text, at, name or None, own or None)


class _Threads:
    """The messages of all threads of one file, which may be answers that overlap: each comes in once."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[object, ...], str] = {}

    def session(self, messages: Sequence[Message], *, thread: str) -> str:
        """The session of a thread; of one without a name, that of an answer which it overlaps, or one of its own."""
        if thread:
            return identifier(f"{_ZEP}{thread}")
        known = (self._sessions.get(("", *_own(one))) for one in messages)
        found = next(filter(None, known), "")
        return found or identifier(f"{_ZEP}{digest_of(messages[0].id, messages[0].content)}")

    def new(self, messages: Sequence[Message], *, thread: str, session: str) -> list[Message]:
        """Those of *messages* that did not come before."""
        said = {(thread, *_own(one)): one for one in reversed(messages)}
        new = [one for key, one in reversed(said.items()) if key not in self._sessions]
        self._sessions |= dict.fromkeys(said, session)
        return new


def _own(message: Message) -> tuple[object, ...]:
    """What a message is known by."""
    return (message.id,) if message.id else (message.role, message.content, message.timestamp)


def _thread(
    value: dict[str, object], threads: _Threads, *, where: str, ids: IdAssigner, times: Times
) -> Iterator[ImportItem]:
    """A Zep thread or session: its messages, an exchange a turn."""
    messages: list[Message] = []
    for at, one in enumerate(map(mapping_of, list_of(value.get("messages")))):
        role = text_of(one.get("role_type")) or text_of(one.get("role"))
        text = text_of(one.get("content"))
        if role not in _SPEAKERS or not text:
            yield Skipped(f"{where} messages[{at}]", "a message without words, or of a role that Zep does not have")
            continue
        name = text_of(one.get("name")) or (text_of(one.get("role")) if "role_type" in one else "")
        own = label_of(one.get("uuid"))
        said_at = times.read_first(one, ("reference_time", "created_at"))
        messages.append(_message(text, role=role, name=name, at=said_at, own=own))
    timed = with_times(messages, fallback=times.read(value.get("thread_created_at")))
    if not timed:
        yield Skipped(where, "a thread without messages")
        return
    thread = label_of(value.get("thread_id")) or label_of(value.get("session_id"))
    thread = thread or label_of(_first(value, "messages").get("thread_uuid"))
    session = threads.session(timed, thread=thread)
    user_id = label_of(value.get("user_id"))
    metadata = {"source": "zep", **({"user_id": user_id} if user_id else {})}
    new = threads.new(timed, thread=thread, session=session)
    for exchange in exchanges(new, opens=lambda _, now: now.role is Speaker.USER):
        own = f"{session}:{exchange[0].id}" if exchange[0].id else ""
        found = ids.turn_ids(session, own=own, messages=exchange)
        turn = Turn(found.turn_id, session, exchange, kind=TurnKind.IMPORT, metadata=metadata)
        yield FoundTurn(turn, where, found.earlier, alike="" if thread else _ZEP)
