"""Phase 3's gate with its questions to the full text: how likely is anything that is left meant by the message?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.text.concepts import concepts
from consolidation.text.names import names, proper_nouns
from consolidation.text.record_attributes import attributes_asked, attributes_told
from consolidation.text.sayings import without_sayings
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words, stems
from service.resonance.relevance import (
    DEPTH,
    UNHEARD,
    UNHEARD_RELATIVE,
    Evidence,
    Topic,
    content_weights,
    is_meant,
    probability,
)
from service.resonance.remark_relevance import Told, changes_answer, is_weighed_by_memory
from service.retrieval.agenda import asks_what_is_on
from service.retrieval.days_to_come import days_to_come
from service.retrieval.intent import intent_of
from service.retrieval.periods import period, without_period
from service.retrieval.queries import people_named_in, without_people

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import tzinfo

    from service.index.text_index import TextIndex
    from service.index.text_store import Traits
    from service.resonance.arms import FragmentEvidence, QueryHits
    from service.resonance.retrieval import Candidates
    from service.retrieval.days_to_come import DaysToCome
    from service.retrieval.moment import Fragment, Moment
    from service.retrieval.periods import Period

_BEST = 2  # of what a query may mean, that need not be clearly meant
# Whom a request is to be done for says nothing of a life: "tell me a joke", "me conta uma piada".
_RECIPIENT = re.compile(
    r"^(\W{0,9}(?:\b\w{1,30}\b\W{1,9}){0,3}?\w{1,30})[\s-]{1,9}(?:me|us|mir|uns|moi|nous)\b|^\W{0,9}(?:me|mi)(?=\s\w)",
    re.IGNORECASE,
)
# Pairs of hiragana are mostly endings: the ってき of 行ってきます is that of 登ってきた. Not so in what を follows.
_HIRAGANA = re.compile("[ぁ-ゖ]+")
_HIRAGANA_OBJECT = re.compile("(?<![ぁ-ゖ])[ぁ-ゖ]{2,6}(?=を)|(?<=[がはのでにと])[ぁ-ゖ]{2,6}(?=を)")
_NOT_MEANT, _CHANGES_NOTHING = "relevance: not a word in common", "relevance: would not change what is said"
_OTHER_RECORD = "relevance: does not tell what is asked for"
_WORDS_BESIDE_SAYING = 4  # in a message with a saying, up to which it says nothing else
# Relatives of whom a mind knows or not, each with the concept by which several are told of: "my parents".
_RELATIVES = {"mother": "parents", "father": "parents", "brother": "siblings", "sister": "siblings"}
_MOST_OF_IT = 0.6  # of what a question asks: the rest of its words are its own, "which company", "bei wem"
_SURELY_THE_SAME = 2  # stems: a single one may stand in the answer to another question


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    How likely, in 0…1, something that is left is meant; the reason for each fragment that can not be, by id.

    ``by_memory`` is how likely each fragment changes the answer to a remark, by id; empty where a question is asked.
    ``subjects`` are the stems and concepts of the message that each fragment's own turn holds; ``denials`` are the
    ids of those whose turn says that something was wrong.
    """

    probability: float
    strays: Mapping[str, str]
    by_memory: Mapping[str, float] = field(default_factory=dict)
    subjects: Mapping[str, frozenset[str]] = field(default_factory=dict)
    denials: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Found:
    """
    What the index knows of some fragments: by id their ``newest`` turn, or the one in whose place they stand, or their
    note; the rest by sequence. ``replacing`` are the ids of those that stand in the place of a turn's words, and
    ``named`` of those that name the day or month yet to come that is asked for.

    Where ``joins_denied``, a turn that denies another stands for both: whoever wants the invitation wants the one that
    was put right.
    """

    newest: Mapping[str, int]
    notes: Mapping[str, FragmentEvidence]
    around: Mapping[int, frozenset[str]]
    own: Mapping[int, frozenset[str]]
    meaning: Mapping[int, frozenset[str]]
    traits: Mapping[int, Traits]
    replacing: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    joins_denied: bool = False

    @property
    def weighable(self) -> frozenset[str]:
        """The ids of those that there is evidence for."""
        return frozenset(self.newest) | frozenset(self.notes)

    def without_record(self, attributes: frozenset[str], fragments: Sequence[Fragment]) -> frozenset[str]:
        """The ids of those of *fragments* that tell none of *attributes*; none where none is asked for."""
        if not attributes:
            return frozenset()
        weighable = [one for one in fragments if one.id in self.weighable]
        return frozenset(one.id for one in weighable if attributes.isdisjoint(self._attributes(one)))

    def meant_by(self, sequence: int) -> tuple[int, ...]:
        """A turn, and the one that it denies where that counts."""
        one = self.traits.get(sequence) if self.joins_denied else None
        return (sequence,) if one is None or one.denies is None else (sequence, one.denies)

    def joined(self, found: Mapping[int, frozenset[str]], sequence: int) -> frozenset[str]:
        """What is *found* of a turn, and of the one that it denies."""
        return frozenset[str]().union(*(found.get(one, frozenset()) for one in self.meant_by(sequence)))

    @property
    def asking(self) -> frozenset[int]:
        """The turns in which the person only asks."""
        return frozenset(sequence for sequence, one in self.traits.items() if one.only_asks)

    @property
    def denials(self) -> frozenset[str]:
        """The ids of those whose turn denies another."""
        denying = {sequence for sequence, one in self.traits.items() if one.denies is not None}
        return frozenset(key for key, sequence in self.newest.items() if sequence in denying)

    def subjects(self, concepts: frozenset[str]) -> dict[str, frozenset[str]]:
        """By id, the stems of the message that each one's own turn holds, and what it means of its *concepts*."""
        return {
            key: self.own.get(sequence, frozenset()) | (self.meaning.get(sequence, frozenset()) & concepts)
            for key, sequence in self.newest.items()
        }

    def _attributes(self, fragment: Fragment) -> frozenset[str]:
        sequence = self.newest.get(fragment.id)
        if sequence is None or fragment.statement is not None:
            return attributes_told(fragment.text)
        # "No, it's on 4 June" is on the birthday that it puts right.
        return frozenset().union(*(self.traits[one].answers for one in self.meant_by(sequence) if one in self.traits))

    def told(self, fragment: Fragment, named: frozenset[str]) -> Told:
        """What is known of *fragment* by itself; *named* are the names of the message, casefolded."""
        sequence = self.newest.get(fragment.id)
        traits = self.traits.get(sequence) if sequence is not None else None
        text = fragment.text.casefold()
        return Told(
            fragment.kind,
            fragment.score,
            self.joined(self.own, sequence) if sequence is not None else frozenset(),
            shares_name=any(name in text for name in named),
            only_asks=traits is not None and traits.only_asks,
            statement_words=traits.statement_words if traits is not None else None,
        )


