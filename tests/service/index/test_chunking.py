"""Markdown is cut where a person would, and no word of it is lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.text.tokens import count_tokens
from service.index.chunking import chunk_markdown

SENTENCE = "My mother moved into a flat in the Croix-Rousse, up the hill in Lyon, and she likes the view. "
markdown = st.lists(
    st.sampled_from(
        (
            *(
                "",
                "",
                "# Lyon",
                "## The flat",
                "### Keys",
                "- a list item",
                "```",
                "<!-- aside -->",
                "好的，明天见。" * 30,
            ),
            *(
                "word",
                SENTENCE.strip(),
                SENTENCE * 12,
                "x" * 3_000,
                "\u2028 \x0b odd",
                "<!--",
                "-->",
                "\r",
                "###### deep",
            ),
        )
    ),
    max_size=60,
).map("\n".join)


@settings(deadline=None)
@given(markdown)
def test_every_line_that_is_no_aside_stands_in_a_chunk_with_its_number(text):
    chunks = chunk_markdown(text, size=100, overlap=20)
    lines = text.split("\n")
    is_aside, said = False, set()
    for chunk in chunks:
        assert 1 <= chunk.start_line <= chunk.end_line <= len(lines)
        for at, line in enumerate(chunk.text.split("\n"), start=chunk.start_line):
            said.update((at, word) for word in line.split())
            assert line.strip() in lines[at - 1] or "<!--" in text
    if "<!--" not in text:
        for at, line in enumerate(lines, start=1):
            if any(character.isalnum() for character in line) and len(line) < 200 and not is_aside:
                assert {(at, word) for word in line.split()} <= said


@settings(deadline=None)
@given(markdown)
def test_no_chunk_is_twice_as_long_as_it_may_be_and_each_goes_on(text):
    chunks = chunk_markdown(text, size=100, overlap=20)

    assert all(count_tokens(chunk.text) <= 200 for chunk in chunks)
    assert len({(chunk.start_line, chunk.end_line, chunk.text) for chunk in chunks}) <= len(chunks)
    assert [chunk.start_line for chunk in chunks] == sorted(chunk.start_line for chunk in chunks)


def test_a_section_of_its_own_length_is_a_chunk_below_its_headings():
    text = f"# Lyon\n\n{SENTENCE * 6}\n\n## The flat\n\n{SENTENCE * 6}\n\n## Keys\n\n{SENTENCE * 30}\n"

    chunks = chunk_markdown(text, size=400, overlap=80)

    assert [chunk.text.split("\n")[0][:10] for chunk in chunks[:3]] == ["# Lyon", "## The fla", "## Keys"]
    assert [chunk.above for chunk in chunks[:3]] == ["", "Lyon", "Lyon"]
    assert {chunk.above for chunk in chunks[3:]} == {"Lyon › Keys"}


def test_short_sections_share_a_chunk():
    text = "# Monday\nRain.\n# Tuesday\nSun.\n# Wednesday\nSnow.\n"

    [chunk] = chunk_markdown(text, size=400, overlap=80)

    assert (chunk.start_line, chunk.end_line) == (1, 6)


def test_neighbours_of_one_section_overlap_and_are_cut_between_paragraphs():
    paragraphs = "\n\n".join(f"{SENTENCE}Number {number}." for number in range(40))

    chunks = chunk_markdown(paragraphs, size=400, overlap=80)

    assert len(chunks) > 2
    for one, following in zip(chunks, chunks[1:], strict=False):
        assert one.start_line < following.start_line <= one.end_line
        assert one.text.endswith(".")
        assert following.text.startswith("My mother")
        assert 300 < count_tokens(one.text) <= 420


def test_a_line_without_end_is_cut_between_words_and_keeps_its_number():
    chunks = chunk_markdown(f"# Log\n{SENTENCE * 100}\n", size=200, overlap=40)

    assert len(chunks) > 8
    assert {chunk.end_line for chunk in chunks} == {2}
    assert all(chunk.text.split()[-1] in f"# Log {SENTENCE}".split() for chunk in chunks)


def test_a_heading_in_a_fence_is_none():
    chunks = chunk_markdown(
        f"# Setup\n{SENTENCE * 8}\n```\n# a comment of a shell\n```\n{SENTENCE}", size=400, overlap=80
    )

    assert len(chunks) == 1


def test_what_is_in_a_comment_is_no_note_and_moves_no_line():
    [chunk] = chunk_markdown("<!-- not\nfor you -->\nFor you.\n<!-- open", size=400, overlap=80)

    assert (chunk.text, chunk.start_line) == ("For you.\n<!-- open", 3)
    assert chunk_markdown("<!-- all of it -->\n\n---\n", size=400, overlap=80) == ()


def test_a_megabyte_of_one_letter_is_cut_soon():
    assert len(chunk_markdown("a" * 1_000_000, size=400, overlap=80)) > 100
