"""Finds which facts of the graph came up with the turns that told them: what a fact's own page says of its use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording, carriers
from consolidation.kernel.turns import Speaker
from consolidation.text.language import detect
from consolidation.text.sentences import whole_sentences
from service.index.text_splits import facts_by_turn
from service.retrieval.lead_words import told_words, without_lead
from service.retrieval.put_right import FACT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.mind.minds import Mind
    from service.retrieval.moment import Fragment


def facts_shown(mind: Mind, fragments: Sequence[Fragment]) -> Mapping[str, tuple[str, ...]]:
    """
    By the id of each of *fragments* that is a turn: the facts first told there of which it shows a sentence.

    It blocks. Raises IndexUnusable.
    """
    turns = [one for one in fragments if one.kind == "episode" and one.sequences]
    told = mind.text.read(lambda database: facts_by_turn(database, [at for one in turns for at in one.sequences]))
    found = {}
    for one in turns:
        facts = {f"{FACT}{uuid}": text for sequence, uuid, text in told if sequence in one.sequences}
        found[one.id] = _shown_of(one, facts) if facts else ()
    return found


def _shown_of(fragment: Fragment, facts: Mapping[str, str]) -> tuple[str, ...]:
    """The ids of *facts*, id to text, that *fragment* has a sentence of; of all where people's words are whole."""
    shown = told_words(fragment.text)
    by_people = [message.content for message in fragment.said if message.role is Speaker.USER]
    if by_people and all(told_words(content) <= shown for content in by_people):
        return tuple(facts)
    spoken = [
        (number, sentence)
        for number, message in enumerate(fragment.said)
        for sentence in whole_sentences(message.content, language=detect(message.content))
    ]
    messages, sentences = [number for number, _ in spoken], [sentence for _, sentence in spoken]
    is_there = [told_words(sentence) <= shown for sentence in sentences]

    def shows(fact: str) -> bool:
        return any(is_there[at] for at in carriers(Wording.of(without_lead(fact)), sentences, of=messages))

    return tuple(key for key, text in facts.items() if shows(text))
