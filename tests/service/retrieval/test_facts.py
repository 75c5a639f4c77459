"""
From facts to the turns that told them: the best fact of each turn, by words and by meaning, and only what still holds.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import timedelta

import pytest

from consolidation.corrections.record import Correction, Target, What
from consolidation.corrections.standing import Standing
from service.index.text_index import TextIndex
from service.index.text_ranking import TextHit
from service.ingest.episodes import as_indexed
from service.ports.graph import StoredFact, VectorHit
from service.retrieval.facts import found_facts, neighbour_scores
from service.retrieval.put_right import PutRight
from tests.support.fragments import NOON, kept_of

YESTERDAY, TOMORROW = NOON - timedelta(days=1), NOON + timedelta(days=1)


def fact(uuid, *episodes, valid_at=None, invalid_at=None, words=""):
    source = words.partition(" ")[0].rstrip(",") or "a"
    return StoredFact(uuid, words or f"what {uuid} says", source, "b", episodes, valid_at, invalid_at)


@pytest.fixture
def index(tmp_path):
    """Turns 1 to 3 as episodes e1 to e3; facts are added by the tests."""
    text = TextIndex(tmp_path / "text.sqlite3")
    for number in (1, 2, 3):
        turn = as_indexed(kept_of(number, "Something was said."), uuid=f"e{number}", before=(), fallback="en")
        text.add_turns((turn,), cursor=number)
    yield text
    text.close()


def add(index, *facts):
    index.add_knowledge([(one, ("stem",)) for one in facts], (), cursor=1)


def hits(index, **scores):
    """What full text found: scores by the uuid of a fact."""
    numbers = index.fact_numbers(list(scores))
    return [TextHit(numbers[uuid], score) for uuid, score in scores.items()]


def near(**cosines):
    """What the graph has near: cosines by the uuid of a fact."""
    return [VectorHit(uuid, cosine, cosine) for uuid, cosine in cosines.items()]


def test_words_and_meaning_count_half_each(index):
    """Broken: either one is passed over; the sum is not halved."""
    add(index, fact("f1", "e1"), fact("f2", "e2"), fact("f3", "e3"))

    found = found_facts(index, hits(index, f1=9.0, f2=9.0), near(f1=0.9, f3=0.9), NOON).best

    assert {sequence: (one.uuid, one.score) for sequence, one in found.items()} == {
        1: ("f1", 1.0),
        2: ("f2", 0.5),
        3: ("f3", 0.5),
    }


def test_a_turn_is_told_by_its_best_fact(index):
    """Broken: the last fact of a turn wins."""
    add(index, fact("good", "e1"), fact("poor", "e1"))

    [one] = found_facts(index, (), near(good=0.9, poor=0.4), NOON).best.values()

    assert (one.uuid, one.text) == ("good", "what good says")


def test_a_fact_that_several_turns_told_counts_for_each(index):
    """Broken: ``episodes`` is taken for one uuid."""
    add(index, fact("f1", "e1", "e3"))

    assert found_facts(index, hits(index, f1=9.0), (), NOON).best.keys() == {1, 3}


def test_a_fact_that_no_longer_holds_is_left_out_and_one_that_ends_later_is_not(index):
    """Broken: ``_holds`` says yes; ``_holds`` says no wherever there is an end."""
    add(index, fact("over", "e1", invalid_at=YESTERDAY), fact("still", "e2", invalid_at=TOMORROW))

    assert found_facts(index, hits(index, over=9.0, still=9.0), near(over=0.9), NOON).best.keys() == {2}
    assert neighbour_scores(index, near(over=0.9, still=0.9), NOON).keys() == {2}


def test_a_fact_or_a_turn_that_the_index_does_not_know_is_left_out(index):
    """Broken: ``numbers[one.key]`` without looking whether it is there."""
    add(index, fact("f1", "e1", "elsewhere"))

    assert found_facts(index, (), near(f1=0.9, unknown=0.9), NOON).best.keys() == {1}
    assert found_facts(index, (), (), NOON).best == {}


def test_neighbours_count_by_how_near_they_are(index):
    """Broken: every neighbour counts alike."""
    add(index, fact("near", "e1"), fact("far", "e2"))

    scores = neighbour_scores(index, near(near=0.9, far=0.3), NOON)

    assert scores[1] == 1.0
    assert 0 < scores[2] < 0.5


def test_a_turn_whose_best_fact_has_ended_leads_to_the_one_that_told_what_holds_since(index):
    """Broken: what has ended is passed over; any fact of a turn leads on."""
    add(index, fact("rome", "e1", invalid_at=YESTERDAY), fact("lyon", "e3", valid_at=YESTERDAY), fact("dog", "e1"))

    assert found_facts(index, (), near(rome=0.9, dog=0.4), NOON).replaced == {1: 3}
    assert found_facts(index, (), near(rome=0.4, dog=0.9), NOON).replaced == {}
    assert found_facts(index, (), near(lyon=0.9), NOON).replaced == {}


def test_what_ended_twice_leads_to_what_holds_now(index):
    """Broken: only one step is gone; a turn that never said anything else leads nowhere."""
    before = YESTERDAY - timedelta(days=1)
    add(
        index,
        fact("rome", "e1", invalid_at=before),
        fact("lyon", "e2", valid_at=before, invalid_at=YESTERDAY),
        fact("nice", "e3", valid_at=YESTERDAY),
        fact("over", "e1", invalid_at=before - timedelta(days=1)),
    )

    assert found_facts(index, (), near(rome=0.9, lyon=0.8), NOON).replaced == {1: 3, 2: 3}
    assert found_facts(index, (), near(over=0.9), NOON).replaced == {}


def test_what_ends_what_ended_it_ends_the_search(index):
    """Broken: two facts that end each other are followed for ever."""
    add(
        index,
        fact("rome", "e1", valid_at=YESTERDAY, invalid_at=YESTERDAY),
        fact("lyon", "e2", valid_at=YESTERDAY, invalid_at=YESTERDAY),
    )

    assert found_facts(index, (), near(rome=0.9), NOON).replaced == {1: 2}


def test_what_a_person_took_back_takes_the_place_of_nothing(index):
    """Broken: decisions about the newer fact are not asked."""
    add(index, fact("rome", "e1", invalid_at=YESTERDAY), fact("lyon", "e3", valid_at=YESTERDAY))
    taken_back = Correction("c1", NOON, "owner", What.WRONG, Target("fact", "what lyon says", ("t3",), ("a", "b")))
    wrong = PutRight(Standing.of([taken_back]), turn_ids={3: "t3"})

    assert found_facts(index, (), near(rome=0.9), NOON, put_right=wrong).replaced == {}


def test_what_only_began_on_the_day_on_which_something_ended_did_not_take_its_place(index):
    """Broken: words are not compared; the name of the source counts; so are those of what began in the same moment."""
    day = YESTERDAY.replace(hour=0)
    add(
        index,
        fact("rome", "e1", invalid_at=day, words="Ann lives in Rome."),
        fact("dog", "e2", valid_at=day, words="Ann walked a dog."),
        fact("job", "e1", invalid_at=YESTERDAY, words="Ann works at the bank."),
        fact("move", "e3", valid_at=YESTERDAY, words="Ann moved."),
    )

    assert found_facts(index, (), near(rome=0.9), NOON).replaced == {}
    assert found_facts(index, (), near(job=0.9), NOON).replaced == {1: 3}

    add(index, fact("lyon", "e3", valid_at=day, words="Ann, living in Lyon."))

    assert found_facts(index, (), near(rome=0.9), NOON).replaced == {1: 3}
