from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.story.chapters import as_chapter, parse
from consolidation.story.compression import (
    as_chapters,
    body,
    gist,
    lost,
    oldest_run,
    people,
    sayings,
    shorten_by_quoting,
)
from consolidation.story.draft import replacing_chapters
from consolidation.text.words import tokens

WHO = ("Ines", "Carla", "Bruno Haller", "O'Neil", "Zoë", "Pascal")
PLAIN = (
    "It rained the whole day and we stayed at home with a pot of tea.",
    "We talked about this and that until it was late.",
    "I was tired and went to bed early, and slept very well.",
    "There was nothing much to do and so we did nothing much.",
)
MET = ("I walked home with {} along the river.", "On that day {} told me of the sea.", "We waited long for {} to come.")
met = st.one_of(
    st.sampled_from(PLAIN),
    st.builds(lambda text, who: text.format(who), st.sampled_from(MET), st.sampled_from(WHO)),
)
days = st.builds("2026-{:02}-{:02}".format, st.integers(1, 4), st.integers(1, 28))
told = st.builds("{} told me: “{}”".format, st.sampled_from(("Ann", "Bea", "They")), met)
bodies = st.one_of(st.lists(one, min_size=1, max_size=9).map(" ".join) for one in (met, told))
chapters = st.builds("### [{}] {}\n\n{}\n\n".format, days, st.sampled_from(["Rain", "The sea", "Home"]), bodies)
stories = st.lists(chapters, min_size=1, max_size=8).map(sorted).map("".join)


def shorter(book, *, ours, short, most_words):
    """One pass, as it is done without a model: the story after it, and what is ours and short by then."""
    run = oldest_run(book, ours=ours, short=short, most_words=most_words)
    made = as_chapters(shorten_by_quoting(run, language="en"), run) if run else ()
    digests = {one.digest for one in made}
    text = replacing_chapters(run, made)(book.text) if run else book.text
    return run, parse(text), ours | digests, short | digests


@given(stories, st.data(), st.integers(20, 400))
def test_only_our_own_chapters_are_shortened_and_never_the_newest_half(story, data, most_words):
    book = parse(story)
    digests = sorted({one.digest for one in book.chapters})
    ours = frozenset(data.draw(st.sets(st.sampled_from(digests)))) if digests else frozenset()
    run = oldest_run(book, ours=ours, short=frozenset(), most_words=most_words)

    assert all(one.digest in ours for one in run)
    assert not run or book.words > most_words
    starts = [at for at in range(len(book.chapters)) if book.chapters[at : at + len(run)] == run]
    assert not run or starts
    newer = book.chapters[starts[0] + len(run) :] if run else ()
    assert len(book.chapters) == 1 or not run or newer
    assert not run or sum(one.words for one in (*newer, run[-1])) > most_words / 2 or len(book.chapters) == 1


@settings(max_examples=50)
@given(stories)
def test_what_is_shorten_by_quoting_covers_everything_once_and_in_order_and_loses_nobody(story):
    found = parse(story).chapters
    made = shorten_by_quoting(found, language="en")

    assert [at for one in made for at in range(one.first, one.last + 1)] == list(range(len(found)))
    for one in made:
        old = " ".join(body(chapter) for chapter in found[one.first : one.last + 1])
        assert lost(people(old, language="en"), one.text) == ()
        assert set(tokens(one.text)) <= set(tokens(old))
    assert all(parse(chapter.text).chapters == (chapter,) for chapter in as_chapters(made, found))


