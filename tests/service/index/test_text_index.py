"""Full text of a mind: what is found, in which order, and how names are seen."""

import resource
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from consolidation.kernel.errors import IndexUnusable
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.text.words import stems
from service.index import text_ranking
from service.index.text_index import TextIndex
from service.index.text_of_turns import TextOfTurns
from service.index.text_ranking import TextQuery
from service.index.text_store import connect
from service.index.turn_fields import TurnFilter
from service.ingest.episodes import as_indexed
from service.ingest.knowledge_index import index_knowledge
from service.ports.graph import Extracted, StoredEntity, StoredFact

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


@pytest.fixture
def text(tmp_path):
    index = TextIndex(tmp_path / "text.sqlite")
    yield index
    index.close()


def say(text, *contents, name=None, language="en"):
    """Keep a turn each, in sessions of their own."""
    for sequence, content in enumerate(contents, start=1):
        turn = Turn(f"t{sequence}", f"s{sequence}", (Message(Speaker.USER, content, name=name),))
        indexed = as_indexed(StoredTurn(sequence, NOON, turn), uuid=f"e{sequence}", before=(), fallback=language)
        text.add_turns((indexed,), cursor=sequence)


def know(text, *, facts=(), entities=()):
    """Keep facts and entities, by their texts and names."""
    told = tuple(StoredFact(f"f{at}", one, "a", "b", ("e1",), None, None) for at, one in enumerate(facts))
    known = tuple(StoredEntity(f"n{at}", *one) for at, one in enumerate(entities))
    index_knowledge(SimpleNamespace(text=text), Extracted(told, known), 1)


def found(text, query, arm="turns", *, language="en", limit=10):
    return [hit.number for hit in text.search(arm, stems(query, language=language), limit=limit)]


def test_a_turn_with_both_words_is_above_turns_with_one(text):
    say(text, "A kettle on a shelf.", "The blue door and much else that was said.", "A kettle, and it was blue.")

    assert found(text, "the blue kettle")[0] == 3


def test_queries_in_one_pass_find_what_each_finds_alone(text):
    say(
        text,
        *(f"The {colour} {thing} of {n}." for n, colour in enumerate(("red", "blue")) for thing in "kl kettle".split()),
    )
    know(text, facts=("Ada owns a blue kettle.", "Bob owns a door."), entities=(("Ada", "A painter."),))
    queries = [
        TextQuery(arm, stems(words, language="en"), limit)
        for arm in ("turns", "facts", "entities", "concepts")
        for words in ("the blue kettle", "a red kettle", "blue kettle", "zeppelin", "")
        for limit in (1, 10)
    ]
    alone = [text.search(one.arm, one.stems, limit=one.limit) for one in queries]

    assert list(text.search_all(queries)) == alone
    assert any(len(hits) > 1 for hits in alone)
    asked = [one.stems for one in queries]
    assert text.weights("turns", asked) == pytest.approx([text.weights("turns", (one,))[0] for one in asked])


def test_the_telling_words_of_a_long_message_count_wherever_they_stand(text):
    say(text, *(f"filler{n % 100} again" for n in range(200)), "The zeppelin landed.")

    assert found(text, " ".join(f"filler{n} missing{n}" for n in range(100)) + " zeppelin")[0] == 201


def test_of_too_many_rows_the_rare_words_choose(text):
    know(text, facts=["common"] * (text_ranking._MOST_ROWS + 1) + ["common zeppelin"])

    assert found(text, "common zeppelin", "facts") == [text_ranking._MOST_ROWS + 2]
    assert len(found(text, "common", "facts", limit=10_000)) == text_ranking._MOST_ROWS


@pytest.mark.parametrize("name", ["Caroline", "caroline", "Sophie Mercedes", "O’Brien", "Ольга", "東京"])
def test_a_name_is_mentioned_where_turns_hold_its_stem(text, name):
    say(text, "Nobody here.", f"I saw {name} today, and we laughed.")

    assert text.mentions(name, limit=3) == (2,)


