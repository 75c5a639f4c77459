"""Which pairs of a Chinese or Japanese sentence tell something."""

import pytest

from consolidation.text.dense_words import glue
from consolidation.text.subjectless import subject_words


@pytest.mark.parametrize(
    ("text", "language", "telling"),
    [
        ("母さんの命日っていつだったっけ", "ja", {"命日"}),
        ("ひなのと会うの、次からどの曜日", "ja", {"ひな", "会う", "曜日"}),
        ("うちのねこは何歳", "ja", {"ねこ"}),
        ("お茶どこで買った", "ja", {"お茶"}),
        ("犬が逃げた", "ja", {"犬が", "逃げ"}),
        ("私のドリル誰が持ってる？", "ja", {"ドリ", "リル"}),
        ("ばなな", "ja", {"ばな"}),
        ("我的电钻在谁那儿", "zh", {"电钻"}),
        ("我妈身体怎么样了", "zh", {"我妈", "妈身", "身体"}),
    ],
)
def test_pairs_that_tell_are_left(text, language, telling):
    assert set(subject_words(text, language=language)) == telling


def test_a_pair_that_tells_somewhere_tells():
    assert "会う" not in glue("会うの、また会う")


@pytest.mark.parametrize("text", ["Where is the dog?", "Где собака?", "أين الكلب", ""])
def test_other_scripts_part_their_words(text):
    assert glue(text) == frozenset()