@settings(max_examples=50)
@given(stories, st.integers(20, 300))
def test_shortening_ends_leaves_what_is_a_persons_and_names_whom_it_named(story, most_words):
    book = parse(story)
    before = people(" ".join(body(one) for one in book.chapters), language="en")
    theirs = book.chapters[len(book.chapters) // 2]
    ours, short = frozenset(one.digest for one in book.chapters) - {theirs.digest}, frozenset()
    for _ in range(40):
        run, now, ours, short = shorter(book, ours=ours, short=short, most_words=most_words)
        if not run:
            break
        assert now.words <= book.words
        book = now
    else:
        raise AssertionError(f"it never ends: {len(run)} chapters, {sum(one.words for one in run)} words, once more")

    assert theirs.text in book.text
    assert lost(before, " ".join(body(one) for one in book.chapters)) == ()


def test_what_can_not_get_any_shorter_is_not_tried_again_and_again():
    met = "I walked home with {} along the river until it was late. "
    text = "".join(
        f"### [2026-0{month}-01] Home\n\n" + "".join(met.format(f"Carla{month}{n}") for n in range(9)) + "\n\n"
        for month in (1, 2, 3, 4, 5, 6)
    )
    book, short = parse(text), frozenset()
    ours, passes = frozenset(one.digest for one in book.chapters), 0
    while passes < 40:
        run, book, ours, short = shorter(book, ours=ours, short=short, most_words=200)
        if not run:
            break
        passes += 1

    assert passes < 40


def test_who_only_spoke_is_known_too():
    text = "".join(f"{who} told me: “{PLAIN[at]}” " for at, who in enumerate(("Ann", "Bea", "Ines", "Carla")))
    found = parse(f"### [2026-01-01] Rain\n\n{text}\n\n").chapters

    assert lost(("Ann", "Bea", "Ines", "Carla"), shorten_by_quoting(found, language="en")[0].text) == ()


def test_who_is_named_in_the_last_quotation_is_known_too():
    text = "Ann told me: “It rained the whole day.” Ann told me: “I walked home with Carla along the river.”"

    assert people(text, language="en") == {"Ann", "Carla"}


def test_a_sentence_before_a_quotation_is_not_its_lead():
    text = "It rained all day. Ann told me: “I stayed at home.”"

    assert [one.lead for one in sayings(text)] == ["", ""]
    assert people(text, language="en") == {"Ann"}


def test_a_persons_chapter_parts_what_is_joined():
    text = "".join(f"### [2026-01-0{day}] Day {day}\n\n{' '.join(PLAIN * 3)}\n\n" for day in range(1, 8))
    book = parse(text)
    ours = frozenset(one.digest for one in book.chapters) - {book.chapters[2].digest}
    run = oldest_run(book, ours=ours, short=frozenset(), most_words=200)

    assert run == book.chapters[:2]


def test_neighbours_of_one_month_become_one_chapter_under_their_span():
    text = "".join(f"### [2026-01-0{day} 10:00] Day {day}\n\n{' '.join(PLAIN)}\n\n" for day in (1, 2, 3))
    found = parse(text + f"### [2026-02-01 10:00] Snow\n\n{' '.join(PLAIN)}\n\n").chapters
    made = as_chapters(shorten_by_quoting(found, language="en"), found)

    assert [one.heading for one in made] == [
        "### [2026-01-01 10:00 – 2026-01-03 10:00] Day 1; Day 2; Day 3",
        "### [2026-02-01 10:00] Snow",
    ]
    assert sum(one.words for one in made) < sum(one.words for one in found) * 0.6


def test_in_german_a_noun_is_nobody_and_a_name_is_somebody():
    text = "Gestern ging der Hund mit Anna durch den Wald. Die Mutter rief, und Jonas kam mit seinem Fahrrad."

    assert {"Anna", "Jonas"} <= people(text, language="de")
    assert not {"Hund", "Wald", "Mutter", "Fahrrad"} & people(text, language="de")


def test_in_german_a_name_with_an_article_now_and_then_is_still_a_name():
    text = "Am Abend fuhren wir zur Anna nach Köln. Dort wartete Anna schon, und wir sahen mit Anna den Rhein."

    assert "Anna" in people(text, language="de")


def test_quotations_are_sayings_with_their_leads_and_so_are_sentences():
    assert [one.whole for one in sayings("Ann told me: “One came. Two … Three went.” I said: “Four.”")] == [
        "Ann told me: “One came. Two”",
        "Ann told me: “Three went.”",
        "I said: “Four.”",
    ]
    assert [one.whole for one in sayings("One came. Two went.")] == ["One came.", "Two went."]
    assert [one.whole for one in sayings("Ann erzählte mir: „Eins. Zwei.“ Ich sagte: „Drei.“")] == [
        "Ann erzählte mir: „Eins. Zwei.“",
        "Ich sagte: „Drei.“",
    ]


@given(chapters)
def test_the_gist_of_a_chapter_is_its_heading_and_one_of_its_sayings(text):
    chapter = as_chapter(text)
    heading, _, saying = gist(chapter).partition("\n")

    assert heading == chapter.heading and saying in [one.whole for one in sayings(body(chapter))]


@given(stories)
def test_whoever_is_named_is_not_lost_and_whoever_is_not_is(story):
    named = people(story, language="en")

    assert lost(named, story) == () and set(lost(named, "")) == named
    assert all(set(tokens(name)) <= set(tokens(story)) for name in named)