class RelevanceGate:
    """Weighs the best fragments against what the queries are about."""

    def __init__(self, *, rarity: Callable[[str], float], are_cosines_calibrated: bool) -> None:
        """*rarity* weighs a word; cosines of an embedder that was not measured are not used."""
        self._rarity = rarity
        self._are_cosines_calibrated = are_cosines_calibrated

    def weigh(
        self,
        fragments: Sequence[Fragment],
        *,
        candidates: Candidates,
        text: TextIndex,
        turns: int,
        moment: Moment,
        needed: float,
    ) -> Verdict:
        """
        Weigh *fragments*, those *candidates* that are left, best first, for the query that fits them best.

        Where a query is a remark, each has to be *needed* likely by itself. *turns* is how many the mind has. Reads the
        index: call it in a worker thread. Raises IndexUnusable.
        """
        topics = [(hits, self._topic(hits, candidates, text, moment)) for hits in candidates.queries]
        found = _read(text, fragments, candidates, wanted={stem for _, topic in topics for stem in topic.stems})
        best = [fragment.id for fragment in fragments[:DEPTH] if fragment.id in found.weighable]
        searched = turns + candidates.searched
        highest, meant = 0.0, set[str]()
        by_memory: dict[str, float] = {}
        of_other_records = set[str]()
        for hits, topic in topics:
            # Who tells of something, or asks what was at a time, does not want what was put right later.
            is_wanted = not (topic.intent.kind.endswith("remark") or topic.names_period)
            found = replace(found, joins_denied=is_wanted)
            other = found.without_record(topic.attributes, fragments)
            of_other_records |= other
            every = self._evidence(hits, topic, replace(found, named=_naming(hits, fragments, moment)), moment)
            evidence = {key: one for key, one in every.items() if key not in other}
            if topic.is_saying:
                evidence = {}
            if is_weighed_by_memory(topic):
                named = _named(hits.query, text, moment)
                for one in (one for one in fragments if one.id in evidence):
                    likely = changes_answer(topic, evidence[one.id], found.told(one, named), turns=searched)
                    by_memory[one.id] = max(likely, by_memory.get(one.id, 0.0))
                continue
            highest = max(highest, probability(topic, _vouching(best, topic, evidence, found), turns=searched))
            meant |= _meant(topic, evidence, fragments, found)
        if by_memory and highest < needed:
            meant = set()  # a question that nothing answers lets nothing surface beside a remark
        meant |= {key for key, likely in by_memory.items() if likely >= needed}
        strays = {key: _CHANGES_NOTHING if key in by_memory else _NOT_MEANT for key in found.weighable - meant}
        strays |= dict.fromkeys(of_other_records - meant, _OTHER_RECORD)
        subjects = found.subjects(frozenset(concept for _, topic in topics for concept in topic.concepts))
        return Verdict(max(highest, *by_memory.values(), 0.0), strays, by_memory, subjects, found.denials)

    def _evidence(self, hits: QueryHits, topic: Topic, found: _Found, moment: Moment) -> dict[str, Evidence]:
        """What speaks for each fragment of *found*, for one query."""
        cosines = self._calibrated(hits.cosines)
        farthest = min(cosines.values(), default=None)  # what is not among the nearest is at most this near
        by_concepts = next((arm.hits for arm in hits.arms if arm.name == "concepts"), {})
        fits = _told_in(_period(hits.query, moment), found.traits, timezone=moment.timezone)
        of_turns = {
            key: Evidence(
                max((cosines[one] for one in found.meant_by(sequence) if one in cosines), default=farthest),
                found.joined(found.around, sequence),
                found.joined(found.meaning, sequence) & topic.concepts,
                max(by_concepts.get(one, 0.0) for one in found.meant_by(sequence)),
                sequence in fits or key in found.named,
            )
            for key, sequence in found.newest.items()
        }
        of_notes = {
            key: Evidence(self._calibrated(note.cosines).get(hits.query), note.stems, is_in_period=key in found.named)
            for key, note in found.notes.items()
        }
        both = {key: _joined(of_turns[key], one) for key, one in of_notes.items() if key in found.replacing}
        return of_turns | of_notes | both

    def _calibrated[Key](self, cosines: Mapping[Key, float]) -> Mapping[Key, float]:
        return cosines if self._are_cosines_calibrated else {}

    def _topic(self, hits: QueryHits, candidates: Candidates, text: TextIndex, moment: Moment) -> Topic:
        query, language = hits.query, moment.language
        supposed = candidates.hypotheses.get(query)
        asked = _order(query, language)
        literal = without_sayings(asked, language=language)
        ahead = _days_to_come(asked, moment)
        is_date = ahead is not None and ahead.hint is not None
        bare = without_period(without_people(literal, candidates.people), keeps_dates=is_date)
        empty = subjectless(language)
        words = {word: stem for word, stem in content_words(bare, language=language).items() if word not in empty}
        proper = [stem for name in proper_nouns(bare, language=language) for stem in stems(name, language=language)]
        in_turns = text.turn_counts(proper)
        in_notes = frozenset[str]().union(*(note.stems for note in candidates.evidence.values()))
        names_known = bool(people_named_in(query, candidates.people)) or candidates.names_entities
        meant = concepts(f"{supposed or ''} {bare}", language=language)
        # A model writes its queries as they may have been said, and a short message is searched for with what was said
        # before it; what is wanted, the message says.
        says_more = bool(moment.message) and f" {query}".endswith(f" {moment.message}")
        wanting = moment.message if query in candidates.added or says_more else query
        intent = intent_of(wanting, language=language, names_known=names_known)
        if intent.kind.endswith("remark"):
            objects = " ".join(_HIRAGANA_OBJECT.findall(bare))
            words = {word: one for word, one in words.items() if word in objects or not _HIRAGANA.fullmatch(word)}
        weights = content_weights(words, rarity=self._rarity)
        if ahead is not None and asks_what_is_on(asked, language=language):
            intent = replace(intent, kind="personal question", is_personal=True)
            weights, meant = {}, frozenset()  # what is on, whatever that is
        asks_of_name = intent.kind.endswith("question") and _are_names(weights, candidates, language)
        if supposed is not None:
            intent = replace(intent, kind="personal remark", is_personal=True, tasks=frozenset())
        names_period = _period(asked, moment) is not None
        names_time = names_period or is_date
        looks_back = intent.recalls or not intent.kind.endswith("remark")  # "let us go on Sunday" does not
        is_trivia = intent.kind == "other question" and "trivia" in intent.tasks  # "who painted the Primavera"
        return Topic(
            weights,
            meant,
            intent,
            names_known=names_known,
            asks_of_name=asks_of_name,
            names_period=names_period and looks_back and not is_trivia,
            looks_ahead=ahead is not None and looks_back and not is_trivia,
            names_plan=names_time and not looks_back,
            has_unknown_name=any(in_turns[stem] == 0 and stem not in in_notes for stem in proper),
            is_saying=literal != asked and intent.kind.endswith("remark") and len(words) <= _WORDS_BESIDE_SAYING,
            unanswered=_unanswered(text, weights, meant, tuple({one for arm in hits.arms for one in arm.hits})),
            attributes=attributes_asked(query) if intent.kind.endswith("question") else frozenset(),
            least_near=0.0
            if supposed is not None or names_known or names_time or _of_days(hits)
            else _least_near(hits, weights, meant, candidates, text),
            is_personal=supposed is not None
            or intent_of(
                _RECIPIENT.sub(r"\1", _order(wanting, language)), language=language, names_known=names_known
            ).is_personal,
        )


