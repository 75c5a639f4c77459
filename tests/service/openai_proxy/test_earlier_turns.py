"""What of a chat was stored before."""

import pytest

from consolidation.kernel.turns import Message, Speaker
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.openai_proxy.messages import NewPart
from service.openai_proxy.earlier_turns import _is_continued, _left, _newest
from tests.support.growth import assert_linear

PRIVACY = PrivacyFilter()


def parts_of(*texts):
    return tuple(NewPart((Message(Speaker.USER, text),) if text else ()) for text in texts)


def words_of(parts):
    return [message.content for part in parts for message in part.messages]


def left_of(parts, stored):
    return _left("s1", parts, [Message(Speaker.USER, text) for text in stored], privacy=PRIVACY)


@pytest.mark.parametrize(
    ("stored", "left"),
    [
        ([], ["one", "two", "three"]),
        (["one"], ["two", "three"]),
        (["zero", "one", "two"], ["three"]),
        (["one", "zero", "two"], ["two", "three"]),
        (["two"], ["one", "two", "three"]),
        (["one", "two", "three"], ["three"]),
    ],
)
def test_of_what_stands_in_a_row_in_the_store_nothing_is_left_but_the_last_part(stored, left):
    assert words_of(left_of(parts_of("one", "two", "three"), ["", *stored])) == left


def test_a_turn_is_of_the_newest_parts_that_fit_into_it():
    texts = [str(number) for number in range(300)]

    assert words_of(_newest(parts_of(*texts))) == texts[-255:]
    assert words_of(_newest(parts_of("", "one", "", "two"))) == ["one", "two"]
    assert _newest(parts_of("one", "")) == parts_of("one", "")


KEPT = "He kept the light for thirty years. She baked"


@pytest.mark.parametrize(
    ("asked", "begun", "is_continued"),
    [
        ("Tell me.", KEPT, True),
        ("Tell me.", f"{KEPT} bread.", True),
        ("Tell me.", "He kept the light for thirty years.", True),
        ("Tell me.", "He kept the lamp for thirty years.", True),
        ("Tell me.", "He", False),
        ("Tell me more.", KEPT, False),
        ("", KEPT, True),
        ("", "She baked.", False),
    ],
    ids=[
        "all of it",
        "more of it",
        "without its end",
        "changed",
        "asked once more",
        "other words",
        "a greeting",
        "another",
    ],
)
def test_an_answer_is_continued_where_most_of_it_comes_back_below_the_same_words(asked, begun, is_continued):
    stored = [Message(Speaker.USER, text) for text in ("Hello.", "Tell me.")]
    said = [Message(Speaker.USER, asked)] if asked else []

    assert _is_continued([*stored, Message(Speaker.ASSISTANT, KEPT)], said, begun) is is_continued


@pytest.mark.parametrize("text", ["the same", "message {}"])
def test_the_cost_of_what_is_left_grows_with_the_parts_of_a_chat(text):
    """Broken: for each count of parts, all that is stored is looked through again."""

    def read(texts):
        assert len(left_of(parts_of(*texts, "new"), texts)) <= len(texts) + 1

    assert_linear(read, lambda length: [text.format(at) for at in range(length)], length=100, longest=20_000)
