"""What each tool asks the HTTP API: one call each, its answer as a result."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from service.mcp_server.asking import Away, Refused
from service.mcp_server.results import JournalFound, JournalText, Remembered, Resonated, Stored, Story

if TYPE_CHECKING:
    from service.mcp_server.arguments import (
        Arguments,
        ToGetJournal,
        ToReadStory,
        ToRemember,
        ToResonate,
        ToSearchJournal,
        ToStore,
    )
    from service.mcp_server.asking import Answer, Connection


async def remember(asked: ToRemember, at: Connection) -> Remembered:
    """Facts, entities and episodes."""
    mind = _mind(asked, at)
    params = asked.given("query", "kinds", "since", "until", "at", "limit")
    answer = await _read(at, mind, "remember", params)
    return Remembered.model_validate(answer)


async def journal_memory_search(asked: ToSearchJournal, at: Connection) -> JournalFound:
    """Passages of people's notes."""
    mind = _mind(asked, at)
    answer = await _read(at, mind, "journal/search", asked.given("query", "max_results", "min_score"))
    return JournalFound.model_validate(answer)


async def journal_memory_get(asked: ToGetJournal, at: Connection) -> JournalText:
    """Lines of one of them."""
    mind = _mind(asked, at)
    answer = await _read(at, mind, "journal/file", asked.given("path", "from_line", "lines"))
    return JournalText.model_validate({"path": asked.path, **answer})


async def read_story(asked: ToReadStory, at: Connection) -> Story:
    """The story, or its newest chapters, without our marks."""
    answer = await _read(at, _mind(asked, at), "story", {})
    book = parse(without_marks(str(answer.get("text", ""))))
    total = len(book.chapters)
    kept = total if asked.newest is None else min(asked.newest, total)
    text = book.text if kept == total else "".join(chapter.text for chapter in book.chapters[-kept:])
    told = {"text": text.strip(), "chapters": kept, "total_chapters": total}
    return Story.model_validate({**answer, **told})


async def resonance(asked: ToResonate, at: Connection) -> Resonated:
    """What surfaces on a message."""
    mind, session_id = _mind(asked, at), asked.session_id or at.session_id
    messages = [*(said.model_dump(exclude_none=True) for said in asked.earlier), _user(asked.message)]
    body = {"session_id": session_id, "messages": messages, **asked.given("timezone", "max_fragments")}
    try:
        answer = await at.api.ask("POST", f"{_path(mind)}/resonance", json=body)
    except Refused as refusal:
        answer = _nothing_yet(mind, refusal)
    return Resonated.model_validate({**answer, "mind": mind, "session_id": session_id})


async def store_turn(asked: ToStore, at: Connection) -> Stored:
    """A turn, on disk when this returns; its id is made before the first attempt, so that every other repeats it."""
    mind, session_id = _mind(asked, at), asked.session_id or at.session_id
    turn_id = asked.turn_id or at.fresh_id()
    body = {
        "turn_id": turn_id,
        "session_id": session_id,
        "messages": [said.model_dump(exclude_none=True) for said in asked.messages],
        "off_the_record": asked.off_the_record,
    }
    try:
        answer = await at.api.ask("POST", f"{_path(mind)}/turns", json=body)
    except (Away, Refused) as fault:
        if isinstance(fault, Away) or fault.may_end:
            fault.add_note(f'Call store_turn again later with "turn_id": "{turn_id}": nothing is kept twice.')
        raise
    return Stored.model_validate({**answer, "mind": mind, "session_id": session_id})


async def _read(at: Connection, mind: str, place: str, params: Answer) -> Answer:
    """What is answered; a note where there is no such mind: it is a normal thing to look before the first turn."""
    try:
        answer = await at.api.ask("GET", f"{_path(mind)}/{place}", params=params)
    except Refused as refusal:
        answer = _nothing_yet(mind, refusal)
    return {**answer, "mind": mind}


def _nothing_yet(mind: str, refusal: Refused) -> Answer:
    if not refusal.is_no_mind:
        raise refusal
    return {
        "note": f"There is no mind called {mind!r} yet, so it remembers nothing. "
        "The first store_turn for it creates it; if you expected memories, check the name."
    }


def _user(message: str) -> dict[str, str]:
    return {"role": "user", "content": message}


def _mind(asked: Arguments, at: Connection) -> str:
    return asked.mind or at.mind_id


def _path(mind: str) -> str:
    return f"/v1/minds/{quote(mind, safe='')}"
