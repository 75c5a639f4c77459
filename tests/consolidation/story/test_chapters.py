import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.story.chapters import as_chapter, parse, placed

words = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
headings = st.sampled_from(
    ["### [2026-01-28 14:00] Lyon\n", "### [2026-01-28 – 2026-02-03] Winter\r\n", "### no date\n", ""]
)
stories = st.lists(st.tuples(headings, words), max_size=6).map(lambda parts: "".join(a + b for a, b in parts))
CHAPTER = as_chapter("### [2026-03-01 09:00] Spring\n\nI planted beans.\n")


@given(stories)
def test_a_story_in_parts_is_the_story_byte_for_byte(text):
    assert parse(text).text == text


@given(stories)
def test_a_new_chapter_leaves_what_stands_as_it_is(text):
    book = placed(parse(text), (CHAPTER,))

    assert book.text.startswith(text)
    assert book.chapters[-1].title == "Spring"


@given(stories)
def test_a_chapter_of_earlier_days_stands_where_its_time_puts_it_and_moves_nothing(text):
    early = as_chapter("### [2025-12-24 20:00] Snow\n\nIt snowed.\n")
    book = placed(parse(text), (early,))

    assert [chapter.title for chapter in book.chapters][0] == "Snow"
    assert [chapter.digest for chapter in book.chapters[1:]] == [chapter.digest for chapter in parse(text).chapters]
    assert book.text.startswith(parse(text).opening)


def test_a_heading_tells_its_span_and_title():
    chapter = parse("Mine.\n\n### [2026-01-28 14:00 – 2026-02-03] The winter in Lyon\n\nCold.\n").chapters[0]

    assert (chapter.first, chapter.last, chapter.title) == ("2026-01-28 14:00", "2026-02-03", "The winter in Lyon")


def test_a_digest_does_not_depend_on_how_lines_end():
    one, other = as_chapter("### [2026-01-28] A\n\nText.\n"), as_chapter("### [2026-01-28] A\r\n\r\nText.  \r\n\r\n")

    assert one.digest == other.digest
    assert one.digest != as_chapter("### [2026-01-28] A\n\nText!\n").digest


def test_a_new_chapter_takes_the_files_line_ends():
    book = placed(parse("Mine.\r\n"), (CHAPTER,))

    assert book.text == "Mine.\r\n\r\n### [2026-03-01 09:00] Spring\r\n\r\nI planted beans.\r\n"


def test_what_has_no_dated_heading_is_no_chapter():
    with pytest.raises(ValueError):
        as_chapter("## Spring\n")


def test_a_byte_order_mark_before_the_first_chapter_is_a_persons_opening():
    text = "### [2026-01-28 14:00] Lyon\n\nCold.\n"
    book = parse(f"\ufeff{text}")

    assert (book.opening, [chapter.text for chapter in book.chapters]) == ("\ufeff", [text])
    assert book.chapters[0].digest == as_chapter(text).digest
    assert (book.opening_words, book.words) == ("", parse(text).words)
