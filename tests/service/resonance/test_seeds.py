"""
What a moment makes us search for: the message, or, where it is filler, what was just said; then what a model adds.

Every docstring says what was broken, once, to see the test fail.
"""

from types import SimpleNamespace

from consolidation.kernel.turns import Speaker
from prompts.responses import Seeds, Wonder
from service.resonance.seeds import message_seeds, model_queries, wonder_key
from tests.support.fragments import message_of
from tests.support.read_path import call_of

ADA = SimpleNamespace(mind_id="ada")


def seeds_of(message, *window):
    return message_seeds(call_of(ADA, message, window=tuple(map(message_of, window))).moment)


def test_the_message_is_searched_for_as_it_is_and_its_names_are_noted():
    """Broken: ``queries`` is empty; names are looked for in the talk."""
    seeds = seeds_of("Does Carla still live in Lyon?", "Bruno sings.")

    assert seeds.queries == ("Does Carla still live in Lyon?",)
    assert set(seeds.names) >= {"Carla", "Lyon"}
    assert "Bruno" not in seeds.names


def test_filler_searches_for_the_last_thing_that_says_something():
    """Broken: ``is_filler`` says no; the first line is taken for the last; the speaker stays in front."""
    assert seeds_of("ok", "Carla lives in Lyon.", "She plays the cello.", "haha").queries == ("She plays the cello.",)


def test_filler_searches_for_what_the_person_said_and_the_bot_answered():
    """Broken: ``_exchange`` takes only the last line; takes what the bot said before the person spoke."""
    visit, train = "I want to visit my mother this weekend.", "That sounds nice! Should I suggest a train?"
    talk = (message_of(visit), message_of(train, Speaker.ASSISTANT))

    for filler in (
        "ok",
        "yes please",
        "haha",
        "👍",
        "sí, por favor",
        "ja gerne",
        "d'accord",
        "好的",
        "はい、お願いします",
    ):
        assert message_seeds(call_of(ADA, filler, window=talk).moment).queries == (f"{visit} {train}",)
    assert message_seeds(call_of(ADA, "ok", window=talk[::-1]).moment).queries == (visit,)


def test_filler_without_anything_before_it_searches_for_nothing():
    """Broken: the message itself is searched for where there is nothing else."""
    assert seeds_of("ok thanks").queries == ()
    assert seeds_of("ok", "haha", "👍").queries == ()
    assert seeds_of("").queries == ()


def test_filler_does_not_reach_back_further_than_four_lines():
    """Broken: ``_RECENT_LINES`` is not applied."""
    assert seeds_of("ok", "Carla lives in Lyon.", "ok", "ok", "haha", "fine").queries == ()


def test_a_message_that_leans_on_the_talk_is_searched_with_what_the_person_said_before_it():
    """Broken: ``_with_talk`` gives back the message; it takes what the bot said."""
    talk = (message_of("My aunt Carla runs a bakery."), message_of("How lovely!", Speaker.ASSISTANT))

    seeds = message_seeds(call_of(ADA, "Who took over from her when that closed?", window=talk).moment)

    assert seeds.queries == ("My aunt Carla runs a bakery. Who took over from her when that closed?",)
    assert seeds.names == ()


def test_a_very_short_message_leans_on_the_talk_as_well():
    """Broken: ``_FEW_WORDS`` is not applied."""
    assert seeds_of("And in June?", "We were in Lyon in May.").queries == ("We were in Lyon in May. And in June?",)
    assert seeds_of("And what now?", "We were in Lyon.").queries == ("We were in Lyon. And what now?",)


def test_a_very_short_message_with_a_subject_of_its_own_is_searched_for_alone_as_well():
    """Broken: only what the person said before it and the message together are searched for."""
    talk = "Can you suggest a dinner with mushrooms?"

    assert seeds_of("When is standup?", talk).queries == ("When is standup?", f"{talk} When is standup?")
    assert seeds_of("Who is Noor?", talk).queries == ("Who is Noor?", f"{talk} Who is Noor?")