def _joined(turn: Evidence, note: Evidence) -> Evidence:
    """What speaks for what a person put in the place of a turn's words: that turn, and the new words."""
    cosines = [one.cosine for one in (turn, note) if one.cosine is not None]
    return replace(turn, cosine=max(cosines, default=None), words=turn.words | note.words)


def _read(text: TextIndex, fragments: Sequence[Fragment], candidates: Candidates, *, wanted: set[str]) -> _Found:
    resting = {fragment.id: fragment.sequences | fragment.in_place_of for fragment in fragments}
    newest = {key: max(sequences) for key, sequences in resting.items() if sequences}
    sequences = tuple(set(newest.values()))
    traits = text.traits(sequences)
    both = tuple({*sequences, *(one.denies for one in traits.values() if one.denies is not None)})
    traits = {**traits, **text.traits(both)} if len(both) > len(sequences) else traits
    return _Found(
        newest,
        {one.id: candidates.evidence[one.id] for one in fragments if one.id in candidates.evidence},
        text.stems_near(both, wanted),
        text.stems_in(both, wanted),
        text.concepts_of(both),
        traits,
        frozenset(one.id for one in fragments if one.in_place_of),
    )


def _order(request: str, language: str) -> str:
    """*request* without the text that it wants to be worked on: that says nothing of a life."""
    order, colon, pasted = request.partition(":")
    if not (colon and pasted.strip()):
        return request
    intent = intent_of(order, language=language, names_known=False)
    return order if intent.kind == "request" and "language" in intent.tasks else request


