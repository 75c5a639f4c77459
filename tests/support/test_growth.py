"""The yardstick of growth tells a line from a square."""

import re

import pytest

from tests.support.growth import assert_linear, repeated


@pytest.mark.parametrize("work", [str.upper, sorted, re.compile(r"\w+ ").findall])
def test_work_that_grows_with_a_text_passes(work):
    assert_linear(work, repeated("abc "))


@pytest.mark.parametrize(
    "work", [re.compile(r"a+b").findall, lambda text: [text[:at].count("b") for at in range(0, len(text), 20)]]
)
def test_work_that_grows_with_the_square_of_a_text_fails(work):
    with pytest.raises(AssertionError, match="4 times as many"):
        assert_linear(work, repeated("a"), length=4_000, longest=64_000)
