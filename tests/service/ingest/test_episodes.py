"""A stored turn as it is indexed: what it tells and asks, what it means, and whom it contradicts."""

from dataclasses import replace

import pytest

from consolidation.kernel.turns import Speaker, StoredTurn, Turn
from service.ingest.episodes import as_indexed, traits_of
from tests.support.fragments import NOON, kept_of, message_of


def traits(own, answer="Oh.", *, before=None, language="en"):
    """The traits of a turn, after a turn whose answer was *before*."""
    earlier = kept_of(1, "Where do I live?", before) if before is not None else None
    return traits_of(kept_of(2, own, answer), language=language, before=earlier)


@pytest.mark.parametrize(
    ("own", "language"),
    [
        ("Where does my aunt live?", "en"),
        ("where does my aunt live", "en"),
        ("Translate this for me.", "en"),
        ("Wo wohnt meine Tante?", "de"),
        ("¿Dónde vive mi tía?", "es"),
        ("我的阿姨住在哪里?", "zh"),
    ],
)
def test_a_turn_of_questions_and_requests_only_asks(own, language):
    assert traits(own, language=language).only_asks


def test_a_turn_that_tells_something_beside_its_question_does_not_only_ask():
    assert not traits("My aunt lives in Lyon. Is that far?").only_asks
    assert not traits("My aunt lives in Lyon.").only_asks


def test_the_words_that_a_turn_states_are_the_persons_and_only_without_any_the_answers():
    assert traits("My aunt lives in Lyon. Is that far?", "It is very far away indeed.").statement_words == 5
    assert traits("Is Lyon far?", "It is very far away indeed.").statement_words == 6
    assert traits("Is Lyon far?", "From where?").statement_words == 0


@pytest.mark.parametrize(
    "answer",
    [
        "You haven't told me yet.",
        "I don't know.",
        "Das weiß ich leider nicht.",
        "No lo sé.",
        "Je ne sais pas.",
        "不知道。",
    ],
)
def test_an_answer_that_says_it_does_not_know_is_known_as_one(answer):
    assert traits("What is my sister called?", answer).knows_not
    assert not traits(answer, "I see.").knows_not


def test_a_turn_in_which_the_person_tells_and_requests_wants_an_answer():
    assert traits("He turns 70 on Sunday, write us a toast", "To Ben!").wants_answer
    assert not traits("He turns 70 on Sunday.", "Shall I write a toast?").wants_answer


def test_a_turn_instructs_where_the_person_says_so_and_not_where_the_bot_does():
    assert traits("Never suggest docker to me.", "Noted.").instructs
    assert not traits("What is a good rule?", "Never suggest docker to me.").instructs
    assert not traits("I always forget my keys.").instructs


@pytest.mark.parametrize(
    ("own", "answer"),
    [
        ("No, that is wrong.", "Where, then?"),
        ("Nein, das stimmt nicht.", "Entschuldige!"),
        ("No, te equivocas.", "Perdón."),
        ("My house is in Porto.", "You're right, I mixed that up."),
        ("mate. thats the OLD place", "Sorry: Porto."),
        ("in Porto not Lyon", "Right: in Porto."),
        ("Porto! nie Lyon", "Przepraszam: Porto."),
    ],
)
def test_a_person_denies_what_was_answered_before(own, answer):
    assert traits(own, answer, before="You live in Lyon.").denies == 1


def in_group(before, no, *, answer="", names=("Dave", "Ben"), language="en"):
    """The traits of a *no* to what somebody said *before*, and the bot's *answer* to that."""
    first, second = (
        StoredTurn(number, NOON, Turn(f"t{number}", "s1", (message_of(text, name=name),)))
        for number, (text, name) in enumerate(zip((before, no), names, strict=True), start=1)
    )
    if answer:
        said = (*first.turn.messages, message_of(answer, Speaker.ASSISTANT))
        first = replace(first, turn=replace(first.turn, messages=said))
    return traits_of(second, language=language, before=first)


JUNE = "Ben's birthday is on 3 June."


@pytest.mark.parametrize(
    ("before", "no", "more"),
    [
        (JUNE, "No, it's on 4 June.", {}),
        (JUNE, "That's wrong, it's 4 June.", {}),
        (JUNE, "No, it's on 4 June.", {"answer": "Lovely!"}),
        (JUNE, "No, it's on 4 June.", {"names": (None, None)}),
        ("Ben's birthday is on 3 June, right?", "No, it's on 4 June.", {}),
        ("Ben's birthday is on 3 June, right?", "No, it's on 4 June.", {"answer": f"Yes, {JUNE}"}),
        ("Bernd hat am 3. Juni Geburtstag, oder?", "Nein, am 4. Juni.", {"language": "de"}),
    ],
)
def test_a_short_no_denies_what_another_person_said_and_tells_what_that_did(before, no, more):
    """Broken: only the bot's words are denied; the no has no word of the question."""
    found = in_group(before, no, **more)

    assert found.denies == 1
    assert "birthday" in found.answers


@pytest.mark.parametrize(
    ("before", "no", "more"),
    [
        ("I drink my coffee with milk.", "No, I drink it black.", {}),
        (JUNE, "No idea what to cook tonight.", {}),
        (JUNE, "No, not at all.", {"answer": "Shall I remind you?"}),
        (JUNE, "No, it's on 4 June.", {"answer": "Lovely!", "names": ("Ben", "Ben")}),
        ("Is Ben's birthday in June?", "No, I think not.", {}),
    ],
)
def test_a_no_of_oneself_or_to_something_else_denies_nothing_another_said(before, no, more):
    assert in_group(before, no, **more).denies is None


def test_a_no_to_a_question_denies_nothing_unless_it_is_conceded():
    assert traits("No, I do not.", "I see.", before="Do you live in Lyon?").denies is None
    assert traits("No, I do not.", "Sorry, my mistake.", before="Do you live in Lyon?").denies == 1


def test_who_is_not_well_is_told_sorry_and_denies_nothing():
    assert traits("Estoy fatal, no puedo dormir.", "Lo siento, descansa.", before="Vives en Lyon.").denies is None
    assert traits("I'm tired, not happy at all.", "Sorry to hear that.", before="You live in Lyon.").denies is None


def test_nothing_is_denied_where_nothing_was_answered_or_said_before():
    assert traits("No, that is wrong.").denies is None
    assert traits("No, that is wrong.", before="").denies is None
    assert traits("No problem, thanks.", "Sure.", before="You live in Lyon.").denies is None


def test_what_words_mean_is_kept_apart_for_the_person_the_answer_and_the_turn_before():
    before = kept_of(1, "My rent is high.", "Oh.")
    turn = kept_of(2, "My cat sleeps.", "Call the doctor!")

    indexed = as_indexed(turn, uuid="e2", before=(before,), fallback="en")

    assert "pet" in indexed.concepts["own"]
    assert "doctor" in indexed.concepts["answer"]
    assert "rent" in indexed.concepts["before"]
    assert indexed.concepts["own"].isdisjoint({"doctor", "rent"})