def _named(query: str, text: TextIndex, moment: Moment) -> frozenset[str]:
    """The names in *query*, casefolded: those that the mind knows, and what looks like one."""
    known = (name for _, name in text.names_in(query))
    return frozenset(name.casefold() for name in (*known, *names(query, language=moment.language)))


def _are_names(asked: Collection[str], candidates: Candidates, language: str) -> bool:
    """Whether the stems that are *asked* for are those of names that the mind knows, and no others."""
    known = {name for found in candidates.rounds for _, name in found.names.entities}
    return bool(asked) and set(asked) <= {stem for name in known for stem in stems(name, language=language)}


def _period(query: str, moment: Moment) -> Period | None:
    return period(query, today=moment.local_now.date(), language=moment.language, timezone=moment.timezone)


def _days_to_come(query: str, moment: Moment) -> DaysToCome | None:
    return days_to_come(query, today=moment.local_now.date(), language=moment.language, timezone=moment.timezone)


def _meant(topic: Topic, evidence: Mapping[str, Evidence], fragments: Sequence[Fragment], found: _Found) -> set[str]:
    """
    The ids of what *topic* may mean: the best, and of the others what names somebody of the message or puts something
    right, and what is clearly meant.
    """
    meant = [one for one in fragments if one.id in evidence and is_meant(topic, evidence[one.id])]
    others = (
        one
        for one in meant[_BEST:]
        if one.is_boosted or one.id in found.denials or is_meant(topic, evidence[one.id], is_clear=True)
    )
    ids = {one.id for one in (*meant[:_BEST], *others)}
    if ids and not topic.asks_what_is_on:  # what came later of the best is meant with them, in whatever words
        ids |= {one.id for one in fragments if one.id in evidence and "successors" in one.arms}
    return ids


