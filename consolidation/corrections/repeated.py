"""
What a bot said again of what a person called wrong since: it goes with the words that it repeats.

A person's own sentences of other turns speak for themselves, and so does what a bot answers to one of them that says
the same. What a bot says after the decision stays, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consolidation.corrections.record import What
from consolidation.corrections.wording import Wording
from consolidation.kernel.turns import READ, Speaker
from consolidation.text.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from consolidation.corrections.record import Correction, Target
    from consolidation.kernel.turns import Message, StoredTurn

_FEW = 3  # stems: fewer say nothing by themselves, so "I live in Lyon" is not in "your mother lives in Lyon"
_ASKING = ("?", "？", "؟")
_BOT, _NAMED = f"{Speaker.ASSISTANT}: ", re.compile(r"^\S{1,40}: ")


@dataclass(frozen=True, slots=True)
class _Wrong:
    wording: Wording
    made: Correction

    def is_said_in(self, sentence: str) -> bool:
        """Whether *sentence* says it, and not rather what the person put in its place."""
        if not self.wording.is_carried_by(sentence):
            return False
        own = Wording.of(sentence)
        if len(self.wording.stems) < _FEW:
            if own.stems != self.wording.stems:
                return False
        elif self.wording.share_in(sentence) < 1 and not own.restates(self.wording, joins_the_same=False):
            return False
        if self.made.what is not What.EDIT:
            return True
        instead = Wording.of(self.made.to or "")
        says_new, most = instead.stems - self.wording.stems, self.wording.share_in(sentence)
        says_it = instead.share_in(sentence) >= most if says_new else instead.share_in(sentence) > most
        return instead.key != self.wording.key and not says_it


@dataclass(frozen=True, slots=True)
class Repeats:
    """Finds the sentences of a bot that repeat what is wrong; it knows that by its stems."""

    _by_stem: Mapping[str, tuple[_Wrong, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[tuple[Wording, Correction]], turns: Iterable[Correction]) -> Repeats:
        """Of *facts* that are wrong, and of the beginnings of *turns* that are, each with what was decided."""
        wrong = [_Wrong(wording, made) for wording, made in facts]
        wrong += [_Wrong(Wording.of(one), made) for made in turns for one in _told(made.target)]
        found: dict[str, list[_Wrong]] = {}
        for one in wrong:
            for stem in one.wording.stems:
                found.setdefault(stem, []).append(one)
        return cls({stem: tuple(those) for stem, those in found.items()})

    def in_turn(self, stored: StoredTurn) -> Mapping[str, Correction]:
        """The sentences of the bot in *stored* that repeat what is wrong, each with the decision that says so."""
        messages = stored.turn.messages
        bots = [one for one in messages if one.role is Speaker.ASSISTANT] if self._by_stem else []
        spoken = {sentence: self._said_in(sentence, stored.occurred_at) for one in bots for sentence in _said(one)}
        if not any(spoken.values()):
            return {}
        told = [one for message in messages if _is_persons(message) for one in _said(message) if not _asks(one)]
        own = {sentence: [one for one in by if not any(map(one.is_said_in, told))] for sentence, by in spoken.items()}
        return {sentence: by[-1].made for sentence, by in own.items() if by}

    def may_tell(self, text: str) -> bool:
        """Whether *text* repeats what is wrong, whoever told it."""
        return bool(self._said_in(text))

    def of_fact(self, text: str, told_in: Iterable[StoredTurn]) -> Correction | None:
        """The decision against a fact that only sentences of a bot told, in these turns; None where there is none."""
        found: Correction | None = None
        for stored in told_in:
            made = {one.id for one in self.in_turn(stored).values()}
            by = [one.made for one in self._said_in(text, stored.occurred_at) if one.made.id in made]
            if not by:
                return None
            found = by[-1]
        return found

    def _said_in(self, sentence: str, at: datetime | None = None) -> list[_Wrong]:
        """What of all that is wrong *sentence* says, of decisions made after *at*."""
        stems = Wording.of(sentence).stems
        known = {id(one): one for stem in stems for one in self._by_stem.get(stem, ())}
        return [one for one in known.values() if (at is None or at < one.made.at) and one.is_said_in(sentence)]


def only_asks(messages: Iterable[Message]) -> bool:
    """Whether nobody says anything in *messages* but questions."""
    said = (one for message in messages if message.role not in READ for one in _said(message) if not _asks(one))
    return not any(Wording.of(one).stems for one in said)


def _told(turn: Target) -> tuple[str, ...]:
    """What the beginning of a *turn* tells: a person's sentences, or the bot's where the person only asks."""
    persons, _, bots = turn.text.partition(_BOT)
    for part in (persons, bots):
        if told := tuple(one for one in sentences_of(_NAMED.sub("", part)) if not _asks(one)):
            return told
    return ()


def _is_persons(message: Message) -> bool:
    return message.role not in READ | {Speaker.ASSISTANT}


def _said(message: Message) -> tuple[str, ...]:
    return sentences_of(message.content)


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'»”“)").endswith(_ASKING)
