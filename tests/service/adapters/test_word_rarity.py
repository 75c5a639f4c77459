"""How rare a word counts, whatever its letters."""

import pytest

from service.adapters.word_rarity import WordRarity

RARITY = WordRarity()


@pytest.mark.parametrize("word", ["свадьба", "мама", "عرس", "婚礼", "電車", "ドリル", "γάμος"])
def test_a_word_in_other_letters_counts_as_an_average_one(word):
    """Broken: a vocabulary of English letters takes each for one of its most common words."""
    assert RARITY("house") < RARITY(word) < RARITY("charades")


def test_a_rare_word_counts_more_than_a_common_one():
    assert RARITY("the") < RARITY("dog") < RARITY("charades")