def _vouching(best: Sequence[str], topic: Topic, evidence: Mapping[str, Evidence], found: _Found) -> list[Evidence]:
    """The evidence of the *best* fragments (ids); that a chore was asked for before does not make it worth a memory."""
    leaves_out_questions = topic.is_chore or topic.asks_of_name
    known = (key for key in best if key in evidence)
    return [evidence[key] for key in known if not (leaves_out_questions and found.newest.get(key) in found.asking)]


def _naming(hits: QueryHits, fragments: Sequence[Fragment], moment: Moment) -> frozenset[str]:
    """The ids of those of *fragments* that tell of the days yet to come that a query asks for."""
    asked = _days_to_come(hits.query, moment)
    if asked is None:
        return frozenset()
    found = _of_days(hits)
    return frozenset(one.id for one in fragments if asked.are_named_in(one.text) or not one.sequences.isdisjoint(found))


def _of_days(hits: QueryHits) -> Mapping[int, float]:
    """The turns that tell of the days yet to come that a query asks for."""
    return next((arm.hits for arm in hits.arms if arm.name == "days"), {})


def _told_in(named: Period | None, traits: Mapping[int, Traits], *, timezone: tzinfo) -> frozenset[int]:
    """Which turns were told in the period *named*, or close to it."""
    if named is None:
        return frozenset()
    return frozenset(
        sequence for sequence, one in traits.items() if named.nearly_fits(one.occurred_at.astimezone(timezone).date())
    )


def _least_near(
    hits: QueryHits, weights: Mapping[str, float], meant: frozenset[str], candidates: Candidates, text: TextIndex
) -> float:
    """
    The cosine that something needs where nobody ever spoke of what a query is about, else 0: no turn has a word of it
    or what it means, or the mother, father, brother or sister whom it asks for was never told of.

    Only where its words *meant* something that is known by many words: a car, a wedding, a brother.
    """
    by_arm = {arm.name: arm.hits for arm in hits.arms}
    if not meant or not {"words", "concepts"} <= by_arm.keys():
        return 0.0
    if any(not note.stems.isdisjoint(weights) for note in candidates.evidence.values()):
        return 0.0
    if not (by_arm["words"] or by_arm["concepts"]):
        return 0.0 if "job" in meant and _names_occupation(hits, text) else UNHEARD
    asked = meant & _RELATIVES.keys()
    general = {_RELATIVES[one] for one in asked}
    told = text.concepts_of(tuple(by_arm["concepts"])).values() if asked else ()
    is_told = any(one & asked or (one & general and not one & _RELATIVES.keys()) for one in told)
    return UNHEARD_RELATIVE if asked and not is_told else 0.0


def _names_occupation(hits: QueryHits, text: TextIndex) -> bool:
    """Whether a turn that was found names an occupation: whoever is an electrician has a job."""
    found = tuple({sequence for arm in hits.arms for sequence in arm.hits})
    return any("occupation" in one.answers for one in text.traits(found).values())


def _unanswered(
    text: TextIndex, weights: Mapping[str, float], meant: frozenset[str], sequences: Sequence[int]
) -> float:
    """
    How much of what a query is about was asked in one turn before, to which there was no answer, 0…1.

    *weights* and *meant* are its stems and concepts. 0 where a later turn holds as much, so that it was answered since,
    or where the person told most of it, before or after: the assistant did not find it then.
    """
    mass = sum(weights.values())
    asked = text.unanswered(sequences)
    if not mass or not asked:
        return 0.0
    wanted = text.concepts_of(asked, has_answers=False)
    shares = {
        sequence: sum(weights[stem] for stem in found) / mass
        for sequence, found in text.stems_in(sequences, weights).items()
        if sequence not in asked
        or len(found) >= _SURELY_THE_SAME
        or not meant
        or meant & wanted.get(sequence, frozenset())
    }
    last = max(asked, key=lambda sequence: (shares.get(sequence, 0.0), sequence))
    share = shares.get(last, 0.0)
    others = {one: other for one, other in shares.items() if other >= _MOST_OF_IT * share and one not in asked}
    if any(one > last and other >= share for one, other in others.items()):
        return 0.0
    is_told = any(not one.only_asks for one in text.traits(tuple(others)).values())
    return 0.0 if is_told else share