@pytest.mark.parametrize(
    ("name", "said", "language"),
    [
        ("Marek", "Wczoraj byłem z Markiem w kinie.", "pl"),
        ("Işıl", "Dün Işıl'ın nişanlısı bize geldi.", "tr"),
        ("지은", "내 여동생 지은이는 광주에서 공부해.", "ko"),
        ("彩", "妹の彩は名古屋で医学を勉強している。", "ja"),
        ("王", "我的老师姓王。", "zh"),
    ],
)
def test_a_name_that_is_said_only_in_other_forms_is_mentioned(text, name, said, language):
    say(text, said, language=language)

    assert text.mentions(name, limit=3) == (1,)
    assert text.mentions("Zenon", limit=3) == ()


def test_who_is_never_named_is_mentioned_where_they_spoke(text):
    say(text, "It rained.", name="Ann_100%")

    assert text.mentions("ann_100%", limit=3) == (1,)
    assert text.mentions("Annx100 or so", limit=3) == ()


@pytest.mark.parametrize(("name", "summary"), [("Ольга Петрова", ""), ("Книги", "What Ann collects.")])
def test_an_entity_is_found_by_a_name_in_another_language_than_its_summary(text, name, summary):
    know(text, entities=[(name, summary)])

    assert found(text, name, "entities", language="ru") == [1]
    assert found(text, name, "entities", language="en") == [1]


def test_a_short_fact_is_kept_in_the_language_of_its_mind(text):
    say(text, "Ayer fuimos a la playa con mis hermanas y los perros.", "Mi madre vive en una casa cerca del mar.")
    know(text, facts=["Ana Casas"])

    assert found(text, "casas", "facts", language="es") == [1]


def test_the_main_languages_of_a_mind_come_most_first(text):
    say(
        text,
        *["Ayer fuimos a la playa con mis hermanas."] * 3,
        *["Yesterday we went to the beach with my sisters."] * 2,
    )

    assert text.languages() == ("es", "en")


def test_a_known_name_is_found_in_the_form_that_a_question_gives_it(text):
    know(text, entities=[("Sandra", ""), ("Anna Berger", ""), ("Anna", "")])

    assert [name for _, name in text.names_in("Was hat Anna Bergers Hund mit Sandras Katze?")] == [
        "Anna Berger",
        "Sandra",
        "Anna",
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Who is Wren?", ["Wren Castellane"]),
        ("What did Harold grow?", []),  # there are two
        ("Who is Ada?", []),  # she has one name, and is found by it
        ("Who is Wren Miller?", []),
        ("who is wren?", []),
        ("When does the doctor come?", []),
    ],
)
def test_somebody_is_known_by_the_first_of_several_names_where_nobody_else_has_it(text, asked, found):
    known = ("Wren Castellane", "Harold Tovey", "Harold Finch", "Ada", "Ada Lane", "Dr. Moss", "The Crown")
    know(text, entities=[(name, "") for name in known])

    assert [name for _, name in text.by_first_name(asked, language="en")] == found


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Zosia", "u Zosi?"),
        ("Işıl", "Işıl'ın doğum günü ne zaman?"),
        ("현우", "현우랑 어디 갔지?"),
        ("彩", "彩は元気？"),
    ],
)
def test_a_known_name_is_found_in_a_form_of_whatever_language(text, name, asked):
    know(text, entities=[(name, ""), ("Jan", "")])

    assert [one for _, one in text.names_in(asked)] == [name]


def test_a_very_long_text_without_spaces_is_searched_for_names(text):
    know(text, entities=[("咖啡店", "")])
    long = "".join(chr(0x4E00 + at % 20_000) for at in range(70_000))

    assert [name for _, name in text.names_in(long + "咖啡店")] == ["咖啡店"]
    assert found(text, long) == []


