"""Words a search can bear: no operator, no envelope, nothing asked twice."""

import unicodedata

import pytest
from hypothesis import given

from service.resonance.injection import block
from service.retrieval.queries import (
    cleaned,
    distinct,
    is_filler,
    named_in,
    people_named_in,
    sanitised,
    without_names,
    without_people,
)
from tests.support import strategies
from tests.support.fragments import flashback_of
from tests.support.growth import assert_linear, repeated


@given(strategies.texts)
def test_sanitising_leaves_letters_marks_digits_spaces_and_two_signs(text):
    found = sanitised(text)

    assert all(one.isalnum() or one in " -_" or unicodedata.category(one)[0] == "M" for one in found)
    assert len(found) <= 400
    assert found == found.strip()


@given(strategies.texts)
def test_sanitising_twice_is_sanitising_once(text):
    assert sanitised(sanitised(text)) == sanitised(text)


@pytest.mark.parametrize("length", range(395, 405))
def test_a_cut_inside_a_word_leaves_no_sign_at_the_end(length):
    text = f"{'a' * length}-b _c"

    assert sanitised(sanitised(text)) == sanitised(text)
    assert not sanitised(text).endswith(("-", "_", " "))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('@title:(foo|bar)* -"baz" ~qux', "title foo bar baz qux"),
        ("Caroline's café", "Caroline s café"),
        ("snake_case and kebab-case -- stay", "snake_case and kebab-case stay"),
        ("نعم، أمي في ليون؟", "نعم أمي في ليون"),
        ("हिन्दी में", "हिन्दी में"),
        ("我妈妈，住在里昂。", "我妈妈 住在里昂"),
        ("👍 *** ---", ""),
        ("OR AND NOT", "OR AND NOT"),
    ],
)
def test_what_is_left_of_a_query(text, found):
    assert sanitised(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "[Telegram Ann id:42 2026-01-09 10:22] Where is it?",
        "[WhatsApp +49 170 1234567] Where is it?",
        "[1/9/26, 10:22 PM] Ann: Where is it?",
        "[2026-01-09 10:22:01] Where is it?",
        "1/9/26, 10:22 - Ann Smith: Where is it?",
        "<@U12345678> Where is it?",
        "Where is it? [message_id: 4711]",
        "[chat id=7] Where is it?\n[message_id: 4711]",
        "[Fri 2026-11-20 10:00 UTC] Where is it?",
        "[Fr. 2026-11-20 10:00 GMT+1] Where is it?",
        "2026-11-20T10:00:00Z Where is it?",
        "2026-11-20T10:00:00.123+01:00 Where is it?",
        "20.11.26, 10:00 - Ann: Where is it?",
        "chat_id: 12345\nWhere is it?",
        "chat_id: 12345\nmessage_id: 7\n\nWhere is it?",
        'Conversation info (untrusted metadata):\n```json\n{"label": "Ann id:123",\n "n": 1}\n```\n\nWhere is it?',
        "From: ann@example.org\nDate: Thu, 20 Nov 2026\n\nWhere is it?",
        "Date: Thu, 20 Nov 2026\nFrom: Ann <ann@example.org>\nTo: bot@example.org\n\nWhere is it?",
        "(10:42) Where is it?",
        "Ann (10:42 AM): Where is it?",
    ],
)
def test_an_envelope_is_not_part_of_what_was_said(text):
    assert cleaned(text) == "Where is it?"


@pytest.mark.parametrize(
    "text",
    [
        "[sic] it stays",
        "At 10:22: it stays",
        "Ann: it stays",
        "I use [Signal] a lot",
        "20.11.26, 10:00 - dentist",
        "1/9/26, 10:22 - dentist",
        "2026-11-20T10:00:00Z in Berlin time?",
        "From: Berlin\nTo: Rome\nDate: 3 May\n\nWhich train?",
        "Subject: my mother\n\nWhere does she live?",
        "(10:42) is when the train leaves",
        "Dentist (10:42): can I move it?",
        "My chat_id: 12345\nIs that right?",
        "What is this?\nConversation info (untrusted metadata):\n```json\n{}\n```",
        "Where is it? 2026-11-20T10:00:00Z It is late.",
    ],
)
def test_brackets_and_colons_of_a_person_stay(text):
    assert cleaned(text) == text


def test_our_own_blocks_are_not_part_of_what_was_said():
    assert cleaned(f"{block([flashback_of('my mother lives in Lyon')])}\nWhere is it?") == "Where is it?"


def test_a_long_block_of_ours_before_the_message_does_not_hide_it():
    story = "[MY STORY]\n" + "I was told much.\n" * 1000 + "[END OF MY STORY]"

    assert cleaned(f"{story}\nWhere is it?") == "Where is it?"


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "haha",
        "Thanks!",
        "OK, thank you :)",
        "👍",
        "",
        "好的",
        "ありがとう",
        "да",
        "شكرا",
        "vale, gracias",
        "kkkk valeu",
        "ja gerne",
        "s'il te plaît",
        "por favor",
        "oké, graag",
        "dobrze, dzięki",
        "はい、お願いします",
        "evet",
    ],
)
def test_filler_says_nothing(text):
    assert is_filler(text)


@pytest.mark.parametrize("text", ["Lyon", "where?", "my mother", "ok, but my mother", "里昂", "thanks for the cello"])
def test_what_could_be_looked_for_is_no_filler(text):
    assert not is_filler(text)


def test_a_query_is_asked_once_whatever_its_order_and_case():
    assert distinct(["My mother", "mother MY", "", "👍", "Lyon", "lyon?"]) == ("My mother", "Lyon")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Where does Caroline live?", "Where does live?"),
        ("caroline’s mother", "mother"),
        ("Where is Carolines shop?", "Where is Carolines shop?"),
        ("Wo liegt Carolines Laden?", "Wo liegt Laden?"),
        ("Waar woont Carolines broer?", "Waar woont broer?"),
        ("När är Carolines födelsedag?", "När är födelsedag?"),
        ("Mel and Caroline", "and"),
    ],
)
def test_names_are_taken_out_as_whole_words(text, left):
    assert without_names(text, ["Caroline", "Mel"]) == left


def test_people_are_named_by_their_given_names_too():
    """Broken: the given name stays where the whole one was taken out, or the other way round."""
    people = ["Ann Miller", "Ben Carter"]

    assert people_named_in("Where does Ann work?", people) == {"Ann Miller"}
    assert people_named_in("Where does Miller work?", people) == frozenset()
    assert without_people("Where do Ann and Ben Carter work?", people) == "Where do and work?"


def test_a_name_with_signs_in_it_is_no_pattern():
    assert without_names("I write C++ (mostly).", ["C++", "(", "a|b"]) == "I write (mostly)."
    assert named_in("What of node.js?", ["node.js", "nodexjs", "Node"]) == {"node.js", "Node"}


@pytest.mark.parametrize("unit", ["[telegram ", "[1/1/1, 1:11", " ", "[message_id:", "a"])
def test_the_cost_of_a_long_text_grows_with_its_length(unit):
    assert_linear(lambda text: (cleaned(text), sanitised(text)), repeated(unit))
