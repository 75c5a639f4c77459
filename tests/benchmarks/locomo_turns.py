"""LoCoMo's conversations: each utterance a turn, half a minute apart, so that their order is kept."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.fields import label_of, mapping_of, text_of
from service.importing.times import Times
from service.importing.ids import IdAssigner, digest_of, identifier
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SESSION = re.compile(r"session_([0-9]{1,6})")
_DATE = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]{3})[a-z]*,?\s+(\d{4})", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST_DATE = 64
_INTERVAL = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class _Session:
    """One session of a conversation, its utterances as found."""

    session_id: str
    prefix: str
    assistant: str
    starts_at: datetime | None
    where: str


def read_turns(path: Path, *, only: str | None = None) -> Iterator[ImportItem]:
    """The turns of every sample of a file, or of the one whose ``sample_id`` is ``only``."""
    ids = IdAssigner(stem=path.stem)
    samples = json.loads(path.read_text(encoding="utf-8"))
    for number, value in enumerate(samples if isinstance(samples, list) else [samples]):
        conversation = mapping_of(value.get("conversation")) or value
        sample = label_of(value.get("sample_id"))
        if only is None or only == sample:
            named = sample or _fallback_id(conversation)
            yield from _sample(conversation, sample=named, where=f"{path}[{number}]", ids=ids)


def _fallback_id(conversation: dict[str, object]) -> str:
    speakers = text_of(conversation.get("speaker_a")), text_of(conversation.get("speaker_b"))
    return f"locomo-{digest_of(*speakers, text_of(conversation.get('session_1_date_time')))}"


def _sample(conversation: dict[str, object], *, sample: str, where: str, ids: IdAssigner) -> Iterator[ImportItem]:
    sessions = sorted((int(match[1]), key) for key in conversation if (match := _SESSION.fullmatch(key)))
    if not sessions:
        yield Skipped(where, "a conversation without sessions")
    for _, key in sessions:
        session = _Session(
            session_id=identifier(f"{sample}:{key}"),
            prefix=sample,
            assistant=text_of(conversation.get("speaker_b")),
            starts_at=date_of(conversation.get(f"{key}_date_time")),
            where=f"{where} {key}",
        )
        yield from _utterances(conversation[key], session=session, ids=ids)


def _utterances(value: object, *, session: _Session, ids: IdAssigner) -> Iterator[ImportItem]:
    if not isinstance(value, list):
        yield Skipped(session.where, "a session that is not a list")
        return
    for index, utterance in enumerate(value):
        yield _utterance(mapping_of(utterance), index=index, session=session, ids=ids)


def _utterance(utterance: dict[str, object], *, index: int, session: _Session, ids: IdAssigner) -> ImportItem:
    where = f"{session.where}[{index}]"
    speaker, text = text_of(utterance.get("speaker")), _text(utterance)
    if not speaker or not text:
        return Skipped(where, "an utterance without a speaker or without text")
    role = Speaker.ASSISTANT if speaker == session.assistant else Speaker.USER
    dia_id = label_of(utterance.get("dia_id"))
    message = Message(role, text, _moment(session.starts_at, index), speaker, dia_id or None)
    turn_id = ids.turn(session.session_id, own=dia_id and f"{session.prefix}:{dia_id}", messages=(message,))
    metadata = {"source": "locomo", "dia_id": dia_id} if dia_id else {"source": "locomo"}
    return FoundTurn(Turn(turn_id, session.session_id, (message,), kind=TurnKind.IMPORT, metadata=metadata), where)


def _text(utterance: dict[str, object]) -> str:
    text, caption = text_of(utterance.get("text")), text_of(utterance.get("blip_caption"))
    return f"{text} [shares {caption}]".lstrip() if caption else text


def date_of(value: object) -> datetime | None:
    """``1:56 pm on 8 May, 2023`` as an instant in UTC, whatever the machine's locale; None if it is not a date."""
    text = text_of(value).strip().lower()[:_LONGEST_DATE]
    match = _DATE.fullmatch(text)
    if match is None:
        return Times().read(value)
    hour, minute, am_or_pm, day, month, year = match.groups()
    try:
        clock = int(hour) % 12 + (12 if am_or_pm == "p" else 0)
        return datetime(int(year), _MONTHS.index(month) + 1, int(day), clock, int(minute), tzinfo=UTC)
    except ValueError:
        return None


def _moment(starts_at: datetime | None, index: int) -> datetime | None:
    try:
        return starts_at and starts_at + _INTERVAL * index
    except OverflowError:
        return None