@pytest.mark.parametrize("left", [b"no database", b"SQLite format 3\x00 and then nothing", None])
def test_an_index_that_is_damaged_or_half_made_is_made_anew(tmp_path, left):
    file = tmp_path / "text.sqlite"
    if left is None:
        with closing(sqlite3.connect(file)) as database:
            database.execute("CREATE TABLE cursors (name TEXT)")
    else:
        file.write_bytes(left)

    with closing(TextIndex(file)) as text:
        say(text, "A blue kettle.")
        assert found(text, "kettle") == [1]


def test_an_index_that_the_disk_refuses_to_open_or_to_write_stays_as_it_was(tmp_path):
    file = tmp_path / "text.sqlite"
    with closing(TextIndex(file)) as text:
        say(text, "A blue kettle.")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        try:
            with pytest.raises(IndexUnusable, match="full text"):
                know(text, facts=["A fact."])
            with pytest.raises(IndexUnusable, match="full text"):
                TextIndex(tmp_path / "another.sqlite").cursor("turns")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        know(text, facts=["A fact."])

        assert (found(text, "kettle"), text.cursor("facts")) == ([1], 1)


def tell(text, *turns):
    """Keep pairs of what was said and the answer as one talk, a day apart, from NOON on."""
    kept = []
    for sequence, (own, answer) in enumerate(turns, start=1):
        messages = (Message(Speaker.USER, own), Message(Speaker.ASSISTANT, answer))
        kept.append(StoredTurn(sequence, NOON + timedelta(sequence - 1), Turn(f"t{sequence}", "s1", messages)))
        indexed = as_indexed(kept[-1], uuid=f"e{sequence}", before=kept[:-1][-2:], fallback="en")
        text.add_turns((indexed,), cursor=sequence)


def meant(text, *concepts):
    return [hit.number for hit in text.search("concepts", concepts, limit=10)]


PET, SISTER = ("My cat is three years old.", "Sweet."), ("What is my sister called?", "You haven't told me.")


def test_a_turn_is_found_by_what_its_words_mean_and_the_persons_count_more_than_the_answers(text):
    tell(text, ("What shall I get?", "A cat, perhaps."), ("So be it.", "Oh."), ("That was that.", "Good."), PET)

    assert meant(text, "pet")[0] == 4
    assert set(meant(text, "pet")) == {4, 1, 2}  # and the one after it, which may speak of it
    assert text.concepts_of((1, 2, 4)) == {1: {"pet"}, 2: frozenset(), 4: {"pet"}}
    assert meant(text, "job") == []


def test_what_only_an_answer_means_is_found(text):
    tell(text, ("What shall I get?", "A cat, perhaps."))

    assert meant(text, "pet") == [1]


def test_a_turn_that_is_removed_leaves_no_meaning_behind(text):
    tell(text, PET)
    text.forget_turns((1,), before=())
    text.compact()

    assert text.concepts_of((1,)) == {}
    with text._file.opened() as database:
        assert database.execute("SELECT count(*) FROM turn_concepts WHERE rowid = 1").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM counts WHERE kind = 'concepts'").fetchone() == (0,)


def test_a_turn_that_is_written_again_means_what_it_says_now(text):
    tell(text, PET)
    tell(text, ("My job is boring.", "Oh."))

    assert (meant(text, "pet"), text.concepts_of((1,))) == ([], {1: {"job"}})


def test_of_a_period_the_newest_turns_are_found_that_tell_something(text):
    tell(text, PET, SISTER, ("We painted the fence.", "Nice!"), ("It rained all day.", "Oh."))
    first, last = NOON, NOON + timedelta(3)

    assert text.turns_between(first, last, limit=10) == {3: 4, 1: 6}
    assert text.turns_between(first, last, limit=1) == {3: 4}
    assert text.turns_between(first, last + timedelta(seconds=1), limit=1) == {4: 4}


