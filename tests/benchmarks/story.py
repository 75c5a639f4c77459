"""
Stories: a conversation is imported and consolidated through HTTP, and STORY.md is measured by code.

It is told by quoting, by a model (``--story-model``), or by recorded answers (``--story-answers``), which a scripted
provider on loopback gives in their order. ``--story-record`` writes the answers of a model as such a file.
"""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from consolidation.text.language import detect
from tests.benchmarks.lives import FOLDER
from tests.benchmarks.served import body_of, serving
from tests.benchmarks.story_figures import (
    Asked,
    Said,
    answerable,
    book_of,
    names_kept,
    openings,
    resolved_dates,
    revised,
    size,
)
from tests.support.service import settings_of
from tests.twins.provider import Fails, Says, ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from service.settings.settings import Settings
    from tests.benchmarks.lives import Life
    from tests.benchmarks.locomo import Conversation
    from tests.support.service import Running

OWN_LIFE = FOLDER / "own_en.json"
_POLL_SECONDS = 0.2
_LANGUAGE_FROM = 8_000  # characters, as the narrator reads them
_NO_ANSWER = 400  # a status that nobody asks again after
_ADVERSARIAL = "adversarial"
_SILENT = "silent"  # a scripted model for what is beside the story
_MOST_TOKENS = 16_000  # of a recorded answer


class StoryNotTold(Exception):
    """A run ended before the end; the message says why."""


@dataclass(frozen=True, slots=True)
class StoryTeller:
    """Who narrates: a model, recorded answers, or neither: then it is quoted. *record* is where answers are written."""

    model: str | None = None
    api_base: str | None = None
    answers: Path | None = None
    record: Path | None = None

    def problem(self, *, talks: int) -> str:
        """Why it can not tell so many talks; "" where it can."""
        if self.answers is not None and self.model is not None:
            return "--story-answers and --story-model exclude each other: recorded answers take the place of a model"
        if self.record is not None and self.model is None:
            return "--story-record writes what a model answers: name one with --story-model"
        if (self.answers or self.record) is not None and talks > 1:
            return f"a file of answers is of one story, not of {talks}: choose with --conversation, or with --lives"
        return ""


@dataclass(frozen=True, slots=True)
class Talk:
    """What is told: bodies of ``POST …/turns`` in their order, and questions with their answers."""

    mind_id: str
    turns: tuple[Mapping[str, Any], ...]
    asked: tuple[Asked, ...]

    @property
    def said(self) -> tuple[Said, ...]:
        """Every message, with its day."""
        messages = (message for turn in self.turns for message in turn["messages"])
        return tuple(Said(datetime.fromisoformat(one["timestamp"]).date(), one["content"]) for one in messages)


def talk_of_locomo(conversation: Conversation) -> Talk:
    """A conversation with its questions, without the adversarial ones: these have no answer."""
    asked = (Asked(one.category, (one.answer,)) for one in conversation.questions if one.category != _ADVERSARIAL)
    return Talk(conversation.mind_id, tuple(body_of(turn) for turn in conversation.turns), tuple(asked))


def talk_of_life(life: Life) -> Talk:
    """A made-up life; its questions are those of which one crisp answer is known."""
    asked = (Asked(one.kind, tuple(one.expect["says"])) for one in life.queries if one.expect.get("says"))
    keys = ("session_id", "turn_id", "messages")
    return Talk(life.mind_id, tuple({key: turn[key] for key in keys} for turn in life.turns), tuple(asked))


async def stories(
    home: Path, talks: Sequence[Talk], *, teller: StoryTeller, advanced: Callable[[], None]
) -> dict[str, Any]:
    """
    The figures of each talk's story, by its mind.

    Raises StoryNotTold where a run fails: the model can not be asked, or the recorded answers are over or refused.
    """
    if problem := teller.problem(talks=len(talks)):
        raise StoryNotTold(problem)
    found = {}
    for talk in talks:
        with _told_by(teller, home / talk.mind_id) as (settings, provider):
            async with serving(home / talk.mind_id, settings=settings) as service:
                found[talk.mind_id] = await _measured(service, talk, teller=teller, provider=provider)
        advanced()
    return found


async def _measured(service: Running, talk: Talk, *, teller: StoryTeller, provider: _Answers | None) -> dict[str, Any]:
    for turn in talk.turns:
        (await service.http.post(f"/v1/minds/{talk.mind_id}/turns", json=turn)).raise_for_status()
    began = time.monotonic()
    run = await _consolidated(service, talk.mind_id)
    seconds = time.monotonic() - began
    problem = (provider.problem if provider is not None else "") or run["error"]
    if problem:
        told_by = teller.model or teller.answers or "quoting"
        refused = "".join(f"; refused: {reason}" for reason in run["refused"])
        raise StoryNotTold(f"{talk.mind_id}, told by {told_by}: {problem}{refused}")
    return await _figures(service, talk) | _cost(run) | {"seconds": round(seconds, 1)}


async def _consolidated(service: Running, mind_id: str) -> dict[str, Any]:
    """Every turn told, by one run."""
    path = f"/v1/minds/{mind_id}/consolidation"
    (await service.http.post(path, json={"wait": False})).raise_for_status()
    while (state := (await service.http.get(path)).json())["is_running"]:
        await asyncio.sleep(_POLL_SECONDS)
    run: dict[str, Any] = state["last_run"]
    return run


