"""
What a ranked turn becomes: the fact that it told, or its own words; boosted where it names somebody of the message.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import timedelta

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Decided
from service.ports.graph import StoredEntity
from service.retrieval.facts import TurnFact
from service.retrieval.fragments import as_source, entity_fragments, lacks_answer, turn_fragments
from service.retrieval.fusion import Ranked
from tests.support.fragments import NOON, kept_of

AUNT, FENCE = "My aunt Carla lives in Lyon.", "We painted the fence green."
TURNS = {1: kept_of(1, AUNT), 2: kept_of(2, FENCE)}


def source_of(turn):
    return as_source(turn, wanted=frozenset({"aunt"}), language="en")


def fragments_of(*ranking, turns=TURNS, facts=None, named=()):
    ranked = [Ranked(sequence, score, {"words": place}) for place, (sequence, score) in enumerate(ranking, start=1)]
    return turn_fragments(ranked, turns=turns, facts=facts or {}, source_of=source_of, named=named)


def entities_of(*entities, named=(), turns=None, held=lambda _, summary: summary):
    episodes = {f"e{sequence}": turn for sequence, turn in TURNS.items()} if turns is None else turns
    return entity_fragments(entities, named=frozenset(named), turns=episodes, source_of=source_of, held=held)


def entity(uuid="u1", summary="She lives in Lyon.", episodes=("e1",)):
    return StoredEntity(uuid, "Carla", summary, tuple(episodes))


def test_a_turn_is_quoted_where_it_told_no_fact_that_fits():
    """Broken: a poor fact stands in for its turn (``_FITTING_FACT`` is 0)."""
    [one] = fragments_of((1, 2.0), facts={1: TurnFact("u", "Carla lives somewhere.", 0.49)})

    assert (one.id, one.kind, one.text) == ("episode:1", "episode", f"they told me: {AUNT}")


def test_a_fact_that_lacks_what_its_turn_says_does_not_stand_in_for_it():
    """Broken: ``is_lacking`` is not asked; or it is asked of what a person pinned."""
    ranked, fact = [Ranked(1, 2.0, {"words": 1})], TurnFact("u", "Carla is living somewhere.", 0.9)

    def shown(*lacking, one=fact):
        def is_lacking(told, said):
            return told == fact.text and said in lacking

        [found] = turn_fragments(
            ranked, turns=TURNS, facts={1: one}, source_of=source_of, named=(), is_lacking=is_lacking
        )
        return found.id

    pin = Correction("c1", NOON, "owner", What.PIN, Target("fact", fact.text, ("t1",)))
    told, pinned = f"they told me: {AUNT}", fact._replace(decided=Decided(shown=pin))
    assert (shown(told), shown("other words"), shown(told, one=pinned)) == ("episode:1", "fact:u", "fact:u")


def test_a_fact_that_fits_stands_in_for_its_turn_and_keeps_it_as_its_source():
    """Broken: facts are passed over; the source is dropped."""
    [one] = fragments_of((1, 2.0), facts={1: TurnFact("u", "Carla is living in Lyon.", 0.5)})

    assert (one.id, one.kind, one.text) == ("fact:u", "fact", "Carla is living in Lyon.")
    assert [(source.sequence, source.turn_id) for source in one.sources] == [(1, "t1")]


@pytest.mark.parametrize("quote", [AUNT, f"Ann: {AUNT}", "Carla lives in Lyon."])
def test_a_fact_that_only_quotes_its_turn_is_no_fact(quote):
    """Broken: ``_is_quote`` is gone: then a sentence out of its turn passes for what was made of it."""
    [one] = fragments_of((1, 2.0), facts={1: TurnFact("u", quote, 0.9)})

    assert (one.id, one.kind, one.text) == ("episode:1", "episode", f"they told me: {AUNT}")


def test_scores_are_shares_of_the_best_and_ranks_are_kept():
    """Broken: the fused score is taken as it is; ``arms`` is empty."""
    first, second = fragments_of((1, 4.0), (2, 1.0))

    assert (first.score, second.score) == (1.0, 0.25)
    assert second.arms == {"words": 2}
    assert fragments_of((1, 0.0))[0].score == 0.0


def test_a_turn_that_can_not_be_read_is_left_out():
    """Broken: ``turns.get`` is ``turns[…]``."""
    assert [one.id for one in fragments_of((7, 4.0), (1, 2.0))] == ["episode:1"]


def test_a_turn_is_boosted_when_it_names_all_of_a_name():
    """Broken: one word of a name is enough; no name at all boosts everything."""
    assert fragments_of((1, 1.0), named=("CARLA",))[0].is_boosted
    assert not fragments_of((1, 1.0), named=("Carla Bruni",))[0].is_boosted
    assert not fragments_of((1, 1.0), named=())[0].is_boosted


def test_a_fact_that_two_turns_told_is_one_fragment_with_both_as_sources():
    """Broken: ``_distinct`` keeps the first alone, or both; it forgets that the second was boosted."""
    fact = TurnFact("u", "Carla is living in Lyon.", 0.9)
    turns = {1: kept_of(1, FENCE), 2: kept_of(2, AUNT)}

    [one] = fragments_of((1, 4.0), (2, 1.0), turns=turns, facts={1: fact, 2: fact}, named=("Carla",))

    assert (one.sequences, one.score, one.is_boosted) == ({1, 2}, 1.0, True)


def test_what_is_known_of_an_entity_is_as_old_as_its_newest_mention():
    """Broken: ``min`` for ``max``; the name is not in front."""
    turns = {"e1": kept_of(1, AUNT), "e2": kept_of(2, FENCE, at=NOON + timedelta(days=2))}

    [one] = entities_of(entity(episodes=("e1", "e2")), turns=turns)

    assert (one.text, one.occurred_at) == ("Carla: She lives in Lyon.", NOON + timedelta(days=2))
    assert one.sequences == {1, 2}


def test_an_entity_without_words_of_its_own_too_many_of_them_or_a_mention_is_no_memory():
    """Broken: each of the three conditions, one by one."""
    assert entities_of(entity(summary="  ")) == ()
    assert entities_of(entity(summary="x" * 501)) == ()
    assert entities_of(entity(episodes=("unknown",))) == ()


@pytest.mark.parametrize("summary", [AUNT, f"Ann: {AUNT}", f"**{AUNT}**"])
def test_an_entity_whose_summary_only_quotes_a_turn_does_not_surface(summary):
    """Broken: ``_quotes`` is gone: then the same words come up twice, once as what is known."""
    assert entities_of(entity(summary=summary)) == ()


def test_an_entity_is_boosted_when_the_message_names_it():
    """Broken: ``is_boosted`` of an entity is always true."""
    named, meant = entities_of(entity("u1"), entity("u2"), named=["u1"])

    assert (named.is_boosted, meant.is_boosted) == (True, False)


def test_a_source_says_where_and_when_it_was_said():
    """Broken: the instant of acceptance is taken for that of the words."""
    source = source_of(kept_of(3, AUNT, session_id="s9"))

    assert (source.turn_id, source.session_id, source.sequence, source.timestamp) == ("t3", "s9", 3, NOON)
    assert source.excerpt == f"they told me: {AUNT}"


@pytest.mark.parametrize(
    ("question", "told", "of", "is_lacking"),
    [
        ("When do I fly?", "Ann flies to Porto.", "I fly to Porto tomorrow at nine.", True),
        ("When do I fly?", "Ann flies to Porto on 3 May.", "I fly to Porto on 3 May.", False),
        ("When do I fly?", "Ann flies to Porto.", "I fly to Porto.", False),
        ("Wann fliege ich?", "Ann fliegt nach Porto.", "Ich fliege morgen nach Porto.", True),
        ("How much do I pay?", "Ann pays rent.", "I pay 900 a month.", True),
        ("How much do I pay?", "Ann pays 900 a month.", "I pay 900 a month.", False),
        ("What does Ann do?", "Ann pays rent.", "I pay rent.", False),
        ("Is Priya vegan?", "Priya is coming for the weekend.", "Priya is coming for the weekend. She is vegan.", True),
        (
            "What should I bake for Berta?",
            "Berta moved to Rome.",
            "My aunt Berta moved to Rome. She has diabetes.",
            True,
        ),
        ("Was it stolen?", "Ann bought a bicycle from Otto.", "I bought a bicycle from Otto. It was stolen.", True),
        ("When does Peter start?", "Peter starts on Monday.", "He starts on Monday. I am nervous.", False),
        ("What does Ann fear?", "Ann fears spiders in her cellar.", "… The weather is fine. …", False),
        ("Hat Berta Diabetes?", "Berta ist nach Rom gezogen.", "Berta ist nach Rom gezogen. Sie hat Diabetes.", True),
    ],
)
def test_a_fact_may_lack_what_the_words_behind_it_answer(question, told, of, is_lacking):
    """Broken: only kinds of words count, not the sentences that are left out."""
    assert lacks_answer(told, of=of, question=question, language="en") is is_lacking


def test_an_entity_of_which_nothing_holds_any_more_is_no_memory():
    """Broken: the summary of an entity still tells a fact that has ended."""
    assert entities_of(entity(), held=lambda *_: "") == ()
    assert [one.text for one in entities_of(entity(), held=lambda *_: "She lives in Oslo.")] == [
        "Carla: She lives in Oslo."
    ]