def test_who_denies_and_who_knew_no_answer_is_found_by_sequence(text):
    tell(text, SISTER, ("Where do I live?", "You live in Lyon."), ("No, that is wrong.", "Sorry!"), PET)

    assert text.denied_by((1, 2, 3, 4)) == {2: 3}
    assert text.denied_by((1,)) == {}
    assert text.unanswered((1, 2, 3, 4)) == (1,)
    assert text.unanswered((2, 4)) == ()


def test_the_traits_of_a_turn_are_read_as_they_were_written(text):
    tell(text, SISTER, ("No, it is Ida.", "You're right."))

    asked, denied = text.traits((1, 2)).values()
    assert (asked.only_asks, asked.knows_not, asked.denies) == (True, True, None)
    assert (denied.only_asks, denied.knows_not, denied.denies) == (False, False, 1)
    assert (asked.wants_answer, denied.wants_answer) == (True, False)
    assert not (asked.instructs or denied.instructs)


def test_turns_that_instruct_are_found_newest_first_and_forgotten_with_their_turn(text):
    tell(text, SISTER, ("No emojis please.", "Fine."), PET, ("Call me Sam.", "Hello Sam."))

    assert text.traits((2,))[2].instructs
    assert text.instructing(limit=10) == (4, 2)
    assert text.instructing(limit=1) == (4,)
    text.forget_turns((4,), before=(3,))
    assert text.instructing(limit=10) == (2,)


def test_of_a_long_query_the_rarest_words_choose_also_among_few_turns(text):
    """Broken: the first words of the alphabet did."""
    words = " ".join(f"aa{n}" for n in range(100))
    say(text, words, words, words, "The zeppelin landed.", "The zeppelin fell.")
    some = TextOfTurns(text, wanted=TurnFilter(sessions=("s1", "s2", "s4")))

    assert 4 in found(some, f"{words} zeppelin") and 5 not in found(some, "zeppelin")


def test_the_most_that_words_can_say_is_more_the_rarer_they_are_and_unknown_ones_are_the_rarest(text):
    say(text, *["A common kettle."] * 3, "A rare kettle.", *["It rains."] * 20)
    queries = [stems(words, language="en") for words in ("common", "rare", "missing", "common rare", "rains", "")]

    common, rare, missing, both, frequent, nothing = text.weights("turns", queries)

    assert 0 < common < rare < missing
    assert both == pytest.approx(common + rare)
    assert frequent == nothing == 0


def test_stems_are_looked_for_in_turns_themselves_or_also_around_them(text):
    tell(text, ("The zeppelin landed.", "Oh."), ("It was blue.", "Nice."))
    wanted = stems("blue zeppelin", language="en")
    zeppelin, blue = (set(stems(word, language="en")) for word in ("zeppelin", "blue"))

    assert text.stems_in((1, 2), wanted) == {1: zeppelin, 2: blue}
    assert text.stems_near((1, 2), wanted) == {1: zeppelin | blue, 2: zeppelin | blue}


def test_an_index_of_an_older_version_is_made_anew(tmp_path):
    file = tmp_path / "text.sqlite"
    with closing(TextIndex(file)) as text:
        say(text, "A blue kettle.")
    with closing(sqlite3.connect(file)) as database:
        database.execute("DROP TABLE turn_concepts")
        database.execute("PRAGMA user_version = 3")

    with closing(TextIndex(file)) as text:
        assert text.cursor("turns") == 0
        tell(text, PET)
        assert meant(text, "pet") == [1]


def test_a_file_of_before_finds_important_facts_by_an_index_too(tmp_path):
    file = tmp_path / "text.sqlite"
    with closing(connect(file)) as database:
        database.execute("DROP INDEX facts_by_importance")

    with closing(connect(file)) as database:
        plan = database.execute("EXPLAIN QUERY PLAN SELECT uuid FROM facts WHERE importance >= 0.5").fetchall()

    assert "facts_by_importance" in plan[0][-1]
