"""
Whether a line of a model says that something is so where its memory denies, supposes or asks it, or denies what is so.

A line is held against the sentence of its memory that shares most words with it. What is refused without need surfaces
as it was said, which loses no more than style.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from consolidation.corrections.wording import names_any
from consolidation.kernel.turns import Speaker
from consolidation.text.assertions import clause_of, leaves_open, negates, supposes
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.language import detect
from consolidation.text.names import key_of
from consolidation.text.quotation import without_quotations
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question
from consolidation.text.words import tokens
from service.resonance.retelling import bare_parts, pieces_of
from service.resonance.retelling_words import says_that_it_said, says_you, without_remembering
from service.retrieval.tellers import says_given_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.retrieval.moment import Fragment


class _Sentence(NamedTuple):
    text: str
    language: str
    pieces: frozenset[str]


def fault_of_sense(text: str, fragment: Fragment, *, language: str) -> str:
    """Why *text*, asked for in *language*, says otherwise than *fragment* whether something is so; else ""."""
    memory = [one for part in bare_parts(fragment.text) for one in _sentences(part, language)]
    for line in _sentences(text, language):
        near = _nearest(line, memory)
        if not near or (not line.pieces and len(memory) > 1):
            continue
        if not any(_denies_alike(line, one) for one in near):
            return "only one of it and the memory denies something"
        if is_question(line.text) or leaves_open(line.text, language=line.language) is not False:
            continue
        if all(is_question(one.text) for one in near) and not _is_answered(line, near, memory):
            return "it tells as so what was asked"
        if all(_supposes(line, one) for one in near):
            return "it tells as so what may be"
    return ""


def misattributed(text: str, fragment: Fragment, *, named: Iterable[str]) -> str:
    """Which of the names in *text* the bot alone said, where *text* does not say that it was the bot; else ""."""
    theirs, own = set[str](), set[str]()
    for message in fragment.said:
        said = theirs if message.role is not Speaker.ASSISTANT else own
        said.update(tokens(f"{message.content} {message.known_as}"))
    if not own or says_that_it_said(text):
        return ""
    for name in named:
        words = frozenset(tokens(name))
        if words and words <= own and words.isdisjoint(theirs):
            return f"no person said the name {name!r}"
    return ""


def told_of_another(text: str, fragment: Fragment, *, asker: str, language: str) -> str:
    """
    Why *text* may tell as the bot's, or as *asker*'s, what somebody else said of themselves by name; else "".

    A line that names them says whose it is, and so does one that says "he", "she" or "they" alone.
    """
    people = [one for one in fragment.said if one.role is Speaker.USER]
    line = without_quotations(text)
    known = [(one, said) for one in people for said in _sentences(one.content, language)]
    pieces = pieces_of(text, language=detect(text, fallback=language))
    most = max((len(pieces & said.pieces) for _, said in known), default=0)
    near = [(one, said) for one, said in known if len(pieces & said.pieces) == most]
    if not near or not all(one.known_as and speaks_of_oneself(said.text, language=said.language) for one, said in near):
        return ""
    tellers = {key_of(one.known_as): one.known_as for one, _ in near}
    if any(names_any(text, (key,)) or says_given_name(text, name) for key, name in tellers.items()):
        return ""
    if says_you(line) and key_of(asker) not in tellers and not any(says_you(said.text) for _, said in near):
        return "it tells as of who asks what another said of themselves"
    own = without_remembering(line)
    is_bots = speaks_of_oneself(own, language=detect(text, fallback=language))
    return "it tells as its own what a person said of themselves" if is_bots else ""


def _sentences(text: str, language: str) -> list[_Sentence]:
    own = detect(text, fallback=language)
    return [_Sentence(one, own, pieces_of(one, language=own)) for one in sentences(text, language=own)]


def _nearest(line: _Sentence, memory: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences of *memory* that share most with *line*."""
    most = max((len(line.pieces & one.pieces) for one in memory), default=0)
    return [one for one in memory if len(line.pieces & one.pieces) == most]


def _denies_alike(line: _Sentence, said: _Sentence) -> bool:
    told, known = (negates(one.text, language=one.language) for one in (line, said))
    if told is None or known is None or told == known:
        return True
    return negates(_clause(said, of=line), language=said.language) == negates(
        _clause(line, of=said), language=line.language
    )


def _supposes(line: _Sentence, said: _Sentence) -> bool:
    return supposes(_clause(said, of=line), language=said.language) is True


def _clause(one: _Sentence, *, of: _Sentence) -> str:
    return clause_of(one.text, of.pieces, stems=lambda part: pieces_of(part, language=one.language))


def _is_answered(line: _Sentence, asked: Sequence[_Sentence], memory: Sequence[_Sentence]) -> bool:
    """Whether *line* has a word of what was told, that the question does not have."""
    told = frozenset[str]().union(*(one.pieces for one in memory if not is_question(one.text)))
    return not (line.pieces & told) <= frozenset[str]().union(*(one.pieces for one in asked))
