"""Cursors come back as they went out, and nothing else passes for one."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.errors import InvalidRequest
from service.catalog.cursors import cursor_of, place_in

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@given(TEXT, st.integers(0, 2**53), st.floats(-1e12, 1e12))
def test_a_cursor_comes_back_as_it_went_out(text, number, seconds):
    cursor = cursor_of("a list", text, number, seconds)

    assert cursor.isascii()
    assert place_in("a list", cursor, str, int, float) == (text, number, seconds)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "not base64!",
        "WyJh",
        encoded([]),
        encoded({"a": 1}),
        encoded(["another list", 1]),
        encoded(["a list"]),
        encoded(["a list", 1, 2]),
        encoded(["a list", -1]),
        encoded(["a list", 10**30]),
        encoded(["a list", True]),
        encoded(["a list", "1"]),
        encoded(["a list", 1.5]),
        encoded(["a list", None]),
        "A" * 5000,
    ],
)
def test_what_is_no_cursor_of_the_list_is_refused_with_its_pointer(cursor):
    with pytest.raises(InvalidRequest) as refused:
        place_in("a list", cursor, int)

    assert refused.value.pointer == "query/cursor"


@pytest.mark.parametrize("part", [float("nan"), float("inf"), 1e300, "\ud800"])
def test_what_a_database_can_not_hold_is_refused(part):
    with pytest.raises(InvalidRequest):
        place_in("a list", encoded(["a list", part]), type(part))


@given(st.text(max_size=80))
def test_any_text_is_a_cursor_or_refused(text):
    try:
        place_in("a list", text, int)
    except InvalidRequest:
        pass