def test_a_message_that_says_what_it_means_is_searched_for_alone():
    """Broken: every message is searched for with the one before it."""
    assert seeds_of("Where does my aunt Carla live now?", "We were in Lyon.").queries == (
        "Where does my aunt Carla live now?",
    )
    assert seeds_of("Who took over from her?", "ok").queries == ("Who took over from her?",)


def test_a_chore_leans_on_nothing():
    """Broken: ``is_chore`` is not asked: then what was said before makes a question about a life of it."""
    for chore in ("Translate that into German.", "2+2?", "Tell a joke"):
        assert seeds_of(chore, "My aunt Carla lives in Lyon.").queries in {(chore,), ()}


def added(seeds, *, message="", known=()):
    return model_queries(seeds, message=message, known=known)


def test_a_model_adds_its_queries_and_then_its_wonders():
    """Broken: wonders are dropped; hypotheses are searched for instead of their queries, or lost."""
    wonder = Wonder(hypothesis="an allergy", query="allergic to peanuts")

    found = added(Seeds(queries=("a restaurant",), wonders=(wonder,)))

    assert found.queries == ("a restaurant", "allergic to peanuts")
    assert found.hypotheses == {"allergic to peanuts": "an allergy"}


def test_wonders_have_places_of_their_own_beside_the_queries():
    """Broken: wonders and queries share one limit, so that many names leave no room for a wonder."""
    many = Seeds(
        entities=tuple(f"Carla{number}" for number in range(12)),
        queries=("bakery", "cello", "lesson", "market"),
        wonders=tuple(Wonder(hypothesis=f"why {word}", query=word) for word in ("peanuts", "promise", "ladder")),
    )

    found = added(many, message="Does she still live there?")

    assert len(found.queries) == 11
    assert found.queries[-3:] == tuple(found.hypotheses) == ("peanuts", "promise", "ladder")


def test_what_a_session_wondered_about_before_is_not_wondered_about_again():
    """Broken: ``wondered_before`` is not read; case and order make another query."""
    wonders = (Wonder(hypothesis="an allergy", query="Peanuts allergic"), Wonder(hypothesis="a loan", query="ladder"))
    before = frozenset({wonder_key("allergic peanuts")})

    found = model_queries(
        Seeds(queries=("peanuts allergic",), wonders=wonders), message="", known=(), wondered_before=before
    )

    assert found.queries == ("peanuts allergic", "ladder")
    assert found.hypotheses == {"ladder": "a loan"}


def test_somebody_whom_the_message_only_means_is_searched_for_with_it_and_alone():
    """Broken: ``entities`` is read by nobody; what the message names is put in front of it."""
    found = added(Seeds(entities=("Carla", "Lyon"), queries=("bakery",)), message="Does she still live in Lyon?")

    assert found.queries == ("Carla: Does she still live in Lyon?", "bakery", "Carla", "Lyon")
    assert found.names == {"Carla", "Lyon"}


def test_a_name_that_is_a_query_of_the_models_own_is_trusted_as_one():
    """Broken: ``names`` holds what the model searches for itself."""
    assert added(Seeds(entities=("Carla",), queries=("Carla",))).names == frozenset()


def test_what_is_searched_for_already_is_not_searched_for_again_whatever_its_case_and_order():
    """Broken: ``known`` is left out of ``distinct``; ``known`` is given back."""
    seeds = Seeds(queries=("LYON aunt", "cello lessons", "Cello lessons!"))

    assert added(seeds, known=("aunt Lyon",)).queries == ("cello lessons",)


def test_a_model_adds_at_most_eight_queries_three_names_and_three_wonders():
    """Broken: ``_MOST_QUERIES``, ``_MOST_NAMES`` or ``_MOST_WONDERS`` is not applied."""
    wonders = tuple(Wonder(hypothesis="", query=f"wonder {n}") for n in range(3))
    names = ("Ann", "Bob", "Cleo", "Dora")

    assert len(added(Seeds(queries=("a", "b", "c", "d"), wonders=wonders, entities=names), message="hm").queries) == 11
    assert added(Seeds(entities=names)).queries == names[:3]