async def _figures(service: Running, talk: Talk) -> dict[str, Any]:
    path = f"/v1/minds/{talk.mind_id}/story"
    answer = await service.http.get(path, headers={"Accept": "text/markdown"})
    answer.raise_for_status()
    book, said = book_of(answer.text), talk.said
    language = detect("\n".join(one.text for one in said)[:_LANGUAGE_FROM])
    return {
        "language": language,
        "answerable": answerable(talk.asked, book, language=language),
        "fidelity": await _fidelity(service, path),
        "names": names_kept(said, book, language=language),
        "openings": openings(book, language=language),
        "dates": resolved_dates(said, book, language=language),
        **size(book),
        "revised": revised((*await _versions(service, path), answer.text)),
    }


async def _fidelity(service: Running, path: str) -> dict[str, Any] | None:
    """How much of the story the turns carry, sentence by sentence; None where the service does not say."""
    answer = await service.http.get(f"{path}/sources")
    found: dict[str, Any] | None = answer.json().get("fidelity") if answer.is_success else None
    return found


async def _versions(service: Running, path: str) -> list[str]:
    """The earlier versions, oldest first."""
    listed = (await service.http.get(f"{path}/history")).json()["versions"]
    names = [one["version"] for one in reversed(listed)]
    return [(await service.http.get(f"{path}/history/{name}")).json()["text"] for name in names]


def _cost(run: Mapping[str, Any]) -> dict[str, Any]:
    usage = run["usage"]
    return {
        "calls": usage["calls"],
        "prompt tokens": usage["prompt_tokens"],
        "completion tokens": usage["completion_tokens"],
        "refused": run["refused"],
        "compressed": run["compressed"],
    }


@contextmanager
def _told_by(teller: StoryTeller, home: Path) -> Iterator[tuple[Settings, _Answers | None]]:
    """The settings, no run beginning by itself; and what answers on loopback, where anything does."""
    knobs = {"threshold_tokens": 0, "idle_seconds": 0}
    if teller.model is None and teller.answers is None:
        yield settings_of(home, story=knobs), None
        return
    answers = _Answers(_recorded(teller.answers) if teller.answers is not None else _asking(teller))
    with ScriptedProvider(respond=answers) as provider:
        here = {"api_base": provider.url, "api_key": "none"}
        own = {"model": "openai/scripted", "max_tokens": _MOST_TOKENS, **here}
        if teller.answers is None and teller.record is None:
            own = {"model": teller.model, "api_base": teller.api_base}
        silent = {"model": f"openai/{_SILENT}", **here}
        # The chat model is who tells if the narrative one fails: another one would quote, and nobody would notice.
        roles = {"narrative": own, "chat": own, "extraction": silent, "subconscious": silent}
        yield settings_of(home, story=knobs, models=roles), answers
    if teller.record is not None:
        text = json.dumps([_plain(answer) for answer in answers.given], indent=2, ensure_ascii=False)
        teller.record.write_text(f"{text}\n", encoding="utf-8")


class _Answers:
    """Answers story requests one after the other; remembers what it said, and the first problem."""

    def __init__(self, source: Callable[[int, dict[str, Any]], Says]) -> None:
        self.given: list[str] = []
        self._source = source
        self.problem = ""

    def __call__(self, body: dict[str, Any]) -> Says | Fails:
        """The answer to a request; a failure where there is none, which ends the run. No fact is found in any turn."""
        if body["model"] == _SILENT:
            return Says('{"entities": [], "facts": []}')
        try:
            said = self._source(len(self.given) + 1, body)
        except Exception as error:  # noqa: BLE001 - of whichever provider
            self.problem = self.problem or str(error)
            return Fails(_NO_ANSWER, str(error))
        self.given.append(said.text or "")
        return said


def _recorded(file: Path) -> Callable[[int, dict[str, Any]], Says]:
    """The answers of a file: a JSON list, each entry an answer or its JSON text. Raises StoryNotTold."""
    try:
        answers = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoryNotTold(f"{file} can not be read as recorded answers: {error}") from error
    if not isinstance(answers, list):
        raise StoryNotTold(f"{file} holds no list of answers")

    def source(number: int, _: dict[str, Any]) -> Says:
        if number > len(answers):
            raise LookupError(f"request {number} of the story has no answer: {file.name} holds {len(answers)}")
        answer = answers[number - 1]
        return Says(answer if isinstance(answer, str) else json.dumps(answer))

    return source


def _asking(teller: StoryTeller) -> Callable[[int, dict[str, Any]], Says]:
    """Pass each request on to the model, so that its answers can be recorded."""

    def ask(_: int, body: dict[str, Any]) -> Says:
        import litellm

        passed = {key: body[key] for key in ("messages", "temperature", "max_tokens", "response_format") if key in body}
        answer = litellm.completion(model=teller.model, api_base=teller.api_base, drop_params=True, **passed)
        choice, usage = answer.choices[0], answer.usage
        tokens = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        return Says(choice.message.content, finish=choice.finish_reason or "stop", tokens=tokens)

    return ask


def _plain(answer: str) -> object:
    try:
        return json.loads(answer)
    except json.JSONDecodeError:
        return answer
