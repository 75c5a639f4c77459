"""Phase 1: from the moment to what is searched for. What the message itself says, and what a model adds to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.kernel.ports import Ask
from consolidation.kernel.turns import Speaker
from consolidation.text.chat_spelling import spelled_out
from consolidation.text.names import names
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words, tokens
from prompts.responses import Seeds
from service.resonance.relevance import is_chore
from service.retrieval.intent import intent_of
from service.retrieval.periods import without_period
from service.retrieval.queries import cleaned, distinct, is_filler
from service.retrieval.tellers import asker_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.ports import LanguageModel, Reply
    from consolidation.workspace import Workspace
    from service.retrieval.moment import Moment

_RECENT_LINES = 4
_FEW_WORDS = 3  # that say little by themselves
_MOST_QUERIES, _MOST_NAMES, _MOST_WONDERS = 8, 3, 3


class MessageSeeds(NamedTuple):
    """What the message itself says: queries, and the names in it."""

    queries: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelQueries:
    """
    What a model adds to the search: ``queries``, the surest first.

    ``names`` are those of them that are only a name. ``hypotheses`` has what a wonder supposes, by its query.
    """

    queries: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    hypotheses: Mapping[str, str] = field(default_factory=dict)


def message_seeds(moment: Moment) -> MessageSeeds:
    """
    The message as a query, without waiting for a model.

    Filler ("ok", "haha") searches for the exchange before it; where there is none, for nothing.
    """
    text = moment.message
    if is_filler(text):
        return MessageSeeds(distinct((_exchange(moment),)))
    return MessageSeeds(distinct(_with_talk(moment)), names(text, language=moment.language))


def _exchange(moment: Moment) -> str:
    """What the person said last, and what the bot answered: "yes" to "shall I look for a train?" is about both."""
    recent = [one for one in moment.recent[-_RECENT_LINES:] if one.content != moment.typed]
    spoken = [one for one in recent if not is_filler(one.content)]
    said = [one.content for one in spoken if one.role is Speaker.USER][-1:]
    answered = [one.content for one in spoken[-1:] if one.role is not Speaker.USER]
    return " ".join((*said, *answered))


def _with_talk(moment: Moment) -> tuple[str, ...]:
    """
    The message; where it leans on the talk, with what the person said before it: "who took over from her?".

    A few words may lean on it, too ("and the blue one?"), or have a subject of their own: "when is standup?". So they
    are searched for with it, and where they have a subject, by themselves as well.
    """
    text = moment.message
    intent = intent_of(text, language=moment.language, names_known=False)
    said = [one for one in moment.messages if one.role is Speaker.USER]
    words = tokens(text)
    if len(said) < 2 or not (intent.leans_on_talk or len(words) <= _FEW_WORDS):  # noqa: PLR2004
        return (text,)
    if is_chore(intent, has_subject=any(not word.isdigit() for word in words)):
        return (text,)
    before = spelled_out(cleaned(said[-2].content), language=moment.language)
    if not before or is_filler(before):
        return (text,)
    subject = content_words(without_period(text), language=moment.language).keys() - subjectless(moment.language)
    has_subject = bool(subject) and not intent.leans_on_talk
    return (text, f"{before} {text}") if has_subject else (f"{before} {text}",)


async def ask_for_seeds(moment: Moment, *, agent: str, model: LanguageModel, workspace: Workspace) -> Reply[Seeds]:
    """
    Ask the model which people, phrases and hypotheses might stir a memory, as one with the purpose of PURPOSE.md.

    Raises ModelFault.
    """
    purpose = await anyio.to_thread.run_sync(lambda: workspace.purpose_text, abandon_on_cancel=True)
    words = {
        "agent": agent,
        "purpose": purpose,
        "now": moment.local_now.strftime("%A, %Y-%m-%d %H:%M"),
        "acts": moment.acts,
        "asker": asker_of(moment) if moment.message else "",
        "message": moment.typed,
        "recent": moment.recent,
        "language": moment.language,
    }
    return await model.answer(Ask("seeds", Seeds, words, workspace.prompts))


def model_queries(
    seeds: Seeds, *, message: str, known: Sequence[str], wondered_before: frozenset[str] = frozenset()
) -> ModelQueries:
    """
    What a model's *seeds* add to *known*, which is searched for already.

    Somebody whom the *message* only means ("she") is searched for with it; then come the model's own queries, and the
    names by themselves. Its wonders have places of their own beside these, and none asks again what its session was
    *wondered_before* about (``wonder_key`` of each query): what it found then was shown or was not worth it.
    """
    said = set(tokens(message))
    meant = [name for name in seeds.entities if tokens(name) and not said.issuperset(tokens(name))]
    resolved = (f"{', '.join(meant)}: {message}",) if meant and message else ()
    wondered = {one.query: one.hypothesis for one in seeds.wonders if wonder_key(one.query) not in wondered_before}
    found = distinct((*known, *resolved, *seeds.queries, *seeds.entities[:_MOST_NAMES]))
    own = tuple(query for query in found if query not in set(known))[:_MOST_QUERIES]
    asked = {*known, *own}
    wonders = tuple(query for query in distinct((*asked, *wondered)) if query not in asked)[:_MOST_WONDERS]
    return ModelQueries(
        (*own, *wonders),
        frozenset(seeds.entities).intersection(own).difference(seeds.queries),
        {query: wondered[query] for query in wonders if query in wondered},
    )


def wonder_key(query: str) -> str:
    """The query of a wonder as it is compared with earlier ones: its words, in any order and case."""
    return " ".join(sorted(set(tokens(query))))
