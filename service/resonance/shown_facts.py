"""Finds which facts of the graph came up with the turns that told them: what a fact's own page says of its use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.corrections.wording import Wording, carriers
from consolidation.kernel.turns import Speaker
from consolidation.text.language import detect
from consolidation.text.sentences import whole_sentences
from service.index.text_splits import facts_by_turn
from service.retrieval.lead_words import told_words, without_lead

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.mind.minds import Mind
    from service.retrieval.moment import Fragment

_FACT = "fact:"


def facts_shown(mind: Mind, fragments: Sequence[Fragment]) -> Mapping[str, tuple[str, ...]]:
    """
    By the id of each of *fragments* that is a turn: the facts first told there of which it shows a sentence.

    It blocks. Raises IndexUnusable.
    """
    turns = [one for one in fragments if one.kind == "episode" and one.sequences]
    told = mind.text.read(lambda database: facts_by_turn(database, [at for one in turns for at in one.sequences]))
    found = {}
    for one in turns:
        facts = [(uuid, text) for sequence, uuid, text in told if sequence in one.sequences]
        found[one.id] = tuple(f"{_FACT}{uuid}" for uuid, text in facts if _shows(one, text))
    return found


def _shows(fragment: Fragment, fact: str) -> bool:
    """Whether a sentence that carries *fact* is shown, or all that people said: then in whatever words it was noted."""
    spoken = [
        (number, message.role, sentence)
        for number, message in enumerate(fragment.said)
        for sentence in whole_sentences(message.content, language=detect(message.content))
    ]
    shown = told_words(fragment.text)
    is_there = [told_words(sentence) <= shown for _, _, sentence in spoken]
    by_people = [there for there, (_, role, _) in zip(is_there, spoken, strict=True) if role is Speaker.USER]
    wording = Wording.of(without_lead(fact))
    found = carriers(wording, [sentence for *_, sentence in spoken], of=[number for number, *_ in spoken])
    return any(is_there[at] for at in found) or (bool(by_people) and all(by_people))
