"""A newer turn on what an older hit tells moves up; nothing else does."""

import pytest

from service.retrieval.fusion import Ranked
from service.retrieval.successors import Likeness, common_words, with_successors


def ranked(**scores):
    return tuple(Ranked(int(name[1:]), score, {}) for name, score in scores.items())


def order(ranking):
    return [one.sequence for one in ranking]


def test_a_newer_turn_like_the_best_one_moves_up():
    found = with_successors(ranked(t5=1.0, t7=0.7, t9=0.6), {5: Likeness({9: 0.9, 7: 0.1}, {})})

    assert order(found) == [5, 9, 7]
    assert [one.ranks for one in found] == [{}, {"successors": 1}, {}]  # a trace tells why it moved


def test_an_older_turn_stays_however_alike_it_is():
    ranking = ranked(t5=1.0, t7=0.7, t2=0.6)

    assert with_successors(ranking, {5: Likeness({2: 1.0}, {2: 3.0})}) == ranking


def test_rare_words_in_common_count_where_there_are_no_vectors():
    found = with_successors(ranked(t5=1.0, t7=0.7, t9=0.6), {5: Likeness({}, {9: 2.0})})

    assert order(found) == [5, 9, 7]


def test_what_fits_badly_itself_moves_nothing_far():
    alike = Likeness({9: 0.9}, {9: 2.0})
    of_best = with_successors(ranked(t5=1.0, t6=0.1, t9=0.05), {5: alike})
    of_worst = with_successors(ranked(t5=1.0, t6=0.1, t9=0.05), {6: alike})

    assert {one.sequence: one.score for one in of_worst}[9] < {one.sequence: one.score for one in of_best}[9] / 3


@pytest.mark.parametrize("likeness", [{}, {5: Likeness({}, {})}, {5: Likeness({9: -0.8}, {})}])
def test_nothing_moves_without_likeness(likeness):
    ranking = ranked(t5=1.0, t9=0.6)

    assert with_successors(ranking, likeness) == ranking


def test_a_ranking_without_a_score_stays_as_it_is():
    ranking = ranked(t5=0.0, t9=0.0)

    assert with_successors(ranking, {5: Likeness({9: 1.0}, {})}) == ranking
    assert with_successors((), {}) == ()


def test_common_words_weigh_by_how_rare_they_are():
    words = {3: frozenset({"berni", "unit", "day"}), 8: frozenset({"berni", "day"}), 9: frozenset({"day"})}

    found = common_words(words, older=3, counts={"berni": 2, "unit": 1, "day": 60}, turns=80)

    assert found == {8: pytest.approx(0.842, abs=0.001)}  # "day" is in most turns and says nothing


def test_common_words_are_looked_for_in_newer_turns_alone():
    words = {3: frozenset({"berni"}), 8: frozenset({"berni"})}

    assert common_words(words, older=8, counts={"berni": 2}, turns=80) == {}
    assert common_words(words, older=4, counts={}, turns=80) == {}
