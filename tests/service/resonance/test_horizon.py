"""What the bot can still see does not surface; what it can not see does."""

from datetime import timedelta

import pytest

from consolidation.kernel.turns import Speaker
from service.resonance.horizon import horizon_of
from service.retrieval.moment import JournalLines
from tests.support.fragments import NOON, fragment_of, kept_of, message_of

LONG = "My mother lives in Lyon with her sister and two cats."
OTHER = "I started to learn the cello in a small school."


def test_a_turn_whose_messages_all_stand_in_the_window_is_hidden():
    horizon = horizon_of([message_of(LONG), message_of(OTHER)], session_id="s1", turns=[kept_of(3, LONG, OTHER)])

    assert horizon.hides(fragment_of("x", sequences=(3,)))


def test_a_turn_of_which_only_a_part_is_seen_in_another_session_is_not_hidden():
    horizon = horizon_of([message_of(LONG)], session_id="s2", turns=[kept_of(3, LONG, OTHER)])

    assert not horizon.hides(fragment_of("x", sequences=(3,)))


def test_words_are_known_whatever_their_case_and_spaces():
    horizon = horizon_of([message_of(f"  {LONG.upper()}\n")], session_id="s2", turns=[kept_of(3, LONG)])

    assert horizon.hides(fragment_of("x", sequences=(3,)))


def test_what_is_newer_than_the_oldest_visible_turn_of_this_session_is_hidden():
    turns = [kept_of(n, f"{OTHER} {n}") for n in range(1, 4)]
    horizon = horizon_of([message_of(f"{OTHER} 2")], session_id="s1", turns=turns)

    assert not horizon.hides(fragment_of("x", sequences=(1,)))
    assert horizon.hides(fragment_of("x", sequences=(3,)))
    assert not horizon.hides(fragment_of("x", sequences=(3,), session_id="other"))


def test_what_is_newer_than_the_oldest_timestamp_in_sight_is_hidden():
    horizon = horizon_of([message_of("Hi", timestamp=NOON)], session_id="s1", turns=[])

    assert horizon.hides(fragment_of("x", at=NOON + timedelta(minutes=1)))
    assert not horizon.hides(fragment_of("x", at=NOON - timedelta(minutes=1)))
    assert not horizon.hides(fragment_of("x", at=NOON + timedelta(minutes=1), session_id="other"))


def test_a_fragment_is_hidden_only_when_all_its_sources_are():
    horizon = horizon_of([message_of(LONG)], session_id="s2", turns=[kept_of(3, LONG), kept_of(4, OTHER)])

    assert not horizon.hides(fragment_of("x", sequences=(3, 4)))
    assert not horizon.hides(fragment_of("x", sequences=()))


def test_a_filler_seen_now_says_nothing_of_the_same_filler_long_ago():
    turns = [kept_of(1, "ok", LONG), kept_of(2, OTHER)]
    horizon = horizon_of([message_of("ok"), message_of("Where?")], session_id="s1", turns=turns)

    assert not horizon.hides(fragment_of("x", sequences=(1,)))
    assert not horizon.hides(fragment_of("x", sequences=(2,)))


def test_one_emoji_is_not_another():
    horizon = horizon_of([message_of("🎉")], session_id="s1", turns=[kept_of(1, LONG, "👍"), kept_of(2, OTHER)])

    assert not horizon.hides(fragment_of("x", sequences=(1,)))
    assert not horizon.hides(fragment_of("x", sequences=(2,)))


def test_a_message_is_known_by_its_id_in_its_own_session_though_it_was_edited():
    window = [message_of("something edited", id="42")]
    turns = [kept_of(3, LONG, ids=["42"])]

    assert horizon_of(window, session_id="s1", turns=turns).hides(fragment_of("x", sequences=(3,)))


def test_the_same_id_in_another_chat_is_another_message():
    window = [message_of("something else", id="42")]

    horizon = horizon_of(window, session_id="s2", turns=[kept_of(3, LONG, ids=["42"])])

    assert not horizon.hides(fragment_of("x", sequences=(3,)))


@pytest.mark.parametrize(
    ("told", "is_hidden"),
    [
        (f"they told me: {LONG}", True),
        (f"Ann told me: “{LONG}”", True),
        ("they told me: … with her sister … two cats.", True),
        (f"they told me: {LONG} / I said: I will remember the cats.", False),
        (f"they asked: {OTHER} / they told me: {LONG}", False),
        ("they told me: My mother lives in Lyon with two cats.", False),
        ("they told me: two cats", False),
    ],
)
def test_an_episode_is_hidden_where_all_that_it_tells_is_seen_though_the_bot_s_answer_was_changed(told, is_hidden):
    window = [message_of(LONG), message_of("I was edited by a person.", Speaker.ASSISTANT)]
    horizon = horizon_of(window, session_id="s2", turns=[kept_of(3, LONG, "I will remember the cats.")])

    assert horizon.hides(fragment_of("x", told, sequences=(3,))) is is_hidden
    assert not horizon.hides(fragment_of("x", told, sequences=(3,), kind="fact"))


def test_an_empty_window_hides_nothing():
    horizon = horizon_of([], session_id="s1", turns=[kept_of(3, LONG)])

    assert not horizon.hides(fragment_of("x", sequences=(3,)))
    assert not horizon_of([message_of("", Speaker.SYSTEM)], session_id="s1", turns=[]).hides(fragment_of("x"))


def test_an_observation_is_hidden_with_all_its_turns_or_with_its_own_line():
    note = JournalLines("observations.md", 3, 3, NOON, "Ann learns the cello now")
    horizon = horizon_of([message_of(LONG)], session_id="s2", turns=[kept_of(3, LONG), kept_of(4, OTHER)])
    shown = horizon_of([message_of("RED 09:32 Ann learns the cello now")], session_id="s2", turns=[])

    def observed(*sequences):
        return fragment_of("x", kind="observation", sequences=sequences, notes=(note,))

    assert horizon.hides(observed(3))
    assert not horizon.hides(observed(3, 4))
    assert not horizon.hides(observed())
    assert shown.hides(observed(3, 4))
